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

// Definitions contain the names and icons that a client displays. They are sent once, or are part
// of the client. Packets identify the definitions by their fingerprint.
func ExampleServer_Definitions() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "poison", Duration: time.Minute, Polarity: define.Negative, Client: define.Client{Icon: "skull", Priority: 5},
	})
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
	fingerprint, known := screen.Fingerprint()
	fmt.Println("the server's:", fingerprint == server.Fingerprint(), "known:", known)
	if err := screen.Receive(server.Definitions()); err != nil {
		panic(err)
	}
	_, known = screen.Fingerprint()
	poison := screen.Spec(screen.Owner(9).Buffs()[0].Spec)
	fmt.Println("known:", known, poison.ID, poison.Icon, poison.Polarity, poison.Duration)
	// Output:
	// the server's: true known: false
	// known: true poison skull negative 1m0s
}
