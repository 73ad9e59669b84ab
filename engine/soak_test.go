package engine_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

const (
	soakOwners = 100
	soakFrame  = 50 * time.Millisecond
	soakStalls = 1000 // one Tick in this many is a stall
	soakFloods = 400  // a flood starts with one Tick in this many
	soakStuck  = 8000 // one handler in this many gets stuck
	// limits of the heap above its size at rest, in bytes: with garbage, and live
	soakHeap    = 64 << 20
	soakLives   = 16 << 20
	soakHistory = 1 << 20 // size of the flight recorder, in addition to those
	soakWorkers = 4

	soakTickLimit  = 4096
	soakInboxLimit = 2048
	soakMaxBuffs   = 48
	soakExtra      = 64     // events of an owner's last command or deadline, besides the first
	soakOvershoot  = 4 * 64 // events of the last commands of four parts of a Tick, above the limit

	soakBits = 44 // bits of a number for the count of a caller's commands
	// callers: the loop, the producers from soakPosts on, the handlers from soakOwn on
	soakLoop = 1
)

// soakPosts are the producers. The first one never floods the Inbox.
var soakPosts = []string{"gm", "net", "bots", ""}

const soakOwn = soakLoop + 1 + 4

// soak is a game under heavy load with many failures: see TestP20_P21_Soak.
type soak struct {
	*soakSpecs
	*soakBooks
	t      *testing.T
	eng    *engine.Engine
	st     *stage
	dice   *rand.Rand
	posts  []*engine.Inbox
	blobs  map[buff.OwnerID][]byte
	gone   map[buff.OwnerID]bool // dropped while some owner was busy
	recent []soakRing            // timeouts that have not fired yet
	number [soakOwn]int64        // last number of the loop and of each producer
	born   int64                 // number of owners
	stray  int                   // commands that cannot have an effect
	flood  int                   // remaining Ticks of the flood
	looks  int                   // number of searches of auras
	deaths int
	rest   int64 // heap at rest in bytes, with garbage
	lives  int64 // live heap at rest in bytes
	most   struct {
		heap, live                                int64 // above those
		due, tail, posted, busy, behind, searches int
	}
}

type soakRing struct {
	owner  buff.OwnerID
	handle buff.TimeoutHandle
}

// soakOwner is an owner's data.
type soakOwner struct {
	dice   *rand.Rand
	by     int
	number int64
	inside atomic.Bool
}

// hold blocks the running task for a number of steps.
func (s *stage) hold(steps int) {
	s.mu.Lock()
	number := s.running
	s.stuck++
	until := s.steps + steps
	s.mu.Unlock()
	<-s.wait(number, until).open
}

func (s *soak) owner(id buff.OwnerID) *soakOwner {
	s.born++
	return &soakOwner{dice: rand.New(rand.NewPCG(long.Seed(), 1000+uint64(s.born))), by: soakOwn + int(id), number: s.born << 20}
}

// act is the handler of everything.
func (s *soak) act(c *engine.Context, _ buff.Event) {
	p := c.Data().(*soakOwner)
	s.calls.Add(1)
	if !p.inside.CompareAndSwap(false, true) {
		s.overlaps.Add(1)
	}
	defer p.inside.Store(false)
	switch n := p.dice.IntN(soakStuck); {
	case n == 0:
		s.st.hold(p.dice.IntN(400))
	case n <= 4:
		panic("a fault")
	case n <= 6:
		runtime.Goexit()
	case n <= soakStuck/50:
		p.number++
		s.asked.Add(1)
		c.AddBuff(1+buff.OwnerID(p.dice.IntN(soakOwners+5)), buff.Application{Spec: s.coin, Magnitude: int64(p.by)<<soakBits | p.number})
	case n <= soakStuck/40:
		s.askedRings.Add(1)
		c.AddTimeout(c.Owner(), s.delay(p.dice), s.ring())
	}
}

// ring returns the function of a timeout, which must be called once.
func (s *soak) ring() func(*engine.Context) {
	rung := false
	return func(c *engine.Context) {
		if rung {
			s.overlaps.Add(1)
		}
		rung = true
		s.act(c, buff.Event{})
	}
}

func (s *soak) delay(dice *rand.Rand) time.Duration {
	return time.Duration(dice.IntN(4000)) * time.Millisecond
}

func (s *soak) someone() buff.OwnerID { return 1 + buff.OwnerID(s.dice.IntN(soakOwners)) }

// numbered returns an application with the caller's next number.
func (s *soak) numbered(by int, spec *buff.Spec) buff.Application {
	s.number[by]++
	return buff.Application{Spec: spec, Magnitude: int64(by)<<soakBits | s.number[by]}
}

// span returns the random length of a Tick: a frame, or a stall of 0.1 s to 10 min, uniform in the
// logarithm.
func (s *soak) span() time.Duration {
	if s.dice.IntN(soakStalls) > 0 {
		return soakFrame
	}
	return time.Duration(float64(100*time.Millisecond) * math.Exp(s.dice.Float64()*math.Log(6000)))
}

// frame plays one Tick and the calls before it.
func (s *soak) frame() time.Duration {
	for range s.dice.IntN(12) {
		s.verb()
	}
	for range s.dice.IntN(3) {
		require.True(s.t, s.post(0), "who posts little was refused")
		s.post(1)
	}
	if s.dice.IntN(soakFloods) == 0 {
		s.flood = 1 + s.dice.IntN(40)
	}
	if s.flood > 0 {
		s.flood--
		for k := 1; k < len(s.posts); k++ {
			for s.post(k) {
			}
		}
	}
	s.st.turn()
	d := s.span()
	s.tick(d)
	return d
}

// tick runs a Tick and checks its limits.
func (s *soak) tick(d time.Duration) {
	waiting := s.eng.Stats().Inbox
	f := s.eng.Tick(d)
	for e := range f.Events() {
		s.see(e, f, s.soakSpecs)
	}
	st := s.eng.Stats()
	_, due, tail := engine.Parts(f)
	m := &s.most
	m.due, m.tail, m.posted = max(m.due, due, engine.Worked(s.eng)), max(m.tail, tail), max(m.posted, waiting-st.Inbox)
	m.busy, m.behind = max(m.busy, len(f.Stuck)), max(m.behind, int(f.Behind/time.Second), int(f.Lost/time.Second))
	if s.wrong != nil || m.due > soakTickLimit+soakExtra || m.tail > soakTickLimit+soakOvershoot || m.posted > soakTickLimit/4 || s.posts[0].Stats().Waiting > 0 {
		require.FailNow(s.t, "a bound is broken", "frame %d at %d, due %d, worked %d: %+v, %d of gm wait, stuck %v, %v", f.Number, f.Now, due, engine.Worked(s.eng), *m, s.posts[0].Stats().Waiting, f.Stuck, s.wrong)
	}
	if d > soakFrame || f.Number%64 == 0 {
		s.weigh(f.Number)
	}
}

// weigh checks the size of the heap: with garbage after each stall and in some Ticks, and
// sometimes the live heap.
func (s *soak) weigh(number uint64) {
	if s.rest == 0 {
		return
	}
	s.most.searches++
	s.most.heap = max(s.most.heap, int64(heapNow())-s.rest)
	require.LessOrEqual(s.t, s.most.heap, int64(soakHeap), "the heap is above rest")
	if number%(64*256) == 0 {
		s.most.live = max(s.most.live, int64(heap())-s.lives)
		require.LessOrEqual(s.t, s.most.live, int64(soakLives), "what lives is above rest")
	}
}

// begin makes the world and waits until it is at rest.
func (s *soak) begin(policy engine.CatchUp) {
	o := engine.Options{
		Catalog: s.catalog, Handlers: engine.Handlers{"act": s.act}, Workers: soakWorkers, Budget: brief, Limits: engine.Limits{Turn: 1 << 20, Tick: soakTickLimit, Inbox: soakInboxLimit, Mailbox: 128, Handlers: 1024, Events: 8192, Buffs: soakMaxBuffs}, Seed: long.Seed(),
		Members: s.members, CatchUp: policy,
		Trace: engine.Trace{History: soakHistory},
	}
	e, err := engine.NewOn(o, s.st)
	require.NoError(s.t, err)
	s.eng = e
	for _, name := range soakPosts {
		s.posts = append(s.posts, e.Inbox().For(name))
	}
	for id := range buff.OwnerID(soakOwners) {
		require.NoError(s.t, e.Spawn(1+id, s.owner(1+id)))
	}
	for range 1200 {
		for range 6 {
			s.verb()
		}
		s.st.turn()
		s.tick(soakFrame)
	}
	s.lives = int64(heap())
	s.rest = int64(heapNow())
}

// end removes all owners when they are idle, and compares the books with the engine's statistics.
func (s *soak) end() {
	s.st.calm()
	e := s.eng
	for n := 0; n < 20_000 && (e.Stats().Busy+e.Stats().Inbox+engine.Owed(e) > 0 || e.Stats().Behind > 0); n++ {
		s.st.turn()
		s.tick(0)
	}
	require.Zero(s.t, e.Stats().Busy+e.Stats().Inbox+engine.Owed(e))
	require.Zero(s.t, e.Stats().Behind)
	require.Empty(s.t, engine.CheckCrossIndex(e))
	for id := range buff.OwnerID(soakOwners) {
		if e.Data(1+id) != nil {
			require.NoError(s.t, e.Drop(1+id))
		}
	}
	for range 5 {
		s.st.turn()
		s.tick(0)
	}
	st := e.Stats()
	require.Zero(s.t, st.Timers)
	require.Zero(s.t, s.overlaps.Load())
	require.Equal(s.t, int(st.Undelivered+st.DroppedOnDespawn), s.lost()+s.stray, "%+v", st)
	require.NotZero(s.t, st.InboxRefused)
	require.NotZero(s.t, s.whole)
	require.Zero(s.t, engine.Escaped(e))
	require.NoError(s.t, e.Close(context.Background()))
}

// TestP20_P21_Soak plays a game with stalls of 0.1 s to 10 min, floods of the Inbox, handlers that
// get stuck, panic and end their goroutines, a pool that refuses tasks, auras whose members change
// and whose bearers die, and owners that are spawned and removed. Each Tick keeps its limits by
// count, and memory stays within its limit. A producer that posts little is never refused or
// delayed. No event is early, duplicated or out of order. Each pulse of a buff that is not changed
// was seen. All accepted work was delivered, cancelled, or dropped and counted.
//
//	go test ./engine -run TestP20_P21_Soak -v -long=1000 -timeout 0
func TestP20_P21_Soak(t *testing.T) {
	span := time.Duration(long.Times(90)) * time.Second
	for _, policy := range []engine.CatchUp{engine.Carry, engine.Dilate} {
		t.Run([]string{"carry", "dilate"}[policy], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &soak{
					t: t, soakSpecs: newSoakSpecs(t), soakBooks: newSoakBooks(), st: newStage(long.Seed(), faults{refuse: 50}),
					dice: rand.New(rand.NewPCG(long.Seed(), 30)), blobs: map[buff.OwnerID][]byte{}, gone: map[buff.OwnerID]bool{},
				}
				over := make(chan struct{})
				go func() {
					defer close(over)
					s.begin(policy)
					for left := span; left > 0; left -= s.frame() {
					}
					s.end()
				}()
				s.st.play(over)
				st, m := s.eng.Stats(), s.most
				t.Logf("%v, seed %d: %d Ticks, %d events, %d buffs with all their pulses; %d stuck, %d refused by the pool, %d by the inbox, %d undelivered, %d dropped, %d told that there was no room, %d faults", span, long.Seed(),
					st.Ticks, s.events, s.whole, s.st.stuck, s.st.refused, st.InboxRefused, st.Undelivered, st.DroppedOnDespawn, s.full, st.Faults)
				t.Logf("%d looks of auras, %d deaths", s.looks, s.deaths)
				t.Logf("in one Tick at most: %d due of %d, %d of commands, %d taken from the inbox of %d, %d stuck; %d s behind; heap %.1f MB above rest, %.1f MB of what lives, %d looks", m.due, soakTickLimit,
					m.tail, m.posted, soakTickLimit/4, m.busy, m.behind, float64(m.heap)/(1<<20), float64(m.live)/(1<<20), m.searches)
			})
		})
	}
}
