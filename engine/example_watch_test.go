package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// Another goroutine reads the state of the engine without a lock and without delaying the engine.
// Package inspect shows it on a page, and contrib/prom exports it to Prometheus.
func ExampleWatch_Next() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "blessing", Kind: define.Infinite})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("blessing")})

	seen := make(chan *view.View)
	go func() {
		view, err := eng.Watch().Next(context.Background())
		if err != nil {
			panic(err)
		}
		seen <- view
	}()
	for looking := true; looking; { // the game loop
		eng.Tick(50 * time.Millisecond)
		select {
		case view := <-seen:
			fmt.Println(view.Stats.Owners, "owner,", view.Buffs, "buff,", len(view.Stuck), "stuck")
			looking = false
		default:
		}
	}
	// Output:
	// 1 owner, 1 buff, 0 stuck
}
