package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// crossIndex is the loop's index of all auras, and of all buffs that depend on their source,
// whichever owner they are on. It is built from events. Events of the loop's own commands are added
// immediately, events from workers at the end of the frame.
type crossIndex struct {
	needed needs // union over all definitions; if it is 0, the index is not used

	differs  []bool // by lineage: versions of this definition need different entries
	changes  []change
	read     int  // number of Engine.loop.Events that have been collected
	settling bool // indexLoopEvents is running

	evictions []outgoing // removals of buffs that exceed the limit of their source
	retries   []outgoing // removals to retry in the next Tick
	gone      []uint32   // scratch of loseSource

	sources sources
	auras   auras
}

// needs says which parts of the cross-owner index have entries for the instances of a definition.
type needs uint8

const (
	forSource  needs = 1 << iota // an instance ends or is adopted when its source leaves
	forShare                     // the number of instances from one source is limited
	forAdopt                     // an instance is adopted when its source leaves
	forAura                      // an instance is an aura
	forBearers                   // an action is for the owners of the instances
)

// inSources are the needs for an entry in crossIndex.sources.
const inSources = forSource | forShare | forBearers

// change is the part of an event that the cross-owner index needs.
type change struct {
	at     wheel.Time
	owner  buff.OwnerID
	source buff.OwnerID
	spec   *buff.Spec
	handle buff.Handle
	kind   buff.EventKind
}

func newCrossIndex(catalog *buff.Catalog) crossIndex {
	l := crossIndex{sources: newSources(), auras: newAuras(catalog)}
	for s := range catalog.All() {
		l.needed |= needsOf(s)
	}
	return l
}

func needsOf(s *buff.Spec) (c needs) {
	switch s.OnSourceGone {
	case define.FateRemove:
		c = forSource
	case define.FateAdopt:
		c = forSource | forAdopt
	}
	if s.PerSource.Limit > 0 {
		c |= forShare
	}
	if rules.Borne(s) {
		c |= forBearers
	}
	if s.Aura.Apply != "" {
		c |= forAura
	}
	return c
}

// collect records the changes in events.
func (l *crossIndex) collect(events []buff.Event) {
	if l.needed == 0 {
		return
	}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case buff.Applied, buff.Restored, buff.Removed, buff.Queued: // Queued: the source may have changed
			if needsOf(e.Spec) != 0 || l.versionsDiffer(e.Spec) {
				l.changes = append(l.changes, change{at: e.At, owner: e.Owner, source: e.Source, spec: e.Spec, handle: e.Handle, kind: e.Kind})
			}
		case buff.Refreshed, buff.Stacked:
			if l.versionsDiffer(e.Spec) {
				l.changes = append(l.changes, change{at: e.At, owner: e.Owner, source: e.Source, spec: e.Spec, handle: e.Handle, kind: revised})
			}
		}
	}
}

// indexLoopEvents updates the cross-owner index after a call of the loop. Removals that the index
// requires are executed immediately. This may take several rounds, because a removal may make room
// for an application, which may require another removal.
func (e *Engine) indexLoopEvents() {
	l := &e.index
	if l.needed == 0 || l.settling {
		return
	}
	l.settling = true
	l.collectNew(e.loop.Events)
	for round, done := 0, 0; len(l.changes) > 0; round++ {
		l.apply()
		if done += len(l.evictions); len(l.evictions) > 0 && (round >= rules.MaxRounds || done > rules.MaxCommands) {
			e.deferEvictions()
		}
		for i := range l.evictions {
			e.evict(&l.evictions[i])
		}
		l.evictions = l.evictions[:0]
		l.collectNew(e.loop.Events)
	}
	l.settling = false
	e.deliverOutbox() // the commands that the removals have issued
}

// collectNew records the changes in the events that were not collected before.
func (l *crossIndex) collectNew(events []buff.Event) {
	l.collect(events[l.read:])
	l.read = len(events)
}

// deferEvictions defers the pending removals to the next Tick, because this call has reached its
// limits, and emits a Faulted event.
func (e *Engine) deferEvictions() {
	l := &e.index
	l.retries = append(l.retries, l.evictions...)
	e.loop.Events = append(e.loop.Events, buff.Event{
		At: e.now, Seen: e.now, Owner: l.evictions[0].from, End: wheel.Never, Kind: buff.Faulted, Why: reason.Cascade,
	})
	l.evictions = l.evictions[:0]
}

// indexFrameEvents updates the cross-owner index with the events of the owners' turns. Removals
// that the index requires are added to the cross-owner commands.
//
// The changes are sorted in the same order as cross-owner commands, so that the age of an entry
// does not depend on the order of the owners in the frame.
func (e *Engine) indexFrameEvents() {
	l := &e.index
	if l.needed == 0 {
		return
	}
	l.collectNew(e.loop.Events) // events of busy owners that have left
	slices.SortStableFunc(l.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.owner, b.owner))
	})
	l.apply()
	e.outbox = append(append(e.outbox, l.retries...), l.evictions...)
	l.retries, l.evictions = l.retries[:0], l.evictions[:0]
}

// apply updates the index with the collected changes. If several buffs were restored with an owner,
// their changes are sorted youngest first, because each restored buff becomes the oldest buff of
// its source. The restored auras are started in the opposite order, which is the order of their
// searches.
func (l *crossIndex) apply() {
	for i := range l.changes {
		c := &l.changes[i]
		wants := needsOf(c.spec)
		if wants&inSources != 0 || l.versionsDiffer(c.spec) {
			l.applySource(c, wants)
		}
	}
	for i := 0; i < len(l.changes); {
		n := i + 1
		for n < len(l.changes) && isBack(l.changes[i])*isBack(l.changes[n]) == 1 && l.changes[i].owner == l.changes[n].owner {
			n++
		}
		for k := n - 1; k >= i; k-- {
			l.applyAura(&l.changes[k])
		}
		i = n
	}
	l.changes = l.changes[:0]
}

func (l *crossIndex) applyAura(c *change) {
	if needsOf(c.spec)&forAura != 0 || l.versionsDiffer(c.spec) && c.kind != buff.Applied && c.kind != buff.Restored {
		l.auras.update(c)
	}
}

// evict removes a buff that exceeds the limit of its source. If the owner's mailbox is full, the
// next Tick tries again.
func (e *Engine) evict(c *outgoing) {
	o := e.targetOf(&c.cmd)
	if o == nil {
		return
	}
	if r := e.deliver(o, &c.cmd); errors.Is(r.Failure, ErrOverloaded) {
		e.index.retries = append(e.index.retries, *c)
	}
}

// revised is the change.kind for a Refreshed or a Stacked. After either event, the instance may
// have another version of its definition.
const revised = buff.Refreshed

// reload prepares the cross-owner index for the definitions of a new catalog. The parameter `lines`
// has the previous versions, by lineage.
func (l *crossIndex) reload(lines []counted, c *buff.Catalog) {
	if n := c.Lineages() + 1; n > len(l.differs) {
		l.differs = append(l.differs, make([]bool, n-len(l.differs))...)
	}
	for s := range c.All() {
		l.needed |= needsOf(s)
		if line := s.Lineage(); line < len(lines) && lines[line].spec != nil {
			old := lines[line].spec
			l.differs[line] = l.differs[line] || needsOf(old) != needsOf(s) || old.Aura != s.Aura
		}
	}
}

// versionsDiffer reports whether different versions of a definition need different entries in the
// cross-owner index.
func (l *crossIndex) versionsDiffer(s *buff.Spec) bool {
	return int(s.Lineage()) < len(l.differs) && l.differs[s.Lineage()]
}
