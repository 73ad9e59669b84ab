package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// A hidden buff is there, and its time goes on, but it has no effect: its pulses are
// suppressed, and what it grants is off. It is hidden while at least one of the causes
// in its flags holds.

// strengthChanged says that an instance of a definition has another magnitude.
func (s *Set) strengthChanged(spec *program) {
	if spec.uses&usesHide != 0 {
		s.ensureGates().requestReevaluation()
	}
}

// reevaluate finds what has an effect after a change, and what must go: the oldest first,
// again and again until nothing changes. Buffs that hide each other in a ring would never
// come to an end; they are left as they are after MaxRounds, and a Faulted for Cascade says so.
//
// It comes after every command and every event that was due, before what they have issued: no handler
// and no action sees a buff that should be hidden and is not yet.
//
// Stories: testdata/require.txt, inhibition.txt, group_hide.txt, immune_then_hidden.txt.
func (s *Set) reevaluate(t *Turn) {
	if s.gates() == nil || !s.gates().mustReevaluate {
		return
	}
	g := s.gates()
	for range MaxRounds {
		g.mustReevaluate, g.immunityChanged, g.immunityChangedBefore = false, false, g.immunityChanged
		s.findStrongest(t)
		s.eachInstance(func(at uint16) { s.reevaluateOne(t, at) })
		g.immunityChangedBefore = false
		if !g.mustReevaluate {
			return
		}
	}
	g.mustReevaluate = false // but not exposed: the next change looks at all of the ring again
	t.emit(s, &Event{End: wheel.Never, Kind: Faulted, Why: Cascade})
}

// reevaluateOne looks at the requirements and the rank of one instance.
//
// Most instances have nothing to ask, and are passed by one look at the uses of their definition: unless the immunities of
// the owner have changed, which bears on all of them.
func (s *Set) reevaluateOne(t *Turn, at uint16) {
	i := s.slot(at)
	if s.specOf(i).uses&(usesOngoing|usesHide) == 0 && !s.gates().immunityChanged && !s.gates().immunityChangedBefore {
		return
	}
	if r := &s.specOf(i).require; !r.remove.empty() && r.remove.holds(s.gates().ownerTags()) {
		s.end(t, at, Condition)
		s.findStrongest(t) // it may have been the strongest, for the younger ones of this round
		return
	}
	s.setHideCauses(t, at, s.hideCauses(t, i, at))
}

// hideCauses returns for what an instance is hidden now. Where there are ranks, they have been
// found.
// Each is found anew, but for inhibited, which stays until a command ends it, and immune where no immunity has come or gone.
func (s *Set) hideCauses(t *Turn, i *instance, at uint16) flags {
	causes := i.flags&inhibited | s.immuneCause(i, at)
	if s.specOf(i).uses&usesOngoing != 0 && !s.specOf(i).require.ongoing.holds(s.gates().ownerTags()) {
		causes |= unmet
	}
	if s.specOf(i).uses&usesHide != 0 {
		causes |= s.outrankedCauses(t, at)
	}
	return causes
}

// setHideCauses sets the causes for which an instance is hidden. Of several causes the first to come is told, by Hidden, and the last
// to go, by Shown. Immunity alone is no cause to be told where it only stops pulses: see toldCauses.
//
// When it is shown, inhibition says what becomes of the beat: it goes on as if nothing had been (keep), or begins
// anew (reset), with a pulse at once (execute). That is so only where a requirement or a command hid it: who is hidden by a
// stronger one of its group, or by immunity, keeps its beat.
//
// Stories: testdata/inhibition.txt, immune_then_hidden.txt, grants_ring.txt.
func (s *Set) setHideCauses(t *Turn, at uint16, causes flags) {
	i := s.slot(at)
	was, told := i.flags&hidden, s.specOf(i).reportedCauses()
	if (was == 0) != (causes == 0) {
		s.mark(at, journal.Hidden)
	}
	if (was^causes)&^told != 0 {
		s.flushPulses(t, at) // what was owed is as it was before
	}
	if (was&told == 0) == (causes&told == 0) {
		i.flags = i.flags&^hidden | causes
		return
	}
	s.flushPulses(t, at)
	if causes&told != 0 {
		s.revokeEffects(t, at)
		i.flags = i.flags&^hidden | causes
		s.tell(t, Hidden, at).Why = whyHidden(causes)
		return
	}
	if s.specOf(i).uses&usesImmunity != 0 {
		s.flushMatching(t, s.specOf(i).immunity.matches)
	}
	i.flags = i.flags&^hidden | causes
	s.tell(t, Shown, at)
	s.grantEffects(t, at)
	if was&(unmet|inhibited) != 0 && s.specOf(i).Inhibition != define.InhibitionKeep { // which only what pulses can say
		now := s.nowOf(t, i)
		s.restartPeriod(i, now)
		s.restartAsyncPeriods(i, now)
		s.markDirty(t, at)
		if s.specOf(i).Inhibition == define.InhibitionExecute {
			s.pulse(t, at)
		}
	}
}

// inhibit hides a buff by hand, or ends that.
func (s *Set) inhibit(t *Turn, at uint16, on bool) Result {
	i := s.slot(at)
	causes := i.flags & hidden
	if on {
		causes |= inhibited
	} else {
		causes &^= inhibited
	}
	r := Result{Handle: s.handle(at)}
	if (causes^i.flags)&inhibited != 0 {
		r.Kind = Done
	}
	s.setHideCauses(t, at, causes)
	return r
}

// grantEffects turns on what an instance grants its owner; take turns it off.
func (s *Set) grantEffects(t *Turn, at uint16) {
	spec := s.specOf(s.slot(at))
	if spec.uses&usesGrants != 0 {
		s.ensureGates().grant(spec.grants)
	}
	if spec.uses&usesModifiers != 0 {
		s.addModifiers(at)
	}
	if spec.uses&usesImmunity != 0 {
		g := s.ensureGates()
		g.immunities++
		g.noteImmunityChange()
		s.purgeImmune(t, at)
	}
}

func (s *Set) revokeEffects(t *Turn, at uint16) {
	spec := s.specOf(s.slot(at))
	if spec.uses&usesGrants != 0 {
		s.gates().revoke(spec.grants)
	}
	if spec.uses&usesModifiers != 0 {
		s.removeModifiers(t, at)
	}
	if spec.uses&usesImmunity != 0 {
		s.flushMatching(t, spec.immunity.matches)
		s.gates().immunities--
		s.gates().noteImmunityChange()
	}
}

// tag gives the owner a tag, or takes it away, once.
//
// Tags are counted: one that is given twice is there until it is taken twice, and beside those that buffs grant.
func (s *Set) tag(t *Turn, c *Command) Result {
	if c.Tag == 0 {
		return Result{Err: fmt.Errorf("%w: none", ErrTag)}
	}
	g, all := s.ensureGates(), t.Catalog.closure([]Tag{c.Tag})
	switch {
	case c.Verb == verb.AddTag:
		g.commandTags.add([]Tag{c.Tag})
		g.grant(all)
	case g.commandTags.has(c.Tag): // only what was given is taken: not what a buff grants, nor what stands above it
		g.commandTags.drop([]Tag{c.Tag})
		g.revoke(all)
	default:
		return Result{}
	}
	return Result{Kind: Done}
}

// eachInstance calls f for every instance, the oldest first; f may end any of them, and what is
// started meanwhile is not seen.
func (s *Set) eachInstance(f func(at uint16)) {
	last := s.ages
	for at := s.oldest; at != noSlot; {
		age := s.age(s.slot(at))
		if age > last {
			return
		}
		s.visited++
		f(at)
		at = s.nextYounger(at, age)
	}
}

// nextYounger returns the slot of the oldest instance that is younger than age; at is where the
// one of that age was.
func (s *Set) nextYounger(at uint16, age uint64) uint16 {
	if i := s.slot(at); i.def != 0 && s.age(i) == age {
		return i.newer
	}
	for at = s.oldest; at != noSlot && s.age(s.slot(at)) <= age; {
		s.visited++
		at = s.slot(at).newer
	}
	return at
}
