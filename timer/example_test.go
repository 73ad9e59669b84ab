package timer_test

import (
	"context"
	"fmt"
	"time"

	"github.com/panjf2000/ants/v2"

	"github.com/bufftick/bufftick/timer"
)

// The first request times out, and the second is answered in time. Stop reports which came first.
func Example() {
	c := timer.New(timer.Options{})
	defer c.Close(context.Background())

	late := make(chan string)
	c.AfterFunc(time.Millisecond, func() { late <- "the first is late" })
	inTime := c.AfterFunc(time.Hour, func() { late <- "the second is late" })

	fmt.Println(<-late)
	fmt.Println("the second was stopped:", inTime.Stop())
	fmt.Println("once more:", inTime.Stop())
	fmt.Println("waiting:", c.Len())
	// Output:
	// the first is late
	// the second was stopped: true
	// once more: false
	// waiting: 0
}

// Every calls a function at multiples of a period. Keep the Timer to stop the calls.
func ExampleClock_Every() {
	c := timer.New(timer.Options{Run: timer.Inline})
	defer c.Close(context.Background())

	beats := make(chan int)
	n := 0
	var heart *timer.Timer
	made := make(chan struct{})
	heart = c.Every(time.Millisecond, func() {
		<-made
		if n++; n == 3 {
			fmt.Println("the last one:", heart.Stop())
		}
		beats <- n
	})
	close(made)
	fmt.Println(<-beats, <-beats, <-beats)
	// Output:
	// the last one: true
	// 1 2 3
}

// Schedule calls next to get each instant. Here there are four instants with growing pauses. The
// zero time ends the calls.
func ExampleClock_Schedule() {
	c := timer.New(timer.Options{})
	defer c.Close(context.Background())

	done := make(chan bool)
	pause, tries := time.Millisecond, 0
	c.Schedule(func(prev time.Time) time.Time {
		if tries == 3 {
			return time.Time{}
		}
		pause *= 2
		return prev.Add(pause)
	}, func() {
		tries++
		fmt.Println("try", tries)
		done <- tries == 4
	})
	for !<-done {
	}
	// Output:
	// try 1
	// try 2
	// try 3
	// try 4
}

// At takes a date. To call a function every day at three, use Schedule with dates, which also
// follows the wall clock and daylight saving time.
func ExampleClock_At() {
	c := timer.New(timer.Options{})
	defer c.Close(context.Background())

	at := c.At(time.Date(2999, time.December, 31, 23, 59, 59, 0, time.UTC), func() { fmt.Println("so soon") })
	night := c.Schedule(func(prev time.Time) time.Time {
		y, m, d := prev.Date()
		return time.Date(y, m, d+1, 3, 0, 0, 0, time.Local)
	}, func() { fmt.Println("it is three") })
	fmt.Println(c.Len(), at.Stop(), night.Stop(), c.Len())
	// Output: 2 true true 0
}

// An ants pool can be used directly. If a nonblocking pool refuses a task, the task is submitted
// again.
func ExamplePool() {
	pool, err := ants.NewPool(2, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Release()
	c := timer.New(timer.Options{Run: pool, Resolution: 10 * time.Millisecond})
	defer c.Close(context.Background())

	done := make(chan int)
	for i := range 10 {
		c.AfterFunc(time.Millisecond, func() { done <- i })
	}
	sum := 0
	for range 10 {
		sum += <-done
	}
	fmt.Println(sum)
	// Output: 45
}
