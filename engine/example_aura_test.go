package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// An aura gives a buff to the owners around its bearer. The game reports which owners these are.
func ExampleOptions_members() {
	catalog, err := buff.NewCatalog(
		buff.Spec{ID: "banner", Duration: time.Minute, Aura: define.Aura{Apply: "courage", Radius: 10, Interval: time.Second}},
		buff.Spec{ID: "courage", Kind: define.Infinite},
	)
	if err != nil {
		panic(err)
	}
	where := map[buff.OwnerID]float64{1: 0, 2: 5, 3: 50}
	eng, err := engine.New(engine.Options{Catalog: catalog, Members: func(q engine.AuraQuery, found func(buff.OwnerID)) {
		for id, x := range where { // in any order; a real game queries its grid
			if far := x - where[q.Bearer]; id != q.Bearer && far*far <= q.Buff.Spec.Aura.Radius*q.Buff.Spec.Aura.Radius {
				found(id)
			}
		}
	}})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	for id := range buff.OwnerID(3) {
		if err := eng.Spawn(id+1, nil); err != nil {
			panic(err)
		}
	}

	eng.AddBuff(1, buff.Application{Spec: catalog.Spec("banner")})
	for range 3 {
		fmt.Print(eng.Tick(time.Second))
		where[2], where[3] = 90, 3
	}
	// Output:
	// 1: 0 apply banner x1 end=60000
	// 2: 1000 apply courage x1
	// 2: 2000 remove courage why=out_of_aura
	// 3: 2000 apply courage x1
}
