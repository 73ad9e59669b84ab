package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/wheel"
)

// Cascade is profile F: the wheel alone.
type Cascade struct {
	Timers int           `help:"timers that wait"`
	Beyond float64       `help:"per cent of them that are due after 12 to 24 h"`
	Window time.Duration `help:"how much of the game's time is measured, half of it before the hour"`
	Runs   int           `help:"how often: a frame counts with its shortest time, so that what the machine does beside is not in it"`
	More   int           `help:"how many more runs there may be while a frame at a border is too long: what the wheel does is in all of them"`
	Most   int           `help:"how many times the median a frame at a border may take"`
}

func newCascade() *Cascade {
	return &Cascade{Timers: 1_000_000, Beyond: 1, Window: 6 * time.Minute, Runs: 8, More: 8, Most: 3}
}

// Quick implements Profile. A frame takes a microsecond, and on a busy machine a frame at a
// boundary can take 3.6 times the median. A short run therefore has a wide limit, which a wheel
// that moves the 83,000 timers of an hour in one frame still exceeds. TestFramesAreEven of package
// wheel checks that frames do equal work; it counts operations and does not depend on a clock.
func (p *Cascade) Quick() { p.Window, p.Runs, p.More, p.Most = 4*time.Minute, 3, 8, 20 }

const (
	hour  = 3600_000 // ms
	noon  = 12 * hour
	ahead = hour + 300_000 // game time before the window, in ms, played in steps of a second
)

// settling is the game time that is played in frames directly before the window. It fills the
// caches again after the garbage collection.
const settling = 10 * time.Second

// cascade is one run of the profile. It has the wheel and the expected deadlines of the timers.
type cascade struct {
	*Cascade
	wheel   *wheel.Wheel
	rng     *rand.Rand
	handles []wheel.Handle
	due     []int64
	fired   []wheel.Fired
	f       faults
	total   uint64
	digest  uint64
}

// Run implements Profile.
func (p *Cascade) Run(env *Env) (*Result, error) {
	r := result("F")
	n := int(p.Window / frameTime)
	frames := make([]cascadeFrame, n)
	began := time.Now()
	var c *cascade
	for i := range p.Runs + p.More {
		if i >= p.Runs && p.even(frames) {
			break
		}
		r.Counts["runs"]++
		before := gauge.LiveHeap()
		c = p.warm(env.Seed)
		r.Heap = gauge.LiveHeap() - before
		c.window(frames, i == 0)
		if env.Progress != nil {
			env.Progress(float64(i+1) / float64(p.Runs))
		}
		if digest := fmt.Sprintf("%016x", c.digest); r.Digest == "" {
			r.Digest = digest
		} else if r.Digest != digest {
			c.f.note(&c.f.Wrong, "the same calls have led to other firings in run %d", i+1)
		}
		if !c.f.none() {
			break
		}
	}
	r.figure("runs", float64(r.Counts["runs"]), "")
	r.Wall, r.Simulated, r.Frames = time.Since(began), p.Window, uint64(n)
	r.Buffs, r.Events, r.Ends, r.Faults = p.Timers, c.total, c.total, c.f
	r.BytesPer = float64(r.Heap) / float64(p.Timers)
	p.report(r, frames)
	return r, nil
}

// cascadeFrame is the shortest duration of a frame in any run, and the number of timers that fired
// in the frame.
type cascadeFrame struct {
	ns    int64
	fired int
}

// warm returns a wheel in the state that it would have after days of use. The time of the wheel is
// shortly before the window, whose middle is at 12 h.
func (p *Cascade) warm(seed uint64) *cascade {
	c := &cascade{
		Cascade: p, rng: rand.New(rand.NewPCG(seed, 6)),
		handles: make([]wheel.Handle, p.Timers), due: make([]int64, p.Timers), digest: 14695981039346656037,
	}
	end := noon - p.Window.Milliseconds()/2 - settling.Milliseconds()
	now := end - ahead
	c.wheel = wheel.New(wheel.Time(now))
	for i := range c.handles {
		c.due[i] = now + 1 + c.left()
		c.handles[i] = c.wheel.Add(wheel.Time(c.due[i]), uint64(i))
	}
	for now < end {
		c.turn(now, now+1000)
		now += 1000
	}
	return c
}

// left draws the remaining time of a timer that is waiting at a random instant. The longer a timer
// waits, the more likely it is waiting at such an instant. Therefore all lengths up to 12 h are
// equally likely here, although short lengths are more frequent among added timers. Lengths of 12
// to 24 h are more likely here than among added timers.
func (c *cascade) left() int64 {
	// Average length of those added timers that last up to 12 h, in ms.
	mean := noon / math.Log(noon/1000)
	beyond := c.Beyond * 1.5 * noon
	length := c.rng.Float64() * noon
	if c.rng.Float64()*(beyond+(100-c.Beyond)*mean) < beyond {
		length = noon * math.Sqrt(1+3*c.rng.Float64())
	}
	return int64(length * c.rng.Float64())
}

// delay draws the length of an added timer. For c.Beyond percent of the timers, the length is from
// 12 to 24 h. For the others it is from 1 s to 12 h, and its logarithm is uniformly distributed.
func (c *cascade) delay() int64 {
	if c.rng.Float64()*100 < c.Beyond {
		return noon + c.rng.Int64N(noon)
	}
	return logUniform(c.rng, 1000, noon)
}

// turn calls Advance once, checks the timers that it returns, and sets new deadlines for them.
func (c *cascade) turn(before, now int64) time.Duration {
	start := time.Now()
	c.fired = c.wheel.Advance(wheel.Time(now), c.fired[:0])
	took := time.Since(start)
	last := int64(0)
	for _, f := range c.fired {
		due := int64(f.Due)
		switch want := c.due[f.ID]; {
		case due != want:
			c.f.note(&c.f.Doubled, "timer %d fired for %d, and is due at %d", f.ID, due, want)
		case due > now:
			c.f.note(&c.f.Early, "timer %d of %d fired at %d", f.ID, due, now)
		case due <= before:
			c.f.note(&c.f.Late, "timer %d of %d fired at %d", f.ID, due, now)
		case due < last:
			c.f.note(&c.f.Wrong, "timer %d of %d fired after one of %d", f.ID, due, last)
		}
		last = due
		c.digest = (c.digest ^ uint64(due)<<20 ^ f.ID) * 1099511628211
		c.due[f.ID] = due + c.delay()
		c.wheel.Move(c.handles[f.ID], wheel.Time(c.due[f.ID]))
	}
	c.total += uint64(len(c.fired))
	return took
}

// window measures the frames around the hour, and then checks that no due timer is left.
func (c *cascade) window(frames []cascadeFrame, first bool) {
	runtime.GC()
	old := debug.SetGCPercent(-1)
	for range settling / frameTime {
		now := int64(c.wheel.Now())
		c.turn(now, now+frameTime.Milliseconds())
	}
	start := int64(c.wheel.Now())
	for i := range frames {
		if i%64 == 0 {
			// Otherwise the runtime would preempt this goroutine after 10 ms, always in the
			// same frame.
			runtime.Gosched()
		}
		now := start + int64(i+1)*frameTime.Milliseconds()
		took := int64(c.turn(now-frameTime.Milliseconds(), now))
		if first || took < frames[i].ns {
			frames[i].ns = took
		}
		frames[i].fired = len(c.fired)
	}
	debug.SetGCPercent(old)
	now := int64(c.wheel.Now())
	for i, due := range c.due {
		if due <= now {
			c.f.note(&c.f.Lost, "timer %d was due at %d, now is %d", i, due, now)
		}
	}
	if c.wheel.Len() != c.Timers {
		c.f.note(&c.f.Wrong, "%d timers wait, want %d", c.wheel.Len(), c.Timers)
	}
}

// borderReach is the distance from a boundary, in frames, up to which a frame counts as being at
// the boundary.
const borderReach = 1

// borders returns the longest frame at the hour, and the longest frame at the other full minutes of
// the window.
func (p *Cascade) borders(frames []cascadeFrame) (atHour, atMinute cascadeFrame) {
	for i, f := range frames {
		switch at := p.at(i); {
		case near(at, hour):
			atHour = worse(atHour, f)
		case near(at, hour/60):
			atMinute = worse(atMinute, f)
		}
	}
	return atHour, atMinute
}

// at returns the end of a frame in ms, relative to the hour.
func (p *Cascade) at(frame int) int64 {
	return int64(frame+1)*frameTime.Milliseconds() - p.Window.Milliseconds()/2
}

// even reports whether all frames at boundaries are short enough.
func (p *Cascade) even(frames []cascadeFrame) bool {
	var all []int64
	for _, f := range frames {
		all = append(all, f.ns)
	}
	atHour, atMinute := p.borders(frames)
	return max(atHour.ns, atMinute.ns) <= int64(p.Most)*max(1, median(all))
}

func (p *Cascade) report(r *Result, frames []cascadeFrame) {
	var all []int64
	var worst cascadeFrame
	worstHour, worstMinute := p.borders(frames)
	for i, f := range frames {
		at := p.at(i)
		all = append(all, f.ns)
		r.Rows = append(r.Rows, Row{At: at, Frames: 1, Median: f.ns, Max: f.ns, Events: f.fired, Buffs: p.Timers})
		worst = worse(worst, f)
	}
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return time.Duration(all[min(len(all)-1, int(share*float64(len(all))))])
	}
	r.P50, r.P99, r.P999, r.Max = at(0.5), at(0.99), at(0.999), time.Duration(worst.ns)
	for _, q := range []float64{0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1} {
		r.CDF = append(r.CDF, Quantile{q, int64(at(q))})
	}
	median := float64(max(1, r.P50))
	r.figure("frame at the hour, against the median", float64(worstHour.ns)/median, "×")
	r.figure("timers that fired in it", float64(worstHour.fired), "")
	r.figure("longest frame at a minute, against the median", float64(worstMinute.ns)/median, "×")
	r.figure("timers that fired in it", float64(worstMinute.fired), "")
	r.figure("longest frame of all, against the median", float64(worst.ns)/median, "×")
	r.figure("timers that fired in it", float64(worst.fired), "")
	r.check(float64(worstHour.ns) <= float64(p.Most)*median, "the frame at the hour takes %.1f times the median of %v, at most %d", float64(worstHour.ns)/median, r.P50, p.Most)
	r.check(float64(worstMinute.ns) <= float64(p.Most)*median, "the longest frame at a minute takes %.1f times the median, at most %d", float64(worstMinute.ns)/median, p.Most)
}

func worse(a, b cascadeFrame) cascadeFrame {
	if b.ns > a.ns {
		return b
	}
	return a
}

// near reports whether a frame is at a boundary. The parameter "at" is the end of the frame, and
// the boundaries are the multiples of "every".
func near(at, every int64) bool {
	off := ((at % every) + every) % every
	reach := int64(borderReach) * frameTime.Milliseconds()
	return off <= reach || off >= every-reach
}
