package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// For work that is not a command, such as spawning or reading an owner, another goroutine passes a
// function to the loop.
func ExampleInbox_Run() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "welcome", Duration: time.Minute})
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())

	joined := make(chan error)
	go func() {
		var err error
		if ran := eng.Inbox().Run(context.Background(), func(e *engine.Engine) {
			if err = e.Spawn(7, "Anna"); err == nil {
				e.AddBuff(7, buff.Application{Spec: catalog.Spec("welcome")})
			}
		}); ran != nil {
			err = ran // it was not called: the Inbox is full, or the engine is closed
		}
		joined <- err
	}()
	for in := false; !in; { // the game loop
		eng.Tick(50 * time.Millisecond)
		select {
		case err := <-joined:
			in = true
			fmt.Println("joined:", eng.Data(7), err)
		default:
		}
	}
	// Output:
	// joined: Anna <nil>
}
