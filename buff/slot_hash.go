package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/sheet"
)

// The two halves of a hash. That of a definition is the same for all its versions, and
// never 0.
const (
	hashSpec   = 0xff00
	hashSource = 0x00ff
)

// hashOf returns what stands in Set.keys for an instance of that definition and source. An
// instance is longer than a cache line, and an owner has dozens: those with another hash
// need not be looked at to find the one that an application joins.
func hashOf(spec *Spec, source OwnerID) uint16 {
	return uint16(1+uint32(spec.lineage)%255)<<8 | uint16(uint64(source)*0x9e3779b97f4a7c15>>56)
}

// beside is what few owners have, and owners without buffs do not.
type beside struct {
	others   []*Spec // by slot, of the instances that are not of the Set's catalog, see specOf
	extras   []extra
	timeouts *timeouts    // nil: there was none yet
	sheet    *sheet.Sheet // of attributes; nil: they are as the catalog says

	freeExtra uint16
}

// waits returns the timeouts, nil if there was none yet.
func (b *beside) waits() *timeouts {
	if b == nil {
		return nil
	}
	return b.timeouts
}

func (s *Set) needBeside() *beside {
	if s.beside == nil {
		s.beside = &beside{freeExtra: noSlot}
	}
	return s.beside
}

// rehash writes down the hash of an instance: it is new, or has another source.
func (s *Set) rehash(at uint16) { s.keys[at].hash = hashOf(s.specOf(&s.slots[at]), s.slots[at].source) }

// find returns the slot of the oldest instance that an application joins, or noSlot.
func (s *Set) find(a *Application) uint16 {
	want, care := hashOf(a.Spec, a.Source), uint16(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	found := uint16(noSlot)
	for at := range s.keys {
		if (s.keys[at].hash^want)&care != 0 {
			continue
		}
		if i := &s.slots[at]; !s.same(s.specOf(i), a.Spec) || !s.joins(i, a) {
			continue
		}
		if found != noSlot && s.slots[found].age < s.slots[at].age {
			continue
		}
		found = uint16(at)
	}
	return found
}
