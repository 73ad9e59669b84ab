package engine_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
)

const stressOwners, stressProducers = 200, 16

// stressed is an owner's data. It is not guarded: the race detector must see an overlap.
type stressed struct {
	inside bool
	last   wheel.Time
	calls  int
}

// stress is the world of TestP17_P18_Stress.
type stress struct {
	eng       *engine.Engine
	beat, hit *buff.Spec
	wrong     atomic.Int64
	live      [stressOwners]atomic.Uint64 // a buff that was applied to the owner lately
	rings     [stressOwners]atomic.Uint64 // a timeout, of the same kind
	due       [stressOwners]int           // events that a handler is to be called for
	seen      [stressOwners]wheel.Time
}

// act is the handler of everything.
func (s *stress) act(c *engine.Context, e buff.Event) {
	m := c.Data().(*stressed)
	if m.inside || c.Now() < m.last {
		s.wrong.Add(1)
	}
	m.inside, m.last = true, c.Now()
	m.calls++
	defer func() { m.inside = false }()
	switch m.calls % 97 {
	case 1:
		panic("a fault")
	case 2:
		runtime.Goexit()
	case 3:
		c.AddBuff(buff.OwnerID(m.calls%stressOwners), buff.Application{Spec: s.hit})
	case 4:
		c.Remove(e.Handle)
	case 5:
		s.eng.Stats() // panics: the Engine is the loop's
		s.wrong.Add(1)
	case 6:
		for b := range c.Buffs() {
			c.Do(buff.Extend(b.Handle, time.Second))
		}
	}
}

// ask has a producer ask for something by the inbox, which may be full.
func (s *stress) ask(d *rand.Rand) {
	n := d.IntN(stressOwners)
	id, in := buff.OwnerID(n), s.eng.Inbox()
	switch d.IntN(8) {
	case 0:
		_ = in.AddTimeout(id, time.Duration(d.IntN(200))*time.Millisecond, func(c *engine.Context) { s.act(c, buff.Event{}) })
	case 1:
		_ = in.Remove(buff.Handle(s.live[n].Load()))
	case 2:
		_ = in.Cancel(buff.TimeoutHandle(s.rings[n].Load()))
	case 3:
		_ = in.Do(buff.Extend(buff.Handle(s.live[n].Load()), time.Second))
	case 4:
		if leave, err := s.eng.Watch().Follow(id, nil); err == nil {
			leave()
		}
	default:
		_ = in.AddBuff(id, buff.Application{Spec: s.beat, Source: buff.OwnerID(d.IntN(3))})
	}
}

// tick plays a frame, counts for which events handlers are called, and returns how many events there were.
func (s *stress) tick(dt time.Duration) (events int) {
	for ev := range s.eng.Tick(dt).Events() {
		if ev.At < s.seen[ev.Owner] {
			s.wrong.Add(1)
		}
		s.seen[ev.Owner] = ev.At
		switch ev.Kind {
		case buff.Pulsed, buff.Removed, buff.Executed, buff.TimedOut:
			s.due[ev.Owner]++
		case buff.Applied:
			s.live[ev.Owner].Store(uint64(ev.Handle))
		}
		events++
	}
	return events
}

// TestP17_P18_Stress is M6: sixteen goroutines ask for everything at once on a real pool,
// handlers panic, end their goroutines, ask again and call what they must not; never do two
// handlers of one owner run at once, those of one owner come in order of time, and each is
// called once for its event. With -race it looks for races; ants must find the number of
// processors in its environment, so
//
//	GOMAXPROCS=8 go test -race ./engine -run TestP17_P18_Stress -long=4000 -timeout 0
func TestP17_P18_Stress(t *testing.T) {
	events := uint64(long.Times(25_000))
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 3 * time.Second, Period: 50 * time.Millisecond, Stack: define.Stacking{By: define.BySource}, On: buff.Hooks{Pulse: call("act"), RemoveAny: call("act")}},
		buff.Spec{ID: "hit", Kind: define.Instant, On: buff.Hooks{Exec: call("act")}},
	)
	s := &stress{beat: cat.Spec("beat"), hit: cat.Spec("hit")}
	s.eng = open(t, engine.Options{Catalog: cat, Workers: 8, Budget: patient, Limits: engine.Limits{Turn: 3}, Handlers: engine.Handlers{"act": s.act}})
	owners := make([]*stressed, stressOwners)
	for n := range owners {
		owners[n] = &stressed{}
		require.NoError(t, s.eng.Spawn(buff.OwnerID(n), owners[n]))
	}
	frames := make(chan struct{}, stressProducers) // each lets one producer go on
	var wg sync.WaitGroup
	for p := range uint64(stressProducers) {
		wg.Go(func() {
			d := rand.New(rand.NewPCG(6+long.Seed(), p))
			for range frames {
				for range 8 {
					s.ask(d)
				}
			}
		})
	}
	d := rand.New(rand.NewPCG(6+long.Seed(), stressProducers))
	for s.eng.Stats().Events < events {
		for range stressProducers {
			select {
			case frames <- struct{}{}:
			default: // it has not done what it was to do in the frames before
			}
		}
		for range 40 {
			n := d.IntN(stressOwners)
			add(t, s.eng, buff.OwnerID(n), s.beat)
			x, err := s.eng.AddTimeout(buff.OwnerID(n), time.Duration(d.IntN(200))*time.Millisecond, func(c *engine.Context) { s.act(c, buff.Event{}) })
			require.NoError(t, err)
			s.rings[n].Store(uint64(x))
		}
		s.tick(50 * time.Millisecond)
	}
	close(frames)
	wg.Wait()
	// What the producers have asked for, and the handlers of that, and what these strike, whose handlers
	// may strike in turn: until nothing happens any more.
	for quiet := 0; quiet < 3; quiet++ {
		if s.tick(0) > 0 {
			quiet = 0
		}
	}
	require.Zero(t, s.wrong.Load(), "an overlap, or an inversion")
	for n, m := range owners {
		require.Equal(t, s.due[n], m.calls, "owner %d: events, and handlers called for them", n)
	}
	st := s.eng.Stats()
	t.Logf("%d events, %d frames, %d processors", st.Events, st.Ticks, runtime.GOMAXPROCS(0))
	require.Zero(t, st.Busy)
}
