package buff

import "iter"

// Aspect says what of a buff, or of its owner, has changed: bits.
type Aspect uint16

// What of a buff may change, by the fields of its [Instance].
const (
	AspectBegun   Aspect = 1 << iota // the one in this slot is new: all of it
	AspectEnded                      // one that was in this slot has ended; another may be there
	AspectTime                       // End, Paused, Held, Rate and what it has left
	AspectStacks                     // Stacks
	AspectPower                      // Magnitude and Level
	AspectCharges                    // Charges
	AspectShield                     // Shield
	AspectHidden                     // Hidden
	AspectWaiting                    // Waiting
	AspectSource                     // Source
	AspectSpec                       // Spec, by one that says something else
)

// What of an owner may change, beside its buffs.
const (
	AspectLife       Aspect = 1 << iota // it died, or lives again: see [Set.Dead]
	AspectClock                         // its time stands still, goes on, or has another rate; that of each buff has changed too
	AspectAttributes                    // an attribute may have another value
)

// Journal notes which buffs of one owner have changed since it was last emptied, and in what:
// also what no [Event] tells, as that the owner's time stands still, that a charge was used, or
// that a shield has absorbed a part. What has changed and is as before may be in it.
//
// NextPulse is not noted: it moves with every pulse. What is new since the Set has a Journal is
// noted, and what was there before is not.
//
// It belongs to whoever has the Set. A change costs some 5 ns, and memory only once for each slot.
type Journal struct {
	first func(number uint32)
	owner Aspect
	slots []uint16
	what  []Aspect // by slot
	spare [4]uint16
}

// NewJournal returns an empty Journal. If first is not nil, it is called with the number of the
// Set for the first change since the Journal was empty, by whoever has the Set.
func NewJournal(first func(number uint32)) *Journal { return &Journal{first: first} }

// SetJournal lets the Set note its changes in j from here on, or nowhere if it is nil.
func (s *Set) SetJournal(j *Journal) { s.journal = j }

// Owner returns what has changed of the owner itself.
func (j *Journal) Owner() Aspect { return j.owner }

// Slots returns the slots in which something has changed, in the order of the first change in
// each. What is there now, if anything, [Set.At] says. Nothing may be changed meanwhile.
func (j *Journal) Slots() iter.Seq2[int, Aspect] {
	return func(yield func(int, Aspect) bool) {
		for _, at := range j.slots {
			if !yield(int(at), j.what[at]) {
				return
			}
		}
	}
}

// Empty forgets all changes.
func (j *Journal) Empty() {
	for _, at := range j.slots {
		j.what[at] = 0
	}
	j.slots, j.owner = j.slots[:0], 0
}

// mark notes what has changed in a slot.
func (s *Set) mark(at uint16, what Aspect) {
	if s.journal != nil && what != 0 {
		s.journal.Mark(s.number, at, what)
	}
}

// markOwner notes what has changed of the owner itself.
func (s *Set) markOwner(what Aspect) {
	if s.journal != nil {
		s.journal.MarkOwner(s.number, what)
	}
}

// markTime notes that the time of all buffs has changed.
func (s *Set) markTime() {
	if s.journal == nil {
		return
	}
	s.markOwner(AspectClock)
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		s.mark(at, AspectTime)
	}
}

// MarkOwner notes what has changed of the owner itself. It is the Set's to call.
func (j *Journal) MarkOwner(number uint32, what Aspect) {
	j.begin(number)
	j.owner |= what
}

func (j *Journal) begin(number uint32) {
	if len(j.slots) == 0 && j.owner == 0 && j.first != nil {
		j.first(number)
	}
}

// Mark notes what has changed in a slot of the Set of that number. It is the Set's to call.
func (j *Journal) Mark(number uint32, at uint16, what Aspect) {
	j.begin(number)
	for int(at) >= len(j.what) {
		j.what = append(j.what, 0)
	}
	if j.what[at] == 0 {
		if j.slots == nil {
			j.slots = j.spare[:0]
		}
		j.slots = append(j.slots, at)
	}
	j.what[at] |= what
}

// looks is what of an instance an application that joins it may change.
type looks struct {
	spec       *Spec
	source     OwnerID
	magnitude  int64
	shield     int64
	end        int64
	charges    int32
	waiting    int
	stacks     int16
	level      int16
	generation uint32
}

// looksOf returns how an instance looks before a change of which it is not known what it will be.
func (s *Set) looksOf(at uint16) looks {
	i := &s.slots[at]
	l := looks{s.specOf(i), i.source, i.magnitude, 0, int64(i.end), 0, 0, i.stacks, i.level, i.generation}
	if i.extra != noSlot {
		x := s.extraOf(i)
		l.shield, l.charges = x.shield, x.charges
		if s.specOf(i).Stack.Timers == TimersQueue {
			l.waiting = len(x.async)
		}
	}
	return l
}

// markSince notes in what an instance looks otherwise than before. Of one that has ended meanwhile
// it is noted already.
func (s *Set) markSince(at uint16, was *looks) {
	if s.slots[at].generation != was.generation {
		return
	}
	is := s.looksOf(at)
	var a Aspect
	note := func(changed bool, what Aspect) {
		if changed {
			a |= what
		}
	}
	note(is.spec != was.spec, AspectSpec)
	note(is.source != was.source, AspectSource)
	note(is.magnitude != was.magnitude || is.level != was.level, AspectPower)
	note(is.shield != was.shield, AspectShield)
	note(is.charges != was.charges, AspectCharges)
	note(is.end != was.end, AspectTime)
	note(is.waiting != was.waiting, AspectWaiting)
	note(is.stacks != was.stacks, AspectStacks)
	s.mark(at, a)
}
