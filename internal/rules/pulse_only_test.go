package rules

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/wheel"
)

// onlySpecs returns definitions whose pulses can take the fast path of pulseOnly, and some that
// differ from these in one detail and cannot.
func onlySpecs() []buff.Spec {
	calls := func(names ...string) (list []define.Action) {
		for _, name := range names {
			list = append(list, define.Action{Do: define.DoCall, Name: name})
		}
		return list
	}
	pulsed := []define.Param{{Name: "a", Value: define.Const(1)}}
	plain := buff.Spec{Duration: time.Second, Period: 100 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}, On: define.Hooks{Pulse: calls("h")}}
	with := func(id string, f func(s *buff.Spec)) buff.Spec {
		s := plain
		s.ID = id
		f(&s)
		return s
	}
	return []buff.Spec{
		with("plain", func(*buff.Spec) {}),
		with("uneven", func(s *buff.Spec) { s.Duration = 950 * time.Millisecond }),
		with("endless", func(s *buff.Spec) { s.Kind, s.Duration, s.Period = define.Infinite, 0, 70*time.Millisecond }),
		with("tail", func(s *buff.Spec) { s.Duration, s.Tail = 330*time.Millisecond, define.TailPartial }),
		with("stackwise", func(s *buff.Spec) { s.Stack.Expire = define.ExpireOne }),
		with("frail", func(s *buff.Spec) { s.OnFault = define.FateRemove }),
		with("own", func(s *buff.Spec) { s.Stack.By, s.Duration = define.ByNone, 400*time.Millisecond }),
		with("aligned", func(s *buff.Spec) { s.Align = define.AlignOwner }),
		with("late", func(s *buff.Spec) { s.Catchup = define.CatchupCoalesce }),
		with("twice", func(s *buff.Spec) { s.On.Pulse = calls("h", "g") }),
		with("silent", func(s *buff.Spec) { s.On.Pulse = nil }),
		with("each", func(s *buff.Spec) { s.Stack.Timers = define.TimersEach }),
		with("ends", func(s *buff.Spec) {
			s.On.Remove = map[reason.Reason][]define.Action{reason.Expired: calls("h"), reason.Cancelled: calls("g")}
		}),
		with("begins", func(s *buff.Spec) { s.On.Apply = calls("g") }),
		with("number", func(s *buff.Spec) { s.Params = pulsed }),
	}
}

// onlySide is one of the two Owners that TestPulseOnly compares, with the random source of its
// handlers.
type onlySide struct {
	set   *Owner
	turn  Turn
	specs []*buff.Spec
	dice  *rand.Rand
	calls []waitingCall
	hung  bool // a handler has not returned
	short int  // number of handlers called on the fast path

	timeouts, rates bool // commands often concern timeouts, or rates
}

// hung is the value with which a handler panics, instead of ending its goroutine.
type hung struct{}

func newOnlySide(c *buff.Catalog, long bool, seed uint64) *onlySide {
	x := &onlySide{set: NewOwner(1, 0, 0, 20), dice: rand.New(rand.NewPCG(seed, 3))}
	for _, s := range onlySpecs() {
		x.specs = append(x.specs, c.Spec(s.ID))
	}
	x.turn = Turn{Catalog: c, Memory: &Memory{}, Call: x.call}
	if long { // an owner with gates and timeouts never takes the fast path
		x.set.ensureGates()
		x.set.rare.timeouts = &timeouts{free: noSlot}
	}
	return x
}

// command returns a random command.
func (x *onlySide) command(on buff.Handle) buff.Command {
	a := buff.Application{Spec: x.specs[x.dice.IntN(len(x.specs))], Source: buff.OwnerID(1 + x.dice.IntN(3)), Magnitude: int64(x.dice.IntN(5)), Level: x.dice.IntN(3)}
	if !x.timeouts && x.dice.IntN(40) == 0 || x.timeouts && x.dice.IntN(4) == 0 {
		return buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Duration(1+x.dice.IntN(200)) * time.Millisecond, Name: "t"}
	}
	if x.rates && x.dice.IntN(8) == 0 {
		return buff.Command{Verb: verb.SetRate, Rate: buff.Ratio{Num: uint32(1 + x.dice.IntN(3)), Den: uint32(1 + x.dice.IntN(3))}}
	}
	switch x.dice.IntN(6) {
	case 0:
		return buff.Command{Verb: verb.Remove, Handle: on}
	case 1:
		return buff.Command{Verb: verb.Extend, Handle: on, By: time.Duration(x.dice.IntN(300)-100) * time.Millisecond}
	case 2:
		return buff.Command{Verb: verb.SetPeriod, Handle: on, By: time.Duration(40+x.dice.IntN(100)) * time.Millisecond}
	}
	return buff.Command{Verb: verb.Apply, Application: a}
}

func (x *onlySide) call(t *Turn, c *Call) reason.Reason {
	x.calls = append(x.calls, waitingCall{event: *c.Event, Call: Call{Do: c.Do, Timeout: c.Timeout, Handler: c.Handler}})
	if c == &t.pulseCall.Call && c.Event.Kind == buff.Pulsed {
		x.short++
	}
	if x.dice.IntN(6) == 0 {
		for range 1 + x.dice.IntN(2) {
			command := x.command(c.Event.Handle)
			t.Issue(x.set, &command)
		}
	}
	switch x.dice.IntN(100) {
	case 0:
		panic(hung{})
	case 1, 2, 3, 4, 5, 6, 7, 8:
		return reason.Panic
	}
	return reason.None
}

// run runs a frame with a limit, and continues after a handler that does not return.
func (x *onlySide) run(until wheel.Time, limit int) (done bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(hung); !ok {
				panic(v)
			}
			x.hung = true
			x.set.Abort(&x.turn)
			done = x.run(until, 0)
		}
	}()
	return x.set.Run(&x.turn, until, limit)
}

// waiting returns the deadlines that are valid. A handler that changes the deadline of its own buff
// may leave others.
func (x *onlySide) waiting() map[Deadline]bool {
	all := map[Deadline]bool{}
	for _, d := range x.turn.Deadlines {
		if x.set.Waits(d) {
			all[d] = true
		}
	}
	return all
}

// TestPulseOnly checks that a pulse on the fast path has the same results as one on the general
// path, byte for byte: the events, the deadlines, the saved blob and the counters.
func TestPulseOnly(t *testing.T) {
	c := mustCatalog(t, onlySpecs()...)
	only := 0
	for n := range uint64(1 + long.Times(80)) {
		seed := n - 1
		if n == 0 {
			seed = 686 // a handler slows the time of its owner
		}
		how := rand.New(rand.NewPCG(seed, 1))
		short, long := newOnlySide(c, false, seed), newOnlySide(c, true, seed)
		sides := []*onlySide{short, long}
		for _, x := range sides {
			x.timeouts, x.rates = seed%4 == 1, seed%4 == 2
			if seed%16 == 3 {
				x.turn.Call = nil
			}
		}
		for now := wheel.Time(0); now < 4000; {
			if how.IntN(3) == 0 {
				for _, x := range sides {
					on := buff.Handle(0)
					if i, ok := x.set.At(x.dice.IntN(20)); ok {
						on = i.Handle
					}
					x.set.Do(&x.turn, now, x.command(on))
				}
			}
			now += wheel.Time(1 + how.IntN(80))
			if how.IntN(30) == 0 {
				now += 500
			}
			limit := 1 + how.IntN(4)
			if how.IntN(8) == 0 { // a turn with a limit of 0
				for _, x := range sides {
					x.turn.Now = now
					x.run(now, 0)
				}
				requireSame(t, seed, short, long)
			}
			for done := false; !done; {
				for _, x := range sides {
					x.turn.Now = now
					done = x.run(now, limit)
				}
				requireSame(t, seed, short, long)
				if how.IntN(4) == 0 {
					now += wheel.Time(how.IntN(60)) // the remaining events run later
				}
			}
		}
		require.Zero(t, long.short)
		only += short.short
	}
	require.Greater(t, only, 2*long.Times(80))
}

// requireSame compares the events, calls and states of two sides.
func requireSame(t *testing.T, seed uint64, a, b *onlySide) {
	t.Helper()
	require.Equal(t, a.turn.Events, b.turn.Events, "seed %d", seed)
	a.turn.Events, b.turn.Events = a.turn.Events[:0], b.turn.Events[:0]
	require.Equal(t, a.calls, b.calls, "seed %d", seed)
	a.calls, b.calls = a.calls[:0], b.calls[:0]
	require.Equal(t, a.waiting(), b.waiting(), "seed %d", seed)
	require.Equal(t, a.turn.Waiting, b.turn.Waiting, "seed %d", seed)
	a.turn.Deadlines, b.turn.Deadlines = a.turn.Deadlines[:0], b.turn.Deadlines[:0]
	require.Equal(t, []uint64{a.turn.Ran, a.turn.Dropped, a.turn.Failed}, []uint64{b.turn.Ran, b.turn.Dropped, b.turn.Failed}, "seed %d", seed)
	if !a.hung { // otherwise the fast path has counted one visit less
		require.Equal(t, a.set.Looked(), b.set.Looked(), "seed %d", seed)
	}
	require.Equal(t, slices.Collect(a.set.All()), slices.Collect(b.set.All()), "seed %d", seed)
	blob, _ := a.set.Save(nil, a.turn.Catalog, blobMoment, 0)
	blob2, _ := b.set.Save(nil, a.turn.Catalog, blobMoment, 0)
	require.Equal(t, blob, blob2, "seed %d", seed)
	if a.set.timeScale() == nil { // requireKeys needs deadlines in world time
		requireKeys(t, a.set)
	}
	for at := range a.set.records.Used() {
		require.Equal(t, *a.set.records.Record(at), *b.set.records.Record(at), "seed %d", seed)
		require.Equal(t, *a.set.records.Key(at), *b.set.records.Key(at), "seed %d, slot %d", seed, at)
	}
}

// TestFastPath checks which pulses take the fast path.
func TestFastPath(t *testing.T) {
	c := mustCatalog(t, onlySpecs()...)
	apply := func(id string) buff.Command {
		return buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec(id), Source: 2}}
	}
	to := func(v verb.Verb, by time.Duration) func(buff.Handle) buff.Command {
		return func(h buff.Handle) buff.Command { return buff.Command{Verb: v, Handle: h, By: by} }
	}
	for _, k := range []struct {
		what  string
		id    string
		after []func(buff.Handle) buff.Command
		from  wheel.Time // the frame starts after this instant
		until wheel.Time
		want  int
	}{
		{"a pulse", "plain", nil, 50, 100, 1},
		{"one that is late", "plain", nil, 150, 299, 1},
		{"the last one before the end", "uneven", nil, 850, 900, 1},
		{"the end is in the same frame", "uneven", nil, 850, 950, 0},
		{"one at the end", "plain", nil, 950, 1000, 0},
		{"two", "plain", nil, 150, 300, 0},
		{"without an end", "endless", nil, 50, 70, 1},
		{"before a tail", "tail", nil, 250, 300, 1},
		{"a tail", "tail", nil, 310, 330, 0},
		{"where some stacks go at the end", "stackwise", nil, 50, 100, 1},
		{"aligned", "aligned", nil, 50, 100, 0},
		{"with a rule for late ones", "late", nil, 50, 100, 0},
		{"two handlers", "twice", nil, 50, 100, 0},
		{"no handler", "silent", nil, 50, 100, 0},
		{"a time for each stack", "each", nil, 50, 100, 0},
		{"with another period", "plain", []func(buff.Handle) buff.Command{to(verb.SetPeriod, 80*time.Millisecond)}, 50, 100, 0},
		{"inhibited", "plain", []func(buff.Handle) buff.Command{to(verb.Inhibit, 0)}, 50, 100, 0},
		{"beside one that is due in the same frame", "plain", []func(buff.Handle) buff.Command{func(buff.Handle) buff.Command { return apply("own") }}, 50, 100, 0},
		{"beside one that is not due", "plain", []func(buff.Handle) buff.Command{func(buff.Handle) buff.Command { return apply("endless") }}, 80, 100, 1},
		{"beside a timeout", "plain", []func(buff.Handle) buff.Command{func(buff.Handle) buff.Command {
			return buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Minute}
		}}, 50, 100, 1},
		{"at a rate", "plain", []func(buff.Handle) buff.Command{func(buff.Handle) buff.Command {
			return buff.Command{Verb: verb.SetRate, Rate: buff.Ratio{Num: 2, Den: 1}}
		}}, 40, 50, 0},
	} {
		x := newOnlySide(c, false, 1)
		x.turn.Call = func(t *Turn, c *Call) reason.Reason {
			if c == &t.pulseCall.Call && c.Event.Kind == buff.Pulsed {
				x.short++
			}
			return reason.None
		}
		h := x.set.Do(&x.turn, 0, apply(k.id)).Handle
		for _, f := range k.after {
			require.NoError(t, x.set.Do(&x.turn, 0, f(h)).Failure, k.what)
		}
		require.True(t, x.set.Run(&x.turn, k.from, 100), k.what)
		x.turn.Events, x.turn.List, x.short = x.turn.Events[:0], deadline.List{Waiting: x.turn.Waiting}, 0
		require.True(t, x.set.Run(&x.turn, k.until, 100), k.what)
		if k.want == 1 {
			require.Equal(t, deadline.List{Deadlines: x.turn.Deadlines, Waiting: x.turn.Waiting}, x.turn.List, "the agenda was not used, so it has returned no buffers")
		}
		require.NotEmpty(t, x.turn.Events, k.what)
		require.Equal(t, k.want, x.short, k.what)
	}
}
