package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// soakBooks records what must happen in a soak. Its size does not grow with time. Each command has
// a number from its caller, and the commands of one caller for one owner must be seen in ascending
// order. So no command can be seen twice, and a sum shows how many have not been seen.
type soakBooks struct {
	last   map[soakCaller]int64 // the number seen last
	at     map[buff.OwnerID]wheel.Time
	pulses map[buff.Handle]*soakPulses

	issued, seen        int // commands with a number
	rings, rung, undone int // timeouts accepted, fired and cancelled
	due                 int // events for which a handler must be called
	// timeouts that were accepted but for which the owner had no room, as an event says
	full              int
	events, whole     int // all events, and ends of buffs that have had all their pulses
	calls, overlaps   atomic.Int64
	asked, askedRings atomic.Int64 // issued by handlers: commands and timeouts
	wrong             []string
}

// soakCaller is a caller and the owner for which it issues commands.
type soakCaller struct {
	by int
	to buff.OwnerID
}

// soakPulses are the pulses of one buff.
type soakPulses struct {
	next wheel.Time
	left int // number of pulses until the end
}

func newSoakBooks() *soakBooks {
	return &soakBooks{last: map[soakCaller]int64{}, at: map[buff.OwnerID]wheel.Time{}, pulses: map[buff.Handle]*soakPulses{}}
}

func (b *soakBooks) blame(e buff.Event, format string, args ...any) {
	if len(b.wrong) < 10 {
		b.wrong = append(b.wrong, fmt.Sprintf("owner %d: %v %v: ", e.Owner, &e, e.Handle)+fmt.Sprintf(format, args...))
	}
}

// see compares an event with the books.
func (b *soakBooks) see(e buff.Event, f *engine.Frame, specs *soakSpecs) {
	b.events++
	if e.At < b.at[e.Owner] || e.At > e.Seen || e.Seen > f.Now {
		b.blame(e, "after %d, seen at %d in a frame at %d", b.at[e.Owner], e.Seen, f.Now)
	}
	b.at[e.Owner] = e.At
	if specs.handled(e) {
		b.due++
	}
	switch e.Kind {
	case buff.TimedOut:
		b.rung++
	case buff.Faulted:
		if e.Why == reason.Full {
			b.full++
		}
	case buff.Executed, buff.Applied, buff.Denied:
		b.seeNumber(e)
	}
	if e.Spec != nil && e.Spec.Period > 0 && !specs.touched[e.Spec] {
		b.seePulses(e)
	}
}

// seeNumber checks an event of a numbered command.
func (b *soakBooks) seeNumber(e buff.Event) {
	if e.Magnitude == 0 {
		return
	}
	b.seen++
	lane, n := soakCaller{int(e.Magnitude >> soakBits), e.Owner}, e.Magnitude&(1<<soakBits-1)
	if n <= b.last[lane] {
		b.blame(e, "number %d of asker %d, after %d", n, lane.by, b.last[lane])
	}
	b.last[lane] = n
}

// seePulses checks a buff that is not changed after its application: each pulse is on time, and
// until the end there are floor(duration/period) of them.
func (b *soakBooks) seePulses(e buff.Event) {
	p, period := b.pulses[e.Handle], wheel.Time(e.Spec.Period.Milliseconds())
	switch {
	case e.Kind == buff.Applied:
		b.pulses[e.Handle] = &soakPulses{next: e.At + period, left: int(e.Spec.Duration / e.Spec.Period)}
	case e.Kind == buff.Restored && e.Next != wheel.Never && e.Next <= e.End:
		b.pulses[e.Handle] = &soakPulses{next: e.Next, left: int((e.End-e.Next)/period) + 1}
	case e.Kind == buff.Restored:
		b.pulses[e.Handle] = &soakPulses{}
	case p == nil:
		if e.Handle != 0 && e.Offline == 0 {
			b.blame(e, "there is no such buff")
		}
	case e.Kind == buff.Pulsed:
		n := wheel.Time(max(1, e.Count))
		if e.At != p.next+(n-1)*period {
			b.blame(e, "the next pulse is due at %d", p.next)
		}
		p.next, p.left = e.At+period, p.left-int(n)
	case e.Kind == buff.Removed:
		if e.Why == reason.Expired && p.left != 0 {
			b.blame(e, "%d pulses are missing", p.left)
		} else if e.Why == reason.Expired {
			b.whole++
		}
		delete(b.pulses, e.Handle)
	}
}

// lost returns the number of accepted commands and timeouts without a result.
func (b *soakBooks) lost() int {
	issued, rings := b.issued+int(b.asked.Load()), b.rings+int(b.askedRings.Load())
	return issued - b.seen + rings - b.rung - b.undone - b.full + b.due - int(b.calls.Load())
}

// soakSpecs are the definitions of a soak.
type soakSpecs struct {
	catalog *buff.Catalog
	all     []*buff.Spec        // definitions that the loop applies
	coin    *buff.Spec          // an instant with a number
	touched map[*buff.Spec]bool // definitions of buffs that are changed while they run
	removal map[*buff.Spec]bool // definitions with a handler for the end
}

func newSoakSpecs(t *testing.T) *soakSpecs {
	pulse := define.Hooks{Pulse: call("act")}
	s := &soakSpecs{catalog: catalogOf(t,
		buff.Spec{ID: "coin", Kind: define.Instant, On: define.Hooks{Exec: call("act")}},
		buff.Spec{ID: "slow", Duration: 10 * time.Second, Period: time.Second, On: pulse},
		buff.Spec{ID: "fast", Duration: 4100 * time.Millisecond, Period: 200 * time.Millisecond, On: pulse},
		buff.Spec{ID: "long", Duration: 2 * time.Hour, Period: 7 * time.Second, On: pulse},
		buff.Spec{ID: "many", Duration: 3 * time.Second, Period: 200 * time.Millisecond, Catchup: define.CatchupCoalesce},
		buff.Spec{
			ID: "venom", Duration: 3 * time.Second, Period: 500 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3},
			Dispel: define.DispelRule{Type: "magic"}, On: define.Hooks{Pulse: call("act"), RemoveAny: call("act")},
		},
		buff.Spec{ID: "rage", Duration: 5 * time.Second, Period: 200 * time.Millisecond, Stack: define.Stacking{By: define.ByTarget, Limit: 4, Expire: define.ExpireOne}},
		buff.Spec{ID: "banner", Duration: 4 * time.Second, Aura: define.Aura{Apply: "song", Radius: 1, Interval: 500 * time.Millisecond, Linger: 700 * time.Millisecond}},
		buff.Spec{ID: "torch", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget}, Aura: define.Aura{Apply: "song", Radius: 1, Interval: time.Second}},
		// ends long before its second search
		buff.Spec{ID: "beacon", Duration: 2 * time.Second, Aura: define.Aura{Apply: "song", Radius: 1, Interval: time.Hour, Linger: time.Second}},
		buff.Spec{ID: "song", Kind: define.Infinite, Period: 5 * time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 3}},
		buff.Spec{ID: "curse", Duration: time.Minute, OnSourceGone: define.FateRemove, Stack: define.Stacking{By: define.BySource}},
	)}
	of := func(ids ...string) (out []*buff.Spec) {
		for _, id := range ids {
			out = append(out, s.catalog.Spec(id))
		}
		return out
	}
	s.coin, s.all = s.catalog.Spec("coin"), of("slow", "fast", "fast", "many", "venom", "venom", "rage", "curse", "long", "banner", "torch", "beacon")
	s.touched, s.removal = map[*buff.Spec]bool{}, map[*buff.Spec]bool{s.catalog.Spec("venom"): true}
	for _, spec := range of("venom", "rage", "curse", "banner", "torch", "beacon", "song") {
		s.touched[spec] = true
	}
	return s
}

// handled reports whether a handler is called for the event.
func (s *soakSpecs) handled(e buff.Event) bool {
	switch e.Kind {
	case buff.Pulsed:
		return len(e.Spec.On.Pulse) > 0
	case buff.Executed, buff.TimedOut:
		return true
	case buff.Removed:
		return s.removal[e.Spec] && e.Why != reason.Unload && e.Offline == 0
	}
	return false
}
