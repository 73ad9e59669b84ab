package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
)

// An act is something that the owner does or that happens to it, such as an attack. Buffs react to
// an act with actions, lose charges by it, or are interrupted by it.

// handleAct applies an act to the buffs of the owner, oldest first. First the buffs with actions
// for the act react, then charges are used, and then buffs are interrupted. The actions are only
// queued, so they run last. In a chain that a reaction to damage has started, no buff reacts to
// damage.
//
// Examples: testdata/react.txt, react_source.txt, stat/damage_loop.txt.
func handleAct(t *Turn, s *Owner, act buff.Act, target buff.OwnerID, amount int64, school buff.Tag) buff.Result {
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
		if spec.BySource&compile.Bit(act) != 0 && i.source != target {
			return
		}
		if spec.Catalog.DamageActs&compile.Bit(act) != 0 {
			if quiet {
				return
			}
			t.quiet = true
		}
		e := i.emit(t, buff.Reacted)
		e.Name, e.Target, e.Magnitude, e.School = spec.Catalog.Acts.Name(int(act)), target, amount, school
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

// consume uses one charge of each buff that has the act in Charges.ConsumeOn and is not hidden.
//
// Examples: testdata/charges.txt, hidden_use.txt.
func consume(t *Turn, s *Owner, act buff.Act) buff.Result {
	var r buff.Result
	if !s.gates().handles(act) {
		return r
	}
	s.eachInstance(func(i instance) {
		if i.program().ConsumeOn&compile.Bit(act) != 0 && i.flags&hidden == 0 {
			if one := useCharges(t, i, 1, reason.Consumed); r.Kind != buff.Removed {
				r.Kind, r.Why = one.Kind, one.Why
			}
			r.Amount++
		}
	})
	return r
}

// interrupt ends the buffs that have the act in Interrupt.
func interrupt(t *Turn, s *Owner, act buff.Act) buff.Result {
	var r buff.Result
	if !s.gates().handles(act) {
		return r
	}
	s.eachInstance(func(i instance) {
		if spec := i.program(); spec.Interrupt&compile.Bit(act) != 0 {
			endNamed(t, i, reason.Interrupted, spec.Catalog.Acts.Name(int(act)))
			r.Kind, r.Why = buff.Removed, reason.Interrupted
			r.Amount++
		}
	})
	return r
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
	handleAct(t, s, catalog.Damaged, source, amount, c.Tag)
	switch {
	case source == s.id:
		handleAct(t, s, catalog.Dealt, source, amount, c.Tag)
	case source != 0 && catalog.Dealt != 0:
		t.Outbox = append(t.Outbox, Outgoing{At: t.at, From: s.id, To: source, Cause: Cause{Damage: true}, Command: buff.Command{
			Verb: verb.Happened, Owner: source, Act: catalog.Dealt, Amount: amount, Tag: c.Tag, Application: buff.Application{Source: s.id, Origin: buff.Origin{Quiet: t.quiet}},
		}})
	}
}

// testWhen tests the conditions of on.when, and queues the actions of those that begin to hold. The
// first test of an instance only notes the state. A condition that cannot be evaluated keeps its
// state.
//
// Example: testdata/stat/on_when.txt.
func testWhen(t *Turn, s *Owner) {
	found := false
	s.eachInstance(func(i instance) {
		spec := i.program()
		if spec.When == nil {
			return
		}
		found = true
		q := evaluator{set: s, turn: t, spec: spec, own: i.source == s.id, level: int(i.level), stacks: int32(i.stacks), magnitude: i.magnitude}
		v, why := q.evaluate(spec.When)
		if why != reason.None {
			return
		}
		before := i.flags
		i.flags |= watching
		if i.flags &^= held; v != 0 {
			i.flags |= held
		}
		if before&watching != 0 && before&held == 0 && v != 0 && i.flags&hidden == 0 {
			e := i.newEvent(buff.Reacted)
			e.Name, e.Magnitude = "when", 0
			t.emit(s, &e)
			e.Magnitude = i.magnitude
			queueEventActions(t, s, spec.WhenDo, &e, i.source, numbersAt(t, i, offBoundary))
		}
	})
	s.rare.watches = found
}
