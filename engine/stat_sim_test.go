package engine_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/stretchr/testify/require"
)

// byPower returns a number that reads the power of the source.
func byPower(when define.Snapshot, coef float64) define.Number {
	return define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource, Coef: coef, Snapshot: when}
}

// statSpecs are the additional definitions of a plan with stats.
var statSpecs = []buff.Spec{
	{ID: "smite", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: byPower(define.SnapshotCast, 0.1)}}}}},
	{ID: "plague", Duration: 3 * time.Second, Period: 700 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}, On: define.Hooks{
		Pulse: []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: byPower(define.SnapshotApply, 0.05), PerStack: true}}, {Do: define.DoCall, Name: "act"}},
		Apply: []define.Action{{Do: define.DoApply, Name: "bless"}},
	}},
	{ID: "bless", Duration: 4 * time.Second, Stack: define.Stacking{By: define.BySource}, Modifiers: []define.Modifier{
		{Attr: "power", Op: stat.Add, Value: byPower(define.SnapshotCast, 0.1).Or(1)},
		{Attr: "health", Op: stat.MulAdd, Value: define.Const(0.1), PerStack: true},
	}},
	{ID: "feast", Duration: 2 * time.Second, Period: 500 * time.Millisecond, Links: []string{"bless"}, On: define.Hooks{
		Pulse: []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "health", By: byPower(define.SnapshotCast, 0.3).Or(2)}}},
	}},
}

// askStats issues a random command about attributes in a handler.
func (s *sim) askStats(c *engine.Context, p *player, to buff.OwnerID) {
	power, health := attrOf(s.catalog, "power"), attrOf(s.catalog, "health")
	p.calls = append(p.calls, fmt.Sprintf("%d: power %v of %v, health %v", p.id, c.Attribute(power), c.Base(power), c.Attribute(health)))
	switch p.dice.IntN(4) {
	case 0:
		c.Do(buff.SetBase(to, power, float64(5+p.dice.IntN(40))))
	case 1:
		c.Do(buff.AddBase(to, health, float64(p.dice.IntN(30)-10)))
	case 2:
		c.Damage(to, health, float64(p.dice.IntN(20)), 0)
	default:
		a := s.application(p.dice)
		a.Source = p.id
		c.AddBuff(to, a)
	}
}

// changeStats issues a random command about attributes on the loop.
func (s *sim) changeStats(id buff.OwnerID) {
	power, health := attrOf(s.catalog, "power"), attrOf(s.catalog, "health")
	switch s.dice.IntN(4) {
	case 0:
		s.eng.Do(buff.SetBase(id, power, float64(5+s.dice.IntN(40))))
	case 1:
		s.eng.Do(buff.AddBase(id, health, float64(50+s.dice.IntN(50))))
	case 2:
		s.eng.Damage(id, health, float64(s.dice.IntN(20)), 0)
	default:
		require.NoError(s.tb, s.eng.Inbox().Do(buff.AddBase(id, power, 1)))
	}
}

// changes matches changes of health by buffs.
var changes = regexp.MustCompile(" change (smite|plague|feast) health by=")

// TestStats_WorkersDoNotMatter checks that the values that buffs read from their sources, and
// their effect on the attributes of their owners, do not depend on the number of workers.
func TestStats_WorkersDoNotMatter(t *testing.T) {
	seeds := uint64(long.Times(2))
	changed := 0
	for seed := range seeds {
		p := plan{seed: seed, owners: 80, steps: 60, outbox: true, inbox: true, churn: true, shared: seed%2 == 1, stats: true, reload: seed%3 == 1}
		run := func(o engine.Options) []string {
			s := newSim(t, p, o)
			s.run(whole)
			for id := range buff.OwnerID(p.owners + 1) {
				for a := range there(s.eng.Attributes(id)) {
					s.frames = append(s.frames, fmt.Sprintf("%d: %+v", id, a))
				}
			}
			return s.finish().frames
		}
		want := run(engine.Options{Synchronous: true})
		for _, l := range want {
			if changes.MatchString(l) {
				changed++
			}
		}
		for _, workers := range []int{1, 2, 8} {
			requireSame(t, want, run(engine.Options{Workers: workers, Budget: patient}), p, ", workers ", workers)
		}
	}
	require.Greater(t, changed, 100*int(seeds), "too few changes of health to compare")
}
