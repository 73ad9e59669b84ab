package snapshot_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// Two owners are copied on the loop, as package store does with a few owners after each Tick.
func Example() {
	eng, err := engine.New(engine.Options{Synchronous: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	copies := snapshot.Of(eng, func(_ buff.OwnerID, data any, b []byte) ([]byte, error) { return append(b, data.(string)...), nil })
	_ = eng.Spawn(7, "Anna")
	_ = eng.Spawn(8, "Bert")
	eng.Tick(time.Second)

	round := copies.Begin(false) // all changes since the previous round
	n, done := copies.Step(100)
	fmt.Println("copied", n, done, "as of", round.Moment.Now)
	taken := copies.Take()
	for c := range taken.All() {
		fmt.Println(c.Owner, string(c.Data))
	}
	taken.Free()

	eng.Do(buff.Pause(8))
	fmt.Println(copies.Changed(), "in the next round")
	// Output:
	// copied 2 true as of 00:00:01.000
	// 7 Anna
	// 8 Bert
	// 1 in the next round
}
