package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// company tells what a buff does not go together with.
func (t *teller) company() {
	if g := &t.Group; g.Name != "" {
		t.say("Of the group %s, with priority %d: %s.", code(g.Name), g.Priority, map[define.GroupRule]string{
			define.GroupAlways:        "it replaces the others",
			define.GroupNever:         "it is refused if there is another",
			define.GroupHigher:        "it replaces those of lower priority, or is refused",
			define.GroupEqualOrHigher: "it replaces those of lower or the same priority, or is refused",
			define.GroupSameSource:    "it replaces those of its source",
			define.GroupHide:          "only the one of the highest priority has an effect",
		}[g.Rule])
	}
	if l := &t.Slot; l.Class != "" {
		t.say("Takes a slot of the class %s, of which its owner has %d; if none is free, %s.", code(l.Class), l.Limit, map[define.Evict]string{
			define.EvictReject: "it is refused", define.EvictOldest: "the oldest goes",
			define.EvictLowest: "the one of the lowest priority goes, or it is refused if its own is lower", define.EvictSoonest: "the one that ends first goes",
		}[l.Evict])
	}
	t.sayIf(t.PerSource.Limit > 0, "A source has at most %d on all owners; then the oldest goes.", t.PerSource.Limit)
}

// gates tells who gets it, and when it has no effect.
func (t *teller) gates() {
	t.sayIf(t.Chance == define.ChanceNever, "Every application is refused.")
	t.sayIf(t.Chance > 0 && t.Chance < 1000, "An application succeeds with a chance of %s %%.", strconv.FormatFloat(float64(t.Chance)/10, 'f', -1, 64))
	t.require("Only for owners with", &t.Require.Apply)
	t.require("Has an effect only while its owner has", &t.Require.Ongoing)
	t.require("Is removed when its owner has", &t.Require.Remove)
	t.sayIf(t.Inhibition == define.InhibitionReset, "After a time without effect the beat begins anew.")
	t.sayIf(t.Inhibition == define.InhibitionExecute, "After a time without effect it pulses, and the beat begins anew.")
	t.sayIf(t.Dead == define.DeadDeny, "A dead owner does not get it.")
	t.sayIf(t.Dead == define.DeadAllow, "A dead owner gets it too.")
	t.sayIf(t.Immune == define.ImmuneRemove, "It goes when its owner becomes immune to it.")
	t.sayIf(t.Immune == define.ImmuneIgnore, "It goes on when its owner becomes immune to it.")
	t.immunity()
	if d := &t.DR; d.Group != "" {
		steps := make([]string, len(d.Steps))
		for i, n := range d.Steps {
			steps[i] = fmt.Sprintf("%d %%", n)
		}
		whose := "on the owner"
		if d.Scope == define.ScopePair {
			whose = "of one source on the owner"
		}
		t.say("One after the other of the group %s %s lasts %s of its duration, until %s after the end of the last.",
			code(d.Group), whose, strings.Join(steps, ", "), shortSpan(d.Reset))
	}
	t.sayIf(len(t.Interrupt) > 0, "Ends when its owner does one of %s.", codes(t.Interrupt))
}

func (t *teller) require(what string, c *define.TagTest) {
	var parts []string
	add := func(how string, tags []string) {
		if len(tags) > 0 {
			parts = append(parts, how+" "+codes(tags))
		}
	}
	add("all of", c.All)
	add("one of", c.Any)
	add("none of", c.None)
	t.sayIf(len(parts) > 0, "%s %s.", what, listed(parts))
}

func (t *teller) immunity() {
	m := &t.Immunity
	var parts []string
	if m.Polarity != define.Neutral {
		parts = append(parts, "that are "+m.Polarity.String())
	}
	if m.Type != "" {
		parts = append(parts, "of the type "+code(m.Type))
	}
	if len(m.Tags) > 0 {
		parts = append(parts, "with one of the tags "+codes(m.Tags))
	}
	t.sayIf(len(parts) > 0, "Its owner is immune to buffs %s.", listed(parts))
}

// dispels tells what takes it off.
func (t *teller) dispels() {
	if t.Kind == define.Instant {
		t.sayIf(t.Dispel.Type != "", "Its type is %s.", code(t.Dispel.Type))
		return
	}
	d := &t.Dispel
	of := " of"
	if d.Type != "" {
		of = " of the type " + code(d.Type) + " and of"
	}
	takes := map[define.Per]string{define.PerAll: "it", define.PerStack: "one stack", define.PerCharge: "one charge"}[d.Per]
	switch {
	case d.Grade == define.GradeUndispellable:
		t.say("No dispel takes it off.")
	case d.Type != "" || d.Grade != define.GradeBasic || d.Per != define.PerAll:
		t.say("A dispel%s the grade %v or above takes %s off.", of, d.Grade, takes)
	}
	t.sayIf(d.Resist > 0, "A dispel fails with a chance of %s %%.", strconv.FormatFloat(float64(d.Resist)/10, 'f', -1, 64))
	t.sayIf(d.Keep, "Nobody can steal it.")
}

// pools tells what may be used up, and what reaches others.
func (t *teller) pools() {
	if c := &t.Charges; c.N > 0 {
		on := ""
		if len(c.ConsumeOn) > 0 {
			on = ", used when its owner does one of " + codes(c.ConsumeOn)
		}
		t.say("Has %s%s; the last one ends it.", counted(c.N, "charge"), on)
		t.sayIf(t.Stack.By != define.ByNone, "Applied again, %s.", map[define.ChargeRule]string{
			define.ChargesReset: "it has all its charges", define.ChargesKeep: "it has the charges that it had",
			define.ChargesAdd: "its charges are added",
		}[c.Refresh])
	}
	if h := &t.Shield; h.On {
		pool, of := "as much as the application says", "damage"
		switch {
		case h.By != nil:
			pool = numberText(h.By)
		case h.Pool > 0:
			pool = strconv.FormatInt(h.Pool, 10)
		}
		if len(h.Schools) > 0 {
			of += " of " + codes(h.Schools)
		}
		t.say("Absorbs %s, %s, with priority %d.", of, pool, h.Priority)
	}
	if a := &t.Aura; a.Apply != "" {
		t.say("Applies %s to those within %v, every %s; it stays %s with who left.", link(a.Apply), a.Radius, shortSpan(a.Interval), shortSpan(a.Linger))
	}
}

func (t *teller) params() {
	for i := range t.Params {
		p := &t.Params[i]
		t.say("%s is %s.", code(p.Name), numberText(&p.Value))
	}
}

// hook is a list of actions, and when they are done.
type hook struct {
	when    string
	actions []buff.Action
}

// hooks returns the lists of a definition in their order.
func hooks(s *buff.Spec) []hook {
	list := []hook{
		{"At its start", s.On.Apply},
		{"When it is refreshed", s.On.Refresh},
		{"At a pulse", s.On.Pulse},
		{"At once", s.On.Exec},
		{"At an application at the limit", s.On.Overflow},
	}
	for _, act := range slices.Sorted(maps.Keys(s.On.Act)) {
		list = append(list, hook{"When " + code(act) + " happens", s.On.Act[act]})
	}
	for r := buff.NoReason + 1; r.Removes(); r++ {
		list = append(list, hook{"When it ends, " + r.String(), s.On.Remove[r]})
	}
	return append(list, hook{"When it ends, for any reason", s.On.RemoveAny})
}

// done tells what is done when.
func (t *teller) done() {
	for _, h := range hooks(t.Spec) {
		var what []string
		for i := range h.actions {
			what = append(what, actionText(&h.actions[i]))
		}
		t.sayIf(len(what) > 0, "%s: %s.", h.when, listed(what))
	}
}

// whom says for whom an action is that is not for the owner.
var whom = map[define.To]string{define.ToSource: " of its source", define.ToTarget: " of the other one"}

func actionText(a *buff.Action) string {
	of, to := whom[a.To], ""
	if of != "" {
		to = " to" + strings.TrimPrefix(of, " of")
	}
	switch a.Do {
	case define.DoCall:
		return "handler " + code(a.Name) + " is called"
	case define.DoApply:
		return "it applies " + link(a.Name) + to
	case define.DoRemove:
		return "it removes " + link(a.Name) + of
	case define.DoKill:
		return cmp.Or(strings.TrimPrefix(of, " of "), "its owner") + " dies"
	case define.DoChange:
		return fmt.Sprintf("%s%s changes by %s%s", code(a.Change.Attr), of, numberText(&a.Change.By), eachStack(a.Change.PerStack))
	default:
		school := ""
		if a.Change.School != "" {
			school = " of " + code(a.Change.School)
		}
		return fmt.Sprintf("%s%s takes damage%s: %s%s", code(a.Change.Attr), of, school, numberText(&a.Change.By), eachStack(a.Change.PerStack))
	}
}
