package store_test

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

// During a deployment, the old process drains the zone without losing anything, not even a
// command in the inbox, and the new process continues.
func ExampleSaver_Drain() {
	dir, err := os.MkdirTemp("", "zone")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: time.Minute})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	evening := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	disk, err := bolt.Open(filepath.Join(dir, "world.db"), bolt.Options{})
	if err != nil {
		panic(err)
	}
	defer disk.Close()
	for _, version := range []string{"old", "new"} {
		zone, err := store.Open(ctx, disk, "arena", engine.Options{Catalog: catalog}, store.Options{
			Now: func() time.Time { return evening },
		})
		if err != nil {
			panic(err)
		}
		fmt.Println(version, "process has", zone.Restored().Owners, "players and", zone.Restored().Buffs, "buffs")
		eng := zone.Engine()
		if zone.Restored().Fresh {
			if err := eng.Spawn(7, nil); err != nil {
				panic(err)
			}
		}
		zone.After(eng.Tick(50 * time.Millisecond))
		if err := eng.Inbox().AddBuff(7, buff.Application{Spec: catalog.Spec("poison")}); err != nil {
			panic(err)
		}
		if err := zone.Drain(ctx); err != nil { // also closes the engine
			panic(err)
		}
	}
	// Output:
	// old process has 0 players and 0 buffs
	// new process has 1 players and 1 buffs
}
