package buff

import (
	"math"

	"github.com/bufftick/bufftick/buff/verb"
)

// handleAct applies an act to the buffs of the owner, oldest first. First the buffs with actions
// for the act react, then charges are used, and then buffs are interrupted. The actions are only
// queued, so they run last. In a chain that a reaction to damage has started, no buff reacts to
// damage.
//
// Examples: testdata/react.txt, stat/damage_loop.txt.
func (s *Set) handleAct(t *Turn, act Act, target OwnerID, amount int64) Result {
	var r Result
	if !s.gates().handles(act) {
		return r
	}
	quiet := t.quiet
	s.eachInstance(func(at uint16) {
		i := s.slot(at)
		spec := s.programOf(i)
		if spec.reactsTo&act.bit() == 0 || i.flags&hidden != 0 {
			return
		}
		if spec.catalog.damageActs&act.bit() != 0 {
			if quiet {
				return
			}
			t.quiet = true
		}
		e := s.newInstanceEvent(t, Reacted, at)
		e.Name, e.Target, e.Magnitude = spec.catalog.acts.name(int(act)), target, amount
		s.queueActions(t, spec.reactionTo(act), s.numbersOf(t, i, offBoundary))
		t.quiet = quiet
		r.Kind = Reacted
		r.Amount++
	})
	used, ended := s.consume(t, act), s.interrupt(t, act)
	switch {
	case r.Kind == Reacted:
	case ended.Kind != 0 && used.Kind != Removed:
		r.Kind, r.Why = ended.Kind, ended.Why
	default:
		r.Kind, r.Why = used.Kind, used.Why
	}
	return r
}

// reactionTo returns the actions of the definition for an act.
func (s *program) reactionTo(act Act) []op {
	for k := range s.reactions {
		if s.reactions[k].act == act {
			return s.reactions[k].ops
		}
	}
	return nil
}

// hit is the result of damage against shields, in whole points. It is zero for a change that is
// not damage.
type hit struct {
	absorbed, passed int64
	spent            bool // at least one shield is empty, because of this damage or already before
}

// damage reduces an attribute by whole points, after shields have absorbed their part.
func (s *Set) damage(t *Turn, c *Command, catalog *catalog) Result {
	points := math.Floor(c.Value)
	if c.Value-points >= 0.5 {
		points++
	}
	switch {
	case c.Value == 0: // no damage, and no event
		return Result{}
	case points < 1: // no effect, but an event reports it, so that a wrong number is noticed
		return s.rebase(t, c, catalog, 0, hit{})
	}
	meets := int64(min(points, mostPool))
	rest, spent := s.absorbDamage(meets, c.Tag, c.Attr)
	absorbed := meets - rest
	v := float64(absorbed) - points
	return s.rebase(t, c, catalog, v, hit{absorbed: absorbed, passed: int64(min(-v, mostPool)), spent: spent})
}

// reportDamage reports damage as the act define.ActDamaged of the owner and as the act
// define.ActDealt of the source. If the source is another owner, the second report is a command in
// the Outbox, which is dropped without a Missed if the source has left.
//
// Examples: testdata/stat/damage_acts.txt, damage_loop.txt.
func (s *Set) reportDamage(t *Turn, c *Command, catalog *catalog, amount int64) {
	if newest := s.attributeCatalog(t); newest != nil {
		catalog = newest
	}
	if catalog.damageActs == 0 {
		return
	}
	source := c.Application.Source
	s.handleAct(t, catalog.damaged, source, amount)
	switch {
	case source == s.owner:
		s.handleAct(t, catalog.dealt, source, amount)
	case source != 0 && catalog.dealt != 0:
		t.Outbox = append(t.Outbox, Outgoing{At: t.at, From: s.owner, To: source, Cause: Cause{Damage: true}, Command: Command{
			Verb: verb.Happened, Owner: source, Act: catalog.dealt, Amount: amount, Application: Application{Source: s.owner, Origin: Origin{Quiet: t.quiet}},
		}})
	}
}
