package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Code that shows buffs to players reads once per frame which owners have changed. Time that only
// passes is not a change. Package replicate does this for clients.
func ExampleEngine_Changes() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "renew", Duration: 5 * time.Second, Period: time.Second})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	for _, id := range []buff.OwnerID{7, 8} {
		if err := eng.Spawn(id, nil); err != nil {
			panic(err)
		}
	}

	changes := eng.Changes()
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("renew")})
	for range 6 {
		frame := eng.Tick(time.Second)
		for o := range changes.All() {
			n := 0
			for range o.Buffs.All() {
				n++
			}
			fmt.Println(frame.Now, "owner", o.Owner, "new:", o.Came, "buffs:", n)
		}
	}
	// Output:
	// 00:00:01.000 owner 7 new: true buffs: 1
	// 00:00:01.000 owner 8 new: true buffs: 0
	// 00:00:05.000 owner 7 new: false buffs: 0
}
