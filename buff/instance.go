package buff

import (
	"time"

	"github.com/bufftick/bufftick/internal/exact"
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
		return exact.Duration(i.Remaining)
	}
	if i.End == wheel.Never {
		return exact.MaxDuration
	}
	return exact.Duration(int64(i.End - now))
}

// Own returns the time from now until the end by the buff's own clock, which runs at Rate and stops
// while the buff is paused. For an infinite buff it returns the longest Duration. If Rate is not 1,
// the result is accurate to a millisecond of world time.
func (i Instance) Own(now wheel.Time) time.Duration {
	if i.Paused || i.End == wheel.Never || i.Rate == (Ratio{}) {
		return i.Left(now)
	}
	return exact.Duration(int64(exact.MulDiv(max(int64(i.End-now), 0), uint64(i.Rate.Num), uint64(i.Rate.Den))))
}

// Held is a bit set of the causes that pause a buff.
type Held uint8

// Causes of a pause.
const (
	HeldByBuff  Held = 1 << iota // the buff itself is paused
	HeldByOwner                  // the owner is paused
	HeldByArea                   // the owner's area is paused
	HeldByDeath                  // the owner is dead, and the definition has "on_death: pause"
)
