package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// TestFramesAreEven counts the entries that each frame moves, with many timers over 12 hours. No
// frame may move more than three times as many entries as the median frame of its second, even if
// an hour or a half-day starts in it. A median of zero counts as one. With -long=200 or more it
// runs a whole day.
func TestFramesAreEven(t *testing.T) {
	const hour = 3_600_000
	timers, hours := long.Pick(100_000, 1_000_000), Time(min(24, 1+long.Times(1)/8))
	for _, frame := range []Time{50, 16} {
		day := newDay(timers, 11*hour)
		for day.w.Now() < 11*hour+hour/2 {
			// do not check the first frames, because all levels are filled at the start
			day.step(frame)
		}
		var second []int
		for end := day.w.Now() + hours*hour; day.w.Now() < end; {
			second = second[:0]
			from := day.w.Now()
			for day.w.Now()/1000 == from/1000 {
				second = append(second, day.step(frame))
			}
			slices.Sort(second)
			median, most := max(1, second[len(second)/2]), second[len(second)-1]
			require.LessOrEqual(t, most, 3*median, "frames of %d ms, second from %v", frame, from)
		}
	}
}

// day is a wheel whose timers are moved by up to 12 hours when they fire.
type day struct {
	w       *Wheel
	rng     *rand.Rand
	handles []Handle
	fired   []Fired
}

func newDay(timers int, start Time) *day {
	d := &day{w: New(start), rng: rand.New(rand.NewPCG(1, 2)), handles: make([]Handle, timers)}
	for i := range d.handles {
		d.handles[i] = d.w.Add(d.later(start), uint64(i))
	}
	return d
}

func (d *day) later(t Time) Time { return t + 1 + Time(d.rng.Int64N(12*3_600_000)) }

// step runs a frame and returns the number of entries moved.
func (d *day) step(frame Time) int {
	before := d.w.Stats().Moved
	d.fired = d.w.Advance(d.w.Now()+frame, d.fired[:0])
	for _, f := range d.fired {
		d.w.Move(d.handles[f.ID], d.later(f.Due))
	}
	return int(d.w.Stats().Moved - before)
}
