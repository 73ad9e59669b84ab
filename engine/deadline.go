package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/radix"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Each buff and each timeout has at most one valid entry on the wheel. The entries are values: the
// owner's state knows which entry is valid, see rules.Turn.Deadlines. If a deadline becomes later,
// the entry stays where it is; when it comes out, the owner's turn finds nothing due and adds
// an entry for the later deadline. If a buff ends early, its entry does nothing. So refreshing and
// removing a buff do not touch the wheel.

// schedule holds the deadlines of all owners and auras.
type schedule struct {
	engine *Engine
	wheel  *wheel.Schedule
	fired  []wheel.Fired // entries that have come out in this slice
	age    uint64        // number of deadlines added to the wheel
	swept  uint64        // age at the last sweepWheel
	timers int           // result of the last countTimers
}

// ownerMark is what the loop notes about an owner in a table of its own, so that it need not access
// the owner. The low bits are the place of the owner's only due deadline. If other work may wait as
// well, they are manyPlaces.
type ownerMark uint64

const (
	markPresent ownerMark = 1 << 63 // the owner exists
	markWaiting ownerMark = 1 << 62 // the owner is in dispatcher.waiting
	markLate    ownerMark = 1 << 61 // a turn of the owner was cut short, and it has not caught up since

	manyPlaces ownerMark = 1<<ageShift - 1
)

func (c *ownerMark) has(m ownerMark) bool { return *c&m != 0 }
func (c *ownerMark) set(m ownerMark)      { *c |= m }
func (c *ownerMark) clear(m ownerMark)    { *c &^= m }

// place returns the place of the only due deadline, or NoPlace if there may be more work.
func (c ownerMark) place() rules.Place {
	if c &= manyPlaces; c != manyPlaces {
		return rules.Place(c)
	}
	return rules.NoPlace
}

// An entry of the wheel has 64 bits besides its deadline: the flag auraTimer, the age, and the
// rules.Place. The age is the number of entries added before it, modulo 2^30: of two entries for
// one instant, the older one comes first.
const (
	ageShift = 33
	ageMask  = 1<<30 - 1
)

// dueOwner is a due owner as a sortable integer. It sorts first by how overdue the owner is, the
// longest overdue first, then by the age of the entry, and then by the owner's number.
type dueOwner uint64

const (
	numberBits   = 20 // bits of a number below buff.MaxOwners
	instantShift = 30 + numberBits
	mostLate     = 1<<14 - 1
)

// number returns the owner's number.
func (d dueOwner) number() uint32 { return uint32(d) & (buff.MaxOwners - 1) }

// dueKey returns the sort key of a due owner. A delay above mostLate counts as mostLate, because
// the key has no room for more. Slices of a Tick are shorter than that, unless almost no events are
// due.
func (s *schedule) dueKey(f wheel.Fired, number uint32) dueOwner {
	late := uint64(min(s.engine.now-f.Due, mostLate))
	age := (f.ID>>ageShift - s.age) & ageMask // the oldest entry has the smallest age
	return dueOwner((mostLate-late)<<instantShift | age<<numberBits | uint64(number))
}

// collectDue adds the owners of the entries that have come out of the wheel to dispatcher.waiting, in
// order, and after them the owners in dispatcher.scheduled.
func (d *dispatcher) collectDue() {
	w, quiet := &d.waiting, d.group.Quiet()
	w.left = w.n > 0
	first, sorted, last := len(w.list), true, dueOwner(0)
	for _, f := range d.engine.deadlines.fired {
		if f.ID&auraTimer != 0 {
			d.engine.index.auras.timerFired(int32(f.ID&^auraTimer), f.Due)
			continue
		}
		place := placeOf(f.ID)
		number := place.Number()
		c := &d.engine.owners.marks[number]
		switch {
		case !c.has(markPresent) || !quiet && d.sendDue(d.engine.owners.place(number)):
			continue
		case c.has(markWaiting):
			c.set(manyPlaces)
			continue
		}
		*c = *c&^manyPlaces | markWaiting | ownerMark(place)
		key := d.engine.deadlines.dueKey(f, number)
		sorted = sorted && last <= key
		w.list = append(w.list, key)
		last = key
	}
	if !sorted {
		w.spare = radix.Sort(w.list[first:], numberBits, w.spare)
	}
	w.n += len(w.list) - first
	for _, r := range d.scheduled {
		if o := r.alive(); o != nil {
			o.scheduled = false
			if quiet || !d.sendDue(o) {
				d.wait(o.number)
			}
		}
	}
	d.clearScheduled()
	d.engine.stats.Fired += uint64(len(d.engine.deadlines.fired))
}

// sendDue reports whether an owner is busy or has messages. Such an owner gets a message to process
// its due events, unless it is leaving: it does not process events that become due after its Drop.
func (d *dispatcher) sendDue(o *owner) bool {
	if o.quiet() {
		return false
	}
	if !o.leaving() {
		d.run(o)
	}
	return true
}

// placeOf returns the place in an entry that is not of an aura.
func placeOf(id uint64) rules.Place { return rules.Place(id & (1<<ageShift - 1)) }

// file adds deadlines to the wheel. It reports whether one of them has already passed, because it
// was set by a turn that ended late. Such a deadline is not added: the owner needs a turn at once.
func (s *schedule) file(list []rules.Deadline) (late bool) {
	for _, d := range list {
		if d.Due <= s.engine.now {
			late = true
			continue
		}
		s.wheel.Add(d.Due, (s.age&ageMask)<<ageShift|uint64(d.Place))
		s.age++
	}
	return late
}

// Entries that are no longer valid are swept off the wheel when there are more of them than valid
// ones. A sweep visits twice as many entries as have been added, so it overtakes any flood.
const (
	invalidAllowed = 256
	sweepPiece     = 256
)

// sweepWheel removes some invalid entries from the wheel, if there are many.
func (s *schedule) sweepWheel() {
	added := int(s.age - s.swept)
	s.swept = s.age
	if s.wheel.Len() > invalidAllowed && s.engine.turns.group.Quiet() && s.wheel.Len()-invalidAllowed > 2*s.countTimers() {
		s.wheel.Sweep(2*added+sweepPiece, s.isValid)
	}
}

// countTimers returns the number of valid entries of the wheel or, while an owner is busy, an
// earlier result.
func (s *schedule) countTimers() int {
	if !s.engine.turns.group.Quiet() {
		return s.timers
	}
	s.timers = s.engine.loop.Waiting
	for i := range s.engine.turns.workers {
		s.timers += s.engine.turns.workers[i].turn.Waiting
	}
	for i := range s.engine.index.auras.all {
		if x := &s.engine.index.auras; x.waits(int32(i), x.all[i].search) && x.all[i].search != wheel.Never {
			s.timers++
		}
	}
	return s.timers
}

// isValid reports whether an entry of the wheel is valid. Every owner must be idle.
func (s *schedule) isValid(due wheel.Time, id uint64) bool {
	if id&auraTimer != 0 {
		return s.engine.index.auras.waits(int32(id&^auraTimer), due)
	}
	p := placeOf(id)
	o := s.engine.owners.there(p.Number())
	return o != nil && o.set.Waits(rules.Deadline{Due: due, Place: p})
}
