package rules

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

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
