package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/stolen"
	"github.com/bufftick/bufftick/wheel"
)

// migrate moves a running instance to another version of its definition with the same
// Stack.Timers, and reports whether it still runs. [Owner.Adopt] describes the rules.
//
// Pending pulses still run under the old version. A buff that has no time left under the new
// version ends before the switch. Stacks above the limit of the new version are removed after the
// switch.
func (s *Owner) migrate(t *Turn, at uint16, spec *compile.Program) bool {
	s.flushPulses(t, at)
	i := s.slot(at)
	h, shield, shielded := s.handle(at), int64(0), s.programOf(i).Shield.On
	by := spec.DurationAt(int(i.level)) - s.programOf(i).DurationAt(int(i.level))
	if i.flags&member == 0 && s.programOf(i).Stack.Timers == define.TimersShared && !s.convertEnd(t, i, spec) {
		s.end(t, at, reason.Reload)
		return false
	}
	if shielded {
		shield = s.extraOf(i).shield
	}
	if spec.Stack.Timers != define.TimersShared {
		s.convertWaiting(t, i, spec)
	}
	a := buff.Application{Spec: &spec.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(s.magnitudesOf(i).captured)}
	s.convertNumbers(t, i, &a)
	s.switchVersion(t, at, &a)
	if shielded && spec.Shield.On {
		s.extraOf(i).shield = shield
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		s.moveAsync(t, at, by)
	case define.TimersQueue:
		s.moveQueue(t, at, by)
	}
	if !s.isLive(h) {
		return false
	}
	s.mark(at, journal.Spec|journal.Time|journal.Stacks|journal.Power|journal.Charges|journal.Shield|journal.Waiting)
	s.markDirty(t, at)
	s.emitVersion(t, at)
	if over := int(i.stacks) - int(spec.Limit); over > 0 {
		s.removeStacks(t, at, over, reason.Reload)
	}
	return true
}

// convertEnd sets the end that the running application of an instance has under the new version,
// and reports whether this end is later than now.
//
// The duration is scaled like the definition's duration: a duration of 6 s under a definition of 12
// s becomes 10 s under a definition of 20 s. The elapsed time stays the same. Example:
// testdata/stat/reload.txt.
func (s *Owner) convertEnd(t *Turn, i *instance, spec *compile.Program) bool {
	now, was, is := s.nowOf(t, i), s.programOf(i).DurationAt(int(i.level)), spec.DurationAt(int(i.level))
	switch {
	case is == 0:
		i.end = wheel.Never
		s.storeDuration(i, 0)
		return true
	case i.end == wheel.Never:
		i.end = now.Add(is)
		s.storeDuration(i, is)
		return true
	case was == 0: // an infinite definition, applied with a duration
		return true
	}
	d := min(max(exact.MulDiv(s.duration(i), uint64(is), uint64(was)), spec.Shortest, 1), spec.Longest, define.MaxDuration.Milliseconds())
	if spec.Tail == define.TailFit {
		period := spec.PeriodAt(int(i.level))
		d = max(exact.MulDiv(d, 1, uint64(period)), 1) * period
	}
	end := i.end.Add(d - s.duration(i)) // moves the old end, so that extensions and reductions remain
	if end <= now {
		return false
	}
	i.end = end
	s.storeDuration(i, d)
	return true
}

// moveAsync moves the ends of all async stacks by the given ms. Stacks that would already have
// ended are removed. If no stack is left, the instance ends.
func (s *Owner) moveAsync(t *Turn, at uint16, by int64) {
	i := s.slot(at)
	s.shiftAsyncEnds(i, by)
	now, async := s.nowOf(t, i), s.extraOf(i).async
	i.end = async[len(async)-1].end
	if i.end <= now {
		s.end(t, at, reason.Reload)
		return
	}
	for s.firstAsyncEnded(i, now) {
		s.endFirstAsync(t, at, reason.Reload)
	}
}

// moveQueue moves the end of the running application, and changes the remaining times of the
// waiting ones, by the given ms.
//
// It first removes the waiting applications that have no time left, and then those above the limit.
// If the running application has to end, it ends last, because its end starts the next one.
// Example: testdata/stat/queue_reload.txt.
func (s *Owner) moveQueue(t *Turn, at uint16, by int64) {
	i := s.slot(at)
	x, now := s.extraOf(i), s.nowOf(t, i)
	for k := range x.async {
		x.async[k].left += by
	}
	for k := len(x.async) - 1; k >= 0; k-- {
		if x.async[k].left <= 0 {
			s.unqueue(t, i, k)
		}
	}
	for int32(len(x.async)) >= s.programOf(i).Limit { // the limit is at least 1
		s.unqueue(t, i, weakestOf(x.async))
	}
	i.end = i.end.Add(by)
	s.storeDuration(i, max(s.duration(i)+by, 1))
	switch {
	case i.end > now:
	case len(x.async) == 0:
		s.end(t, at, reason.Reload)
	default:
		i.end = now
		s.nextInQueue(t, at)
	}
}

// convertNumbers evaluates the numbers of the new version of a definition for a running instance.
//
// Example: testdata/stat/reload.txt.
func (s *Owner) convertNumbers(t *Turn, i *instance, a *buff.Application) {
	spec, w := compile.Of(a.Spec), &t.evaluated
	q := evaluator{
		set: s, turn: t, spec: spec,
		captured: a.Captured, own: i.source == s.id, level: int(i.level), stacks: min(int32(i.stacks), spec.Limit), magnitude: i.magnitude,
	}
	q.convertNumbers(s.programOf(i), spec, s.magnitudesOf(i).values)
	w.pool = 0
	if spec.PoolBy != nil {
		if v, why := q.evaluate(spec.PoolBy); why == reason.None {
			w.pool = wholePool(v)
		}
	}
}

// convertNumbers evaluates the numbers of the new version of a definition. The old version's values
// include the arguments from the caller, which are used again. A number that cannot be evaluated
// keeps its old value.
func (q *evaluator) convertNumbers(old, spec *compile.Program, values []float64) {
	w := &q.turn.evaluated
	w.args = w.args[:0]
	for j := range old.Numbers {
		if n := &old.Numbers[j]; n.From == define.FromCaller && (!n.Input || values[n.Live] != 0) {
			w.args = append(w.args, buff.Arg{Caller: n.Caller, Value: values[j]})
		}
	}
	q.params = w.args
	was := stolen.Buff{Spec: old, Values: values}
	w.values = w.values[:0]
	for j := range spec.Numbers {
		n := &spec.Numbers[j]
		v, why := q.evaluate(n)
		if why != reason.None {
			if v, why = was.Find(spec, j); why != reason.None {
				v = n.Value
			}
		}
		w.values = append(w.values, v)
	}
}
