package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/wheel"
)

// migrate moves a running instance to another version of its definition with the same
// Stack.Timers, and reports whether it still runs. [Set.Adopt] describes the rules.
//
// Pending pulses still run under the old version. A buff that has no time left under the new
// version ends before the switch. Stacks above the limit of the new version are removed after the
// switch.
func (s *Set) migrate(t *Turn, at uint16, spec *program) bool {
	s.flushPulses(t, at)
	i := s.slot(at)
	h, shield, shielded := s.handle(at), int64(0), s.programOf(i).Shield.On
	by := spec.durationAt(int(i.level)) - s.programOf(i).durationAt(int(i.level))
	if i.flags&member == 0 && s.programOf(i).Stack.Timers == define.TimersShared && !s.convertEnd(t, i, spec) {
		s.end(t, at, Reload)
		return false
	}
	if shielded {
		shield = s.extraOf(i).shield
	}
	if spec.Stack.Timers != define.TimersShared {
		s.convertWaiting(t, i, spec)
	}
	a := Application{Spec: &spec.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(s.magnitudesOf(i).captured)}
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
	if over := int(i.stacks) - int(spec.limit); over > 0 {
		s.removeStacks(t, at, over, Reload)
	}
	return true
}

// convertEnd sets the end that the running application of an instance has under the new version,
// and reports whether this end is later than now.
//
// The duration is scaled like the definition's duration: a duration of 6 s under a definition of 12
// s becomes 10 s under a definition of 20 s. The elapsed time stays the same. Example:
// testdata/stat/reload.txt.
func (s *Set) convertEnd(t *Turn, i *instance, spec *program) bool {
	now, was, is := s.nowOf(t, i), s.programOf(i).durationAt(int(i.level)), spec.durationAt(int(i.level))
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
	d := min(max(mulDiv(s.duration(i), uint64(is), uint64(was)), spec.shortest, 1), spec.longest, define.MaxDuration.Milliseconds())
	if spec.Tail == define.TailFit {
		period := spec.periodAt(int(i.level))
		d = max(mulDiv(d, 1, uint64(period)), 1) * period
	}
	end := i.end.Add(d - s.duration(i)) // not from now, to keep extensions and reductions
	if end <= now {
		return false
	}
	i.end = end
	s.storeDuration(i, d)
	return true
}

// moveAsync moves the ends of all async stacks by the given ms. Stacks that would already have
// ended are removed. If no stack is left, the instance ends.
func (s *Set) moveAsync(t *Turn, at uint16, by int64) {
	i := s.slot(at)
	s.shiftAsyncEnds(i, by)
	now, async := s.nowOf(t, i), s.extraOf(i).async
	i.end = async[len(async)-1].end
	if i.end <= now {
		s.end(t, at, Reload)
		return
	}
	for s.firstAsyncEnded(i, now) {
		s.endFirstAsync(t, at, Reload)
	}
}

// moveQueue moves the end of the running application, and changes the remaining times of the
// waiting ones, by the given ms.
//
// It first removes the waiting applications that have no time left, and then those above the limit.
// If the running application has to end, it ends last, because its end starts the next one.
// Example: testdata/stat/queue_reload.txt.
func (s *Set) moveQueue(t *Turn, at uint16, by int64) {
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
	for int32(len(x.async)) >= s.programOf(i).limit { // the limit is at least 1
		s.unqueue(t, i, weakestOf(x.async))
	}
	i.end = i.end.Add(by)
	s.storeDuration(i, max(s.duration(i)+by, 1))
	switch {
	case i.end > now:
	case len(x.async) == 0:
		s.end(t, at, Reload)
	default:
		i.end = now
		s.nextInQueue(t, at)
	}
}

// convertNumbers evaluates the numbers of the new version of a definition for a running instance.
//
// Example: testdata/stat/reload.txt.
func (s *Set) convertNumbers(t *Turn, i *instance, a *Application) {
	spec, w := programFor(a.Spec), &t.evaluated
	q := evaluator{
		set: s, turn: t, spec: spec,
		captured: a.Captured, own: i.source == s.owner, level: int(i.level), stacks: min(int32(i.stacks), spec.limit), magnitude: i.magnitude,
	}
	q.convertNumbers(s.programOf(i), spec, s.magnitudesOf(i).values)
	w.pool = 0
	if spec.poolBy != nil {
		if v, why := q.evaluate(spec.poolBy); why == NoReason {
			w.pool = wholePool(v)
		}
	}
}

// convertNumbers evaluates the numbers of the new version of a definition. The old version's values
// include the arguments from the caller, which are used again. A number that cannot be evaluated
// keeps its old value.
func (q *evaluator) convertNumbers(old, spec *program, values []float64) {
	w := &q.turn.evaluated
	w.args = w.args[:0]
	for j := range old.numbers {
		if n := &old.numbers[j]; n.from == define.FromCaller && (!n.input || values[n.live] != 0) {
			w.args = append(w.args, Arg{n.caller, values[j]})
		}
	}
	q.params = w.args
	was := stolenState{spec: old, values: values}
	w.values = w.values[:0]
	for j := range spec.numbers {
		n := &spec.numbers[j]
		v, why := q.evaluate(n)
		if why != NoReason {
			if v, why = was.find(spec, j); why != NoReason {
				v = n.value
			}
		}
		w.values = append(w.values, v)
	}
}
