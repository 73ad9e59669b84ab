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

// probe is one owner who lives through everything that a word could bear on.
type probe struct {
	catalog *buff.Catalog
	set     *rules.Owner
	turn    rules.Turn
	now     wheel.Time
	faults  bool
	log     strings.Builder
}

func (p *probe) spec(id string) *buff.Spec { return p.catalog.Spec(id) }

// note writes down what has happened, and what an onlooker sees.
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
	fmt.Fprintln(&p.log, c.Verb, r.Kind, r.Why, r.Amount, r.Err)
	p.note()
}

func (p *probe) apply(id string, source buff.OwnerID, more ...func(*buff.Application)) {
	a := buff.Application{Spec: p.spec(id), Source: source, Magnitude: int64(10 * source), Level: int(source), Key: uint64(source)}
	for _, m := range more {
		m(&a)
	}
	p.do(buff.Command{Verb: verb.Apply, Application: a})
}

// to runs frames of a step until an instant.
func (p *probe) to(until, step wheel.Time) {
	for p.now < until {
		p.now = min(p.now+step, until)
		p.turn.Now = p.now
		for !p.set.Run(&p.turn, p.now, 1000) {
		}
		p.note()
	}
}

// each does a command about every buff of the definition x.
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

// away saves the owner, lets some time go by and restores it.
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

// scenarios are what a probe may live through; each begins anew.
var scenarios = []func(p *probe){
	func(p *probe) { // applications, in every way, beyond the limit
		p.several()
		p.apply("x", 1, func(a *buff.Application) { a.Stacks, a.Duration, a.Magnitude = 3, buff.Lasting(secs(9)), 99 })
		p.to(p.now+1600, 400)
		p.apply("x", 1, func(a *buff.Application) { a.Stacks, a.Duration = 2, buff.Lasting(secs(2)) })
		p.apply("x", 1, func(a *buff.Application) { a.Level, a.Key = 9, 2 })
		p.to(p.now+12_000, 500)
	},
	func(p *probe) { // one application, and one with stacks of its own number
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
	func(p *probe) { // zones and sources
		p.several()
		p.do(buff.Command{Verb: verb.LoseSource, Application: buff.Application{Source: 1}})
		p.to(p.now+300, 300)
		p.do(buff.Command{Verb: verb.SetZone})
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
	func(p *probe) { // by hand
		p.several()
		p.each(buff.Command{Verb: verb.Extend, By: secs(2)})
		p.each(buff.Command{Verb: verb.Remove, Stacks: 1})
		p.to(p.now+1000, 500)
		p.each(buff.Command{Verb: verb.SetRemaining, By: secs(1.5)})
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // away, for a while and for long
		p.several()
		p.away(2400)
		p.to(p.now+300, 300)
		p.apply("x", 1)
		p.away(60_000)
		p.to(p.now+9000, 500)
	},
	func(p *probe) { // others of its group and its class
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

// live returns what happens to a definition in all the scenarios.
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

// TestPairsOfWords says of each word and each other word of a definition that they are
// refused together, or finds something that the first one changes beside the second. What is
// neither must stand in the list of those that mean something where no probe goes.
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
			if a.field == b.field || !long.On() && k%24 != 1 {
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

// together are pairs of which no probe shows that the first word does something, and which
// mean something all the same, or say the same twice.
var together = [][2]string{
	// The probes give durations by hand, and these words are about others.
	{"min_duration", ""},
	{"max_duration", ""},
	{"save.mode ifRemaining", ""},
	{"save.offline_expire", "duration infinite"},
	// In this table the first one is part of what the second needs.
	{"clock wall", "save."},
	{"haste next", "haste_duration"},
	{"charges 3", ""},
	{"stack.timers each", "stack.overflow replace-oldest"},
	// One of a group stands alone, so that the second one of x has nobody to be counted with;
	// others of the group or the class have.
	{"stack.effective", "group"},
	{"stack.level higherWins", "group"},
	{"slot", "group"},
	{"slot", "stack.by target"},
	{"dr.scope", "group"},
	// There is no end to diminish but of what is applied for a time.
	{"dr.scope", "duration infinite"},
	// A dispel takes more than the probes have put there, or does not come that far.
	{"dispel.per", ""},
	// At the limit there is always a stack that gives way.
	{"stack.refresh none", "stack.overflow replace-oldest"},
	{"on.refresh", "stack.overflow replace-oldest"},
	// What the limit does to a stack with an end of its own: see async_stack.go.
	{"stack.refresh none", "stack.timers each"},
	// The buff is gone before it matters.
	{"on_source_gone", "stack.overflow clear"},
	{"on_fault", "period none"},
}
