package buff

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Remaining returns the longest time left at now among the owner's buffs with the tag, in
// Tags or Grants or below it there, and reports whether there is one. So a cooldown is a
// buff with a tag. It is what [Instance.Left] says, of one whose time stands still in its own
// time, and of an infinite one the longest Duration there is. It costs a look at every buff.
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
		return span(s.ownLeft(i))
	}
	return Instance{End: end}.Left(now)
}

// ownLeft returns the ms that an instance whose time stands still has left.
func (s *Set) ownLeft(i *instance) int64 {
	var now wheel.Time
	switch {
	case i.flags&timeScaled == 0:
		now = s.own.ceil(s.own.at) // it is the owner's that stands still
	case s.own == nil || s.own.num != 0:
		now = s.extraOf(i).scale.ceil(s.extraOf(i).scale.at)
	default:
		now = s.extraOf(i).scale.ceil(s.own.ceil(s.own.at))
	}
	return left(now, i.end)
}
