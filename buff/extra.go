package buff

import "github.com/bufftick/bufftick/wheel"

// extra is what an instance has that is not plain. Extras are used again, with the
// memory of their lists.
type extra struct {
	async         []asyncStack  // TimersEach: one for each application, by end and age; TimersQueue: those that wait, by age
	magnitudes    *magnitudes   // of numbers; nil: nothing
	large         *largeNumbers // if it is flagged large
	key           uint64        // of ByKey
	currentPeriod int64         // ms: of the period that runs, if haste has left it as it was; 0: as those after it
	pendingPeriod int64         // ms: the period from the next refresh on, with HasteSnapshot; 0: as it is
	shield        int64         // what is left; with TimersEach it is that of each async stack, and this is 0
	running       uint64        // TimersQueue: the age of the application that runs
	charges       int32         // the same
	pendingPulses int32         // late pulses that wait to be one; see catchup.go
	lastPending   wheel.Time    // the last of them, in the instance's own time
	scale         timeScale     // of the instance, if it is flagged timeScaled
	nextFree      uint16
}

// asyncStack is one application with a time of its own: an async stack, or one that waits in a queue.
type asyncStack struct {
	end       wheel.Time // TimersEach: its end
	lag       int64      // TimersEach: ms from a beat of the instance to the end of the period of its own that counts there
	left      int64      // TimersQueue: ms that it still has
	magnitude int64
	source    OwnerID
	age       uint64
	shield    int64 // left of the shield of its own
	charges   int32 // left of the charges of its own
	stacks    int16
	level     int16
	numbers   uint16 // TimersQueue: those of its own, counted from 1; 0: it has none
}

// allocExtra returns a free extra, empty.
func (b *rareState) allocExtra() uint16 {
	at := b.freeExtra
	if at == noSlot {
		b.extras = append(b.extras, extra{})
		return uint16(len(b.extras) - 1)
	}
	b.freeExtra = b.extras[at].nextFree
	return at
}

// freeExtraAt frees an extra.
func (b *rareState) freeExtraAt(at uint16) {
	x := &b.extras[at]
	*x = extra{async: x.async[:0], magnitudes: x.magnitudes.reset(), nextFree: b.freeExtra}
	b.freeExtra = at
}

// extraOf returns the extra of an instance that has one.
func (s *Set) extraOf(i *instance) *extra { return &s.rare.extras[i.extra] }

// ensureExtra returns the extra of an instance and gives it one if it has none.
func (s *Set) ensureExtra(i *instance) *extra {
	if i.extra == noSlot {
		i.extra = s.ensureRare().allocExtra()
	}
	return s.extraOf(i)
}
