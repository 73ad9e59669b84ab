package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

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
		t.Issue(s, &Command{Verb: verb.Apply, Application: Application{
			Spec: t.Catalog.newest(l), Source: i.source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(s.magnitudesOf(i)), with: s.age(i), share: t.share,
		}})
	}
}

// tie notes that an application came with a buff, if it changed anything.
//
// What was denied has no tie, and neither has an instant one: there is nothing to go with it. An instance that was joined
// is tied to both buffs, and goes with the first of them. Story: testdata/stat/links.txt.
func (s *Set) tie(of uint64, r outcome) {
	switch r.kind {
	case Applied, Refreshed, Stacked, Queued:
		if s.lives(r.handle) {
			s.needGates().addLink(linkage{of, r.handle})
		}
	}
}

func (g *gates) addLink(l linkage) {
	if !slices.Contains(g.links, l) {
		g.links = append(g.links, l)
	}
}

// brought reports whether something came with a buff: its definition may have no links any more.
func (g *gates) brought(of uint64) bool {
	return g != nil && slices.ContainsFunc(g.links, func(l linkage) bool { return l.of == of })
}

// sendOff ends what came with a buff that has ended. What is applied with it still, because its
// own application waits, is applied before.
func (s *Set) sendOff(t *Turn, of uint64, why Reason, name string) {
	if !t.issue(s, &Command{Verb: verb.RemoveSpec, Amount: int64(of), Reason: why, Name: name, linked: true}) {
		s.beside.gate().untie(of)
	}
}

// unlink ends all instances that came with a buff, the oldest first.
//
// The ends of these send off what came with them in turn, as further commands: a chain of links is taken down breadth first.
func (s *Set) unlink(t *Turn, c *Command) Result {
	of, r := uint64(c.Amount), Result{}
	if s.beside.gate() == nil {
		return r
	}
	s.each(func(at uint16) {
		if slices.Contains(s.beside.gate().links, linkage{of, s.handle(at)}) {
			s.endNamed(t, at, c.Reason, c.Name)
			r.Kind, r.Why = Removed, c.Reason
		}
	})
	s.beside.gate().untie(of)
	return r
}

// untie forgets what came with a buff, dropLinks with whom an instance came.
func (g *gates) untie(of uint64) {
	if g != nil {
		g.links = slices.DeleteFunc(g.links, func(l linkage) bool { return l.of == of })
	}
}

func (g *gates) dropLinks(link Handle) {
	g.links = slices.DeleteFunc(g.links, func(l linkage) bool { return l.link == link })
}

// linked returns with how many buffs an instance came.
func (g *gates) linked(link Handle) (n int) {
	if g != nil {
		for _, l := range g.links {
			if l.link == link {
				n++
			}
		}
	}
	return n
}

// nextLinked returns the age of the next of those, after one.
func (g *gates) nextLinked(link Handle, after uint64) uint64 {
	next := uint64(math.MaxUint64)
	for _, l := range g.links {
		if l.link == link && l.of > after {
			next = min(next, l.of)
		}
	}
	return next
}

// leaveZone: the owner goes to another zone.
//
// Story: testdata/stat/zone.txt.
func (s *Set) leaveZone(t *Turn) Result {
	var r Result
	s.each(func(at uint16) {
		if s.specOf(s.slot(at)).OnZone == define.FateRemove {
			s.endNamed(t, at, Interrupted, "zone")
			r.Amount++
		}
	})
	return r
}
