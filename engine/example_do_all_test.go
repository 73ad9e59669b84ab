package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// The commands of a frame for many players are executed in one call.
func ExampleEngine_DoAll() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "storm", Duration: 5 * time.Second, Stack: define.Stacking{By: define.ByTarget}})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	var commands []buff.Command
	for id := range buff.OwnerID(3) {
		if err := eng.Spawn(id+1, nil); err != nil {
			panic(err)
		}
		commands = append(commands, buff.Apply(id+1, buff.Application{Spec: catalog.Spec("storm")}))
	}
	commands = append(commands, buff.Apply(9, buff.Application{Spec: catalog.Spec("storm")}))
	for k, r := range eng.DoAll(nil, commands) {
		fmt.Println("player", commands[k].Owner, r.Kind, r.Failure)
	}
	// Output:
	// player 1 apply <nil>
	// player 2 apply <nil>
	// player 3 apply <nil>
	// player 9  engine: unknown owner: 9
}
