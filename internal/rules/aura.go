package rules

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// While an owner is within an aura, the buff that the aura has applied to it has no end. The owner
// and this instance are called members. After the owner has left the aura, the buff ends when the
// linger time has passed. Auras stack by the rules of the definition. With stack.by: target, for
// example, two banners share one instance, which ends with the last banner. The extra of such an
// instance has one element of async for each of its auras, called a holder. A holder has the
// source, the stacks that its aura added, and the end of its linger time, which is Never while the
// owner is within the aura.

// enterAura executes the entry of the owner into an aura. It has no effect if the owner is already
// within the aura. If the owner returns during the linger time, the buff no longer ends after
// that time.
//
// Examples: testdata/aura_member.txt, aura_by.txt, aura_haste.txt.
func enterAura(t *Turn, s *Owner, a *buff.Application) buff.Result {
	if !compile.Of(a.Spec).AuraCanApply() {
		panic("buff: an Enter of " + a.Spec.ID + ", which an aura cannot apply")
	}
	if i, k := s.findMember(a); i.exists() {
		if h := &i.extra().async[k]; h.end != clock.Never {
			flushPulses(t, i)
			h.end = clock.Never
			if i.flags&leaving != 0 { // otherwise SetRemaining or Extend has set the end, which stays
				clearEnd(t, i)
			}
		}
		return buff.Result{Handle: i.handle()}
	}
	a.Origin.Aura = true
	was := int16(0)
	if i := s.joinTarget(a); i.exists() {
		was = i.stacks
	}
	r := apply(t, s, a)
	if i := s.lookup(r.handle); i.exists() && r.kind != buff.Denied && r.kind != buff.Removed {
		s.ages++
		x := i.ensureExtra()
		x.async = append(x.async, asyncStack{source: a.Source, end: clock.Never, stacks: i.stacks - was, age: s.ages})
		clearEnd(t, i)
	}
	return r.result()
}

// clearEnd removes the end of an instance while its owner is within one of its auras.
func clearEnd(t *Turn, i instance) {
	i.flags &^= leaving
	i.end = clock.Never
	i.mark(journal.Time)
	i.markDirty(t)
}

// leaveAura is called when the owner has left an aura. If linger is zero, the buff of the aura ends
// at once; if the buff has other holders, it only loses the stacks of this aura. If linger is above
// zero, the same happens after that time, unless the owner returns earlier.
func leaveAura(t *Turn, s *Owner, a *buff.Application, linger time.Duration) buff.Result {
	i, k := s.findMember(a)
	if !i.exists() {
		return buff.Result{}
	}
	h := &i.extra().async[k]
	switch {
	case h.end != clock.Never:
	case linger <= 0 && len(i.extra().async) == 1:
		end(t, i, reason.OutOfAura)
		return buff.Result{Kind: buff.Removed, Why: reason.OutOfAura}
	case linger <= 0:
		flushPulses(t, i)
		dropHolder(t, i, k)
	default:
		flushPulses(t, i)
		h.end = i.now(t).Add(ceilMillis(linger))
		updateMemberEnd(t, i)
	}
	return buff.Result{Handle: i.handle()}
}

// updateMemberEnd sets the end of an instance to the latest end of its holders, if the owner has
// left all auras of the holders. If SetRemaining or Extend has set an earlier end, this end stays.
func updateMemberEnd(t *Turn, i instance) {
	last := clock.BuffTime(0)
	for k, h := range i.extra().async {
		if h.end == clock.Never {
			i.markDirty(t)
			return
		}
		if k == 0 || h.end > last {
			last = h.end
		}
	}
	if i.flags&leaving == 0 && i.end <= last { // a command has set an earlier end
		i.markDirty(t)
		return
	}
	i.flags |= leaving
	i.end = last
	i.mark(journal.Time)
	i.markDirty(t)
}

// dropHolder removes a holder and the stacks that its aura added. The instance must have another
// holder. At least one stack is kept for the other holders: if the limit is one stack, the auras of
// several holders share a single stack.
//
// Example: testdata/aura_by.txt.
func dropHolder(t *Turn, i instance, k int) {
	x := i.extra()
	h := x.async[k]
	x.async = slices.Delete(x.async, k, k+1)
	i.owner.gates().restartReset(t, i.program(), h.source)
	updateMemberEnd(t, i)
	n := min(h.stacks, i.stacks-1)
	if n <= 0 {
		return
	}
	i.stacks -= n
	i.mark(journal.Stacks)
	updateModifiers(t, i)
	e := i.newEvent(buff.StackEnded)
	e.Why = reason.OutOfAura
	t.emit(i.owner, &e)
}

// firstLeaving returns the index of the holder (an aura that gives the buff) whose linger time ends
// first; if several end at that instant, the oldest. It returns -1 if no linger time ends before
// the instance itself does.
func (i instance) firstLeaving() int {
	first := -1
	if i.extraIndex == noSlot {
		return first
	}
	async := i.extra().async
	for k := range async {
		if async[k].end < i.end && (first < 0 || async[k].end < async[first].end) {
			first = k
		}
	}
	return first
}

// findMember returns the instance that the aura of a source has applied, or none, and the index of
// the holder in its extra.async.
func (s *Owner) findMember(a *buff.Application) (instance, int) {
	for i := s.first(); i.exists(); i = i.next() {
		if i.flags&member == 0 || !s.sameDefinition(i.program(), compile.Of(a.Spec)) {
			continue
		}
		if k := slices.IndexFunc(i.extra().async, func(h asyncStack) bool { return h.source == a.Source }); k >= 0 {
			return i, k
		}
	}
	return instance{}, 0
}
