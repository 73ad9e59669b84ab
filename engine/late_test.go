package engine_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// jail makes handlers of a sim get stuck at random.
type jail struct {
	cells chan chan struct{}
	held  []chan struct{}
	dice  *rand.Rand
	empty bool // no more handlers get stuck
}

// block makes some of the handlers that call it stuck, at random.
func (j *jail) block(p *player) {
	if p.block.IntN(8) == 0 && !j.empty {
		cell := make(chan struct{})
		j.cells <- cell
		<-cell
	}
}

// open lets some of the stuck handlers continue, or all of them.
func (j *jail) open(all bool) {
	for len(j.cells) > 0 {
		j.held = append(j.held, <-j.cells)
	}
	still := j.held[:0]
	for _, cell := range j.held {
		if all || j.dice.IntN(3) == 0 {
			close(cell)
		} else {
			still = append(still, cell)
		}
	}
	j.held = still
}

// runStuck runs a plan with handlers that get stuck, and waits for them at the end.
func runStuck(t *testing.T, p plan, workers int) (events map[buff.OwnerID][]string, busy int) {
	synctest.Test(t, func(t *testing.T) {
		j := &jail{cells: make(chan chan struct{}, 1000), dice: rand.New(rand.NewPCG(p.seed, 7))}
		s := newSim(t, p, engine.Options{Workers: workers, Budget: brief, Limits: engine.Limits{Mailbox: 1 << 16}})
		s.blocked = j.block
		s.run(func(d time.Duration) []time.Duration {
			synctest.Wait()
			busy += s.eng.Stats().Busy
			j.open(false)
			// Commands of the loop have the instant that has been reached.
			for s.tick(d); s.eng.Stats().Behind > 0; s.tick(0) {
				j.open(false)
				synctest.Wait()
			}
			return nil
		})
		synctest.Wait()
		j.empty = true
		j.open(true)
		for range 20 {
			synctest.Wait()
			s.tick(0)
		}
		events = s.finish().events
	})
	return events, busy
}

// TestStuck_SameEventsAsWithout checks that an owner whose handlers sometimes get stuck finally
// has the same events in the same order with the same times as an owner whose handlers do not.
func TestStuck_SameEventsAsWithout(t *testing.T) {
	seeds := uint64(long.Times(10))
	for seed := range seeds {
		p := plan{seed: seed, owners: 8, steps: 25, firm: true}
		s := newSim(t, p, engine.Options{Synchronous: true, Limits: engine.Limits{Mailbox: 1 << 16}})
		s.blocked = func(p *player) { p.block.IntN(8) }
		s.run(whole)
		for range 10 {
			s.tick(0)
		}
		want := s.finish().events
		for _, workers := range []int{1, 3} {
			got, busy := runStuck(t, p, workers)
			require.NotZero(t, busy, "nobody was stuck")
			requireSameOwners(t, want, got, p, " with workers ", workers)
		}
	}
}

// TestStuckChaos checks stuck handlers, faults, owners that are spawned and removed, commands
// between owners and commands of the Inbox, all at once: the events of each buff are in order from
// its application to its single removal, no owner is left behind, and Close succeeds.
func TestStuckChaos(t *testing.T) {
	seeds := uint64(long.Times(8))
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			p := plan{seed: seed, owners: 12, steps: 40, outbox: true, inbox: true, churn: true, goexit: true, shared: seed%2 == 1}
			j := &jail{cells: make(chan chan struct{}, 1000), dice: rand.New(rand.NewPCG(p.seed, 7))}
			s := newSim(t, p, engine.Options{Workers: 3, Budget: brief, Limits: engine.Limits{Mailbox: 20, Turn: 2}})
			s.blocked = j.block
			lives := map[buff.Handle][]buff.Event{}
			s.run(func(d time.Duration) []time.Duration {
				synctest.Wait()
				j.open(j.dice.IntN(10) == 0)
				for e := range s.eng.Tick(d).Events() {
					lives[e.Handle] = append(lives[e.Handle], e)
				}
				return nil
			})
			synctest.Wait()
			j.empty = true
			j.open(true)
			for range 20 {
				synctest.Wait()
				for e := range s.eng.Tick(0).Events() {
					lives[e.Handle] = append(lives[e.Handle], e)
				}
			}
			busy, owed, wrong := s.eng.Stats().Busy, engine.Owed(s.eng), engine.CheckCrossIndex(s.eng)
			s.finish()
			require.Zero(t, busy)
			require.Zero(t, owed, "%v", p)
			require.Empty(t, wrong, "%v", p)
			delete(lives, 0)
			require.Greater(t, len(lives), 30)
			for h, life := range lives {
				requireLife(t, p, h, life)
			}
		})
	}
}

// requireLife checks the events of one buff.
func requireLife(t *testing.T, p plan, h buff.Handle, life []buff.Event) {
	t.Helper()
	removed := false
	require.Contains(t, []buff.EventKind{buff.Applied, buff.Restored}, life[0].Kind, "%v: %v begins with %v", p, h, life[0])
	for i, e := range life {
		if i > 0 {
			require.NotEqual(t, buff.Applied, e.Kind, "%v: %v is applied twice", p, h)
			require.NotEqual(t, buff.Restored, e.Kind, "%v: %v comes back twice", p, h)
			require.LessOrEqual(t, life[i-1].At, e.At, "%v: %v: order: %v", p, h, life)
		}
		require.LessOrEqual(t, e.At, e.Seen, "%v: %v: early", p, h)
		// The handler of the removal may fail.
		require.False(t, removed && e.Kind != buff.Faulted, "%v: %v: %v after its end", p, h, e)
		removed = removed || e.Kind == buff.Removed
	}
}

// refusing is a pool that refuses all tasks while refuse is set, or until it was called a number
// of times.
type refusing struct {
	refuse       bool
	asked, until int
}

var errRefused = errors.New("no worker")

func (r *refusing) Submit(task func()) error {
	r.asked++
	if r.refuse && (r.until == 0 || r.asked < r.until) {
		return errRefused
	}
	task()
	return nil
}

// TestW15_PoolFull checks that a pool that has no room for three frames makes events late and
// changes nothing else.
func TestW15_PoolFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t, buff.Spec{ID: "venom", Duration: 10 * time.Second, Period: 2 * time.Second, On: define.Hooks{Pulse: call("hurt")}})
		handlers := engine.Handlers{"hurt": func(*engine.Context, buff.Event) {}}
		pool := &refusing{}
		full, err := engine.NewOn(engine.Options{Catalog: cat, Workers: 2, Budget: brief, Handlers: handlers}, pool)
		require.NoError(t, err)
		free := open(t, engine.Options{Catalog: cat, Synchronous: true, Handlers: handlers})
		type fact struct {
			owner buff.OwnerID
			kind  buff.EventKind
			at    wheel.Time
		}
		var logs [2][]fact
		seen := map[wheel.Time]wheel.Time{}
		for i, e := range []*engine.Engine{free, full} {
			spawn(t, e, 1)
			add(t, e, 1, cat.Spec("venom"))
			for n := range 12 {
				pool.refuse = n >= 3 && n < 6
				for ev := range e.Tick(time.Second).Events() {
					logs[i] = append(logs[i], fact{ev.Owner, ev.Kind, ev.At})
					if i == 1 && ev.Kind == buff.Pulsed {
						seen[ev.At] = ev.Seen
					}
				}
			}
		}
		require.Equal(t, logs[0], logs[1])
		// The frames at 4, 5 and 6 s had no pool: time advanced by 50 ms and then stopped. The
		// next frame catches up.

		require.Equal(t, map[wheel.Time]wheel.Time{2000: 2000, 4000: 4050, 6000: 7000, 8000: 8000, 10000: 10000}, seen)
		require.NotZero(t, full.Stats().PoolRefused)
		shut(t, full)
	})
}
