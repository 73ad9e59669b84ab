package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// A handler that does not return makes its player busy, and nobody else: the Tick ends after the
// Budget and names it, and no later one waits for it. What is due for it waits, in order.
func ExampleFrame_stuck() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "trap", Duration: 10 * time.Second, Period: time.Second,
		On: buff.Hooks{Pulse: []buff.Action{{Do: define.DoCall, Name: "spring"}}},
	})
	if err != nil {
		panic(err)
	}
	database := make(chan struct{}) // does not answer
	eng, err := engine.New(engine.Options{Catalog: catalog, Budget: 100 * time.Millisecond, Handlers: engine.Handlers{
		"spring": func(c *engine.Context, e buff.Event) {
			<-database // what handlers should not do
		},
	}})
	if err != nil {
		panic(err)
	}
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("trap")})

	frame := eng.Tick(time.Second)
	for _, s := range frame.Stuck {
		fmt.Println("stuck: owner", s.Owner, "in", s.Spec)
	}
	_, err = eng.Buffs(7)
	fmt.Println(err) // nobody is told that player 7 carries nothing

	close(database)
	fmt.Println("closed:", eng.Close(context.Background()))
	// Output:
	// stuck: owner 7 in trap
	// engine: owner is busy: 7
	// closed: <nil>
}
