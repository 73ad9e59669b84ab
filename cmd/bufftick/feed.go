package main

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// feed sends one line of the trace to the engine.
func (r *replay) feed(rec *traceLine) error {
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
		return r.endByOther(id, rec, reason.Dispelled)
	case "break":
		return r.endByOther(id, rec, reason.Broken)
	case "death":
		if err := r.count(r.engine.Do(buff.Kill(id))); err != nil {
			return err
		}
		r.tick(0) // before the next line of the trace, report the ends that the death caused
	}
	return nil
}

// count counts a command and returns the error of its result.
func (r *replay) count(res buff.Result) error {
	r.commands++
	return res.Failure
}

// apply handles the lines that show that a buff is active with its whole duration left.
func (r *replay) apply(id buff.OwnerID, rec *traceLine) error {
	source, err := r.owner(rec.source, false)
	if err != nil {
		return err
	}
	l := r.judge.lives[lifeOf(rec)]
	if l != nil && l.state != alive {
		if h := r.judge.revive(l, rec); h != 0 {
			if err := r.count(r.engine.Remove(h)); err != nil {
				return err
			}
		}
		l = nil
	}
	// The line has the number of stacks after the application, but the engine needs the number
	// of stacks to add.
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
	res := r.engine.AddBuff(id, buff.Application{Spec: spec, Source: source, Stacks: add})
	h := res.Handle
	if err := r.count(res); err != nil {
		return err
	}
	if l == nil {
		_, timed := r.table[rec.spell]
		l = r.judge.born(rec, h, timed, endKnown(rec, spec))
	}
	l.fresh = rec.at.After(spec.Duration)
	return r.lower(h, want)
}

// lower removes stacks of a buff, so that at most the wanted number is left.
func (r *replay) lower(h buff.Handle, want int) error {
	b, _, err := r.engine.Find(h) // if the buff has ended, b has no stacks
	if err != nil || b.Stacks <= want {
		return err
	}
	return r.count(r.engine.Do(buff.RemoveStacks(h, b.Stacks-want, reason.Cancelled)))
}

// endKnown reports whether the trace determines the end of a buff if the given line is the first
// line about the buff. It does not if the line is a refresh that carries over the remaining time,
// because the trace does not contain this time.
func endKnown(rec *traceLine, spec *buff.Spec) bool {
	return rec.event == "apply" || spec.Stack.Refresh == define.RefreshRestart
}

// undose removes stacks until the recorded number is left.
func (r *replay) undose(rec *traceLine) error {
	l := r.judge.lives[lifeOf(rec)]
	if l == nil || l.state != alive {
		return nil
	}
	return r.lower(l.handle, rec.stacks)
}

// remove compares a recorded end with the end in the engine, and removes the buff from the engine.
// If the engine will end the buff within the tolerance, "remove" leaves the buff alone.
func (r *replay) remove(rec *traceLine) error {
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
	return r.count(r.engine.Remove(l.handle))
}

// endByOther handles a dispel or a break. The trace says which unit dispelled the buff, but not
// which unit applied it, so the oldest buff of that spell is assumed.
func (r *replay) endByOther(id buff.OwnerID, rec *traceLine, why reason.Reason) error {
	buffs, err := r.engine.Buffs(id)
	if err != nil {
		return err
	}
	for b := range buffs.All() {
		l := r.judge.byHandle[b.Handle]
		if l == nil || l.key.spell.number != rec.spell.number || l.state != alive {
			continue
		}
		r.judge.forced(l, rec, b.End)
		return r.count(r.engine.Do(buff.RemoveStacks(b.Handle, 0, why)))
	}
	return nil
}
