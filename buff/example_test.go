package buff_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// A poison that hurts every 3 s for 10 s. Package engine runs it; package catalog reads definitions
// from files.
func ExampleNewCatalog() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID:       "poison",
		Duration: 10 * time.Second,
		Period:   3 * time.Second,
		On:       define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	command := buff.Apply(7, buff.Application{Spec: catalog.Spec("poison"), Source: 9})
	fmt.Println(command.Text(catalog))
	fmt.Println("handlers", catalog.Handlers())
	// Output:
	// apply poison owner=7 source=9
	// handlers [hurt]
}

func ExampleResult() {
	for _, r := range []buff.Result{
		{Kind: buff.Applied},
		{Queued: true},
		{Kind: buff.Denied, Why: reason.Limit},
		{Failure: buff.ErrStale},
	} {
		fmt.Println(r.OK(), r.Err())
	}
	// Output:
	// true <nil>
	// true <nil>
	// false buff: denied: limit
	// false buff: the handle names nothing that runs
}
