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
func reevaluate(t *Turn, s *Owner) {
	if s.gates() == nil || !s.gates().mustReevaluate {
		return
	}
	g := s.gates()
	for range MaxRounds {
		g.mustReevaluate, g.immunityChanged, g.immunityChangedBefore = false, false, g.immunityChanged
		findStrongest(t, s)
		s.eachInstance(func(i instance) { reevaluateOne(t, i) })
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
func reevaluateOne(t *Turn, i instance) {
	s := i.owner
	if i.program().Uses&(compile.UsesOngoing|compile.UsesHide|compile.UsesRecharge) == 0 && !s.gates().immunityChanged && !s.gates().immunityChangedBefore {
		return
	}
	if r := &i.program().Require; !r.Remove.Empty() && holds(&r.Remove, s.gates().ownerTags()) {
		end(t, i, reason.Condition)
		findStrongest(t, s) // the removed instance may have been the strongest of its group
		return
	}
	setHideCauses(t, i, hideCauses(t, i))
}

// hideCauses returns the causes for which an instance must be hidden. If it can be outranked,
// findStrongest must have run. All causes are determined again, except inhibited, which commands
// set and clear, and immune while the owner's immunities have not changed.
func hideCauses(t *Turn, i instance) flags {
	causes := i.flags&inhibited | i.immuneCause()
	if i.program().Uses&compile.UsesOngoing != 0 && !holds(&i.program().Require.Ongoing, i.owner.gates().ownerTags()) {
		causes |= unmet
	}
	if i.program().Uses&compile.UsesHide != 0 {
		causes |= outrankedCauses(t, i)
	}
	if i.program().Uses&compile.UsesRecharge != 0 && i.extra().charges == 0 {
		causes |= spent
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
// Examples: testdata/inhibition.txt, immune_then_hidden.txt, catchup_hidden.txt, grants_ring.txt.
func setHideCauses(t *Turn, i instance, causes flags) {
	was, told := i.flags&hidden, reportedCauses(i.program())
	if (was == 0) != (causes == 0) {
		i.mark(journal.Hidden)
	}
	if was&immune != causes&immune || (was&^immune == 0) != (causes&^immune == 0) {
		flushPulses(t, i) // pending pulses were suppressed for another reason, or not at all
	}
	if (was&told == 0) == (causes&told == 0) {
		i.flags = i.flags&^hidden | causes
		return
	}
	if causes&told != 0 {
		revokeEffects(t, i)
		i.flags = i.flags&^hidden | causes
		i.emit(t, buff.Hidden).Why = whyHidden(causes)
		return
	}
	if i.program().Uses&compile.UsesImmunity != 0 {
		flushMatching(t, i.owner, i.program().Immunity.Matches)
	}
	i.flags = i.flags&^hidden | causes
	i.emit(t, buff.Shown)
	grantEffects(t, i)
	if was&(unmet|inhibited) != 0 && i.program().Inhibition != define.InhibitionKeep { // only for pulsing buffs
		now := i.now(t)
		i.restartPeriod(now)
		i.restartAsyncPeriods(now)
		i.markDirty(t)
		if i.program().Inhibition == define.InhibitionExecute {
			pulse(t, i)
		}
	}
}

// inhibit executes the commands Inhibit and Release.
func inhibit(t *Turn, i instance, on bool) buff.Result {
	causes := i.flags & hidden
	if on {
		causes |= inhibited
	} else {
		causes &^= inhibited
	}
	r := buff.Result{Handle: i.handle()}
	if (causes^i.flags)&inhibited != 0 {
		r.Kind = buff.Done
	}
	setHideCauses(t, i, causes)
	return r
}

// grantEffects turns on the grants, modifiers and immunities of an instance; revokeEffects turns
// them off.
func grantEffects(t *Turn, i instance) {
	spec := i.program()
	if spec.Uses&compile.UsesGrants != 0 {
		i.owner.ensureGates().grant(spec.Grants)
	}
	if spec.Uses&compile.UsesModifiers != 0 {
		i.addModifiers()
	}
	if spec.Uses&compile.UsesImmunity != 0 {
		g := i.owner.ensureGates()
		g.immunities++
		g.noteImmunityChange()
		purgeImmune(t, i)
	}
}

func revokeEffects(t *Turn, i instance) {
	s := i.owner
	spec := i.program()
	if spec.Uses&compile.UsesImmunity != 0 {
		flushMatching(t, s, spec.Immunity.Matches)
	}
	if spec.Uses&compile.UsesGrants != 0 {
		s.gates().revoke(spec.Grants)
	}
	if spec.Uses&compile.UsesModifiers != 0 {
		removeModifiers(t, i)
	}
	if spec.Uses&compile.UsesImmunity != 0 {
		s.gates().immunities--
		s.gates().noteImmunityChange()
	}
}

// tag executes the commands AddTag and DropTag. Tags are counted: a tag that was added twice must
// be dropped twice. Tags that buffs grant are counted separately.
func tag(t *Turn, s *Owner, c *buff.Command) buff.Result {
	if c.Tag == 0 {
		return buff.Result{Failure: fmt.Errorf("%w: none", buff.ErrTag)}
	}
	g, all := s.ensureGates(), t.compiled().Closure([]buff.Tag{c.Tag})
	switch {
	case c.Verb == verb.AddTag:
		g.commandTags.Add(c.Tag)
		g.grant(all)
	case g.commandTags.Has(c.Tag): // only a tag that AddTag added itself can be dropped
		g.commandTags.Drop(c.Tag)
		g.revoke(all)
	default:
		return buff.Result{}
	}
	return buff.Result{Kind: buff.Done}
}

// eachInstance calls f for each instance, oldest first. The function f may end any of them.
// Instances that start meanwhile are not visited.
func (s *Owner) eachInstance(f func(i instance)) {
	last := s.ages
	for at := s.records.Oldest(); at != noSlot; {
		age := s.slot(at).age()
		if age > last {
			return
		}
		s.visited++
		f(s.slot(at))
		at = s.nextYounger(at, age)
	}
}

// nextYounger returns the slot of the oldest instance younger than `age`. The parameter `at` is the
// slot that had the instance of that age.
func (s *Owner) nextYounger(at uint16, age uint64) uint16 {
	if i := s.slot(at); i.def != 0 && i.age() == age {
		return i.Newer()
	}
	for at = s.records.Oldest(); at != noSlot && s.slot(at).age() <= age; {
		s.visited++
		at = s.slot(at).Newer()
	}
	return at
}
