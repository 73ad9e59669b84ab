package engine_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// stage is a pool that runs one task at a time, until the task's next handler. A random source
// decides which task is next. So everything that would otherwise depend on the machine depends on
// the seed: which worker is faster, which handler gets stuck and for how long, and when the pool
// has no room.
//
// It requires a bubble of synctest: a task continues only when all other goroutines, including the
// loop, are blocked.
type stage struct {
	faults faults
	loop   *rand.Rand // for the refusals of the pool, which the loop sees
	tasks  *rand.Rand // for handlers that get stuck
	order  *rand.Rand // for the order of the tasks

	mu      sync.Mutex
	ready   []*turnstile
	born    int
	running int // number of the running task; 0 for the loop

	refused, stuck, steps int
}

// turnstile blocks a task until the stage lets it continue.
type turnstile struct {
	number int
	open   chan struct{}
	until  int // it is stuck until this step
}

func newStage(seed uint64, f faults) *stage {
	dice := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }
	return &stage{faults: f, loop: dice(20), tasks: dice(21), order: dice(22)}
}

// faults says what fails, each with a probability of 1 in n; 0 means never.
type faults struct {
	refuse, stick int
	goexit        bool
	flood, jump   int
}

var errNoRoom = errors.New("the stage has no room")

// Submit implements the pool. It numbers the tasks, on the loop.
func (s *stage) Submit(task func()) error {
	if n := s.faults.refuse; n > 0 && s.loop.IntN(n) == 0 {
		s.refused++
		return errNoRoom
	}
	s.mu.Lock()
	s.born++
	number := s.born
	s.mu.Unlock()
	t := s.wait(number, 0)
	go func() {
		<-t.open
		task()
	}()
	return nil
}

// wait adds a turnstile.
func (s *stage) wait(number, until int) *turnstile {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &turnstile{number: number, until: until, open: make(chan struct{})}
	s.ready = append(s.ready, t)
	return t
}

// pause waits for the task's next turn, and may make the task stuck before it.
func (s *stage) pause() {
	s.mu.Lock()
	number, until := s.running, 0
	if n := s.faults.stick; n > 0 && s.tasks.IntN(n) == 0 {
		s.stuck++
		until = s.steps + s.tasks.IntN(200)
	}
	s.mu.Unlock()
	<-s.wait(number, until).open
}

// turn waits, on the loop, for a turn between two Ticks, in which stuck tasks may continue.
func (s *stage) turn() { <-s.wait(0, 0).open }

// calm ends the faults.
func (s *stage) calm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults{}
	for _, w := range s.ready {
		w.until = 0
	}
}

// step lets one task continue. If none may, it lets time pass. All goroutines are blocked.
//
// The lock is needed because time may have woken the loop in the meantime.
func (s *stage) step() {
	s.mu.Lock()
	s.steps++
	slices.SortFunc(s.ready, func(a, b *turnstile) int { return a.number - b.number })
	may := []int{}
	for i, t := range s.ready {
		if t.until <= s.steps {
			may = append(may, i)
		}
	}
	if len(may) == 0 {
		s.mu.Unlock()
		// in the bubble's time, so that the budget of the waiting Tick runs out
		<-time.NewTimer(2 * brief).C
		return
	}
	i := may[s.order.IntN(len(may))]
	t := s.ready[i]
	s.ready = slices.Delete(s.ready, i, i+1)
	s.running = t.number
	s.mu.Unlock()
	close(t.open)
}

// play runs the tasks until the loop's goroutine has ended and all tasks that it did not wait for
// have ended.
func (s *stage) play(over <-chan struct{}) {
	for ended := false; !ended || s.waiting() > 0; {
		synctest.Wait()
		select {
		case <-over:
			ended = true
		default:
		}
		if !ended || s.waiting() > 0 {
			s.step()
		}
	}
}

func (s *stage) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ready)
}

// simulate plays a plan on a stage and returns its logs.
func simulate(t *testing.T, p plan, f faults, o engine.Options) (s *sim, st *stage, lives map[buff.Handle][]buff.Event) {
	synctest.Test(t, func(t *testing.T) {
		st = newStage(p.seed, f)
		lives = map[buff.Handle][]buff.Event{}
		over := make(chan struct{})
		go func() {
			defer close(over)
			s = newSim(t, p, o, st)
			s.onlooker = newOnlooker(s.eng)
			s.blocked = func(*player) { st.pause() }
			world := rand.New(rand.NewPCG(p.seed, 6))
			s.keep = func(e buff.Event) { lives[e.Handle] = append(lives[e.Handle], e) }
			s.run(func(d time.Duration) []time.Duration {
				if f.flood > 0 && world.IntN(f.flood) == 0 {
					s.flood()
				}
				if f.jump > 0 && world.IntN(f.jump) == 0 {
					d *= 20
				}
				st.turn()
				return []time.Duration{d}
			})
			st.calm()
			for n := 0; n < 2000 && s.eng.Stats().Busy+int(s.eng.Stats().Behind)+engine.Owed(s.eng) > 0; n++ {
				st.turn()
				s.tick(0)
			}
			s.stats = s.eng.Stats()
			s.owed, s.wrong = engine.Owed(s.eng), engine.CheckCrossIndex(s.eng)
			s.finish()
		}()
		st.play(over)
	})
	return s, st, lives
}

// flood fills the Inbox up to its limit.
func (s *sim) flood() {
	for {
		if err := s.eng.Inbox().AddTimeout(buff.OwnerID(1+s.dice.IntN(s.plan.owners)), s.span(s.dice), s.ring); err != nil {
			require.ErrorIs(s.tb, err, engine.ErrInboxFull)
			return
		}
	}
}

// hash returns a hash of everything that a sim has logged.
func (s *sim) hash() uint64 {
	h := fnv.New64a()
	for _, line := range s.frames {
		_, _ = h.Write([]byte(line))
	}
	return h.Sum64()
}

// planOf returns the random plan, faults and options of a seed.
func planOf(seed uint64) (plan, faults, engine.Options) {
	d := rand.New(rand.NewPCG(seed, 2))
	one := func(n int) bool { return d.IntN(n) == 0 }
	p := plan{
		seed: seed, owners: 3 + d.IntN(12), steps: 15 + d.IntN(20),
		outbox: !one(4), inbox: !one(4), churn: !one(3), shared: one(2), goexit: !one(3),
	}
	f := faults{goexit: p.goexit}
	for _, n := range []*int{&f.refuse, &f.stick, &f.flood, &f.jump} {
		if one(2) {
			*n = 3 + d.IntN(30)
		}
	}
	o := engine.Options{
		Workers: 1 + d.IntN(6), Budget: brief, Limits: engine.Limits{Turn: 1 << 20, Tick: 1 << (4 + d.IntN(12)), Mailbox: 4 << d.IntN(8), Inbox: 8 << d.IntN(6), Handlers: 64}, Seed: seed,
	}
	if one(4) {
		o.CatchUp = engine.Dilate
	}
	if one(3) {
		o.Limits.Turn = 1 + d.IntN(8)
	}
	return p, f, o
}

// TestSimulation is model test M3: the whole engine, with everything that can fail, from one seed.
// The events of each buff are in order, no owner is left behind, no accepted work is lost, Close
// ends the engine, and the same seed repeats all of it.
//
//	go test ./engine -run TestSimulation -seed 17
func TestSimulation(t *testing.T) {
	first := int64(long.Seed())
	last := first + int64(long.Times(10))
	var total struct{ refused, stuck, behind, busy, events int }
	for seed := first; seed < last; seed++ {
		p, f, o := planOf(uint64(seed))
		hint := fmt.Sprintf("go test ./engine -run TestSimulation -seed %d", seed)
		s, st, lives := simulate(t, p, f, o)
		require.Zero(t, s.stats.Busy, hint)
		require.Zero(t, s.stats.Behind, hint)
		require.Zero(t, s.owed, hint)
		require.Empty(t, s.wrong, hint)
		require.Zero(t, s.overlaps.Load(), hint)
		delete(lives, 0)
		for h, life := range lives {
			requireLife(t, p, h, life)
		}
		// A task that requeues a late owner runs on for a moment concurrently with the loop, so
		// the random source does not determine in which frame its events are seen.
		if o.Limits.Turn == 1<<20 {
			again, _, _ := simulate(t, p, f, o)
			requireSame(t, s.frames, again.frames, hint)
			require.Equal(t, s.hash(), again.hash(), hint)
		}
		total.refused += st.refused
		total.stuck += st.stuck
		total.events += int(s.stats.Events)
		total.behind += s.behind
		total.busy += s.busy
	}
	t.Logf("%d seeds, %d events, %d refusals, %d stuck, %d busy, %d behind", last-first, total.events, total.refused, total.stuck, total.busy, total.behind)
	if last-first >= 50 { // with fewer seeds, some of these may be zero by chance
		require.NotZero(t, total.refused)
		require.NotZero(t, total.stuck)
		require.NotZero(t, total.behind)
		require.NotZero(t, total.busy)
	}
}

// TestSimulatedWorkers checks that in whatever order the workers' turns run, a Tick that waits for
// all of them gives the same frame as an engine without workers.
func TestSimulatedWorkers(t *testing.T) {
	seeds := uint64(long.Times(4))
	for seed := range seeds {
		p := plan{seed: seed, owners: 10, steps: 20, outbox: true, inbox: true, churn: true, shared: seed%2 == 1}
		want := newSim(t, p, engine.Options{Synchronous: true})
		want.run(whole)
		want.finish()
		s, _, _ := simulate(t, p, faults{}, engine.Options{Workers: 1 + int(seed%5), Budget: patient, Limits: engine.Limits{Turn: 1 + int(seed%3)}})
		requireSame(t, want.frames[:len(want.frames)/2], s.frames[:len(want.frames)/2], p)
		for id := range want.events {
			requireSame(t, want.events[id], s.events[id], p, " owner ", id)
		}
	}
}

// TestP21_Accounting checks at every quiet moment that the accepted work equals the work that was
// delivered, cancelled, or dropped and counted.
func TestP21_Accounting(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			st := newStage(seed, faults{refuse: 9, stick: 9})
			over := make(chan struct{})
			go func() {
				defer close(over)
				dice := rand.New(rand.NewPCG(seed, 8))
				e, err := engine.NewOn(engine.Options{Workers: 3, Budget: brief, Limits: engine.Limits{Mailbox: 8, Inbox: 16}}, st)
				require.NoError(t, err)
				var accepted, refused, rung, taken, called int
				ring := func(*engine.Context) { called++; st.pause() }
				handles := []buff.TimeoutHandle{}
				count := func(f *engine.Frame) {
					for ev := range f.Events() {
						require.Equal(t, buff.TimedOut, ev.Kind)
						rung++
					}
				}
				for id := range buff.OwnerID(5) {
					require.NoError(t, e.Spawn(id, nil))
				}
				add := func(err error) {
					if err == nil {
						accepted++
						return
					}
					require.True(t, errors.Is(err, engine.ErrOverloaded) || errors.Is(err, engine.ErrInboxFull))
					refused++
				}
				for range 60 {
					for range dice.IntN(20) {
						id, d := buff.OwnerID(dice.IntN(5)), time.Duration(dice.IntN(500))*time.Millisecond
						switch dice.IntN(4) {
						case 0:
							add(e.Inbox().AddTimeout(id, d, ring))
						case 1:
							// A queued command has no result yet.
							if len(handles) == 0 || e.Stats().Busy > 0 {
								continue
							}
							if e.Cancel(handles[dice.IntN(len(handles))]).Kind == buff.Removed {
								taken++
							}
						case 2:
							if dice.IntN(20) == 0 {
								require.NoError(t, e.Drop(id))
								add(e.Spawn(id, nil))
								accepted--
							}
						default:
							h, err := e.AddTimeout(id, d, ring)
							add(err)
							if h != 0 {
								handles = append(handles, h)
							}
						}
					}
					st.turn()
					count(e.Tick(time.Duration(dice.IntN(100)) * time.Millisecond))
				}
				st.calm()
				for e.Stats().Busy > 0 {
					st.turn()
					count(e.Tick(0))
				}
				s := e.Stats()
				require.Equal(t, accepted, rung+taken+engine.Timeouts(e)+int(s.DroppedOnDespawn+s.Undelivered), "seed %d: %+v", seed, s)
				require.Equal(t, rung, called)
				require.NotZero(t, refused)
				require.NoError(t, e.Close(context.Background()))
			}()
			st.play(over)
		})
	}
}
