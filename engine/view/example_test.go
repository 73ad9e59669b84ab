package view_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// A View is made by the loop at the end of a Tick, and read by the goroutine that requested it.
func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "haste", Kind: define.Infinite})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog, Synchronous: true})
	if err != nil {
		panic(err)
	}
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("haste")})

	seen := make(chan *view.View)
	go func() {
		v, err := eng.Watch().Next(context.Background())
		if err != nil {
			panic(err)
		}
		seen <- v
	}()
	for {
		eng.Tick(50 * time.Millisecond)
		select {
		case v := <-seen:
			fmt.Println(v.Stats.Owners, "owner,", v.Live[catalog.Spec("haste").Index()], "haste")
			return
		default:
		}
	}
	// Output: 1 owner, 1 haste
}

// Histogram.Quantile returns an upper bound of a given share of the durations.
func ExampleHistogram() {
	var h view.Histogram
	for range 99 {
		h.Add(100 * time.Microsecond)
	}
	h.Add(20 * time.Millisecond)
	fmt.Println(h.Len(), h.Quantile(0.5), h.Quantile(1) > 20*time.Millisecond)
	// Output: 100 114.688µs true
}
