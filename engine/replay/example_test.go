package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
)

// A recording of a game is replayed event by event, so that a bug report can be executed.
func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: 10 * time.Second, Period: 3 * time.Second})
	if err != nil {
		panic(err)
	}
	var recording bytes.Buffer // a file, on a server
	eng, err := engine.New(engine.Options{Catalog: catalog, Trace: engine.Trace{Record: &recording}})
	if err != nil {
		panic(err)
	}
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("poison"), Source: 9})
	for range 20 {
		eng.Tick(500 * time.Millisecond)
	}
	if err := eng.Close(context.Background()); err != nil {
		panic(err)
	}

	// Run fails with ErrDiffers if the game behaves differently, because of another build or
	// another catalog.
	done, err := replay.Run(&recording, engine.Options{Catalog: catalog}, replay.Game{
		Frame: func(f *engine.Frame) {
			for e := range f.Events() {
				fmt.Println("frame", f.Number, e)
			}
		},
	})
	fmt.Println(done.Frames, "frames,", err)
	// Output:
	// frame 1 0 apply poison x1 end=10000
	// frame 6 3000 pulse poison x1
	// frame 12 6000 pulse poison x1
	// frame 18 9000 pulse poison x1
	// frame 20 10000 remove poison why=expired
	// 20 frames, <nil>
}
