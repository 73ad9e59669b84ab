package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// A timeout needs no definition: it calls a function for a player later, in order with the events
// of the player's buffs.
func ExampleEngine_AddTimeout() {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}

	knock := func(c *engine.Context) { fmt.Println(c.Now(), "somebody knocks at the door of", c.Owner()) }
	if _, err := eng.AddTimeout(7, 1500*time.Millisecond, knock); err != nil {
		panic(err)
	}
	second, err := eng.AddTimeout(7, 2*time.Second, knock)
	if err != nil {
		panic(err)
	}
	eng.Cancel(second)
	eng.Tick(5 * time.Second)
	// Output:
	// 00:00:01.500 somebody knocks at the door of 7
}
