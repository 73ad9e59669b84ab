package misspelt_test

import (
	"fmt"

	"github.com/bufftick/bufftick/internal/misspelt"
)

func Example() {
	known := []string{"renew", "rend", "rebirth"}
	fmt.Println(misspelt.Near("renw", known), misspelt.Near("fireball", known) == "")
	// Output: renew true
}
