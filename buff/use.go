package buff

import "fmt"

// Charges and shields: what is used up.

// consume uses charges: of one buff n, or one of every buff that the act consumes.
func (s *Set) consume(t *Turn, c *Command) Result {
	if c.Handle != 0 {
		i := s.lookup(c.Handle)
		if i == nil {
			return Result{Err: fmt.Errorf("%w: %v", ErrStale, c.Handle)}
		}
		return s.useCharges(t, c.Handle.slot(), int32(min(max(c.Stacks, 1), MaxStacks)), Consumed)
	}
	var r Result
	if s.gates == nil || s.gates.acts&c.Act.bit() == 0 {
		return r
	}
	s.each(func(at uint16) {
		if s.slots[at].spec.consumeOn&c.Act.bit() != 0 {
			s.useCharges(t, at, 1, Consumed)
			r.Amount++
		}
	})
	return r
}

// useCharges takes n charges off an instance; without any left it ends.
func (s *Set) useCharges(t *Turn, at uint16, n int32, why Reason) Result {
	i := &s.slots[at]
	if i.spec.Charges.N == 0 {
		return Result{Handle: s.handle(at)}
	}
	s.flush(t, at)
	x := s.extraOf(i)
	if x.charges -= n; x.charges <= 0 {
		s.end(t, at, why)
		return Result{Kind: Removed, Why: why, Amount: 1}
	}
	return Result{Handle: s.handle(at), Amount: 1}
}

// topUp is what a further application does to charges and shield, whatever it does to the
// end.
func (s *Set) topUp(i *instance, a *Application) {
	if i.extra == noSlot {
		return
	}
	x, spec := s.extraOf(i), a.Spec
	x.shield = max(x.shield, spec.pool(a))
	switch spec.Charges.Refresh {
	case ChargesReset:
		x.charges = int32(spec.Charges.N)
	case ChargesAdd:
		x.charges = min(x.charges+int32(spec.Charges.N), MaxStacks)
	}
}

// pool returns what a shield of that application absorbs, 0 if it is none.
func (s *Spec) pool(a *Application) int64 {
	switch {
	case !s.Shield.On:
		return 0
	case s.Shield.Pool == 0:
		return max(a.Magnitude, 0)
	}
	return s.Shield.Pool
}

// Absorb lets an amount of damage meet the owner's shields, the one of the highest priority
// first, then the oldest, and returns what is left of it. A shield that is spent stays until
// [Set.carryOut] of Absorb, or the handler that called it has returned, takes it away.
func (s *Set) Absorb(amount int64, school Tag) (rest int64) {
	for amount > 0 {
		best := uint16(noSlot)
		for at := s.oldest; at != noSlot; at = s.slots[at].newer {
			i := &s.slots[at]
			if i.spec.Shield.On && i.flags&hidden == 0 && s.extraOf(i).shield > 0 && i.spec.absorbs(school) &&
				(best == noSlot || i.spec.Shield.Priority > s.slots[best].spec.Shield.Priority) {
				best = at
			}
		}
		if best == noSlot {
			return amount
		}
		x := s.extraOf(&s.slots[best])
		part := min(amount, x.shield)
		x.shield -= part
		amount -= part
	}
	return 0
}

// absorbs reports whether a shield is for that kind of damage.
func (s *Spec) absorbs(school Tag) bool {
	if len(s.schools) == 0 {
		return true
	}
	for ; school != 0; school = s.catalog.above[school-1] {
		for _, t := range s.schools {
			if t == school {
				return true
			}
		}
	}
	return false
}

// absorb is Absorb as a command: the shields that are spent break.
func (s *Set) absorb(t *Turn, c *Command) Result {
	if c.Amount < 0 {
		return Result{Err: fmt.Errorf("%w: %d of damage", ErrAmount, c.Amount)}
	}
	r := Result{Amount: s.Absorb(c.Amount, c.Tag)}
	s.breakSpent(t)
	return r
}

// breakSpent ends the shields that are spent.
func (s *Set) breakSpent(t *Turn) {
	s.each(func(at uint16) {
		if i := &s.slots[at]; i.spec.Shield.On && s.extraOf(i).shield <= 0 {
			s.end(t, at, Broken)
		}
	})
}
