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

// Clock calls functions at their deadlines. Use [New] to create one and [Clock.Close] to end it;
// the zero value is not usable. Any goroutine may call any method, and so may callbacks. A Clock
// must not be copied.
type Clock struct {
	start  time.Time // the instant of wheel.Time 0, with a monotonic reading
	grain  int64     // Options.Resolution in ns: one unit of wheel.Time
	wall   func() time.Time
	pool   Pool
	shards []shard
	mask   uint32
	spread atomic.Uint32 // 0 at first; equal to c.mask once a shard has many timers; see pick

	// The tick until which the driver sleeps, or the constant "awake". Only a timer due before that
	// tick wakes the driver.
	sleepUntil atomic.Int64
	wake       chan struct{} // holds one token

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

	// awake is the value of sleepUntil while the driver is awake. No deadline is before it, so no
	// new timer tries to wake the driver.
	awake = 0

	// shardsPerProc is the number of shards for each processor: enough that two callers rarely use
	// the same shard, but not more, because a wheel takes up to 87 KB. The total is rounded up to
	// a power of two, at most 64.
	shardsPerProc = 4
	mostShardBits = 6

	turnBits  = 21 // 2^21 ns is about two milliseconds
	stackBits = 11 // 2^11 bytes, the size of the smallest stack
	// 2^32 divided by the golden ratio; multiplying by it spreads adjacent values
	golden = 2654435769
)

// New returns a Clock and starts its driver, the only goroutine other than the goroutines of
// callbacks. It panics if Options.Resolution is negative.
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
	c := newClock(o, 1<<min(bits.Len(uint(shardsPerProc*runtime.GOMAXPROCS(0)-1)), mostShardBits))
	go c.drive()
	return c
}

// newClock returns a Clock without a driver; shards must be a power of two.
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

// Len returns the number of timers that wait for their deadline or for their callback to start. It
// visits one shard after another, so while other goroutines add and stop timers the result is an
// estimate.
func (c *Clock) Len() int { return c.Stats().Pending }

// elapsed returns the monotonic time since New, in ns.
func (c *Clock) elapsed() int64 { return int64(time.Since(c.start)) }

// tick returns the tick that contains the instant ns nanoseconds after New. Timers due at or
// before that tick may run.
func (c *Clock) tick(ns int64) wheel.Time {
	if c.grain == int64(defaultResolution) {
		return wheel.Time(ns / int64(defaultResolution)) // dividing by a constant is faster
	}
	return wheel.Time(ns / c.grain)
}

// dueIn returns the time since New in ns, and the tick of a deadline that is d from now. If d is
// not positive, the deadline is the current tick.
func (c *Clock) dueIn(d time.Duration) (now int64, due wheel.Time) {
	now = c.elapsed()
	if d <= 0 {
		return now, c.tick(now)
	}
	return now, c.dueAt(after(now, int64(d)))
}

// dueAt returns the first tick that starts at or after the instant ns nanoseconds after New.
func (c *Clock) dueAt(ns int64) wheel.Time {
	t := c.tick(ns)
	if ns > int64(t)*c.grain {
		t++
	}
	return t
}

// after returns ns + d for d >= 0, or math.MaxInt64 if the sum is larger.
func after(ns, d int64) int64 {
	if sum := ns + d; sum >= ns {
		return sum
	}
	return math.MaxInt64
}

// pick returns the shard for a timer that is created at the given instant, in ns after New. Go has
// no goroutine ids, but each goroutine has its own stack, so the stack address spreads goroutines
// over the shards. Once there are many timers, pick also moves to the next shard every two
// milliseconds. Otherwise all timers of one goroutine would share one lock when they are stopped
// or reset.
func (c *Clock) pick(now int64) *shard {
	var here byte
	at := uint32(uintptr(unsafe.Pointer(&here)) >> stackBits)
	return &c.shards[((at*golden)>>16+uint32(now>>turnBits)&c.spread.Load())&c.mask]
}

// expect makes sure that the driver does not sleep beyond the given tick (due). The caller must
// already have stored due in shard.next, because the driver reads shard.next again after it has
// published the time until which it sleeps.
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
	default: // already woken
	}
}
