package judge

// Section 3.4 of the rules: invalid definitions. Rulings have added combinations in which a word
// can have no effect.

import (
	"fmt"
	"reflect"
	"slices"
)

// Refusals returns the reasons why the definitions of a scenario must not load. Each reason is a
// sentence of the rules. If the result is empty, the interpreter knows no reason, but the engine
// may still know a reason and refuse a definition.
func (s *Scenario) Refusals() []string {
	var all []string
	for id, d := range s.buffs {
		for _, why := range d.refusals() {
			all = append(all, fmt.Sprintf("buff %s: %s", id, why))
		}
	}
	return all
}

// refusals returns the reasons to refuse one definition.
func (d *definition) refusals() (all []string) {
	no := func(wrong bool, sentence string) {
		if wrong {
			all = append(all, sentence)
		}
	}
	fixed := !d.Duration.instant && !d.Duration.infinite
	no(fixed && d.Duration.curve == "" && d.Duration.ms <= 0, "duration 0 or negative")
	no(d.Period.ms != 0 && d.Period.ms < 50, "period below the floor")
	no(len(d.on().Pulse) > 0 && !d.Period.given(), "tick action without a period")
	no(d.Duration.instant && d.carriedWords(), "an instant buff has name, note, tags, polarity, require.apply, chance, dispel.type, params, data, client and on.exec")
	no(slices.Contains(d.Links, d.ID), "links that form a cycle at the same instant")
	no(d.Dispel != nil && d.Dispel.Per == "charge" && d.Charges == nil, "dispel.per: charge needs charges")
	on := d.on()
	joins := d.stack().By != "none"
	no(!joins && len(on.Refresh)+len(on.Overflow) > 0, "on.refresh and on.overflow without by: none joins")
	no(len(on.Refresh) > 0 && (d.queued() || d.stack().Refresh == "none" && d.stack().Level != "higher_wins"), "on.refresh where nothing is refreshed")
	no(!joins && d.Charges != nil && d.Charges.OnRefresh != "" && d.Charges.OnRefresh != "reset", "charges.on_refresh without by: none joins")
	no(d.Charges != nil && (d.stack().Timers == "each" || d.queued()) && d.Charges.Recharge > 0, "charges.recharge with timers each or queue: each application has its own")
	no(d.Charges != nil && d.Charges.Recharge > 0 && d.Charges.Recharge < 50, "a recharge below the floor")
	no(d.Charges != nil && (d.stack().Timers == "each" || d.queued()) && d.Charges.OnRefresh != "" && d.Charges.OnRefresh != "reset", "charges.on_refresh with timers each or queue: each application has its own")
	no(d.Shield == nil && len(d.on().Absorb) > 0, "on.absorb without a shield")
	no(d.Shield != nil && (d.stack().By == "none" || d.stack().Timers == "each" || d.queued()) && or(d.Shield.OnRefresh, "fill") != "fill", "shield.on_refresh where no application joins the pool of another")
	no(or(d.Clock, "online") == "wall" && d.Save != nil && d.Save.Mode == "never", "wall-clock with save: never")
	no(!d.Period.given() && (d.First != "" || d.Tail != "" || d.Align != "" || d.Haste.mode != "" && d.Haste.rate == nil || d.HasteDuration),
		"first, tail, align, haste, haste_duration and catchup need a period")
	no(d.HasteDuration && (d.Haste.rate == nil && d.Haste.word() == "snapshot" || d.Duration.infinite), "haste_duration with snapshot, each or infinite")
	no(d.Haste.rate != nil && !d.Period.given() && (d.Charges == nil || d.Charges.Recharge == 0), "a rate without a period and a recharge")
	no(d.Period.number != nil && d.queued(), "a period by a number with timers queue")
	no(d.Haste.rate != nil && d.queued(), "a rate with timers queue: each application has its own numbers")
	no(d.Haste.word() != "snapshot" && d.Haste.brought(), "a rate of the application that a running buff reads")
	no(d.Haste.word() == "rescale" && d.Haste.readsSource(), "a rate of the source that rescales")
	for _, list := range [][]action{d.on().Exec} {
		no(len(list) > 0 && !d.Duration.instant, "an instant buff's own action list is on.exec")
	}
	for _, a := range d.actions() {
		no(len(a.OneOf) == 1 || a.Weight < 0, "one_of with a single alternative")
		no(slices.ContainsFunc(a.OneOf, func(b action) bool { return len(b.OneOf) > 0 }), "an alternative with alternatives")
	}
	caller := func(n *number) bool {
		return n != nil && n.runs() && (n.Caller != "" || n.Formula != nil && slices.ContainsFunc(n.Formula.names, func(path []string) bool { return path[0] == "caller" }))
	}
	for _, a := range d.actions() {
		no(caller(a.condition) || slices.ContainsFunc(a.numbers(), caller), "a number that is evaluated when its action runs has no caller")
	}
	ofActions := map[*number]bool{}
	for _, a := range d.actions() {
		for _, n := range a.numbers() {
			ofActions[n] = true
		}
	}
	no(slices.ContainsFunc(d.numbers(), func(n *number) bool { return n.runs() && !ofActions[n] }), "only numbers of actions are evaluated when an action runs")
	no(len(d.Vars) > 0 && (d.stack().Timers == "each" || d.queued()), "vars with timers each or queue")
	no(len(d.Vars) > 8, "more than 8 vars")
	if d.stack().Overflow == "clear" {
		for _, a := range on.Overflow {
			reads := func(n *number) bool {
				return n != nil && n.Formula != nil && slices.ContainsFunc(n.Formula.names, func(path []string) bool { return runNames[path[0]] && path[0] != "amount" })
			}
			no(reads(a.condition) || slices.ContainsFunc(a.numbers(), reads), "with overflow clear the buff has ended before on.overflow")
		}
	}
	if d.Stack != nil {
		all = append(all, d.stackRefusals()...)
	}
	return all
}

// carriedWords reports whether a definition has words that have no effect on an instant.
func (d *definition) carriedWords() bool {
	on := d.on()
	return d.DurationScale != nil || d.MinDuration+d.MaxDuration != 0 || d.Clock != "" || d.Period.given() || d.Haste.rate != nil || d.Stack.given() || len(d.Grants) > 0 || d.Group != nil || d.Slot != nil ||
		d.PerSource != nil || d.DR != nil || !d.Require.Ongoing.empty() || !d.Require.Remove.empty() || or(d.Inhibition, "keep") != "keep" || or(d.Immune, "suppress") != "suppress" || d.Immunity != nil || len(d.Interrupt) > 0 ||
		d.Charges != nil || d.Shield != nil || len(d.Vars) > 0 || len(d.Modifiers) > 0 || len(d.Links) > 0 || d.Aura != nil || d.Save != nil ||
		len(on.Apply)+len(on.Refresh)+len(on.Overflow)+len(on.Death)+len(on.Absorb)+len(on.Act)+len(on.Remove) > 0 || on.When != nil ||
		d.Dispel != nil && (d.Dispel.Grade != "" || d.Dispel.Per != "" || d.Dispel.Resist != 0 || d.Dispel.Stealable != nil)
}

// given reports whether the field `stack` has a value that is not the default. By a ruling, a
// default that is written out counts as omitted (scenario 619576 of seed 20261122).
func (s *stacking) given() bool {
	if s == nil {
		return false
	}
	said := *s
	for _, x := range []struct {
		word   *string
		anyway string
	}{
		{&said.By, "none"}, {&said.Timers, "shared"}, {&said.Refresh, "restart"}, {&said.Phase, "keep"}, {&said.Overflow, "allow"}, {&said.Expire.word, "all"},
	} {
		if *x.word == x.anyway {
			*x.word = ""
		}
	}
	return !reflect.DeepEqual(said, stacking{})
}

// stackRefusals returns the reasons to refuse the definition because of its field `stack`.
func (d *definition) stackRefusals() (all []string) {
	no := func(wrong bool, sentence string) {
		if wrong {
			all = append(all, sentence)
		}
	}
	s := d.stack()
	own := s.each() || s.queue()
	refresh := or(s.Refresh, "restart")
	no(s.limit() < 1, "limit < 1")
	no(s.Initial > s.limit(), "initial > limit")
	no(s.queue() && s.limit() == 1, "a queue with limit 1: nobody can wait")
	no(own && (s.Expire.word == "one" || s.Phase == "reset"), "timers each/queue with expire: one or phase: reset")
	no(s.Decay > 0 && s.Expire.n == 0 && s.Expire.word != "one" && s.Expire.word != "half", "decay needs stacks that remain")
	no(own && (s.Expire.n > 0 || s.Expire.word == "half" || s.Phase == "execute" || !fixedLength(d)),
		"with timers each or queue duration is a span, expire all and phase keep")
	no(s.each() && d.Tail == "partial", "for each tail is not partial")
	no(s.each() && d.HasteDuration, "haste_duration with each")
	no(d.Duration.infinite && refresh != "restart" && refresh != "none", "refresh of an infinite buff: restart and none load, the others are errors")
	no(s.each() && refresh != "restart" && refresh != "none", "refresh other than restart and none with timers each")
	no(s.RefreshShare != nil && refresh != "pandemic", "refresh_share is for refresh pandemic")
	no(s.RefreshCap != nil && refresh != "extend", "refresh_cap is for refresh extend")
	for _, t := range s.Thresholds {
		no(t.Apply == d.ID, "a threshold that applies its own definition")
		no(t.At > s.limit(), "a threshold above the limit")
	}
	no(refresh == "residual_tick" && !d.Period.given(), "residual_tick without a period cannot take effect")
	no(s.RefreshCap != nil && fixedLength(d) && d.Duration.curve == "" && *s.RefreshCap < d.Duration.ms, "cap < duration")
	// By a ruling, a default that is written out counts as omitted.
	no(s.queue() && (s.Initial > 1 || len(s.Thresholds) > 0 || d.First == "every" || refresh != "restart"), "initial, thresholds, first: every, refresh with queue")
	return all
}

func fixedLength(d *definition) bool { return !d.Duration.instant && !d.Duration.infinite }
