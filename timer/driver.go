package timer

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// driver is the state of the goroutine that waits for deadlines. Only that goroutine uses it.
type driver struct {
	shard       *shard        // the shard of the batch
	batch       []wheel.Fired // timers due at one tick in one shard
	at          int           // index of the first timer not yet submitted
	timer       *time.Timer
	wallChecked int64         // when the wall clock was last checked
	pause       time.Duration // how long to wait after a refusal; zero if the last Submit succeeded
}

const (
	// keptBatch is the maximum capacity, in timers, of a batch slice that is reused.
	keptBatch = 1 << 15

	firstPause = time.Millisecond
	longPause  = 64 * time.Millisecond
)

// drive is the driver: it removes due timers tick by tick, submits them, and sleeps until the
// next deadline. Its state is in the Clock, so that if a callback ends the goroutine with
// runtime.Goexit, a new goroutine can continue with the next callback.
func (c *Clock) drive() {
	over := false
	defer func() {
		if !over {
			go c.drive()
			return
		}
		c.driven.Store(true)
		c.checkFinished()
	}()
	for !c.closed.Load() {
		if !c.submitBatch() {
			c.sleep(c.driver.pause)
			continue
		}
		ns := c.elapsed()
		c.checkWall(ns)
		if s, due := c.earliest(); due <= c.tick(ns) {
			c.take(s, due, ns)
			continue
		}
		if s := c.searching(); s != nil {
			c.take(s, s.search, ns)
			continue
		}
		c.sleepUntilNext()
	}
	over = true
}

// take fills the batch with the timers of shard s that are due at the given tick. One call takes
// the timers of only one tick, however late the driver is, so that the lock is held briefly.
func (c *Clock) take(s *shard, due wheel.Time, ns int64) {
	d := &c.driver
	if cap(d.batch) > keptBatch {
		d.batch = nil
	}
	d.shard, d.at = s, 0
	d.batch = s.take(due, d.batch[:0])
	if late := ns - int64(due)*c.grain; len(d.batch) > 0 && late > c.late.Load() {
		c.late.Store(late)
	}
}

// submitBatch submits the batch to the pool. It returns false if the pool has refused a task.
func (c *Clock) submitBatch() bool {
	d := &c.driver
	s, inline := d.shard, c.pool == Inline
	for d.at < len(d.batch) {
		h := wheel.Handle(d.batch[d.at].ID)
		if inline {
			d.at++ // increment first, because the callback may end this goroutine
			s.call(h)
			continue
		}
		if c.closed.Load() {
			return true
		}
		if err := c.pool.Submit(func() { s.call(h) }); err != nil {
			c.refused.Add(1)
			d.pause = min(max(2*d.pause, firstPause), longPause)
			return false
		}
		d.pause = 0
		d.at++
	}
	return true
}

// earliest returns the shard with the earliest deadline, and the deadline.
func (c *Clock) earliest() (s *shard, due wheel.Time) {
	s, due = &c.shards[0], wheel.Never
	for i := range c.shards {
		if t := wheel.Time(c.shards[i].next.Load()); t < due {
			s, due = &c.shards[i], t
		}
	}
	return s, due
}

// searching returns a shard whose search for its next deadline is unfinished, or nil.
func (c *Clock) searching() *shard {
	for i := range c.shards {
		if c.shards[i].search < wheel.Never {
			return &c.shards[i]
		}
	}
	return nil
}

// sleepUntilNext sleeps until the earliest deadline.
func (c *Clock) sleepUntilNext() {
	_, due := c.earliest()
	if c.announce(due) {
		left := c.untilTick(due)
		if c.walls.n.Load() > 0 {
			left = min(left, wallCheck)
		}
		c.sleep(left)
	}
	c.sleepUntil.Store(awake)
}

// announce publishes the time until which the driver is about to sleep, and reports whether the
// driver may sleep. A timer added before the time is published does not wake the driver, but its
// deadline is already in shard.next, which announce reads again. A timer added later wakes the
// driver.
func (c *Clock) announce(due wheel.Time) bool {
	c.sleepUntil.Store(int64(due))
	_, again := c.earliest()
	return again >= due
}

const forever = math.MaxInt64

// untilTick returns the time left until a tick begins.
func (c *Clock) untilTick(t wheel.Time) time.Duration {
	if int64(t) > forever/c.grain {
		return forever
	}
	return time.Duration(int64(t)*c.grain - c.elapsed())
}

// sleep waits for d, or until a call to rouse or Close. If d is forever, no timer is started.
func (c *Clock) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	var expired <-chan time.Time
	if d < forever {
		if c.driver.timer == nil {
			c.driver.timer = time.NewTimer(d)
		} else {
			c.driver.timer.Reset(d)
		}
		expired = c.driver.timer.C
	}
	select {
	case <-expired:
	case <-c.wake:
	case <-c.done:
	}
	c.wakes.Add(1)
}
