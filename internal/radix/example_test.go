package radix_test

import (
	"fmt"

	"github.com/bufftick/bufftick/internal/radix"
)

// A key is a deadline and, in its low twenty bits, the number of the owner.
func Example() {
	const low = 20
	keys := []uint64{5100<<low | 7, 5050<<low | 9, 5100<<low | 3}
	spare := radix.Sort(keys, low, nil)
	for _, k := range keys {
		fmt.Println(k>>low, k&(1<<low-1))
	}
	_ = radix.Sort(keys, low, spare) // the next one allocates nothing
	// Output:
	// 5050 9
	// 5100 3
	// 5100 7
}
