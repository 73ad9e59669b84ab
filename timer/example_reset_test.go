package timer_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/timer"
)

// An idle connection is closed after a timeout, which each message restarts. Reset reports
// whether the message came in time.
func ExampleTimer_Reset() {
	c := timer.New(timer.Options{})
	defer c.Close(context.Background())

	gone := make(chan string)
	idle := c.AfterFunc(time.Hour, func() { gone <- "let go" })
	for range 3 {
		fmt.Println("a message, in time:", idle.Reset(time.Hour))
	}
	idle.Reset(time.Millisecond)
	fmt.Println(<-gone)
	fmt.Println("a message, in time:", idle.Reset(time.Hour)) // the timer waits again in any case
	fmt.Println("stopped:", idle.Stop())
	// Output:
	// a message, in time: true
	// a message, in time: true
	// a message, in time: true
	// let go
	// a message, in time: false
	// stopped: true
}
