package rules

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
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
	case spec.Uses&compile.UsesRequire != 0 && !s.meets(spec, a.Source):
		return reason.Requirement
	case spec.If != nil && t.evaluated.unmet:
		return cmp.Or(spec.Spec.Require.Why, reason.Requirement)
	case s.gates() != nil && s.immuneTo(spec, instance{}):
		return reason.Immune
	case spec.Uses&compile.UsesChance != 0 && !s.ensureGates().rolls.Roll(t.Seed, s.id, spec.Chance):
		return reason.Chance
	}
	return reason.None
}

// meets reports whether the owner meets the requirement for an application by a source.
//
// Examples: testdata/require.txt, require_source.txt.
func (s *Owner) meets(spec *compile.Program, source buff.OwnerID) bool {
	if !spec.Spec.Require.FromSource {
		return holds(&spec.Require.Apply, s.gates().ownerTags())
	}
	granted := func(tag buff.Tag) bool {
		for i := s.first(); i.exists(); i = i.next() {
			s.visited++
			if i.source == source && i.flags&hidden == 0 && compile.Has(i.program().Grants, tag) {
				return true
			}
		}
		return false
	}
	c := &spec.Require.Apply
	missing := func(tag buff.Tag) bool { return !granted(tag) }
	return !slices.ContainsFunc(c.All, missing) && !slices.ContainsFunc(c.None, granted) && (len(c.Any) == 0 || slices.ContainsFunc(c.Any, granted))
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

// immuneTo reports whether the owner is immune to a definition, by a tag from the command Immunize
// or by a buff other than `except`, which may be none.
//
// Examples: testdata/immunity.txt, immunity_buff.txt.
func (s *Owner) immuneTo(spec *compile.Program, except instance) bool {
	if s.gates().immune.HasAny(spec.Is) {
		return true
	}
	if s.gates().immunities == 0 {
		return false
	}
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Uses&compile.UsesImmunity != 0 && i.flags&hidden == 0 && i.record != except.record && i.program().Immunity.Matches(spec) {
			return true
		}
	}
	return false
}

// immunize executes the commands Immunize and DropImmunity. An immunity matches the Tags of a buff,
// not its Grants. Like tags, immunities are counted. What happens to a running buff depends on its
// Immune rule: with "remove", it ends here; with "suppress", reevaluate hides it later; with
// "ignore", nothing happens. If the command has Purge, buffs with "suppress" end here too.
//
// Examples: testdata/immunity.txt, immune_ring.txt.
func immunize(t *Turn, s *Owner, c *buff.Command) buff.Result {
	if c.Tag == 0 {
		return buff.Result{Failure: fmt.Errorf("%w: an immunity against none", buff.ErrTag)}
	}
	g := s.ensureGates()
	if c.Verb == verb.DropImmunity && !g.immune.Has(c.Tag) {
		return buff.Result{}
	}
	flushMatching(t, s, func(spec *compile.Program) bool { return compile.Has(spec.Is, c.Tag) })
	if c.Verb == verb.DropImmunity {
		if g.immune.Drop(c.Tag) {
			g.noteImmunityChange()
		}
		return buff.Result{Kind: buff.Done}
	}
	if g.immune.Add(c.Tag) {
		g.noteImmunityChange()
	}
	n := int64(0)
	s.eachInstance(func(i instance) {
		if compile.Has(i.program().Is, c.Tag) && (i.program().Immune == define.ImmuneRemove || c.Purge && i.program().Immune != define.ImmuneIgnore) {
			end(t, i, reason.Immunity)
			n++
		}
	})
	return buff.Result{Kind: buff.Done, Amount: n}
}

// purgeImmune ends the buffs whose Immune rule is "remove" and that match the immunity of the
// instance.
func purgeImmune(t *Turn, i instance) {
	m := &i.program().Immunity
	i.owner.eachInstance(func(other instance) {
		if spec := other.program(); other.slot != i.slot && spec.Immune == define.ImmuneRemove && m.Matches(spec) {
			end(t, other, reason.Immunity)
		}
	})
}

// immuneCause returns the flag `immune` if an immunity of the owner suppresses the instance,
// otherwise 0. If no immunity has changed, it returns the flag that the instance already has.
//
// Example: testdata/immunity_buff.txt.
func (i instance) immuneCause() flags {
	s := i.owner
	switch {
	case s.gates() == nil || i.program().Immune != define.ImmuneSuppress:
		return 0
	case !s.gates().immunityChanged && !s.gates().immunityChangedBefore:
		return i.flags & immune
	case s.immuneTo(i.program(), i):
		return immune
	}
	return 0
}

// whyHidden returns the reason Immune if immunity is the only cause, otherwise reason.None.
func whyHidden(causes flags) reason.Reason {
	if causes&hidden == immune {
		return reason.Immune
	}
	return reason.None
}

// reportedCauses returns the causes for which Hidden and Shown are emitted. Immunity is not one of
// them if pulses are the only effect of the definition, because each suppressed pulse already
// reports the immunity.
func reportedCauses(s *compile.Program) flags {
	if s.Uses&(compile.UsesGrants|compile.UsesModifiers|compile.UsesImmunity) != 0 || s.ReactsTo != 0 || s.Shield.On || s.Aura != nil {
		return hidden
	}
	return hidden &^ immune
}
