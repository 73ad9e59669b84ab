package wheel_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// A timer fires at the first Advance that reaches its deadline, and is returned with that
// deadline.
func Example() {
	w := wheel.New(0)
	w.Add(w.Now().After(2500*time.Millisecond), 7)

	var fired []wheel.Fired
	for w.Len() > 0 {
		frame := w.Now().After(time.Second)
		fired = w.Advance(frame, fired[:0])
		fmt.Println(frame, fired)
	}
	// Output:
	// 00:00:01.000 []
	// 00:00:02.000 []
	// 00:00:03.000 [{00:00:02.500 7}]
}

// A buff heals every 3 s for 10 s, in frames of 4 s. The fired timer is moved relative to its own
// deadline, so that a late frame does not delay the following pulses.
func ExampleWheel_Move() {
	const period, end = 3000, wheel.Time(10_000)
	w := wheel.New(0)
	heal := w.Add(w.Now().Add(period), 1)

	var fired []wheel.Fired
	for now := wheel.Time(4000); now <= 12_000; now = now.Add(4000) {
		fired = w.Advance(now, fired[:0])
		for len(fired) > 0 {
			fmt.Println("in the frame of", now, "due", fired[0].Due)
			if next := fired[0].Due.Add(period); next <= end {
				w.Move(heal, next)
			} else {
				w.Remove(heal)
			}
			fired = w.Advance(now, fired[:0]) // again, because the next pulse may already be due
		}
	}
	fmt.Println("moved after its end:", w.Move(heal, end))
	// Output:
	// in the frame of 00:00:04.000 due 00:00:03.000
	// in the frame of 00:00:08.000 due 00:00:06.000
	// in the frame of 00:00:12.000 due 00:00:09.000
	// moved after its end: false
}

// A stale handle has no effect, even if its memory is in use again.
func ExampleWheel_Remove() {
	w := wheel.New(0)
	poison := w.Add(5000, 1)
	fmt.Println(w.Remove(poison), w.Remove(poison))

	w.Add(5000, 2)
	fmt.Println(w.Remove(poison), w.Len())
	// Output:
	// true false
	// false 1
}

// A game that sleeps until the next deadline.
func ExampleWheel_Next() {
	w := wheel.New(0)
	w.Add(wheel.Time(0).After(36*time.Hour), 1)
	w.Add(wheel.Time(0).After(90*time.Minute), 2)
	for {
		due, ok := w.Next()
		if !ok {
			break
		}
		fmt.Println(w.Advance(due, nil))
	}
	// Output:
	// [{01:30:00.000 2}]
	// [{36:00:00.000 1}]
}
