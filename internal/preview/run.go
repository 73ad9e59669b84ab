package preview

import (
	"fmt"
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Run plays a script with the definitions of a catalog and returns the timeline. The error wraps
// [ErrUnknown], [ErrTag], [ErrStep] or [ErrEvents]. A step without effect is not an error, but is
// reported in Timeline.Notes. Run is safe for concurrent use. It costs O(events × buffs on the
// owner).
func Run(c *buff.Catalog, s Script) (*Timeline, error) {
	steps, err := s.check(c)
	if err != nil {
		return nil, err
	}
	line := &Timeline{Spec: c.Spec(s.ID), Steps: steps}
	p := &player{
		catalog: c, script: s, line: line, rec: newRecorder(line),
		set:     rules.NewOwner(theOwner, 0, 0, buff.MaxPerOwner),
		turn:    rules.Turn{Catalog: c, Seed: s.Seed},
		sources: map[string]buff.OwnerID{},
		met:     map[*buff.Spec]bool{},
	}
	p.rec.attributes(0, c, p.set)
	if err := p.play(); err != nil {
		return nil, err
	}
	return line, nil
}

// theOwner is the owner of all buffs. It is the source only of buffs that it has adopted.
const theOwner buff.OwnerID = 1

// player runs a script on a [rules.Owner].
type player struct {
	catalog *buff.Catalog
	script  Script
	line    *Timeline
	rec     *recorder
	set     *rules.Owner
	turn    rules.Turn
	now     wheel.Time
	sources map[string]buff.OwnerID
	met     map[*buff.Spec]bool // definitions seen so far
	reach   int64               // ms to show after the last step; grows with each definition
}

func (p *player) play() error {
	until := wheel.Time(p.script.Until.Milliseconds())
	for i := range p.line.Steps {
		st := &p.line.Steps[i]
		if until > 0 && st.At > until {
			p.note("%v at %v is after the end of the timeline", st.Do, span(int64(st.At)))
			continue
		}
		if err := p.advance(st.At); err != nil {
			return err
		}
		if err := p.step(st); err != nil {
			return err
		}
	}
	if until > 0 {
		if err := p.advance(until); err != nil {
			return err
		}
		p.rec.finish(until)
		return nil
	}
	return p.toTheEnd()
}

func (p *player) note(format string, args ...any) {
	p.line.Notes = append(p.line.Notes, fmt.Sprintf(format, args...))
}

// advance runs all deadlines up to an instant.
func (p *player) advance(to wheel.Time) error {
	for next := p.set.Next(); next <= to && next != wheel.Never; next = p.set.Next() {
		if err := p.run(next); err != nil {
			return err
		}
	}
	p.now = to
	return nil
}

// run runs the deadlines of one instant. No deadline is ever late, so pulses are never combined.
func (p *player) run(at wheel.Time) error {
	p.now, p.turn.Now = at, at
	for done := false; !done; {
		done = p.set.Run(&p.turn, at, 1000)
		if err := p.take(); err != nil {
			return err
		}
	}
	return nil
}

// take moves the events of the turn to the timeline and records the new state.
func (p *player) take() error {
	if len(p.line.Events)+len(p.turn.Events) > MaxEvents {
		return fmt.Errorf("%w: more than %d by %v: end the timeline earlier", ErrEvents, MaxEvents, span(int64(p.now)))
	}
	for i := range p.turn.Events {
		if spec := p.turn.Events[i].Spec; spec != nil && !p.met[spec] {
			p.met[spec] = true
			p.reach += 2 * lifetime(spec, 1)
			if spec.Kind == define.Infinite {
				p.reach += endless(spec)
			}
		}
	}
	p.line.Events = append(p.line.Events, p.turn.Events...)
	p.turn.Events = p.turn.Events[:0]
	p.rec.take(p.now, p.set)
	p.rec.attributes(p.now, p.catalog, p.set)
	return nil
}

// step runs one step of the script.
func (p *player) step(st *Step) error {
	p.turn.Now = p.now
	var err error
	switch spec := p.catalog.Spec(st.ID); st.Do {
	case Apply:
		p.reach += lifetime(spec, st.Stacks)
		err = p.do(buff.Command{Verb: verb.Apply, Application: buff.Application{
			Spec: spec, Source: p.source(st.Source), Stacks: st.Stacks, Level: st.Level, Magnitude: st.Magnitude, Params: st.Params,
		}})
	case Haste:
		err = p.each(st, spec.Period > 0, buff.Command{Verb: verb.SetPeriod, By: quickened(spec.Period, st.Rate)})
	case Extend:
		err = p.each(st, spec.Kind == define.Timed, buff.Command{Verb: verb.Extend, By: st.By})
	case Dispel:
		err = p.dispel(st, spec)
	case Pause, Resume:
		p.rec.paused = st.Do == Pause
		do := verb.Resume
		if st.Do == Pause {
			do = verb.Pause
		}
		err = p.do(buff.Command{Verb: do, Whose: define.OfOwner})
	case Tag, Untag:
		tag, _ := p.catalog.Tag(st.Tag)
		do := verb.DropTag
		if st.Do == Tag {
			do = verb.AddTag
		}
		err = p.do(buff.Command{Verb: do, Tag: tag})
	}
	if err != nil {
		return fmt.Errorf("%w: %v at %v: %w", ErrStep, st.Do, span(int64(st.At)), err)
	}
	return p.run(p.now) // run deferred handlers
}

// do executes one command. A denied application is not an error.
func (p *player) do(c buff.Command) error {
	r := p.set.Do(&p.turn, p.now, c)
	if r.Kind == buff.Denied {
		return p.take()
	}
	if r.Failure != nil {
		return r.Failure
	}
	return p.take()
}

// each executes a command on every instance of the step's definition.
func (p *player) each(st *Step, fit bool, c buff.Command) error {
	var found []buff.Handle
	for i := range p.set.All() {
		if i.Spec.ID == st.ID {
			found = append(found, i.Handle)
		}
	}
	switch {
	case !fit && st.Do == Haste:
		p.note("haste at %s has no effect: %s does not pulse", span(int64(st.At)), st.ID)
		return nil
	case !fit:
		p.note("%v at %s has no effect: %s has no end", st.Do, span(int64(st.At)), st.ID)
		return nil
	case len(found) == 0:
		p.note("%v at %s found no %s", st.Do, span(int64(st.At)), st.ID)
	}
	for _, h := range found {
		c.Handle = h
		if err := p.do(c); err != nil {
			return err
		}
	}
	return nil
}

// dispel dispels the definition once. If st.Stacks is set, it instead removes that number of
// stacks from the oldest instance.
func (p *player) dispel(st *Step, spec *buff.Spec) error {
	events := len(p.line.Events)
	c := buff.Command{
		Verb: verb.Dispel, Reason: reason.Dispelled,
		Query: buff.Query{Spec: spec, Grade: define.GradeDeath, Most: 1},
	}
	if st.Stacks > 0 {
		c = buff.Command{
			Verb: verb.RemoveSpec, Reason: reason.Dispelled, Stacks: st.Stacks,
			Application: buff.Application{Spec: spec},
		}
	}
	err := p.do(c)
	if err == nil && len(p.line.Events) == events {
		p.note("dispel at %s removed nothing", span(int64(st.At)))
	}
	return err
}

// source returns the owner ID of a named source.
func (p *player) source(name string) buff.OwnerID {
	id, ok := p.sources[name]
	if !ok {
		id = theOwner + 1 + buff.OwnerID(len(p.sources))
		p.sources[name] = id
		p.rec.names[id] = name
	}
	return id
}

// quickened returns a period divided by a ratio, rounded half up to milliseconds. If the result is
// too long, the owner rejects it.
func quickened(period time.Duration, by buff.Ratio) time.Duration {
	ms := float64(period.Milliseconds()) * float64(by.Den) / float64(max(by.Num, 1))
	if ms > float64(define.MaxDuration.Milliseconds()) {
		return math.MaxInt64
	}
	num, den := period.Milliseconds()*int64(by.Den), int64(max(by.Num, 1))
	// With a large denominator, the integer product might overflow. The float is exact to a
	// millisecond.
	if by.Den > 1_000_000 {
		return time.Duration(math.Floor(ms+0.5)) * time.Millisecond
	}
	return time.Duration((2*num+den)/(2*den)) * time.Millisecond
}
