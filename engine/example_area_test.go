package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// The time of all owners in an area can be paused, or pass at another rate: for an intermission, or
// in a battle that overloads the server.
func ExampleEngine_Do_area() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: 10 * time.Second})
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

	const arena = 3
	eng.Do(buff.SetArea(7, arena))
	h := eng.AddBuff(7, buff.Application{Spec: catalog.Spec("poison")}).Handle
	left := func(what string) {
		b, _, err := eng.Find(h)
		if err != nil {
			panic(err)
		}
		fmt.Println(what, b.Left(eng.Now()))
	}
	eng.Tick(2 * time.Second)
	left("played:")
	eng.Do(buff.PauseArea(arena))
	eng.Tick(time.Minute)
	left("paused:")
	eng.Do(buff.ResumeArea(arena))
	eng.Do(buff.SetAreaRate(arena, buff.Ratio{Num: 1, Den: 10}))
	eng.Tick(10 * time.Second)
	left("at a tenth:") // 7 s of the buff's own time take 70 s
	// Output:
	// played: 8s
	// paused: 8s
	// at a tenth: 1m10s
}
