package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// A player moves from one zone to another. Even if a process crashes in between, the player is in
// one of the zones.
func ExampleSaver_Move() {
	ctx := context.Background()
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: time.Minute})
	if err != nil {
		panic(err)
	}
	disk := storetest.NewMemory()
	open := func(zone string) *store.Saver {
		z, err := store.Open(ctx, disk, zone, engine.Options{Catalog: catalog, Synchronous: true}, store.Options{})
		if err != nil {
			panic(err)
		}
		return z
	}
	arena, harbour := open("arena"), open("harbour")
	defer arena.Close()
	defer harbour.Close()
	if err := arena.Engine().Spawn(7, nil); err != nil {
		panic(err)
	}
	arena.Engine().AddBuff(7, buff.Application{Spec: catalog.Spec("poison")})
	arena.After(arena.Engine().Tick(10 * time.Second))
	if _, err := arena.Move(7, "harbour"); err != nil {
		panic(err)
	}
	if err := arena.SaveAll(ctx); err != nil { // or wait for the next cut
		panic(err)
	}

	list, err := disk.Arrivals(ctx, []string{"harbour"})
	if err != nil {
		panic(err)
	}
	harbour.Arrive(list, func(a *store.Arrival, r buff.Restoration, err error) {
		fmt.Println("owner", a.Owner.ID, "comes with", r.Restored, "buff:", err)
	})
	buffs, err := harbour.Engine().Buffs(7)
	if err != nil {
		panic(err)
	}
	for b := range buffs.All() {
		fmt.Println(b.Spec.ID, "for", b.Left(harbour.Engine().Now()))
	}
	// Output:
	// owner 7 comes with 1 buff: <nil>
	// poison for 50s
}
