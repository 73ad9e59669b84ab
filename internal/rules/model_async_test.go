package rules_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// asyncStack is one application with its own timer: a stack with TimersEach, or a waiting
// application of a queue.
type asyncStack struct {
	end, lag  int64   // TimersEach: the end, and the time from a boundary of the buff to the end of the own period
	left      int64   // queue: remaining time
	nums      *worked // the numbers of the application
	shield    int64
	charges   int
	magnitude int64
	source    buff.OwnerID
	level     int
	age       int
	stacks    int
}

// firstToEnd returns the async stack that ends first; among equal ends, the oldest.
func (b *carried) firstToEnd() *asyncStack {
	return slices.MinFunc(b.async, func(x, y *asyncStack) int { return cmp.Or(cmp.Compare(x.end, y.end), x.age-y.age) })
}

func oldest(async []*asyncStack) *asyncStack {
	return slices.MinFunc(async, func(x, y *asyncStack) int { return x.age - y.age })
}

// strongest orders async stacks by strength, and equally strong stacks by age.
func strongest(x, y *asyncStack) int {
	return cmp.Or(y.level-x.level, cmp.Compare(y.magnitude, x.magnitude), x.age-y.age)
}

// stronger reports whether the first level and magnitude are stronger than the second.
func stronger(level int, magnitude int64, than int, of int64) bool {
	return cmp.Or(level-than, cmp.Compare(magnitude, of)) > 0
}

// outlevelled reports whether the application replaces the buff because of its higher level.
func (b *carried) outlevelled(o Op) bool {
	return b.spec.Stack.Level == define.LevelHigherWins && o.level > b.level
}

// addAsync adds stacks with the duration d. Their first period starts now.
func (m *model) addAsync(b *carried, o Op, now, d int64, stacks, age int) {
	l := &asyncStack{end: now + d, magnitude: o.magnitude, source: o.source, level: o.level, age: age, stacks: stacks}
	l.charges, l.shield, l.nums = b.spec.Charges.N, m.worked.pool, m.worked.copied()
	if b.period > 0 {
		l.lag = max(now+b.period, b.next) - b.next
	}
	b.async = append(b.async, l)
	b.findEnd()
	b.sumUses()
}

// sumUses sets the shield and the charges of a buff with TimersEach to the sums over its stacks.
func (b *carried) sumUses() {
	if b.spec.Stack.Timers != define.TimersEach || b.gone {
		return
	}
	b.charges, b.shield = 0, 0
	for _, l := range b.async {
		b.charges, b.shield = b.charges+l.charges, b.shield+l.shield
	}
}

// inStep restarts the periods of all async stacks now, together with the period of the buff. If the
// pulses are aligned, the next pulse of the buff may be earlier than the ends of these periods.
func (b *carried) inStep(now int64) {
	for _, l := range b.async {
		l.lag = max(now+b.period, b.next) - b.next
	}
}

func (b *carried) findEnd() {
	b.end = 0
	for _, l := range b.async {
		b.end = max(b.end, l.end)
	}
}

// atOnce stands for the instant of a pulse that an application causes immediately: all stacks count
// in it.
const atOnce = math.MinInt64

// counted is the number of stacks that count in a pulse, and the sum of their magnitudes.
type counted struct {
	stacks    int
	magnitude int64
}

// counting returns the stacks that count at an instant. Without TimersEach the result is always the
// same.
func (b *carried) counting(at int64) (sum counted) {
	for _, l := range b.countingAt(at) {
		sum.stacks++
		sum.magnitude += l.magnitude
	}
	return sum
}

// countingAt returns one entry for each stack that counts at an instant. If not all stacks are
// effective, it returns the strongest.
func (b *carried) countingAt(at int64) (list []*asyncStack) {
	if b.spec.Stack.Timers != define.TimersEach {
		return nil
	}
	async := slices.Clone(b.async)
	slices.SortFunc(async, strongest)
	for _, l := range async {
		for range l.stacks {
			if n := b.spec.Stack.Effective; (at == atOnce || at+l.lag <= l.end) && (n == 0 || len(list) < n) {
				list = append(list, l)
			}
		}
	}
	return list
}

// thin removes one stack of an async stack.
func (m *model) thin(b *carried, l *asyncStack) {
	b.stacks--
	if l.stacks--; l.stacks == 0 {
		b.async = slices.DeleteFunc(b.async, func(x *asyncStack) bool { return x == l })
		b.findEnd()
		b.sumUses()
	}
}

func (m *model) endAsync(b *carried, l *asyncStack, why reason.Reason) {
	for n := l.stacks; n > 0; n-- {
		m.thin(b, l)
	}
	m.about(b, "stackend", times(b.stacks)+because(why))
}

// joinEach executes a further application with TimersEach.
func (m *model) joinEach(b *carried, o Op, d int64) string {
	full, more := b.stacks >= limit(b.spec), min(stacks(b.spec, o), limit(b.spec))
	now, replaced := b.now(m.now), false
	if b.spec.Stack.Overflow == define.OverflowReplace {
		for ; b.stacks+more > limit(b.spec); replaced = true {
			m.thin(b, oldest(b.async))
		}
		if replaced {
			m.about(b, "stackend", times(b.stacks)+because(reason.Overflowed))
		}
	} else if full { // allow: the stack that ends first is restarted
		if b.spec.Stack.Refresh == define.RefreshNone && !b.outlevelled(o) {
			m.overflow(o)
			return ""
		}
		l := b.firstToEnd()
		again := *l
		m.ages++
		again.stacks, again.end, again.age, again.source, again.magnitude, again.level = 1, now+d, m.ages, o.source, o.magnitude, o.level
		again.charges, again.shield, again.nums = b.spec.Charges.N, m.worked.pool, m.worked.copied()
		if l.stacks--; l.stacks == 0 {
			b.async = slices.DeleteFunc(b.async, func(x *asyncStack) bool { return x == l })
		}
		l = &again
		b.async = append(b.async, l)
		b.findEnd()
		b.sumUses()
		b.magnitude = o.magnitude
		m.stirred(b, false)
		b.setLevel(o)
		m.renew(b, o)
		m.followFrom(b.spec.On.Refresh, m.about(b, "refresh", times(b.stacks)+field("end", m.endTold(b, l.end))), o.source)
		m.bring(b)
		m.overflow(o)
		return "refresh"
	}
	m.ages++
	was, n := b.stacks, min(more, limit(b.spec)-b.stacks)
	b.stacks += n
	b.magnitude = o.magnitude
	m.stirred(b, false)
	b.setLevel(o)
	m.renew(b, o)
	m.addAsync(b, o, now, d, n, m.ages)
	m.about(b, "stack", times(b.stacks)+field("end", m.endTold(b, now+d)))
	m.bring(b)
	m.cross(b, was, o.source)
	if b.spec.First == define.FirstEvery {
		m.pulse(b, atOnce, "", 0)
	}
	if full || replaced {
		m.overflow(o)
	}
	return "stack"
}

// joinQueue executes a further application to a queue. It runs at once if it is stronger than the
// running application.
func (m *model) joinQueue(b *carried, o Op, d int64) string {
	full := len(b.async)+1 >= limit(b.spec)
	if full {
		var goes *asyncStack
		if len(b.async) > 0 {
			switch over := b.spec.Stack.Overflow; {
			case over == define.OverflowReplace:
				goes = oldest(b.async)
			case over == define.OverflowAllow || b.outlevelled(o):
				if weakest := slices.MaxFunc(b.async, strongest); stronger(o.level, o.magnitude, weakest.level, weakest.magnitude) {
					goes = weakest
				}
			}
		}
		if goes == nil {
			m.deny(b.spec, o, reason.Limit)
			m.overflow(o)
			return "deny limit"
		}
		b.async = slices.DeleteFunc(b.async, func(x *asyncStack) bool { return x == goes })
	}
	m.ages++
	l := &asyncStack{left: d, magnitude: o.magnitude, source: o.source, level: o.level, age: m.ages, nums: m.worked.copied()}
	l.charges, l.shield = b.spec.Charges.N, m.worked.pool
	b.takeWanted()
	if stronger(l.level, l.magnitude, b.level, b.magnitude) {
		now, was := b.now(m.now), b.running
		was.left, was.source, was.nums = left(now, b.end), b.source, b.nums
		was.charges, was.shield = b.charges, b.shield
		m.letRun(b, l, now)
		l = was
	}
	b.async = append(b.async, l)
	m.about(b, "queue", m.active(b))
	m.bring(b)
	if full {
		m.overflow(o)
	}
	return "queue"
}

func (m *model) active(b *carried) string {
	return field("active", b.magnitude) + field("end", m.endTold(b, b.end))
}

func (m *model) letRun(b *carried, l *asyncStack, now int64) {
	m.stirred(b, false)
	b.nums = l.nums
	b.running, b.magnitude, b.source = l, l.magnitude, l.source
	b.charges, b.shield = l.charges, l.shield
	b.levelIs(l.level)
	b.end = now + l.left
}

func (m *model) nextInQueue(b *carried) {
	next := slices.MinFunc(b.async, strongest)
	b.async = slices.DeleteFunc(b.async, func(x *asyncStack) bool { return x == next })
	m.letRun(b, next, b.end)
	m.about(b, "queue", m.active(b))
}
