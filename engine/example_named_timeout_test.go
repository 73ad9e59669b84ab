package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// A timeout with the name of a handler is saved with its owner. A timeout with a function is not.
func ExampleEngine_Do_timeout() {
	eng, err := engine.New(engine.Options{Handlers: engine.Handlers{
		"revive": func(c *engine.Context, e buff.Event) { fmt.Println(c.Owner(), "lives again at", e.At) },
	}})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}

	eng.Do(buff.AddTimeout(7, 30*time.Second, "revive"))
	eng.Tick(10 * time.Second)
	blob, err := eng.Despawn(7) // the player logs out
	if err != nil {
		panic(err)
	}
	eng.Tick(time.Minute)
	back, err := eng.Restore(7, nil, blob)
	if err != nil {
		panic(err)
	}
	fmt.Println("timeouts that are back:", back.Timeouts)
	eng.Tick(30 * time.Second)
	// Output:
	// timeouts that are back: 1
	// 7 lives again at 00:01:30.000
}
