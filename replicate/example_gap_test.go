package replicate_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
)

// A packet is lost. The client notices this when the next packet arrives, reports the last packet
// that it received, and gets the state of the owners that have changed since then.
func ExampleViewer_Receive() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget, Limit: 9}})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(9, nil); err != nil {
		panic(err)
	}
	server := replicate.New(eng, replicate.Options{})
	viewer, err := server.Join(7)
	if err != nil {
		panic(err)
	}
	if err := viewer.See(9); err != nil {
		panic(err)
	}

	screen := client.New(client.Options{})
	for _, lost := range []bool{false, true, false, false} {
		eng.AddBuff(9, buff.Application{Spec: catalog.Spec("poison")})
		eng.Tick(50 * time.Millisecond)
		server.Update()
		packet := viewer.Append(nil)
		if lost {
			continue
		}
		err := screen.Receive(packet)
		if errors.Is(err, client.ErrGap) { // send this message to the server
			err = viewer.Receive(screen.Missed())
			fmt.Print("something was lost; ")
		}
		if err != nil {
			panic(err)
		}
		fmt.Println("stacks on the screen:", screen.Owner(9).Buffs()[0].Stacks)
	}
	// Output:
	// stacks on the screen: 1
	// something was lost; stacks on the screen: 1
	// stacks on the screen: 4
}
