package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Adopt updates the owner's buffs to the definitions of Turn.Catalog. The caller calls it for
// each owner after a reload. Its requirements, and its treatment of Go handlers, are the same as for
// [Set.Do].
//
// A buff with an unchanged definition takes the new version without an event. Otherwise the
// Reload rule of the new version decides, or the rule of the running version if Turn.Catalog no
// longer has the definition:
//
//   - keep: the buff continues with its old version until it is refreshed or ends.
//   - migrate: the buff takes the new version, and a Refreshed reports its new end.
//   - end: the buff is removed with reason Reload.
//
// A migration gives the buff the new duration, scaled and diminished as its application was, and
// counted from the same start. Later extensions and reductions remain. With [define.TimersEach] and
// [define.TimersQueue] all ends move by the difference of the durations. A buff that would have
// ended already, and stacks above the new limit, are removed with reason Reload. The next pulse
// does not move; the new period starts after it, even if the old one was hastened. Numbers are
// evaluated again, from the stored captures and parameters; a number with a missing input keeps
// its value. Charges and shields remain; a buff that had none gets the ones of the new version. A
// buff cannot migrate if [define.Stacking].Timers differs or the owner would have too many
// modifiers: it is kept. If the new version is instant, the buff is removed.
//
// A buff without a definition in Turn.Catalog cannot migrate. Adopt costs O(buffs).
func (s *Set) Adopt(t *Turn, at wheel.Time) Adopted {
	t.begin(at, s.timeScale().firstReached(at), false)
	var n Adopted
	s.eachInstance(func(at uint16) { s.adopt(t, at, &n) })
	s.setCatalog(t.Catalog)
	versions := false
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		versions = versions || s.programOf(s.slot(at)).catalog != t.Catalog
	}
	s.setMixed(versions)
	s.evaluateConditions(t)
	for t.head < len(t.items) {
		s.runNext(t)
	}
	t.resetQueue()
	s.reschedule(t, at)
	return n
}

// Adopted is the result of [Set.Adopt], in buffs.
type Adopted struct {
	Migrated int // took the new version
	Ended    int // were removed
	Kept     int // keep an old version, or a definition that was removed
}

// adopt updates one instance to the newest version of its definition.
func (s *Set) adopt(t *Turn, at uint16, n *Adopted) {
	i := s.slot(at)
	newest, known := t.Catalog.version(s.programOf(i))
	switch {
	case newest == s.programOf(i):
		return
	case newest != nil && newest.revision == s.programOf(i).revision:
		s.setProgram(at, newest)
		return
	}
	rule := s.programOf(i).Reload
	if newest != nil {
		rule = newest.Reload
	}
	switch {
	case !known:
		n.Kept++
	case rule == define.ReloadEnd, rule == define.ReloadMigrate && newest != nil && newest.Kind == define.Instant:
		s.end(t, at, Reload)
		n.Ended++
	case rule == define.ReloadMigrate && newest != nil && newest.Stack.Timers == s.programOf(i).Stack.Timers && s.modifiersFit(newest, len(s.programOf(i).modifiers)):
		if s.migrate(t, at, newest) {
			n.Migrated++
		} else {
			n.Ended++
		}
	default:
		n.Kept++
	}
}
