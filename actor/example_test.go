package actor_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/actor"
)

// One of three players has a slow handler. The frames do not wait for this player. Held returns
// it, and its other messages are handled when the handler returns.
func Example() {
	type player struct {
		name string
		hp   int
	}
	lag := make(chan struct{}) // the slow player's handler blocks on this

	group := actor.NewGroup(actor.Options[*player, int]{
		Pool:    goroutines{}, // or an ants pool with WithNonblocking
		Workers: 2,
		Limit:   64,
		Handle: func(_ int, box *actor.Mailbox[*player, int]) {
			for damage, ok := box.Next(); ok; damage, ok = box.Next() {
				if box.Owner.name == "slow" {
					<-lag
				}
				box.Owner.hp -= damage
			}
		},
	})
	ann := &actor.Mailbox[*player, int]{Owner: &player{"ann", 100}}
	bob := &actor.Mailbox[*player, int]{Owner: &player{"bob", 100}}
	slow := &actor.Mailbox[*player, int]{Owner: &player{"slow", 100}}

	send := func(box *actor.Mailbox[*player, int], damage int) {
		if !group.Send(box, damage) {
			fmt.Println("the mailbox is full")
		}
	}
	send(slow, 5)
	send(ann, 10)
	send(ann, 20)
	send(bob, 30)
	var idle []*actor.Mailbox[*player, int]
	for len(idle) < 2 { // frames in which ann and bob become idle
		group.Start(-1)
		group.Wait(time.After(10*time.Millisecond), true)
		idle = group.Collect(idle, nil)
	}
	for _, box := range idle {
		fmt.Println("idle:", box.Owner.name, box.Owner.hp)
	}
	for _, box := range group.Held(nil, false) {
		fmt.Println("busy:", box.Owner.name)
	}

	// the player is still running, so this message waits until it is idle and started again
	send(slow, 5)
	close(lag)
	group.Wait(nil, true)
	for _, box := range group.Collect(nil, nil) {
		fmt.Println("idle:", box.Owner.name, box.Owner.hp, "waiting:", box.Len())
	}
	group.Start(-1)
	group.Wait(nil, true)
	group.Collect(nil, nil)
	fmt.Println("slow", slow.Owner.hp)

	// Output:
	// idle: ann 70
	// idle: bob 70
	// busy: slow
	// idle: slow 95 waiting: 1
	// slow 90
}

// A pool that runs the task at once needs no goroutine. It is suitable for tests and servers with
// little load.
func ExamplePool() {
	group := actor.NewGroup(actor.Options[string, string]{
		Pool:    inline{}, // func (inline) Submit(task func()) error { task(); return nil }
		Workers: 1,
		Limit:   8,
		Handle: func(_ int, box *actor.Mailbox[string, string]) {
			// One message in each turn, so the players alternate.
			if word, ok := box.Next(); ok {
				fmt.Println(box.Owner, word)
			}
		},
	})
	var ann, bob actor.Mailbox[string, string]
	ann.Owner, bob.Owner = "ann", "bob"
	for _, word := range []string{"one", "two"} {
		if !group.Send(&ann, word) {
			fmt.Println("the mailbox is full")
		}
	}
	if !group.Send(&bob, "one") {
		fmt.Println("the mailbox is full")
	}
	group.Start(-1)

	// Output:
	// ann one
	// bob one
	// ann two
}

// A message that needs more than one turn is requeued, and continues after all others had a
// turn.
func ExampleMailbox_Requeue() {
	group := actor.NewGroup(actor.Options[string, *int]{
		Pool:    inline{},
		Workers: 1,
		Limit:   8,
		Handle: func(_ int, box *actor.Mailbox[string, *int]) {
			for left, ok := box.Next(); ok; left, ok = box.Next() {
				*left--
				fmt.Println(box.Owner, "still to do:", *left)
				if *left > 0 {
					box.Requeue(false)
				}
			}
		},
	})
	var ann, bob actor.Mailbox[string, *int]
	ann.Owner, bob.Owner = "ann", "bob"
	three, one := 3, 1
	if !group.Send(&ann, &three) {
		fmt.Println("the mailbox is full")
	}
	if !group.Send(&bob, &one) {
		fmt.Println("the mailbox is full")
	}
	group.Start(-1)

	// Output:
	// ann still to do: 2
	// bob still to do: 0
	// ann still to do: 1
	// ann still to do: 0
}
