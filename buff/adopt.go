package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Adopt brings what the owner carries to the definitions of Turn.Catalog, after a reload: it
// is for whoever goes through the owners. It wants what a [Set.Do] wants, and does what that
// does with handlers.
//
// What says the same as before takes the new version without a word. For the rest the
// version of Turn.Catalog decides, or, if it has none any more, that which runs:
//
//   - keep: it goes on as it is, until it is refreshed or ends.
//   - migrate: it becomes one of the new version, and a Refreshed tells its new end. What its
//     application made of the old duration, scaled or diminished, it makes of the new one,
//     counted from when it did; what was added or taken by hand since then stays. With
//     [define.TimersEach] and [define.TimersQueue] all ends move by the difference of the durations. What
//     would have ended is removed for the reason Reload. Stacks above the limit go for that
//     reason too. The pulse to come stays where it is; the new period, also of what was
//     hasted, begins after it. Numbers are worked out anew, with what was captured of the
//     source and what its caller gave, as far as that was kept; what is missing stays as it
//     was. Charges and shields stay, unless there were none. Where that cannot be, since the
//     [define.Stacking].Timers differ or the owner's modifiers would be too many, it is kept; where
//     the new version is instant, it is removed.
//   - end: it is removed for the reason Reload.
//
// A definition that is no more cannot be migrated to. Adopt costs O(buffs).
func (s *Set) Adopt(t *Turn, at wheel.Time) Adopted {
	t.begin(at, s.timeScale().firstReached(at), false)
	var n Adopted
	s.eachInstance(func(at uint16) { s.adopt(t, at, &n) })
	s.setCatalog(t.Catalog)
	versions := false
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		versions = versions || s.specOf(s.slot(at)).catalog != t.Catalog
	}
	s.setMixed(versions)
	s.conclude(t)
	for t.head < len(t.items) {
		s.runNext(t)
	}
	t.resetQueue()
	s.reschedule(t, at)
	return n
}

// Adopted is what came of a [Set.Adopt], in buffs.
type Adopted struct {
	Migrated int // became those of the new version
	Ended    int // were removed
	Kept     int // go on as they are, of an older version or none
}

// adopt brings one instance to the newest version.
func (s *Set) adopt(t *Turn, at uint16, n *Adopted) {
	i := s.slot(at)
	newest, known := t.Catalog.version(s.specOf(i))
	switch {
	case newest == s.specOf(i):
		return
	case newest != nil && newest.revision == s.specOf(i).revision:
		s.setSpec(at, newest)
		return
	}
	rule := s.specOf(i).Reload
	if newest != nil {
		rule = newest.Reload
	}
	switch {
	case !known:
		n.Kept++
	case rule == define.ReloadEnd, rule == define.ReloadMigrate && newest != nil && newest.Kind == define.Instant:
		s.end(t, at, Reload)
		n.Ended++
	case rule == define.ReloadMigrate && newest != nil && newest.Stack.Timers == s.specOf(i).Stack.Timers && s.modifiersFit(newest, len(s.specOf(i).modifiers)):
		if s.migrate(t, at, newest) {
			n.Migrated++
		} else {
			n.Ended++
		}
	default:
		n.Kept++
	}
}
