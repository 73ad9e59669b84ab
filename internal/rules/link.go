package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
)

// A buff can apply other buffs, its links, which end when it ends. A link with several heads ends
// with the last of them.

// linkage records that an instance is a link of a head. A head is a buff whose definition has
// links. Each instance that the head starts or joins by applying these definitions is one of its
// links. A link with several heads ends with the last of them. A head is identified by its age,
// which is unique for the owner.
type linkage struct {
	head   uint64 // age of the head
	link   buff.Handle
	stacks int16 // number of stacks of the link that this head has added
}

// applyLinks issues one application for each link of a head. It is called when the head starts and
// when the head is applied again.
//
// Example: testdata/links_refresh.txt.
func applyLinks(t *Turn, i instance) {
	for _, l := range i.program().Links {
		t.Issue(i.owner, &buff.Command{Verb: verb.Apply, Application: buff.Application{
			Spec: &t.compiled().Newest(l).Spec, Source: i.source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(i.magnitudes().captured), Origin: buff.Origin{Head: i.age(), Share: t.share, Backdate: t.backdate},
		}})
	}
}

// applyLink applies a link of a head, unless the head already has this link, and records the
// linkage. A denied link is tried again by the next application of the head.
//
// Examples: testdata/stat/links.txt, links_again.txt, links_shared.txt.
func applyLink(t *Turn, s *Owner, a *buff.Application) outcome {
	of, was := a.Origin.Head, int16(0)
	if s.hasLink(of, compile.Of(a.Spec)) {
		return outcome{}
	}
	if i := s.joinTarget(a); i.exists() {
		was = i.stacks
	}
	r := apply(t, s, a)
	switch r.kind {
	case buff.Applied, buff.Refreshed, buff.Stacked, buff.Queued:
		if i := s.lookup(r.handle); i.exists() {
			if r.kind == buff.Applied {
				was = 0
			}
			s.ensureGates().addLink(linkage{of, r.handle, max(i.stacks-was, 0)})
		}
	}
	return r
}

// hasLink reports whether a head has a live link of a definition.
func (s *Owner) hasLink(of uint64, spec *compile.Program) bool {
	g := s.gates()
	return g != nil && slices.ContainsFunc(g.links, func(l linkage) bool {
		return l.head == of && s.sameDefinition(s.slot(handle.Slot(l.link)).program(), spec)
	})
}

func (g *gates) addLink(l linkage) {
	if !slices.ContainsFunc(g.links, func(x linkage) bool { return x.head == l.head && x.link == l.link }) {
		g.links = append(g.links, l)
	}
}

// isHead reports whether links are recorded for the buff with the given age. The definition of the
// buff cannot be used for this, because it may have lost its links in a reload.
func (g *gates) isHead(of uint64) bool {
	return g != nil && slices.ContainsFunc(g.links, func(l linkage) bool { return l.head == of })
}

// issueUnlink issues the command that releases the links of a head that has ended. The command runs
// after the applications of links that are already queued.
func issueUnlink(t *Turn, s *Owner, of uint64, why reason.Reason, name string) {
	if !t.issue(s, &buff.Command{Verb: verb.RemoveSpec, Amount: int64(of), Reason: why, Name: name, Application: buff.Application{Source: t.by, Origin: buff.Origin{Links: true}}}) {
		s.gates().dropHead(of)
	}
}

// unlink releases the links of a head that has ended, the oldest first. A link without another head
// ends; any other link loses the stacks that this head added, but keeps at least one.
//
// If the link is itself a head, its end issues another unlink, so that chains end breadth first.
func unlink(t *Turn, s *Owner, c *buff.Command) buff.Result {
	of, r := uint64(c.Amount), buff.Result{}
	s.eachInstance(func(i instance) {
		g, h := s.gates(), i.handle()
		if g == nil {
			return
		}
		k := slices.IndexFunc(g.links, func(l linkage) bool { return l.head == of && l.link == h })
		if k < 0 {
			return
		}
		stacks := min(g.links[k].stacks, i.stacks-1)
		g.links = slices.Delete(g.links, k, k+1)
		switch {
		case g.headCount(h) == 0:
			endNamed(t, i, c.Reason, c.Name)
			r.Kind, r.Why = buff.Removed, c.Reason
		case stacks > 0:
			removeStacks(t, i, int(stacks), c.Reason)
		}
	})
	s.gates().dropHead(of)
	return r
}

// dropHead deletes the linkages of a head.
func (g *gates) dropHead(of uint64) {
	if g != nil {
		g.links = slices.DeleteFunc(g.links, func(l linkage) bool { return l.head == of })
	}
}

// dropLinks deletes the linkages of a link.
func (g *gates) dropLinks(link buff.Handle) {
	g.links = slices.DeleteFunc(g.links, func(l linkage) bool { return l.link == link })
}

// headCount returns the number of heads of a linked buff, given its handle: the running buffs to
// which it is linked.
func (g *gates) headCount(link buff.Handle) (n int) {
	if g != nil {
		for _, l := range g.links {
			if l.link == link {
				n++
			}
		}
	}
	return n
}

// hasOtherHead reports whether a link has a head whose age is not in the list `except`.
func (g *gates) hasOtherHead(link buff.Handle, except []uint64) bool {
	return slices.ContainsFunc(g.links, func(l linkage) bool { return l.link == link && !slices.Contains(except, l.head) })
}

// nextLinked returns the linkage of a link to its oldest head among the heads whose age is above
// `after`. If there is no such head, the head of the result is math.MaxUint64.
func (g *gates) nextLinked(link buff.Handle, after uint64) linkage {
	next := linkage{head: math.MaxUint64}
	for _, l := range g.links {
		if l.link == link && l.head > after && l.head < next.head {
			next = l
		}
	}
	return next
}

// leaveArea removes the buffs that end when the owner changes areas.
//
// Example: testdata/stat/area.txt.
func leaveArea(t *Turn, s *Owner) buff.Result {
	var r buff.Result
	s.eachInstance(func(i instance) {
		if i.program().OnArea == define.FateRemove {
			endNamed(t, i, reason.Interrupted, "area")
			r.Kind, r.Why = buff.Removed, reason.Interrupted
			r.Amount++
		}
	})
	return r
}
