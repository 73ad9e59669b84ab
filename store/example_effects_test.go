package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// A coin is paid into a bank outside the game. The process dies after the bank has received the
// coin and before the game has recorded this. The next process gets the effect again with the
// same ID, so the bank counts the coin once.
func ExampleSaver_Effects() {
	ctx := context.Background()
	catalog, err := buff.NewCatalog(buff.Spec{ID: "coin", Kind: define.Infinite})
	if err != nil {
		panic(err)
	}
	disk := storetest.NewMemory()
	open := func() *store.Saver {
		zone, err := store.Open(ctx, disk, "arena", engine.Options{Catalog: catalog, Synchronous: true}, store.Options{
			Every:  -1, // only SaveAll makes cuts, so that the output does not depend on time
			Effect: func(e *buff.Event, b []byte) ([]byte, bool) { return append(b, e.Spec.ID...), e.Kind == buff.Applied },
		})
		if err != nil {
			panic(err)
		}
		return zone
	}
	paid := map[buff.EventID]bool{}
	bank := func(x store.Effect) {
		fmt.Printf("%v: %s, paid before: %v\n", x.ID, x.Data, paid[x.ID])
		paid[x.ID] = true
	}

	zone := open()
	if err := zone.Engine().Spawn(7, nil); err != nil {
		panic(err)
	}
	zone.Engine().AddBuff(7, buff.Application{Spec: catalog.Spec("coin")})
	zone.After(zone.Engine().Tick(50 * time.Millisecond))
	fmt.Println("before it is on disk:", len(zone.Effects()))
	if err := zone.SaveAll(ctx); err != nil {
		panic(err)
	}
	for _, x := range zone.Effects() {
		bank(x)
	}
	zone.Close() // crash before Given

	zone = open()
	for _, x := range zone.Effects() {
		bank(x)
		zone.Given(x.ID)
	}
	if err := zone.Drain(ctx); err != nil {
		panic(err)
	}
	// Output:
	// before it is on disk: 0
	// 7:1: coin, paid before: false
	// 7:1: coin, paid before: true
}
