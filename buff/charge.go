package buff

// consume uses charges: of one buff n, or one of every buff that the act consumes.
func (s *Set) consume(t *Turn, c *Command) Result {
	if c.Handle != 0 {
		i := s.lookup(c.Handle)
		if i == nil {
			return stale(c.Handle)
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
func (s *Set) topUp(t *Turn, i *instance, a *Application) {
	if i.extra == noSlot {
		return
	}
	x, spec := s.extraOf(i), a.Spec
	x.shield = max(x.shield, spec.pool(t, a))
	switch spec.Charges.Refresh {
	case ChargesReset:
		x.charges = int32(spec.Charges.N)
	case ChargesAdd:
		x.charges = min(x.charges+int32(spec.Charges.N), MaxStacks)
	}
}
