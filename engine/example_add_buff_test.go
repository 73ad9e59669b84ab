package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// The outcome of an application is known at once. A refusal is not an error: Kind is Denied, and
// Why is the rule. Err is set if the application could not be executed at all.
func ExampleEngine_AddBuff() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "venom", Duration: 12 * time.Second,
		Stack: define.Stacking{By: define.BySource, Limit: 2, Overflow: define.OverflowDeny},
	})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}

	venom := buff.Application{Spec: catalog.Spec("venom"), Source: 9}
	for range 3 {
		result := eng.AddBuff(7, venom)
		fmt.Println(result.Kind, result.Why, result.Failure)
	}
	result := eng.AddBuff(8, venom)
	fmt.Println(result.Failure)

	carried, err := eng.Buffs(7)
	if err != nil {
		panic(err)
	}
	for b := range carried.All() {
		fmt.Println("player 7:", b.Spec, b.Stacks, "stacks,", b.Left(eng.Now()), "left")
	}
	// Output:
	// apply none <nil>
	// stack none <nil>
	// deny limit <nil>
	// engine: unknown owner: 8
	// player 7: venom 2 stacks, 12s left
}
