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

// Absorb reduces an amount of damage by the points of the owner's shields that absorb its school,
// and returns the damage that is left. The shield with the highest priority is used first; among
// shields with equal priority, the oldest. Shields that are limited to certain attributes are used
// too. A spent shield is not removed until the next Absorb command, so a handler that calls this
// method must issue an Absorb command with an Amount of 0.
func (s *Owner) Absorb(amount int64, school buff.Tag) (rest int64) {
	rest, _ = s.absorbDamage(amount, school, 0)
	return rest
}

// absorbDamage does the same as Absorb, for damage to an attribute. If attr is 0, the damage is to
// no attribute in particular. It also reports whether a shield is spent. It searches all buffs
// again after each spent shield: owners have few shields, and a sorted list would cost memory even
// for owners that are never hit.
func (s *Owner) absorbDamage(amount int64, school buff.Tag, attr stat.Attr) (rest int64, spent bool) {
	for amount > 0 {
		best := uint16(noSlot)
		for at := s.oldest; at != noSlot; at = s.slot(at).newer {
			s.visited++
			i := s.slot(at)
			switch {
			case !s.programOf(i).Shield.On:
			case s.shieldLeft(i) == 0:
				spent = true
			case i.flags&hidden == 0 && s.programOf(i).Absorbs(school, attr) && (best == noSlot || s.programOf(i).Shield.Priority > s.programOf(s.slot(best)).Shield.Priority):
				best = at
			}
		}
		if best == noSlot {
			return amount, spent
		}
		amount = s.useShield(best, amount)
		spent = spent || s.hasSpent(s.slot(best))
	}
	return 0, spent
}

// shieldLeft returns the remaining points of an instance's shield. With TimersEach, this is the sum
// over its async stacks.
func (s *Owner) shieldLeft(i *instance) int64 {
	x := s.extraOf(i)
	left := uint64(x.shield)
	if s.programOf(i).Stack.Timers == define.TimersEach {
		for k := range x.async {
			left = min(left+uint64(x.async[k].shield), math.MaxInt64)
		}
	}
	return int64(left)
}

// useShield reduces damage by the shield of an instance, and returns the damage that is left. With
// TimersEach, the async stack that ends first is used first.
func (s *Owner) useShield(at uint16, amount int64) int64 {
	i := s.slot(at)
	x := s.extraOf(i)
	s.mark(at, journal.Shield)
	if s.programOf(i).Stack.Timers != define.TimersEach {
		part := min(amount, x.shield)
		x.shield -= part
		return amount - part
	}
	for k := range x.async {
		part := min(amount, x.async[k].shield)
		x.async[k].shield -= part
		amount -= part
	}
	return amount
}

// hasSpent reports whether the shield of an instance, or of one of its async stacks, has no points
// left.
func (s *Owner) hasSpent(i *instance) bool {
	x := s.extraOf(i)
	if s.programOf(i).Stack.Timers != define.TimersEach {
		return x.shield <= 0
	}
	return slices.ContainsFunc(x.async, func(l asyncStack) bool { return l.shield <= 0 })
}

// absorb executes an Absorb command: it reduces the damage, and ends spent shields.
func (s *Owner) absorb(t *Turn, c *buff.Command) buff.Result {
	if c.Amount < 0 {
		return buff.Result{Err: fmt.Errorf("%w: %d of damage", buff.ErrAmount, c.Amount)}
	}
	r := buff.Result{Amount: s.Absorb(c.Amount, c.Tag)}
	if r.Amount < c.Amount {
		r.Kind = buff.Done
	}
	s.breakSpent(t)
	return r
}

// breakSpent ends the spent shields.
func (s *Owner) breakSpent(t *Turn) {
	s.eachInstance(func(at uint16) {
		if i := s.slot(at); s.programOf(i).Shield.On && s.hasSpent(i) {
			s.endSpent(t, at, reason.Broken, func(l *asyncStack) bool { return l.shield <= 0 })
		}
	})
}

// endSpent ends the part of an instance whose shield or charges are spent. With TimersEach, it ends
// the async stacks for which the function `spent` returns true. In a queue, it ends the running
// application and starts the next one now. Otherwise it ends the instance. endSpent reports whether
// the instance has ended.
//
// Examples: testdata/timers_queue_uses.txt, timers_each_uses.txt.
func (s *Owner) endSpent(t *Turn, at uint16, why reason.Reason, spent func(l *asyncStack) bool) bool {
	i := s.slot(at)
	switch x := s.extraOf(i); {
	case s.programOf(i).Stack.Timers == define.TimersQueue && len(x.async) > 0:
		s.flushPulses(t, at)
		i.end = s.nowOf(t, i)
		s.nextInQueue(t, at)
		return false
	case s.programOf(i).Stack.Timers == define.TimersEach:
		for k := 0; k < len(x.async) && len(x.async) > 1; {
			if !spent(&x.async[k]) {
				k++
				continue
			}
			s.flushPulses(t, at)
			s.removeAsyncStacks(t, at, k, define.MaxStacks)
			e := s.instanceEvent(buff.StackEnded, at)
			e.Why = why
			t.emit(s, &e)
		}
		if !spent(&x.async[0]) {
			return false
		}
	}
	s.end(t, at, why)
	return true
}
