package buff

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// Commands about what a handle names. If it names nothing that runs they fail with [ErrStale].

// Remove ends the buff of a handle, for the reason Cancelled.
func Remove(h Handle) Command { return Command{Verb: verb.Remove, Handle: h} }

// RemoveStacks takes n stacks off the buff of a handle, for a reason that ends buffs: all of it if
// n is not above zero or it has no more. The timers of what is left stay as they are. It panics if
// the reason ends no buff.
func RemoveStacks(h Handle, n int, why Reason) Command {
	return Command{Verb: verb.Remove, Handle: h, Stacks: n, Reason: removal(why)}
}

// removal panics if why is not a reason that ends a buff. Cancelled is what a command has that says
// none.
func removal(why Reason) Reason {
	if !why.Removes() {
		panic(fmt.Sprintf("buff: %v is not a reason that ends a buff", why))
	}
	if why == Cancelled {
		return NoReason
	}
	return why
}

// Extend moves the end of the buff of a handle by d, which may be negative. If the end would not
// be after now, the buff expires at once, without a pulse. It fails with [ErrInfinite] if there is
// no end.
func Extend(h Handle, d time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d}
}

// ExtendUpTo is Extend that never leaves more than most: the end is not moved beyond most from
// now, and one that is further away already stays.
func ExtendUpTo(h Handle, d, most time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d, Application: Application{Duration: Lasting(most)}}
}

// SetRemaining makes the buff of a handle end after d, also one without an end. If d is not above
// zero, it expires at once, without a pulse.
func SetRemaining(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetRemaining, Handle: h, By: d}
}

// SetPeriod changes the period of the buff of a handle, by the Haste of its definition. It fails
// with [ErrPeriod] if the buff does not pulse, or d is not in whole milliseconds from [define.MinPeriod]
// to [define.MaxDuration].
func SetPeriod(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetPeriod, Handle: h, By: d}
}

// PauseBuff stops the time of one buff, until [ResumeBuff].
func PauseBuff(h Handle) Command { return Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: h} }

// ResumeBuff lets the time of one buff go on where PauseBuff stopped it. While its owner is
// paused, it stands still all the same.
func ResumeBuff(h Handle) Command { return Command{Verb: verb.Resume, Whose: define.OfBuff, Handle: h} }

// SetBuffRate is [SetRate] for the time of one buff, which then passes at the product of its own
// rate, its owner's and its zone's.
func SetBuffRate(h Handle, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfBuff, Handle: h, Rate: r}
}

// Inhibit takes the effect of the buff of a handle away, as if its ongoing requirement failed: its
// pulses are suppressed, what it grants is off, and its time goes on. To inhibit twice is the same
// as once.
func Inhibit(h Handle) Command { return Command{Verb: verb.Inhibit, Handle: h} }

// Release ends an Inhibit. The buff has its effect again unless something else hides it; its
// Inhibition says what becomes of the beat.
func Release(h Handle) Command { return Command{Verb: verb.Release, Handle: h} }

// ConsumeCharges uses n charges of one buff, one if n is below; without any left it goes. A buff
// without charges is left as it is.
func ConsumeCharges(h Handle, n int) Command {
	return Command{Verb: verb.ConsumeCharges, Handle: h, Stacks: n}
}

// Cancel takes a timeout back.
func Cancel(t TimeoutHandle) Command { return Command{Verb: verb.Cancel, Timeout: t} }
