package rules

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
)

// The condition of an action, and a number with SnapshotRun, are evaluated when the action runs:
// they read the values that earlier actions of the list have set. An action on another owner evaluates them
// when its list starts.
//
// Example: testdata/stat/run.txt.

// lateAction holds the inputs for the condition and the numbers of a queued action.
type lateAction struct {
	op        *compile.Op
	of        buff.Event // the event of the list, for a fault
	source    buff.OwnerID
	captured  []buff.Captured
	share     buff.Share
	stacks    int32
	magnitude int64      // magnitude of the buff or the application
	values    [4]float64 // of the operands
}

// queueLate queues an action that has a condition, or numbers that its command does not have yet.
func queueLate(t *Turn, s *Owner, o *compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes) {
	l := lateAction{op: o, of: *e, source: source, captured: t.inherit(k.captured), share: t.shareOf(e), magnitude: e.Magnitude}
	l.stacks = countedStacks(e, &l.share)
	switch e.Kind {
	case buff.Pulsed, buff.Removed, buff.Reacted, buff.Died:
		if i := s.lookup(e.Handle); i.exists() {
			l.magnitude = i.magnitude
		}
	}
	for j, c := range l.operands() {
		if c == nil || c.Run != nil {
			continue
		}
		v, ok := t.numberOf(compile.Of(e.Spec), c, k, l.stacks)
		if v = l.scaled(v); !ok || !compile.Finite(v) {
			emitBadNumber(t, s, e, reason.BadValue)
			return
		}
		l.values[j] = v
	}
	var c buff.Command
	if o.Change != nil {
		changeCommand(&c, o, e, source, 0)
	} else if o.Do != define.DoCall {
		actionCommand(t, &c, o, e, source, k)
	}
	own := o.To == define.ToOwner || o.To == define.ToSource && source == s.id || o.To == define.ToTarget && e.Target == s.id
	if (!own || o.Do == define.DoCall && !t.inside) && !l.prepare(t, s, &c) {
		return
	}
	queued := len(t.items)
	if o.Do == define.DoCall {
		queueCall(t, s, e, nil, o.Handler, 0)
	} else {
		issueAction(t, s, o, e, source, &c)
	}
	if own && len(t.items) > queued {
		t.late = append(t.late, l)
		t.items[queued].late = int32(len(t.late))
	}
}

// operands returns the numbers of the action.
func (l *lateAction) operands() [4]*compile.Change {
	if l.op.With != nil {
		return *l.op.With
	}
	return [4]*compile.Change{l.op.Change}
}

// scaled returns the number of a change for its part of a period. Numbers of an application have no
// part.
func (l *lateAction) scaled(v float64) float64 {
	if l.op.Change == nil {
		return v
	}
	return scale(&l.share, v)
}

// prepare evaluates the condition of an action, and completes its command. It returns false if the
// action must not run.
func (l *lateAction) prepare(t *Turn, s *Owner, c *buff.Command) bool {
	if !l.allowed(t, s) {
		return false
	}
	for j, o := range l.operands() {
		if o == nil || o.Run == nil {
			continue
		}
		v, why := l.evaluate(t, s, o.Run)
		if o.PerStack {
			v = float64(v * float64(l.stacks))
		}
		if v = l.scaled(v); why == reason.None && !compile.Finite(v) {
			why = reason.BadValue
		}
		if why != reason.None {
			emitBadNumber(t, s, &l.of, why)
			return false
		}
		l.values[j] = v
	}
	switch {
	case l.op.Change != nil:
		c.Value = l.values[0]
	case l.op.With != nil && !l.complete(&c.Application):
		e := l.of
		e.Spec, e.Handle = &l.op.Spec.Spec, 0
		emitBadNumber(t, s, &e, reason.BadValue)
		return false
	}
	return true
}

// complete sets the numbers of an application. It reports false if one is out of range.
func (l *lateAction) complete(a *buff.Application) bool {
	for j, o := range *l.op.With {
		v := l.values[j]
		whole := math.Floor(v)
		if v-whole >= 0.5 {
			whole++
		}
		switch {
		case o == nil:
		case j == 0 && math.Abs(whole) <= 1<<53:
			a.Magnitude = int64(whole)
		case j == 1:
			a.Duration = buff.Lasting(time.Duration(compile.RoundHalfUp(min(max(v*1000, -1), float64(define.MaxDuration/time.Millisecond)+1))) * time.Millisecond)
		case j == 2 && whole >= 1 && whole <= define.MaxStacks:
			a.Stacks = int(whole)
		case j == 3 && whole >= 0 && whole <= define.MaxLevel:
			a.Level = int(whole)
		default:
			return false
		}
	}
	return true
}

// allowed reports whether the condition holds: first the number, then the tags.
func (l *lateAction) allowed(t *Turn, s *Owner) bool {
	if l.op.If != nil {
		v, why := l.evaluate(t, s, l.op.If)
		if why != reason.None {
			emitBadNumber(t, s, &l.of, why)
			return false
		}
		if v == 0 {
			return false
		}
	}
	return l.op.Tags.Empty() || holds(&l.op.Tags, s.gates().ownerTags())
}

func (l *lateAction) evaluate(t *Turn, s *Owner, n *compile.Number) (float64, reason.Reason) {
	q := evaluator{
		set: s, turn: t, spec: compile.Of(l.of.Spec), captured: l.captured, own: l.source == s.id,
		level: int(l.of.Level), stacks: l.stacks, magnitude: l.magnitude,
	}
	if l.of.Kind == buff.Reacted {
		q.amount = l.of.Magnitude
	}
	return q.evaluate(n)
}
