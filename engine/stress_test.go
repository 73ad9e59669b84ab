package engine_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

const stressOwners, stressProducers = 200, 16

// stressed is an owner's data. It has no lock, so that the race detector can find concurrent
// handlers.
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
	live      [stressOwners]atomic.Uint64 // by owner: a recently applied buff
	rings     [stressOwners]atomic.Uint64 // by owner: a recently added timeout
	// by owner: number of events for which a handler must be called
	due  [stressOwners]int
	seen [stressOwners]wheel.Time
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
		s.eng.Stats() // panics, because only the loop may call the Engine
		s.wrong.Add(1)
	case 6:
		for b := range c.Buffs() {
			c.Do(buff.Extend(b.Handle, time.Second))
		}
	}
}

// ask issues a random command of a producer by the Inbox, which may be full.
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

// tick plays a frame, counts the events for which handlers are called, and returns the number of
// events.
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

// TestP17_P18_Stress is model test M6. Sixteen goroutines issue all kinds of commands on a real
// pool, while handlers panic, end their goroutines, issue commands and make forbidden calls. Two
// handlers of one owner never run at the same time, the handlers of an owner run in the order of
// time, and each is called once for its event. With -race it also finds data races. Package ants
// reads the number of processors from the environment, so use
//
//	GOMAXPROCS=8 go test -race ./engine -run TestP17_P18_Stress -long=4000 -timeout 0
func TestP17_P18_Stress(t *testing.T) {
	events := uint64(long.Times(25_000))
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 3 * time.Second, Period: 50 * time.Millisecond, Stack: define.Stacking{By: define.BySource}, On: define.Hooks{Pulse: call("act"), RemoveAny: call("act")}},
		buff.Spec{ID: "hit", Kind: define.Instant, On: define.Hooks{Exec: call("act")}},
	)
	s := &stress{beat: cat.Spec("beat"), hit: cat.Spec("hit")}
	s.eng = open(t, engine.Options{Catalog: cat, Workers: 8, Budget: patient, Limits: engine.Limits{Turn: 3}, Handlers: engine.Handlers{"act": s.act}})
	owners := make([]*stressed, stressOwners)
	for n := range owners {
		owners[n] = &stressed{}
		require.NoError(t, s.eng.Spawn(buff.OwnerID(n), owners[n]))
	}
	frames := make(chan struct{}, stressProducers) // each element lets one producer continue
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
			default: // it has not finished its work of the earlier frames yet
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
	// Wait until the world is quiet: the commands of the producers call handlers, whose commands
	// hit other owners, whose handlers issue commands in turn.
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
