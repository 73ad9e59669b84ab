package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
)

// manyBuffs is the number of buffs of TestP10_Many, TestP10_OneInstant and TestP22_ManyAtOnce.
func manyBuffs() int { return long.Pick(10_000, 1_000_000) }

// many is a world with many buffs that has a stall. Most of its buffs end during the stall, at any
// instant; some pulse, each with one of the catch-up rules.
type many struct {
	eng    *engine.Engine
	specs  [4]*buff.Spec // ends, all, coalesce, skip
	owners int
	began  wheel.Time
	last   []wheel.Time // by owner, of its last event
	got    [4]int       // number of ends, and of pulse events by rule
	stood  [4]int       // number of pulses that these events represent
	events int          // number of events
}

const (
	buffsOfOne = 50 // buffs of one owner, of which the last three pulse
	beatsOfOne = 10 // pulses of each of those in the stall
	// milliseconds over which the owners are added, or all would pulse at one instant
	manyWaves = 400
)

func newMany(t *testing.T, owners int, stall time.Duration, o engine.Options) *many {
	t.Helper()
	beat := func(id string, rule define.Catchup) buff.Spec {
		return buff.Spec{ID: id, Kind: define.Infinite, Period: stall / beatsOfOne, Catchup: rule}
	}
	o.Catalog = catalogOf(t, buff.Spec{ID: "ends", Duration: time.Hour},
		beat("all", define.CatchupAll), beat("coalesce", define.CatchupCoalesce), beat("skip", define.CatchupSkip))
	m := &many{owners: owners, eng: open(t, o)}
	m.last = make([]wheel.Time, m.owners)
	for i := range m.specs {
		m.specs[i] = o.Catalog.Spec([]string{"ends", "all", "coalesce", "skip"}[i])
	}
	d := rand.New(rand.NewPCG(uint64(stall), 10))
	for n := range m.owners {
		id := buff.OwnerID(n)
		spawn(t, m.eng, id)
		for k := range buffsOfOne {
			a := buff.Application{Spec: m.specs[max(0, k-(buffsOfOne-4))]}
			if a.Spec == m.specs[0] {
				a.Duration = buff.Lasting(time.Duration(1+d.Int64N(stall.Milliseconds())) * time.Millisecond)
			}
			if r := m.eng.AddBuff(id, a); r.Failure != nil {
				require.NoError(t, r.Failure)
			}
		}
		if n%max(1, m.owners/manyWaves) == 0 && m.eng.Now() < manyWaves {
			m.tick(t, time.Millisecond)
		}
	}
	m.tick(t, 0)
	require.Zero(t, m.eng.Stats().Behind)
	m.began = m.eng.Now()
	return m
}

// tick runs a frame and checks that no event is early and that the events of each owner are in
// order.
func (m *many) tick(t *testing.T, dt time.Duration) *engine.Frame {
	f := m.eng.Tick(dt)
	m.events += f.Len()
	for e := range f.Events() {
		if e.At < m.last[e.Owner] || e.At > e.Seen || e.Seen > f.Now {
			require.Fail(t, "out of order", "%v after %v, seen at %v in a frame at %v", e, m.last[e.Owner], e.Seen, f.Now)
		}
		m.last[e.Owner] = e.At
		for i, s := range m.specs {
			if e.Spec == s && (e.Kind == buff.Pulsed || e.Kind == buff.Removed) {
				m.got[i]++
				m.stood[i] += int(max(e.Count, 1))
			}
		}
	}
	return f
}

// requireAll checks that each end and pulse was seen once, or dropped by its own rule.
func (m *many) requireAll(t *testing.T) {
	t.Helper()
	beats := beatsOfOne * m.owners
	require.Equal(t, m.owners*(buffsOfOne-3), m.got[0], "ends")
	require.Equal(t, beats, m.got[1], "each pulse")
	require.Equal(t, beats, m.stood[2], "some stand for several")
	require.Equal(t, beats, m.got[3]+int(m.eng.Stats().Dropped), "some are dropped, and counted")
}

// TestP10_Many runs stalls of 5 s, 1 h and 25 h in one Tick, with 10,000 buffs, or a million with
// -long. No Tick processes more events than its limit. The backlog is carried and reported, or the
// time is dropped and counted. The events of each owner are in order, and finally all events were
// seen.
func TestP10_Many(t *testing.T) {
	owners := manyBuffs() / buffsOfOne
	limit := min(engine.DefaultTickLimit, owners*buffsOfOne/8)
	for i, stall := range []time.Duration{5 * time.Second, time.Hour, 25 * time.Hour} {
		for _, policy := range []engine.CatchUp{engine.Carry, engine.Dilate} {
			o := engine.Options{Limits: engine.Limits{Tick: limit}, CatchUp: policy, Workers: 2, Synchronous: i == 1, Budget: patient}
			t.Run(fmt.Sprint(stall, " ", policy), func(t *testing.T) {
				m := newMany(t, owners, stall, o)
				end, before, most, ticks := m.began.After(stall), m.events, 0, 0
				for dt := stall; m.eng.Now() < end || m.eng.Stats().Busy > 0; ticks++ {
					f := m.tick(t, dt)
					st := m.eng.Stats()
					most = max(most, f.Len(), engine.Worked(m.eng))
					left := time.Duration(end-f.Now) * time.Millisecond
					require.Equal(t, f.Behind, st.Behind)
					if dt = 0; policy == engine.Carry {
						require.Equal(t, left, f.Behind, "the backlog")
					} else {
						require.Equal(t, left, f.Lost, "what was dropped")
						dt = left
					}
				}
				require.LessOrEqual(t, most, limit)
				require.GreaterOrEqual(t, ticks, (m.events-before)/limit)
				require.Greater(t, ticks, 5, "the stall was worked off at once")
				m.requireAll(t)
				t.Logf("%d buffs, %d events, %d Ticks, %d in one at most, %d the limit", owners*buffsOfOne, m.events, ticks, most, limit)
			})
		}
	}
}

// TestP10_OneInstant checks that 10,000 buffs, or a million with -long, that end in one
// millisecond are divided among the following Ticks: no Tick processes more than Limits.Tick, time
// does not pass them, and commands for an owner run after all events that were due for it.
func TestP10_OneInstant(t *testing.T) {
	owners := manyBuffs() / buffsOfOne
	// The limit is such that a Tick reaches it in the middle of an owner's events.
	limit := min(engine.DefaultTickLimit, manyBuffs()/8-3)
	for _, workers := range []int{0, 2} {
		cat := catalogOf(t, buff.Spec{ID: "ends", Duration: time.Hour}, buff.Spec{ID: "next", Kind: define.Infinite})
		e := open(t, engine.Options{Catalog: cat, Workers: workers, Synchronous: workers == 0, Budget: patient, Limits: engine.Limits{Tick: limit}})
		for n := range owners {
			spawn(t, e, buff.OwnerID(n))
			for range buffsOfOne {
				add(t, e, buff.OwnerID(n), cat.Spec("ends"))
			}
			if n%10_000 == 0 {
				e.Tick(0)
			}
		}
		e.Tick(time.Hour - time.Millisecond)
		ended, began, took := make([]int, owners), 0, []time.Duration{}
		for dt, asked := time.Millisecond, 0; e.Stats().Busy > 0 || dt > 0; dt = 0 {
			begin := time.Now()
			f := e.Tick(dt)
			took = append(took, time.Since(begin).Round(time.Millisecond))
			require.EqualValues(t, time.Hour.Milliseconds(), f.Now)
			require.LessOrEqual(t, engine.Worked(e), limit)
			for ev := range f.Events() {
				switch ev.Kind {
				case buff.Removed:
					ended[ev.Owner]++
				case buff.Applied:
					require.Equal(t, buffsOfOne, ended[ev.Owner], "asked later, done earlier")
					began++
				}
				require.Equal(t, f.Now, ev.At)
			}
			for range 3 {
				if id := asked * 37; id < owners {
					r := e.AddBuff(buff.OwnerID(id), buff.Application{Spec: cat.Spec("next")})
					require.NoError(t, r.Failure)
					require.Equal(t, ended[id] < buffsOfOne, r.Queued)
					began -= 1
					asked++
				}
			}
		}
		for range 2 {
			for ev := range e.Tick(0).Events() {
				if ev.Kind == buff.Applied {
					began++
				}
			}
		}
		require.Zero(t, began, "each command is carried out once")
		for _, n := range ended {
			require.Equal(t, buffsOfOne, n)
		}
		require.Greater(t, len(took), manyBuffs()/limit-1)
		t.Logf("%d buffs, workers %d: %d Ticks: %v", manyBuffs(), workers, len(took), took)
	}
}

// TestTick_ManyEndsAtOnce checks that when many buffs end at once, owners with few ends are not
// divided: nearly every owner has all its ends in one Tick.
func TestTick_ManyEndsAtOnce(t *testing.T) {
	const owners, ends = 20_000, 3
	for _, workers := range []int{0, 2} {
		cat := catalogOf(t, buff.Spec{ID: "ends", Duration: time.Second})
		e := open(t, engine.Options{Catalog: cat, Workers: workers, Synchronous: workers == 0, Budget: patient})
		for n := range owners {
			spawn(t, e, buff.OwnerID(n))
			for range ends {
				add(t, e, buff.OwnerID(n), cat.Spec("ends"))
			}
		}
		e.Tick(time.Second - time.Millisecond)
		ended, ticks, turns := 0, 0, 0
		for dt := time.Millisecond; ended < owners*ends; dt = 0 {
			now := map[buff.OwnerID]int{}
			for ev := range e.Tick(dt).Events() {
				now[ev.Owner]++
				ended++
			}
			ticks++
			turns += len(now)
		}
		require.Equal(t, 1+owners*ends/engine.DefaultTickLimit, ticks)
		require.Less(t, turns, owners+owners/100)
	}
}

// TestP10_CatchUpRules checks a stall of few buffs, which is processed in one slice: pulses are
// coalesced or dropped as their definitions say. If a Tick has several slices, this applies to
// each slice.
func TestP10_CatchUpRules(t *testing.T) {
	m := newMany(t, 2, 5*time.Second, engine.Options{Synchronous: true})
	require.Zero(t, m.tick(t, 5*time.Second).Behind)
	m.requireAll(t)
	require.Equal(t, m.owners, m.got[2])
	require.Equal(t, m.owners, m.got[3])
}

// TestP22_ManyAtOnce is benchmark M7: 20,000 buffs, or the result of manyBuffs, end in one
// millisecond while all workers are stuck. The Tick takes no longer than its budget, by a clock
// that is stopped while the loop runs. No other turn starts while the workers are stuck, and all
// events are processed when the workers are free.
func TestP22_ManyAtOnce(t *testing.T) {
	owners := manyBuffs() / buffsOfOne
	synctest.Test(t, func(t *testing.T) {
		const budget = 7 * time.Millisecond
		cell := make(chan struct{})
		cat := catalogOf(t, buff.Spec{ID: "ends", Duration: time.Hour})
		e, err := engine.New(engine.Options{Catalog: cat, Workers: 2, Budget: budget})
		require.NoError(t, err)
		for n := range owners {
			spawn(t, e, buff.OwnerID(n))
			for range buffsOfOne {
				add(t, e, buff.OwnerID(n), cat.Spec("ends"))
			}
			if n%10_000 == 0 {
				e.Tick(0)
			}
		}
		for id := range buff.OwnerID(2) {
			_, err := e.AddTimeout(id, 0, func(*engine.Context) { <-cell })
			require.NoError(t, err)
		}
		e.Tick(time.Millisecond)
		ended := 0
		for range 3 {
			began := time.Now()
			f := e.Tick(time.Hour)
			for ev := range f.Events() {
				if ev.Kind == buff.Removed {
					ended++
				}
			}
			require.LessOrEqual(t, time.Since(began), budget)
			require.Len(t, f.Stuck, 2)
			require.Equal(t, owners-2, f.Waiting)
		}
		require.Zero(t, ended)
		for n := range owners {
			// There is one message for each of its deadlines, and a run message for each frame.
			require.LessOrEqual(t, engine.Mail(e, n), buffsOfOne+4)
		}
		close(cell)
		for synctest.Wait(); e.Stats().Busy > 0; synctest.Wait() {
			for ev := range e.Tick(0).Events() {
				if ev.Kind == buff.Removed {
					ended++
				}
			}
		}
		require.Equal(t, owners*buffsOfOne, ended)
		shut(t, e)
	})
}
