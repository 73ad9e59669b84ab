package engine_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/stretchr/testify/require"
)

// victim is the data of an owner whose handlers fail at random.
type victim struct {
	dice    *rand.Rand
	inside  atomic.Bool
	next    int64 // when the next pulse is due
	pulses  int
	panics  int
	exits   int
	overlap bool
	wrong   bool
}

const victimPeriod = 50

func (v *victim) pulse(_ *engine.Context, e buff.Event) {
	if !v.inside.CompareAndSwap(false, true) {
		v.overlap = true
	}
	defer v.inside.Store(false)
	if int64(e.At) != v.next {
		v.wrong = true
	}
	v.next += victimPeriod
	v.pulses++
	switch v.dice.IntN(50) {
	case 0:
		v.panics++
		panic("at random")
	case 1:
		v.exits++
		runtime.Goexit()
	}
}

// TestP24_P25_Isolation checks that while handlers panic and end their goroutines at random, every
// pulse is delivered once and in order, no two handlers of one owner run at the same time, and the
// counters are right.
func TestP24_P25_Isolation(t *testing.T) {
	const owners = 2000
	events := long.Times(100_000)
	var told, suppressed atomic.Uint64
	cat := catalogOf(t, buff.Spec{ID: "venom", Kind: define.Infinite, Period: victimPeriod * time.Millisecond, On: define.Hooks{Pulse: call("pulse")}})
	e := open(t, engine.Options{
		Catalog: cat, Workers: 4, Budget: patient,
		Handlers: engine.Handlers{"pulse": func(c *engine.Context, e buff.Event) { c.Data().(*victim).pulse(c, e) }},
		OnFault: func(f view.Fault) {
			suppressed.Add(f.Suppressed)
			if told.Add(1)%3 == 0 {
				panic("a hook that fails too")
			}
		},
	})
	victims := make([]*victim, owners)
	for i := range victims {
		victims[i] = &victim{dice: rand.New(rand.NewPCG(1, uint64(i))), next: victimPeriod}
		require.NoError(t, e.Spawn(buff.OwnerID(i), victims[i]))
		add(t, e, buff.OwnerID(i), cat.Spec("venom"))
	}
	dice := rand.New(rand.NewPCG(2, 2))
	counts := map[buff.EventKind]int{}
	why := map[reason.Reason]int{}
	last := make([]int64, owners)
	frames := 0
	for counts[buff.Pulsed] < events {
		f := e.Tick(time.Duration(dice.IntN(6*victimPeriod)) * time.Millisecond)
		require.Empty(t, f.Stuck)
		for ev := range f.Events() {
			counts[ev.Kind]++
			why[ev.Why]++
			if ev.Kind == buff.Pulsed {
				require.EqualValues(t, last[ev.Owner]+victimPeriod, ev.At)
				last[ev.Owner] = int64(ev.At)
			}
		}
		frames++
	}
	due := int(e.Now()) / victimPeriod
	var pulses, panics, exits int
	for i, v := range victims {
		require.Equal(t, due, v.pulses, "owner %d", i)
		require.False(t, v.overlap, "owner %d: two handlers at once", i)
		require.False(t, v.wrong, "owner %d: order", i)
		pulses, panics, exits = pulses+v.pulses, panics+v.panics, exits+v.exits
	}
	require.Equal(t, owners, counts[buff.Applied])
	require.Equal(t, pulses, counts[buff.Pulsed])
	require.Equal(t, panics, why[reason.Panic])
	require.Equal(t, exits, why[reason.Goexit])
	require.Equal(t, panics+exits, counts[buff.Faulted])
	s := e.Stats()
	require.EqualValues(t, panics+exits, s.Faults)
	require.Positive(t, told.Load())
	require.LessOrEqual(t, told.Load(), 2*(uint64(e.Now())/1000+1), "of a panic and of a Goexit, once in a second each")
	require.LessOrEqual(t, told.Load()+suppressed.Load(), s.Faults)
	require.EqualValues(t, frames, s.Ticks)
	require.EqualValues(t, pulses+owners+panics+exits, s.Events)
	require.Equal(t, owners, s.Timers)
	require.Zero(t, s.Busy+s.Inbox)
	require.Zero(t, s.Dropped+s.Refused+s.Undelivered)
}

// TestP30_BackToZero checks that owners that are spawned, get buffs and leave, leave no timers on
// the wheel, and that their numbers are reused.
func TestP30_BackToZero(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Hour, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: patient, Limits: engine.Limits{Owners: 10}})
	seen := map[buff.Handle]bool{}
	for range 500 {
		for id := range buff.OwnerID(10) {
			spawn(t, e, id)
			h := add(t, e, id, cat.Spec("venom"))
			require.False(t, seen[h], "a handle came twice")
			seen[h] = true
			_, err := e.AddTimeout(id, time.Hour, func(*engine.Context) {})
			require.NoError(t, err)
		}
		e.Tick(time.Second)
		for id := range buff.OwnerID(10) {
			require.NoError(t, e.Drop(id))
		}
		require.Zero(t, e.Stats().Timers)
		require.Zero(t, e.Owners())
	}
	require.Zero(t, e.Tick(24*time.Hour).Len()-10)
}

// TestP14_NumbersStartAgain checks that owner numbers start again when all owners have left, and
// that old handles are stale nevertheless. A number that has used half of its generations keeps
// its generation, and a number that has used all of them is not used again.
func TestP14_NumbersStartAgain(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Hour, Period: time.Second})
	for _, base := range []uint32{0, 1<<31 - 100, math.MaxUint32 - 100} {
		e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Owners: 100}})
		engine.BeginNumbers(e, base)
		seen := map[uint64]bool{}
		most := 0
		for range 60 {
			for id := range buff.OwnerID(3) {
				if e.Spawn(id, nil) != nil {
					continue // all numbers are used up
				}
				for range 3 {
					h := add(t, e, id, cat.Spec("venom"))
					x, err := e.AddTimeout(id, time.Hour, func(*engine.Context) {})
					require.NoError(t, err)
					require.False(t, seen[uint64(h)], "a handle came twice")
					seen[uint64(h)] = true
					require.NoError(t, e.Remove(h).Failure)
					require.NoError(t, e.Cancel(x).Failure)
				}
			}
			for h := range seen {
				require.ErrorIs(t, e.Remove(buff.Handle(h)).Failure, buff.ErrStale)
				require.ErrorIs(t, e.Cancel(buff.TimeoutHandle(h)).Failure, buff.ErrStale)
			}
			for id := range buff.OwnerID(3) {
				_ = e.Drop(id)
			}
			e.Tick(time.Second)
			most = max(most, engine.Numbers(e))
		}
		switch {
		case base == 0:
			require.Zero(t, most)
		case base < 1<<31:
			require.Equal(t, 3, most, "from the middle on they are kept")
		default:
			require.Greater(t, most, 3, "used up")
		}
	}
}
