package store

import (
	"fmt"
	"math"
	"time"
)

// stepOwners is how many owners are copied between two looks at the clock; stepCost is what one is
// taken to cost where there is none, and leastCost where the clock says less: one that stands still
// would else have all of them copied in one frame.
const (
	stepOwners = 32
	stepCost   = 2 * time.Microsecond
	leastCost  = 100 * time.Nanosecond
)

// helpEnough is how many owners the goroutine has copied since the last frame where the loop need not.
const helpEnough = 256

// share returns what this frame may take for copying: next to nothing, if that is done beside the loop.
func (v *Saver) share() time.Duration {
	if v.commits.helped.Swap(0) >= helpEnough {
		return 0
	}
	return v.opts.Share
}

// everything is the share of who waits until all are copied.
const everything = time.Duration(math.MaxInt64)

// step copies owners, as long as there is time, and hands the cut over when there are none left.
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
			v.commits.hand(v.cut)
			v.cut = job{}
			return
		}
		if took >= share {
			v.spent += took
			return
		}
	}
}

// clock reads that of the game, if there is one. One that panics is not asked again.
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
