package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/sheet"
)

// The numbers of an application are stored with its buff, for its modifiers and actions. A
// modifier follows the stacks and the numbers of its buff while the buff is not hidden.

// magnitudes holds the numbers of an instance. When the extra of the instance is reused, the memory
// of the lists is reused too.
type magnitudes struct {
	values   []float64         // in the order of Program.Numbers
	keys     []sheet.Key       // the modifiers on the owner's sheet; empty while the instance is hidden
	captured []buff.Captured   // attributes of the source, for this definition and for those that it can apply
	waiting  *[]waitingNumbers // separate numbers of async stacks and waiting applications; nil until needed
}

var noMagnitudes magnitudes

// magnitudes returns the magnitudes of an instance. An instance without numbers has
// noMagnitudes, which must not be modified.
func (i instance) magnitudes() *magnitudes {
	if i.extraIndex != noSlot {
		if k := i.extra().magnitudes; k != nil {
			return k
		}
	}
	return &noMagnitudes
}

// actionMagnitudes returns the magnitudes for actions that an application causes by joining an
// instance. They have the values of the instance, and the captured attributes of the application's
// source. The result is valid until the next call.
func actionMagnitudes(t *Turn, i instance, a *buff.Application) *magnitudes {
	k := i.magnitudes()
	if i.source == a.Source {
		return k
	}
	t.evaluated.behind = magnitudes{values: k.values, captured: a.Captured}
	return &t.evaluated.behind
}

func (x *extra) ensureMagnitudes() *magnitudes {
	if x.magnitudes == nil {
		x.magnitudes = &magnitudes{}
	}
	return x.magnitudes
}

// reset clears all lists, keeps their memory for reuse, and returns k, which may be nil.
func (k *magnitudes) reset() *magnitudes {
	if k != nil {
		k.values, k.keys, k.captured = k.values[:0], k.keys[:0], k.captured[:0]
		k.clearWaiting()
	}
	return k
}

// storeNumbers stores the evaluated numbers of an application in its instance.
func storeNumbers(t *Turn, i instance, a *buff.Application) {
	k := i.ensureExtra().ensureMagnitudes()
	k.values = append(k.values[:0], t.evaluated.values...)
	if compile.Of(a.Spec).Rereads {
		i.owner.ensureRare().rereads = true
	}
	if compile.Of(a.Spec).Rescales() {
		i.owner.ensureRare().rescales = true
	}
	if i.source == a.Source {
		k.captured = selectCaptured(compile.Of(a.Spec), k.captured[:0], a.Captured)
	} else { // keep the attributes captured for the instance's own source
		k.captured = slices.DeleteFunc(k.captured, func(c buff.Captured) bool { return !compile.Of(a.Spec).Wants(c.Attr, c.When) })
	}
}

// newSource changes the source of an instance, and clears the captured attributes of the old one.
func (i instance) newSource(source buff.OwnerID) {
	if i.source == source {
		return
	}
	i.source = source
	i.mark(journal.Source)
	i.rehash()
	if k := i.magnitudes(); len(k.captured) > 0 {
		k.captured = k.captured[:0]
	}
}

// effect holds the inputs from which the modifiers of an instance are computed.
type effect struct {
	spec   *compile.Program
	k      *magnitudes
	stacks int16
	async  []asyncStack // only with TimersEach
}

func (i instance) effect() effect {
	e := effect{spec: i.program(), k: i.magnitudes(), stacks: i.stacks}
	if e.spec.Stack.Timers == define.TimersEach && i.extraIndex != noSlot {
		e.async = i.extra().async
	}
	return e
}

// amount returns the value of the j-th modifier. It reports false if a formula has no value at
// present.
//
// With TimersEach each application can have separate numbers: see numbersAt.
func (e *effect) amount(j int) (v float64, ok bool) {
	m := &e.spec.Modifiers[j]
	stacks := int32(e.spec.Counted(e.stacks))
	if !e.spec.OwnNumber(m.Value) || len(e.async) == 0 {
		v, ok = m.Value.ValueFor(e.spec, e.k.values, stacks)
		if m.PerStack {
			v = float64(v * float64(stacks))
		}
		return bounds(v), ok
	}
	ok = true
	var best *asyncStack
	eachCounted(e.async, offBoundary, e.spec.Stack.Effective, func(l *asyncStack, n int32) {
		if m.PerStack {
			x, valid := m.Value.ValueFor(e.spec, e.k.valuesOf(l), stacks)
			v += float64(x * float64(n))
			ok = ok && valid
		}
		best = l.preferred(best)
	})
	if !m.PerStack {
		v, ok = m.Value.ValueFor(e.spec, e.k.valuesOf(best), stacks)
	}
	return bounds(v), ok
}

func bounds(v float64) float64 { return min(max(v, -stat.MaxValue), stat.MaxValue) }

// valuesOf returns the numbers of an async stack or a waiting application.
func (k *magnitudes) valuesOf(l *asyncStack) []float64 {
	if l.numbers == 0 {
		return k.values
	}
	return k.waitingOf(l).values
}

// addModifiers adds the modifiers of an instance to the owner's sheet. The sheet has room for them,
// because this was checked when the buff started.
func (i instance) addModifiers() {
	s := i.owner
	sheet := s.ensureRare().ensureSheet(i.program().Catalog)
	i.extra().ensureMagnitudes()
	s.markOwner(journal.Attributes)
	e := i.effect()
	e.addModifiers(sheet, i.handle())
	if i.program().Uses&compile.UsesOverride != 0 {
		s.reorderOverrides(sheet, i.next())
	}
}

// addModifiers adds the modifiers of an instance to a sheet.
func (e *effect) addModifiers(sheet *sheet.Sheet, of buff.Handle) {
	for j := range e.spec.Modifiers {
		e.k.keys = append(e.k.keys, e.addModifier(sheet, j, of))
	}
}

// reorderOverrides removes the overrides of an instance, if there is one, and of all younger ones,
// and adds them again in the order of age. This is needed because the sheet uses the override that
// was added last, which must be the override of the youngest buff, not of the buff shown last.
func (s *Owner) reorderOverrides(sheet *sheet.Sheet, o instance) {
	for ; o.exists(); o = o.next() {
		s.visited++
		k, spec := o.magnitudes(), o.program()
		if spec.Uses&compile.UsesOverride == 0 || len(k.keys) == 0 {
			continue
		}
		for j := range spec.Modifiers {
			if spec.Modifiers[j].Op == stat.Override {
				sheet.Remove(k.keys[j])
				e := o.effect()
				k.keys[j] = e.addModifier(sheet, j, o.handle())
			}
		}
	}
}

// addModifier adds the j-th modifier to a sheet. If its formula has no value at present, it uses
// the value that was evaluated at the application.
func (e *effect) addModifier(sheet *sheet.Sheet, j int, of buff.Handle) sheet.Key {
	m := &e.spec.Modifiers[j]
	v, ok := e.amount(j)
	if !ok {
		v = e.k.values[m.Value.Place]
	}
	key, err := sheet.Add(stat.Modifier{Attr: m.Attr, Op: m.Op, Channel: m.Channel, Value: v, Of: uint64(of)})
	if err != nil {
		panic("rules: adding a checked modifier: " + err.Error())
	}
	return key
}

// removeModifiers removes the modifiers of an instance from the owner's sheet.
func removeModifiers(t *Turn, i instance) {
	e, sheet := i.effect(), i.owner.sheet()
	i.owner.markOwner(journal.Attributes)
	if t.SheetChanged != nil {
		for j, key := range e.k.keys {
			m, _ := sheet.Modifier(key)
			reportVarying(t, i, j, m.Value, math.NaN())
		}
	}
	e.k.removeModifiers(sheet)
}

func (k *magnitudes) removeModifiers(sheet *sheet.Sheet) {
	for _, key := range k.keys {
		sheet.Remove(key)
	}
	k.keys = k.keys[:0]
}

// updateModifiers sets the modifiers of an instance to their values for its present stacks and
// numbers.
func updateModifiers(t *Turn, i instance) {
	if i.program().Uses&compile.UsesModifiers == 0 {
		return
	}
	i.owner.markOwner(journal.Attributes)
	e, sheet := i.effect(), i.owner.sheet()
	if t.SheetChanged != nil {
		for j, key := range e.k.keys {
			m, _ := sheet.Modifier(key)
			if v, ok := e.amount(j); ok {
				reportVarying(t, i, j, m.Value, v)
			}
		}
	}
	e.updateModifiers(sheet)
}

// updateModifiers sets the values of the modifiers on a sheet. If a formula has no value at
// present, its modifier keeps the old value.
func (e *effect) updateModifiers(sheet *sheet.Sheet) {
	for j, key := range e.k.keys {
		v, ok := e.amount(j)
		if !ok {
			continue
		}
		if err := sheet.SetValue(key, v); err != nil {
			panic("rules: updating a modifier: " + err.Error())
		}
	}
}

// numbersAt returns the numbers for the actions of an event of an instance. The instant `at` is in
// the instance's time; it matters only with TimersEach, where only the stacks that count at this
// instant are used: see countsAt. A number with per_stack is then the sum over these stacks. Any
// other number is the number of the strongest stack, or of the youngest among equally strong
// stacks. The result is valid until the next call.
//
// Example: testdata/stat/each.txt.
func numbersAt(t *Turn, i instance, at clock.BuffTime) *magnitudes {
	if i.extraIndex == noSlot {
		return i.magnitudes()
	}
	return t.numbersOf(i.program(), i.magnitudes(), i.extra().async, at)
}

func (t *Turn) numbersOf(spec *compile.Program, k *magnitudes, async []asyncStack, at clock.BuffTime) *magnitudes {
	if spec.Stack.Timers != define.TimersEach || len(spec.Numbers) == 0 {
		return k
	}
	w := &t.evaluated
	w.parts = w.parts[:0]
	var best *asyncStack
	eachCounted(async, at, spec.Stack.Effective, func(l *asyncStack, n int32) {
		w.parts = append(w.parts, ownPart{k.valuesOf(l), n})
		best = l.preferred(best)
	})
	if best == nil {
		return k
	}
	w.each = magnitudes{values: k.values, captured: k.captured}
	w.strongest = k.valuesOf(best)
	return &w.each
}

// ownPart has the number of stacks of one application that count, and the numbers of the
// application.
type ownPart struct {
	values []float64
	stacks int32
}

// numberOf returns the value of a number of an action for the given number of stacks. It reports
// false if the number has no value at present.
func (t *Turn) numberOf(spec *compile.Program, c *compile.Change, k *magnitudes, stacks int32) (v float64, ok bool) {
	w := &t.evaluated
	own := k == &w.each && spec.OwnNumber(c.By)
	if own && c.PerStack {
		for _, p := range w.parts {
			x, valid := c.By.ValueFor(spec, p.values, stacks)
			if !valid {
				return 0, false
			}
			v += float64(x * float64(p.stacks))
		}
		return v, true
	}
	values := k.values
	if own {
		values = w.strongest
	}
	v, ok = c.By.ValueFor(spec, values, stacks)
	if c.PerStack {
		v = float64(v * float64(stacks))
	}
	return v, ok
}

// reevaluatePulsed evaluates the numbers with SnapshotPulse again. The slot of the instance is
// noSlot for a restored buff that has already ended. If one of the numbers cannot be evaluated,
// reevaluatePulsed changes no number and reports false.
func reevaluatePulsed(t *Turn, i instance, spec *compile.Program, k *magnitudes, async []asyncStack) bool {
	s := i.owner
	q := evaluator{set: s, turn: t, spec: spec}
	fresh := t.evaluated.fresh[:0]
	for j := range spec.Numbers {
		n := &spec.Numbers[j]
		if n.Snapshot != define.SnapshotPulse {
			continue
		}
		v, why := q.evaluate(n)
		if why != reason.None {
			return false
		}
		fresh = append(fresh, v)
	}
	t.evaluated.fresh = fresh
	for j := range spec.Numbers {
		if spec.Numbers[j].Snapshot == define.SnapshotPulse {
			if i.slot != noSlot {
				reportNumber(t, i, j, k.values[j], fresh[0])
			}
			k.values[j] = fresh[0]
			fresh = fresh[1:]
		}
	}
	if len(k.keys) > 0 {
		s.markOwner(journal.Attributes)
		e := effect{spec: spec, k: k, stacks: i.stacks, async: async}
		e.updateModifiers(s.sheet())
	}
	return true
}

// modifiersFit reports whether the owner's sheet has room for the modifiers of a definition, if
// `freed` of the present modifiers are removed first.
func (s *Owner) modifiersFit(spec *compile.Program, freed int) bool {
	return len(spec.Modifiers) == 0 || s.modifierCount()-freed+len(spec.Modifiers) <= stat.MaxModifiers
}
