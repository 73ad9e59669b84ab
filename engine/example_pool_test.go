package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// Several engines in one process, such as one for each match, share a pool of workers.
func ExampleNewPool() {
	pool, err := engine.NewPool(8)
	if err != nil {
		panic(err)
	}
	defer pool.Close(context.Background())

	for match := range 3 {
		eng, err := engine.New(engine.Options{Pool: pool})
		if err != nil {
			panic(err)
		}
		if err := eng.Spawn(7, nil); err != nil {
			panic(err)
		}
		if _, err := eng.AddTimeout(7, time.Second, func(c *engine.Context) { fmt.Println("match", match, "begins") }); err != nil {
			panic(err)
		}
		eng.Tick(time.Second)
		if err := eng.Close(context.Background()); err != nil {
			panic(err)
		}
	}
	// Output:
	// match 0 begins
	// match 1 begins
	// match 2 begins
}
