package buff

import (
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
)

// consume uses one charge of each buff that has the act in Charges.ConsumeOn and is not hidden.
//
// Examples: testdata/charges.txt, hidden_use.txt.
func (s *Set) consume(t *Turn, act Act) Result {
	var r Result
	if !s.gates().handles(act) {
		return r
	}
	s.eachInstance(func(at uint16) {
		if i := s.slot(at); s.programOf(i).consumeOn&act.bit() != 0 && i.flags&hidden == 0 {
			if one := s.useCharges(t, at, 1, Consumed); r.Kind != Removed {
				r.Kind, r.Why = one.Kind, one.Why
			}
			r.Amount++
		}
	})
	return r
}

// useCharges uses n charges of an instance. With TimersEach it uses the charges of the async stack
// that ends first, and then the charges of the next async stacks. An instance, or an async stack,
// ends when it has no charges left.
func (s *Set) useCharges(t *Turn, at uint16, n int32, why Reason) Result {
	i := s.slot(at)
	if s.programOf(i).Charges.N == 0 {
		return Result{Handle: s.handle(at)}
	}
	s.flushPulses(t, at)
	x, empty := s.extraOf(i), false
	if s.programOf(i).Stack.Timers == define.TimersEach {
		for k := range x.async {
			part := min(n, x.async[k].charges)
			x.async[k].charges -= part
			n -= part
			empty = empty || x.async[k].charges == 0
		}
	} else {
		x.charges -= n
		empty = x.charges <= 0
	}
	s.mark(at, journal.Charges)
	if empty && s.endSpent(t, at, why, func(l *asyncStack) bool { return l.charges <= 0 }) {
		return Result{Kind: Removed, Why: why, Amount: 1}
	}
	return Result{Kind: Done, Handle: s.handle(at), Amount: 1}
}

// chargesLeft returns the remaining charges of an instance; with TimersEach, the sum over its
// async stacks.
func (s *Set) chargesLeft(i *instance) int32 {
	x := s.extraOf(i)
	left := int(x.charges)
	if s.programOf(i).Stack.Timers == define.TimersEach {
		for k := range x.async {
			left = min(left+int(x.async[k].charges), math.MaxInt32)
		}
	}
	return int32(left)
}

// convertUses updates shield and charges of an instance that switches to another version, and of
// each of its applications with separate timers. It adds a shield or charges that the old version
// did not have, and removes a shield or charges that the new version does not have.
func (s *Set) convertUses(t *Turn, i *instance, a *Application, old *program) {
	x, spec := s.ensureExtra(i), programFor(a.Spec)
	if spec.Stack.Timers != define.TimersEach {
		x.shield = max(x.shield, spec.pool(t, a))
		spec.convertUse(old, &x.shield, &x.charges, x.shield)
	}
	if spec.Stack.Timers == define.TimersShared {
		return
	}
	for k := range x.async {
		l := &x.async[k]
		spec.convertUse(old, &l.shield, &l.charges, spec.pool(t, &Application{Magnitude: l.magnitude}))
	}
}

// convertUse is convertUses for one application. If the old version had no shield, pool is the
// shield that the application gets.
func (s *program) convertUse(old *program, shield *int64, charges *int32, pool int64) {
	switch {
	case s.Charges.N == 0:
		*charges = 0
	case old.Charges.N == 0:
		*charges = int32(s.Charges.N)
	}
	switch {
	case !s.Shield.On:
		*shield = 0
	case !old.Shield.On:
		*shield = pool
	}
}

// refreshUses updates charges and shield for a further application, whether or not the application
// moves the end. If higher is set, the application has a higher level that wins, and its charges
// and shield replace the old ones.
func (s *Set) refreshUses(t *Turn, i *instance, a *Application, higher bool) {
	if i.extra == noSlot {
		return
	}
	x, spec := s.extraOf(i), programFor(a.Spec)
	if higher {
		x.shield, x.charges = spec.pool(t, a), spec.initialCharges(a)
		return
	}
	x.shield = max(x.shield, spec.pool(t, a))
	switch more := spec.initialCharges(a); {
	case a.Origin.Rest:
	case spec.Charges.Refresh == define.ChargesReset && a.Origin.Stolen != nil:
		x.charges = max(x.charges, more) // a steal never takes charges from the thief
	case spec.Charges.Refresh == define.ChargesReset:
		x.charges = more
	case spec.Charges.Refresh == define.ChargesAdd:
		x.charges = min(x.charges+more, define.MaxStacks)
	}
}

// initialCharges returns the number of charges of an application. For a stolen buff these are the
// charges that remained.
func (s *program) initialCharges(a *Application) int32 {
	if stolen := stolenOf(a); s.Charges.N > 0 && stolen != nil && stolen.spec.Charges.N > 0 {
		return stolen.charges
	}
	return int32(s.Charges.N)
}

// interrupt ends the buffs that have the act in Interrupt.
func (s *Set) interrupt(t *Turn, act Act) Result {
	var r Result
	if !s.gates().handles(act) {
		return r
	}
	s.eachInstance(func(at uint16) {
		if spec := s.programOf(s.slot(at)); spec.interrupt&act.bit() != 0 {
			s.endNamed(t, at, Interrupted, spec.catalog.acts.name(int(act)))
			r.Kind, r.Why = Removed, Interrupted
			r.Amount++
		}
	})
	return r
}
