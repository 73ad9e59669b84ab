package recoveredtest_test

import (
	"fmt"

	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
)

func Example() {
	for _, end := range recoveredtest.Ends("ended its goroutine") {
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() { _ = recover() }()
			end.Do()
			fmt.Println(end.Name, "returned")
		}()
		<-done
		fmt.Println(end.Name, "is said to have", end.Said)
	}
	// Output:
	// text is said to have panicked: no
	// error is said to have panicked: lost
	// nil is said to have panicked: panic called with nil argument
	// bomb is said to have panicked: a recoveredtest.Bomb, whose text panics
	// Goexit is said to have ended its goroutine
}
