package buff_test

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// goer is an instance that gives way to a new one.
type goer struct {
	b   *carried
	why buff.Reason
}

// room returns why a new instance may not stand beside what there is, or else who
// gives way to it.
func (m *model) room(s *buff.Spec, o op) (buff.Reason, []goer) {
	var going []goer
	stays := func(b *carried) bool { return !slices.ContainsFunc(going, func(g goer) bool { return g.b == b }) }
	if g := s.Group; g.Name != "" && g.Rule != buff.GroupHide {
		for _, b := range m.buffs {
			if b.spec.Group.Name != g.Name {
				continue
			}
			replaces := true
			switch p := b.spec.Group.Priority; g.Rule {
			case buff.GroupNever:
				return buff.Exclusive, nil
			case buff.GroupHigher:
				replaces = p < g.Priority
			case buff.GroupEqualOrHigher:
				replaces = p <= g.Priority
			case buff.GroupSameSource:
				if b.source != o.source {
					continue
				}
			}
			if !replaces {
				return buff.Exclusive, nil
			}
			going = append(going, goer{b, buff.Replaced})
		}
	}
	if sl := s.Slot; sl.Class != "" {
		var taken []*carried
		for _, b := range m.buffs {
			if b.spec.Slot.Class == sl.Class && stays(b) {
				taken = append(taken, b)
			}
		}
		if len(taken) >= sl.Limit {
			if sl.Evict == buff.EvictReject {
				return buff.NoSlot, nil
			}
			going = append(going, goer{m.victim(taken, sl.Evict), buff.Overflowed})
		}
	}
	if len(m.buffs)-len(going) >= m.limit {
		return buff.Full, nil
	}
	return buff.NoReason, going
}

// victim returns who is evicted, of equals the oldest. The list is the oldest first.
func (m *model) victim(taken []*carried, rule buff.Evict) *carried {
	return slices.MinFunc(taken, func(x, y *carried) int {
		switch rule {
		case buff.EvictLowest:
			return cmp.Or(x.spec.Group.Priority-y.spec.Group.Priority, x.age-y.age)
		case buff.EvictSoonest:
			return cmp.Or(cmp.Compare(m.world(x, x.end), m.world(y, y.end)), x.age-y.age)
		}
		return x.age - y.age
	})
}

// memory is what diminishes together: a group, and with the scope pair a source.
type memory struct {
	group  string
	source buff.OwnerID
}

type diminished struct {
	n     int   // accepted applications
	until int64 // of the owner's time: forgotten then, if none is live
}

func remembered(s *buff.Spec, source buff.OwnerID) memory {
	if s.DR.Scope == buff.ScopeTarget {
		source = 0
	}
	return memory{s.DR.Group, source}
}

// share returns what is left of a duration, in percent.
func (m *model) share(s *buff.Spec, source buff.OwnerID) int {
	m.forget()
	n := 0
	if d := m.memories[remembered(s, source)]; d != nil {
		n = d.n
	}
	return s.DR.Steps[min(n, len(s.DR.Steps)-1)]
}

func (m *model) diminish(s *buff.Spec, o op) {
	key := remembered(s, o.source)
	if m.memories[key] == nil {
		m.memories[key] = &diminished{}
	}
	m.memories[key].n++
}

// ended notes that an instance has ended.
func (m *model) ended(b *carried) {
	if d := m.memories[remembered(b.spec, b.source)]; d != nil && b.spec.DR.Group != "" {
		d.until = m.now + ms(b.spec.DR.Reset)
	}
}

// forget drops what nothing keeps in mind.
func (m *model) forget() {
	for key, d := range m.memories {
		live := slices.ContainsFunc(m.buffs, func(b *carried) bool { return b.spec.DR.Group != "" && remembered(b.spec, b.source) == key })
		if !live && m.now >= d.until {
			delete(m.memories, key)
		}
	}
}
