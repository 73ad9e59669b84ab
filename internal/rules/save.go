package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// Save appends a blob of the owner's saved state to dst. It returns the extended slice, and the
// number of deferred handlers and of timeouts with a function, which a blob cannot hold. It does
// not change the Owner. The parameter `c` is the catalog of the Turns that run the Owner, and
// `zone` is the owner's zone.
//
// A blob has the bases of attributes that differ from the catalog, and for each buff its numbers
// and the captured attributes of its source; modifiers follow from these. A blob does not have
// buffs applied by an aura, buffs that their Saving.Mode excludes, links whose heads are all of
// these kinds, or the effect of the owner's zone on its time: to restore the owner, get the zone
// with [state.BlobZone] and pass the effect to [Owner.Restore]. After an [Owner.Restore] at the
// same Moment everything else continues as if there had been no interruption.
//
// As for [Owner.Do], everything due up to at.Now must have run. Save costs O(buffs) and allocates
// only to grow dst.
func (s *Owner) Save(dst []byte, c *buff.Catalog, at buff.Moment, zone uint32) (blob []byte, lost int) {
	o := state.Owner{Wall: at.Wall, Uptime: at.Uptime, Zone: zone, Ages: s.ages, Events: s.events}
	w := saver{set: s, catalog: compiledOf(c), now: clock.OwnerTime(at.Now), aside: &noState, gates: &noGates}
	if p := s.timeScale(); p != nil {
		w.now, o.Scale = saveScale(p, at.Now, define.OfOwner)
	}
	o.Time = int64(w.now)
	if g := s.gates(); g != nil {
		w.gates = g
		if o.Rolls, o.Dead = g.rolls, g.dead; g.unknownSaved != nil {
			w.aside = g.unknownSaved
		}
	}
	w.out.Start(dst, &o)
	w.tags(w.gates.commandTags, w.aside.Tags)
	w.tags(w.gates.immune, w.aside.Immune)
	w.diminishing()
	lost = w.timeouts()
	w.bases()
	w.buffs()
	return w.out.End(), lost + s.deferredCalls()
}

// saver exports an Owner. Each method writes one list of the blob.
type saver struct {
	out     state.Writer
	set     *Owner
	gates   *gates // empty if the owner has none
	catalog *compile.Catalog
	aside   *state.Owner // parts that Restore set aside because the catalog did not know them
	now     clock.OwnerTime
	plain   state.Buff // reused; only the fields that the method fill sets are used

	// headless has the ages of the buffs that findHeadless has found.
	headless []uint64
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

func (w *saver) tags(set tagSet, aside []state.Tag) {
	w.out.Len(len(set) + len(aside))
	for k := range aside {
		w.out.Tag(&aside[k])
	}
	for _, t := range set {
		w.out.Tag(&state.Tag{Name: w.catalog.Tags.Name(int(t.tag)), N: int64(t.n)})
	}
}

func (w *saver) diminishing() {
	w.out.Len(len(w.gates.drRecords) + len(w.aside.Returns))
	for k := range w.aside.Returns {
		w.out.Return(&w.aside.Returns[k])
	}
	for k := range w.gates.drRecords {
		d := &w.gates.drRecords[k]
		w.out.Return(&state.Return{Group: w.catalog.Drs.List[d.group-1], Source: uint64(d.source), N: int64(d.count), Left: offset(d.until, w.now)})
	}
}

// timeouts writes the timeouts that have a named handler, and counts the others.
func (w *saver) timeouts() (lost int) {
	all := w.set.timeouts().all()
	for k := range all {
		if x := &all[k]; x.live && x.do != nil {
			lost++
		}
	}
	w.out.Len(w.set.Timeouts() - lost + len(w.aside.Timeouts))
	for k := range w.aside.Timeouts {
		w.out.Timeout(&w.aside.Timeouts[k])
	}
	for k := range all {
		x := &all[k]
		if !x.live || x.do != nil {
			continue
		}
		t := state.Timeout{Name: x.name, Handler: x.name, Age: x.age, Left: offset(x.at, w.now)}
		if name := w.catalog.HandlerName(x.handler); name != "" {
			t.Handler = name
		}
		w.out.Timeout(&t)
	}
	return lost
}

// bases writes the bases of attributes that differ from the catalog.
func (w *saver) bases() {
	n, own := len(w.aside.Bases), w.set.sheet()
	var schema *stat.Schema
	if own != nil {
		schema = own.Schema()
		for a := range schema.All() {
			if rebased(own, a) {
				n++
			}
		}
	}
	w.out.Len(n)
	if schema != nil {
		for a := range schema.All() {
			if rebased(own, a) {
				w.out.Value("", schema.At(a).Name, own.Base(a))
			}
		}
	}
	for _, v := range w.aside.Bases {
		w.out.Value("", v.Name, float64(v.Value))
	}
}

// rebased reports whether a base differs from the schema's, bit for bit.
func rebased(own *sheet.Sheet, a stat.Attr) bool {
	return math.Float64bits(own.Base(a)) != math.Float64bits(own.Schema().At(a).Base)
}

// buffs writes the buffs, the oldest first.
func (w *saver) buffs() {
	s, n := w.set, len(w.aside.Buffs)
	w.findHeadless()
	for at := range s.records.Used() { // in memory order, so that the pass by age finds them in the cache
		if i := s.slot(at); i.def != 0 && w.keeps(i) {
			n++
		}
	}
	w.out.Len(n)
	for i := s.first(); i.exists(); i = i.next() {
		if w.keeps(i) {
			w.buff(i.slot)
		}
	}
	for k := range w.aside.Buffs {
		w.out.Whole(&w.aside.Buffs[k])
	}
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
			age, lost := i.age(), !w.keeps(i)
			if slices.Contains(w.headless, age) {
				continue
			}
			if !lost && len(w.headless) > 0 && g.headCount(i.handle()) > 0 {
				lost = !g.hasOtherHead(i.handle(), w.headless)
			}
			if lost && (w.keeps(i) || g.isHead(age)) {
				w.headless, again = append(w.headless, age), true
			}
		}
	}
}

// keeps reports whether an instance is saved. A buff of an aura is not: the aura applies it again
// if the owner is still in range.
func (w *saver) keeps(i instance) bool {
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

// buff writes one instance.
func (w *saver) buff(at uint16) {
	s := w.set
	i := s.slot(at)
	spec, period := i.program(), i.period()
	usual := period == 0 || period == spec.Period || period == spec.PeriodAt(int(i.level))
	appliers, heads := w.gates.appliersOf(at), w.gates.headCount(i.handle())
	if usual && i.extraIndex == noSlot && i.flags&(timeScaled|deathPaused|hidden) == 0 && spec.Clock == define.Online && appliers+heads == 0 {
		w.fill(&w.plain, i, spec, clock.BuffTime(w.now), period)
		w.out.Plain(&w.plain)
		return
	}
	var b state.Buff
	n := state.Lists{Appliers: appliers, With: heads}
	now, scale := w.scale(i)
	b.Scale = scale
	w.fill(&b, i, spec, now, period)
	if b.Dead = i.flags&deathPaused != 0; !usual {
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
	if i.extraIndex == noSlot {
		w.out.Buff(&b, n)
	} else {
		w.extra(i, &b, n, now)
	}
	if n.Appliers > 0 {
		for _, a := range w.gates.appliers {
			if a.at == at {
				w.out.Uint(uint64(a.source))
			}
		}
	}
	var head linkage
	for range n.With { // the heads in the order of their ages
		head = w.gates.nextLinked(i.handle(), head.head)
		w.out.Uint(head.head)
	}
	head = linkage{}
	for range n.With {
		head = w.gates.nextLinked(i.handle(), head.head)
		w.out.Int(int64(head.stacks))
	}
}

// fill sets the fields of a buff that every instance has.
func (w *saver) fill(b *state.Buff, i instance, spec *compile.Program, now clock.BuffTime, period int64) {
	b.ID, b.Age, b.Source, b.Stacks, b.Level, b.Magnitude = spec.ID, i.age(), uint64(i.source), int64(i.stacks), int64(i.level), i.magnitude
	b.Left, b.Duration, b.Next = state.Maybe{}, bounded(i.duration()), state.Maybe{}
	if i.end != clock.Never || spec.Stack.Timers != define.TimersShared {
		b.Left = state.Some(offset(i.end, now))
	}
	if period != 0 {
		b.Next = state.Some(offset(i.boundary, now))
	}
}

// extra writes an instance that has an extra.
func (w *saver) extra(i instance, b *state.Buff, n state.Lists, now clock.BuffTime) {
	x, spec, k := i.extra(), i.program(), i.magnitudes()
	b.Wanted, b.Length, b.Charges, b.Owed = x.pendingPeriod, x.currentPeriod, int64(x.charges), int64(x.pendingPulses)
	if spec.Stack.By == define.ByKey {
		b.Key = x.key
	}
	if spec.Shield.On && spec.Stack.Timers != define.TimersEach {
		b.Shield = state.Some(x.shield)
	}
	n.Params, n.Others, n.Captures = len(spec.Params), len(spec.Numbers)-len(spec.Params), len(k.captured)
	switch spec.Stack.Timers {
	case define.TimersEach:
		n.Async = len(x.async)
	case define.TimersQueue:
		n.Waiting = len(x.async)
		b.Running = x.running - b.Age
	}
	w.out.Buff(b, n)
	for j := range x.async {
		l := &x.async[j]
		to := state.Stack{
			Left: bounded(l.left), Magnitude: l.magnitude, Source: uint64(l.source), Age: l.age - b.Age, Stacks: int64(l.stacks), Level: int64(l.level),
			Charges: int64(l.charges),
		}
		if spec.Shield.On {
			to.Shield = state.Some(l.shield)
		}
		if n.Async > 0 {
			to.Left, to.Lag = offset(l.end, now), min(l.lag, define.MaxDuration.Milliseconds())
		}
		if l.numbers == 0 {
			w.out.Stack(&to, 0, 0, 0)
			continue
		}
		own := k.waitingOf(l)
		w.out.Stack(&to, n.Params, n.Others, len(own.captured))
		w.numbers(spec, own.values, own.captured)
	}
	w.numbers(spec, k.values, k.captured)
}

// numbers writes the numbers of an application.
func (w *saver) numbers(spec *compile.Program, values []float64, known []buff.Captured) {
	for j := range spec.Numbers {
		w.out.Value("", spec.Numbers[j].Name, values[j])
	}
	for _, c := range known {
		w.out.Value(captureWords[c.When], spec.Catalog.Schema.At(c.Attr).Name, c.Value)
	}
}

// captureWords are prefixes of the names of captured attributes.
var captureWords = [...]string{define.SnapshotCast: "cast:", define.SnapshotApply: "apply:"}

// causeFlags are the flags of the [state.Causes], in the order of their bits.
var causeFlags = [...]flags{unmet, inhibited, weaker, ineffective, immune}
