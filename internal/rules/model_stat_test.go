package rules_test

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// The attributes of every script. No modifier affects mind, so that numbers that read mind do not
// depend on themselves.
var scriptAttributes = []define.Attribute{
	{Attribute: stat.Attribute{Name: "most", Base: 128, Min: stat.At(1)}},
	{Attribute: stat.Attribute{Name: "health", Base: 96, Min: stat.At(0), Max: stat.By("most")}, AtMin: define.AtMinKill},
	{Attribute: stat.Attribute{Name: "power", Base: 8}},
	{Attribute: stat.Attribute{Name: "mind", Base: 4, Min: stat.At(-16), Max: stat.At(16)}},
}

// minds has the values of mind of the sources whose attributes are known.
var minds = map[buff.OwnerID]float64{1: 14, 2: 11.5}

// worked holds the numbers of an application, and the known attributes of its source.
type worked struct {
	params, modifiers []float64
	changes           map[*define.Change]float64
	scale             float64
	pool              int64
	known             *float64        // the value of mind of the source; nil if it is unknown
	stacks            int             // the number of stacks for which the numbers were evaluated
	slopes            map[any]float64 // the change of a formula for one more stack, by the keys of each
}

// at returns a number for another count of stacks than it was evaluated for.
func (w *worked) at(key any, stacks int) float64 {
	v := 0.0
	switch k := key.(type) {
	case paramKey:
		v = w.params[k]
	case modifierKey:
		v = w.modifiers[k]
	case *define.Change:
		v = w.changes[k]
	}
	return v + w.slopes[key]*float64(stacks-w.stacks)
}

// paramsNow returns the parameters of a buff for the stacks that count.
func (b *carried) paramsNow() (list []float64) {
	n := b.stacks
	if st := &b.spec.Stack; st.Timers == define.TimersEach && st.Effective > 0 {
		n = min(n, st.Effective)
	}
	for i := range b.spec.Params {
		list = append(list, amountOf(b.nums, b.spec, b.spec.Params[i].Value, paramKey(i), false, n, b.countingAt(atOnce)))
	}
	return list
}

// The keys of numbers, in addition to *define.Change.
type (
	paramKey    int
	modifierKey int
)

// amountOf returns a number of a buff with the given stacks. The list each has the stacks that
// count, if stacks have their own numbers. The result is then the sum over these stacks if the
// number is per stack, otherwise the number of the strongest stack, or of the youngest of equally
// strong stacks.
func amountOf(w *worked, spec *buff.Spec, n define.Number, key any, perStack bool, stacks int, each []*asyncStack) (v float64) {
	if spec.Stack.Timers != define.TimersEach || n.From == define.FromConst || n.Snapshot == define.SnapshotPulse || len(each) == 0 {
		if v = w.at(key, stacks); perStack {
			v *= float64(stacks)
		}
		return v
	}
	if !perStack {
		return slices.MinFunc(each, func(x, y *asyncStack) int {
			return cmp.Or(y.level-x.level, cmp.Compare(y.magnitude, x.magnitude), y.age-x.age)
		}).nums.at(key, stacks)
	}
	for _, l := range each {
		v += l.nums.at(key, stacks)
	}
	return v
}

// copied returns a copy that a buff may keep and change.
func (w *worked) copied() *worked {
	c := *w
	c.params, c.modifiers, c.changes, c.slopes = slices.Clone(w.params), slices.Clone(w.modifiers), map[*define.Change]float64{}, maps.Clone(w.slopes)
	for k, v := range w.changes {
		c.changes[k] = v
	}
	return &c
}

// each calls f for all numbers that a buff keeps, with functions to read and to set each, in the
// order in which they are evaluated.
func (w *worked) each(s *buff.Spec, f func(n define.Number, key any, get func() float64, set func(float64)) bool) bool {
	for i := range s.Params {
		if !f(s.Params[i].Value, paramKey(i), func() float64 { return w.params[i] }, func(v float64) { w.params[i] = v }) {
			return false
		}
	}
	for i := range s.Modifiers {
		if !f(s.Modifiers[i].Value, modifierKey(i), func() float64 { return w.modifiers[i] }, func(v float64) { w.modifiers[i] = v }) {
			return false
		}
	}
	lists := [][]define.Action{s.On.Apply, s.On.Refresh, s.On.Pulse, s.On.Exec, s.On.Overflow, s.On.RemoveAny}
	for r := reason.Expired; r <= reason.Fault; r++ {
		lists = append(lists, s.On.Remove[r])
	}
	for _, act := range actNames {
		lists = append(lists, s.On.Act[act])
	}
	for _, list := range lists {
		for _, a := range list {
			if c := a.Change; c != nil && !f(c.By, c, func() float64 { return w.changes[c] }, func(v float64) { w.changes[c] = v }) {
				return false
			}
		}
	}
	return true
}

// asking holds the inputs for the evaluation of numbers.
type asking struct {
	Op
	known         *float64
	level, stacks int
}

// work evaluates the numbers of an application.
func (m *model) work(s *buff.Spec, o Op, member bool) (*worked, reason.Reason) {
	w := &worked{
		params: make([]float64, len(s.Params)), modifiers: make([]float64, len(s.Modifiers)), changes: map[*define.Change]float64{},
		scale: 1, known: o.known,
	}
	if v, ok := minds[o.source]; ok && !o.inherits && !o.blind {
		w.known = &v
	}
	if o.source == ownID && w.known == nil {
		v := m.value("mind")
		w.known = &v
	}
	q := asking{Op: o, known: w.known, level: m.levelOf(s, o, member), stacks: min(stacks(s, o), limit(s))}
	if b := m.joined(s, o, member); b != nil && s.Stack.Timers != define.TimersQueue {
		q.stacks = min(b.stacks+stacks(s, o), limit(s))
	}
	if s.Kind == define.Instant {
		q.stacks = max(o.portion.stacks, 1)
	}
	why := reason.None
	ask := func(n define.Number) (v float64) {
		if why == reason.None {
			v, why = m.number(n, q)
		}
		return v
	}
	w.stacks, w.slopes = q.stacks, map[any]float64{}
	w.each(s, func(n define.Number, key any, _ func() float64, set func(float64)) bool {
		m.slope = 0
		set(ask(n))
		if m.slope != 0 {
			w.slopes[key] = m.slope
		}
		return true
	})
	if s.DurationScale != nil {
		w.scale = max(ask(*s.DurationScale), 0)
	}
	w.pool = s.Shield.Pool
	switch {
	case !s.Shield.On:
	case s.Shield.By != nil:
		w.pool = int64(math.Floor(max(ask(*s.Shield.By), 0)))
	case w.pool == 0:
		w.pool = max(o.magnitude, 0)
	}
	if s.Shield.On && w.pool == 0 && why == reason.None {
		if why = reason.NoParam; s.Shield.By != nil {
			why = reason.BadValue
		}
	}
	return w, why
}

// levelOf returns the level at which curves are evaluated. With LevelSum, it is the sum of the
// levels.
func (m *model) levelOf(s *buff.Spec, o Op, member bool) int {
	b := m.joined(s, o, member)
	if b == nil || s.Stack.Level != define.LevelSum || s.Stack.Timers == define.TimersQueue {
		return o.level
	}
	return min(b.level+o.level, define.MaxLevel)
}

func lastsAt(s *buff.Spec, level int) int64 {
	if s.DurationBy == nil {
		return ms(s.Duration)
	}
	return int64(math.Floor(s.DurationBy.At(level)*1000 + 0.5))
}

func periodAt(s *buff.Spec, level int) int64 {
	if s.PeriodBy == nil {
		return ms(s.Period)
	}
	return int64(math.Floor(s.PeriodBy.At(level)*1000 + 0.5))
}

func (m *model) number(n define.Number, q asking) (float64, reason.Reason) {
	v, ok := n.Const, true
	caller := func(name string) (float64, bool) {
		for _, a := range q.params {
			if a.Caller == name {
				return a.Value, true
			}
		}
		return 0, false
	}
	attribute := func(of define.Whose, name string) (float64, bool) {
		switch {
		case of == define.OfOwner, q.source == ownID && (q.known == nil || n.Snapshot != define.SnapshotCast):
			return m.value(name), true
		case q.known == nil:
			return 0, false
		}
		return *q.known, true
	}
	switch n.From {
	case define.FromCurve:
		v = n.Curve.At(q.level)
	case define.FromCaller:
		v, ok = caller(n.Caller)
	case define.FromAttr:
		v, ok = attribute(n.Of, n.Attr)
		v = (v+n.Pre)*cmp.Or(n.Coef, 1) + n.Post
	case define.FromFormula:
		f := n.Formula.(*testFormula)
		v = f.level*float64(q.level) + f.stacks*float64(q.stacks) + f.magnitude*float64(q.magnitude)
		for _, r := range f.reads {
			part, known := attribute(r.Of, r.Name)
			if r.Kind == define.ReadCaller {
				part, known = caller(r.Name)
			}
			v, ok = v+part, ok && known
		}
		if ok {
			m.slope = f.stacks
		}
	}
	switch {
	case !ok && n.Default:
		return n.Const, reason.None
	case !ok:
		return 0, reason.NoParam
	case !(math.Abs(v) <= stat.MaxValue):
		return 0, reason.BadValue
	}
	return v, reason.None
}

// base returns an attribute of the owner without modifiers.
func (m *model) base(name string) float64 {
	if v, ok := m.bases[name]; ok {
		return v
	}
	return definitionOf(name).Base
}

func definitionOf(name string) define.Attribute {
	return scriptAttributes[slices.IndexFunc(scriptAttributes, func(a define.Attribute) bool { return a.Name == name })]
}

func (m *model) limits(name string) (lo, hi float64) {
	switch name {
	case "most":
		return 1, math.Inf(1)
	case "health":
		return 0, m.value("most")
	case "mind":
		return -16, 16
	}
	return math.Inf(-1), math.Inf(1)
}

// value returns an attribute of the owner. It starts with the base and applies one channel after
// the other. In each channel the sums are exact and rounded once. If there are several overrides,
// the override of the youngest buff is used.
func (m *model) value(name string) float64 {
	v := m.base(name)
	for channel := range stat.MaxChannel + 1 {
		var of [5][]float64
		for _, b := range m.buffs {
			for i, md := range b.spec.Modifiers {
				if md.Attr == name && md.Channel == channel && !b.entering && !b.hidden() {
					n := b.stacks
					if st := &b.spec.Stack; st.Timers == define.TimersEach && st.Effective > 0 {
						n = min(n, st.Effective)
					}
					part := amountOf(b.nums, b.spec, md.Value, modifierKey(i), md.PerStack, n, b.countingAt(atOnce))
					of[md.Op] = append(of[md.Op], part)
				}
			}
		}
		if list := of[stat.Add]; len(list) > 0 {
			v = exactly(v, list)
		}
		if list := of[stat.MulAdd]; len(list) > 0 {
			v *= exactly(1, list)
		}
		slices.Sort(of[stat.MulCompound])
		for _, part := range of[stat.MulCompound] {
			v *= 1 + part
		}
		if list := of[stat.FinalAdd]; len(list) > 0 {
			v = exactly(v, list)
		}
		if list := of[stat.Override]; len(list) > 0 {
			v = list[len(list)-1]
		}
	}
	lo, hi := m.limits(name)
	return max(min(v, hi), lo) + 0
}

func exactly(start float64, list []float64) float64 {
	sum := new(big.Rat).SetFloat64(start)
	for _, v := range list {
		sum.Add(sum, new(big.Rat).SetFloat64(v))
	}
	v, _ := sum.Float64()
	return v
}

// changeBase executes a command that changes the base of an attribute.
func (m *model) changeBase(o Op) string {
	switch _, known := m.catalog.Attr(o.attr); {
	case !known:
		return "attribute"
	case math.IsNaN(o.value):
		return "value"
	case o.verb == verb.AddBase && o.value == 0 && m.within(o.attr):
		return ""
	}
	v, absorbed := o.value, int64(0)
	if o.verb == verb.Damage {
		points := int64(math.Floor(v))
		if v-math.Floor(v) >= 0.5 { // v + 0.5 may round up to a whole number
			points++
		}
		if v == 0 {
			return ""
		}
		points = max(points, 0)
		absorbed = points - m.meet(points, o.tag, o.attr)
		v = float64(absorbed - points)
	}
	lo, hi := m.limits(o.attr)
	was := m.base(o.attr)
	is, delta := v, v-was
	if o.verb != verb.SetBase {
		from := max(min(was, hi), lo)
		if is = max(min(from+v, hi), lo); is == from+v {
			delta = v
		} else {
			delta = is - from
		}
	}
	m.bases[o.attr] = is + 0
	rest := " " + o.attr + " by=" + strconv.FormatFloat(delta+0, 'g', -1, 64) + " value=" + strconv.FormatFloat(is+0, 'g', -1, 64)
	if absorbed > 0 {
		rest += field("absorbed", absorbed)
	}
	c := told{source: o.source, magnitude: absorbed}
	if o.ofBuff {
		c.spec = m.catalog.Spec(o.spec)
	} else {
		c.source = 0
	}
	m.line("change", rest, c)
	if o.verb == verb.Damage && (absorbed > 0 || v != 0) { // including shields that were empty from the start
		m.breakShields()
	}
	if definitionOf(o.attr).AtMin == define.AtMinKill && is <= lo && (was > lo || !m.dead) {
		m.issue(queued{op: Op{verb: verb.Kill, spec: o.spec, source: o.source, ofBuff: o.ofBuff}})
	}
	if absorbed > 0 {
		return "change " + amount(int(absorbed))
	}
	return "change"
}

// within reports whether the base of an attribute is within its limits.
func (m *model) within(name string) bool {
	lo, hi := m.limits(name)
	return lo <= m.base(name) && m.base(name) <= max(lo, hi)
}

// conclude runs after each command and each due event, before the commands that they have issued.
func (m *model) conclude() {
	m.settle()
	most := m.value("most")
	if was := m.base("health"); most != m.most && was > most { // the maximum is never below 1
		m.bases["health"] = most
	}
	m.most = most
}

// followChange issues the change of an attribute that an action makes in response to an event.
func (m *model) followChange(a define.Action, c told, source buff.OwnerID) {
	p, stacks := m.portionOf(c), c.stacks
	if c.kind == "exec" {
		stacks = max(p.stacks, 1)
	}
	v := amountOf(c.nums, c.spec, a.Change.By, a.Change, a.Change.PerStack, stacks, c.each)
	if p.period > 0 {
		v = v * float64(p.part) / float64(p.period)
	}
	if p.count > 1 {
		v *= float64(p.count)
	}
	o := Op{verb: verb.AddBase, attr: a.Change.Attr, value: v, tag: a.Change.School, spec: c.spec.ID, source: source, ofBuff: true}
	if a.Do == define.DoDamage {
		o.verb = verb.Damage
	}
	m.ask(a, c, source, o)
}

// askAgain evaluates the numbers with SnapshotPulse again.
func (m *model) askAgain(b *carried) {
	fresh := b.nums.copied()
	fresh.each(b.spec, func(n define.Number, _ any, _ func() float64, set func(float64)) bool {
		if n.Snapshot == define.SnapshotPulse {
			v, _ := m.number(n, asking{Op: Op{source: b.source}})
			set(v)
		}
		return true
	})
	b.nums = fresh
}

// bring issues the applications of the links of a head.
func (m *model) bring(b *carried) {
	for _, id := range b.spec.Links {
		m.issue(queued{op: Op{verb: verb.Apply, spec: id, source: b.source, magnitude: b.magnitude, level: b.level, inherits: true, known: b.nums.known, with: b, portion: m.running}})
	}
}

// sendOff issues the command that releases the links of a head that has ended.
func (m *model) sendOff(b *carried, why reason.Reason, name string) {
	if len(b.spec.Links) == 0 || m.issue(queued{op: Op{verb: verb.RemoveSpec, with: b, reason: why, name: name, linked: true}}) {
		return
	}
	for _, l := range m.buffs { // the command was dropped at a limit, so the links stay
		l.ties = slices.DeleteFunc(l.ties, func(t tie) bool { return t.head == b })
	}
}

// unlink releases the links of a head. A link without another head ends; any other link loses the
// stacks that this head has added.
func (m *model) unlink(o Op) string {
	for _, b := range slices.Clone(m.buffs) {
		k := slices.IndexFunc(b.ties, func(t tie) bool { return t.head == o.with })
		if b.gone || k < 0 {
			continue
		}
		brought := b.ties[k].stacks
		b.ties = slices.Delete(b.ties, k, k+1)
		switch n := min(brought, b.stacks-1); {
		case len(b.ties) == 0:
			m.removeNamed(b, o.reason, o.name)
		case n > 0:
			m.lose(b, n, o.reason)
		}
	}
	return ""
}

// tied reports whether a buff is a link of a head.
func (b *carried) tied(head *carried) bool {
	return slices.ContainsFunc(b.ties, func(t tie) bool { return t.head == head })
}

func (m *model) leaveArea() string {
	n := 0
	for _, b := range slices.Clone(m.buffs) {
		if !b.gone && b.spec.OnArea == define.FateRemove {
			m.removeNamed(b, reason.Interrupted, "area")
			n++
		}
	}
	return several("remove interrupt", n)
}
