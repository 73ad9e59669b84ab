package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/stolen"
	"github.com/bufftick/bufftick/wheel"
)

// An instance refers to its definition by number, not by pointer, so that the garbage collector
// need not scan the instances. Otherwise a million buffs would have a million pointers to a few
// hundred definitions. Nearly all definitions are in the Owner's catalog. Definitions of other
// catalogs are in rareState.foreign. An instance has such a definition between a reload and
// [Owner.Adopt], or if the reload removed the definition.

// program returns the program of an instance, or nil for a free slot.
func (i instance) program() *compile.Program {
	if i.def > 0 {
		return i.owner.catalog.Programs[i.def-1]
	}
	return i.foreignProgram()
}

// foreignProgram does the same as program, for an instance of another catalog or for a free
// slot.
func (i instance) foreignProgram() *compile.Program {
	if i.def == 0 {
		return nil
	}
	return i.owner.rare.foreign[-1-i.def]
}

// setProgram changes the program of an instance.
func (i instance) setProgram(spec *compile.Program) {
	i.clearForeign()
	if i.flags &^= watching | held; spec.When != nil {
		i.owner.ensureRare().watches = true
	}
	if spec.Catalog == i.owner.catalog {
		i.def = int32(spec.Compiled().Index) + 1
		return
	}
	b := i.owner.ensureRare()
	if n := len(b.foreign); n <= int(i.slot) {
		b.foreign = append(b.foreign, make([]*compile.Program, int(i.slot)+1-n)...)
	}
	b.foreign[i.slot] = spec
	i.def = -1 - int32(i.slot)
}

// clearForeign clears the foreign definition of a slot, if there is one.
func (i instance) clearForeign() {
	if i.def < 0 {
		i.owner.rare.foreign[i.slot] = nil
	}
}

// setCatalog sets the catalog of the Owner and renumbers the definitions of its instances.
func (s *Owner) setCatalog(c *compile.Catalog) {
	was := s.catalog
	s.catalog = c
	others := false
	for at := range s.records.Used() {
		i := s.slot(at)
		switch {
		case i.def > 0:
			spec := was.Programs[i.def-1]
			i.def = 0
			s.slot(uint16(at)).setProgram(spec)
		case i.def < 0:
			s.slot(uint16(at)).setProgram(i.foreignProgram())
		}
		others = others || i.def < 0
	}
	if !others && s.rare != nil {
		s.rare.foreign = nil
	}
}

// mixed reports whether the Owner may have instances of several catalogs.
func (s *Owner) mixed() bool { return s.rare != nil && s.rare.mixed }

// setMixed sets the result of mixed.
func (s *Owner) setMixed(are bool) {
	if are != s.mixed() {
		s.ensureRare().mixed = are
	}
}

// sameDefinition reports whether two programs are versions of one definition. Comparing pointers is
// enough while all instances of the Owner are from its catalog. If `other` is nil, because its Spec
// is not from a catalog, the result is false.
func (s *Owner) sameDefinition(spec, other *compile.Program) bool {
	return spec == other || other != nil && (s.mixed() || other.Catalog != s.catalog) && spec.Compiled().Lineage == other.Compiled().Lineage
}

// updateVersion switches an instance to the definition's version in the application that joins
// it. It must be called after all checks that can deny the application. If the Stacking.Timers of
// the two versions differ, the application already has the version of the instance.
func updateVersion(t *Turn, i instance, a *buff.Application) {
	if i.program() != compile.Of(a.Spec) {
		switchVersion(t, i, a)
	}
}

// emitVersion emits a Refreshed for an instance that has switched to another version, if no other
// event reports the switch. Observers that store data by version need the event.
func emitVersion(t *Turn, i instance) {
	e := i.newEvent(buff.Refreshed)
	e.End = i.reportedEnd()
	t.emit(i.owner, &e)
}

// switchVersion switches an instance to the definition's version in an application. Grants,
// modifiers and all other properties change at once, but the next pulse does not move.
func switchVersion(t *Turn, i instance, a *buff.Application) {
	s := i.owner
	spec := compile.Of(a.Spec)
	reportLastState(t, i, true)
	if i.flags&hidden == 0 {
		revokeEffects(t, i)
	}
	restartResets(t, i) // the new version may have another group of diminishing returns
	old, was := i.program(), i.currentPeriod()
	if by := len(spec.Modifiers) - len(i.program().Modifiers); by != 0 {
		s.ensureRare().modifiers += int32(by)
	}
	i.setProgram(spec)
	i.storePeriod(spec.PeriodFor(int(i.level), t.evaluated.values))
	if i.extraIndex != noSlot {
		x := i.extra()
		if x.currentPeriod = 0; i.period() == 0 {
			x.pendingPeriod = 0
		}
	}
	switch {
	case i.period() == 0:
		i.boundary = clock.Never
	case i.boundary == clock.Never:
		now := i.now(t)
		i.boundary = i.firstBoundary(now)
		i.restartAsyncPeriods(now)
	case was != i.period():
		i.ensureExtra().currentPeriod = was
	}
	if spec.Uses&compile.UsesExtra != 0 {
		convertUses(t, i, a, old)
	}
	if spec.Uses&compile.UsesMagnitudes != 0 {
		storeNumbers(t, i, a)
	} else if i.extraIndex != noSlot {
		i.extra().magnitudes.reset()
	}
	if i.flags&(recharging|spent) != 0 || spec.Recharge > 0 {
		updateRecharge(t, i)
	}
	if spec.Uses&compile.UsesLive != 0 {
		switchLive(t, i, old, i.magnitudes().values)
	}
	if spec.Uses&compile.UsesActs != 0 {
		s.ensureGates().handledActs |= spec.Acts()
	}
	s.ensureGates().noteImmunityChange() // the new version may have other tags and another Immune rule
	if i.flags&hidden == 0 {
		grantEffects(t, i)
	}
}

// Adopt updates the owner's buffs to the definitions of Turn.Catalog. Call it for each owner after
// a reload. It has the same requirements as [Owner.Do], and calls Go handlers in the same way.
//
// A buff whose definition has not changed switches to the new version without an event. For other
// buffs the Reload rule of the new version decides, or the rule of the running version if
// Turn.Catalog no longer has the definition:
//
//   - keep: the buff continues with its old version until it is refreshed or ends.
//   - migrate: the buff switches to the new version, and a Refreshed reports its new end.
//   - end: the buff is removed with reason Reload.
//
// A migration changes these properties of a buff:
//
//   - The buff gets the new duration, scaled and diminished like the old duration, and counted
//     from the same start. Later extensions and reductions remain. With [define.TimersEach] and
//     [define.TimersQueue] all ends move by the difference of the durations.
//   - If the buff would have ended already, it is removed with reason Reload. Stacks above the new
//     limit are removed with the same reason.
//   - The next pulse does not move. The new period starts after this pulse, even if the old period
//     was hastened.
//   - Numbers are evaluated again, from the stored captures and parameters. A number with a missing
//     input keeps its value.
//   - Charges and shields remain. If the old version had no charges or no shield, the buff gets
//     the charges or the shield of the new version.
//
// A buff cannot migrate, and is kept, if the two versions have different [define.Stacking].Timers,
// if the owner would have too many modifiers, or if Turn.Catalog does not have the definition. If
// the new version is instant, the buff is removed instead. Adopt costs O(buffs).
func (s *Owner) Adopt(t *Turn, at wheel.Time) Adopted {
	catalog := t.compiled()
	t.begin(at, s.timeScale().ToInner(at), false)
	var n Adopted
	s.eachInstance(func(i instance) { adopt(t, i, &n) })
	s.setCatalog(catalog)
	versions := false
	for i := s.first(); i.exists(); i = i.next() {
		versions = versions || i.program().Catalog != catalog
	}
	s.setMixed(versions)
	evaluateConditions(t, s)
	for t.head < len(t.items) {
		runNext(t, s)
	}
	t.resetQueue()
	reschedule(t, s, at)
	return n
}

// Adopted is the result of [Owner.Adopt].
type Adopted struct {
	Migrated int // number of buffs that migrated to the new version
	Ended    int // number of buffs that were removed
	Kept     int // number of buffs with an old version, or with a definition that no longer exists
}

// adopt updates one instance to the newest version of its definition.
func adopt(t *Turn, i instance, n *Adopted) {
	newest, known := t.compiled().Version(i.program())
	switch {
	case newest == i.program():
		return
	case newest != nil && newest.Compiled().Revision == i.program().Compiled().Revision:
		i.setProgram(newest)
		return
	}
	rule := i.program().Reload
	if newest != nil {
		rule = newest.Reload
	}
	switch {
	case !known:
		n.Kept++
	case rule == define.ReloadEnd, rule == define.ReloadMigrate && newest != nil && newest.Kind == define.Instant:
		end(t, i, reason.Reload)
		n.Ended++
	case rule == define.ReloadMigrate && newest != nil && newest.Stack.Timers == i.program().Stack.Timers && i.owner.modifiersFit(newest, len(i.program().Modifiers)):
		if migrate(t, i, newest) {
			n.Migrated++
		} else {
			n.Ended++
		}
	default:
		n.Kept++
	}
}

// migrate moves a running instance to another version of its definition with the same
// Stack.Timers, and reports whether it still runs. [Owner.Adopt] describes the rules.
//
// Pending pulses still run under the old version. A buff that has no time left under the new
// version ends before the switch. Stacks above the limit of the new version are removed after the
// switch.
func migrate(t *Turn, i instance, spec *compile.Program) bool {
	flushPulses(t, i)
	h, shield, shielded := i.handle(), int64(0), i.program().Shield.On
	by := spec.DurationAt(int(i.level)) - i.program().DurationAt(int(i.level))
	if i.flags&member == 0 && i.program().Stack.Timers == define.TimersShared && !convertEnd(t, i, spec) {
		end(t, i, reason.Reload)
		return false
	}
	if shielded {
		shield = i.extra().shield
	}
	if spec.Stack.Timers != define.TimersShared {
		convertWaiting(t, i, spec)
	}
	a := buff.Application{Spec: &spec.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(i.magnitudes().captured)}
	convertNumbers(t, i, &a)
	switchVersion(t, i, &a)
	if shielded && spec.Shield.On {
		i.extra().shield = shield
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		moveAsync(t, i, by)
	case define.TimersQueue:
		moveQueue(t, i, by)
	}
	if !i.owner.isLive(h) {
		return false
	}
	i.mark(journal.Spec | journal.Time | journal.Stacks | journal.Power | journal.Charges | journal.Shield | journal.Waiting)
	i.markDirty(t)
	emitVersion(t, i)
	if over := int(i.stacks) - int(spec.Limit); over > 0 {
		removeStacks(t, i, over, reason.Reload)
	}
	return true
}

// convertEnd sets the end that the running application of an instance has under the new version,
// and reports whether this end is later than now.
//
// The duration is scaled like the definition's duration: a duration of 6 s under a definition of 12
// s becomes 10 s under a definition of 20 s. The elapsed time stays the same. Example:
// testdata/stat/reload.txt.
func convertEnd(t *Turn, i instance, spec *compile.Program) bool {
	now, was, is := i.now(t), i.program().DurationAt(int(i.level)), spec.DurationAt(int(i.level))
	switch {
	case is == 0:
		i.end = clock.Never
		i.storeDuration(0)
		return true
	case i.end == clock.Never:
		i.end = now.Add(is)
		i.storeDuration(is)
		return true
	case was == 0: // an infinite definition, applied with a duration
		return true
	}
	d := min(max(exact.MulDiv(i.duration(), uint64(is), uint64(was)), spec.Shortest, 1), spec.Longest, define.MaxDuration.Milliseconds())
	if spec.Tail == define.TailFit {
		period := spec.PeriodAt(int(i.level))
		if spec.PeriodVaries() {
			period = max(i.period(), define.MinPeriod.Milliseconds())
		}
		d = max(exact.MulDiv(d, 1, uint64(period)), 1) * period
	}
	end := i.end.Add(d - i.duration()) // moves the old end, so that extensions and reductions remain
	if end <= now {
		return false
	}
	i.end = end
	i.storeDuration(d)
	return true
}

// moveAsync moves the ends of all async stacks by the given ms. Stacks that would already have
// ended are removed. If no stack is left, the instance ends.
func moveAsync(t *Turn, i instance, by int64) {
	i.shiftAsyncEnds(by)
	now, async := i.now(t), i.extra().async
	i.end = async[len(async)-1].end
	if i.end <= now {
		end(t, i, reason.Reload)
		return
	}
	for i.firstAsyncEnded(now) {
		endFirstAsync(t, i, reason.Reload)
	}
}

// moveQueue moves the end of the running application, and changes the remaining times of the
// waiting ones, by the given ms.
//
// It first removes the waiting applications that have no time left, and then those above the limit.
// If the running application has to end, it ends last, because its end starts the next one.
// Example: testdata/stat/queue_reload.txt.
func moveQueue(t *Turn, i instance, by int64) {
	x, now := i.extra(), i.now(t)
	for k := range x.async {
		x.async[k].left += by
	}
	for k := len(x.async) - 1; k >= 0; k-- {
		if x.async[k].left <= 0 {
			unqueue(t, i, k)
		}
	}
	for int32(len(x.async)) >= i.program().Limit { // the limit is at least 1
		unqueue(t, i, weakestOf(x.async))
	}
	i.end = i.end.Add(by)
	i.storeDuration(max(i.duration()+by, 1))
	switch {
	case i.end > now:
	case len(x.async) == 0:
		end(t, i, reason.Reload)
	default:
		i.end = now
		nextInQueue(t, i)
	}
}

// convertNumbers evaluates the numbers of the new version of a definition for a running instance.
//
// Example: testdata/stat/reload.txt.
func convertNumbers(t *Turn, i instance, a *buff.Application) {
	spec, w := compile.Of(a.Spec), &t.evaluated
	q := evaluator{
		set: i.owner, turn: t, spec: spec,
		captured: a.Captured, own: i.source == i.owner.id, level: int(i.level), stacks: min(int32(i.stacks), spec.Limit), magnitude: i.magnitude,
	}
	q.convertNumbers(i.program(), spec, i.magnitudes().values)
	w.pool = 0
	if spec.PoolBy != nil {
		if v, why := q.evaluate(spec.PoolBy); why == reason.None {
			w.pool = wholePool(v)
		}
	}
}

// convertNumbers evaluates the numbers of the new version of a definition. The old version's values
// include the arguments from the caller, which are used again. A number that cannot be evaluated
// keeps its old value.
func (q *evaluator) convertNumbers(old, spec *compile.Program, values []float64) {
	w := &q.turn.evaluated
	w.args = w.args[:0]
	for j := range old.Numbers {
		if n := &old.Numbers[j]; n.From == define.FromCaller && (!n.Input || values[n.Live] != 0) {
			w.args = append(w.args, buff.Arg{Caller: n.Caller, Value: values[j]})
		}
	}
	q.params = w.args
	was := stolen.Buff{Spec: old, Values: values}
	w.values = w.values[:0]
	for j := range spec.Numbers {
		n := &spec.Numbers[j]
		v, why := q.evaluate(n)
		if why != reason.None {
			if v, why = was.Find(spec, j); why != reason.None {
				v = n.Value
			}
		}
		w.values = append(w.values, v)
	}
}
