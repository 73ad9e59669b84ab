package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Another goroutine, such as a connection, issues a command by the Inbox. Ask waits for the next
// Tick and returns the Result; Do does not wait, and only returns whether the command was
// accepted.
func ExampleInbox_Ask() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "haste", Duration: 8 * time.Second})
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

	// its own producer, so that a flood of commands does not delay others
	inbox := eng.Inbox().For("network")
	answers := make(chan string)
	go func() {
		result, err := inbox.Ask(context.Background(), buff.Apply(7, buff.Application{Spec: catalog.Spec("haste")}))
		answers <- fmt.Sprint(result.Kind, " ", err)
	}()
	for said := ""; said == ""; { // the game loop
		eng.Tick(50 * time.Millisecond)
		select {
		case said = <-answers:
			fmt.Println("the connection gets:", said)
		default:
		}
	}
	// Output:
	// the connection gets: apply <nil>
}
