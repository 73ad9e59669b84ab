package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// extra has the state of an instance that plain buffs do not need. Extras are reused, with the
// memory of their lists.
type extra struct {
	// With TimersEach, async has one element for each application, sorted by end and age. With
	// TimersQueue it has the waiting applications, by age. For a buff that auras apply it has the
	// holders: see aura.go.
	async         []asyncStack
	magnitudes    *magnitudes    // nil if none are stored
	large         *largeNumbers  // set if the instance has the flag `large`
	key           uint64         // the key of the applications, with ByKey
	currentPeriod int64          // ms; 0 if it is as long as the following periods
	pendingPeriod int64          // ms; with HasteSnapshot, the period after the next refresh; 0 if unchanged
	shield        int64          // remaining pool; 0 with TimersEach, where each async stack has its own
	running       uint64         // with TimersQueue, age of the running application
	charges       int32          // remaining charges; 0 with TimersEach
	pendingPulses int32          // late pulses not yet combined: see catchUp
	lastPending   clock.BuffTime // instant of the last of these pulses, in buff time
	scale         clock.Buff     // valid if the instance has the flag timeScaled
	nextFree      uint16
}

// asyncStack is one application with its own timer: an async stack, a waiting application of a
// queue, or a holder of a buff that auras apply.
type asyncStack struct {
	end       clock.BuffTime // end of the application; not used in a queue
	lag       int64          // with TimersEach, ms from a boundary of the instance to the end of the stack's own period
	left      int64          // with TimersQueue, remaining ms
	magnitude int64
	source    buff.OwnerID
	age       uint64
	shield    int64 // remaining pool
	charges   int32 // remaining charges
	stacks    int16
	level     int16
	numbers   uint16 // index of the separate numbers, from 1; 0 if there are none
}

// allocExtra returns the index of an empty extra.
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

// extra returns the extra of an instance that has one.
func (i instance) extra() *extra {
	return &i.owner.rare.extras[i.extraIndex]
}

// ensureExtra returns the extra of an instance, allocating it if necessary.
func (i instance) ensureExtra() *extra {
	if i.extraIndex == noSlot {
		i.extraIndex = i.owner.ensureRare().allocExtra()
	}
	return i.extra()
}
