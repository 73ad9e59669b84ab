package history_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
)

// Query returns the past events of a player.
func Example() {
	catalog, _ := buff.NewCatalog(buff.Spec{ID: "venom", Duration: 5 * time.Second, Period: 2 * time.Second})
	e, _ := engine.New(engine.Options{Catalog: catalog, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	for id := range buff.OwnerID(3) {
		_ = e.Spawn(id, nil)
		e.AddBuff(id, buff.Application{Spec: catalog.Spec("venom"), Source: 2})
		e.Tick(time.Second)
	}
	e.Tick(10 * time.Second)

	for event := range e.History().Events(history.Query{Owners: []buff.OwnerID{1}}) {
		fmt.Println(event)
	}
	fmt.Println("all is known from", e.History().Since())
	// Output:
	// 1000 apply venom x1 end=6000
	// 3000 pulse venom x1
	// 5000 pulse venom x1
	// 6000 remove venom why=expired
	// all is known from 00:00:00.000
}
