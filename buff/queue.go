package buff

import (
	"cmp"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/wheel"
)

// With TimersQueue one application runs, and the instance is it; the others wait with what
// they have left, and with numbers of their own, until they are the strongest.

// reapplyQueued is a further application to a queue. Only a stronger one, by level and magnitude, runs at once, and what ran waits with
// what it has left; an equal one waits behind. At the limit, which counts the one that runs, it is
// refused unless it may push out one that waits: the oldest (replace), or the weakest if that is weaker
// (allow). What runs is never pushed out, but clear ends the whole instance.
//
// Stories: testdata/timers_queue.txt, timers_queue_full.txt, stat/queue.txt,
// stat/queue_reload.txt.
func (s *Set) reapplyQueued(t *Turn, at uint16, a *Application, d int64) outcome {
	i, spec := s.slot(at), a.Spec.program
	x, now := s.ensureExtra(i), s.nowOf(t, i)
	if int32(len(x.async))+1 >= spec.limit {
		switch weakest := weakestOf(x.async); {
		case spec.Stack.Overflow == define.OverflowClear:
			return s.refuse(t, at, a)
		case spec.Stack.Overflow == define.OverflowDeny && !a.outlevels(i),
			weakest < 0,
			spec.Stack.Overflow == define.OverflowAllow && x.async[weakest].strength().compare(a.strength()) >= 0:
			r := s.deny(t, a, Limit, nil)
			s.overflow(t, a)
			return r
		case spec.Stack.Overflow == define.OverflowReplace:
			s.unqueue(t, i, oldestOf(x.async))
		default:
			s.unqueue(t, i, weakest)
		}
		defer s.overflow(t, a)
	}
	s.adoptQueueVersion(t, at, a)
	s.ages++
	s.applyPendingPeriod(i)
	l := asyncStack{
		left: d, magnitude: a.Magnitude, source: a.Source, age: s.ages, level: int16(a.Level),
		shield: spec.pool(t, a), charges: spec.charged(a),
	}
	if a.strength().compare(i.strength()) > 0 {
		s.requeueRunning(i, remaining(now, i.end))
		s.setRunning(t, at, &l, now)
		if spec.uses&usesMagnitudes != 0 {
			s.reportNumbers(t, at, t.worked.values)
			s.storeNumbers(t, i, a)
		}
	} else {
		s.storeWaiting(t, i, a, &l)
		x.async = append(x.async, l)
	}
	s.updateModifiers(t, at)
	s.markDirty(t, at) // with somebody waiting the end has another rank
	s.emitQueued(t, at)
	if spec.uses&usesLinks != 0 {
		s.applyLinks(t, i)
	}
	return outcome{handle: s.handle(at), kind: Queued}
}

// setRunning makes an application the one that runs. Its numbers are not the instance's yet.
//
// The instance stays the one that it was: its handle, its age, its place and its beat. What changes is what the application
// brought: source, level, magnitude, time, and through its age in running, who waits again when a stronger one comes.
func (s *Set) setRunning(t *Turn, at uint16, l *asyncStack, now wheel.Time) {
	i := s.slot(at)
	i.magnitude = l.magnitude
	s.runCeased(t, at)
	s.gates().dropAppliers(at)
	s.newSource(at, l.source)
	s.setLevel(i, l.level)
	s.reranked(s.specOf(i))
	i.end = now.Add(l.left)
	s.storeDuration(i, l.left)
	x := s.extraOf(i)
	x.running, x.shield, x.charges = l.age, l.shield, l.charges
	s.mark(at, journal.Time|journal.Power|journal.Source|s.specOf(i).usesAspects())
	s.markDirty(t, at)
}

// unqueue takes out one of those that wait.
func (s *Set) unqueue(t *Turn, i *instance, k int) {
	x := s.extraOf(i)
	s.gates().ceased(t, s.specOf(i), x.async[k].source)
	s.magnitudesOf(i).freeWaiting(&x.async[k])
	x.async = removeUnordered(x.async, k)
}

// nextInQueue lets the strongest of those that wait run.
//
// The time of the next one begins where that of the one before ended, and not in this frame: so a queue takes as long
// as its applications together, whatever frames it is played in. Story: testdata/timers_queue.txt.
func (s *Set) nextInQueue(t *Turn, at uint16) {
	i := s.slot(at)
	x := s.extraOf(i)
	best := strongestOf(x.async)
	l := x.async[best]
	x.async = removeUnordered(x.async, best)
	s.mark(at, journal.Waiting)
	s.setRunning(t, at, &l, i.end) // from the end of the one before, however late this frame is
	if l.numbers != 0 {
		k := s.magnitudesOf(i)
		s.reportNumbers(t, at, k.waitingOf(&l).values)
		k.swap(k.waitingOf(&l))
		k.freeWaiting(&l)
		s.updateModifiers(t, at)
	}
	s.emitQueued(t, at)
}

func (s *Set) emitQueued(t *Turn, at uint16) {
	e := s.about(Queued, at)
	e.End = s.reportedEnd(s.slot(at))
	t.emit(s, &e)
}

// strongestOf returns who runs next: the strongest, then the oldest.
func strongestOf(async []asyncStack) int {
	best := 0
	for k := range async {
		if turnOrder(&async[k], &async[best]) < 0 {
			best = k
		}
	}
	return best
}

// turnOrder orders the applications that wait in a queue as they run: the strongest first, of equals the oldest.
func turnOrder(a, b *asyncStack) int {
	return cmp.Or(b.strength().compare(a.strength()), cmp.Compare(a.age, b.age))
}

// weakestOf returns who would run last: the weakest, of equals the youngest; -1 if nobody
// waits.
//
// Who is pushed out must be the one whose turn would come last, or a queue would not be in the order of nextInQueue.
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

// removeUnordered takes one out, without keeping the order.
func removeUnordered(async []asyncStack, k int) []asyncStack {
	last := len(async) - 1
	async[k] = async[last]
	return async[:last]
}

// Each application in a queue has numbers of its own: those that were worked out when it came,
// and what was known of its source. Those of the one that runs are the instance's; the others
// lie beside them, and change places with them when another one runs.

// waitingNumbers are those of one that waits. They are used again, with their memory.
type waitingNumbers struct {
	values   []float64
	captured []Captured
	used     bool
}

// allocWaiting returns room for the numbers of one that waits, and its number, counted from 1.
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
	w := put(k.waiting, waitingNumbers{used: true})
	return w, uint16(len(*k.waiting))
}

// clearWaiting forgets the numbers of all that wait, but not the memory of the lists.
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

// waitingOf returns the numbers of one that waits, which has some.
func (k *magnitudes) waitingOf(l *asyncStack) *waitingNumbers { return &(*k.waiting)[l.numbers-1] }

// freeWaiting forgets the numbers of one that does not wait any more.
func (k *magnitudes) freeWaiting(l *asyncStack) {
	if l.numbers == 0 {
		return
	}
	k.waitingOf(l).clear()
	l.numbers = 0
}

// swap gives the instance the numbers of one that waited, and that one those of the instance.
func (k *magnitudes) swap(w *waitingNumbers) {
	k.values, w.values = w.values, k.values
	k.captured, w.captured = w.captured, k.captured
}

// storeWaiting keeps the numbers of an application that waits, which have been worked out.
func (s *Set) storeWaiting(t *Turn, i *instance, a *Application, l *asyncStack) {
	if a.Spec.program.uses&usesMagnitudes == 0 {
		return
	}
	w, n := s.extraOf(i).ensureMagnitudes().allocWaiting()
	l.numbers = n
	w.values = append(w.values[:0], t.worked.values...)
	w.captured = a.Spec.program.selectCaptured(w.captured[:0], a.Captured)
	if a.Spec.program.rereads {
		s.ensureRare().rereads = true
	}
}

// selectCaptured appends what of a source is known that the definition reads.
func (s *program) selectCaptured(dst, of []Captured) []Captured {
	for _, c := range s.captures {
		if v, ok := captured(of, c.attr, c.when); ok {
			dst = append(dst, Captured{c.attr, c.when, v})
		}
	}
	return dst
}

// requeueRunning puts what runs among those that wait, with what it has left, before another one runs.
//
// It keeps its age, so that of equal ones it is the first to run again.
func (s *Set) requeueRunning(i *instance, left int64) {
	x := s.extraOf(i)
	l := asyncStack{
		left: left, magnitude: i.magnitude, source: i.source, age: x.running, level: i.level, shield: x.shield, charges: x.charges,
	}
	if s.specOf(i).uses&usesMagnitudes != 0 {
		k := x.ensureMagnitudes()
		w, n := k.allocWaiting()
		l.numbers = n
		k.swap(w)
		k.values = append(k.values[:0], w.values...) // what is told next compares the new numbers with these
	}
	x.async = append(x.async, l)
}

// adoptQueueVersion makes an instance with a queue one of the application's version: the numbers of all
// its applications are worked out anew by that, with what each keeps. Those of the application
// that comes stay as they were worked out.
//
// Stories: testdata/stat/queue_reload.txt, queue_reload_plain.txt.
func (s *Set) adoptQueueVersion(t *Turn, at uint16, a *Application) {
	i := s.slot(at)
	if s.specOf(i) == a.Spec.program {
		return
	}
	w := &t.worked
	pool := w.pool
	w.coming = append(w.coming[:0], w.values...)
	s.convertWaiting(t, i, a.Spec.program)
	running := Application{Spec: a.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(s.magnitudesOf(i))}
	s.convertNumbers(t, i, &running)
	shield, shielded := int64(0), s.specOf(i).Shield.On
	if shielded {
		shield = s.extraOf(i).shield
	}
	s.switchVersion(t, at, &running)
	if shielded && a.Spec.Shield.On {
		s.extraOf(i).shield = shield // the application that comes fills it up
	}
	w.values, w.pool = append(w.values[:0], w.coming...), pool
}

// adoptStacksVersion makes an instance with timers each one of the application's version, and evaluates the numbers of its stacks by
// that. Those of the application that comes stay as they are.
func (s *Set) adoptStacksVersion(t *Turn, at uint16, a *Application) {
	i := s.slot(at)
	if s.specOf(i) == a.Spec.program {
		return
	}
	if s.specOf(i).revision != a.Spec.program.revision {
		w := &t.worked
		pool := w.pool
		w.coming = append(w.coming[:0], w.values...)
		s.convertWaiting(t, i, a.Spec.program)
		w.values, w.pool = append(w.values[:0], w.coming...), pool
	}
	s.switchVersion(t, at, a)
}

// convertWaiting works out the numbers of another version for the applications with a time of their own.
func (s *Set) convertWaiting(t *Turn, i *instance, spec *program) {
	switch each := spec.Stack.Timers == define.TimersEach; {
	case (s.specOf(i).uses|spec.uses)&usesMagnitudes == 0, each && len(s.specOf(i).numbers)+len(spec.numbers) == 0:
		return
	case i.flags&member != 0:
		return
	}
	x := s.ensureExtra(i)
	k := x.ensureMagnitudes()
	for j := range x.async {
		l := &x.async[j]
		if l.numbers == 0 {
			_, l.numbers = k.allocWaiting()
		}
		w := k.waitingOf(l)
		q := asked{
			set: s, turn: t, spec: spec,
			captured: w.captured, own: l.source == s.owner, level: int(l.level), stacks: 1, magnitude: l.magnitude,
		}
		if spec.Stack.Timers == define.TimersEach {
			q.stacks = min(int32(i.stacks), spec.limit)
		}
		q.convertNumbers(s.specOf(i), spec, w.values)
		if spec.uses&usesMagnitudes == 0 {
			k.freeWaiting(l)
			continue
		}
		w.values = append(w.values[:0], t.worked.values...)
		w.captured = spec.selectCaptured(nil, w.captured)
	}
}
