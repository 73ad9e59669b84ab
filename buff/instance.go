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
	End       wheel.Time // Never if infinite
	NextPulse wheel.Time // Never if no pulse is to come
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
	flags      uint16

	older, newer uint16 // neighbours by age, noSlot at the ends; for a free slot, newer is the next free one
}

const (
	noSlot  = 1<<16 - 1
	touched = 1 << 0 // is in Set.touched
)

// due returns what comes next and when. Without anything to come it is Never.
func (i *instance) due() (wheel.Time, rank) {
	if at := i.nextPulse(); at <= i.end && at != wheel.Never {
		return at, rankPulse
	}
	if i.spec.Stack.Expire == ExpireOne && i.stacks > 1 {
		return i.end, rankStackEnd
	}
	return i.end, rankEnd
}

// nextPulse returns the instant of the next pulse, Never if none will come before
// or at the end.
//
// A partial tail pulses at the end, unless the end is a boundary of the period.
func (i *instance) nextPulse() wheel.Time {
	switch {
	case i.beat <= i.end:
		return i.beat
	case i.spec.Tail == TailPartial && i.period > 0 && i.elapsed(i.end) > 0:
		return i.end
	}
	return wheel.Never
}

// elapsed returns the ms from the last boundary of the period to at.
func (i *instance) elapsed(at wheel.Time) int64 { return int64(at-i.beat) + i.period }

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
