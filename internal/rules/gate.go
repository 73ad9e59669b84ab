package rules

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/gate"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// gates is the state that decides which applications an owner accepts and which of its buffs are
// hidden.
type gates struct {
	tags                  gate.Tags // tags from the grants of buffs and from AddTag, with their parents
	commandTags           gate.Tags // tags from AddTag only, without their parents
	immune                gate.Tags // tags from Immunize
	immunities            int32     // number of instances with Immunity that are not hidden
	handledActs           uint64    // acts that any present or past instance handles, one bit each
	rolls                 gate.Rolls
	returns               gate.Returns  // diminishing returns
	links                 []linkage     // which buffs are links of which heads
	unknownSaved          *state.Owner  // parts of the restored blob that the catalog does not define, or nil
	appliers              gate.Appliers // further sources of instances, in addition to instance.source: see dr.go
	dead                  bool          // killed and not revived
	mustReevaluate        bool          // reevaluate has to run
	immunityChanged       bool          // the owner's immunities have changed
	immunityChangedBefore bool          // immunityChanged as of the previous round of reevaluate
}

func (s *Owner) ensureGates() *gates {
	if s.gates() == nil {
		s.ensureRare().gates = &gates{}
	}
	return s.gates()
}

// An owner that needs no gates has a nil pointer instead. The methods that read or delete may be
// called on nil.

// ownerTags returns the owner's tags.
func (g *gates) ownerTags() gate.Tags {
	if g == nil {
		return nil
	}
	return g.tags
}

// grant adds tags to the owner, and revoke removes them.
func (g *gates) grant(tags []buff.Tag) {
	if g.tags.Add(tags...) {
		g.mustReevaluate = true
	}
}

func (g *gates) revoke(tags []buff.Tag) {
	if g.tags.Drop(tags...) {
		g.mustReevaluate = true
	}
}

// handles reports whether any present or past instance handles the act.
func (g *gates) handles(act buff.Act) bool { return g != nil && g.handledActs&compile.Bit(act) != 0 }

// requestReevaluation records that tags, or the strongest buff of a group, may have changed.
func (g *gates) requestReevaluation() { g.mustReevaluate = true }

// noteImmunityChange records that the owner's immunities may have changed.
func (g *gates) noteImmunityChange() { g.mustReevaluate, g.immunityChanged = true, true }

// Has reports whether the owner has a tag. It costs O(log tags).
func (s *Owner) Has(tag buff.Tag) bool { return s.gates() != nil && s.gates().tags.Has(tag) }

// holds reports whether an owner with the given tags meets the condition.
func holds(c *compile.Condition, tags gate.Tags) bool {
	return tags.HasAll(c.All) && !tags.HasAny(c.None) && (len(c.Any) == 0 || tags.HasAny(c.Any))
}

// admit runs the checks of an application from the first one to the chance. It returns the reason
// of the check that fails, or reason.None. It can be skipped if the owner has no gates and the
// definition has none of the features in compile.UsesGates.
//
// Examples: testdata/reasons.txt, require.txt, dead.txt, chance.txt.
func admit(t *Turn, s *Owner, a *buff.Application) reason.Reason {
	spec := compile.Of(a.Spec)
	if spec.Uses&(compile.UsesNumbers|compile.UsesMagnitudes) != 0 {
		if why := evaluateNumbers(t, s, a); why != reason.None {
			return why
		}
	}
	switch {
	case spec.Uses&compile.UsesDead != 0 && s.Dead():
		return reason.Dead
	case spec.Uses&compile.UsesRequire != 0 && !holds(&spec.Require.Apply, s.gates().ownerTags()):
		return reason.Requirement
	case s.gates() != nil && s.immuneTo(spec, instance{}):
		return reason.Immune
	case spec.Uses&compile.UsesChance != 0 && !s.ensureGates().rolls.Roll(t.Seed, s.id, spec.Chance):
		return reason.Chance
	}
	return reason.None
}

// Remaining returns the longest remaining time, counted from `now`, among the owner's buffs with
// the tag, and reports whether there is one. It considers Tags and Grants, including tags below the
// given tag. A cooldown can therefore be a buff with a tag. The time is the same as from
// [buff.Instance.Left]: for an infinite buff it is the longest Duration. Remaining costs O(buffs).
func (s *Owner) Remaining(tag buff.Tag, now wheel.Time) (left time.Duration, ok bool) {
	for i := s.first(); i.exists(); i = i.next() {
		if compile.Has(i.program().Tags, tag) {
			left, ok = max(left, i.remaining(now)), true
		}
	}
	return left, ok
}

// remaining returns the time from now until the end of the instance.
func (i instance) remaining(now wheel.Time) time.Duration {
	end := i.clocks().ToWorld(i.end)
	if end == wheel.Never && i.end != clock.Never {
		return exact.Duration(i.clocks().Left(i.end))
	}
	return buff.Instance{End: end}.Left(now)
}
