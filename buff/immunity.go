package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// immuneTo reports whether the owner is immune to a definition, by a tag from the command
// Immunize or by a buff other than the one in the slot except.
//
// Examples: testdata/immunity.txt, immunity_buff.txt.
func (s *Set) immuneTo(spec *program, except uint16) bool {
	if s.gates().immuneByTag(spec) {
		return true
	}
	if s.gates().immunities == 0 {
		return false
	}
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if s.programOf(i).uses&usesImmunity != 0 && i.flags&hidden == 0 && at != except && s.programOf(i).immunity.matches(spec) {
			return true
		}
	}
	return false
}

// immuneByTag reports whether the command Immunize has made the owner immune to a definition.
func (g *gates) immuneByTag(spec *program) bool {
	if len(g.immune) > 0 {
		for _, t := range spec.is {
			if g.immune.has(t) {
				return true
			}
		}
	}
	return false
}

// immunize executes the commands Immunize and DropImmunity. An immunity matches the Tags of a buff,
// not its Grants. Like tags, immunities are counted. What happens to a running buff depends on its
// Immune rule: with remove, it ends here; with suppress, reevaluate hides it later; with ignore,
// nothing happens. If the command has Purge, buffs with suppress end here too.
//
// Examples: testdata/immunity.txt, immune_ring.txt.
func (s *Set) immunize(t *Turn, c *Command) Result {
	if c.Tag == 0 {
		return Result{Err: fmt.Errorf("%w: an immunity against none", ErrTag)}
	}
	g := s.ensureGates()
	if c.Verb == verb.DropImmunity && !g.immune.has(c.Tag) {
		return Result{}
	}
	s.flushMatching(t, func(spec *program) bool { return has(spec.is, c.Tag) })
	if c.Verb == verb.DropImmunity {
		if g.immune.drop([]Tag{c.Tag}) {
			g.noteImmunityChange()
		}
		return Result{Kind: Done}
	}
	if g.immune.add([]Tag{c.Tag}) {
		g.noteImmunityChange()
	}
	n := int64(0)
	s.eachInstance(func(at uint16) {
		i := s.slot(at)
		if has(s.programOf(i).is, c.Tag) && (s.programOf(i).Immune == define.ImmuneRemove || c.Purge && s.programOf(i).Immune != define.ImmuneIgnore) {
			s.end(t, at, Immunity)
			n++
		}
	})
	return Result{Kind: Done, Amount: n}
}

// purgeImmune ends the buffs whose Immune rule is remove and that match the immunity of the buff in
// slot at.
func (s *Set) purgeImmune(t *Turn, at uint16) {
	m := &s.programOf(s.slot(at)).immunity
	s.eachInstance(func(other uint16) {
		if spec := s.programOf(s.slot(other)); other != at && spec.Immune == define.ImmuneRemove && m.matches(spec) {
			s.end(t, other, Immunity)
		}
	})
}

// immuneCause returns the flag immune if an immunity of the owner suppresses the instance,
// otherwise 0. If no immunity has changed, it returns the flag that the instance already has.
//
// Example: testdata/immunity_buff.txt.
func (s *Set) immuneCause(i *instance, at uint16) flags {
	switch {
	case s.gates() == nil || s.programOf(i).Immune != define.ImmuneSuppress:
		return 0
	case !s.gates().immunityChanged && !s.gates().immunityChangedBefore:
		return i.flags & immune
	case s.immuneTo(s.programOf(i), at):
		return immune
	}
	return 0
}

// whyHidden returns the reason Immune if immunity is the only cause, otherwise NoReason.
func whyHidden(causes flags) Reason {
	if causes&hidden == immune {
		return Immune
	}
	return NoReason
}

// reportedCauses returns the causes for which Hidden and Shown are emitted. Immunity is not one of
// them if pulses are the only effect of the definition, because each suppressed pulse already
// reports the immunity.
func (s *program) reportedCauses() flags {
	if s.uses&(usesGrants|usesModifiers|usesImmunity) != 0 || s.reactsTo != 0 || s.Shield.On || s.aura != nil {
		return hidden
	}
	return hidden &^ immune
}
