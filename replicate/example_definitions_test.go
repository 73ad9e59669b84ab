package replicate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
)

// The first packet with a buff contains its definition. All definitions at once are for a client
// that predicts buffs before it has seen them.
func ExampleServer_Definitions() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "poison", Name: "Deadly Poison", Duration: time.Minute, Polarity: define.Negative, Client: define.Client{Icon: "skull", Priority: 5},
	}, buff.Spec{ID: "haste", Duration: time.Minute})
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
	eng.AddBuff(9, buff.Application{Spec: catalog.Spec("poison")})
	server := replicate.New(eng, replicate.Options{})
	viewer, err := server.Join(7)
	if err != nil {
		panic(err)
	}
	if err := viewer.See(9); err != nil {
		panic(err)
	}
	eng.Tick(50 * time.Millisecond)
	server.Update()

	screen := client.New(client.Options{})
	if err := screen.Receive(viewer.Append(nil)); err != nil {
		panic(err)
	}
	poison := screen.Spec(screen.Owner(9).Buffs()[0].Spec)
	fmt.Println(poison.ID, poison.Name, poison.Icon, poison.Polarity, poison.Duration)
	haste := uint32(catalog.Spec("haste").Lineage())
	fmt.Println("haste is known:", screen.Spec(haste) != nil)
	if err := screen.Receive(server.Definitions()); err != nil {
		panic(err)
	}
	fmt.Println("haste is known:", screen.Spec(haste) != nil)
	// Output:
	// poison Deadly Poison skull negative 1m0s
	// haste is known: false
	// haste is known: true
}
