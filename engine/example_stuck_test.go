package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// A handler that does not return makes only its own player busy. The Tick ends after the Budget
// and lists the player in Stuck, and no later Tick waits for it. Its due events wait, in order.
func ExampleFrame_stuck() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "trap", Duration: 10 * time.Second, Period: time.Second,
		On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "spring"}}},
	})
	if err != nil {
		panic(err)
	}
	database := make(chan struct{}) // never answers
	eng, err := engine.New(engine.Options{Catalog: catalog, Budget: 100 * time.Millisecond, Handlers: engine.Handlers{
		"spring": func(c *engine.Context, e buff.Event) {
			<-database // handlers should not do this
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
	fmt.Println(err) // an error, which is different from having no buffs

	close(database)
	fmt.Println("closed:", eng.Close(context.Background()))
	// Output:
	// stuck: owner 7 in trap
	// engine: owner is busy: 7
	// closed: <nil>
}
