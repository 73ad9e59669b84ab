package buff

import (
	"fmt"
	"github.com/bufftick/bufftick/internal/handle"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Instance is a snapshot of one running buff.
type Instance struct {
	Handle    Handle
	Spec      *Spec
	Source    OwnerID
	Stacks    int
	Magnitude int64
	End       wheel.Time // Never if infinite or paused
	NextPulse wheel.Time // Never if the buff does not pulse again, or is paused
	Level     int
	Charges   int   // remaining charges
	Shield    int64 // remaining pool of the shield
	Waiting   int   // with TimersQueue, number of waiting applications
	Hidden    bool  // the buff is present, but without effect
	Paused    bool  // the time of the buff is paused
	Held      Held  // causes of the pause; 0 unless Paused
	Rate      Ratio // rate of the buff's time while it is not paused; the zero Ratio means 1

	Ends      bool  // the buff is paused and not infinite, so End is Never only because of the pause
	Remaining int64 // if Ends is set, the remaining time in ms, by the buff's own clock
}

// Left returns the time from now until the end, or the longest Duration for an infinite buff. For
// a paused buff it returns the remaining time by the buff's own clock, whatever now is.
func (i Instance) Left(now wheel.Time) time.Duration {
	if i.Paused && i.Ends {
		return span(i.Remaining)
	}
	if i.End == wheel.Never {
		return maxDuration
	}
	return span(int64(i.End - now))
}

// Own returns the time from now until the end by the buff's own clock, which runs at Rate and stops
// while the buff is paused. For an infinite buff it returns the longest Duration. If Rate is not 1,
// the result is accurate to a millisecond of world time.
func (i Instance) Own(now wheel.Time) time.Duration {
	if i.Paused || i.End == wheel.Never || i.Rate == (Ratio{}) {
		return i.Left(now)
	}
	return span(int64(mulDiv(max(int64(i.End-now), 0), uint64(i.Rate.Num), uint64(i.Rate.Den))))
}

// Held is a bit set of the causes that pause a buff.
type Held uint8

// Causes of a pause.
const (
	HeldByBuff  Held = 1 << iota // the buff itself is paused
	HeldByOwner                  // the owner is paused
	HeldByZone                   // the owner's zone is paused
	HeldByDeath                  // the owner is dead, and the definition has "on_death: pause"
)

// span converts ms to a Duration, or to the longest one if it overflows.
func span(ms int64) time.Duration {
	if ms > int64(maxDuration/time.Millisecond) {
		return maxDuration
	}
	return time.Duration(ms) * time.Millisecond
}

const maxDuration time.Duration = 1<<63 - 1

// rank orders the events of an owner that are due at one instant.
type rank uint8

const (
	rankPulse rank = iota
	rankStackEnd
	rankEnd
	rankTimeout
)

// instance is one running buff. Its size is one cache line, 64 bytes, because an owner has
// dozens.
type instance struct {
	source OwnerID

	end wheel.Time // Never if infinite

	// boundary is the next boundary of the period, even if it is after the end, so that a later
	// refresh keeps the phase. It is Never if the instance has no period.
	boundary wheel.Time

	magnitude int64

	age32, period32, duration32 uint32 // see Set.age, Set.period and Set.duration

	generation uint32
	def        int32 // number of the definition, see Set.programOf; 0 if the slot is free
	stacks     int16
	level      int16
	flags      flags
	extra      uint16 // index in rareState.extras of the state that plain buffs do not need, or noSlot

	older, newer uint16 // neighbors by age, or noSlot; in a free slot, newer is the next free slot
}

const noSlot = 1<<16 - 1

// flags are boolean properties of an instance.
type flags uint16

const (
	dirty       flags = 1 << iota // the slot is in scratch.dirty
	unmet                         // the ongoing requirement fails
	inhibited                     // disabled by the command Inhibit
	weaker                        // another buff of the group is stronger
	ineffective                   // Stacking.Effective instances of the definition are stronger
	timeScaled                    // the instance has its own time scale, in extra.scale
	deathPaused                   // paused because the owner is dead
	member                        // applied by an aura
	leaving                       // the owner has left the aura: the instance ends with OutOfAura
	immune                        // the owner is immune to the instance
	large                         // age, period and duration are in extra.large

	hidden = unmet | inhibited | weaker | ineffective | immune
)

// nextPulse returns the instant of the next pulse in buff time, or Never if there is none up to
// the end. A partial tail pulses at the end, unless the end is a boundary or the buff continues
// after it.
func (s *Set) nextPulse(i *instance) wheel.Time {
	switch {
	case i.boundary <= i.end:
		return i.boundary
	case s.programOf(i).Tail == define.TailPartial && s.period(i) > 0 && s.elapsed(i, i.end) > 0 && !s.continues(i):
		return i.end
	}
	return wheel.Never
}

// continues reports whether the instance continues after the end of its duration, because it then
// has fewer stacks left or the next application of its queue runs.
func (s *Set) continues(i *instance) bool {
	switch st := &s.programOf(i).Stack; {
	case st.Timers == define.TimersQueue:
		return len(s.extraOf(i).async) > 0
	case st.Timers == define.TimersShared && st.Expire != define.ExpireAll && i.flags&leaving == 0:
		return int(i.stacks) > s.programOf(i).expiringStacks(int(i.stacks))
	}
	return false
}

// elapsed returns the ms from the last boundary before at.
func (s *Set) elapsed(i *instance, at wheel.Time) int64 {
	return int64(at-i.boundary) + s.currentPeriod(i)
}

// currentPeriod returns the length of the current period in ms. It differs from the length of the
// following periods, see Set.period, if a change of the period takes effect at the next pulse.
func (s *Set) currentPeriod(i *instance) int64 {
	if i.extra != noSlot {
		if x := s.extraOf(i); x.currentPeriod > 0 {
			return x.currentPeriod
		}
	}
	return s.period(i)
}

// restartPeriod starts a new period at now.
func (s *Set) restartPeriod(i *instance, now wheel.Time) {
	i.boundary = s.firstBoundary(i, now)
	if i.extra != noSlot {
		s.extraOf(i).currentPeriod = 0
	}
}

// setNextPeriod sets the length of the periods after the current one.
func (s *Set) setNextPeriod(i *instance, ms int64) {
	x := s.ensureExtra(i)
	x.currentPeriod = s.currentPeriod(i)
	s.storePeriod(i, ms)
}

// nextDue returns the instant of the instance's next event in owner time, and a key that orders
// the events at that instant. The instant is Never if there is no event.
func (s *Set) nextDue(i *instance) (wheel.Time, uint64) {
	at, _, r, age := s.nextEvent(i)
	return at, dueKey(r, age)
}

// nextEnd returns the next end of the instance, of an async stack or of a holder, in buff time.
func (s *Set) nextEnd(i *instance) wheel.Time {
	if s.programOf(i).Stack.Timers == define.TimersEach {
		return s.extraOf(i).async[0].end
	}
	if i.flags&member != 0 {
		if k := s.firstLeaving(i); k >= 0 {
			return s.extraOf(i).async[k].end
		}
	}
	return i.end
}

// nextOwnEvent returns the instance's next event: its instant in buff time, its rank and its age.
func (s *Set) nextOwnEvent(i *instance) (wheel.Time, rank, uint64) {
	end, r, age := i.end, rankEnd, s.age(i)
	switch st := &s.programOf(i).Stack; {
	case st.Timers == define.TimersEach:
		if async := s.extraOf(i).async; len(async) > 1 {
			end, r, age = async[0].end, rankStackEnd, async[0].age
		}
	case st.Timers == define.TimersQueue || st.Expire != define.ExpireAll:
		if s.continues(i) {
			r = rankStackEnd
		}
	}
	if i.flags&member != 0 {
		if k := s.firstLeaving(i); k >= 0 {
			h := &s.extraOf(i).async[k]
			end, r, age = h.end, rankStackEnd, h.age
		}
	}
	if at := s.nextPulse(i); at <= end && at != wheel.Never {
		return at, rankPulse, s.age(i)
	}
	return end, r, age
}

// timeout is a timer of an owner, independent of buffs.
type timeout struct {
	at    wheel.Time
	age   uint64
	due   wheel.Time // deadline in world time, or Never: see keys
	order uint32
	name  string
	do    any // function of the game to call; if nil, handler is called instead

	handler    HandlerID
	generation uint32
	next       uint16 // in a free slot, the next free slot
	live       bool
	dirty      bool
}

// Handle identifies one instance of a buff on one owner. After the instance has ended, its handle
// is stale and is never used for another instance. The zero Handle identifies no buff.
//
// A Handle has 64 bits: 20 for the number of the owner, 12 for the slot on the owner and 32 for the
// generation of the slot, which counts the uses of the slot. A slot with no unused generation is
// retired. Engines start their generations far apart, see [Set.SetOrigin], so that a handle of
// another engine is stale.
type Handle uint64

// TimeoutHandle identifies one timeout of one owner. It has the same format and guarantees as a
// [Handle].
type TimeoutHandle uint64

// Limits that follow from the format of a handle.
const (
	MaxOwners   = handle.MaxOwners // number of owners of one engine at a time
	MaxPerOwner = handle.MaxSlots  // number of instances of one owner, and number of its timeouts
)

// Number returns the number of the owner that was passed to [NewSet].
func (h Handle) Number() uint32 { return handle.Number(h) }

// Slot returns the slot of the buff on its owner, below [MaxPerOwner]. Running buffs have
// different slots; the slot of an ended buff is reused.
func (h Handle) Slot() int { return int(handle.Slot(h)) }

// Number returns the number of the owner that was passed to [NewSet].
func (h TimeoutHandle) Number() uint32 { return handle.Number(h) }

// SetOrigin sets the first generation of the handles of a new Set; the default is 0. If two Sets
// have the same number and their handles can meet, as with two engines, their origins should be far
// apart: the handles of the Sets stay distinct until a slot has been reused as many times as the
// difference of the origins. [Set.Generation] and the base of [NewSet] count from the origin.
//
// It panics if the origin is odd, or if the Set has been used.
func (s *Set) SetOrigin(origin uint32) {
	if origin%2 != 0 || int(s.used)+len(s.timeouts().all()) > 0 {
		panic("buff: SetOrigin with an odd number, or of a Set that has been used")
	}
	s.generations.origin = origin
}

// generations determines the generations of the slots of an owner. The first use of a slot has the
// generation origin+base+1.
type generations struct {
	base   uint32 // see NewSet
	origin uint32 // see Set.SetOrigin
}

// first returns the generation of the first use of a slot. It is never 0, so that no handle is
// the zero Handle.
func (g generations) first() uint32 { return max(g.origin+g.base+1, 1) }

// next returns the generation after the given one, and reports whether there is one. Generations
// wrap around and end before the origin. They skip 0; the origin is even, so that the last
// generation is not 0.
func (g generations) next(generation uint32) (uint32, bool) {
	next := max(generation+1, 1)
	return next, generation+1 != g.origin && next != g.origin
}

// used returns the number of generations from the origin to the given one.
func (g generations) used(generation uint32) uint32 { return generation - g.origin }

// String returns owner number, slot and generation, as in "3/0/17".
func (h Handle) String() string {
	return fmt.Sprintf("%d/%d/%d", h.Number(), handle.Slot(h), handle.Generation(h))
}

// String returns owner number, slot and generation, as in "3/0/17".
func (h TimeoutHandle) String() string { return Handle(h).String() }

// slotRef identifies an instance or a timeout of one owner.
type slotRef uint16

const timeoutRef slotRef = 1 << 15

func (r slotRef) slot() uint16    { return uint16(r &^ timeoutRef) }
func (r slotRef) isTimeout() bool { return r&timeoutRef != 0 }
