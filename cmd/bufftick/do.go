package main

import (
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// What each verb of a script asks of the engine. A step that means an instance which is
// not there has nothing to do.

// oldest returns the step's oldest instance of the step's definition, and reports
// whether there is one. It fails if the owner is busy.
func (p *play) oldest(st *step) (h buff.Handle, found bool, err error) {
	buffs, err := p.engine.Buffs(p.id(st.owner))
	if err != nil && !errors.Is(err, engine.ErrUnknownOwner) {
		return 0, false, err
	}
	for b := range buffs.All() {
		if b.Spec == st.app.Spec {
			return b.Handle, true, nil
		}
	}
	return 0, false, nil
}

// said returns the error of a command, unless it shows in the log.
func said(r buff.Result) error {
	if r.Kind == buff.Denied || r.Kind == buff.Faulted {
		return nil
	}
	return r.Err
}

// one does something to the step's oldest instance.
func (p *play) one(st *step, do func(h buff.Handle) buff.Command) error {
	h, found, err := p.oldest(st)
	if !found {
		return err
	}
	return said(p.engine.Do(do(h)))
}

// tagged does something with a tag. An immunity against one that no definition speaks of has no
// effect.
func (p *play) tagged(st *step, do func(id buff.OwnerID, tag buff.Tag) buff.Command) error {
	if tag, ok := p.engine.Catalog().Tag(st.name); ok {
		return said(p.engine.Do(do(p.id(st.owner), tag)))
	}
	return nil
}

// asked returns the step's query, and reports whether it can find anything.
func (p *play) asked(st *step) (buff.Query, bool) {
	q := *st.query
	if st.from != "" {
		q.Source = p.id(st.from)
	}
	if st.tag == "" {
		return q, true
	}
	tag, ok := p.engine.Catalog().Tag(st.tag)
	q.Tag = tag
	return q, ok
}

func (p *play) apply(st *step) error {
	a := st.app
	a.Source = p.id(st.source)
	_, r := p.engine.AddBuff(p.id(st.owner), a)
	return said(r)
}

func (p *play) remove(st *step) error { return p.one(st, buff.Remove) }

func (p *play) kill(st *step) error { return said(p.engine.Do(buff.Kill(p.id(st.owner)))) }

func (p *play) revive(st *step) error { return said(p.engine.Do(buff.Revive(p.id(st.owner)))) }

func (p *play) sourceGone(st *step) error { return p.engine.Do(buff.LoseSource(p.id(st.name))).Err }

func (p *play) timeout(st *step) error {
	err := p.engine.Do(buff.AddTimeout(p.id(st.owner), st.by, st.name)).Err
	if err != nil {
		return fmt.Errorf("timeout %q: %w", st.name, err)
	}
	return nil
}

// save lets the owner go; load brings it back.
func (p *play) save(st *step) error {
	blob, err := p.engine.Despawn(p.id(st.owner))
	if err == nil {
		p.away[p.id(st.owner)] = blob
	}
	return err
}

func (p *play) load(st *step) error {
	id := p.id(st.owner)
	blob, ok := p.away[id]
	if !ok {
		return fmt.Errorf("%q has not been saved", st.owner)
	}
	delete(p.away, id)
	_, err := p.engine.Restore(id, nil, blob)
	return err
}

func (p *play) extend(st *step) error {
	return p.one(st, func(h buff.Handle) buff.Command {
		if st.atMost > 0 {
			return buff.ExtendUpTo(h, st.by, st.atMost)
		}
		return buff.Extend(h, st.by)
	})
}

func (p *play) compensate(st *step) error {
	q, ok := buff.Query{Spec: st.app.Spec}, true
	if st.query != nil {
		q, ok = p.asked(st)
	}
	if !ok {
		return nil
	}
	return p.engine.Do(buff.Compensate(q, st.by)).Err
}

func (p *play) setRemaining(st *step) error {
	return p.one(st, func(h buff.Handle) buff.Command { return buff.SetRemaining(h, st.by) })
}

func (p *play) setPeriod(st *step) error {
	return p.one(st, func(h buff.Handle) buff.Command { return buff.SetPeriod(h, st.by) })
}

func (p *play) pause(st *step) error { return said(p.engine.Do(buff.Pause(p.id(st.owner)))) }

func (p *play) resume(st *step) error { return said(p.engine.Do(buff.Resume(p.id(st.owner)))) }

func (p *play) setRate(st *step) error {
	p.quicken(0, st.rate)
	return said(p.engine.Do(buff.SetRate(p.id(st.owner), st.rate)))
}

func (p *play) pauseBuff(st *step) error { return p.one(st, buff.PauseBuff) }

func (p *play) resumeBuff(st *step) error { return p.one(st, buff.ResumeBuff) }

func (p *play) setBuffRate(st *step) error {
	p.quicken(1, st.rate)
	return p.one(st, func(h buff.Handle) buff.Command { return buff.SetBuffRate(h, st.rate) })
}

func (p *play) inhibit(st *step) error { return p.one(st, buff.Inhibit) }

func (p *play) release(st *step) error { return p.one(st, buff.Release) }

func (p *play) addTag(st *step) error { return p.tagged(st, buff.AddTag) }

func (p *play) dropTag(st *step) error { return p.tagged(st, buff.DropTag) }

func (p *play) immunize(st *step) error {
	return p.tagged(st, func(id buff.OwnerID, tag buff.Tag) buff.Command { return buff.Immunize(id, tag, st.purge) })
}

func (p *play) expose(st *step) error { return p.tagged(st, buff.DropImmunity) }

// dispel is one of the highest grade where the step does not say more than an ID, and
// then takes one portion: what that is the definition says, or the step by a number of stacks.
func (p *play) dispel(st *step) error {
	switch {
	case st.query != nil:
		q, ok := p.asked(st)
		if !ok {
			return nil
		}
		return said(p.engine.Do(buff.Dispel(p.id(st.owner), q)))
	}
	return said(p.engine.Do(buff.Dispel(p.id(st.owner), buff.Query{Spec: st.app.Spec, Grade: buff.GradeDeath, Most: 1, Stacks: st.app.Stacks})))
}

// steal is of the highest grade, and takes one instance, where the step does not say more
// than an ID.
func (p *play) steal(st *step) error {
	q, ok := buff.Query{Spec: st.app.Spec, Grade: buff.GradeDeath, Most: 1}, true
	if st.query != nil {
		q, ok = p.asked(st)
	}
	if !ok {
		return nil
	}
	return said(p.engine.Do(buff.Steal(p.id(st.owner), p.id(st.to), q, st.atMost)))
}

func (p *play) interrupt(st *step) error { return p.acted(st, buff.Interrupt) }

func (p *play) consume(st *step) error { return p.acted(st, buff.Consume) }

func (p *play) happened(st *step) error {
	return p.acted(st, func(id buff.OwnerID, act buff.Act) buff.Command {
		var target buff.OwnerID
		if st.to != "" {
			target = p.id(st.to)
		}
		return buff.Happened(id, act, target, st.amount)
	})
}

// acted does something with an act. One that no definition speaks of has no effect.
func (p *play) acted(st *step, do func(id buff.OwnerID, act buff.Act) buff.Command) error {
	if act, ok := p.engine.Catalog().Act(st.name); ok {
		return said(p.engine.Do(do(p.id(st.owner), act)))
	}
	return nil
}

func (p *play) use(st *step) error {
	return p.one(st, func(h buff.Handle) buff.Command { return buff.ConsumeCharges(h, max(st.n, 1)) })
}

// absorb lets damage meet the shields. What is left of it is not an event.
func (p *play) absorb(st *step) error {
	school, _ := p.engine.Catalog().Tag(st.tag)
	_, err := p.engine.Absorb(p.id(st.owner), st.amount, school)
	return err
}

func (p *play) setBase(st *step) error {
	return said(p.engine.Do(buff.SetBase(p.id(st.owner), st.attr, st.value)))
}

func (p *play) change(st *step) error {
	return said(p.engine.Do(buff.AddBase(p.id(st.owner), st.attr, st.value)))
}

func (p *play) damage(st *step) error {
	school, _ := p.engine.Catalog().Tag(st.tag)
	return said(p.engine.Damage(p.id(st.owner), st.attr, st.value, school))
}
