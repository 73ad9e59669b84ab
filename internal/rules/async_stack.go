package rules

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
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
func addAsync(t *Turn, i instance, a *buff.Application, d int64, stacks int16, age uint64) {
	x, now := i.ensureExtra(), i.now(t)
	l := asyncStack{
		end: now.Add(d), magnitude: a.Magnitude, source: a.Source, age: age, stacks: stacks, level: int16(a.Level),
		shield: pool(compile.Of(a.Spec), t, a), charges: initialCharges(compile.Of(a.Spec), a),
	}
	if period := i.period(); period > 0 {
		l.lag = max(int64(now-i.boundary)+period, 0) // the time since the last boundary
	}
	storeAsyncNumbers(t, i, a, &l)
	at, _ := slices.BinarySearchFunc(x.async, l, compareAsync)
	x.async = slices.Insert(x.async, at, l)
	i.end = x.async[len(x.async)-1].end
}

// storeAsyncNumbers stores the evaluated numbers of an application in its async stack.
func storeAsyncNumbers(t *Turn, i instance, a *buff.Application, l *asyncStack) {
	if len(compile.Of(a.Spec).Numbers) > 0 {
		storeWaiting(t, i, a, l)
	}
}

// countsAt reports whether an async stack counts in the pulse at an instant.
//
// For example, with a period of 2 s the instance pulses at 2, 4, 6 s. A stack added at 1 s with a
// duration of 5 s has its own periods until 3 and 5 s, so its lag is 1 s. It counts in the pulses
// at 2 and 4 s but not at 6 s, where it ends in the middle of its period.
//
// Example: testdata/timers_each_beat.txt.
func (l *asyncStack) countsAt(at clock.BuffTime) bool { return at <= l.end.Add(-l.lag) }

// restartAsyncPeriods restarts the periods of all async stacks at now, together with the period of
// the instance. With [define.AlignOwner], the next boundary of the instance may be earlier than the
// ends of these periods.
func (i instance) restartAsyncPeriods(now clock.BuffTime) {
	if i.program().Stack.Timers == define.TimersEach {
		async, period := i.extra().async, i.period()
		for k := range async {
			async[k].lag = max(int64(now-i.boundary)+period, 0)
		}
	}
}

// rescaleAsync scales the remaining time in the current period of each async stack by ms/was. It is
// called after the same change to the instance. The parameter `beat` is the end of the period of
// the instance before that change.
func (i instance) rescaleAsync(now, beat clock.BuffTime, ms, was int64) {
	if i.program().Stack.Timers != define.TimersEach {
		return
	}
	async := i.extra().async
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
func reapplyAsync(t *Turn, i instance, a *buff.Application, d int64) outcome {
	s := i.owner
	spec := compile.Of(a.Spec)
	r := outcome{handle: i.handle(), kind: buff.Stacked}
	room := spec.Limit - int32(i.stacks)
	full := room <= 0
	higher := replacesByLevel(a, i)
	if full && spec.Refuses(higher) {
		return refuse(t, i, a)
	}
	adoptStacksVersion(t, i, a)
	if full && spec.Stack.Overflow != define.OverflowReplace {
		r.kind = restartFirst(t, i, a, d)
		overflow(t, i, a, stacksOf(spec, a))
		return r
	}
	n := int16(min(stacksOf(spec, a), spec.Limit))
	over := n - int16(room)
	switch {
	case over <= 0:
	case spec.Stack.Overflow == define.OverflowReplace:
		replaceOldest(t, i, over)
	default:
		n = int16(room)
	}
	was := i.stacks
	s.ages++
	i.stacks += n
	i.magnitude = a.Magnitude
	s.strengthChanged(spec)
	i.mergeLevel(a)
	updateNumbers(t, i, a)
	addAsync(t, i, a, d, n, s.ages)
	updateModifiers(t, i)
	i.markDirty(t)
	e := i.newEvent(buff.Stacked)
	e.End = i.clocks().ToWorld(i.now(t).Add(d))
	t.emit(s, &e)
	if spec.Uses&compile.UsesLinks != 0 {
		applyLinks(t, i)
	}
	crossThresholds(t, i, was, a.Source, a.Captured)
	if spec.First == define.FirstEvery {
		pulse(t, i)
	}
	if full || over > 0 && spec.Stack.Overflow == define.OverflowReplace {
		overflow(t, i, a, stacksOf(spec, a)-max(room, 0))
	}
	return r
}

// restartFirst applies the refresh rule, at the limit, to the stack that ends first. Unless the
// rule is "none", that stack becomes an async stack with a new end. Only one stack is restarted,
// however many stacks the application has: of three stacks with the same end, two keep this end.
//
// Example: testdata/timers_each_full.txt.
func restartFirst(t *Turn, i instance, a *buff.Application, d int64) buff.EventKind {
	s := i.owner
	if i.program().Stack.Refresh == define.RefreshNone && !replacesByLevel(a, i) {
		return 0
	}
	x, now := i.extra(), i.now(t)
	l := x.async[0]
	if x.async[0].stacks--; x.async[0].stacks == 0 {
		i.magnitudes().freeWaiting(&x.async[0])
		x.async = slices.Delete(x.async, 0, 1)
	}
	l.numbers = 0
	s.gates().restartReset(t, i.program(), l.source)
	s.ages++
	end := now.Add(d)
	if a.Origin.Steal && !replacesByLevel(a, i) { // a steal never shortens a buff of the thief
		end = max(end, l.end)
	}
	l.end, l.age, l.stacks = end, s.ages, 1
	l.source, l.magnitude, l.level = a.Source, a.Magnitude, int16(a.Level)
	l.shield, l.charges = pool(compile.Of(a.Spec), t, a), initialCharges(compile.Of(a.Spec), a)
	storeAsyncNumbers(t, i, a, &l)
	to, _ := slices.BinarySearchFunc(x.async, l, compareAsync)
	x.async = slices.Insert(x.async, to, l)
	i.end, i.magnitude = x.async[len(x.async)-1].end, a.Magnitude
	s.strengthChanged(i.program())
	i.mergeLevel(a)
	refreshNumbers(t, i, a)
	i.markDirty(t)
	e := i.newEvent(buff.Refreshed)
	e.End = i.clocks().ToWorld(l.end)
	t.emit(s, &e)
	queueActionsFrom(t, s, i.program().Refresh, a.Source, actionMagnitudes(t, i, a))
	if i.program().Uses&compile.UsesLinks != 0 {
		applyLinks(t, i)
	}
	return buff.Refreshed
}

// replaceOldest removes n stacks to make room for new ones. It starts with the oldest application,
// whichever ends first. One StackEnded reports all removed stacks.
func replaceOldest(t *Turn, i instance, n int16) {
	for n > 0 {
		async := i.extra().async
		k := oldestOf(async)
		part := min(n, async[k].stacks)
		removeAsyncStacks(t, i, k, part)
		n -= part
	}
	e := i.newEvent(buff.StackEnded)
	e.Why = reason.Overflowed
	t.emit(i.owner, &e)
}

// removeAsyncStacks removes n stacks from the k-th async stack.
func removeAsyncStacks(t *Turn, i instance, k int, n int16) {
	x := i.extra()
	l := &x.async[k]
	n = min(n, l.stacks)
	i.stacks -= n
	if l.stacks -= n; l.stacks == 0 {
		i.owner.gates().restartReset(t, i.program(), l.source)
		i.magnitudes().freeWaiting(l)
		x.async = slices.Delete(x.async, k, k+1)
	}
	i.mark(journal.Stacks | usesAspects(i.program()))
	if last := len(x.async) - 1; last >= 0 && i.end != x.async[last].end { // if none is left, the caller adds one immediately
		i.end = x.async[last].end
		i.mark(journal.Time)
	}
	updateModifiers(t, i)
	i.markDirty(t)
}

// endFirstAsync ends the async stack that ends first. It must not be the only one left. If auras
// have applied the instance, the stack is a holder: see aura.go. Example: testdata/timers_each.txt.
func endFirstAsync(t *Turn, i instance, why reason.Reason) {
	if i.flags&member != 0 {
		dropHolder(t, i, i.firstLeaving())
		return
	}
	removeAsyncStacks(t, i, 0, define.MaxStacks)
	e := i.newEvent(buff.StackEnded)
	e.Why = why
	t.emit(i.owner, &e)
}

// firstAsyncEnded reports whether the async stack that ends first has ended and is not the only one
// left. The end of the last async stack is reported as the Removed of the instance, not as a
// StackEnded.
func (i instance) firstAsyncEnded(now clock.BuffTime) bool {
	if i.flags&member != 0 {
		k := i.firstLeaving()
		return k >= 0 && i.extra().async[k].end <= now
	}
	if i.program().Stack.Timers != define.TimersEach {
		return false
	}
	async := i.extra().async
	return len(async) > 1 && async[0].end <= now
}

// shiftAsyncEnds moves the ends of all async stacks by ms.
func (i instance) shiftAsyncEnds(ms int64) {
	if !i.onlyAsync() {
		return
	}
	async := i.extra().async
	for k := range async {
		if end := &async[k].end; *end != clock.Never {
			*end = end.Add(ms)
		}
	}
}

// setAsyncEnds sets the ends of all async stacks.
func (i instance) setAsyncEnds(end clock.BuffTime) {
	if !i.onlyAsync() {
		return
	}
	async := i.extra().async
	for k := range async {
		if i.flags&member == 0 || async[k].end != clock.Never {
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
func (i instance) countedStacks(at clock.BuffTime) (stacks int32, sum int64) {
	eachCounted(i.extra().async, at, i.program().Stack.Effective, func(l *asyncStack, n int32) {
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
func eachCounted(async []asyncStack, at clock.BuffTime, most int, f func(l *asyncStack, n int32)) {
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
func (i instance) sameCountedStacks(a, b clock.BuffTime) bool {
	if i.program().Stack.Timers != define.TimersEach {
		return true
	}
	stacks, sum := i.countedStacks(a)
	more, total := i.countedStacks(b)
	return stacks == more && sum == total
}
