package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/slots"
)

// The two halves of a hash. The half for the definition is the same for all its versions, and
// never 0.
const (
	hashSpec   = 0xff00
	hashSource = 0x00ff
)

// hashOf returns the hash of an instance with the given definition and source. The search for the
// instance that an application joins need not read instances with another hash. Each instance takes
// a cache line, and an owner has dozens of instances.
func hashOf(spec *compile.Program, source buff.OwnerID) uint16 {
	return uint16(1+uint32(spec.Compiled().Lineage)%255)<<8 | uint16(uint64(source)*0x9e3779b97f4a7c15>>56)
}

// rehash updates the hash of an instance that is new or has a new source.
func (i instance) rehash() { i.owner.records.SetHash(i.slot, hashOf(i.program(), i.source)) }

// joinPattern returns the pattern of the hashes of the instances that an application may join.
func joinPattern(a *buff.Application, spec *compile.Program) slots.Pattern {
	care := uint16(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	return slots.NewPattern(hashOf(spec, a.Source), care)
}

// findJoinable returns the oldest instance that an application joins, or none.
func (s *Owner) findJoinable(a *buff.Application) (found instance) {
	spec := compile.Of(a.Spec)
	want := joinPattern(a, spec)
	for k, word := range s.records.Hashes() {
		for like := want.In(word); like != 0; like = like.Rest() {
			i := s.slot(like.First(k))
			if s.sameDefinition(i.program(), spec) && i.joins(a) && (!found.exists() || i.age() <= found.age()) {
				found = i
			}
		}
	}
	return found
}
