package engine

import (
	"sync"
	"sync/atomic"
	"time"
)

// ticks says when a Tick runs, to who works beside the loop.
type ticks struct {
	run  atomic.Bool
	mu   sync.Mutex
	over sync.Cond
	n    uint64        // how many have ended
	span time.Duration // the time of the last one that had some; the loop's

	inARow int // GiveWay has met so many; of who calls it
}

// begin says that a Tick runs.
func (t *ticks) begin(span time.Duration) {
	if span > 0 {
		t.span = span
	}
	t.run.Store(true)
}

// end says that it is over.
func (t *ticks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run.Store(false)
	t.n++
	t.over.Broadcast()
}

// mostInARow is how many Ticks GiveWay waits for where there is no time between them.
const mostInARow = 8

// GiveWay is for a goroutine that writes copies somewhere and uses a processor for long: a Tick that
// runs meanwhile has one less. Between two pieces of its work, of some 100 µs, it waits here until the
// Tick is over, if one runs. In a game that has no time left between its Ticks it does not wait
// each time.
//
// One goroutine may call it, whichever it is. The loop must not wait for that one within a Tick.
func (c *Copies) GiveWay() {
	t := &c.ticks
	if !t.run.Load() {
		t.inARow = 0
		return
	}
	if t.inARow++; t.inARow > mostInARow {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := t.n; t.run.Load() && t.n == n; {
		t.over.Wait()
	}
}

// mostSoon is how many owners are looked for who are due next: it takes a tenth of a ms.
const mostSoon = 8192

// lookAhead notes who is due in the next Tick and has not been copied, if somebody calls Help. It
// takes that to be as long as the last one.
func (c *Copies) lookAhead() {
	if c == nil || !c.running || !c.helped.Load() || c.now.n.Load() == 0 {
		return
	}
	list, left := c.takeLooked(), mostSoon
	for id := range c.engine.wheel.Soon(c.engine.now.After(c.ticks.span)) {
		if number := uint32(id >> 16); id&auraTimer == 0 && c.now.has(number) {
			list = append(list, number)
		}
		if left--; left == 0 {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.soon = list
}

// takeLooked returns memory for lookAhead.
func (c *Copies) takeLooked() (list []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.soon != nil { // nobody has taken it
		list, c.soon = c.soon, nil
	} else {
		list, c.looked = c.looked, nil
	}
	return list[:0]
}

func (c *Copies) takeSoon() (list []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, c.soon = c.soon, nil
	return list
}

func (c *Copies) giveSoon(list []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked = list
}
