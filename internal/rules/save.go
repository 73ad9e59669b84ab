package rules

import (
	"math"
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/gate"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// Save appends a blob of the owner's saved state to dst. It returns the extended slice, and the
// number of deferred handlers and of timeouts with a function, which a blob cannot hold. It does
// not change the Owner. The parameter `c` is the catalog of the Turns that run the Owner, and
// `area` is the owner's area.
//
// A blob has the bases of attributes that differ from the catalog, and for each buff its numbers
// and the captured attributes of its source; modifiers follow from these. A blob does not have
// buffs applied by an aura, buffs that their Saving.Mode excludes, links whose heads are all of
// these kinds, or the effect of the owner's area on its time: to restore the owner, get the area
// with [state.BlobArea] and pass the effect to [Owner.Restore]. After an [Owner.Restore] at the
// same Moment everything else continues as if there had been no interruption.
//
// As for [Owner.Do], everything due up to at.Now must have run. Save costs O(buffs) and allocates
// only to grow dst.
func (s *Owner) Save(dst []byte, c *buff.Catalog, at buff.Moment, area uint32) (blob []byte, lost int) {
	w := saver{set: s, catalog: compiledOf(c), now: clock.OwnerTime(at.Now), aside: &noState, gates: &noGates, exported: exportedPool.Get().(*exported)}
	defer w.release()
	o := state.Owner{Wall: at.Wall, Uptime: at.Uptime, Area: area, Ages: s.ages, Events: s.events}
	if p := s.timeScale(); p != nil {
		w.now, o.Scale = saveScale(p, at.Now, define.OfOwner)
	}
	o.Time = int64(w.now)
	if g := s.gates(); g != nil {
		w.gates = g
		if o.Rolls, o.Dead = uint64(g.rolls), g.dead; g.unknownSaved != nil {
			w.aside = g.unknownSaved
		}
	}
	o.Tags = w.saveTags(w.aside.Tags, w.gates.commandTags)
	o.Immune = w.saveTags(w.aside.Immune, w.gates.immune)
	o.Returns = w.saveReturns()
	o.Timeouts, lost = w.saveTimeouts()
	o.Bases = w.saveBases()
	w.findHeadless()
	w.out.Start(dst, &o, w.countSaved()+len(w.aside.Buffs))
	for i := s.first(); i.exists(); i = i.next() {
		if w.isSaved(i) {
			w.writeBuff(i)
		}
	}
	for k := range w.aside.Buffs {
		w.out.Buff(&w.aside.Buffs[k])
	}
	return w.out.End(), lost + s.deferredCalls()
}

// saver exports one Owner.
type saver struct {
	out     state.Writer
	set     *Owner
	gates   *gates // empty if the owner has none
	catalog *compile.Catalog
	aside   *state.Owner // parts that Restore set aside because the catalog did not know them
	now     clock.OwnerTime

	buff  state.Buff // the buff that is written
	plain bool       // buff is a plain one: see state.Writer.Plain
	*exported
}

// exported holds the lists of one Owner, and of one of its buffs. The memory is used for one Owner
// after the other.
type exported struct {
	headless []uint64 // the ages of the buffs that findHeadless has found
	tags     []state.Tag
	returns  []state.Return
	timeouts []state.Timeout
	stacks   []state.Stack
	values   []state.Value
	ids      []uint64
	brought  []int64
}

var exportedPool = sync.Pool{New: func() any { return &exported{} }}

// release returns the lists for reuse, unless they are large.
func (e *exported) release() {
	if max(cap(e.headless), cap(e.tags), cap(e.returns), cap(e.timeouts), cap(e.stacks), cap(e.values), cap(e.ids)) > state.MaxKept {
		return
	}
	e.headless, e.tags, e.returns, e.timeouts = e.headless[:0], e.tags[:0], e.returns[:0], e.timeouts[:0]
	e.clearBuff()
	exportedPool.Put(e)
}

// clearBuff empties the lists of a buff.
func (e *exported) clearBuff() {
	e.stacks, e.values, e.ids, e.brought = e.stacks[:0], e.values[:0], e.ids[:0], e.brought[:0]
}

var (
	noState state.Owner
	noGates gates
)

// offset returns the distance of an instant from the moment of saving, within the limits of a blob.
func offset[T ~int64](at, now T) int64 {
	return bounded(int64(wheel.Time(at).Add(-int64(now))))
}

func bounded(ms int64) int64 { return min(max(ms, -state.Farthest), state.Farthest) }

// saveScale returns the inner time at an outer instant, and the time scale from then on with only
// one of its causes.
func saveScale[Outer, Inner ~int64](p *clock.Scale[Outer, Inner], at Outer, of define.Whose) (Inner, state.Scale) {
	inner, rest, parts := p.Save(at)
	c := p.Cause(of)
	return inner, state.Scale{Rest: rest, Parts: parts, Held: c.Held, Num: c.Rate.Num, Den: c.Rate.Den}
}

func (w *saver) saveTags(aside []state.Tag, set gate.Tags) []state.Tag {
	from := len(w.tags)
	w.tags = append(w.tags, aside...)
	for _, t := range set {
		w.tags = append(w.tags, state.Tag{Name: w.catalog.Tags.Name(int(t.Tag)), N: int64(t.N)})
	}
	return w.tags[from:]
}

func (w *saver) saveReturns() []state.Return {
	w.returns = append(w.returns, w.aside.Returns...)
	for k := range w.gates.returns {
		d := &w.gates.returns[k]
		w.returns = append(w.returns, state.Return{Group: w.catalog.Drs.List[d.Group-1], Source: uint64(d.Source), N: int64(d.Count), Left: offset(d.Until, w.now)})
	}
	return w.returns
}

// saveTimeouts returns the timeouts that have a named handler, and the number of the others.
func (w *saver) saveTimeouts() (list []state.Timeout, lost int) {
	w.timeouts = append(w.timeouts, w.aside.Timeouts...)
	all := w.set.timeouts().all()
	for k := range all {
		x := &all[k]
		if !x.live {
			continue
		}
		if x.do != nil {
			lost++
			continue
		}
		t := state.Timeout{Name: x.name, Handler: x.name, Age: x.age, Left: offset(x.at, w.now)}
		if name := w.catalog.HandlerName(x.handler); name != "" {
			t.Handler = name
		}
		w.timeouts = append(w.timeouts, t)
	}
	return w.timeouts, lost
}

// saveBases returns the bases of attributes that differ from the catalog.
func (w *saver) saveBases() []state.Value {
	from := len(w.values)
	if own := w.set.sheet(); own != nil {
		schema := own.Schema()
		for a := range schema.All() {
			if rebased(own, a) {
				w.values = append(w.values, state.Value{Name: schema.At(a).Name, Value: state.Float(own.Base(a))})
			}
		}
	}
	w.values = append(w.values, w.aside.Bases...)
	return w.values[from:]
}

// rebased reports whether a base differs from the schema's, bit for bit.
func rebased(own *sheet.Sheet, a stat.Attr) bool {
	return math.Float64bits(own.Base(a)) != math.Float64bits(own.Schema().At(a).Base)
}

// countSaved returns the number of instances that are saved. It visits them in memory order, so that
// the next visit, which is by age, finds them in the cache.
func (w *saver) countSaved() (n int) {
	for at := range w.set.records.Used() {
		if i := w.set.slot(at); i.def != 0 && w.isSaved(i) {
			n++
		}
	}
	return n
}

// findHeadless finds the heads that will not be saved, and the links whose heads are all among
// these. The links are not saved either, because after a restore no event would remove them. It
// allocates only if it finds some.
func (w *saver) findHeadless() {
	s, g := w.set, w.gates
	if len(g.links) == 0 {
		return
	}
	for again := true; again; {
		again = false
		for i := s.first(); i.exists(); i = i.next() {
			age, lost := i.age(), !w.isSaved(i)
			if slices.Contains(w.headless, age) {
				continue
			}
			if !lost && len(w.headless) > 0 && g.headCount(i.handle()) > 0 {
				lost = !g.hasOtherHead(i.handle(), w.headless)
			}
			if lost && (w.isSaved(i) || g.isHead(age)) {
				w.headless, again = append(w.headless, age), true
			}
		}
	}
}

// isSaved reports whether an instance is saved. A buff of an aura is not: the aura applies it again
// if the owner is still in range.
func (w *saver) isSaved(i instance) bool {
	if i.flags&member != 0 || len(w.headless) > 0 && slices.Contains(w.headless, i.age()) {
		return false
	}
	switch spec := i.program(); spec.Save.Mode {
	case define.SaveNever:
		return false
	case define.SaveIfRemaining:
		own, _ := w.scale(i)
		return i.end == clock.Never || offset(i.end, own) >= spec.IfRemaining
	}
	return true
}

// scale returns the buff time of an instance at the moment of saving, and its time scale.
func (w *saver) scale(i instance) (clock.BuffTime, state.Scale) {
	if i.flags&timeScaled == 0 {
		return clock.BuffTime(w.now), state.Scale{}
	}
	p := &i.extra().scale
	outer := max(w.now, p.Start()) // the time scale may start at the owner's next ms
	if p.Paused() {
		outer = p.Start() // the start of the pause: see clock.Scale.OuterZero
	}
	own, to := saveScale(p, outer, define.OfBuff)
	to.Ahead, to.Inner = int64(outer-w.now), int64(own.Add(-int64(w.now)))
	return own, to
}

// writeBuff writes one instance.
func (w *saver) writeBuff(i instance) {
	b, spec, period, now := &w.buff, i.program(), i.period(), clock.BuffTime(w.now)
	if !w.plain {
		*b = state.Buff{}
		w.clearBuff()
	}
	changed := period != 0 && (spec.PeriodVaries() || period != spec.Period && period != spec.PeriodAt(int(i.level)))
	appliers, heads := w.gates.appliers.Count(i.slot), w.gates.headCount(i.handle())
	w.plain = !changed && i.extraIndex == noSlot && i.flags&(timeScaled|deathPaused|hidden) == 0 && spec.Clock == define.Online && appliers+heads == 0
	if i.flags&timeScaled != 0 {
		now, b.Scale = w.scale(i)
	}
	b.ID, b.Age, b.Source, b.Stacks, b.Level, b.Magnitude = spec.ID, i.age(), uint64(i.source), int64(i.stacks), int64(i.level), i.magnitude
	b.Left, b.Duration, b.Next = state.Maybe{}, bounded(i.duration()), state.Maybe{}
	if i.end != clock.Never || spec.Stack.Timers != define.TimersShared {
		b.Left = state.Some(offset(i.end, now))
	}
	if period != 0 {
		b.Next = state.Some(offset(i.boundary, now))
	}
	if w.plain {
		w.out.Plain(b)
		return
	}
	if b.Dead = i.flags&deathPaused != 0; changed {
		b.Period = period
	}
	b.SetClock(spec.Clock)
	if i.flags&hidden != 0 {
		for k, f := range causeFlags {
			if i.flags&f != 0 {
				b.Hidden |= 1 << k
			}
		}
	}
	if i.extraIndex != noSlot {
		w.saveExtra(i, b, now)
	}
	if appliers > 0 {
		for _, a := range w.gates.appliers {
			if a.Slot == i.slot {
				w.ids = append(w.ids, uint64(a.Source))
			}
		}
		b.Appliers = w.ids
	}
	from, head := len(w.ids), linkage{}
	for range heads { // in the order of their ages
		head = w.gates.nextLinked(i.handle(), head.head)
		w.ids, w.brought = append(w.ids, head.head), append(w.brought, int64(head.stacks))
	}
	b.With, b.Brought = w.ids[from:], w.brought
	w.out.Buff(b)
}

// saveLive returns the variables of a buff and, if the definition reads them, its age and the damage
// absorbed.
func (w *saver) saveLive(spec *compile.Program, live *liveState, now clock.BuffTime) []state.Value {
	from := len(w.values)
	for k := range spec.Vars {
		w.values = append(w.values, state.Value{Name: spec.Vars[k].Name, Value: state.Float(live.vars[k])})
	}
	if spec.ReadsLive {
		absorbed := min(float64(live.absorbed), stat.MaxValue)
		w.values = append(w.values, state.Value{Name: savedAge, Value: state.Float(now - live.started)}, state.Value{Name: savedAbsorbed, Value: state.Float(absorbed)})
	}
	return w.values[from:len(w.values):len(w.values)]
}

// saveExtra sets the fields of a buff that are stored in the extra of an instance.
func (w *saver) saveExtra(i instance, b *state.Buff, now clock.BuffTime) {
	x, spec, k := i.extra(), i.program(), i.magnitudes()
	b.Wanted, b.Length, b.Charges, b.Owed = x.pendingPeriod, x.currentPeriod, int64(x.charges), int64(x.pendingPulses)
	if i.flags&recharging != 0 {
		b.Recharge = state.Some(offset(x.nextCharge, now))
	}
	if spec.Stack.By == define.ByKey {
		b.Key = x.key
	}
	if spec.Shield.On && spec.Stack.Timers != define.TimersEach {
		b.Shield = state.Some(x.shield)
	}
	b.Numbers = w.saveNumbers(spec, k.values, k.captured)
	if spec.Uses&compile.UsesLive != 0 {
		b.Vars = w.saveLive(spec, x.live, now)
	}
	for j := range x.async {
		l := &x.async[j]
		w.stacks = append(w.stacks, state.Stack{})
		to := &w.stacks[j]
		to.Left, to.Magnitude, to.Source, to.Age = bounded(l.left), l.magnitude, uint64(l.source), l.age-b.Age
		to.Stacks, to.Level, to.Charges = int64(l.stacks), int64(l.level), int64(l.charges)
		if spec.Shield.On {
			to.Shield = state.Some(l.shield)
		}
		if spec.Stack.Timers == define.TimersEach {
			to.Left, to.Lag = offset(l.end, now), min(l.lag, define.MaxDuration.Milliseconds())
		}
		if l.numbers != 0 {
			own := k.waitingOf(l)
			to.Numbers = w.saveNumbers(spec, own.values, own.captured)
		}
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		b.Async = w.stacks
	case define.TimersQueue:
		b.Waiting, b.Running = w.stacks, x.running-b.Age
	}
}

// saveNumbers returns the numbers of an application.
func (w *saver) saveNumbers(spec *compile.Program, values []float64, captured []buff.Captured) state.Numbers {
	from := len(w.values)
	for j := range spec.Numbers {
		w.values = append(w.values, state.Value{Name: spec.Numbers[j].Name, Value: state.Float(values[j])})
	}
	for _, c := range captured {
		w.values = append(w.values, state.Value{Name: spec.Catalog.CaptureName(c.Attr, c.When), Value: state.Float(c.Value)})
	}
	list := w.values[from:]
	others := len(spec.Numbers)
	return state.Numbers{Params: list[:len(spec.Params)], Others: list[len(spec.Params):others], Captures: list[others:]}
}

// causeFlags are the flags of the [state.Causes], in the order of their bits.
var causeFlags = [...]flags{unmet, inhibited, weaker, ineffective, immune}

// This line compiles only if package state has the same limits as this package.
const _ = uint(buff.MaxPerOwner-state.MaxPerOwner) + uint(state.MaxPerOwner-buff.MaxPerOwner) + uint(buff.MaxRate-state.MaxRate) + uint(state.MaxRate-buff.MaxRate)
