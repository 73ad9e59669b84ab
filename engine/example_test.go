package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// A poison hurts a player every three seconds.
func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID:       "poison",
		Duration: 10 * time.Second,
		Period:   3 * time.Second,
		Stack:    define.Stacking{By: define.BySource, Limit: 5},
		On:       define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
	})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{
		Catalog: catalog,
		Handlers: engine.Handlers{"hurt": func(c *engine.Context, e buff.Event) {
			// on a worker; handlers of one player never run concurrently
			*engine.Data[*int](c) -= 5 * int(e.Stacks)
		}},
	})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())

	health := 100
	if err := eng.Spawn(7, &health); err != nil {
		panic(err)
	}
	// the game loop determines the time
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("poison"), Source: 9})
	// the game loop owns the time
	for range 11 {
		frame := eng.Tick(time.Second)
		for e := range frame.Events() {
			fmt.Printf("player %d  %v  %-6v %v x%d\n", e.Owner, e.At, e.Kind, e.Spec, e.Stacks)
		}
	}
	fmt.Println("health", health)

	// Output:
	// player 7  00:00:00.000  apply  poison x1
	// player 7  00:00:03.000  pulse  poison x1
	// player 7  00:00:06.000  pulse  poison x1
	// player 7  00:00:09.000  pulse  poison x1
	// player 7  00:00:10.000  remove poison x1
	// health 85
}
