package buff

import (
	"math/bits"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// Of a large game no owner is in the cache: a Set is waited for, and then what it points to. A caller that is
// about to do something with many of them reads a little of each before, in a loop so short that the
// processor waits for all of them at once. What these functions return means nothing; it is returned so that
// the compiler keeps the reads. Nothing else may be changing the Set meanwhile.

// Ahead reads of the Set itself what a turn or a command looks at: something of its middle and something of its end, which are two
// cache lines.
func (s *Set) Ahead() uint64 { return uint64(s.used) + uint64(s.newest) }

// AheadKeys reads the keys of its slots. It comes behind Ahead.
func (s *Set) AheadKeys() (seen uint64) {
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

// AheadFirst reads the instance that is due first. It comes behind Ahead.
func (s *Set) AheadFirst() (seen uint64) { return s.aheadOf(int(s.scheduler.firstSlot)) }

// aheadOf reads the instance in a slot.
func (s *Set) aheadOf(at int) (seen uint64) {
	if at >= int(s.used) {
		return 0
	}
	return uint64(s.slot(uint16(at)).generation)
}

// AheadCommand reads what a command is about, as far as that can be guessed. It comes behind AheadKeys. The Memory is that of the Turn.
func (s *Set) AheadCommand(m *Memory, c *Command) (seen uint64) {
	switch c.Verb {
	case verb.Apply:
		if c.Application.Spec != nil {
			return s.aheadApply(m, &c.Application)
		}
	case verb.Remove, verb.Extend, verb.SetRemaining:
		return s.aheadOf(c.Handle.Slot())
	}
	return 0
}

func (s *Set) aheadApply(m *Memory, a *Application) (seen uint64) {
	if a.Spec.Stack.By != define.ByNone {
		want := patternFor(a)
		for k, word := range s.hashes() {
			if like := want.matches(word); like != 0 {
				return s.aheadOf(4*k + bits.TrailingZeros64(like)/16)
			}
		}
	}
	if s.free == noSlot && int(s.used) == s.room() { // all move to a longer piece
		for at := range s.used {
			seen += uint64(s.slot(at).generation)
		}
		return seen + m.prefetch(s.piece)
	}
	// A new one: its place, and the youngest, which gets it as a neighbour.
	for _, at := range [2]uint16{s.free, s.newest} {
		if at != noSlot {
			seen += s.aheadOf(int(at))
		}
	}
	return seen
}
