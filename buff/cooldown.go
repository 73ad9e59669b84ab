package buff

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Remaining returns the longest time left at now among the owner's buffs with the tag, in
// Tags or Grants or below it there, and reports whether there is one. So a cooldown is a
// buff with a tag. Of one whose time stands still it is what would be left if its time
// went on now, and of an infinite one the longest Duration there is. It costs a look at
// every buff.
func (s *Set) Remaining(tag Tag, now wheel.Time) (left time.Duration, ok bool) {
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if i := &s.slots[at]; has(i.spec.tags, tag) {
			left, ok = max(left, s.left(i, now)), true
		}
	}
	return left, ok
}

// left returns the time until the instance ends.
func (s *Set) left(i *instance, now wheel.Time) time.Duration {
	end := s.worldOf(i, i.end)
	if end == wheel.Never && i.end != wheel.Never {
		end, now = i.end, s.started(now)
		if i.flags&paced != 0 {
			now = s.extraOf(i).pace.ceil(now)
		}
	}
	return Instance{End: end}.Left(now)
}
