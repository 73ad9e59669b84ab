package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/stolen"
)

// A buff with charges loses one for each act that consumes it. It ends with the last charge, or is
// hidden until a charge comes back.

// useCharges uses n charges of an instance. With TimersEach it uses the charges of the async stack
// that ends first, and then the charges of the next async stacks. An instance, or an async stack,
// ends when it has no charges left.
func useCharges(t *Turn, i instance, n int32, why reason.Reason) buff.Result {
	if i.program().Charges.N == 0 {
		return buff.Result{Handle: i.handle()}
	}
	flushPulses(t, i)
	x, empty := i.extra(), false
	switch {
	case i.program().Recharge > 0:
		if x.charges == 0 {
			return buff.Result{Handle: i.handle()}
		}
		x.charges = max(x.charges-n, 0)
		updateRecharge(t, i)
	case i.program().Stack.Timers == define.TimersEach:
		for k := range x.async {
			part := min(n, x.async[k].charges)
			x.async[k].charges -= part
			n -= part
			empty = empty || x.async[k].charges == 0
		}
	default:
		x.charges -= n
		empty = x.charges <= 0
	}
	i.mark(journal.Charges)
	if empty && endSpent(t, i, why, func(l *asyncStack) bool { return l.charges <= 0 }) {
		return buff.Result{Kind: buff.Removed, Why: why, Amount: 1}
	}
	return buff.Result{Kind: buff.Done, Handle: i.handle(), Amount: 1}
}

// With Charges.Recharge, the charges that were used come back one at a time. The time for the first
// of them starts when it is used, and that for the next one when a charge has come back.

// updateRecharge starts or stops the time until the next charge, after the charges or the definition
// have changed.
//
// Examples: testdata/recharge.txt, recharge_refresh.txt.
func updateRecharge(t *Turn, i instance) {
	spec, x := i.program(), i.extra()
	switch {
	case spec.Recharge == 0 || x.charges >= int32(spec.Charges.N):
		i.flags &^= recharging
	case i.flags&recharging == 0:
		i.flags |= recharging
		x.nextCharge = i.now(t).Add(rechargeSpan(t, i))
	}
	i.markDirty(t)
	i.owner.ensureGates().requestReevaluation()
}

// recharge gives back the charge that is due.
func recharge(t *Turn, i instance) {
	flushPulses(t, i)
	x := i.extra()
	if x.charges++; x.charges < int32(i.program().Charges.N) {
		x.nextCharge = x.nextCharge.Add(rechargeSpan(t, i))
	} else {
		i.flags &^= recharging
	}
	i.mark(journal.Charges)
	i.owner.ensureGates().requestReevaluation()
}

// chargesLeft returns the remaining charges of an instance; with TimersEach, the sum over its
// async stacks.
func (i instance) chargesLeft() int32 {
	x := i.extra()
	left := int(x.charges)
	if i.program().Stack.Timers == define.TimersEach {
		for k := range x.async {
			left = min(left+int(x.async[k].charges), math.MaxInt32)
		}
	}
	return int32(left)
}

// convertUses updates shield and charges of an instance that switches to another version, and of
// each of its applications with separate timers. It adds a shield or charges that the old version
// did not have, and removes a shield or charges that the new version does not have.
func convertUses(t *Turn, i instance, a *buff.Application, old *compile.Program) {
	x, spec := i.ensureExtra(), compile.Of(a.Spec)
	if spec.Stack.Timers != define.TimersEach {
		x.shield = max(x.shield, pool(spec, t, a))
		convertUse(spec, old, &x.shield, &x.charges, x.shield)
	}
	if spec.Stack.Timers == define.TimersShared {
		return
	}
	for k := range x.async {
		l := &x.async[k]
		convertUse(spec, old, &l.shield, &l.charges, pool(spec, t, &buff.Application{Magnitude: l.magnitude}))
	}
}

// convertUse does the same as convertUses, for one application. If the old version had no shield,
// `pool` is the shield that the application gets.
func convertUse(s *compile.Program, old *compile.Program, shield *int64, charges *int32, pool int64) {
	switch {
	case s.Charges.N == 0:
		*charges = 0
	case old.Charges.N == 0, *charges == 0 && s.Recharge == 0:
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
// moves the end. If `higher` is set, the application has a higher level that wins, and its charges
// and shield replace the old ones.
func refreshUses(t *Turn, i instance, a *buff.Application, higher bool) {
	if i.extraIndex == noSlot {
		return
	}
	x, spec := i.extra(), compile.Of(a.Spec)
	x.shield = refreshedPool(spec, x.shield, pool(spec, t, a), higher)
	switch more := initialCharges(spec, a); {
	case higher:
		x.charges = more
	case a.Origin.Rest:
	case spec.Charges.Refresh == define.ChargesReset && a.Origin.Stolen != nil:
		x.charges = max(x.charges, more) // a steal never takes charges from the thief
	case spec.Charges.Refresh == define.ChargesReset:
		x.charges = more
	case spec.Charges.Refresh == define.ChargesAdd:
		x.charges = min(x.charges+more, define.MaxStacks)
	}
	if spec.Recharge > 0 {
		updateRecharge(t, i)
	}
}

// initialCharges returns the number of charges of an application. For a stolen buff these are the
// charges that remained.
func initialCharges(s *compile.Program, a *buff.Application) int32 {
	if taken := stolen.Of(a.Origin.Stolen); s.Charges.N > 0 && taken != nil && taken.Spec.Charges.N > 0 {
		return taken.Charges
	}
	return int32(s.Charges.N)
}
