package journal_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/journal"
)

// In a game the engine marks the changes; this example does so itself.
func Example() {
	changes := journal.New(nil)
	show := func() {
		for slot, what := range changes.Slots() {
			fmt.Println("slot", slot, "begun:", what&journal.Begun != 0, "time:", what&journal.Time != 0)
		}
		changes.Empty()
	}
	changes.Mark(1, 0, journal.Begun)
	show()
	changes.Mark(1, 0, journal.Time)
	show()
	// Output:
	// slot 0 begun: true time: false
	// slot 0 begun: false time: true
}
