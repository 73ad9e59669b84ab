package rules_test

import (
	"encoding"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// The parts of a transcript for definitions and commands.

func span(t testing.TB, word string) time.Duration {
	d, err := time.ParseDuration(word)
	require.NoError(t, err)
	return d
}

func number(t testing.TB, word string) int {
	n, err := strconv.Atoi(word)
	require.NoError(t, err)
	return n
}

// definitions reads lines such as
//
//	poison duration=10s period=3s by=target limit=3 on.pulse=(call:burst, kill)
//
// in which the fields of the stack go without "stack.".
func (l *lexicon) definitions(t testing.TB, d *datadriven.TestData) []buff.Spec {
	var specs []buff.Spec
	for _, line := range strings.Split(d.Input, "\n") {
		id, args, err := datadriven.ParseLine(line)
		require.NoError(t, err)
		s := buff.Spec{ID: id}
		for _, a := range args {
			l.define(t, &s, a)
		}
		specs = append(specs, s)
	}
	return specs
}

func (l *lexicon) define(t testing.TB, s *buff.Spec, a datadriven.CmdArg) {
	if l.defineStat(t, s, a) {
		return
	}
	first := strings.Join(a.Vals[:min(1, len(a.Vals))], "")
	if word, ok := strings.CutPrefix(a.Key, "on.remove."); ok && word != "any" {
		var r reason.Reason
		require.NoError(t, r.UnmarshalText([]byte(word)))
		if s.On.Remove == nil {
			s.On.Remove = map[reason.Reason][]define.Action{}
		}
		s.On.Remove[r] = l.actions(t, a.Vals)
		return
	}
	if act, ok := strings.CutPrefix(a.Key, "on.act."); ok {
		if bare, ok := strings.CutSuffix(act, ".by_source"); ok {
			act = bare
			s.On.ActBySource = append(s.On.ActBySource, act)
		}
		if s.On.Act == nil {
			s.On.Act = map[string][]define.Action{}
		}
		s.On.Act[act] = l.actions(t, a.Vals)
		return
	}
	if name, ok := strings.CutPrefix(a.Key, "var."); ok {
		l.variable(t, s, name, a.Vals)
		return
	}
	words := map[string]encoding.TextUnmarshaler{
		"polarity": &s.Polarity, "clock": &s.Clock,
		"first": &s.First, "tail": &s.Tail, "align": &s.Align, "haste": &s.Haste, "catchup": &s.Catchup,
		"by": &s.Stack.By, "timers": &s.Stack.Timers, "refresh": &s.Stack.Refresh, "phase": &s.Stack.Phase,
		"overflow": &s.Stack.Overflow, "expire": &s.Stack.Expire, "level": &s.Stack.Level,
		"group.rule": &s.Group.Rule, "slot.evict": &s.Slot.Evict, "inhibition": &s.Inhibition, "immune": &s.Immune, "dead": &s.Dead,
		"immunity.polarity": &s.Immunity.Polarity, "dr.scope": &s.DR.Scope, "dispel.grade": &s.Dispel.Grade, "dispel.per": &s.Dispel.Per,
		"charges.on_refresh": &s.Charges.Refresh, "shield.on_refresh": &s.Shield.Refresh, "on_death": &s.OnDeath, "on_source_gone": &s.OnSourceGone, "on_fault": &s.OnFault,
	}
	numbers := map[string]*int{
		"catchup_max": &s.CatchupMax, "limit": &s.Stack.Limit, "initial": &s.Stack.Initial, "refresh_pct": &s.Stack.RefreshPct,
		"effective": &s.Stack.Effective, "expire_n": &s.Stack.ExpireN, "group.priority": &s.Group.Priority, "slot.limit": &s.Slot.Limit,
		"per_source": &s.PerSource.Limit, "chance": &s.Chance, "dispel.resist": &s.Dispel.Resist, "charges": &s.Charges.N,
		"shield.priority": &s.Shield.Priority, "shield.share": &s.Shield.Share,
	}
	texts := map[string]*string{
		"group": &s.Group.Name, "slot": &s.Slot.Class, "immunity.type": &s.Immunity.Type, "dr": &s.DR.Group, "dispel.type": &s.Dispel.Type,
	}
	spans := map[string]*time.Duration{
		"period": &s.Period, "min_duration": &s.MinDuration, "max_duration": &s.MaxDuration, "refresh_cap": &s.Stack.RefreshCap,
		"decay": &s.Stack.Decay, "recharge": &s.Charges.Recharge, "dr.reset": &s.DR.Reset,
	}
	names := map[string]*[]string{
		"tags": &s.Tags, "grants": &s.Grants, "interrupt": &s.Interrupt,
		"consume_on": &s.Charges.ConsumeOn, "shield.schools": &s.Shield.Schools, "shield.attrs": &s.Shield.Attrs, "immunity.tags": &s.Immunity.Tags,
		"require.all": &s.Require.Apply.All, "require.any": &s.Require.Apply.Any, "require.none": &s.Require.Apply.None,
		"ongoing.all": &s.Require.Ongoing.All, "ongoing.any": &s.Require.Ongoing.Any, "ongoing.none": &s.Require.Ongoing.None,
		"remove.all": &s.Require.Remove.All, "remove.any": &s.Require.Remove.Any, "remove.none": &s.Require.Remove.None,
	}
	lists := map[string]*[]define.Action{
		"on.apply": &s.On.Apply, "on.refresh": &s.On.Refresh, "on.pulse": &s.On.Pulse, "on.exec": &s.On.Exec,
		"on.overflow": &s.On.Overflow, "on.remove.any": &s.On.RemoveAny, "on.death": &s.On.Death, "on.absorb": &s.On.Absorb,
	}
	if strings.HasPrefix(a.Key, "on.when.") && s.On.When == nil {
		s.On.When = &define.When{}
	}
	if s.On.When != nil {
		lists["on.when.do"] = &s.On.When.Do
	}
	switch {
	case a.Key == "on.when.if":
		s.On.When.If = l.numberOf(t, first)
	case a.Key == "duration" && first == "instant":
		s.Kind = define.Instant
	case a.Key == "duration" && first == "infinite":
		s.Kind = define.Infinite
	case a.Key == "duration":
		s.Duration = span(t, first)
	case a.Key == "haste_duration":
		s.HasteDuration = true
	case a.Key == "keep":
		s.Dispel.Keep = true
	case a.Key == "shield":
		s.Shield.On, s.Shield.Pool = true, int64(number(t, first))
	case a.Key == "shield.floor":
		s.Shield.Floor = int64(number(t, first))
	case a.Key == "shield.cap":
		s.Shield.Cap = int64(number(t, first))
	case a.Key == "dr.steps":
		for _, v := range a.Vals {
			s.DR.Steps = append(s.DR.Steps, number(t, v))
		}
	case a.Key == "threshold":
		s.Stack.Thresholds = append(s.Stack.Thresholds, threshold(t, a.Vals))
	case a.Key == "param":
		s.Params = append(s.Params, param(t, a.Vals))
	case words[a.Key] != nil:
		require.NoError(t, words[a.Key].UnmarshalText([]byte(first)))
	case numbers[a.Key] != nil:
		*numbers[a.Key] = number(t, first)
	case texts[a.Key] != nil:
		*texts[a.Key] = first
	case spans[a.Key] != nil:
		*spans[a.Key] = span(t, first)
	case names[a.Key] != nil:
		*names[a.Key] = a.Vals
	case lists[a.Key] != nil:
		*lists[a.Key] = l.actions(t, a.Vals)
	default:
		require.Fail(t, "unknown field", "%s of %s", a.Key, s.ID)
	}
}

// threshold reads "(5, apply:frozen, consume:all)".
func threshold(t testing.TB, words []string) define.Threshold {
	h := define.Threshold{At: number(t, words[0])}
	for _, w := range words[1:] {
		switch what, arg, _ := strings.Cut(w, ":"); {
		case what == "apply":
			h.Apply = arg
		case arg == "all":
			h.Consume = define.ConsumeAll
		default:
			h.Consume = number(t, arg)
		}
	}
	return h
}

// param reads "(dmg, caller:dmg, default:35)".
func param(t testing.TB, words []string) define.Param {
	p := define.Param{Name: words[0], Value: define.Number{From: define.FromCaller}}
	for _, w := range words[1:] {
		what, arg, _ := strings.Cut(w, ":")
		if what == "caller" {
			p.Value.Caller = arg
			continue
		}
		p.Value = p.Value.Or(float64(number(t, arg)))
	}
	if p.Value.Caller == "" {
		p.Value.From = define.FromConst
	}
	return p
}

// actions reads "apply:boom", "apply:boom+magnitude:owner:power/run+stacks:2", "remove:shield/broken", "call:handler", "kill",
// "change:health+5", "damage:health+caller:dmg+school:fire+per_stack", each with "@source" or
// "@target" behind it if it is not for the owner. Then a condition may follow: "?owner:mana" or
// "?tag:NAME".
func (l *lexicon) actions(t testing.TB, words []string) []define.Action {
	var list []define.Action
	for _, w := range words {
		if alternatives := strings.Split(w, "|"); len(alternatives) > 1 {
			list = append(list, l.alternatives(t, alternatives)...)
			continue
		}
		w, condition, conditional := strings.Cut(w, "?")
		if conditional {
			defer func(k int) {
				if tag, ok := strings.CutPrefix(condition, "tag:"); ok {
					list[k].IfTags.All = []string{tag}
				} else {
					n := l.numberOf(t, condition)
					list[k].If = &n
				}
			}(len(list))
		}
		w, whom, _ := strings.Cut(w, "@")
		var to define.To
		if whom != "" {
			require.NoError(t, to.UnmarshalText([]byte(whom)))
		}
		do, name, _ := strings.Cut(w, ":")
		if do == "change" || do == "damage" {
			a := define.Action{Do: define.DoChange, To: to, Change: l.change(t, name)}
			if do == "damage" {
				a.Do = define.DoDamage
			}
			list = append(list, a)
			continue
		}
		if a, ok := l.onBuffs(t, do, name); ok {
			a.To = to
			list = append(list, a)
			continue
		}
		var with []string
		if do == "apply" {
			with = strings.Split(name, "+")
			name = with[0]
		}
		name, reason, given := strings.Cut(name, "/")
		a := define.Action{To: to, Name: name}
		for k := range with[min(len(with), 1):] {
			key, value, _ := strings.Cut(with[k+1], ":")
			n := l.numberOf(t, value)
			if a.With == nil {
				a.With = &define.ApplyWith{}
			}
			for _, w := range a.With.Numbers() {
				if w.Name == key {
					*w.Number = &n
				}
			}
		}
		switch do {
		case "call":
			a.Do = define.DoCall
		case "apply":
			a.Do = define.DoApply
		case "remove":
			a.Do = define.DoRemove
		case "revive":
			a.Do = define.DoRevive
		case "kill":
			a.Do = define.DoKill
		case "nothing":
			a.Do = define.DoNothing
		default:
			require.Fail(t, "unknown action", w)
		}
		if given {
			require.NoError(t, a.Reason.UnmarshalText([]byte(reason)))
		}
		list = append(list, a)
	}
	return list
}

// alternatives returns the alternatives of "3*apply:boom|nothing".
func (l *lexicon) alternatives(t testing.TB, words []string) (list []define.Action) {
	for _, w := range words {
		weight, rest, weighted := strings.Cut(w, "*")
		if !weighted {
			weight, rest = "1", w
		}
		a := l.actions(t, []string{rest})[0]
		var err error
		a.Weight, err = strconv.Atoi(weight)
		require.NoError(t, err)
		list = append(list, a)
	}
	list[0].OneOf = len(list)
	return list
}

// variable reads "var.bank=(3,min:0,max:10)", and then "var.bank.at_max=(…)".
func (l *lexicon) variable(t testing.TB, s *buff.Spec, name string, words []string) {
	if name, ok := strings.CutSuffix(name, ".at_max"); ok {
		s.Vars[slices.IndexFunc(s.Vars, func(v define.Var) bool { return v.Name == name })].AtMax = l.actions(t, words)
		return
	}
	v := define.Var{Name: name, Base: l.numberOf(t, words[0])}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, ":")
		limit := decimal(t, value)
		if key == "min" {
			v.Min = &limit
		} else {
			v.Max = &limit
		}
	}
	s.Vars = append(s.Vars, v)
}

// onBuffs returns an action on running buffs, such as "extend:burn+by:2+at_most:3s", or with a
// query "remove:+tag:cooldown+most:1".
func (l *lexicon) onBuffs(t testing.TB, do, text string) (define.Action, bool) {
	k := slices.Index([]string{"extend", "use", "rate", "dispel", "set", "add"}, do)
	if k < 0 && !(do == "remove" && strings.Contains(text, "+")) {
		return define.Action{}, false
	}
	words := strings.Split(text, "+")
	a := define.Action{Do: define.DoRemove, Name: words[0]}
	if k >= 0 {
		a.Do = define.DoExtend + define.Do(k)
	}
	if a.Do >= define.DoSet {
		a.Name, a.Var = "", a.Name
	} else if a.Name == "" {
		a.Query = &define.Query{}
	}
	var err error
	for _, w := range words[1:] {
		switch key, value, _ := strings.Cut(w, ":"); key {
		case "by":
			n := l.numberOf(t, value)
			a.By = &n
		case "at_most":
			a.AtMost, err = time.ParseDuration(value)
		case "stacks":
			a.Stacks, err = strconv.Atoi(value)
		case "from":
			a.FromSource = true
		case "tag":
			a.Query.Tag = value
		case "type":
			a.Query.Type = value
		case "most":
			a.Query.Most, err = strconv.Atoi(value)
		case "newest":
			a.Query.Newest = true
		default:
			require.Fail(t, "unknown word", w)
		}
		require.NoError(t, err)
	}
	return a, true
}
