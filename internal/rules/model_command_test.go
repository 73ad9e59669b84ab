package rules_test

import (
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
)

// carryOut executes one command, and then determines which buffs have an effect.
func (m *model) carryOut(q queued) string {
	if q.op.reason == reason.None {
		q.op.reason = reason.Cancelled
	}
	r := m.command(q)
	m.conclude()
	return r
}

func (m *model) command(q queued) string {
	o, b := q.op, q.target
	if _, known := m.catalog.Tag(o.tag); !known {
		o.tag = "" // no definition uses the tag
	}
	switch o.verb {
	case verb.Remove, verb.Extend, verb.SetRemaining, verb.SetPeriod, verb.Inhibit, verb.Release:
		if b == nil || b.gone {
			return "stale"
		}
		return m.toInstance(b, o)
	case verb.Apply:
		return m.apply(o, false)
	case verb.SetArea:
		return m.leaveArea()
	case verb.AddBase, verb.SetBase, verb.Damage:
		return m.changeBase(o)
	case verb.RemoveSpec:
		if o.linked {
			return m.unlink(o)
		}
		var found *carried
		for _, b := range m.buffs {
			if b.spec.ID == o.spec && (found == nil || o.source != 0 && found.source != o.source && b.source == o.source) {
				found = b
			}
		}
		if found != nil {
			return m.lose(found, o.stacks, o.reason)
		}
	case verb.Kill, verb.Revive, verb.LoseSource:
		return m.befall(o)
	case verb.AddTimeout:
		return m.addTimeout(o)
	case verb.Cancel:
		if q.cancel == nil || q.cancel.gone {
			return "stale"
		}
		m.dropTimeout(q.cancel)
		return "remove cancelled"
	case verb.Pause, verb.Resume, verb.SetRate:
		return m.setTimeScale(b, o)
	case verb.AddTag, verb.DropTag:
		return m.tag(o)
	case verb.Immunize, verb.DropImmunity:
		return m.immunize(o)
	case verb.Dispel:
		return m.purge(o.ask)
	case verb.Steal:
		return m.steal(o.ask, o.by)
	case verb.Compensate:
		return m.extendAll(o)
	case verb.Interrupt:
		return m.interrupt(o.act)
	case verb.Consume:
		return m.consume(b, o)
	case verb.Happened:
		return m.happened(o)
	case verb.Absorb:
		return m.absorb(o)
	case verb.Enter:
		return m.enterAura(o)
	case verb.Leave:
		return m.leaveAura(o)
	}
	return ""
}

func (m *model) toInstance(b *carried, o Op) string {
	switch o.verb {
	case verb.Remove:
		return m.lose(b, o.stacks, o.reason)
	case verb.Extend:
		if b.end == never {
			return "infinite"
		}
		return m.extend(b, o)
	case verb.SetRemaining:
		end := b.now(m.now) + max(o.by.Milliseconds(), 0)
		m.flush(b)
		for _, l := range b.async {
			if b.running == nil {
				l.end = end
			}
		}
		for _, h := range b.holders {
			if h.end != never {
				h.end = end
			}
		}
		return m.endAt(b, end)
	case verb.SetPeriod:
		return m.setPeriod(b, o.by)
	}
	if b.inhibited != (o.verb == verb.Inhibit) {
		causes := *b
		causes.inhibited = o.verb == verb.Inhibit
		m.setHidden(b, causes.unmet, causes.inhibited, causes.weaker, causes.ineffective)
	}
	return ""
}

func (m *model) remove(b *carried, why reason.Reason) { m.removeNamed(b, why, "") }

func (m *model) removeNamed(b *carried, why reason.Reason, name string) {
	m.flush(b)
	if !b.hidden() {
		m.immunityChanges(b.spec)
	}
	b.gone = true
	m.buffs = slices.DeleteFunc(m.buffs, func(x *carried) bool { return x == b })
	rest := because(why)
	if name != "" {
		rest += " name=" + name
	}
	c := m.about(b, "remove", rest)
	c.each = b.countingAt(atOnce)
	m.follow(b.spec.On.Remove[why], c)
	m.follow(b.spec.On.RemoveAny, c)
	m.sendOff(b, why, name)
}

// lose removes n stacks, or all stacks if n is 0.
func (m *model) lose(b *carried, n int, why reason.Reason) string {
	if n == 0 || n >= b.stacks {
		m.remove(b, why)
		return "remove " + why.String()
	}
	m.flush(b)
	if b.spec.Stack.Timers == define.TimersEach {
		for range n {
			m.thin(b, b.firstToEnd())
		}
	} else {
		b.stacks -= n
	}
	m.about(b, "stackend", times(b.stacks)+because(why))
	return "stackend " + why.String()
}

// extend moves the end, at most to the cap if there is one.
func (m *model) extend(b *carried, o Op) string {
	end := b.end + o.by.Milliseconds()
	if o.given {
		end = min(end, max(b.end, b.now(m.now)+o.duration.Milliseconds()))
	}
	m.flush(b)
	if by := end - b.end; b.running == nil {
		for _, l := range b.async {
			l.end += by
		}
		for _, h := range b.holders {
			if h.end != never {
				h.end += by
			}
		}
	}
	return m.endAt(b, end)
}

// endAt sets the end of a buff. If the new end has passed, the buff ends at once.
func (m *model) endAt(b *carried, end int64) string {
	b.end = end
	if end <= b.now(m.now) {
		m.remove(b, reason.Expired)
		return "remove expired"
	}
	m.about(b, "refresh", times(b.stacks)+field("end", m.endTold(b, b.end)))
	for b.spec.Stack.Timers == define.TimersEach && b.firstToEnd().end <= b.now(m.now) {
		m.endAsync(b, b.firstToEnd(), reason.Expired)
	}
	for h := b.goesFirst(); h != nil && h.end <= b.now(m.now); h = b.goesFirst() {
		m.dropHolder(b, h)
	}
	return "refresh"
}

func (m *model) extendAll(o Op) string {
	n := 0
	for _, b := range m.found(o.ask) {
		if o.ask.most > 0 && n >= o.ask.most {
			break
		}
		if !b.gone && b.end != never {
			m.extend(b, o)
			n++
		}
	}
	return several("refresh", n)
}

// several returns the Result for n changes of one kind.
func several(kind string, n int) string {
	if n == 0 {
		return ""
	}
	return kind + " " + amount(n)
}

func (m *model) addTimeout(o Op) string {
	if len(m.timeouts) >= m.limit {
		m.line("error", " "+o.name+" why=full", told{})
		return "error full full"
	}
	m.ages++
	w := &waiting{name: o.name, handler: o.handler, age: m.ages, at: m.now + max(o.by.Milliseconds(), 1)}
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

// found returns the buffs that a query selects, in the order of the query.
func (m *model) found(q *ask) (list []*carried) {
	for _, b := range m.buffs {
		if (q.spec == "" || q.spec == b.spec.ID) && (q.tag == "" || named(b.spec, q.tag)) && (q.kind == "" || q.kind == b.spec.Dispel.Type) &&
			(q.polarity == define.Neutral && !q.neutral || q.polarity == b.spec.Polarity) && (q.source == 0 || q.source == b.source) {
			list = append(list, b)
		}
	}
	if q.newest {
		slices.Reverse(list)
	}
	return list
}

func ms(d time.Duration) int64 { return d.Milliseconds() }
