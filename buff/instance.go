package buff

import (
	"fmt"
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
	NextPulse wheel.Time // Never if there is none, or if paused
	Level     int
	Charges   int   // remaining charges
	Shield    int64 // remaining pool
	Waiting   int   // with TimersQueue, number of waiting applications
	Hidden    bool  // present, but without effect
	Paused    bool  // its time is paused
	Held      Held  // causes of the pause; 0 unless Paused
	Rate      Ratio // rate of its time while not paused; the zero Ratio means 1

	ends bool  // not infinite, even if End is Never because of a pause
	left int64 // remaining time by its own clock in ms, if paused
}

// Left returns the time until the end, or the longest Duration for an infinite buff. For a paused
// buff it is the remaining time by its own clock, independent of now.
func (i Instance) Left(now wheel.Time) time.Duration {
	if i.Paused && i.ends {
		return span(i.left)
	}
	if i.End == wheel.Never {
		return maxDuration
	}
	return span(int64(i.End - now))
}

// Own returns the time until the end by the buff's own clock, which stops while the buff is
// paused and runs at its Rate, or the longest Duration for an infinite buff. With a Rate, it is
// accurate to a millisecond of the world's time.
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
	HeldByBuff  Held = 1 << iota // the buff is paused
	HeldByOwner                  // its owner is paused
	HeldByZone                   // its zone is paused
	HeldByDeath                  // its owner is dead and on_death is pause
)

// span returns so many ms, or the longest Duration if they are more.
func span(ms int64) time.Duration {
	if ms > int64(maxDuration/time.Millisecond) {
		return maxDuration
	}
	return time.Duration(ms) * time.Millisecond
}

const maxDuration time.Duration = 1<<63 - 1

// rank orders what an owner has due at one instant.
type rank uint8

const (
	rankPulse rank = iota
	rankStackEnd
	rankEnd
	rankTimeout
)

// instance is one running buff. It is kept at 64 bytes, which are one cache line: an owner has dozens.
type instance struct {
	source OwnerID

	end wheel.Time // Never if infinite

	// boundary is the next boundary of the period, also when it lies beyond end: a
	// later refresh then finds the phase where it was. Never without a period.
	boundary wheel.Time

	magnitude int64

	age32, period32, duration32 uint32 // see Set.age, Set.period and Set.duration

	generation uint32
	def        int32 // its definition, see Set.specOf; 0: the slot is free
	stacks     int16
	level      int16
	flags      flags
	extra      uint16 // index in Set.extras of what a plain buff does not have; noSlot: nothing

	older, newer uint16 // neighbours by age, noSlot at the ends; for a free slot, newer is the next free one
}

const noSlot = 1<<16 - 1

// flags are what is true of an instance.
type flags uint16

const (
	dirty       flags = 1 << iota // is in scratch.dirty
	unmet                         // its ongoing requirement fails
	inhibited                     // a command says so
	weaker                        // another one of its group is stronger
	ineffective                   // there are enough stronger ones of its definition
	timeScaled                    // has a time of its own: extra.scale
	deathPaused                   // its time stands still since the owner died
	member                        // an aura applied it
	leaving                       // its owner left the aura: at its end it goes for the reason OutOfAura
	immune                        // its owner is immune to it
	large                         // a number of it does not fit: they are in extra.large

	hidden = unmet | inhibited | weaker | ineffective | immune
)

// nextPulse returns the instant of the next pulse in the instance's own time, Never if
// none will come before or at the end.
//
// A partial tail pulses at the end, unless the end is a boundary of the period, or what is left
// of the buff goes on: its beat goes on with it.
func (s *Set) nextPulse(i *instance) wheel.Time {
	switch {
	case i.boundary <= i.end:
		return i.boundary
	case s.specOf(i).Tail == define.TailPartial && s.period(i) > 0 && s.elapsed(i, i.end) > 0 && !s.continues(i):
		return i.end
	}
	return wheel.Never
}

// continues reports whether the end of the duration leaves something: stacks, or others that wait.
func (s *Set) continues(i *instance) bool {
	switch st := &s.specOf(i).Stack; {
	case st.Timers == define.TimersQueue:
		return len(s.extraOf(i).async) > 0
	case st.Timers == define.TimersShared && st.Expire != define.ExpireAll && i.flags&leaving == 0:
		return int(i.stacks) > s.specOf(i).expiring(int(i.stacks))
	}
	return false
}

// elapsed returns the ms from the last boundary of the period to at.
func (s *Set) elapsed(i *instance, at wheel.Time) int64 {
	return int64(at-i.boundary) + s.currentPeriod(i)
}

// currentPeriod returns the length of the period that runs: that of those after it, unless haste
// has left it as it was.
func (s *Set) currentPeriod(i *instance) int64 {
	if i.extra != noSlot {
		if x := s.extraOf(i); x.currentPeriod > 0 {
			return x.currentPeriod
		}
	}
	return s.period(i)
}

// restartPeriod begins the periods anew.
func (s *Set) restartPeriod(i *instance, now wheel.Time) {
	i.boundary = s.firstBoundary(i, now)
	if i.extra != noSlot {
		s.extraOf(i).currentPeriod = 0
	}
}

// setNextPeriod gives the periods after the one that runs another length.
func (s *Set) setNextPeriod(i *instance, ms int64) {
	x := s.ensureExtra(i)
	x.currentPeriod = s.currentPeriod(i)
	s.storePeriod(i, ms)
}

// nextDue returns when the instance's next event is, in the owner's time, and its place among
// those of that instant. Without anything to come it is Never.
func (s *Set) nextDue(i *instance) (wheel.Time, uint64) {
	at, _, r, age := s.nextEvent(i)
	return at, dueKey(r, age)
}

// nextEnd returns when, in its own time, the instance or a part of it ends next.
func (s *Set) nextEnd(i *instance) wheel.Time {
	if s.specOf(i).Stack.Timers == define.TimersEach {
		return s.extraOf(i).async[0].end
	}
	if i.flags&member != 0 {
		if k := s.firstLeaving(i); k >= 0 {
			return s.extraOf(i).async[k].end
		}
	}
	return i.end
}

// nextOwnEvent returns what comes next in the instance's own time: when, its rank, and its age.
func (s *Set) nextOwnEvent(i *instance) (wheel.Time, rank, uint64) {
	end, r, age := i.end, rankEnd, s.age(i)
	switch st := &s.specOf(i).Stack; {
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

// timeout is one timer of an owner that belongs to no buff.
type timeout struct {
	at    wheel.Time
	age   uint64
	due   wheel.Time // see keys
	order uint32
	name  string
	do    any // the user's function; nil: the handler called name

	handler    HandlerID
	generation uint32
	next       uint16 // next free slot
	live       bool
	dirty      bool
}

// Handle names one instance of a buff on one owner, and never another: it is
// worthless once that instance has ended. The zero Handle names nothing.
//
// It is 64 bits: the owner's number (20), the slot on the owner (12) and the
// slot's generation (32). A slot whose generations are used up is retired, so
// that they never come twice. Those of two engines begin far from one another, see
// [Set.SetOrigin]: a handle of another engine names nothing here either.
type Handle uint64

// TimeoutHandle names one timeout of one owner, in the manner of [Handle].
type TimeoutHandle uint64

// Limits that follow from the form of a handle.
const (
	MaxOwners   = 1 << 20 // owner numbers of one engine
	MaxPerOwner = 1 << 12 // instances, and again timeouts, on one owner
)

const (
	slotShift  = 32
	ownerShift = slotShift + 12
)

func pack(number uint32, slot uint16, generation uint32) uint64 {
	return uint64(number)<<ownerShift | uint64(slot)<<slotShift | uint64(generation)
}

// Number returns the owner's number as it was given to [NewSet].
func (h Handle) Number() uint32 { return uint32(h >> ownerShift) }

// Slot returns the buff's place on its owner, below [MaxPerOwner]. No two buffs that run have the
// same; one that has ended gives its place to another.
func (h Handle) Slot() int { return int(h.slot()) }

// Number returns the owner's number as it was given to [NewSet].
func (h TimeoutHandle) Number() uint32 { return uint32(h >> ownerShift) }

func (h Handle) slot() uint16              { return uint16(h>>slotShift) & (MaxPerOwner - 1) }
func (h Handle) generation() uint32        { return uint32(h) }
func (h TimeoutHandle) slot() uint16       { return uint16(h>>slotShift) & (MaxPerOwner - 1) }
func (h TimeoutHandle) generation() uint32 { return uint32(h) }

// SetOrigin says where the generations of the handles of a new Set begin: 0, if it is not
// called. Sets of one number whose handles may meet, those of two engines, want origins far
// apart: none has the handles of another one until one of its slots has been used as often as
// they are apart. [Set.Generation] and the base of [NewSet] count from there.
//
// It panics if the origin is odd, or the Set has been used.
func (s *Set) SetOrigin(origin uint32) {
	if origin%2 != 0 || int(s.used)+len(s.timeouts().all()) > 0 {
		panic("buff: SetOrigin with an odd number, or of a Set that has been used")
	}
	s.generations.origin = origin
}

// generations is which of them the slots of an owner go through, in its handles.
type generations struct {
	base   uint32 // how many the first use of a slot leaves out, from origin on
	origin uint32 // where they begin, see Set.SetOrigin
}

// first returns the generation of the first use of a slot. It is not 0: the zero handle names
// nothing.
func (g generations) first() uint32 { return max(g.origin+g.base+1, 1) }

// next returns the generation of a slot after a use, and whether there is one: they go
// round until they are back at the origin. That is even, so that the last is never the 0 that
// is left out.
func (g generations) next(generation uint32) (uint32, bool) {
	next := max(generation+1, 1)
	return next, generation+1 != g.origin && next != g.origin
}

// used returns how many there have been up to one.
func (g generations) used(generation uint32) uint32 { return generation - g.origin }

// String returns owner number, slot and generation: "3/0/17".
func (h Handle) String() string {
	return fmt.Sprintf("%d/%d/%d", h.Number(), h.slot(), h.generation())
}

// String returns owner number, slot and generation: "3/0/17".
func (h TimeoutHandle) String() string { return Handle(h).String() }

// slotRef names a place on one owner that can fall due: an instance or a timeout.
type slotRef uint16

const timeoutRef slotRef = 1 << 15

func (r slotRef) slot() uint16    { return uint16(r &^ timeoutRef) }
func (r slotRef) isTimeout() bool { return r&timeoutRef != 0 }
