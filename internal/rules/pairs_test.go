package rules_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// probe is an owner that is used in scenarios in which every setting can have an effect.
type probe struct {
	catalog *buff.Catalog
	set     *rules.Owner
	turn    rules.Turn
	now     wheel.Time
	faults  bool
	log     strings.Builder
}

func (p *probe) spec(id string) *buff.Spec { return p.catalog.Spec(id) }

// note appends the events and the visible state to the log.
func (p *probe) note() {
	for _, e := range p.turn.Events {
		fmt.Fprintf(&p.log, "%s s%d m%d l%d\n", e.AppendLog(nil, true), e.Source, e.Magnitude, e.Level)
	}
	p.turn.Events = p.turn.Events[:0]
	for i := range p.set.All() {
		fmt.Fprint(&p.log, i.Spec.ID, i.Source, i.Stacks, i.End, i.NextPulse, i.Level, i.Charges, i.Shield, i.Waiting, i.Hidden, i.Paused, " ")
	}
	power, _ := p.catalog.Attr("power")
	granted, _ := p.catalog.Tag("granted")
	fmt.Fprintln(&p.log, p.set.Attribute(p.catalog, power), p.set.Has(granted))
}

func (p *probe) do(c buff.Command) {
	r := p.set.Do(&p.turn, p.now, c)
	fmt.Fprintln(&p.log, c.Verb, r.Kind, r.Why, r.Amount, r.Failure)
	p.note()
}

func (p *probe) apply(id string, source buff.OwnerID, more ...func(*buff.Application)) {
	a := buff.Application{Spec: p.spec(id), Source: source, Magnitude: int64(10 * source), Level: int(source), Key: uint64(source)}
	for _, m := range more {
		m(&a)
	}
	p.do(buff.Command{Verb: verb.Apply, Application: a})
}

// to runs frames with the given step until an instant.
func (p *probe) to(until, step wheel.Time) {
	for p.now < until {
		p.now = min(p.now+step, until)
		p.turn.Now = p.now
		for !p.set.Run(&p.turn, p.now, 1000) {
		}
		p.note()
	}
}

// each executes a command for every buff of the definition x.
func (p *probe) each(c buff.Command) {
	var handles []buff.Handle
	for i := range p.set.All() {
		if i.Spec.ID == "x" {
			handles = append(handles, i.Handle)
		}
	}
	for _, h := range handles {
		c.Handle = h
		p.do(c)
	}
}

func (p *probe) tag(name string) buff.Tag { t, _ := p.catalog.Tag(name); return t }

func (p *probe) act(name string) buff.Act { a, _ := p.catalog.Act(name); return a }

// away saves the owner, lets the given time pass and restores the owner.
func (p *probe) away(ms int64) {
	m := buff.Moment{Now: p.now, Wall: 1_000_000 + int64(p.now), Uptime: int64(p.now)}
	blob, _ := p.set.Save(nil, p.catalog, m, 0)
	p.set = rules.NewOwner(8, 1, p.set.Generation(), 40)
	m.Wall, m.Uptime = m.Wall+ms, m.Uptime+ms/2
	_, err := p.set.Restore(&p.turn, m, blob, nil)
	fmt.Fprintln(&p.log, "restored", err)
	p.note()
}

func (p *probe) several() {
	p.apply("x", 1)
	p.to(p.now+700, 350)
	p.apply("x", 2)
	p.apply("x", 1)
	p.to(p.now+900, 300)
	p.do(buff.Command{Verb: verb.Consume, Act: p.act("cast")})
	p.apply("x", 1, func(a *buff.Application) { a.Duration = buff.Lasting(secs(2.5)) })
	p.apply("x", 2, func(a *buff.Application) { a.Level = 1 })
	p.apply("x", 1, func(a *buff.Application) { a.Key = 2 })
}

// scenarios are the tests that a probe runs; each starts with a new owner.
var scenarios = []func(p *probe){
	func(p *probe) { // many applications, beyond the limit
		p.several()
		p.apply("x", 1, func(a *buff.Application) { a.Stacks, a.Duration, a.Magnitude = 3, buff.Lasting(secs(9)), 99 })
		p.to(p.now+1600, 400)
		p.apply("x", 1, func(a *buff.Application) { a.Stacks, a.Duration = 2, buff.Lasting(secs(2)) })
		p.apply("x", 1, func(a *buff.Application) { a.Level, a.Key = 9, 2 })
		p.to(p.now+12_000, 500)
	},
	func(p *probe) { // one application, and one with an explicit number of stacks
		p.apply("x", 1)
		p.to(p.now+8000, 500)
		p.apply("x", 1, func(a *buff.Application) { a.Stacks = 3 })
		p.to(p.now+25_000, 500)
	},
	func(p *probe) { // haste
		p.several()
		p.each(buff.Command{Verb: verb.SetPeriod, By: 400 * time.Millisecond})
		p.to(p.now+900, 300)
		p.apply("x", 1)
		p.to(p.now+900, 300)
		p.each(buff.Command{Verb: verb.SetPeriod, By: 1500 * time.Millisecond})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // tags, inhibition, immunity
		p.several()
		p.each(buff.Command{Verb: verb.Inhibit})
		p.to(p.now+1300, 650)
		p.each(buff.Command{Verb: verb.Release})
		p.to(p.now+400, 200)
		p.do(buff.Command{Verb: verb.Immunize, Tag: p.tag("mine")})
		p.to(p.now+1100, 550)
		p.apply("x", 3)
		p.do(buff.Command{Verb: verb.DropImmunity, Tag: p.tag("mine")})
		p.apply("other", 2)
		p.to(p.now+400, 200)
		p.do(buff.Command{Verb: verb.AddTag, Tag: p.tag("dumb")})
		p.apply("x", 3)
		p.to(p.now+1300, 650)
		p.do(buff.Command{Verb: verb.DropTag, Tag: p.tag("dumb")})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // a late frame
		p.several()
		p.to(p.now+20_000, 20_000)
	},
	func(p *probe) { // death
		p.several()
		p.do(buff.Command{Verb: verb.Kill})
		p.apply("x", 3)
		p.to(p.now+1300, 650)
		p.do(buff.Command{Verb: verb.Revive})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // areas and sources
		p.several()
		p.do(buff.Command{Verb: verb.LoseSource, Application: buff.Application{Source: 1}})
		p.to(p.now+300, 300)
		p.do(buff.Command{Verb: verb.SetArea})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // acts, damage and dispels
		p.several()
		p.do(buff.Command{Verb: verb.Consume, Act: p.act("cast")})
		p.apply("x", 1)
		p.do(buff.Command{Verb: verb.Absorb, Amount: 30})
		for range 4 {
			p.do(buff.Command{Verb: verb.Dispel, Query: buff.Query{Type: "curse", Most: 1, Grade: define.GradeStrong}})
			p.do(buff.Command{Verb: verb.Dispel, Query: buff.Query{Tag: p.tag("mine"), Most: 1}})
		}
		p.several()
		p.do(buff.Command{Verb: verb.Steal, By: secs(30), Query: buff.Query{Tag: p.tag("mine"), Most: 1, To: 9, Grade: define.GradeStrong}})
		p.do(buff.Command{Verb: verb.Dispel, Query: buff.Query{Tag: p.tag("mine"), Grade: define.GradeStrong}})
		p.apply("x", 1)
		p.do(buff.Command{Verb: verb.Interrupt, Act: p.act("move")})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // manual changes of time and stacks
		p.several()
		p.each(buff.Command{Verb: verb.Extend, By: secs(2)})
		p.each(buff.Command{Verb: verb.Remove, Stacks: 1})
		p.to(p.now+1000, 500)
		p.each(buff.Command{Verb: verb.SetRemaining, By: secs(1.5)})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // a short and a long absence
		p.several()
		p.away(2400)
		p.to(p.now+300, 300)
		p.apply("x", 1)
		p.away(60_000)
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // other buffs of the group and of the slot class
		p.apply("weak", 1)
		p.apply("x", 1)
		p.apply("strong", 2)
		p.apply("x", 2)
		p.apply("x", 3)
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // handlers that fail
		p.faults = true
		p.several()
		p.to(p.now+9000, 500)
	},
}

// live returns the logs of a definition in all scenarios.
func live(t *testing.T, s buff.Spec) (string, error) {
	mate := func(id string, priority int) buff.Spec {
		m := buff.Spec{ID: id, Duration: secs(6), Group: s.Group, Slot: s.Slot}
		if s.Group.Name != "" {
			m.Group.Priority = priority
		}
		return m
	}
	c, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{attribute("power")}, Tags: []string{"dumb", "granted"}, Acts: []string{"move", "cast"},
		Specs: []buff.Spec{s, mate("weak", 0), mate("strong", 2), {ID: "flash", Kind: define.Instant}, {ID: "other", Duration: secs(3), Tags: []string{"other"}}},
	})
	if err != nil {
		return "", err
	}
	var log strings.Builder
	for n, live := range scenarios {
		p := &probe{catalog: c, set: rules.NewOwner(8, 1, 0, 40), now: 137}
		p.turn = rules.Turn{Catalog: c, Now: p.now, Seed: 7, Call: func(_ *rules.Turn, call *rules.Call) reason.Reason {
			fmt.Fprintln(&p.log, "call", call.Event.Kind, call.Event.Stacks)
			if p.faults && (call.Event.Kind == buff.Pulsed || call.Event.Stacks > 1) {
				return reason.Panic
			}
			return reason.None
		}}
		live(p)
		fmt.Fprintf(&log, "scenario %d\n%s", n, p.log.String())
	}
	return log.String(), nil
}

// TestPairsOfWords checks each pair of settings of a definition. Either the catalog rejects the
// pair, or the first setting changes the log of a scenario together with the second. All other
// pairs must be in the list `together`.
func TestPairsOfWords(t *testing.T) {
	logs := map[string]string{}
	lived := func(s buff.Spec) (string, error) {
		key := fmt.Sprintf("%+v %v", s, s.DurationScale != nil)
		if log, ok := logs[key]; ok {
			return log, nil
		}
		log, err := live(t, s)
		if err == nil {
			logs[key] = log
		}
		return log, err
	}
	var refused, silent []string
	for _, a := range pairWords {
		for k, b := range append([]word{{"", "", nothing, nothing}}, pairWords...) {
			if a.field == b.field || !long.On() && k%12 != 1 {
				continue
			}
			with, without := pairBase(), pairBase()
			for _, f := range []func(*buff.Spec){b.needs, b.gives, a.needs, a.gives} {
				f(&with)
			}
			for _, f := range []func(*buff.Spec){b.needs, b.gives, a.needs} {
				f(&without)
			}
			is, err := lived(with)
			name := fmt.Sprintf("%s %s with %s %s", a.field, a.value, b.field, b.value)
			if k == 0 {
				require.NoError(t, err, name)
				was, err := lived(without)
				require.NoError(t, err, name)
				require.False(t, was == is, "no probe shows what %s %s does", a.field, a.value)
				continue
			}
			if err != nil {
				var list buff.SpecErrors
				require.True(t, errors.As(err, &list))
				for _, e := range list {
					refused = append(refused, fmt.Sprintf("%s: %s: %s", name, e.Field, e.Text))
				}
				continue
			}
			if was, err := lived(without); err == nil && was == is {
				silent = append(silent, name)
			}
		}
	}
	for _, name := range silent {
		known := slices.ContainsFunc(together, func(t [2]string) bool {
			a, b, _ := strings.Cut(name, " with ")
			return strings.HasPrefix(a, t[0]) && strings.HasPrefix(b, t[1])
		})
		require.True(t, known, "%s: loads, and no probe shows what the first word does beside the second", name)
	}
	if long.On() {
		require.Greater(t, len(refused), 200, "hardly any pair is refused")
	}
}

// together lists pairs in which the first setting does not change any log. They are allowed because
// the setting has an effect in other cases, or because both settings say the same.
var together = [][2]string{
	// The scenarios set durations explicitly, and these settings concern other durations.
	{"min_duration", ""},
	{"max_duration", ""},
	{"save.mode if_remaining", ""},
	{"save.offline_expire", "duration infinite"},
	// In this table, the second setting already includes the first.
	{"stack.expire", "stack.decay"},
	{"clock wall", "save."},
	{"haste next", "haste_duration"},
	{"charges 3", ""},
	{"stack.timers each", "stack.overflow replace_oldest"},
	// A group has one effective member, so there is no second instance of x to count; other buffs
	// of the group or the class exist.
	{"stack.effective", "group"},
	{"stack.level higher_wins", "group"},
	{"slot", "group"},
	{"slot", "stack.by target"},
	{"dr.scope", "group"},
	// An infinite buff has an end to diminish only if it is applied with a duration.
	{"dr.scope", "duration infinite"},
	// A dispel removes more than the scenarios have applied, or has no effect on this buff.
	{"dispel.per", ""},
	// At the limit, an old stack always makes room.
	{"stack.refresh none", "stack.overflow replace_oldest"},
	{"on.refresh", "stack.overflow replace_oldest"},
	// At the limit, a stack with a separate end is handled differently: see async_stack.go.
	{"stack.refresh none", "stack.timers each"},
	// The buff has ended before the setting matters.
	{"on_source_gone", "stack.overflow clear"},
	{"on_fault", "period none"},
}
