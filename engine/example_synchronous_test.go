package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// In a test, handlers run inside Tick, one after the other, without a pool. The events do not
// depend on the length of the frames, so one Tick can play a whole day.
func ExampleOptions_synchronous() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "curse", Duration: 24 * time.Hour, Period: 8 * time.Hour,
		On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "wail"}}},
	})
	if err != nil {
		panic(err)
	}
	wails := 0
	eng, err := engine.New(engine.Options{Catalog: catalog, Synchronous: true, Handlers: engine.Handlers{
		"wail": func(c *engine.Context, e buff.Event) { wails++ },
	}})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("curse")})
	frame := eng.Tick(48 * time.Hour)
	for e := range frame.Events() {
		fmt.Println(e)
	}
	fmt.Println("wails:", wails)
	// Output:
	// 0 apply curse x1 end=86400000
	// 28800000 pulse curse x1
	// 57600000 pulse curse x1
	// 86400000 pulse curse x1
	// 86400000 remove curse why=expired
	// wails: 3
}
