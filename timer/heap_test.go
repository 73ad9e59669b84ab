package timer_test

import (
	"container/heap"
	"flag"
	"sync"
	"time"
)

var most = flag.Int("timer.most", 1_000_000, "the most timers that wait in a benchmark")

// pendings returns the numbers of waiting timers in the benchmarks.
func pendings() []int {
	var out []int
	for n := 1000; n <= *most; n *= 10 {
		out = append(out, n)
	}
	return out
}

// heapClock is the usual implementation without a library. It consists of container/heap, a lock
// and a goroutine.
type heapClock struct {
	mu   sync.Mutex
	all  heapTimers
	wake chan struct{}
	done chan struct{}
	gone chan struct{}
}

type heapTimer struct {
	c   *heapClock
	f   func()
	due time.Time
	at  int // index in the heap, or -1
}

type heapTimers []*heapTimer

func (h heapTimers) Len() int           { return len(h) }
func (h heapTimers) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h heapTimers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

func (h *heapTimers) Push(x any) {
	t := x.(*heapTimer)
	t.at = len(*h)
	*h = append(*h, t)
}

func (h *heapTimers) Pop() any {
	t := (*h)[len(*h)-1]
	(*h)[len(*h)-1] = nil
	*h = (*h)[:len(*h)-1]
	t.at = -1
	return t
}

func newHeap() *heapClock {
	c := &heapClock{wake: make(chan struct{}, 1), done: make(chan struct{}), gone: make(chan struct{})}
	go c.drive()
	return c
}

func (c *heapClock) close() {
	close(c.done)
	<-c.gone
}

func (c *heapClock) drive() {
	defer close(c.gone)
	ring := time.NewTimer(0)
	for {
		c.mu.Lock()
		left := time.Hour
		for len(c.all) > 0 {
			if left = time.Until(c.all[0].due); left > 0 {
				break
			}
			t := heap.Pop(&c.all).(*heapTimer)
			c.mu.Unlock()
			t.f()
			c.mu.Lock()
		}
		c.mu.Unlock()
		ring.Reset(left)
		select {
		case <-ring.C:
		case <-c.wake:
		case <-c.done:
			return
		}
	}
}

func (c *heapClock) afterFunc(d time.Duration, f func()) *heapTimer {
	t := &heapTimer{c: c, f: f, due: time.Now().Add(d)}
	c.mu.Lock()
	c.push(t)
	c.mu.Unlock()
	return t
}

func (c *heapClock) push(t *heapTimer) {
	heap.Push(&c.all, t)
	if t.at == 0 {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

// Stop is like time.Timer.Stop.
func (t *heapTimer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.at < 0 {
		return false
	}
	heap.Remove(&t.c.all, t.at)
	return true
}

// Reset is like time.Timer.Reset.
func (t *heapTimer) Reset(d time.Duration) bool {
	due := time.Now().Add(d)
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.due = due
	if t.at < 0 {
		t.c.push(t)
		return false
	}
	heap.Fix(&t.c.all, t.at)
	if t.at == 0 {
		select {
		case t.c.wake <- struct{}{}:
		default:
		}
	}
	return true
}
