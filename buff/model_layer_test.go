package buff_test

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// layer is one application where each has a time of its own: with timers each its
// stacks, with a queue one that waits.
type layer struct {
	end, last int64 // each: its end, and the last instant at which it counts in a pulse
	left      int64 // queue: what it still has
	magnitude int64
	source    buff.OwnerID
	level     int
	age       int
	stacks    int
}

// firstToEnd returns the layer that ends first, of equals the oldest.
func (b *carried) firstToEnd() *layer {
	return slices.MinFunc(b.layers, func(x, y *layer) int { return cmp.Or(cmp.Compare(x.end, y.end), x.age-y.age) })
}

func oldest(layers []*layer) *layer {
	return slices.MinFunc(layers, func(x, y *layer) int { return x.age - y.age })
}

// strongest orders layers by strength, of equals the oldest first.
func strongest(x, y *layer) int {
	return cmp.Or(cmp.Compare(y.magnitude, x.magnitude), x.age-y.age)
}

// addLayer adds stacks that last d. It counts in as many pulses as whole periods fit
// into d.
func (b *carried) addLayer(o op, now, d int64, stacks, age int) {
	l := &layer{end: now + d, magnitude: o.magnitude, source: o.source, level: o.level, age: age, stacks: stacks}
	if b.period > 0 {
		l.last = now + d/b.period*b.period
	}
	b.layers = append(b.layers, l)
	b.findEnd()
}

func (b *carried) findEnd() {
	b.end = 0
	for _, l := range b.layers {
		b.end = max(b.end, l.end)
	}
}

// stretch moves the end of a layer: it counts in as many pulses as whole periods fit
// now.
func (b *carried) stretch(l *layer, end int64) {
	if b.period > 0 {
		part := (end - l.last) % b.period
		if part < 0 {
			part += b.period
		}
		l.last = end - part
	}
	l.end = end
}

// counted is what counts in a pulse.
type counted struct {
	stacks    int
	magnitude int64
}

// counting returns how many stacks count at an instant, and the sum of their
// magnitudes: the strongest, if not all are effective. Without timers each it is
// always the same.
func (b *carried) counting(at int64) (sum counted) {
	if b.spec.Stack.Timers != buff.TimersEach {
		return counted{}
	}
	layers := slices.Clone(b.layers)
	slices.SortFunc(layers, strongest)
	for _, l := range layers {
		for range l.stacks {
			if n := b.spec.Stack.Effective; at <= l.last && (n == 0 || sum.stacks < n) {
				sum.stacks++
				sum.magnitude += l.magnitude
			}
		}
	}
	return sum
}

// thin takes one stack off a layer.
func (m *model) thin(b *carried, l *layer) {
	b.stacks--
	if l.stacks--; l.stacks == 0 {
		b.layers = slices.DeleteFunc(b.layers, func(x *layer) bool { return x == l })
		b.findEnd()
	}
}

func (m *model) endLayer(b *carried, l *layer, why buff.Reason) {
	for n := l.stacks; n > 0; n-- {
		m.thin(b, l)
	}
	m.about(b, "stackend", times(b.stacks)+because(why))
}

// joinEach is a further application where each has a timer of its own.
func (m *model) joinEach(b *carried, o op, d int64) string {
	full := b.stacks >= limit(b.spec)
	now := b.now(m.now)
	room := max(limit(b.spec)-b.stacks, 1)
	if full && b.spec.Stack.Overflow == buff.OverflowReplace {
		m.thin(b, oldest(b.layers))
		m.about(b, "stackend", times(b.stacks)+because(buff.Overflowed))
	} else if full { // allow: the stack that ends first lives longer
		l := b.firstToEnd()
		if now+d > l.end {
			longer := *l
			longer.stacks, longer.end = 1, now+d
			if b.period > 0 {
				longer.last = now + d/b.period*b.period
			}
			if l.stacks--; l.stacks == 0 {
				b.layers = slices.DeleteFunc(b.layers, func(x *layer) bool { return x == l })
			}
			l = &longer
			b.layers = append(b.layers, l)
			b.findEnd()
		}
		m.follow(b.spec.On.Refresh, m.about(b, "refresh", times(b.stacks)+field("end", m.endTold(b, l.end))))
		m.bring(b)
		m.overflow(o)
		return "refresh"
	}
	m.ages++
	was, n := b.stacks, min(stacks(b.spec, o), room)
	b.stacks += n
	b.magnitude = o.magnitude
	m.stirred(b, false)
	b.setLevel(o)
	b.addLayer(o, now, d, n, m.ages)
	m.renew(b, o)
	m.about(b, "stack", times(b.stacks)+field("end", m.endTold(b, now+d)))
	m.bring(b)
	m.cross(b, was)
	if b.spec.First == buff.FirstEvery {
		m.pulse(b, now, "", 0)
	}
	if full {
		m.overflow(o)
	}
	return "stack"
}

// joinQueue is a further application to a queue: it runs at once if it is stronger than
// the one that runs.
func (m *model) joinQueue(b *carried, o op, d int64) string {
	full := len(b.layers)+1 >= limit(b.spec)
	if full {
		var goes *layer
		if len(b.layers) > 0 {
			switch b.spec.Stack.Overflow {
			case buff.OverflowReplace:
				goes = oldest(b.layers)
			case buff.OverflowAllow:
				if weakest := slices.MaxFunc(b.layers, strongest); weakest.magnitude < o.magnitude {
					goes = weakest
				}
			}
		}
		if goes == nil {
			m.deny(b.spec, o, buff.Limit)
			m.overflow(o)
			return "deny limit"
		}
		b.layers = slices.DeleteFunc(b.layers, func(x *layer) bool { return x == goes })
	}
	m.ages++
	l := &layer{left: d, magnitude: o.magnitude, source: o.source, level: o.level, age: m.ages}
	if l.magnitude > b.magnitude {
		now, was := b.now(m.now), b.running
		was.left, was.source = left(now, b.end), b.source
		m.letRun(b, l, now)
		l = was
	}
	b.layers = append(b.layers, l)
	m.renew(b, o)
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

func (m *model) letRun(b *carried, l *layer, now int64) {
	m.stirred(b, false)
	if b.source != l.source {
		b.nums.known = nil
	}
	b.running, b.magnitude, b.source = l, l.magnitude, l.source
	b.levelIs(l.level)
	b.end = now + l.left
}

func (m *model) nextInQueue(b *carried) {
	next := slices.MinFunc(b.layers, strongest)
	b.layers = slices.DeleteFunc(b.layers, func(x *layer) bool { return x == next })
	m.letRun(b, next, b.end)
	m.about(b, "queue", m.active(b))
}
