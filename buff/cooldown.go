package buff

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Remaining returns the longest time left at now among the owner's buffs with the tag, in
// Tags or Grants or below it there, and reports whether there is one. So a cooldown is a
// buff with a tag. For one that has no end, or whose time stands still, it is the longest
// Duration there is. It costs a look at every buff.
func (s *Set) Remaining(tag Tag, now wheel.Time) (left time.Duration, ok bool) {
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		i := &s.slots[at]
		if !has(i.spec.tags, tag) {
			continue
		}
		ok = true
		left = max(left, Instance{End: s.worldOf(i, i.end)}.Left(now))
	}
	return left, ok
}
