package journal

import "iter"

// Aspect says what of a buff, or of its owner, has changed: bits.
type Aspect uint16

// What of a buff may change, by the fields of its buff.Instance.
const (
	Begun   Aspect = 1 << iota // the one in this slot is new: all of it
	Ended                      // one that was in this slot has ended; another may be there
	Time                       // End, Paused, Held, Rate and what it has left
	Stacks                     // Stacks
	Power                      // Magnitude and Level
	Charges                    // Charges
	Shield                     // Shield
	Hidden                     // Hidden
	Waiting                    // Waiting
	Source                     // Source
	Spec                       // Spec, by one that says something else
)

// What of an owner may change, beside its buffs.
const (
	Life       Aspect = 1 << iota // it died, or lives again: see buff.Set.Dead
	Clock                         // its time stands still, goes on, or has another rate; that of each buff has changed too
	Attributes                    // an attribute may have another value
)

// Journal notes which buffs of one owner have changed since it was last emptied, and in what:
// also what no buff.Event tells, as that the owner's time stands still, that a charge was used, or
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

// New returns an empty Journal. If first is not nil, it is called with the number of the
// Set for the first change since the Journal was empty, by whoever has the Set.
func New(first func(number uint32)) *Journal { return &Journal{first: first} }

// Owner returns what has changed of the owner itself.
func (j *Journal) Owner() Aspect { return j.owner }

// Slots returns the slots in which something has changed, in the order of the first change in
// each. What is there now, if anything, buff.Set.At says. Nothing may be changed meanwhile.
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
