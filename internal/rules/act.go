package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
)

// handleAct applies an act to the buffs of the owner, oldest first. First the buffs with actions
// for the act react, then charges are used, and then buffs are interrupted. The actions are only
// queued, so they run last. In a chain that a reaction to damage has started, no buff reacts to
// damage.
//
// Examples: testdata/react.txt, stat/damage_loop.txt.
func handleAct(t *Turn, s *Owner, act buff.Act, target buff.OwnerID, amount int64) buff.Result {
	var r buff.Result
	if !s.gates().handles(act) {
		return r
	}
	quiet := t.quiet
	s.eachInstance(func(i instance) {
		spec := i.program()
		if spec.ReactsTo&compile.Bit(act) == 0 || i.flags&hidden != 0 {
			return
		}
		if spec.Catalog.DamageActs&compile.Bit(act) != 0 {
			if quiet {
				return
			}
			t.quiet = true
		}
		e := i.emit(t, buff.Reacted)
		e.Name, e.Target, e.Magnitude = spec.Catalog.Acts.Name(int(act)), target, amount
		queueActions(t, s, spec.ReactionTo(act), numbersAt(t, i, offBoundary))
		t.quiet = quiet
		r.Kind = buff.Reacted
		r.Amount++
	})
	used, ended := consume(t, s, act), interrupt(t, s, act)
	switch {
	case r.Kind == buff.Reacted:
	case ended.Kind != 0 && used.Kind != buff.Removed:
		r.Kind, r.Why = ended.Kind, ended.Why
	default:
		r.Kind, r.Why = used.Kind, used.Why
	}
	return r
}

// hit is the result of damage against shields, in whole points. It is zero for a change that is
// not damage.
type hit struct {
	absorbed, passed int64
	spent            bool // at least one shield is empty, emptied by this damage or before it
}

// damage reduces an attribute by whole points, after shields have absorbed their part.
func damage(t *Turn, s *Owner, c *buff.Command, catalog *compile.Catalog) buff.Result {
	points := math.Floor(c.Value)
	if c.Value-points >= 0.5 {
		points++
	}
	switch {
	case c.Value == 0: // no damage, and no event
		return buff.Result{}
	case points < 1: // no effect, but an event reports it, so that a wrong number is noticed
		return rebase(t, s, c, catalog, 0, hit{})
	}
	meets := int64(min(points, compile.MostPool))
	rest, spent := s.absorbDamage(meets, c.Tag, c.Attr)
	absorbed := meets - rest
	v := float64(absorbed) - points
	return rebase(t, s, c, catalog, v, hit{absorbed: absorbed, passed: int64(min(-v, compile.MostPool)), spent: spent})
}

// reportDamage reports damage as the act define.ActDamaged of the owner and as the act
// define.ActDealt of the source. If the source is another owner, the second report is a command in
// the Outbox, which is dropped without a Missed if the source has left.
//
// Examples: testdata/stat/damage_acts.txt, damage_loop.txt.
func reportDamage(t *Turn, s *Owner, c *buff.Command, catalog *compile.Catalog, amount int64) {
	if newest := attributeCatalog(t, s); newest != nil {
		catalog = newest
	}
	if catalog.DamageActs == 0 {
		return
	}
	source := c.Application.Source
	handleAct(t, s, catalog.Damaged, source, amount)
	switch {
	case source == s.id:
		handleAct(t, s, catalog.Dealt, source, amount)
	case source != 0 && catalog.Dealt != 0:
		t.Outbox = append(t.Outbox, Outgoing{At: t.at, From: s.id, To: source, Cause: Cause{Damage: true}, Command: buff.Command{
			Verb: verb.Happened, Owner: source, Act: catalog.Dealt, Amount: amount, Application: buff.Application{Source: s.id, Origin: buff.Origin{Quiet: t.quiet}},
		}})
	}
}
