package rules

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// With TimersEach, each application to an instance is an async stack. It has its own end and its
// own periods, the first of which starts with the stack. Nevertheless all async stacks pulse
// together, at the boundaries of the instance. The lag of a stack is the time from a boundary of
// the instance to the next end of one of the stack's own periods. The pulse at a boundary stands
// for the stack's period that ends one lag later. The stack counts in this pulse if that period
// ends no later than the stack. So a stack of D ms counts in D/P pulses, rounded down, where P is
// the period. If a boundary moves, the periods of the stacks move with it.

// addAsync adds the stacks of an application with a duration of d ms.
//
// Examples: testdata/timers_each.txt, timers_each_beat.txt, timers_each_full.txt,
// timers_each_refresh.txt, timers_each_take.txt.
func (s *Owner) addAsync(t *Turn, i *instance, a *buff.Application, d int64, stacks int16, age uint64) {
	x, now := s.ensureExtra(i), s.nowOf(t, i)
	l := asyncStack{
		end: now.Add(d), magnitude: a.Magnitude, source: a.Source, age: age, stacks: stacks, level: int16(a.Level),
		shield: pool(compile.Of(a.Spec), t, a), charges: initialCharges(compile.Of(a.Spec), a),
	}
	if period := s.period(i); period > 0 {
		l.lag = max(int64(now-i.boundary)+period, 0) // the time since the last boundary
	}
	s.storeAsyncNumbers(t, i, a, &l)
	at, _ := slices.BinarySearchFunc(x.async, l, compareAsync)
	x.async = slices.Insert(x.async, at, l)
	i.end = x.async[len(x.async)-1].end
}

// storeAsyncNumbers stores the evaluated numbers of an application in its async stack.
func (s *Owner) storeAsyncNumbers(t *Turn, i *instance, a *buff.Application, l *asyncStack) {
	if len(compile.Of(a.Spec).Numbers) > 0 {
		s.storeWaiting(t, i, a, l)
	}
}

// countsAt reports whether an async stack counts in the pulse at an instant.
//
// For example, with a period of 2 s the instance pulses at 2, 4, 6 s. A stack added at 1 s with a
// duration of 5 s has its own periods until 3 and 5 s, so its lag is 1 s. It counts in the pulses
// at 2 and 4 s but not at 6 s, where it ends in the middle of its period.
//
// Example: testdata/timers_each_beat.txt.
func (l *asyncStack) countsAt(at wheel.Time) bool { return at <= l.end.Add(-l.lag) }

// restartAsyncPeriods restarts the periods of all async stacks at now, together with the period of
// the instance. With [define.AlignOwner], the next boundary of the instance may be earlier than the
// ends of these periods.
func (s *Owner) restartAsyncPeriods(i *instance, now wheel.Time) {
	if s.programOf(i).Stack.Timers == define.TimersEach {
		async, period := s.extraOf(i).async, s.period(i)
		for k := range async {
			async[k].lag = max(int64(now-i.boundary)+period, 0)
		}
	}
}

// rescaleAsync scales the remaining time in the current period of each async stack by ms/was. It is
// called after the same change to the instance. The parameter `beat` is the end of the period of
// the instance before that change.
func (s *Owner) rescaleAsync(i *instance, now, beat wheel.Time, ms, was int64) {
	if s.programOf(i).Stack.Timers != define.TimersEach {
		return
	}
	async := s.extraOf(i).async
	for k := range async {
		l := &async[k]
		l.lag = max(int64(rescaled(now, beat.Add(l.lag), ms, was)-i.boundary), 0)
	}
}

// compareAsync orders async stacks by end, and stacks with equal ends by age.
func compareAsync(a, b asyncStack) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.age, b.age))
}

// reapplyAsync executes a further application to an instance with TimersEach.
//
// At the limit, the overflow rules "deny" and "clear" work as with shared timers. The rule
// "replace" removes as many of the oldest stacks as necessary. With the rule "allow", the refresh
// rule is applied to the stack that ends first. If there is room for only some of the new stacks,
// the others are dropped without an event.
func (s *Owner) reapplyAsync(t *Turn, at uint16, a *buff.Application, d int64) outcome {
	i, spec := s.slot(at), compile.Of(a.Spec)
	r := outcome{handle: s.handle(at), kind: buff.Stacked}
	room := spec.Limit - int32(i.stacks)
	full := room <= 0
	higher := replacesByLevel(a, i)
	if full && spec.Refuses(higher) {
		return s.refuse(t, at, a)
	}
	s.adoptStacksVersion(t, at, a)
	if full && spec.Stack.Overflow != define.OverflowReplace {
		r.kind = s.restartFirst(t, at, a, d)
		s.overflow(t, a)
		return r
	}
	n := int16(min(stacksOf(spec, a), spec.Limit))
	over := n - int16(room)
	switch {
	case over <= 0:
	case spec.Stack.Overflow == define.OverflowReplace:
		s.replaceOldest(t, at, over)
	default:
		n = int16(room)
	}
	was := i.stacks
	s.ages++
	i.stacks += n
	i.magnitude = a.Magnitude
	s.strengthChanged(spec)
	s.mergeLevel(i, a)
	s.updateNumbers(t, at, a)
	s.addAsync(t, i, a, d, n, s.ages)
	s.updateModifiers(t, at)
	s.markDirty(t, at)
	e := s.instanceEvent(buff.Stacked, at)
	e.End = s.toWorldTime(i, s.nowOf(t, i).Add(d))
	t.emit(s, &e)
	if spec.Uses&compile.UsesLinks != 0 {
		s.applyLinks(t, i)
	}
	s.crossThresholds(t, at, was, a.Source, a.Captured)
	if spec.First == define.FirstEvery {
		s.pulse(t, at)
	}
	if full || over > 0 && spec.Stack.Overflow == define.OverflowReplace {
		s.overflow(t, a)
	}
	return r
}

// restartFirst applies the refresh rule, at the limit, to the stack that ends first. Unless the
// rule is "none", that stack becomes an async stack with a new end. Only one stack is restarted,
// however many stacks the application has: of three stacks with the same end, two keep this end.
//
// Example: testdata/timers_each_full.txt.
func (s *Owner) restartFirst(t *Turn, at uint16, a *buff.Application, d int64) buff.EventKind {
	i := s.slot(at)
	if s.programOf(i).Stack.Refresh == define.RefreshNone && !replacesByLevel(a, i) {
		return 0
	}
	x, now := s.extraOf(i), s.nowOf(t, i)
	l := x.async[0]
	if x.async[0].stacks--; x.async[0].stacks == 0 {
		s.magnitudesOf(i).freeWaiting(&x.async[0])
		x.async = slices.Delete(x.async, 0, 1)
	}
	l.numbers = 0
	s.gates().restartReset(t, s.programOf(i), l.source)
	s.ages++
	end := now.Add(d)
	if a.Origin.Steal && !replacesByLevel(a, i) { // a steal never shortens a buff of the thief
		end = max(end, l.end)
	}
	l.end, l.age, l.stacks = end, s.ages, 1
	l.source, l.magnitude, l.level = a.Source, a.Magnitude, int16(a.Level)
	l.shield, l.charges = pool(compile.Of(a.Spec), t, a), initialCharges(compile.Of(a.Spec), a)
	s.storeAsyncNumbers(t, i, a, &l)
	to, _ := slices.BinarySearchFunc(x.async, l, compareAsync)
	x.async = slices.Insert(x.async, to, l)
	i.end, i.magnitude = x.async[len(x.async)-1].end, a.Magnitude
	s.strengthChanged(s.programOf(i))
	s.mergeLevel(i, a)
	s.refreshNumbers(t, at, a)
	s.markDirty(t, at)
	e := s.instanceEvent(buff.Refreshed, at)
	e.End = s.toWorldTime(i, l.end)
	t.emit(s, &e)
	s.queueActionsFrom(t, s.programOf(i).Refresh, a.Source, s.actionMagnitudes(t, i, a))
	if s.programOf(i).Uses&compile.UsesLinks != 0 {
		s.applyLinks(t, i)
	}
	return buff.Refreshed
}

// replaceOldest removes n stacks to make room for new ones. It starts with the oldest application,
// whichever ends first. One StackEnded reports all removed stacks.
func (s *Owner) replaceOldest(t *Turn, at uint16, n int16) {
	for n > 0 {
		async := s.extraOf(s.slot(at)).async
		k := oldestOf(async)
		part := min(n, async[k].stacks)
		s.removeAsyncStacks(t, at, k, part)
		n -= part
	}
	e := s.instanceEvent(buff.StackEnded, at)
	e.Why = reason.Overflowed
	t.emit(s, &e)
}

// removeAsyncStacks removes n stacks from the k-th async stack.
func (s *Owner) removeAsyncStacks(t *Turn, at uint16, k int, n int16) {
	i := s.slot(at)
	x := s.extraOf(i)
	l := &x.async[k]
	n = min(n, l.stacks)
	i.stacks -= n
	if l.stacks -= n; l.stacks == 0 {
		s.gates().restartReset(t, s.programOf(i), l.source)
		s.magnitudesOf(i).freeWaiting(l)
		x.async = slices.Delete(x.async, k, k+1)
	}
	s.mark(at, journal.Stacks|usesAspects(s.programOf(i)))
	if last := len(x.async) - 1; last >= 0 && i.end != x.async[last].end { // if none is left, the caller adds one immediately
		i.end = x.async[last].end
		s.mark(at, journal.Time)
	}
	s.updateModifiers(t, at)
	s.markDirty(t, at)
}

// endFirstAsync ends the async stack that ends first. It must not be the only one left. If auras
// have applied the instance, the stack is a holder: see aura.go. Example: testdata/timers_each.txt.
func (s *Owner) endFirstAsync(t *Turn, at uint16, why reason.Reason) {
	if i := s.slot(at); i.flags&member != 0 {
		s.dropHolder(t, at, s.firstLeaving(i))
		return
	}
	s.removeAsyncStacks(t, at, 0, define.MaxStacks)
	e := s.instanceEvent(buff.StackEnded, at)
	e.Why = why
	t.emit(s, &e)
}

// firstAsyncEnded reports whether the async stack that ends first has ended and is not the only one
// left. The end of the last async stack is reported as the Removed of the instance, not as a
// StackEnded.
func (s *Owner) firstAsyncEnded(i *instance, now wheel.Time) bool {
	if i.flags&member != 0 {
		k := s.firstLeaving(i)
		return k >= 0 && s.extraOf(i).async[k].end <= now
	}
	if s.programOf(i).Stack.Timers != define.TimersEach {
		return false
	}
	async := s.extraOf(i).async
	return len(async) > 1 && async[0].end <= now
}

// shiftAsyncEnds moves the ends of all async stacks by ms.
func (s *Owner) shiftAsyncEnds(i *instance, ms int64) {
	if !s.onlyAsync(i) {
		return
	}
	async := s.extraOf(i).async
	for k := range async {
		if end := &async[k].end; *end != wheel.Never {
			*end = end.Add(ms)
		}
	}
}

// setAsyncEnds sets the ends of all async stacks.
func (s *Owner) setAsyncEnds(i *instance, end wheel.Time) {
	if !s.onlyAsync(i) {
		return
	}
	async := s.extraOf(i).async
	for k := range async {
		if i.flags&member == 0 || async[k].end != wheel.Never {
			async[k].end = end
		}
	}
	slices.SortFunc(async, compareAsync)
}

// countedStacks returns the number of stacks that count in a pulse at an instant of buff time, and
// the sum of their magnitudes. If Stacking.Effective limits the number, only the strongest stacks
// count.
//
// Example: testdata/effective_each.txt.
func (s *Owner) countedStacks(i *instance, at wheel.Time) (stacks int32, sum int64) {
	eachCounted(s.extraOf(i).async, at, s.programOf(i).Stack.Effective, func(l *asyncStack, n int32) {
		stacks += n
		sum += int64(n) * l.magnitude
	})
	return stacks, sum
}

// eachCounted calls f for each entry of the list that has stacks in effect at an instant, with the
// number of these stacks. If `most` is not 0, at most that many stacks are in effect in total: the
// strongest ones, and among equally strong stacks the older ones.
//
// It searches the list once for each entry in effect. This needs no sorting and no memory, and
// usually few entries are in effect.
func eachCounted(async []asyncStack, at wheel.Time, most int, f func(l *asyncStack, n int32)) {
	if most == 0 {
		for k := range async {
			if l := &async[k]; l.countsAt(at) {
				f(l, int32(l.stacks))
			}
		}
		return
	}
	var last *asyncStack
	for left := int32(most); left > 0; {
		var best *asyncStack
		for k := range async {
			if l := &async[k]; l.countsAt(at) && (last == nil || turnOrder(last, l) < 0) && (best == nil || turnOrder(l, best) < 0) {
				best = l
			}
		}
		if best == nil {
			return
		}
		n := min(int32(best.stacks), left)
		f(best, n)
		left -= n
		last = best
	}
}

// preferred returns the stronger of two async stacks, or the younger one if they are equally
// strong. A number that cannot be summed over stacks is taken from this stack. The other stack may
// be nil.
func (l *asyncStack) preferred(other *asyncStack) *asyncStack {
	if other == nil || cmp.Or(l.strength().compare(other.strength()), cmp.Compare(l.age, other.age)) > 0 {
		return l
	}
	return other
}

// sameCountedStacks reports whether the same stacks count in the pulses at a and b.
func (s *Owner) sameCountedStacks(i *instance, a, b wheel.Time) bool {
	if s.programOf(i).Stack.Timers != define.TimersEach {
		return true
	}
	stacks, sum := s.countedStacks(i, a)
	more, total := s.countedStacks(i, b)
	return stacks == more && sum == total
}
