package buff

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/wheel"
)

// A member of an aura has the buff that the aura applies, without an end, until it has left
// for the time that the aura lingers. What auras apply stacks by the definition's own rule, as
// any application does: by target two banners are one instance, which goes with the last of
// them. Such an instance has an async stack for each of its auras, its holders: the source, the
// stacks that it brought, and the end of its linger, Never as long as the owner is within.

// auraCanApply reports whether an aura may apply the definition: there is something to take
// away, and no stack has an end of its own.
func (s *program) auraCanApply() bool {
	return s.Kind != define.Instant && s.Stack.Timers == define.TimersShared
}

// enterAura: the owner is within an aura. It changes nothing for who is within already; who comes back while the aura lingers
// has the buff without an end again.
//
// Stories: testdata/aura_member.txt, aura_by.txt, aura_haste.txt.
func (s *Set) enterAura(t *Turn, a *Application) Result {
	if !a.Spec.program.auraCanApply() {
		panic("buff: an Enter of " + a.Spec.ID + ", which an aura cannot apply")
	}
	if at, k := s.findMember(a); at != noSlot {
		i := s.slot(at)
		if h := &s.extraOf(i).async[k]; h.end != wheel.Never {
			s.flush(t, at)
			h.end = wheel.Never
			if i.flags&leaving != 0 { // or it was told an end, which stays
				s.clearEnd(t, at)
			}
		}
		return Result{Handle: s.handle(at)}
	}
	a.member = true
	was := int16(0)
	if at := s.joinTarget(a); at != noSlot {
		was = s.slot(at).stacks
	}
	r := s.apply(t, a)
	if r.kind != Denied && r.kind != Removed && s.isLive(r.handle) {
		at := r.handle.slot()
		i := s.slot(at)
		s.ages++
		x := s.ensureExtra(i)
		x.async = append(x.async, asyncStack{source: a.Source, end: wheel.Never, stacks: i.stacks - was, age: s.ages})
		s.clearEnd(t, at)
	}
	return r.result()
}

// clearEnd lets an instance have no end: its owner is within one of its auras.
func (s *Set) clearEnd(t *Turn, at uint16) {
	i := s.slot(at)
	i.flags &^= leaving
	i.end = wheel.Never
	s.mark(at, journal.Time)
	s.markDirty(t, at)
}

// leaveAura: it is not any more. A linger of zero ends it at once, or takes off what this aura brought; otherwise the buff
// has an end from now on, and who comes back before that has it as if nothing had been.
func (s *Set) leaveAura(t *Turn, a *Application, linger time.Duration) Result {
	at, k := s.findMember(a)
	if at == noSlot {
		return Result{}
	}
	i := s.slot(at)
	h := &s.extraOf(i).async[k]
	switch {
	case h.end != wheel.Never:
	case linger <= 0 && len(s.extraOf(i).async) == 1:
		s.end(t, at, OutOfAura)
		return Result{Kind: Removed, Why: OutOfAura}
	case linger <= 0:
		s.flush(t, at)
		s.dropHolder(t, at, k)
	default:
		s.flush(t, at)
		h.end = s.nowOf(t, i).Add(ceilMillis(linger))
		s.updateMemberEnd(t, at)
	}
	return Result{Handle: s.handle(at)}
}

// updateMemberEnd gives an instance the end of its last holder, if the owner is within none.
//
// The end is the latest of the lingers. One that was told to the instance itself, by SetRemaining or Extend, stays if it is
// the sooner: an aura does not take back what the game has said.
func (s *Set) updateMemberEnd(t *Turn, at uint16) {
	i := s.slot(at)
	last := wheel.Time(0)
	for k, h := range s.extraOf(i).async {
		if h.end == wheel.Never {
			s.markDirty(t, at)
			return
		}
		if k == 0 || h.end > last {
			last = h.end
		}
	}
	if i.flags&leaving == 0 && i.end <= last { // it was told an end, which comes first
		s.markDirty(t, at)
		return
	}
	i.flags |= leaving
	i.end = last
	s.mark(at, journal.Time)
	s.markDirty(t, at)
}

// dropHolder takes a holder off, which is not the last, and the stacks that it brought.
//
// At least one stack stays, since another holder still has the instance: two banners at a limit of one stack brought one
// between them. Story: testdata/aura_by.txt.
func (s *Set) dropHolder(t *Turn, at uint16, k int) {
	i := s.slot(at)
	x := s.extraOf(i)
	h := x.async[k]
	x.async = slices.Delete(x.async, k, k+1)
	s.gates().restartReset(t, s.specOf(i), h.source)
	s.updateMemberEnd(t, at)
	n := min(h.stacks, i.stacks-1)
	if n <= 0 {
		return
	}
	i.stacks -= n
	s.mark(at, journal.Stacks)
	s.updateModifiers(t, at)
	e := s.about(StackEnded, at)
	e.Why = OutOfAura
	t.emit(s, &e)
}

// firstLeaving returns the holder of a member whose linger ends first, of equals the oldest,
// if it ends before the instance; otherwise -1.
func (s *Set) firstLeaving(i *instance) int {
	first := -1
	if i.extra == noSlot {
		return first
	}
	async := s.extraOf(i).async
	for k := range async {
		if async[k].end < i.end && (first < 0 || async[k].end < async[first].end) {
			first = k
		}
	}
	return first
}

// findMember returns the slot of what the aura of that source applied, and its place among the
// holders; or noSlot.
func (s *Set) findMember(a *Application) (uint16, int) {
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		i := s.slot(at)
		if i.flags&member == 0 || !s.sameDefinition(s.specOf(i), a.Spec.program) {
			continue
		}
		if k := slices.IndexFunc(s.extraOf(i).async, func(h asyncStack) bool { return h.source == a.Source }); k >= 0 {
			return at, k
		}
	}
	return noSlot, 0
}
