package buff_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// The second half of the model: what the commands do.

func (m *model) apply(o op) string {
	s := o.spec
	if o.given && (o.duration < time.Millisecond || s.Kind == buff.Instant) {
		m.line("error", " why=duration", s, o.source, 0, nil)
		return "error duration duration"
	}
	if o.stacks < 0 {
		m.line("error", " why=stacks", s, o.source, 0, nil)
		return "error stacks stacks"
	}
	if s.Kind == buff.Instant {
		m.line("exec", fmt.Sprintf(" x%d", max(o.stacks, 1)), s, o.source, o.magnitude, nil)
		m.follow(s.On.Exec, told{at: m.at, kind: "exec", spec: s, source: o.source, magnitude: o.magnitude})
		return "exec"
	}
	for _, b := range m.buffs {
		if b.spec == s && (s.Stack.By == buff.ByTarget || s.Stack.By == buff.BySource && b.source == o.source) {
			return m.again(b, o)
		}
	}
	if len(m.buffs) >= m.limit {
		m.line("deny", " why=full", s, o.source, o.magnitude, nil)
		return "deny full full"
	}
	m.born++
	m.ages++
	b := &carried{
		spec: s, source: o.source, magnitude: o.magnitude, number: m.born, age: m.ages,
		duration: lasting(o), end: from(m.at, lasting(o)), last: m.at, stacks: min(stacks(o), limit(s)),
	}
	m.buffs = append(m.buffs, b)
	m.follow(s.On.Apply, m.about(b, "apply", fmt.Sprintf(" x%d%s", b.stacks, ending(b.end))))
	if s.First != buff.FirstNone {
		m.pulse(b, "")
	}
	return "apply"
}

func lasting(o op) int64 {
	switch {
	case o.given:
		return o.duration.Milliseconds()
	case o.spec.Kind == buff.Infinite:
		return never
	}
	return o.spec.Duration.Milliseconds()
}

func limit(s *buff.Spec) int { return cmp.Or(s.Stack.Limit, 1) }

func stacks(o op) int { return cmp.Or(o.stacks, o.spec.Stack.Initial, 1) }

// again is a further application that joins a live instance.
func (m *model) again(b *carried, o op) string {
	st := &b.spec.Stack
	full := b.stacks >= limit(b.spec)
	met := told{at: m.at, kind: "deny", spec: b.spec, source: o.source, magnitude: o.magnitude}
	result := ""
	switch {
	case full && st.Overflow == buff.OverflowDeny:
		m.line("deny", " why=limit", b.spec, o.source, o.magnitude, nil)
		m.overflow(met)
		return "deny limit"
	case full && st.Overflow == buff.OverflowClear:
		m.remove(b, buff.Overflowed)
		m.overflow(met)
		return "remove overflow"
	case !full:
		b.stacks = min(b.stacks+stacks(o), limit(b.spec))
		m.about(b, "stack", fmt.Sprintf(" x%d", b.stacks))
		result = "stack"
	}
	if st.Refresh != buff.RefreshNone {
		result = cmp.Or(result, "refresh")
		d := lasting(o)
		left := b.end - m.at
		switch st.Refresh {
		case buff.RefreshRestart:
			b.end = from(m.at, d)
		case buff.RefreshExtend:
			b.end += d
		case buff.RefreshPandemic:
			b.end = m.at + d + min(left, b.spec.Duration.Milliseconds()*int64(cmp.Or(st.RefreshPct, 30))/100)
		case buff.RefreshMax:
			b.end = max(b.end, m.at+d)
		}
		b.duration, b.magnitude = d, o.magnitude
		m.follow(b.spec.On.Refresh, m.about(b, "refresh", fmt.Sprintf(" x%d%s", b.stacks, ending(b.end))))
	}
	if st.Phase != buff.PhaseKeep {
		b.last = m.at
	}
	if b.period() > 0 && (st.Phase == buff.PhaseExecute || b.spec.First == buff.FirstEvery && result != "") {
		m.pulse(b, "")
	}
	if full {
		m.overflow(met)
	}
	return result
}

func (m *model) overflow(c told) {
	var list []buff.Action
	for _, id := range c.spec.Stack.OverflowApply {
		list = append(list, buff.Action{Do: buff.DoApply, Name: id})
	}
	m.follow(append(list, c.spec.On.Overflow...), c)
}

func (m *model) remove(b *carried, why buff.Reason) {
	b.gone = true
	m.buffs = slices.DeleteFunc(m.buffs, func(x *carried) bool { return x == b })
	c := m.about(b, "remove", " why="+why.String())
	m.follow(b.spec.On.Remove[why], c)
	m.follow(b.spec.On.RemoveAny, c)
}

func (m *model) lose(b *carried, o op) string {
	if o.stacks == 0 || o.stacks >= b.stacks {
		m.remove(b, o.reason)
		return "remove " + o.reason.String()
	}
	b.stacks -= o.stacks
	m.about(b, "stackend", fmt.Sprintf(" x%d why=%v", b.stacks, o.reason))
	return "stackend " + o.reason.String()
}

func (m *model) extend(b *carried, o op) string {
	switch {
	case b == nil || b.gone:
		return "stale"
	case b.end == never:
		return "infinite"
	}
	b.end += o.by.Milliseconds()
	if b.end <= m.at {
		m.remove(b, buff.Expired)
		return "remove expired"
	}
	m.about(b, "refresh", fmt.Sprintf(" x%d end=%d", b.stacks, b.end))
	return "refresh"
}

func (m *model) addTimeout(o op) string {
	if len(m.timeouts) >= m.limit {
		m.line("error", " "+o.name+" why=full", nil, 0, 0, nil)
		return "error full full"
	}
	m.ages++
	w := &waiting{name: o.name, handler: o.handler, age: m.ages, at: m.at + max(o.by.Milliseconds(), 1)}
	if !m.inside && m.round == 0 {
		m.set++
		w.number = m.set
	}
	m.timeouts = append(m.timeouts, w)
	return "waits"
}

func (m *model) dropTimeout(w *waiting) {
	w.gone = true
	m.timeouts = slices.DeleteFunc(m.timeouts, func(x *waiting) bool { return x == w })
}
