package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestPulseFields checks that a pulse that stands only for itself has no Count, and that a pulse
// for a whole period has no Elapsed and Period.
func TestPulseFields(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "beat", Duration: 3 * time.Second, Period: time.Second, First: define.FirstStart},
		buff.Spec{ID: "one", Duration: 3 * time.Second, Period: time.Second, Catchup: define.CatchupCoalesce},
		buff.Spec{ID: "last", Duration: 3 * time.Second, Period: time.Second, Catchup: define.CatchupSkip},
		buff.Spec{ID: "part", Duration: 2500 * time.Millisecond, Period: time.Second, Tail: define.TailPartial},
		buff.Spec{ID: "rest", Duration: 2500 * time.Millisecond, Period: time.Second, Tail: define.TailPartial, Catchup: define.CatchupCoalesce},
	)
	require.NoError(t, err)
	dropped := uint64(0)
	type pulse struct {
		at              wheel.Time
		count           int32
		elapsed, period int64
	}
	pulses := func(id string, frame wheel.Time) (all []pulse) {
		s, turn := NewOwner(1, 0, 0, 4), &Turn{Catalog: cat}
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: cat.Spec(id)}})
		for now := frame; now <= 4000; now += frame {
			turn.Now = now
			require.True(t, s.Run(turn, now, 100))
		}
		dropped = turn.Dropped
		for _, e := range turn.Events {
			if e.Kind == buff.Pulsed {
				all = append(all, pulse{e.At, e.Count, e.Elapsed, e.Period})
			}
		}
		return all
	}
	require.Equal(t, []pulse{{at: 0}, {at: 1000}, {at: 2000}, {at: 3000}}, pulses("beat", 50))
	for _, id := range []string{"one", "last"} {
		require.Equal(t, []pulse{{at: 1000}, {at: 2000}, {at: 3000}}, pulses(id, 50))
	}
	require.Equal(t, []pulse{{at: 2000, count: 2}, {at: 3000}}, pulses("one", 2000))
	require.Zero(t, dropped, "one stands for two, and nothing is lost")
	require.Equal(t, []pulse{{at: 2000}, {at: 3000}}, pulses("last", 2000))
	require.EqualValues(t, 1, dropped)
	require.Equal(t, []pulse{{at: 2000, count: 2}, {2500, 0, 500, 1000}}, pulses("rest", 2000))
	require.Equal(t, []pulse{{at: 1000}, {at: 2000}, {2500, 0, 500, 1000}}, pulses("part", 50))
}

// TestCall_Deferred checks that a deferred handler sees the instant of its cause and the time of
// the frame in which it is called, and that no reference to its event is kept afterwards.
func TestCall_Deferred(t *testing.T) {
	cat, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Minute, On: define.Hooks{Apply: []define.Action{{Do: define.DoCall, Name: "h"}}}})
	require.NoError(t, err)
	var seen []wheel.Time
	turn := &Turn{Catalog: cat, Now: 5, Call: func(_ *Turn, c *Call) reason.Reason {
		seen = append(seen, c.Event.At, c.Event.Seen)
		return reason.None
	}}
	s := NewOwner(1, 0, 0, 4)
	s.Do(turn, 5, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: cat.Spec("p")}})
	require.Empty(t, seen)
	turn.Now = 70
	require.True(t, s.Run(turn, 70, 100))
	require.Equal(t, []wheel.Time{5, 70}, seen)
	require.False(t, turn.calling)
	for _, c := range s.rare.calls[:cap(s.rare.calls)] {
		require.Zero(t, c)
	}
}

// TestFaultFields checks that the Faulted for a handler has no Count, Elapsed, Period or End.
func TestFaultFields(t *testing.T) {
	cat, err := buff.NewCatalog(buff.Spec{ID: "part", Duration: 2500 * time.Millisecond, Period: time.Second, Tail: define.TailPartial, On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "h"}}}})
	require.NoError(t, err)
	turn := &Turn{Catalog: cat, Call: func(*Turn, *Call) reason.Reason { return reason.Panic }}
	s := NewOwner(1, 0, 0, 4)
	s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: cat.Spec("part")}})
	turn.Now = 3000
	require.True(t, s.Run(turn, 3000, 100))
	faults := 0
	for _, e := range turn.Events {
		if e.Kind == buff.Faulted {
			faults++
			require.Equal(t, []int64{0, 0, 0}, []int64{int64(e.Count), e.Elapsed, e.Period})
			require.Equal(t, wheel.Never, e.End)
		}
	}
	require.Equal(t, 3, faults)
}

// TestInstance_Own_Past checks that the remaining time is zero for a buff whose end has passed but
// that no Run has ended yet.
func TestInstance_Own_Past(t *testing.T) {
	i := buff.Instance{End: 5, Rate: buff.Ratio{Num: 1, Den: 2}}
	require.Equal(t, 2*time.Millisecond, i.Own(1))
	require.Zero(t, i.Own(9))
}

// TestOwner_SetOrigin_UsedOwnerPanics checks that SetOrigin panics as soon as one slot has been
// used, because the handles must not change.
func TestOwner_SetOrigin_UsedOwnerPanics(t *testing.T) {
	cat, err := buff.NewCatalog(buff.Spec{ID: "p", Duration: time.Minute})
	require.NoError(t, err)
	s := NewOwner(1, 0, 0, 4)
	s.SetOrigin(2)
	s.Do(&Turn{Catalog: cat}, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: cat.Spec("p")}})
	require.Panics(t, func() { s.SetOrigin(4) })
}
