package rules_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
)

// Commands and acts that end buffs early.

func yields(s *buff.Spec, grade define.Grade) bool {
	return s.Dispel.Grade <= grade && s.Dispel.Grade != define.GradeUndispellable
}

// purge executes a dispel.
func (m *model) purge(q *ask) string {
	return m.portions(q, func(b *carried) {
		switch d := b.spec.Dispel; {
		case q.stacks > 0:
			m.lose(b, q.stacks, reason.Dispelled)
		case q.most > 0 && d.Per == define.PerStack:
			m.lose(b, 1, reason.Dispelled)
		case q.most > 0 && d.Per == define.PerCharge && b.spec.Charges.N > 0:
			m.use(b, 1, reason.Dispelled)
		default:
			m.remove(b, reason.Dispelled)
		}
	}, func(*carried) bool { return true })
}

// portions takes the number of portions of the query in rounds, or one portion of each buff.
func (m *model) portions(q *ask, take func(*carried), may func(*carried) bool) string {
	n := 0
	for again := true; again; {
		again = false
		for _, b := range m.found(q) {
			if b.gone || !yields(b.spec, q.grade) || !may(b) {
				continue
			}
			if q.most > 0 && n >= q.most {
				break
			}
			n++
			again = q.most > 0
			if d := b.spec.Dispel; d.Resist > 0 && m.lucky(d.Resist) {
				m.about(b, "deny", because(reason.Resisted))
			} else {
				take(b)
			}
		}
	}
	return amount(n)
}

// steal takes buffs, or stacks of them, and sends them to the thief with their remaining time.
func (m *model) steal(q *ask, most time.Duration) string {
	return m.portions(q, func(b *carried) { m.rob(b, q, most) }, func(b *carried) bool {
		return !b.spec.Dispel.Keep && len(b.ties) == 0 && !b.member
	})
}

func (m *model) rob(b *carried, q *ask, most time.Duration) {
	stacks := b.stacks
	if s := b.spec; q.stacks > 0 && s.Stack.Timers != define.TimersQueue && !s.Shield.On && s.Charges.N == 0 {
		stacks = min(q.stacks, stacks)
	}
	span, rest := "its own", int64(1)
	if b.end != never || most > 0 {
		if rest = ms(most); b.end != never && (most == 0 || left(b.now(m.now), b.end) < rest) {
			rest = left(b.now(m.now), b.end)
		}
		span = strconv.FormatInt(rest, 10)
	}
	parts, things, key := m.parts(b, stacks, most), "", uint64(0)
	if b.spec.Stack.By == define.ByKey {
		key = b.key
	}
	uses := func(charges int, shield int64) (text string) {
		if b.spec.Charges.N > 0 {
			text = fmt.Sprintf(" charges=%d", charges)
		}
		if b.spec.Shield.On {
			text += fmt.Sprintf(" shield=%d", shield)
		}
		return text
	}
	things = uses(b.charges, b.shield)
	level, magnitude := b.level, b.magnitude
	m.lose(b, stacks, reason.Stolen)
	if len(parts) > 0 { // with separate ends or in a queue, the first part
		stacks, level, magnitude, rest = parts[0].stacks, parts[0].level, parts[0].magnitude, parts[0].left
		span, things = strconv.FormatInt(rest, 10), uses(parts[0].charges, parts[0].shield)
		for _, l := range parts[1:] {
			things += fmt.Sprintf(" and x%d level=%d magnitude=%d for %d", l.stacks, l.level, l.magnitude, l.left) + uses(l.charges, l.shield)
		}
	}
	if rest != 0 { // otherwise the part has no time left
		m.sent = append(m.sent, sentLine(q.to, b.spec.ID, q.to, stacks, level, magnitude, key, span+things))
	}
}

// parts returns the applications of a buff with separate timers, each with its remaining time. In a
// queue, the running application comes first, and the waiting ones follow in the order in which
// they would run.
func (m *model) parts(b *carried, stacks int, most time.Duration) (list []asyncStack) {
	now := b.now(m.now)
	cut := func(ms int64) int64 {
		if most > 0 {
			ms = min(ms, most.Milliseconds())
		}
		return ms
	}
	if b.running != nil {
		list = append(list, asyncStack{
			stacks: 1, level: b.level, magnitude: b.magnitude, left: cut(left(now, b.end)), charges: b.charges, shield: b.shield,
		})
	}
	async := slices.Clone(b.async)
	if b.running == nil { // with TimersEach, the stacks that end first
		slices.SortFunc(async, func(x, y *asyncStack) int { return cmp.Or(cmp.Compare(x.end, y.end), x.age-y.age) })
		for k := range async {
			l := *async[k]
			l.stacks = min(l.stacks, stacks)
			stacks -= l.stacks
			async[k] = &l
		}
		async = slices.DeleteFunc(async, func(l *asyncStack) bool { return l.stacks == 0 })
	}
	slices.SortFunc(async, func(x, y *asyncStack) int {
		if b.running != nil {
			return strongest(x, y)
		}
		return x.age - y.age
	})
	for _, l := range async {
		c := *l
		if c.left = cut(c.left); b.running == nil {
			c.left = cut(left(now, l.end))
		}
		c.stacks = max(c.stacks, 1)
		list = append(list, c)
	}
	return slices.DeleteFunc(list, func(l asyncStack) bool { return l.left == 0 })
}

func sentLine(to buff.OwnerID, id string, source buff.OwnerID, stacks, level int, magnitude int64, key uint64, span string) string {
	return fmt.Sprintf("sent to %d: %s s%d x%d l%d m%d k%d for %s\n", to, id, source, stacks, level, magnitude, key, span)
}

// interrupt ends the buffs that have the act in Interrupt.
func (m *model) interrupt(act string) string {
	n := 0
	for _, b := range slices.Clone(m.buffs) {
		if !b.gone && slices.Contains(b.spec.Interrupt, act) {
			m.removeNamed(b, reason.Interrupted, act)
			n++
		}
	}
	return several("remove interrupt", n)
}

// happened makes the visible buffs with actions for an act react, then uses charges and interrupts
// buffs.
func (m *model) happened(o Op) string {
	n := 0
	for _, b := range m.buffs {
		if list := b.spec.On.Act[o.act]; len(list) > 0 && !b.hidden() {
			c := told{at: m.at, kind: "react", spec: b.spec, source: b.source, magnitude: o.amount, level: b.level, about: b, nums: b.nums, stacks: b.stacks, each: b.countingAt(atOnce), target: o.source}
			rest := " " + o.act
			if o.amount != 0 {
				rest += fmt.Sprintf(" amount=%d", o.amount)
			}
			m.line("react", rest, c)
			m.follow(list, c)
			n++
		}
	}
	used, ended := m.consume(nil, Op{act: o.act, number: -1}), m.interrupt(o.act)
	switch {
	case n > 0:
		return "react " + amount(n)
	case strings.HasPrefix(used, "remove"):
		return "remove consumed"
	case ended != "":
		return "remove interrupt"
	}
	return ""
}

// ask issues the command of an action, or sends it to another owner.
func (m *model) ask(a define.Action, c told, source buff.OwnerID, o Op) {
	to := map[define.To]buff.OwnerID{define.ToOwner: ownID, define.ToSource: source, define.ToTarget: c.target}[a.To]
	switch to {
	case ownID:
		m.issue(queued{op: o})
	case 0: // the source is the game
		what := o.spec
		if a.Change != nil {
			what = a.Change.Attr
		}
		rest := " " + a.Do.String()
		if a.Do != define.DoKill {
			rest += " " + what
		}
		m.line("miss", rest+" to "+a.To.String(), told{spec: c.spec, source: c.source, about: c.about})
	default:
		if o.verb == verb.RemoveSpec {
			o.reason = cmp.Or(o.reason, reason.Cancelled)
		}
		m.sent = append(m.sent, askedLine(to, o.verb, o.spec, o.source, o.magnitude, o.level, o.reason, o.attr, o.value))
	}
}

func askedLine(to buff.OwnerID, do verb.Verb, id string, source buff.OwnerID, magnitude int64, level int, why reason.Reason, attr string, value float64) string {
	return fmt.Sprintf("asked of %d: %v %s s%d m%d l%d %v %s %g\n", to, do, id, source, magnitude, level, why, attr, value)
}

// consume uses charges of one buff, or one charge of each buff that has the act in ConsumeOn.
func (m *model) consume(b *carried, o Op) string {
	if o.number >= 0 {
		switch {
		case b == nil || b.gone:
			return "stale"
		case b.spec.Charges.N == 0:
			return ""
		case m.use(b, max(o.stacks, 1), reason.Consumed):
			return "remove consumed n1"
		}
		return "n1"
	}
	n, kind := 0, ""
	for _, b := range slices.Clone(m.buffs) {
		if !b.gone && !b.hidden() && slices.Contains(b.spec.Charges.ConsumeOn, o.act) {
			if m.use(b, 1, reason.Consumed) {
				kind = "remove consumed "
			}
			n++
		}
	}
	return kind + amount(n)
}

// use uses charges, and reports whether the buff has no charges left.
func (m *model) use(b *carried, n int, why reason.Reason) bool {
	m.flush(b)
	if b.spec.Stack.Timers != define.TimersEach {
		b.charges -= n
		return b.charges <= 0 && m.endUsed(b, why)
	}
	for n > 0 && !b.gone {
		l := b.firstToEnd()
		part := min(n, l.charges)
		l.charges -= part
		n -= part
		if b.sumUses(); l.charges > 0 {
			break
		}
		m.endStack(b, l, why)
	}
	return b.gone
}

// endStack ends the stacks of an application whose charges or shield are used up. With the last
// stacks, the buff ends.
func (m *model) endStack(b *carried, l *asyncStack, why reason.Reason) {
	if len(b.async) == 1 {
		m.remove(b, why)
		return
	}
	m.flush(b)
	m.endAsync(b, l, why)
}

// endUsed ends a buff whose charges or shield are used up. In a queue, the next application runs
// instead. It reports whether the buff has ended.
func (m *model) endUsed(b *carried, why reason.Reason) bool {
	if len(b.async) == 0 {
		m.remove(b, why)
		return true
	}
	m.flush(b)
	b.end = b.now(m.now)
	m.nextInQueue(b)
	return false
}

// joinUses updates the charges and the shield for a further application.
func (m *model) joinUses(b *carried) {
	switch b.spec.Charges.Refresh {
	case define.ChargesReset:
		b.charges = b.spec.Charges.N
	case define.ChargesAdd:
		b.charges = min(b.charges+b.spec.Charges.N, define.MaxStacks)
	}
	switch b.spec.Shield.Refresh {
	case define.ShieldFill:
		b.shield = max(b.shield, m.worked.pool)
	case define.ShieldAdd:
		b.shield += m.worked.pool
	case define.ShieldReset:
		b.shield = m.worked.pool
	}
}

// absorb executes an Absorb.
func (m *model) absorb(o Op) string {
	if o.amount < 0 {
		return "amount"
	}
	left := m.meet(o.amount, o.tag, "")
	m.breakShields()
	return amount(int(left))
}

// meet returns the part of the damage to an attribute that the shields leave. An empty attr means
// no attribute in particular. Shields are used by priority, the highest first, and then by age.
func (m *model) meet(left int64, tag, attr string) int64 {
	shields := slices.Clone(m.buffs)
	slices.SortStableFunc(shields, func(x, y *carried) int { return y.spec.Shield.Priority - x.spec.Shield.Priority })
	for _, b := range shields {
		s := b.spec.Shield
		guards := attr == "" || slices.Contains(s.Attrs, attr) || len(s.Attrs) == 0 && definitionOf(attr).AtMin == define.AtMinKill
		if s.On && guards && !b.hidden() && (len(s.Schools) == 0 || tag != "" && slices.ContainsFunc(s.Schools, func(of string) bool { return below(tag, of) })) {
			most := left
			if s.Share > 0 {
				most = (left*int64(s.Share) + 50) / 100
			}
			if s.Cap > 0 {
				most = min(most, s.Cap)
			}
			if b.spec.Stack.Timers != define.TimersEach {
				part := min(most, b.shield)
				left -= part
				b.shield -= part
				continue
			}
			async := slices.Clone(b.async)
			slices.SortFunc(async, func(x, y *asyncStack) int { return cmp.Or(cmp.Compare(x.end, y.end), x.age-y.age) })
			for _, l := range async {
				part := min(most, l.shield)
				most -= part
				left -= part
				l.shield -= part
			}
			b.sumUses()
		}
	}
	return left
}

func (m *model) breakShields() {
	for _, b := range slices.Clone(m.buffs) {
		switch {
		case b.gone || !b.spec.Shield.On:
		case b.spec.Stack.Timers != define.TimersEach:
			if b.shield == 0 {
				m.endUsed(b, reason.Broken)
			}
		default:
			for !b.gone && b.firstToEnd().shield == 0 {
				m.endStack(b, b.firstToEnd(), reason.Broken)
			}
		}
	}
}

// befall executes commands about the death, the revival or the departure of an owner or a source.
func (m *model) befall(o Op) string {
	was := m.dead
	if o.verb != verb.LoseSource {
		m.dead = o.verb == verb.Kill
	}
	r, n := "", 0
	if m.dead && !was {
		r = "die"
		c := told{source: o.source}
		if o.ofBuff {
			c.spec = m.catalog.Spec(o.spec)
		} else {
			c.source = 0
		}
		m.line("die", "", c)
		for _, b := range m.buffs {
			if list := b.spec.On.Death; len(list) > 0 && !b.hidden() {
				m.follow(list, told{at: m.at, kind: "die", spec: b.spec, source: b.source, magnitude: b.magnitude, level: b.level, about: b, nums: b.nums, stacks: b.stacks, each: b.countingAt(atOnce), target: c.source})
			}
		}
	}
	for _, b := range slices.Clone(m.buffs) {
		switch o.verb {
		case verb.Kill:
			if m.die(b) {
				n++
			}
		case verb.Revive:
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
			case define.FateRemove:
				m.remove(b, reason.SourceGone)
				r = "remove source_gone"
				n++
			case define.FateAdopt:
				m.flush(b)
				b.source, b.nums.known = ownID, nil
				n++
			}
		}
	}
	switch {
	case o.verb == verb.Revive && was:
		m.line("revive", "", told{})
		return "revive"
	case o.verb == verb.Kill && r == "" && n > 0:
		r = "remove death"
	}
	return strings.TrimSpace(r + " " + amount(n))
}

// die applies a death to a buff, and reports whether the buff has ended.
func (m *model) die(b *carried) bool {
	switch b.spec.OnDeath {
	case define.FatePause:
		m.flush(b)
		c := m.clockOf(b)
		c.change(m.now)
		c.dead = true
	case define.FateRemove, define.FateDefault:
		m.remove(b, reason.Death)
		return true
	}
	return false
}

// enterAura applies the buff of an aura, without an end, unless the owner is already within the
// aura.
func (m *model) enterAura(o Op) string {
	b, h := m.memberOf(o)
	if b != nil {
		if h.end != never {
			m.flush(b)
			h.end = never
			if b.leaving { // otherwise a command has set the end, which stays
				b.leaving, b.end = false, never
			}
		}
		return ""
	}
	was, stacks := m.joined(m.catalog.Spec(o.spec), o, true), 0
	if was != nil {
		stacks = was.stacks
	}
	born := m.born
	r := m.apply(o, true)
	switch {
	case m.born > born:
		was = m.bornAs(m.born)
	case was == nil || strings.HasPrefix(r, "deny") || strings.HasPrefix(r, "error"):
		return r
	}
	if was != nil && !was.gone {
		m.ages++
		was.holders = append(was.holders, &asyncStack{source: o.source, end: never, stacks: was.stacks - stacks, age: m.ages})
		was.leaving, was.end = false, never
	}
	return r
}

// bornAs returns the buff with the given number, or nil.
func (m *model) bornAs(number int) *carried {
	for _, b := range m.buffs {
		if b.number == number {
			return b
		}
	}
	return nil
}

func (m *model) leaveAura(o Op) string {
	b, h := m.memberOf(o)
	switch {
	case b == nil || h.end != never:
	case o.by <= 0 && len(b.holders) == 1:
		m.remove(b, reason.OutOfAura)
		return "remove out_of_aura"
	case o.by <= 0:
		m.flush(b)
		m.dropHolder(b, h)
	default:
		m.flush(b)
		h.end = b.now(m.now) + ms(o.by)
		b.whenLeft()
	}
	return ""
}

// whenLeft makes a buff end with its last aura, once its owner has left all auras.
func (b *carried) whenLeft() {
	last := slices.MaxFunc(b.holders, func(x, y *asyncStack) int { return cmp.Compare(x.end, y.end) })
	if last.end != never && (b.leaving || b.end > last.end) {
		b.leaving, b.end = true, last.end
	}
}

// dropHolder removes one of several auras, and the stacks that it has added.
func (m *model) dropHolder(b *carried, h *asyncStack) {
	b.holders = slices.DeleteFunc(b.holders, func(x *asyncStack) bool { return x == h })
	b.whenLeft()
	if n := min(h.stacks, b.stacks-1); n > 0 {
		b.stacks -= n
		m.about(b, "stackend", times(b.stacks)+because(reason.OutOfAura))
	}
}

// goesFirst returns the aura whose linger time ends first, if it ends before the buff.
func (b *carried) goesFirst() *asyncStack {
	var first *asyncStack
	for _, h := range b.holders {
		if h.end < b.end && (first == nil || h.end < first.end || h.end == first.end && h.age < first.age) {
			first = h
		}
	}
	return first
}

func (m *model) memberOf(o Op) (*carried, *asyncStack) {
	for _, b := range m.buffs {
		for _, h := range b.holders {
			if b.spec.ID == o.spec && h.source == o.source {
				return b, h
			}
		}
	}
	return nil, nil
}

// amount returns the part of a Result that gives the number n.
func amount(n int) string {
	if n == 0 {
		return ""
	}
	return "n" + strconv.Itoa(n)
}
