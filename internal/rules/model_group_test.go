package rules_test

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// goer is an instance that a new instance displaces.
type goer struct {
	b   *carried
	why reason.Reason
}

// room returns the reason for which there is no room for a new instance, or the instances that it
// displaces.
func (m *model) room(s *buff.Spec, o Op) (reason.Reason, []goer) {
	var going []goer
	stays := func(b *carried) bool { return !slices.ContainsFunc(going, func(g goer) bool { return g.b == b }) }
	if g := s.Group; g.Name != "" && g.Rule != define.GroupHide {
		for _, b := range m.buffs {
			if b.spec.Group.Name != g.Name {
				continue
			}
			replaces := true
			switch p := b.spec.Group.Priority; g.Rule {
			case define.GroupNever:
				return reason.Exclusive, nil
			case define.GroupHigher:
				replaces = p < g.Priority
			case define.GroupEqualOrHigher:
				replaces = p <= g.Priority
			case define.GroupSameSource:
				if b.source != o.source {
					continue
				}
			}
			if !replaces {
				return reason.Exclusive, nil
			}
			going = append(going, goer{b, reason.Replaced})
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
			if sl.Evict == define.EvictReject {
				return reason.NoSlot, nil
			}
			victim := m.victim(taken, sl.Evict)
			if sl.Evict == define.EvictLowest && s.Group.Priority < victim.spec.Group.Priority {
				return reason.NoSlot, nil
			}
			going = append(going, goer{victim, reason.Overflowed})
		}
	}
	if n := s.PerSource.Limit; n > 0 {
		var held []*carried
		for _, b := range m.buffs {
			if b.spec.ID == s.ID && b.source == o.source && stays(b) {
				held = append(held, b)
			}
		}
		if len(held) >= n {
			going = append(going, goer{held[0], reason.Replaced})
		}
	}
	if len(m.buffs)-len(going) >= m.limit {
		return reason.Full, nil
	}
	return reason.None, going
}

// victim returns the buff to evict from the list, which is ordered by age; among equal buffs, the
// oldest.
func (m *model) victim(taken []*carried, rule define.Evict) *carried {
	return slices.MinFunc(taken, func(x, y *carried) int {
		switch rule {
		case define.EvictLowest:
			return cmp.Or(x.spec.Group.Priority-y.spec.Group.Priority, x.age-y.age)
		case define.EvictSoonest:
			return cmp.Or(cmp.Compare(x.clock.reach(x.end), y.clock.reach(y.end)), x.age-y.age)
		}
		return x.age - y.age
	})
}

// memory identifies a record of diminishing returns: a group and, with ScopePair, a source.
type memory struct {
	group  string
	source buff.OwnerID
}

type diminished struct {
	n     int   // accepted applications
	until int64 // expiry in owner time, if no application is in effect
}

func remembered(s *buff.Spec, source buff.OwnerID) memory {
	if s.DR.Scope == define.ScopeTarget {
		source = 0
	}
	return memory{s.DR.Group, source}
}

// share returns the percentage of its duration that an application gets.
func (m *model) share(s *buff.Spec, source buff.OwnerID) int {
	m.forget()
	n := 0
	if d := m.memories[remembered(s, source)]; d != nil {
		n = d.n
	}
	return s.DR.Steps[min(n, len(s.DR.Steps)-1)]
}

func (m *model) diminish(s *buff.Spec, o Op) {
	key := remembered(s, o.source)
	if m.memories[key] == nil {
		m.memories[key] = &diminished{}
	}
	m.memories[key].n++
	m.memories[key].until = max(m.memories[key].until, m.now+ms(s.DR.Reset))
}

// forget drops expired records. Every operation calls it first, because an application that is in
// effect until then keeps its record for another reset time.
func (m *model) forget() {
	for _, b := range m.buffs {
		if b.spec.DR.Group == "" {
			continue
		}
		for _, source := range b.appliers() {
			if d := m.memories[remembered(b.spec, source)]; d != nil {
				d.until = max(d.until, m.now+ms(b.spec.DR.Reset))
			}
		}
	}
	for key, d := range m.memories {
		if m.now >= d.until {
			delete(m.memories, key)
		}
	}
}

// appliers returns the sources whose applications to a buff are in effect or wait.
func (b *carried) appliers() (list []buff.OwnerID) {
	for _, l := range b.async {
		list = append(list, l.source)
	}
	switch {
	case b.running != nil:
		return append(list, b.running.source)
	case b.spec.Stack.Timers == define.TimersEach:
		return list
	case b.member:
		for _, h := range b.holders {
			list = append(list, h.source)
		}
		return list
	}
	return b.by
}
