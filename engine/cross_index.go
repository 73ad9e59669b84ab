package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// crossIndex is what the loop keeps about the buffs of all owners together: who applied those
// that care for their source, and which are auras. It learns that from events: from the
// loop's own at once, from those of the workers at the frame's end.
type crossIndex struct {
	all cares // of all definitions together; 0: there is nothing to keep

	shifts   []bool // by line: there are versions for which it keeps different things
	changes  []change
	read     int  // how many of Engine.loop.Events are in changes, or were
	settling bool // noteLoop is at work

	doomed []outgoing // ends of buffs that are beyond the share of their source
	again  []outgoing // those for which there was no room
	gone   []uint32

	sources sources
	auras   auras
}

// cares says what the cross-owner index keeps of the instances of a definition.
type cares uint8

const (
	forSource cares = 1 << iota // they may go or be adopted when their source leaves
	forShare                    // a source has a limited number
	forAdopt                    // they may be adopted
	forAura                     // they are auras
)

// change is what the cross-owner index has to know of an event.
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
		l.all |= caresOf(s)
	}
	return l
}

func caresOf(s *buff.Spec) (c cares) {
	switch s.OnSourceGone {
	case define.FateRemove:
		c = forSource
	case define.FateAdopt:
		c = forSource | forAdopt
	}
	if s.PerSource.Limit > 0 {
		c |= forShare
	}
	if s.Aura.Apply != "" {
		c |= forAura
	}
	return c
}

// note takes down what the events change.
func (l *crossIndex) note(events []buff.Event) {
	if l.all == 0 {
		return
	}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case buff.Applied, buff.Restored, buff.Removed, buff.Queued: // the last may have another source
			if caresOf(e.Spec) != 0 || l.shifting(e.Spec) {
				l.changes = append(l.changes, change{at: e.At, owner: e.Owner, source: e.Source, spec: e.Spec, handle: e.Handle, kind: e.Kind})
			}
		case buff.Refreshed, buff.Stacked:
			if l.shifting(e.Spec) {
				l.changes = append(l.changes, change{at: e.At, owner: e.Owner, source: e.Source, spec: e.Spec, handle: e.Handle, kind: revised})
			}
		}
	}
}

// noteLoop brings the cross-owner index up to date with what the loop has just done. What follows from
// that is done at once, in rounds: an end may make room for an application, and that end
// another one.
func (e *Engine) noteLoop() {
	l := &e.index
	if l.all == 0 || l.settling {
		return
	}
	l.settling = true
	l.noteNew(e.loop.Events)
	for round, done := 0, 0; len(l.changes) > 0; round++ {
		l.book()
		if done += len(l.doomed); len(l.doomed) > 0 && (round >= buff.MaxRounds || done > buff.MaxCommands) {
			e.putOff()
		}
		for i := range l.doomed {
			e.evict(&l.doomed[i])
		}
		l.doomed = l.doomed[:0]
		l.noteNew(e.loop.Events)
	}
	l.settling = false
}

// noteNew is note for the events that it has not seen.
func (l *crossIndex) noteNew(events []buff.Event) {
	l.note(events[l.read:])
	l.read = len(events)
}

// putOff leaves the ends that are too many at once to the next Tick, and says so.
func (e *Engine) putOff() {
	l := &e.index
	l.again = append(l.again, l.doomed...)
	e.loop.Events = append(e.loop.Events, buff.Event{
		At: e.now, Seen: e.now, Owner: l.doomed[0].from, End: wheel.Never, Kind: buff.Faulted, Why: buff.Cascade,
	})
	l.doomed = l.doomed[:0]
}

// noteFrame brings the cross-owner index up to date with what the owners' turns have brought. What
// follows from that goes to the commands across owners.
//
// The changes are sorted as those commands are, so that what is the oldest does not depend
// on which owner came first in the frame.
func (e *Engine) noteFrame() {
	l := &e.index
	if l.all == 0 {
		return
	}
	l.noteNew(e.loop.Events) // of busy owners that have left
	slices.SortStableFunc(l.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.owner, b.owner))
	})
	l.book()
	e.outbox = append(append(e.outbox, l.again...), l.doomed...)
	l.again, l.doomed = l.again[:0], l.doomed[:0]
}

// book does what has been noted. What has come back with an owner stands there the youngest first, since
// each becomes the oldest of its source; of the auras among it the oldest begins first, as its looks come first.
func (l *crossIndex) book() {
	for i := range l.changes {
		c := &l.changes[i]
		wants := caresOf(c.spec)
		if wants&(forSource|forShare) != 0 || l.shifting(c.spec) {
			l.bookSource(c, wants)
		}
	}
	for i := 0; i < len(l.changes); {
		n := i + 1
		for n < len(l.changes) && isBack(l.changes[i])*isBack(l.changes[n]) == 1 && l.changes[i].owner == l.changes[n].owner {
			n++
		}
		for k := n - 1; k >= i; k-- {
			l.bookAura(&l.changes[k])
		}
		i = n
	}
	l.changes = l.changes[:0]
}

func (l *crossIndex) bookAura(c *change) {
	if caresOf(c.spec)&forAura != 0 || l.shifting(c.spec) && c.kind != buff.Applied && c.kind != buff.Restored {
		l.auras.book(c)
	}
}

// evict ends a buff that is beyond the share of its source. Without room in the mailbox of
// its owner, that waits for the next Tick.
func (e *Engine) evict(c *outgoing) {
	o := e.whom(&c.cmd)
	if o == nil {
		return
	}
	if r := e.deliver(o, &c.cmd); errors.Is(r.Err, ErrOverloaded) {
		e.index.again = append(e.index.again, *c)
	}
}

// revised is the kind of a change that stands for several events: an instance is, or may be,
// of another version of its definition from here on.
const revised = buff.Refreshed

// reload makes the cross-owner index ready for the definitions of a catalog. The lineages know the
// versions before.
func (l *crossIndex) reload(lines []counted, c *buff.Catalog) {
	if n := c.Lineages() + 1; n > len(l.shifts) {
		l.shifts = append(l.shifts, make([]bool, n-len(l.shifts))...)
	}
	for s := range c.All() {
		l.all |= caresOf(s)
		if line := s.Lineage(); line < len(lines) && lines[line].spec != nil {
			old := lines[line].spec
			l.shifts[line] = l.shifts[line] || caresOf(old) != caresOf(s) || old.Aura != s.Aura
		}
	}
}

// shifting reports whether there are versions of a definition for which the cross-owner index keeps
// different things.
func (l *crossIndex) shifting(s *buff.Spec) bool {
	return int(s.Lineage()) < len(l.shifts) && l.shifts[s.Lineage()]
}
