package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
)

// A handler changes its own player directly. For other players it issues commands, which are
// executed at the end of the frame, in the same order with any number of workers.
func ExampleContext_Do() {
	catalog, err := buff.NewCatalog(
		buff.Spec{ID: "bomb", Duration: 3 * time.Second, On: define.Hooks{Remove: map[reason.Reason][]define.Action{
			reason.Expired: {{Do: define.DoCall, Name: "blast"}},
		}}},
		buff.Spec{ID: "burn", Duration: 4 * time.Second},
	)
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog, Handlers: engine.Handlers{
		"blast": func(c *engine.Context, e buff.Event) {
			for _, id := range []buff.OwnerID{8, 9} {
				c.Do(buff.Apply(id, buff.Application{Spec: catalog.Spec("burn"), Source: e.Source}))
			}
		},
	}})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	for _, id := range []buff.OwnerID{7, 8, 9} {
		if err := eng.Spawn(id, nil); err != nil {
			panic(err)
		}
	}

	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("bomb"), Source: 1})
	for range 3 {
		for e := range eng.Tick(time.Second).Events() {
			fmt.Println("owner", e.Owner, e)
		}
	}
	// Output:
	// owner 7 0 apply bomb x1 end=3000
	// owner 7 3000 remove bomb why=expired
	// owner 8 3000 apply burn x1 end=7000
	// owner 9 3000 apply burn x1 end=7000
}
