package buff_test

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// What takes buffs off before their time.

func yields(s *buff.Spec, grade buff.Grade) bool {
	return s.Dispel.Grade <= grade && s.Dispel.Grade != buff.GradeUndispellable
}

// purge is a dispel: so many portions, round by round, or all of all.
func (m *model) purge(q *ask) string {
	n := 0
	for again := true; again; {
		again = false
		for _, b := range m.found(q) {
			if b.gone || !yields(b.spec, q.grade) {
				continue
			}
			if q.most > 0 && n >= q.most {
				break
			}
			n++
			again = q.most > 0
			d := b.spec.Dispel
			switch {
			case d.Resist > 0 && m.lucky(d.Resist):
				m.about(b, "deny", because(buff.Resisted))
			case q.most > 0 && d.Per == buff.PerStack:
				m.lose(b, 1, buff.Dispelled)
			case q.most > 0 && d.Per == buff.PerCharge && b.spec.Charges.N > 0:
				m.use(b, 1, buff.Dispelled)
			default:
				m.remove(b, buff.Dispelled)
			}
		}
	}
	return amount(n)
}

// steal takes whole buffs and sends them to who asks, for what they had left.
func (m *model) steal(q *ask, most time.Duration) string {
	n := 0
	for _, b := range m.found(q) {
		if b.gone || b.spec.Dispel.Keep || !yields(b.spec, q.grade) || q.most > 0 && n >= q.most {
			continue
		}
		n++
		span, rest := "its own", int64(1)
		if b.end != never || most > 0 {
			if rest = ms(most); b.end != never && (most == 0 || left(b.now(m.now), b.end) < rest) {
				rest = left(b.now(m.now), b.end)
			}
			span = strconv.FormatInt(rest, 10)
		}
		stacks, level, magnitude := b.stacks, b.level, b.magnitude
		m.remove(b, buff.Stolen)
		if rest == 0 {
			continue // it would have ended now
		}
		m.sent = append(m.sent, sentLine(q.to, b.spec.ID, q.to, stacks, level, magnitude, span))
	}
	return amount(n)
}

func sentLine(to buff.OwnerID, id string, source buff.OwnerID, stacks, level int, magnitude int64, span string) string {
	return fmt.Sprintf("sent to %d: %s s%d x%d l%d m%d for %s\n", to, id, source, stacks, level, magnitude, span)
}

// interrupt ends the buffs that an act of their owner ends.
func (m *model) interrupt(act string) string {
	n := 0
	for _, b := range slices.Clone(m.buffs) {
		if !b.gone && slices.Contains(b.spec.Interrupt, act) {
			m.removeNamed(b, buff.Interrupt, act)
			n++
		}
	}
	return amount(n)
}

// consume uses charges: of one buff, or one of each that an act of the owner uses.
func (m *model) consume(b *carried, o op) string {
	if o.number >= 0 {
		switch {
		case b == nil || b.gone:
			return "stale"
		case b.spec.Charges.N == 0:
			return ""
		case m.use(b, max(o.stacks, 1), buff.Consumed):
			return "remove consumed n1"
		}
		return "n1"
	}
	n := 0
	for _, b := range slices.Clone(m.buffs) {
		if !b.gone && slices.Contains(b.spec.Charges.ConsumeOn, o.act) {
			m.use(b, 1, buff.Consumed)
			n++
		}
	}
	return amount(n)
}

// use uses charges, and reports whether they were the last.
func (m *model) use(b *carried, n int, why buff.Reason) bool {
	m.flush(b)
	if b.charges -= n; b.charges <= 0 {
		m.remove(b, why)
		return true
	}
	return false
}

// joinUses is what a further application does to charges and shield.
func (m *model) joinUses(b *carried) {
	switch b.spec.Charges.Refresh {
	case buff.ChargesReset:
		b.charges = b.spec.Charges.N
	case buff.ChargesAdd:
		b.charges = min(b.charges+b.spec.Charges.N, buff.MaxStacks)
	}
	b.shield = max(b.shield, m.worked.pool)
}

// absorb lets damage meet the shields.
func (m *model) absorb(o op) string {
	if o.amount < 0 {
		return "amount"
	}
	left := m.meet(o.amount, o.tag)
	m.breakShields()
	return amount(int(left))
}

// meet returns what the shields leave of it: the highest priority first, then the oldest.
func (m *model) meet(left int64, tag string) int64 {
	shields := slices.Clone(m.buffs)
	slices.SortStableFunc(shields, func(x, y *carried) int { return y.spec.Shield.Priority - x.spec.Shield.Priority })
	for _, b := range shields {
		s := b.spec.Shield
		if s.On && !b.hidden() && (len(s.Schools) == 0 || tag != "" && slices.ContainsFunc(s.Schools, func(of string) bool { return below(tag, of) })) {
			part := min(left, b.shield)
			left -= part
			b.shield -= part
		}
	}
	return left
}

func (m *model) breakShields() {
	for _, b := range slices.Clone(m.buffs) {
		if !b.gone && b.spec.Shield.On && b.shield == 0 {
			m.remove(b, buff.Broken)
		}
	}
}

// befall is what befalls the owner, or a source.
func (m *model) befall(o op) {
	for _, b := range slices.Clone(m.buffs) {
		switch o.verb {
		case buff.Kill:
			m.die(b)
		case buff.Revive:
			if b.clock != nil && b.clock.dead {
				m.flush(b)
				b.clock.change(m.now)
				b.clock.dead = false
			}
		default:
			if b.source != o.source {
				continue
			}
			switch b.spec.OnSourceGone {
			case buff.FateRemove:
				m.remove(b, buff.SourceGone)
			case buff.FateAdopt:
				m.flush(b)
				b.source, b.nums.known = ownID, nil
			}
		}
	}
}

func (m *model) die(b *carried) {
	switch b.spec.OnDeath {
	case buff.FatePause:
		m.flush(b)
		c := m.clockOf(b)
		c.change(m.now)
		c.dead = true
	case buff.FateRemove, buff.FateDefault:
		m.remove(b, buff.Death)
	}
}

// enterAura applies without an end, unless the aura's buff is there.
func (m *model) enterAura(o op) string {
	if b := m.memberOf(o); b != nil {
		if b.leaving {
			m.flush(b)
			b.leaving, b.end = false, never
		}
		return ""
	}
	return m.apply(o, true)
}

func (m *model) leaveAura(o op) string {
	b := m.memberOf(o)
	if b == nil || b.leaving {
		return ""
	}
	if o.by <= 0 {
		m.remove(b, buff.OutOfAura)
		return "remove out_of_aura"
	}
	m.flush(b)
	b.leaving, b.end = true, b.now(m.now)+ms(o.by)
	return ""
}

func (m *model) memberOf(o op) *carried {
	for _, b := range m.buffs {
		if b.member && b.spec.ID == o.spec && b.source == o.source {
			return b
		}
	}
	return nil
}

// amount is what a Result says of how many.
func amount(n int) string {
	if n == 0 {
		return ""
	}
	return "n" + strconv.Itoa(n)
}
