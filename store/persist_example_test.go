package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// A zone runs, its process ends, and the next process continues. The first process is killed:
// changes after its last cut are lost.
func ExampleOpen() {
	dir, _ := os.MkdirTemp("", "zone")
	defer os.RemoveAll(dir)
	catalog, _ := buff.NewCatalog(
		buff.Spec{ID: "poison", Duration: time.Minute, Period: time.Second},
		buff.Spec{ID: "feast", Duration: time.Hour, Clock: define.Wall},
	)
	ctx := context.Background()
	start := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	for _, began := range []time.Time{start, start.Add(10 * time.Minute)} {
		disk, err := bolt.Open(filepath.Join(dir, "world.db"), bolt.Options{})
		if err != nil {
			panic(err)
		}
		zone, err := store.Open(ctx, disk, "arena", engine.Options{Catalog: catalog, Synchronous: true}, store.Options{
			Now: func() time.Time { return began },
		})
		if err != nil {
			panic(err)
		}
		eng := zone.Engine()
		if r := zone.Restored(); r.Fresh {
			_ = eng.Spawn(7, nil)
			eng.AddBuff(7, buff.Application{Spec: catalog.Spec("poison")})
			eng.AddBuff(7, buff.Application{Spec: catalog.Spec("feast")})
		} else {
			fmt.Println("away for", r.Away, "and back:", r.Owners, "owner,", r.Buffs, "buffs")
		}
		for range 20 {
			zone.After(eng.Tick(50 * time.Millisecond))
		}
		_ = zone.SaveAll(ctx)
		buffs, _ := eng.Buffs(7)
		for b := range buffs.All() {
			fmt.Println(b.Spec.ID, b.Left(eng.Now()))
		}
		eng.Tick(5 * time.Second) // after the last cut
		zone.Close()
		_ = eng.Close(ctx)
		_ = disk.Close()
	}
	// Output:
	// poison 59s
	// feast 59m59s
	// away for 9m59s and back: 1 owner, 2 buffs
	// poison 58s
	// feast 49m59s
}

// Gold is paid out when the payment is on disk, and only once, however often it is requested.
func ExampleSaver_Durable() {
	dir, _ := os.MkdirTemp("", "zone")
	defer os.RemoveAll(dir)
	catalog, _ := buff.NewCatalog(buff.Spec{ID: "gold", Kind: define.Infinite, Stack: define.Stacking{Limit: 1000}})
	ctx := context.Background()
	disk, _ := bolt.Open(filepath.Join(dir, "world.db"), bolt.Options{})
	defer disk.Close()
	zone, _ := store.Open(ctx, disk, "arena", engine.Options{Catalog: catalog, Synchronous: true}, store.Options{
		Every: 50 * time.Millisecond, Window: 1000,
	})
	eng := zone.Engine()
	_ = eng.Spawn(7, nil)
	over := make(chan struct{})
	go func() { // any goroutine except the loop
		defer close(over)
		pay := buff.Apply(7, buff.Application{Spec: catalog.Spec("gold"), Stacks: 100})
		for range 2 {
			r, err := zone.Durable(ctx, store.CommandID{1}, pay)
			fmt.Println(r.Kind == buff.Applied, err)
		}
	}()
	for done := false; !done; {
		zone.After(eng.Tick(50 * time.Millisecond))
		select {
		case <-over:
			done = true
		default:
		}
	}
	fmt.Println(zone.Drain(ctx))
	// Output:
	// true <nil>
	// false store: the command has already been executed
	// <nil>
}
