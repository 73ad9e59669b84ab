package buff_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// drive runs a script on a Set and writes the same log as the model. It checks on
// its own what must hold whatever the rules say.
type drive struct {
	t     *testing.T
	set   *buff.Set
	turn  buff.Turn
	specs []*buff.Spec
	dice  *dice      // what handlers do
	how   *rand.Rand // how the time is cut into frames and turns; nil: one frame a step, in one turn
	wheel *tinyWheel // nil: nobody clears the orders

	log      []string
	numbers  map[buff.Handle]int
	handles  []buff.Handle
	timeouts []buff.TimeoutHandle
	ended    map[buff.Handle]bool
	last     wheel.Time // the instant of the last event
}

func newDrive(t *testing.T, s *script, how *rand.Rand, w *tinyWheel) *drive {
	d := &drive{
		t: t, set: buff.NewSet(7, 3, 0, s.limit), specs: s.specs, dice: seeded(s.handlers), how: how, wheel: w,
		numbers: map[buff.Handle]int{}, ended: map[buff.Handle]bool{},
	}
	d.turn.Call = d.call
	return d
}

// flush takes what has happened into the log.
func (d *drive) flush() {
	for i := range d.turn.Events {
		e := &d.turn.Events[i]
		if e.Kind == buff.Applied {
			d.handles = append(d.handles, e.Handle)
			d.numbers[e.Handle] = len(d.handles)
		}
		switch { // not with require, which takes longer than the rest of the test
		case d.ended[e.Handle] && e.Kind != buff.Faulted:
			require.Fail(d.t, "after its end", "%v", e)
		case e.Seen != d.turn.Now || e.At > e.Seen:
			require.Fail(d.t, "early", "%v seen %v in the frame %v", e, e.Seen, d.turn.Now)
		case e.At < d.last:
			require.Fail(d.t, "out of order", "%v", e)
		case e.Owner != 7:
			require.Fail(d.t, "whose is it?", "%v of %d", e, e.Owner)
		}
		if e.Kind == buff.Removed {
			d.ended[e.Handle] = true
		}
		d.last = e.At
		d.log = append(d.log, fmt.Sprintf("%s s%d m%d i%d", e.AppendLog(nil, false), e.Source, e.Magnitude, d.numbers[e.Handle]))
	}
	d.turn.Events = d.turn.Events[:0]
}

func (d *drive) call(t *buff.Turn, c *buff.Call) buff.Reason {
	d.flush()
	d.log = append(d.log, fmt.Sprintf("call %d of %v", c.Handler, c.Event.Kind))
	ops, why := act(d.dice, d.specs)
	for _, o := range ops {
		t.Issue(d.set, d.command(o))
	}
	return why
}

// command puts handles in the place of numbers.
func (d *drive) command(o op) buff.Command {
	c := buff.Command{
		Verb: o.verb, By: o.by, Name: o.name, Stacks: o.stacks, Handler: o.handler, Reason: o.reason,
		Application: buff.Application{Spec: o.spec, Source: o.source, Stacks: o.stacks, Magnitude: o.magnitude},
	}
	if o.given {
		c.Application.Duration = buff.For(o.duration)
	}
	if len(d.handles) > 0 {
		c.Handle = d.handles[o.number%len(d.handles)]
	}
	if len(d.timeouts) > 0 {
		c.Timeout = d.timeouts[o.number%len(d.timeouts)]
	}
	return c
}

// do does a command from outside and returns its Result in the model's words.
func (d *drive) do(at int64, o op) string {
	d.turn.Now = wheel.Time(at)
	c := d.command(o)
	before, orders := len(d.turn.Events), len(d.set.Orders())
	r := d.set.Do(&d.turn, wheel.Time(at), c)
	if errors.Is(r.Err, buff.ErrStale) || errors.Is(r.Err, buff.ErrInfinite) {
		require.Len(d.t, d.turn.Events, before, "a command without a target did something")
		require.Len(d.t, d.set.Orders(), orders)
	}
	d.flush()
	d.obey()
	if r.Timeout != 0 {
		d.timeouts = append(d.timeouts, r.Timeout)
		return "waits"
	}
	words := []string{}
	if r.Kind != 0 {
		words = append(words, r.Kind.String())
	}
	if r.Why != buff.NoReason {
		words = append(words, r.Why.String())
	}
	for err, word := range map[error]string{
		buff.ErrDuration: "duration", buff.ErrStacks: "stacks", buff.ErrFull: "full", buff.ErrStale: "stale", buff.ErrInfinite: "infinite",
	} {
		if errors.Is(r.Err, err) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// run reaches the instant, in one frame and one turn or in many.
func (d *drive) run(until int64) {
	if d.how != nil {
		for range d.how.IntN(3) {
			if now := int64(d.turn.Now); now < until {
				d.frame(wheel.Time(now + d.how.Int64N(until-now+1)))
			}
		}
	}
	d.frame(wheel.Time(until))
}

func (d *drive) frame(now wheel.Time) {
	d.turn.Now = now
	if d.wheel != nil {
		d.wheel.wake(d.set, now)
	}
	limit := 1 << 30
	for {
		if d.how != nil {
			limit = d.how.IntN(4) // also 0, which does nothing
		}
		if d.set.Run(&d.turn, now, limit) {
			break
		}
	}
	d.flush()
	d.obey()
	require.Greater(d.t, d.set.Next(), now, "something due has not run")
	require.Zero(d.t, d.set.Pending())
	d.balance()
}

// obey meets the Set's orders.
func (d *drive) obey() {
	if d.wheel != nil {
		d.wheel.obey(d.t, d.set)
	}
}

// balance holds the Set against its own events.
func (d *drive) balance() {
	require.Equal(d.t, len(d.handles)-len(d.ended), d.set.Len(), "applied - removed = carried")
	n, last := 0, 0
	next := wheel.Never
	for i := range d.set.All() {
		n++
		if d.numbers[i.Handle] <= last {
			require.Fail(d.t, "All is not the oldest first")
		}
		last = d.numbers[i.Handle]
		if found, ok := d.set.Find(i.Handle); !ok || found != i {
			require.Fail(d.t, "Find differs from All", "%v and %v", found, i)
		}
		next = min(next, i.End, i.NextPulse)
	}
	require.Equal(d.t, d.set.Len(), n)
	if d.set.Timeouts() == 0 {
		require.Equal(d.t, next, d.set.Next())
	}
}

// tinyWheel keeps deadlines in a map and does what orders say, and no more.
type tinyWheel struct {
	rng    *rand.Rand
	made   uint64
	timers map[wheel.Handle]*deadline
}

type deadline struct {
	due   wheel.Time
	ref   buff.Ref
	rests bool
}

func newTinyWheel(rng *rand.Rand) *tinyWheel {
	return &tinyWheel{rng: rng, timers: map[wheel.Handle]*deadline{}}
}

func (w *tinyWheel) obey(t *testing.T, s *buff.Set) {
	for _, o := range s.Orders() {
		if o.Due == wheel.Never {
			delete(w.timers, o.Timer)
			continue
		}
		timer, live := s.Timer(o)
		if o.Timer != 0 {
			timer = o.Timer
		} else if !live {
			continue
		}
		if timer == 0 {
			w.made++
			timer = wheel.Handle(w.made)
			w.timers[timer] = &deadline{due: o.Due, ref: o.Ref}
			s.SetTimer(o, timer)
			continue
		}
		d := w.timers[timer]
		require.NotNil(t, d, "an order moves a timer that was taken away")
		require.Equal(t, o.Ref, d.ref)
		d.due, d.rests = o.Due, false
	}
	s.ClearOrders()
	if s.Pending() > 0 {
		return
	}
	require.LessOrEqual(t, len(w.timers), s.Len()+s.Timeouts(), "timers kept for what is gone")
	w.check(t, s)
}

// check holds the timers that wait against what the Set has to come. Of a buff
// that has become endless one may be left over: it wakes for nothing.
func (w *tinyWheel) check(t *testing.T, s *buff.Set) {
	waiting, timeouts, next := map[buff.Ref]wheel.Time{}, 0, wheel.Never
	for _, d := range w.timers {
		if d.rests {
			continue
		}
		if d.ref >= 1<<15 {
			timeouts++
			next = min(next, d.due)
			continue
		}
		require.NotContains(t, waiting, d.ref, "two timers for one buff")
		waiting[d.ref] = d.due
	}
	for i := range s.All() {
		due := min(i.End, i.NextPulse)
		ref := buff.Ref(i.Handle >> 32 & (buff.MaxPerOwner - 1))
		if at, ok := waiting[ref]; due != wheel.Never && (!ok || at != due) {
			require.Fail(t, "the wheel does not know", "%v has something due at %d, its timer waits: %v, for %d", i.Spec, due, ok, at)
		}
		delete(waiting, ref)
		next = min(next, due)
	}
	require.Empty(t, waiting, "timers for what is gone")
	require.Equal(t, s.Timeouts(), timeouts)
	require.Equal(t, s.Next(), next)
}

// wake hands over what is due, in any order, and now and then something that is
// not.
func (w *tinyWheel) wake(s *buff.Set, now wheel.Time) {
	timers := slices.Sorted(maps.Keys(w.timers)) // a seed must repeat itself
	w.rng.Shuffle(len(timers), func(i, j int) { timers[i], timers[j] = timers[j], timers[i] })
	for _, timer := range timers {
		d := w.timers[timer]
		if due := !d.rests && d.due <= now; due || w.rng.IntN(50) == 0 {
			d.rests = d.rests || due
			s.Wake(d.ref)
		}
	}
}
