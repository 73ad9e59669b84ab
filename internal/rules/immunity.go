package rules

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
)

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
