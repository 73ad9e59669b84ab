package buff

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Instance is a look at one running buff: a copy, which does not change when the
// buff does.
type Instance struct {
	Handle    Handle
	Spec      *Spec
	Source    OwnerID
	Stacks    int
	Magnitude int64
	End       wheel.Time // Never if infinite, or if its time stands still
	NextPulse wheel.Time // Never if no pulse is to come, or its time stands still
	Level     int
	Charges   int   // left
	Shield    int64 // what is left of its pool
	Waiting   int   // with TimersQueue, applications that wait
	Hidden    bool  // it has no effect
	Paused    bool  // its own time stands still
}

// Left returns the time until the end, and for an infinite buff the longest
// Duration there is.
func (i Instance) Left(now wheel.Time) time.Duration {
	if ms := int64(i.End - now); i.End != wheel.Never && ms <= int64(maxDuration/time.Millisecond) {
		return time.Duration(ms) * time.Millisecond
	}
	return maxDuration
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

// instance is one running buff. It is kept at 96 bytes: an owner has dozens.
type instance struct {
	spec   *Spec // nil: the slot is free
	source OwnerID

	// age is the application's number on its owner: equal ranks go by it.
	age uint64

	end wheel.Time // Never if infinite

	// beat is the next boundary of the period, also when it lies beyond end: a
	// later refresh then finds the phase where it was. Never without a period.
	beat     wheel.Time
	period   int64 // ms
	duration int64 // ms, of the last application: what ExpireOne begins anew

	magnitude int64

	timer wheel.Handle // the owner's; zero: none yet
	armed wheel.Time   // what that timer was last told; Never: it is not waiting

	generation uint32
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
	touched     flags = 1 << iota // is in Set.touched
	unmet                         // its ongoing requirement fails
	inhibited                     // a command says so
	weaker                        // another one of its group is stronger
	ineffective                   // there are enough stronger ones of its definition
	paced                         // has a time of its own: extra.pace
	deathPaused                   // its time stands still since the owner died
	member                        // an aura applied it
	leaving                       // its owner left the aura: at its end it goes for the reason OutOfAura

	hidden = unmet | inhibited | weaker | ineffective
)

// nextPulse returns the instant of the next pulse in the instance's own time, Never if
// none will come before or at the end.
//
// A partial tail pulses at the end, unless the end is a boundary of the period.
func (s *Set) nextPulse(i *instance) wheel.Time {
	switch {
	case i.beat <= i.end:
		return i.beat
	case i.spec.Tail == TailPartial && i.period > 0 && s.elapsed(i, i.end) > 0:
		return i.end
	}
	return wheel.Never
}

// elapsed returns the ms from the last boundary of the period to at.
func (s *Set) elapsed(i *instance, at wheel.Time) int64 { return int64(at-i.beat) + s.running(i) }

// running returns the length of the period that runs: that of those after it, unless haste
// has left it as it was.
func (s *Set) running(i *instance) int64 {
	if i.extra != noSlot {
		if x := s.extraOf(i); x.length > 0 {
			return x.length
		}
	}
	return i.period
}

// newBeat begins the periods anew.
func (s *Set) newBeat(i *instance, now wheel.Time) {
	i.beat = i.firstBeat(now)
	if i.extra != noSlot {
		s.extraOf(i).length = 0
	}
}

// newPeriod gives the periods after the one that runs another length.
func (s *Set) newPeriod(i *instance, ms int64) {
	x := s.needExtra(i)
	x.length = s.running(i)
	i.period = ms
}

// due returns when the instance's next event is, in the owner's time, and its place among
// those of that instant. Without anything to come it is Never.
func (s *Set) due(i *instance) (wheel.Time, uint64) {
	at, r, age := s.next(i)
	if i.flags&paced != 0 {
		at = s.extraOf(i).pace.outer(at)
	}
	return at, entryKey(r, age)
}

// nextEnd returns when, in its own time, the instance or a part of it ends next.
func (s *Set) nextEnd(i *instance) wheel.Time {
	if i.spec.Stack.Timers == TimersEach {
		return s.extraOf(i).layers[0].end
	}
	return i.end
}

// next returns what comes next in the instance's own time: when, its rank, and its age.
func (s *Set) next(i *instance) (wheel.Time, rank, uint64) {
	end, r, age := i.end, rankEnd, i.age
	switch st := &i.spec.Stack; {
	case st.Timers == TimersEach:
		if layers := s.extraOf(i).layers; len(layers) > 1 {
			end, r, age = layers[0].end, rankStackEnd, layers[0].age
		}
	case st.Timers == TimersQueue:
		if len(s.extraOf(i).layers) > 0 {
			r = rankStackEnd
		}
	case st.Expire != ExpireAll && i.flags&leaving == 0 && int(i.stacks) > i.spec.expiring(int(i.stacks)):
		r = rankStackEnd
	}
	if at := s.nextPulse(i); at <= end && at != wheel.Never {
		return at, rankPulse, i.age
	}
	return end, r, age
}

// timeout is one timer of an owner that belongs to no buff.
type timeout struct {
	at    wheel.Time
	age   uint64
	timer wheel.Handle
	armed wheel.Time
	name  string
	do    any // the user's function; nil: the handler called name

	handler    HandlerID
	generation uint32
	next       uint16 // next free slot
	live       bool
	touched    bool
}
