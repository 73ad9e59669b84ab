package replicate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
)

// Everybody sees a health bar over owner 9, but only its party sees numbers.
func ExampleAttribute() {
	catalog, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{
		{Attribute: stat.Attribute{Name: "health", Base: 1200, Max: stat.By("max_health")}},
		{Attribute: stat.Attribute{Name: "max_health", Base: 1200}},
	}})
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
	server := replicate.New(eng, replicate.Options{Attributes: []replicate.Attribute{
		{Name: "health", Of: "max_health"},
		{Name: "health", Sync: define.SyncParty},
	}})
	friend, err := server.Join(7)
	if err != nil {
		panic(err)
	}
	stranger, err := server.Join(8)
	if err != nil {
		panic(err)
	}
	if err := friend.SeeParty(9); err != nil {
		panic(err)
	}
	if err := stranger.See(9); err != nil {
		panic(err)
	}

	eng.Do(buff.AddBase(9, catalog.MustAttr("health"), -300))
	eng.Tick(50 * time.Millisecond)
	server.Update()
	for _, viewer := range []*replicate.Viewer{friend, stranger} {
		screen := client.New(client.Options{})
		if err := screen.Receive(viewer.Append(nil)); err != nil {
			panic(err)
		}
		bar, _ := screen.Owner(9).Attribute("health/max_health")
		fmt.Print("viewer ", viewer.Owner(), ": ", bar*100, " %")
		if health, ok := screen.Owner(9).Attribute("health"); ok {
			fmt.Print(", ", health)
		}
		fmt.Println()
	}
	// Output:
	// viewer 7: 75 %, 900
	// viewer 8: 75 %
}
