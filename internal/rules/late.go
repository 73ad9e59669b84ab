package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
)

// The condition of an action, and a number with SnapshotRun, are evaluated when the action runs:
// they see what earlier actions of the list have changed. An action on another owner evaluates them
// when its list starts.
//
// Example: testdata/stat/run.txt.

// lateAction has what a queued action needs to evaluate its condition and its number.
type lateAction struct {
	op        *compile.Op
	of        buff.Event // the event of the list, for a fault
	source    buff.OwnerID
	captured  []buff.Captured
	share     buff.Share
	stacks    int32
	magnitude int64 // magnitude of the buff or the application
}

// queueLate queues an action that has a condition or a number with SnapshotRun.
func queueLate(t *Turn, s *Owner, o *compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes) {
	l := lateAction{op: o, of: *e, source: source, captured: t.inherit(k.captured), share: t.shareOf(e), magnitude: e.Magnitude}
	l.stacks = countedStacks(e, &l.share)
	switch e.Kind {
	case buff.Pulsed, buff.Removed, buff.Reacted, buff.Died:
		if i := s.lookup(e.Handle); i.exists() {
			l.magnitude = i.magnitude
		}
	}
	change := o.Change
	v, why := 0.0, reason.None
	if change != nil && change.Run == nil {
		if v, why = t.changeOf(change, e, k); why != reason.None {
			emitBadNumber(t, s, e, why)
			return
		}
	}
	own := o.To == define.ToOwner || o.To == define.ToSource && source == s.id || o.To == define.ToTarget && e.Target == s.id
	if now := !own || o.Do == define.DoCall && !t.inside; now {
		if !l.allowed(t, s) {
			return
		}
		if change != nil && change.Run != nil {
			if v, why = l.value(t, s); why != reason.None {
				emitBadNumber(t, s, &l.of, why)
				return
			}
		}
	}
	var c buff.Command
	queued := len(t.items)
	switch {
	case o.Do == define.DoCall:
		queueCall(t, s, e, nil, o.Handler, 0)
	case change != nil:
		changeCommand(&c, o, e, source, v)
		issueAction(t, s, o, e, source, &c)
	default:
		actionCommand(t, &c, o, e, source, k)
		issueAction(t, s, o, e, source, &c)
	}
	if own && len(t.items) > queued {
		t.late = append(t.late, l)
		t.items[queued].late = int32(len(t.late))
	}
}

// prepare evaluates the condition of a queued action, and the number of its command. It returns false
// if the action must not run.
func (l *lateAction) prepare(t *Turn, s *Owner, c *buff.Command) bool {
	if !l.allowed(t, s) {
		return false
	}
	if c == nil || l.op.Change == nil || l.op.Change.Run == nil {
		return true
	}
	v, why := l.value(t, s)
	if why != reason.None {
		emitBadNumber(t, s, &l.of, why)
		return false
	}
	c.Value = v
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

// value returns the number of a change.
func (l *lateAction) value(t *Turn, s *Owner) (float64, reason.Reason) {
	v, why := l.evaluate(t, s, l.op.Change.Run)
	if why != reason.None {
		return 0, why
	}
	if l.op.Change.PerStack {
		v = float64(v * float64(l.stacks))
	}
	if v = scale(&l.share, v); !compile.Finite(v) {
		return 0, reason.BadValue
	}
	return v, reason.None
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
