package rules

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// The time of a hidden buff passes, but the buff has no effect: its pulses are suppressed and its
// grants, modifiers and immunities are off. A buff is hidden while at least one of the causes in
// its flags applies.

// strengthChanged requests a reevaluation after the magnitude or level of an instance has
// changed.
func (s *Owner) strengthChanged(spec *compile.Program) {
	if spec.Uses&compile.UsesHide != 0 {
		s.ensureGates().requestReevaluation()
	}
}

// reevaluate updates which buffs are hidden and removes those whose requirement for removal is met,
// oldest first, until the result is stable. After MaxRounds, for example if buffs hide one another
// in a ring, it stops with a Faulted with reason Cascade.
//
// It runs after each command and each due event, before the commands that they have issued, so
// that no handler or action sees an out-of-date state.
//
// Examples: testdata/require.txt, inhibition.txt, group_hide.txt, immune_then_hidden.txt.
func (s *Owner) reevaluate(t *Turn) {
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
	g.mustReevaluate = false // immunityChanged remains, so that the next change checks the whole ring
	t.emit(s, &buff.Event{End: wheel.Never, Kind: buff.Faulted, Why: reason.Cascade})
}

// reevaluateOne removes an instance if its requirement for removal is met, and otherwise updates
// its causes of being hidden. If the owner's immunities have not changed, instances that have no
// requirements and cannot be outranked are skipped.
func (s *Owner) reevaluateOne(t *Turn, at uint16) {
	i := s.slot(at)
	if s.programOf(i).Uses&(compile.UsesOngoing|compile.UsesHide) == 0 && !s.gates().immunityChanged && !s.gates().immunityChangedBefore {
		return
	}
	if r := &s.programOf(i).Require; !r.Remove.Empty() && holds(&r.Remove, s.gates().ownerTags()) {
		s.end(t, at, reason.Condition)
		s.findStrongest(t) // the removed instance may have been the strongest of its group
		return
	}
	s.setHideCauses(t, at, s.hideCauses(t, i, at))
}

// hideCauses returns the causes for which an instance must be hidden. If it can be outranked,
// findStrongest must have run. All causes are determined again, except inhibited, which commands
// set and clear, and immune while the owner's immunities have not changed.
func (s *Owner) hideCauses(t *Turn, i *instance, at uint16) flags {
	causes := i.flags&inhibited | s.immuneCause(i, at)
	if s.programOf(i).Uses&compile.UsesOngoing != 0 && !holds(&s.programOf(i).Require.Ongoing, s.gates().ownerTags()) {
		causes |= unmet
	}
	if s.programOf(i).Uses&compile.UsesHide != 0 {
		causes |= s.outrankedCauses(t, at)
	}
	return causes
}

// setHideCauses sets the causes for which an instance is hidden. It emits a Hidden for the first
// cause and a Shown when the last one ends, except for immunity that only stops pulses: see
// reportedCauses.
//
// When a requirement or a command that has hidden the instance ends, Inhibition determines the
// next pulse: its time is unchanged (keep), or the period restarts (reset), with a pulse at once
// (execute). After other causes the time is always unchanged.
//
// Examples: testdata/inhibition.txt, immune_then_hidden.txt, grants_ring.txt.
func (s *Owner) setHideCauses(t *Turn, at uint16, causes flags) {
	i := s.slot(at)
	was, told := i.flags&hidden, reportedCauses(s.programOf(i))
	if (was == 0) != (causes == 0) {
		s.mark(at, journal.Hidden)
	}
	if (was^causes)&^told != 0 {
		s.flushPulses(t, at) // pending pulses belong to the old state
	}
	if (was&told == 0) == (causes&told == 0) {
		i.flags = i.flags&^hidden | causes
		return
	}
	s.flushPulses(t, at)
	if causes&told != 0 {
		s.revokeEffects(t, at)
		i.flags = i.flags&^hidden | causes
		s.newInstanceEvent(t, buff.Hidden, at).Why = whyHidden(causes)
		return
	}
	if s.programOf(i).Uses&compile.UsesImmunity != 0 {
		s.flushMatching(t, s.programOf(i).Immunity.Matches)
	}
	i.flags = i.flags&^hidden | causes
	s.newInstanceEvent(t, buff.Shown, at)
	s.grantEffects(t, at)
	if was&(unmet|inhibited) != 0 && s.programOf(i).Inhibition != define.InhibitionKeep { // only for pulsing buffs
		now := s.nowOf(t, i)
		s.restartPeriod(i, now)
		s.restartAsyncPeriods(i, now)
		s.markDirty(t, at)
		if s.programOf(i).Inhibition == define.InhibitionExecute {
			s.pulse(t, at)
		}
	}
}

// inhibit executes the commands Inhibit and Release.
func (s *Owner) inhibit(t *Turn, at uint16, on bool) buff.Result {
	i := s.slot(at)
	causes := i.flags & hidden
	if on {
		causes |= inhibited
	} else {
		causes &^= inhibited
	}
	r := buff.Result{Handle: s.handle(at)}
	if (causes^i.flags)&inhibited != 0 {
		r.Kind = buff.Done
	}
	s.setHideCauses(t, at, causes)
	return r
}

// grantEffects turns on the grants, modifiers and immunities of an instance; revokeEffects turns
// them off.
func (s *Owner) grantEffects(t *Turn, at uint16) {
	spec := s.programOf(s.slot(at))
	if spec.Uses&compile.UsesGrants != 0 {
		s.ensureGates().grant(spec.Grants)
	}
	if spec.Uses&compile.UsesModifiers != 0 {
		s.addModifiers(at)
	}
	if spec.Uses&compile.UsesImmunity != 0 {
		g := s.ensureGates()
		g.immunities++
		g.noteImmunityChange()
		s.purgeImmune(t, at)
	}
}

func (s *Owner) revokeEffects(t *Turn, at uint16) {
	spec := s.programOf(s.slot(at))
	if spec.Uses&compile.UsesGrants != 0 {
		s.gates().revoke(spec.Grants)
	}
	if spec.Uses&compile.UsesModifiers != 0 {
		s.removeModifiers(t, at)
	}
	if spec.Uses&compile.UsesImmunity != 0 {
		s.flushMatching(t, spec.Immunity.Matches)
		s.gates().immunities--
		s.gates().noteImmunityChange()
	}
}

// tag executes the commands AddTag and DropTag. Tags are counted: a tag that was added twice must
// be dropped twice. Tags that buffs grant are counted separately.
func (s *Owner) tag(t *Turn, c *buff.Command) buff.Result {
	if c.Tag == 0 {
		return buff.Result{Err: fmt.Errorf("%w: none", buff.ErrTag)}
	}
	g, all := s.ensureGates(), t.compiled().Closure([]buff.Tag{c.Tag})
	switch {
	case c.Verb == verb.AddTag:
		g.commandTags.add([]buff.Tag{c.Tag})
		g.grant(all)
	case g.commandTags.has(c.Tag): // only a tag that AddTag added itself can be dropped
		g.commandTags.drop([]buff.Tag{c.Tag})
		g.revoke(all)
	default:
		return buff.Result{}
	}
	return buff.Result{Kind: buff.Done}
}

// eachInstance calls f for each instance, oldest first. The function f may end any of them.
// Instances that start meanwhile are not visited.
func (s *Owner) eachInstance(f func(at uint16)) {
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

// nextYounger returns the slot of the oldest instance younger than `age`. The parameter `at` is the
// slot that had the instance of that age.
func (s *Owner) nextYounger(at uint16, age uint64) uint16 {
	if i := s.slot(at); i.def != 0 && s.age(i) == age {
		return i.newer
	}
	for at = s.oldest; at != noSlot && s.age(s.slot(at)) <= age; {
		s.visited++
		at = s.slot(at).newer
	}
	return at
}
