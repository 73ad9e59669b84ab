package buff

// A link comes with its buff and goes with it.

// bring applies what an instance is linked to: when it begins, and when it is applied again.
func (s *Set) bring(t *Turn, i *instance) {
	for _, l := range i.spec.links {
		t.Issue(s, Command{Verb: Apply, Application: Application{
			Spec: t.Catalog.newest(l), Source: i.source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(s.keptOf(i)),
		}})
	}
}

// sendOff ends what a buff that has ended was linked to: for each definition the oldest
// instance of the same source.
func (s *Set) sendOff(t *Turn, spec *Spec, source OwnerID, why Reason, name string) {
	for _, l := range spec.links {
		t.Issue(s, Command{Verb: RemoveSpec, Application: Application{Spec: l, Source: source}, Reason: why, Name: name, linked: true})
	}
}

// unlink ends the oldest instance of a definition and a source.
func (s *Set) unlink(t *Turn, c *Command) Result {
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if i := &s.slots[at]; i.source == c.Application.Source && s.same(i.spec, c.Application.Spec) {
			s.endNamed(t, at, c.Reason, c.Name)
			return Result{Kind: Removed, Why: c.Reason}
		}
	}
	return Result{}
}

// leaveZone: the owner goes to another zone.
func (s *Set) leaveZone(t *Turn) Result {
	var r Result
	s.each(func(at uint16) {
		if s.slots[at].spec.OnZone == FateRemove {
			s.endNamed(t, at, Interrupt, "zone")
			r.Amount++
		}
	})
	return r
}
