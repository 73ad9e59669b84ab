package buff

import "slices"

// A link comes with its buff and goes with it. The Set knows which instances came, or were joined,
// with which buff; that is known by its age, which nothing else of the owner has or will have.
type linkage struct {
	of   uint64 // the age of the buff
	link Handle // what goes with it
}

// bring applies what an instance is linked to: when it begins, and when it is applied again.
//
// Story: testdata/links_refresh.txt.
func (s *Set) bring(t *Turn, i *instance) {
	for _, l := range s.specOf(i).links {
		t.Issue(s, &Command{Verb: VerbApply, Application: Application{
			Spec: t.Catalog.newest(l), Source: i.source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(s.magnitudesOf(i)), with: i.age,
		}})
	}
}

// tie notes that an application came with a buff, if it changed anything.
func (s *Set) tie(of uint64, r outcome) {
	switch r.kind {
	case Applied, Refreshed, Stacked, Queued:
		if s.lives(r.handle) {
			s.addLink(linkage{of, r.handle})
		}
	}
}

func (s *Set) addLink(l linkage) {
	if g := s.needGates(); !slices.Contains(g.links, l) {
		g.links = append(g.links, l)
	}
}

// brought reports whether something came with a buff: its definition may have no links any more.
func (s *Set) brought(of uint64) bool {
	return s.gates != nil && slices.ContainsFunc(s.gates.links, func(l linkage) bool { return l.of == of })
}

// sendOff ends what came with a buff that has ended. What is applied with it still, because its
// own application waits, is applied before.
func (s *Set) sendOff(t *Turn, of uint64, why Reason, name string) {
	if !t.issue(s, &Command{Verb: VerbRemoveSpec, Amount: int64(of), Reason: why, Name: name, linked: true}) {
		s.untie(of)
	}
}

// unlink ends all instances that came with a buff, the oldest first.
func (s *Set) unlink(t *Turn, c *Command) Result {
	of, r := uint64(c.Amount), Result{}
	if s.gates == nil {
		return r
	}
	s.each(func(at uint16) {
		if slices.Contains(s.gates.links, linkage{of, s.handle(at)}) {
			s.endNamed(t, at, c.Reason, c.Name)
			r.Kind, r.Why = Removed, c.Reason
		}
	})
	s.untie(of)
	return r
}

// untie forgets what came with a buff, dropLinks with whom an instance came.
func (s *Set) untie(of uint64) {
	if s.gates != nil {
		s.gates.links = slices.DeleteFunc(s.gates.links, func(l linkage) bool { return l.of == of })
	}
}

func (s *Set) dropLinks(link Handle) {
	s.gates.links = slices.DeleteFunc(s.gates.links, func(l linkage) bool { return l.link == link })
}

// leaveZone: the owner goes to another zone.
func (s *Set) leaveZone(t *Turn) Result {
	var r Result
	s.each(func(at uint16) {
		if s.specOf(&s.slots[at]).OnZone == FateRemove {
			s.endNamed(t, at, Interrupted, "zone")
			r.Amount++
		}
	})
	return r
}
