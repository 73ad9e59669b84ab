package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
)

// With many owners, most accesses to an Owner miss the cache. A caller that is about to use many
// Owners can prefetch all of them first, in a short loop, so that the cache misses overlap. The
// results of these functions have no meaning; they prevent the compiler from removing the reads.
// The Owner must not be modified while one of these functions runs.

// Ahead prefetches the two cache lines of the Owner that a turn or a command reads.
func (s *Owner) Ahead() uint64 { return uint64(s.records.Used()) + s.events }

// AheadKeys prefetches the keys of the slots. Call [Owner.Ahead] some time before AheadKeys.
func (s *Owner) AheadKeys() uint64 { return s.records.TouchKeys() }

// AheadPlace prefetches what [Owner.RunPlace] reads. Call [Owner.Ahead] some time before
// AheadPlace.
func (s *Owner) AheadPlace(p Place) (seen uint64) {
	at := p.Slot()
	if p.IsTimeout() || at >= s.records.Used() {
		return s.AheadKeys()
	}
	return s.records.Touch(at) + uint64(*s.records.Key(at))
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
		return s.records.Touch(handle.Slot(c.Handle))
	}
	return 0
}

func (s *Owner) prefetchApply(m *Memory, a *buff.Application) uint64 {
	if a.Spec.Stack.By != define.ByNone {
		want := joinPattern(a, compile.Of(a.Spec))
		for k, word := range s.records.Hashes() {
			if found := want.In(word); found != 0 {
				return s.records.Touch(found.First(k))
			}
		}
	}
	return s.records.TouchAlloc(m)
}
