package main

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// feed asks of the engine what a line of the trace says.
func (r *replay) feed(rec *record) error {
	id, err := r.owner(rec.target, true)
	if err != nil {
		return err
	}
	switch rec.event {
	case "apply", "refresh", "dose":
		return r.apply(id, rec)
	case "undose":
		return r.undose(rec)
	case "remove":
		return r.remove(rec)
	case "dispel":
		return r.takeOff(id, rec, buff.Dispelled)
	case "break":
		return r.takeOff(id, rec, buff.Broken)
	case "death":
		if err := r.ask(r.engine.Do(buff.Kill(id))); err != nil {
			return err
		}
		r.tick(0) // the judge hears what the death took before the next line
	}
	return nil
}

// ask counts a command and returns its error.
func (r *replay) ask(res buff.Result) error {
	r.commands++
	return res.Err
}

// apply is for all lines that say that a buff is alive, and has its duration anew.
func (r *replay) apply(id buff.OwnerID, rec *record) error {
	source, err := r.owner(rec.source, false)
	if err != nil {
		return err
	}
	l := r.judge.lives[lifeOf(rec)]
	if l != nil && l.state != alive {
		if h := r.judge.revive(l, rec); h != 0 {
			if err := r.ask(r.engine.Remove(h)); err != nil {
				return err
			}
		}
		l = nil
	}
	// The engine adds stacks, where the recording says how many there are now.
	spec, want, add := r.specs[rec.spell], max(rec.stacks, 1), rec.stacks
	if l != nil {
		b, _, err := r.engine.Find(l.handle)
		if err != nil {
			return err
		}
		if rec.stacks == 0 {
			want = b.Stacks
		}
		add = max(want-b.Stacks, 1)
	}
	h, res := r.engine.AddBuff(id, buff.Application{Spec: spec, Source: source, Stacks: add})
	if err := r.ask(res); err != nil {
		return err
	}
	if l == nil {
		_, timed := r.table[rec.spell]
		l = r.judge.born(rec, h, timed, begins(rec, spec))
	}
	l.fresh = rec.at.After(spec.Duration)
	return r.lower(h, want)
}

// lower takes stacks off until there are so many.
func (r *replay) lower(h buff.Handle, want int) error {
	b, _, err := r.engine.Find(h) // without stacks, if it is not there
	if err != nil || b.Stacks <= want {
		return err
	}
	return r.ask(r.engine.Do(buff.RemoveStacks(h, b.Stacks-want, buff.Cancelled)))
}

// begins reports whether the end of a buff that the engine does not have is known
// after this line. A refresh that carries over what was left says nothing: how much
// was left is not known.
func begins(rec *record, spec *buff.Spec) bool {
	return rec.event == "apply" || spec.Stack.Refresh == define.RefreshRestart
}

// undose takes stacks off, down to the recorded number.
func (r *replay) undose(rec *record) error {
	l := r.judge.lives[lifeOf(rec)]
	if l == nil || l.state != alive {
		return nil
	}
	return r.lower(l.handle, rec.stacks)
}

// remove compares a recorded end with the engine's. If the engine's is to come
// within the tolerance, it is left to come.
func (r *replay) remove(rec *record) error {
	l := r.judge.lives[lifeOf(rec)]
	if l == nil {
		if _, timed := r.table[rec.spell]; timed {
			r.judge.skipped[unborn]++
		}
		return nil
	}
	if l.state != alive {
		r.judge.removed(l, rec)
		return nil
	}
	b, _, err := r.engine.Find(l.handle)
	if err != nil {
		return err
	}
	if r.judge.cut(l, rec, b.End) {
		return nil
	}
	return r.ask(r.engine.Remove(l.handle))
}

// takeOff is for a dispel or a break: the trace says who did it, not who had
// applied the buff, and the oldest of that spell goes.
func (r *replay) takeOff(id buff.OwnerID, rec *record, why buff.Reason) error {
	buffs, err := r.engine.Buffs(id)
	if err != nil {
		return err
	}
	for b := range buffs.All() {
		l := r.judge.byHandle[b.Handle]
		if l == nil || l.key.spell.number != rec.spell.number || l.state != alive {
			continue
		}
		r.judge.told(l, rec, b.End)
		return r.ask(r.engine.Do(buff.RemoveStacks(b.Handle, 0, why)))
	}
	return nil
}
