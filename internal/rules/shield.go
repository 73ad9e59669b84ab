package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/stolen"
)

// A shield absorbs damage until its points are used up; then the buff ends. The shield with the
// highest priority is used first, and among equal ones the oldest.

// pool returns the number of points that the shield of an application can absorb, or 0 without a
// shield. The numbers of the application must have been evaluated. A stolen shield keeps its
// remaining points.
//
// Example: testdata/shield.txt.
func pool(s *compile.Program, t *Turn, a *buff.Application) int64 {
	switch taken := stolen.Of(a.Origin.Stolen); {
	case !s.Shield.On:
		return 0
	case taken != nil && taken.Spec.Shield.On:
		return taken.Shield
	case s.PoolBy != nil:
		return t.evaluated.pool
	case s.Shield.Pool == 0:
		return max(a.Magnitude, 0)
	}
	return s.Shield.Pool
}

// refreshedPool returns the remaining points of a shield after a further application with a pool of
// its own. If `higher` is set, the application has a higher level that wins.
//
// Example: testdata/shield_refresh.txt.
func refreshedPool(s *compile.Program, left, fresh int64, higher bool) int64 {
	switch {
	case higher || s.Shield.Refresh == define.ShieldReset:
		return fresh
	case s.Shield.Refresh == define.ShieldAdd:
		return int64(max(uint64(left), min(uint64(left)+uint64(fresh), compile.MostPool)))
	case s.Shield.Refresh == define.ShieldKeep:
		return left
	}
	return max(left, fresh)
}

// Absorb reduces an amount of damage by the points of the owner's shields that absorb its school,
// and returns the damage that is left. The shield with the highest priority is used first; among
// shields with equal priority, the oldest. Shields that are limited to certain attributes are used
// too. A spent shield is not removed until the next Absorb command, so a handler that calls this
// method must issue an Absorb command with an Amount of 0. The actions of on.absorb do not run.
func (s *Owner) Absorb(amount int64, school buff.Tag) (rest int64) {
	rest, _ = s.absorbDamage(nil, amount, school, 0, nil)
	return rest
}

// absorbed is the part of a hit that one shield has absorbed.
type absorbed struct {
	by     buff.Handle
	points int64
}

// absorbDamage does the same as Absorb, for damage to an attribute. If attr is 0, the damage is to
// no attribute in particular. It also reports whether a shield is spent. If t is not nil, it notes
// the points of shields with actions for it. It searches all buffs again after each shield: owners
// have few shields, and a sorted list would cost memory even for owners that are never hit.
func (s *Owner) absorbDamage(t *Turn, amount int64, school buff.Tag, attr stat.Attr, catalog *compile.Catalog) (rest int64, spent bool) {
	used := instance{} // the last shield used
	for amount > 0 {
		best, younger := instance{}, false
		for i := s.first(); i.exists(); i = i.next() {
			s.visited++
			switch h := &i.program().Shield; {
			case !h.On:
			case i.record == used.record:
				younger = true
			case i.shieldLeft() == 0:
				spent = true
			case i.flags&hidden != 0 || !i.program().Absorbs(school, attr):
			case used.exists() && (h.Priority > used.program().Shield.Priority || h.Priority == used.program().Shield.Priority && !younger): // before the last one
			case !best.exists() || h.Priority > best.program().Shield.Priority:
				best = i
			}
		}
		if !best.exists() {
			return amount, spent
		}
		most := best.program().MostAbsorbed(amount)
		if floor := best.program().Shield.Floor; floor > 0 {
			most = min(most, s.pointsBelow(floor, amount, attr, catalog))
		}
		points := most - best.useShield(most)
		amount -= points
		if t != nil && points > 0 && len(best.program().Absorb) > 0 {
			t.absorbed = append(t.absorbed, absorbed{best.handle(), points})
		}
		spent, used = spent || best.hasSpent(), best
	}
	return 0, spent
}

// pointsBelow returns how many points of damage to an attribute would bring its base below a floor.
// It returns 0 if attr is 0.
//
// Example: testdata/stat/shield_floor.txt.
func (s *Owner) pointsBelow(floor, amount int64, attr stat.Attr, catalog *compile.Catalog) int64 {
	if attr == 0 {
		return 0
	}
	sheet := s.ensureRare().ensureSheet(catalog)
	least, most := sheet.Limits(attr)
	room := math.Floor(max(least, min(sheet.Base(attr), most)) - float64(floor))
	if room >= float64(amount) {
		return 0
	}
	return amount - int64(max(room, 0))
}

// shieldLeft returns the remaining points of an instance's shield. With TimersEach, this is the sum
// over its async stacks.
func (i instance) shieldLeft() int64 {
	x := i.extra()
	left := uint64(x.shield)
	if i.program().Stack.Timers == define.TimersEach {
		for k := range x.async {
			left = min(left+uint64(x.async[k].shield), math.MaxInt64)
		}
	}
	return int64(left)
}

// useShield reduces damage by the shield of an instance, and returns the damage that is left. With
// TimersEach, the async stack that ends first is used first.
func (i instance) useShield(amount int64) int64 {
	x := i.extra()
	i.mark(journal.Shield)
	if i.program().Stack.Timers != define.TimersEach {
		part := min(amount, x.shield)
		x.shield -= part
		x.addAbsorbed(part)
		return amount - part
	}
	for k := range x.async {
		part := min(amount, x.async[k].shield)
		x.async[k].shield -= part
		x.addAbsorbed(part)
		amount -= part
	}
	return amount
}

// hasSpent reports whether the shield of an instance, or of one of its async stacks, has no points
// left.
func (i instance) hasSpent() bool {
	x := i.extra()
	if i.program().Stack.Timers != define.TimersEach {
		return x.shield <= 0
	}
	return slices.ContainsFunc(x.async, func(l asyncStack) bool { return l.shield <= 0 })
}

// absorb executes an Absorb command: it reduces the damage, and ends spent shields.
func absorb(t *Turn, s *Owner, c *buff.Command) buff.Result {
	if c.Amount < 0 {
		return buff.Result{Failure: fmt.Errorf("%w: %d of damage", buff.ErrAmount, c.Amount)}
	}
	var r buff.Result
	if r.Amount, _ = s.absorbDamage(t, c.Amount, c.Tag, 0, nil); r.Amount < c.Amount {
		r.Kind = buff.Done
	}
	queueAbsorbActions(t, s, c)
	breakSpent(t, s)
	return r
}

// queueAbsorbActions queues the on.absorb actions of the shields that have absorbed a part of the
// present damage, in the order in which they absorbed. As with acts of damage, no buff reacts in the
// chain of another reaction to damage.
//
// Example: testdata/stat/on_absorb.txt.
func queueAbsorbActions(t *Turn, s *Owner, c *buff.Command) {
	quiet := t.quiet
	for _, a := range t.absorbed {
		if quiet {
			break
		}
		t.quiet = true
		i := s.lookup(a.by)
		e := i.emit(t, buff.Reacted)
		e.Name, e.Target, e.Magnitude, e.School = "absorb", c.Application.Source, a.points, c.Tag
		queueActions(t, s, i.program().Absorb, numbersAt(t, i, offBoundary))
		t.quiet = quiet
	}
	t.absorbed = t.absorbed[:0]
}

// breakSpent ends the spent shields.
func breakSpent(t *Turn, s *Owner) {
	s.eachInstance(func(i instance) {
		if i.program().Shield.On && i.hasSpent() {
			endSpent(t, i, reason.Broken, func(l *asyncStack) bool { return l.shield <= 0 })
		}
	})
}

// endSpent ends the part of an instance whose shield or charges are spent. With TimersEach, it ends
// the async stacks for which the function `spent` returns true. In a queue, it ends the running
// application and starts the next one now. Otherwise it ends the instance. endSpent reports whether
// the instance has ended.
//
// Examples: testdata/timers_queue_uses.txt, timers_each_uses.txt.
func endSpent(t *Turn, i instance, why reason.Reason, spent func(l *asyncStack) bool) bool {
	switch x := i.extra(); {
	case i.program().Stack.Timers == define.TimersQueue && len(x.async) > 0:
		flushPulses(t, i)
		i.end = i.now(t)
		nextInQueue(t, i)
		return false
	case i.program().Stack.Timers == define.TimersEach:
		for k := 0; k < len(x.async) && len(x.async) > 1; {
			if !spent(&x.async[k]) {
				k++
				continue
			}
			flushPulses(t, i)
			removeAsyncStacks(t, i, k, define.MaxStacks)
			e := i.newEvent(buff.StackEnded)
			e.Why = why
			t.emit(i.owner, &e)
		}
		if !spent(&x.async[0]) {
			return false
		}
	}
	end(t, i, why)
	return true
}

// hit is the result of damage against shields, in whole points. It is zero for a change that is
// not damage.
type hit struct {
	absorbed, passed int64
	spent            bool // at least one shield is empty, emptied by this damage or before it
}

// damage reduces an attribute by whole points, after shields have absorbed their part.
func damage(t *Turn, s *Owner, c *buff.Command, catalog *compile.Catalog) buff.Result {
	value := scaleDamage(t, s, c, catalog)
	points := math.Floor(value)
	if value-points >= 0.5 {
		points++
	}
	switch {
	case c.Value == 0: // no damage, and no event
		return buff.Result{}
	case points < 1: // no effect, but an event reports it, so that a wrong number is noticed
		return rebase(t, s, c, catalog, 0, hit{})
	}
	meets := int64(min(points, compile.MostPool))
	rest, spent := s.absorbDamage(t, meets, c.Tag, c.Attr, catalog)
	absorbed := meets - rest
	v := float64(absorbed) - points
	return rebase(t, s, c, catalog, v, hit{absorbed: absorbed, passed: int64(min(-v, compile.MostPool)), spent: spent})
}

// scaleDamage returns the amount of damage, multiplied by the owner's attributes for its school.
// It prefers the present catalog, which has all attributes.
//
// Example: testdata/stat/damage_taken.txt.
func scaleDamage(t *Turn, s *Owner, c *buff.Command, catalog *compile.Catalog) float64 {
	if newest := attributeCatalog(t, s); newest != nil {
		catalog = newest
	}
	v := c.Value
	for a := range catalog.DamageScales(c.Tag) {
		v = min(v*max(s.sheet().ValueIn(catalog.Schema, a), 0), stat.MaxValue)
	}
	return v
}
