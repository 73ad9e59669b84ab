package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/slots"
)

// An application joins the oldest running buff with which it stacks, according to Stacking.By: of
// the same source, of the same key, or any. If there is none, it starts a new buff.

// joinTarget returns the instance that the application joins, or none.
func (s *Owner) joinTarget(a *buff.Application) (found instance) {
	if a.Spec.Stack.By == define.ByNone {
		return instance{}
	}
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

// joinPattern returns the pattern of the hashes of the instances that an application may join.
func joinPattern(a *buff.Application, spec *compile.Program) slots.Pattern {
	care := uint16(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	return slots.NewPattern(hashOf(spec, a.Source), care)
}

// rehash updates the hash of an instance that is new or has a new source.
func (i instance) rehash() { i.owner.records.SetHash(i.slot, hashOf(i.program(), i.source)) }

// joins reports whether the application joins the given instance of its definition. An instance
// that auras apply is joined only by auras.
func (i instance) joins(a *buff.Application) bool {
	st := &a.Spec.Stack
	if i.flags&member != 0 != a.Origin.Aura || st.Level == define.LevelSegregate && int(i.level) != a.Level {
		return false
	}
	switch st.By {
	case define.BySource:
		return i.source == a.Source
	case define.ByKey:
		return i.program().Stack.By == define.ByKey && i.extra().key == a.Key // an older version may have no keys
	}
	return st.By == define.ByTarget
}
