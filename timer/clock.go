package timer

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/bufftick/bufftick/wheel"
)

// Clock runs functions at their time. Make one with [New] and end it with [Clock.Close];
// the zero value is of no use. Any goroutine may call any method, callbacks too. A Clock
// must not be copied.
type Clock struct {
	start  time.Time // wheel.Time 0, with a monotonic reading
	grain  int64     // Options.Resolution in ns: one unit of wheel.Time
	wall   func() time.Time
	pool   Pool
	shards []shard
	mask   uint32
	spread atomic.Uint32 // 0, or mask once a shard has many timers; see pick

	// The tick that the driver sleeps for, or awake. Only what is due earlier wakes it.
	sleepUntil atomic.Int64
	wake       chan struct{} // of one token

	driver driver
	walls  walls

	closed   atomic.Bool
	done     chan struct{} // closed by Close
	driven   atomic.Bool   // the driver has ended
	finish   sync.Once
	finished chan struct{} // closed after the last callback

	refused, wakes atomic.Uint64
	late           atomic.Int64
}

const (
	defaultResolution = time.Millisecond

	// awake is above no deadline: nobody needs to wake the driver.
	awake = 0

	// shardsForEach processor, so that two adders seldom meet; a wheel is 87 KB once it is used. There are
	// a power of two of them, at most 64.
	shardsForEach = 4
	mostShardBits = 6

	turnBits  = 21         // two milliseconds, in ns
	stackBits = 11         // no stack is smaller than 2 KB
	golden    = 2654435769 // 2^32 over the golden ratio: spreads neighbours
)

// New returns a Clock and starts its driver, the only goroutine that it has besides those
// of callbacks. It panics if Options.Resolution is negative.
func New(o Options) *Clock {
	if o.Resolution < 0 {
		panic("timer: negative Options.Resolution")
	}
	if o.Resolution == 0 {
		o.Resolution = defaultResolution
	}
	if o.Run == nil {
		o.Run = Goroutines
	}
	c := newClock(o, 1<<min(bits.Len(uint(shardsForEach*runtime.GOMAXPROCS(0)-1)), mostShardBits))
	go c.drive()
	return c
}

// newClock makes a Clock without a driver; shards is a power of two.
func newClock(o Options, shards int) *Clock {
	c := &Clock{
		start: time.Now(), grain: int64(o.Resolution), wall: time.Now, pool: o.Run,
		shards: make([]shard, shards), mask: uint32(shards - 1),
		wake: make(chan struct{}, 1), done: make(chan struct{}), finished: make(chan struct{}),
	}
	if o.Clock != nil {
		c.wall = c.guarded(o.Clock)
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.clock = c
		s.next.Store(int64(wheel.Never))
		s.search = wheel.Never
	}
	return c
}

// Len returns how many timers wait for their deadline or for their callback to start. It
// looks at each shard in turn: while others add and stop timers it is an estimate.
func (c *Clock) Len() int { return c.Stats().Pending }

// elapsed returns the ns since New, which are monotonic.
func (c *Clock) elapsed() int64 { return int64(time.Since(c.start)) }

// tick returns the grain that runs ns after New: what is due at it or before may run.
func (c *Clock) tick(ns int64) wheel.Time {
	if c.grain == int64(defaultResolution) {
		return wheel.Time(ns / int64(defaultResolution)) // by a constant: a product, not a quotient
	}
	return wheel.Time(ns / c.grain)
}

// dueIn returns the ns since New, and the deadline that is d from now. What is due already is due
// at the present tick.
func (c *Clock) dueIn(d time.Duration) (now int64, due wheel.Time) {
	now = c.elapsed()
	if d <= 0 {
		return now, c.tick(now)
	}
	return now, c.dueAt(after(now, int64(d)))
}

// dueAt returns the first tick that is not before ns after New.
func (c *Clock) dueAt(ns int64) wheel.Time {
	t := c.tick(ns)
	if ns > int64(t)*c.grain {
		t++
	}
	return t
}

// after returns ns + d, d >= 0, or the last instant there is.
func after(ns, d int64) int64 {
	if sum := ns + d; sum >= ns {
		return sum
	}
	return math.MaxInt64
}

// pick returns the shard for a new timer that is made at now, ns after New. Goroutines have no number to
// share them out by, but each has a stack, and so each has a shard of its own as far as that goes. Once
// there are many timers all of them move on to the next shard every other millisecond: else
// the timers that one goroutine has made would all be under one lock, for whoever stops or resets
// them.
func (c *Clock) pick(now int64) *shard {
	var here byte
	at := uint32(uintptr(unsafe.Pointer(&here)) >> stackBits)
	return &c.shards[((at*golden)>>16+uint32(now>>turnBits)&c.spread.Load())&c.mask]
}

// expect makes sure that the driver does not sleep longer than until due. The deadline must be in
// its shard's next already: a driver that is about to sleep looks there once more after it
// has said for how long.
func (c *Clock) expect(due wheel.Time) {
	for {
		until := c.sleepUntil.Load()
		if int64(due) >= until {
			return
		}
		if c.sleepUntil.CompareAndSwap(until, int64(due)) {
			c.rouse()
			return
		}
	}
}

// rouse wakes the driver.
func (c *Clock) rouse() {
	select {
	case c.wake <- struct{}{}:
	default: // somebody else has
	}
}
