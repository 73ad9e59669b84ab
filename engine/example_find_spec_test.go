package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// A player asks how long its own venom on a monster lasts.
func ExampleEngine_FindSpec() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "venom", Duration: 12 * time.Second})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	const monster, anna, ben = 900, 7, 8
	if err := eng.Spawn(monster, nil); err != nil {
		panic(err)
	}
	venom := catalog.MustSpec("venom")
	eng.AddBuff(monster, buff.Application{Spec: venom, Source: anna})
	eng.Tick(5 * time.Second)
	eng.Do(buff.SetArea(monster, 3))

	b, found, _ := eng.FindSpec(monster, venom, anna)
	fmt.Println(found, b.Left(eng.Now()))
	_, found, _ = eng.FindSpec(monster, venom, ben)
	fmt.Println(found)
	area, _ := eng.Area(monster)
	fmt.Println("area", area)
	// Output:
	// true 7s
	// false
	// area 3
}
