package buff

import "github.com/bufftick/bufftick/wheel"

// With TimersQueue one application runs, and the instance is it; the others wait with what
// they have left, and with numbers of their own, until they are the strongest.

// againQueue is a further application to a queue.
//
// Stories: testdata/timers_queue.txt, timers_queue_full.txt, stat/queue.txt,
// stat/queue_reload.txt.
func (s *Set) againQueue(t *Turn, at uint16, a *Application, d int64) outcome {
	i, spec := &s.slots[at], a.Spec
	x, now := s.needExtra(i), s.nowOf(t, i)
	if int32(len(x.async))+1 >= spec.limit {
		switch weakest := weakestOf(x.async); {
		case spec.Stack.Overflow == OverflowClear:
			return s.refuse(t, at, a)
		case spec.Stack.Overflow == OverflowDeny,
			weakest < 0,
			spec.Stack.Overflow == OverflowAllow && x.async[weakest].magnitude >= a.Magnitude:
			r := s.deny(t, a, Limit, nil)
			s.overflow(t, a)
			return r
		case spec.Stack.Overflow == OverflowReplace:
			s.unqueue(t, i, oldestOf(x.async))
		default:
			s.unqueue(t, i, weakest)
		}
		defer s.overflow(t, a)
	}
	s.reviseQueue(t, at, a)
	s.ages++
	s.takeWanted(i)
	l := asyncStack{left: d, magnitude: a.Magnitude, source: a.Source, age: s.ages, level: int16(a.Level)}
	if a.Magnitude > i.magnitude {
		s.stepAside(i, left(now, i.end))
		s.run(t, at, &l, now)
		if spec.uses&usesMagnitudes != 0 {
			s.keep(t, i, a)
		}
	} else {
		s.shelve(t, i, a, &l)
		x.async = append(x.async, l)
	}
	s.tune(at)
	s.topUp(t, i, a)
	s.touch(at) // with somebody waiting the end has another rank
	s.emitQueued(t, at)
	if spec.uses&usesLinks != 0 {
		s.bring(t, i)
	}
	return outcome{handle: s.handle(at), kind: Queued}
}

// run makes an application the one that runs. Its numbers are not the instance's yet.
func (s *Set) run(t *Turn, at uint16, l *asyncStack, now wheel.Time) {
	i := &s.slots[at]
	i.magnitude = l.magnitude
	s.runCeased(t, at)
	s.dropAppliers(at)
	s.newSource(at, l.source)
	s.setLevel(i, l.level)
	s.reranked(i.spec)
	i.end, i.duration = now.Add(l.left), l.left
	s.extraOf(i).running = l.age
	s.mark(at, AspectTime|AspectPower|AspectSource)
	s.touch(at)
}

// unqueue takes out one of those that wait.
func (s *Set) unqueue(t *Turn, i *instance, k int) {
	x := s.extraOf(i)
	s.ceased(t, i.spec, x.async[k].source)
	s.magnitudesOf(i).unshelve(&x.async[k])
	x.async = remove(x.async, k)
}

// nextInQueue lets the strongest of those that wait run.
func (s *Set) nextInQueue(t *Turn, at uint16) {
	i := &s.slots[at]
	x := s.extraOf(i)
	best := strongestOf(x.async)
	l := x.async[best]
	x.async = remove(x.async, best)
	s.mark(at, AspectWaiting)
	s.run(t, at, &l, i.end)
	if l.numbers != 0 {
		k := s.magnitudesOf(i)
		k.swap(k.waitingOf(&l))
		k.unshelve(&l)
		s.tune(at)
	}
	s.emitQueued(t, at)
}

func (s *Set) emitQueued(t *Turn, at uint16) {
	e := s.about(Queued, at)
	e.End = s.endTold(&s.slots[at])
	t.emit(s, &e)
}

// strongestOf returns who runs next: the greatest magnitude, then the oldest.
func strongestOf(async []asyncStack) int {
	best := 0
	for k := range async {
		if l, b := &async[k], &async[best]; l.magnitude > b.magnitude || l.magnitude == b.magnitude && l.age < b.age {
			best = k
		}
	}
	return best
}

// weakestOf returns who would run last: the weakest, of equals the youngest; -1 if nobody
// waits.
func weakestOf(async []asyncStack) int {
	weakest := -1
	for k := range async {
		if weakest < 0 || async[k].magnitude < async[weakest].magnitude ||
			async[k].magnitude == async[weakest].magnitude && async[k].age > async[weakest].age {
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

// remove takes one out, without keeping the order.
func remove(async []asyncStack, k int) []asyncStack {
	last := len(async) - 1
	async[k] = async[last]
	return async[:last]
}
