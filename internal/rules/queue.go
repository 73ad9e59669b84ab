package rules

import (
	"cmp"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// With TimersQueue one application runs and determines the fields of the instance. The others
// wait, with their remaining time and separate numbers, until they are the strongest.

// reapplyQueued adds an application to a queue. If the new application is stronger than the running
// one, by level and magnitude, it runs at once, and the other waits with its remaining time.
// Otherwise the new application waits.
//
// The limit includes the running application. At the limit, the rule "replace" removes the oldest
// waiting application. The rule "allow" removes the weakest waiting application if it is weaker
// than the new one. The rule "deny" removes the weakest if the new application wins by its higher
// level. Otherwise the new application is refused. The rule "clear" ends the whole instance. No
// other rule removes the running application.
//
// Examples: testdata/timers_queue.txt, timers_queue_full.txt, stat/queue.txt,
// stat/queue_reload.txt.
func reapplyQueued(t *Turn, i instance, a *buff.Application, d int64) outcome {
	s := i.owner
	spec := compile.Of(a.Spec)
	x, now := i.ensureExtra(), i.now(t)
	if int32(len(x.async))+1 >= spec.Limit {
		switch weakest := weakestOf(x.async); {
		case spec.Stack.Overflow == define.OverflowClear:
			return refuse(t, i, a)
		case spec.Stack.Overflow == define.OverflowDeny && !replacesByLevel(a, i),
			weakest < 0,
			spec.Stack.Overflow == define.OverflowAllow && x.async[weakest].strength().compare(strengthOf(a)) >= 0:
			r := deny(t, s, a, reason.Limit, nil)
			overflow(t, i, a, 1)
			return r
		case spec.Stack.Overflow == define.OverflowReplace:
			unqueue(t, i, oldestOf(x.async))
		default:
			unqueue(t, i, weakest)
		}
		defer overflow(t, i, a, 1)
	}
	adoptQueueVersion(t, i, a)
	s.ages++
	i.applyPendingPeriod()
	l := asyncStack{
		left: d, magnitude: a.Magnitude, source: a.Source, age: s.ages, level: int16(a.Level),
		shield: pool(spec, t, a), charges: initialCharges(spec, a),
	}
	if strengthOf(a).compare(i.strength()) > 0 {
		i.requeueRunning(clock.Until(now, i.end))
		setRunning(t, i, &l, now)
		if spec.Uses&compile.UsesMagnitudes != 0 {
			reportNumbers(t, i, t.evaluated.values)
			storeNumbers(t, i, a)
		}
	} else {
		storeWaiting(t, i, a, &l)
		x.async = append(x.async, l)
	}
	updateModifiers(t, i)
	i.markDirty(t) // a waiting application changes the rank of the end
	emitQueued(t, i)
	if spec.Uses&compile.UsesLinks != 0 {
		applyLinks(t, i)
	}
	return outcome{handle: i.handle(), kind: buff.Queued}
}

// setRunning makes an application the running one. It does not set the numbers of the instance.
//
// The instance keeps its handle, its age, its slot and its period. It takes the source, level,
// magnitude and time of the application, and stores the application's age in case the application
// waits again.
func setRunning(t *Turn, i instance, l *asyncStack, now clock.BuffTime) {
	i.magnitude = l.magnitude
	restartResetOfRun(t, i)
	dropAppliers(i)
	i.newSource(l.source)
	i.setLevel(l.level)
	i.owner.strengthChanged(i.program())
	i.end = now.Add(l.left)
	i.storeDuration(l.left)
	x := i.extra()
	x.running, x.shield, x.charges = l.age, l.shield, l.charges
	i.mark(journal.Time | journal.Power | journal.Source | usesAspects(i.program()))
	i.markDirty(t)
}

// unqueue removes the k-th waiting application.
func unqueue(t *Turn, i instance, k int) {
	x := i.extra()
	i.owner.gates().restartReset(t, i.program(), x.async[k].source)
	i.magnitudes().freeWaiting(&x.async[k])
	x.async = removeUnordered(x.async, k)
}

// nextInQueue starts the strongest waiting application.
//
// The application starts at the end of the previous one, not at the time of the frame. So the
// length of a queue is the sum of the durations of its applications, however time is divided into
// frames. Example: testdata/timers_queue.txt.
func nextInQueue(t *Turn, i instance) {
	x := i.extra()
	best := strongestOf(x.async)
	l := x.async[best]
	x.async = removeUnordered(x.async, best)
	i.mark(journal.Waiting)
	setRunning(t, i, &l, i.end) // starts at i.end, because now may be later
	if l.numbers != 0 {
		k := i.magnitudes()
		reportNumbers(t, i, k.waitingOf(&l).values)
		k.swap(k.waitingOf(&l))
		k.freeWaiting(&l)
		updateModifiers(t, i)
	}
	emitQueued(t, i)
}

func emitQueued(t *Turn, i instance) {
	e := i.newEvent(buff.Queued)
	e.End = i.reportedEnd()
	t.emit(i.owner, &e)
}

// strongestOf returns the index of the application that runs next. This is the strongest
// application, or the oldest of several equally strong ones.
func strongestOf(async []asyncStack) int {
	best := 0
	for k := range async {
		if turnOrder(&async[k], &async[best]) < 0 {
			best = k
		}
	}
	return best
}

// turnOrder compares two waiting applications. It returns a negative number if a runs first,
// because a is stronger or, if both are equally strong, older.
func turnOrder(a, b *asyncStack) int {
	return cmp.Or(b.strength().compare(a.strength()), cmp.Compare(a.age, b.age))
}

// weakestOf returns the index of the application that would run last: the weakest, and among equals
// the youngest. weakestOf returns -1 for an empty list. It must be the reverse of strongestOf, so
// that an overflow removes the last one in the order of nextInQueue.
func weakestOf(async []asyncStack) int {
	weakest := -1
	for k := range async {
		if weakest < 0 || turnOrder(&async[k], &async[weakest]) > 0 {
			weakest = k
		}
	}
	return weakest
}

func oldestOf(async []asyncStack) int {
	oldest := 0
	for k := range async {
		if async[k].age < async[oldest].age {
			oldest = k
		}
	}
	return oldest
}

// removeUnordered removes the k-th element, and moves the last element to its index.
func removeUnordered(async []asyncStack, k int) []asyncStack {
	last := len(async) - 1
	async[k] = async[last]
	return async[:last]
}

// Each application in a queue keeps the numbers and captured attributes from when it was applied.
// The instance has the numbers of the running application. The numbers of the others are in
// waitingNumbers, and are swapped with the numbers of the instance when another application runs.

// waitingNumbers holds the numbers of one async stack or waiting application. Its memory is reused.
type waitingNumbers struct {
	values   []float64
	captured []buff.Captured
	used     bool
}

// allocWaiting returns unused waitingNumbers and their index, counted from 1.
func (k *magnitudes) allocWaiting() (*waitingNumbers, uint16) {
	if k.waiting == nil {
		k.waiting = new([]waitingNumbers)
	}
	for j := range *k.waiting {
		if w := &(*k.waiting)[j]; !w.used {
			w.used = true
			return w, uint16(j + 1)
		}
	}
	*k.waiting = append(*k.waiting, waitingNumbers{used: true})
	n := len(*k.waiting)
	return &(*k.waiting)[n-1], uint16(n)
}

// clearWaiting clears the numbers of all waiting applications and keeps the memory of the lists.
func (k *magnitudes) clearWaiting() {
	if k.waiting == nil {
		return
	}
	for j := range *k.waiting {
		(*k.waiting)[j].clear()
	}
}

func (w *waitingNumbers) clear() {
	*w = waitingNumbers{values: w.values[:0], captured: w.captured[:0]}
}

// waitingOf returns the numbers of an application that has separate ones.
func (k *magnitudes) waitingOf(l *asyncStack) *waitingNumbers { return &(*k.waiting)[l.numbers-1] }

// freeWaiting frees the numbers of an application that no longer waits.
func (k *magnitudes) freeWaiting(l *asyncStack) {
	if l.numbers == 0 {
		return
	}
	k.waitingOf(l).clear()
	l.numbers = 0
}

// swap exchanges the numbers of the instance and of a waiting application.
func (k *magnitudes) swap(w *waitingNumbers) {
	k.values, w.values = w.values, k.values
	k.captured, w.captured = w.captured, k.captured
}

// storeWaiting stores the evaluated numbers of an application that waits.
func storeWaiting(t *Turn, i instance, a *buff.Application, l *asyncStack) {
	if compile.Of(a.Spec).Uses&compile.UsesMagnitudes == 0 {
		return
	}
	w, n := i.extra().ensureMagnitudes().allocWaiting()
	l.numbers = n
	w.values = append(w.values[:0], t.evaluated.values...)
	w.captured = selectCaptured(compile.Of(a.Spec), w.captured[:0], a.Captured)
	if compile.Of(a.Spec).Rereads {
		i.owner.ensureRare().rereads = true
	}
}

// requeueRunning adds the running application to the waiting ones, with its remaining time, before
// another application runs. It keeps its age, so that among applications of equal strength it is
// the first to run again.
func (i instance) requeueRunning(left int64) {
	x := i.extra()
	l := asyncStack{
		left: left, magnitude: i.magnitude, source: i.source, age: x.running, level: i.level, shield: x.shield, charges: x.charges,
	}
	if i.program().Uses&compile.UsesMagnitudes != 0 {
		k := x.ensureMagnitudes()
		w, n := k.allocWaiting()
		l.numbers = n
		k.swap(w)
		k.values = append(k.values[:0], w.values...) // reportNumbers compares the next numbers with these
	}
	x.async = append(x.async, l)
}

// adoptQueueVersion moves an instance with a queue to the version of a new application. It
// evaluates the numbers of all present applications again, and keeps the evaluated numbers of the
// new one.
//
// Examples: testdata/stat/queue_reload.txt, queue_reload_plain.txt.
func adoptQueueVersion(t *Turn, i instance, a *buff.Application) {
	if i.program() == compile.Of(a.Spec) {
		return
	}
	w := &t.evaluated
	pool := w.pool
	w.coming = append(w.coming[:0], w.values...)
	convertWaiting(t, i, compile.Of(a.Spec))
	running := buff.Application{Spec: a.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(i.magnitudes().captured)}
	convertNumbers(t, i, &running)
	shield, shielded := int64(0), i.program().Shield.On
	if shielded {
		shield = i.extra().shield
	}
	switchVersion(t, i, &running)
	if shielded && a.Spec.Shield.On {
		i.extra().shield = shield // the new application refills it
	}
	w.values, w.pool = append(w.values[:0], w.coming...), pool
}

// adoptStacksVersion moves an instance with TimersEach to the version of a new application. It
// evaluates the numbers of the present stacks again; those of the new one are already evaluated
// and are kept.
func adoptStacksVersion(t *Turn, i instance, a *buff.Application) {
	if i.program() == compile.Of(a.Spec) {
		return
	}
	if i.program().Compiled().Revision != compile.Of(a.Spec).Compiled().Revision {
		w := &t.evaluated
		pool := w.pool
		w.coming = append(w.coming[:0], w.values...)
		convertWaiting(t, i, compile.Of(a.Spec))
		w.values, w.pool = append(w.values[:0], w.coming...), pool
	}
	switchVersion(t, i, a)
}

// convertWaiting evaluates the numbers of another version for async stacks and waiting
// applications.
func convertWaiting(t *Turn, i instance, spec *compile.Program) {
	switch each := spec.Stack.Timers == define.TimersEach; {
	case (i.program().Uses|spec.Uses)&compile.UsesMagnitudes == 0, each && len(i.program().Numbers)+len(spec.Numbers) == 0:
		return
	case i.flags&member != 0:
		return
	}
	x := i.ensureExtra()
	k := x.ensureMagnitudes()
	for j := range x.async {
		l := &x.async[j]
		if l.numbers == 0 {
			_, l.numbers = k.allocWaiting()
		}
		w := k.waitingOf(l)
		q := evaluator{
			set: i.owner, turn: t, spec: spec,
			captured: w.captured, own: l.source == i.owner.id, level: int(l.level), stacks: 1, magnitude: l.magnitude,
		}
		if spec.Stack.Timers == define.TimersEach {
			q.stacks = min(int32(i.stacks), spec.Limit)
		}
		q.convertNumbers(i.program(), spec, w.values)
		if spec.Uses&compile.UsesMagnitudes == 0 {
			k.freeWaiting(l)
			continue
		}
		w.values = append(w.values[:0], t.evaluated.values...)
		w.captured = selectCaptured(spec, nil, w.captured)
	}
}
