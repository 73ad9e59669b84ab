package bolt_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// Two zones of one process share a file, and a player moves from one to the other.
func ExampleStore_Arrivals() {
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	disk, err := bolt.Open(filepath.Join(dir, "world.db"), bolt.Options{})
	if err != nil {
		panic(err)
	}
	defer disk.Close()
	ctx := context.Background()
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: time.Minute})
	if err != nil {
		panic(err)
	}
	open := func(zone string) *store.Saver {
		v, err := store.Open(ctx, disk, zone, engine.Options{Catalog: catalog, Synchronous: true}, store.Options{})
		if err != nil {
			panic(err)
		}
		return v
	}
	arena, harbour := open("arena"), open("harbour")
	defer arena.Close()
	defer harbour.Close()
	if err := arena.Engine().Spawn(7, nil); err != nil {
		panic(err)
	}
	arena.Engine().AddBuff(7, buff.Application{Spec: catalog.Spec("poison")})

	// On the loop of the arena: the move is part of the next cut, which SaveAll makes now.
	if _, err := arena.Move(7, "harbour"); err != nil {
		panic(err)
	}
	if err := arena.SaveAll(ctx); err != nil {
		panic(err)
	}

	// On another goroutine, every 100 ms, because Arrivals waits for the disk.
	list, err := disk.Arrivals(ctx, []string{"harbour"})
	if err != nil {
		panic(err)
	}

	// On the loop of the harbour.
	harbour.Arrive(list, func(a *store.Arrival, r buff.Restoration, err error) {
		fmt.Println("player", a.Owner.ID, "arrives with", r.Restored, "buff:", err)
	})
	if err := harbour.SaveAll(ctx); err != nil {
		panic(err)
	}
	places, err := disk.Where(ctx, []buff.OwnerID{7})
	fmt.Println(places, err)
	// Output:
	// player 7 arrives with 1 buff: <nil>
	// [{7 harbour false}] <nil>
}
