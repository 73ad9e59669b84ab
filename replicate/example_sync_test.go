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

// The definition determines which viewers may see a buff. A viewer's packets do not contain buffs
// that it may not see.
func ExampleViewer_See() {
	catalog, err := buff.NewCatalog(
		buff.Spec{ID: "poison", Duration: time.Minute},
		buff.Spec{ID: "cooldown", Duration: time.Minute, Client: define.Client{Sync: define.SyncOwner}},
		buff.Spec{ID: "plan", Duration: time.Minute, Client: define.Client{Sync: define.SyncParty}},
	)
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	const anna, friend, stranger = 7, 8, 9
	if err := eng.Spawn(anna, nil); err != nil {
		panic(err)
	}
	for s := range catalog.All() {
		eng.AddBuff(anna, buff.Application{Spec: s, Source: anna})
	}

	server := replicate.New(eng, replicate.Options{})
	eng.Tick(50 * time.Millisecond)
	server.Update()
	for _, id := range []buff.OwnerID{anna, friend, stranger} {
		viewer, err := server.Join(id)
		if err != nil {
			panic(err)
		}
		if id == friend { // Anna is in the friend's party
			err = viewer.SeeParty(anna)
		} else {
			err = viewer.See(anna)
		}
		if err != nil {
			panic(err)
		}
		screen := client.New(client.Options{})
		if err := screen.Receive(viewer.Append(nil)); err != nil {
			panic(err)
		}
		fmt.Print("viewer ", id, ":")
		for _, b := range screen.Owner(anna).Buffs() {
			fmt.Print(" ", screen.Spec(b.Spec).ID)
		}
		fmt.Println()
	}
	// Output:
	// viewer 7: poison cooldown plan
	// viewer 8: poison plan
	// viewer 9: poison
}
