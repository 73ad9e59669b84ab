package journal

import "iter"

// Aspect is a bit set of the aspects of a buff, or of its owner, that have changed.
type Aspect uint16

// Aspects of a buff, named after the fields of buff.Instance that they cover.
const (
	Begun   Aspect = 1 << iota // the buff in this slot is new
	Ended                      // a buff in this slot has ended; the slot may hold another buff now
	Time                       // End, Paused, Held, Rate and the remaining time
	Stacks                     // Stacks
	Power                      // Magnitude and Level
	Charges                    // Charges
	Shield                     // Shield
	Hidden                     // Hidden
	Waiting                    // Waiting
	Source                     // Source
	Spec                       // Spec: the buff now has another version of its definition
)

// Aspects of the owner itself.
const (
	Life Aspect = 1 << iota // the owner died or was revived; see engine.Engine.Dead
	// The owner's time was paused or resumed, or its rate was changed. This also changes the time
	// of all its buffs.
	Clock
	Attributes // the value of an attribute may have changed
)

// Journal records the buffs of one owner that have changed since the Journal was last emptied,
// including changes that emit no buff.Event, such as a pause of the owner's time, the use of a
// charge, or damage absorbed by a shield. It may also list aspects that have changed back to their
// former value.
//
// Pulses are not recorded, although each of them changes NextPulse. A Journal has no entries for
// changes made before it was attached to the owner.
//
// A Journal must only be used by the goroutine that runs the owner. Recording a change takes about
// 5 ns; memory is allocated only once for each slot.
type Journal struct {
	first func(number uint32)
	owner Aspect
	slots []uint16
	what  []Aspect // by slot
	spare [4]uint16
}

// New returns an empty Journal. If first is not nil, the goroutine that runs the owner calls it,
// with the number of the owner, for the first change after the Journal was empty.
func New(first func(number uint32)) *Journal { return &Journal{first: first} }

// Owner returns the changed aspects of the owner itself.
func (j *Journal) Owner() Aspect { return j.owner }

// Slots returns the changed slots and their aspects, in the order of the first change of each slot.
// The Journal and its owner must not change during the iteration.
func (j *Journal) Slots() iter.Seq2[int, Aspect] {
	return func(yield func(int, Aspect) bool) {
		for _, at := range j.slots {
			if !yield(int(at), j.what[at]) {
				return
			}
		}
	}
}

// Empty discards all changes.
func (j *Journal) Empty() {
	for _, at := range j.slots {
		j.what[at] = 0
	}
	j.slots, j.owner = j.slots[:0], 0
}

// MarkOwner records a change of the owner itself. Only the rules call it.
func (j *Journal) MarkOwner(number uint32, what Aspect) {
	j.begin(number)
	j.owner |= what
}

func (j *Journal) begin(number uint32) {
	if len(j.slots) == 0 && j.owner == 0 && j.first != nil {
		j.first(number)
	}
}

// Mark records a change in a slot of the owner with the given number. Only the rules call it.
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
