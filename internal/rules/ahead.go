package rules

import (
	"math/bits"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
)

// With many owners, most accesses to an Owner miss the cache. A caller that is about to use many
// Owners can prefetch all of them first, in a short loop, so that the cache misses overlap. The
// results of these functions have no meaning; they prevent the compiler from removing the reads.
// The Owner must not be modified while one of these functions runs.

// Ahead prefetches the two cache lines of the Owner that a turn or a command reads.
func (s *Owner) Ahead() uint64 { return uint64(s.used) + uint64(s.newest) }

// AheadKeys prefetches the keys of the slots. Call [Owner.Ahead] some time before AheadKeys.
func (s *Owner) AheadKeys() (seen uint64) {
	keys := s.keys()
	last := len(keys) - 1
	if last < 0 {
		return 0
	}
	for at := 0; at < last; at += wordsOfLine {
		seen += uint64(keys[at])
	}
	return seen + uint64(keys[last])
}

// AheadPlace prefetches what [Owner.RunPlace] reads. Call [Owner.Ahead] some time before
// AheadPlace.
func (s *Owner) AheadPlace(p Place) (seen uint64) {
	at := p.slot()
	if p&placeTimeout != 0 || at >= s.used {
		return s.AheadKeys()
	}
	return uint64(s.slot(at).generation) + uint64(*s.key(at))
}

// prefetchSlot prefetches the instance in a slot.
func (s *Owner) prefetchSlot(at int) (seen uint64) {
	if at >= int(s.used) {
		return 0
	}
	return uint64(s.slot(uint16(at)).generation)
}

// AheadCommand prefetches the instances that a command will probably access. The parameter m is the
// Memory of the Turn. Call [Owner.AheadKeys] some time before AheadCommand.
func (s *Owner) AheadCommand(m *Memory, c *buff.Command) (seen uint64) {
	switch c.Verb {
	case verb.Apply:
		if c.Application.Spec != nil {
			return s.prefetchApply(m, &c.Application)
		}
	case verb.Remove, verb.Extend, verb.SetRemaining:
		return s.prefetchSlot(c.Handle.Slot())
	}
	return 0
}

func (s *Owner) prefetchApply(m *Memory, a *buff.Application) (seen uint64) {
	if a.Spec.Stack.By != define.ByNone {
		want := patternFor(a, compile.Of(a.Spec))
		for k, word := range s.hashes() {
			if like := want.matches(word); like != 0 {
				return s.prefetchSlot(4*k + bits.TrailingZeros64(like)/16)
			}
		}
	}
	if s.free == noSlot && int(s.used) == s.room() { // all instances move to a larger piece
		for at := range s.used {
			seen += uint64(s.slot(at).generation)
		}
		return seen + m.prefetch(s.piece)
	}
	// A new instance will start: prefetch its slot and the youngest instance, which will be linked
	// to the new instance.
	for _, at := range [2]uint16{s.free, s.newest} {
		if at != noSlot {
			seen += s.prefetchSlot(int(at))
		}
	}
	return seen
}
