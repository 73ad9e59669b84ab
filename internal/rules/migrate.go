package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/stolen"
)

// migrate moves a running instance to another version of its definition with the same
// Stack.Timers, and reports whether it still runs. [Owner.Adopt] describes the rules.
//
// Pending pulses still run under the old version. A buff that has no time left under the new
// version ends before the switch. Stacks above the limit of the new version are removed after the
// switch.
func migrate(t *Turn, i instance, spec *compile.Program) bool {
	flushPulses(t, i)
	h, shield, shielded := i.handle(), int64(0), i.program().Shield.On
	by := spec.DurationAt(int(i.level)) - i.program().DurationAt(int(i.level))
	if i.flags&member == 0 && i.program().Stack.Timers == define.TimersShared && !convertEnd(t, i, spec) {
		end(t, i, reason.Reload)
		return false
	}
	if shielded {
		shield = i.extra().shield
	}
	if spec.Stack.Timers != define.TimersShared {
		convertWaiting(t, i, spec)
	}
	a := buff.Application{Spec: &spec.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(i.magnitudes().captured)}
	convertNumbers(t, i, &a)
	switchVersion(t, i, &a)
	if shielded && spec.Shield.On {
		i.extra().shield = shield
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		moveAsync(t, i, by)
	case define.TimersQueue:
		moveQueue(t, i, by)
	}
	if !i.owner.isLive(h) {
		return false
	}
	i.mark(journal.Spec | journal.Time | journal.Stacks | journal.Power | journal.Charges | journal.Shield | journal.Waiting)
	i.markDirty(t)
	emitVersion(t, i)
	if over := int(i.stacks) - int(spec.Limit); over > 0 {
		removeStacks(t, i, over, reason.Reload)
	}
	return true
}

// convertEnd sets the end that the running application of an instance has under the new version,
// and reports whether this end is later than now.
//
// The duration is scaled like the definition's duration: a duration of 6 s under a definition of 12
// s becomes 10 s under a definition of 20 s. The elapsed time stays the same. Example:
// testdata/stat/reload.txt.
func convertEnd(t *Turn, i instance, spec *compile.Program) bool {
	now, was, is := i.now(t), i.program().DurationAt(int(i.level)), spec.DurationAt(int(i.level))
	switch {
	case is == 0:
		i.end = clock.Never
		i.storeDuration(0)
		return true
	case i.end == clock.Never:
		i.end = now.Add(is)
		i.storeDuration(is)
		return true
	case was == 0: // an infinite definition, applied with a duration
		return true
	}
	d := min(max(exact.MulDiv(i.duration(), uint64(is), uint64(was)), spec.Shortest, 1), spec.Longest, define.MaxDuration.Milliseconds())
	if spec.Tail == define.TailFit {
		period := spec.PeriodAt(int(i.level))
		d = max(exact.MulDiv(d, 1, uint64(period)), 1) * period
	}
	end := i.end.Add(d - i.duration()) // moves the old end, so that extensions and reductions remain
	if end <= now {
		return false
	}
	i.end = end
	i.storeDuration(d)
	return true
}

// moveAsync moves the ends of all async stacks by the given ms. Stacks that would already have
// ended are removed. If no stack is left, the instance ends.
func moveAsync(t *Turn, i instance, by int64) {
	i.shiftAsyncEnds(by)
	now, async := i.now(t), i.extra().async
	i.end = async[len(async)-1].end
	if i.end <= now {
		end(t, i, reason.Reload)
		return
	}
	for i.firstAsyncEnded(now) {
		endFirstAsync(t, i, reason.Reload)
	}
}

// moveQueue moves the end of the running application, and changes the remaining times of the
// waiting ones, by the given ms.
//
// It first removes the waiting applications that have no time left, and then those above the limit.
// If the running application has to end, it ends last, because its end starts the next one.
// Example: testdata/stat/queue_reload.txt.
func moveQueue(t *Turn, i instance, by int64) {
	x, now := i.extra(), i.now(t)
	for k := range x.async {
		x.async[k].left += by
	}
	for k := len(x.async) - 1; k >= 0; k-- {
		if x.async[k].left <= 0 {
			unqueue(t, i, k)
		}
	}
	for int32(len(x.async)) >= i.program().Limit { // the limit is at least 1
		unqueue(t, i, weakestOf(x.async))
	}
	i.end = i.end.Add(by)
	i.storeDuration(max(i.duration()+by, 1))
	switch {
	case i.end > now:
	case len(x.async) == 0:
		end(t, i, reason.Reload)
	default:
		i.end = now
		nextInQueue(t, i)
	}
}

// convertNumbers evaluates the numbers of the new version of a definition for a running instance.
//
// Example: testdata/stat/reload.txt.
func convertNumbers(t *Turn, i instance, a *buff.Application) {
	spec, w := compile.Of(a.Spec), &t.evaluated
	q := evaluator{
		set: i.owner, turn: t, spec: spec,
		captured: a.Captured, own: i.source == i.owner.id, level: int(i.level), stacks: min(int32(i.stacks), spec.Limit), magnitude: i.magnitude,
	}
	q.convertNumbers(i.program(), spec, i.magnitudes().values)
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
