package store

import (
	"fmt"
	"math"
	"time"
)

// stepOwners is the number of owners copied between two readings of the clock. stepCost is the
// assumed cost of a copy if there is no clock. If there is a clock, a copy counts as at least
// leastCost. Without this minimum, a clock that has stopped would let one frame copy all owners.
const (
	stepOwners = 32
	stepCost   = 2 * time.Microsecond
	leastCost  = 100 * time.Nanosecond
)

// If the committer's goroutine has copied at least helpEnough owners since the last frame, the
// loop copies no owners in this frame.
const helpEnough = 256

// share returns the time that this frame may spend on copying. It is zero if the committer's
// goroutine copies enough owners.
func (v *Saver) share() time.Duration {
	if v.commits.helped.Swap(0) >= helpEnough {
		return 0
	}
	return v.opts.Share
}

// unlimited is the share of calls that wait until all owners are copied.
const unlimited = time.Duration(math.MaxInt64)

// step copies owners for about the given time (share). After the last owner, it passes the cut to
// the committer.
func (v *Saver) step(share time.Duration) {
	from, timed := v.clock()
	var took time.Duration
	for {
		n, done := v.copies.Step(stepOwners)
		if now, ok := v.clock(); timed && ok {
			took = max(took+time.Duration(n)*leastCost, now-from)
		} else {
			took += time.Duration(n) * stepCost
		}
		if done {
			v.cutting = false
			v.cut.copied = v.copies.Take()
			v.cut.spent = v.spent + took
			v.commits.submit(v.cut)
			v.cut = job{}
			return
		}
		if took >= share {
			v.spent += took
			return
		}
	}
}

// clock reads Options.Clock, if set. After a panic the clock is no longer used.
func (v *Saver) clock() (now time.Duration, ok bool) {
	if v.opts.Clock == nil {
		return 0, false
	}
	defer func() {
		if p := recover(); p != nil {
			v.opts.Clock, now, ok = nil, 0, false
			v.refused(fmt.Errorf("store: Clock panicked: %v", p))
		}
	}()
	return v.opts.Clock(), true
}
