package replicate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
)

// A game shows the buffs of owner 9 to the player of owner 7.
func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: 12 * time.Second})
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
	h := eng.AddBuff(9, buff.Application{Spec: catalog.Spec("poison"), Source: 7}).Handle
	for range 3 {
		eng.Tick(4 * time.Second)
		server.Update()
		packet := viewer.Append(nil) // sent over the network
		if len(packet) > 0 {
			if err := screen.Receive(packet); err != nil {
				panic(err)
			}
		}
		for _, b := range screen.Owner(9).Buffs() {
			left, _ := b.Left(eng.Now())
			fmt.Printf("%v: %2d bytes, %s has %d ms left\n", eng.Now(), len(packet), screen.Spec(b.Spec).ID, left)
		}
		if eng.Now() == 4000 {
			eng.Do(buff.PauseBuff(h))
		}
	}
	// Output:
	// 00:00:04.000: 41 bytes, poison has 8000 ms left
	// 00:00:08.000: 14 bytes, poison has 8000 ms left
	// 00:00:12.000:  0 bytes, poison has 8000 ms left
}
