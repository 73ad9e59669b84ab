package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// A player logs out and comes back. In between, its buffs are a blob of bytes, and each buff loses
// the time that its clock counts.
func ExampleEngine_Despawn() {
	catalog, err := buff.NewCatalog(
		buff.Spec{ID: "poison", Duration: 10 * time.Second}, // online time
		buff.Spec{ID: "feast", Duration: time.Hour, Clock: define.Wall},
	)
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog, Epoch: time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, "Anna"); err != nil {
		panic(err)
	}
	for s := range catalog.All() {
		eng.AddBuff(7, buff.Application{Spec: s})
	}

	eng.Tick(4 * time.Second)
	blob, err := eng.Despawn(7) // store the blob in your database
	if err != nil {
		panic(err)
	}
	eng.Tick(30 * time.Minute)
	back, err := eng.Restore(7, "Anna", blob)
	if err != nil {
		panic(err)
	}
	fmt.Println(back.Restored, "buffs are back")
	carried, err := eng.Buffs(7)
	if err != nil {
		panic(err)
	}
	for b := range carried.All() {
		fmt.Println(b.Spec, b.Left(eng.Now()))
	}
	// Output:
	// 2 buffs are back
	// poison 6s
	// feast 29m56s
}
