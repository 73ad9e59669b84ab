package compile

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/handle"
)

// exclusive checks the group, the slot and the limit per source.
func (k *checker) exclusive(s *Program) {
	if g := s.Spec.Group; g.Name == "" && g != (define.Group{}) {
		k.failf("group.name", "missing")
	}
	k.slot(s)
	if n := s.PerSource.Limit; n < 0 {
		k.failf("per_source.limit", "must be at least 1, not %d", n)
	}
}

// slot checks the class of slots. All definitions of a class must have the same settings, so that
// the order of the definitions does not matter.
func (k *checker) slot(s *Program) {
	l := s.Spec.Slot
	switch {
	case l == (define.Slot{}):
		return
	case l.Class == "":
		k.failf("slot.class", "missing")
		return
	case l.Limit == 0:
		k.failf("slot.limit", "missing: how many slots the class has")
		return
	case l.Limit < 0 || l.Limit > handle.MaxSlots:
		k.failf("slot.limit", "must be from 1 to %d, not %d", handle.MaxSlots, l.Limit)
		return
	}
	first := agreed(&k.classes, l.Class, s)
	if f := first.Spec.Slot; f != l {
		k.failf("slot.class", "has limit %d and evict %v here, but %d and %v in %q", l.Limit, l.Evict, f.Limit, f.Evict, first.ID)
	}
}

// agreed returns the first definition that was recorded in m under a name. If there is none yet, it
// records and returns s.
func agreed(m *map[string]*Program, name string, s *Program) *Program {
	if first := (*m)[name]; first != nil {
		return first
	}
	if *m == nil {
		*m = map[string]*Program{}
	}
	(*m)[name] = s
	return s
}

// maxSteps is the maximum number of steps of diminishing returns.
const maxSteps = 100

// diminishing checks diminishing returns. All definitions of a group must have the same settings.
func (k *checker) diminishing(s *Program) {
	d, sound := &s.DR, len(k.errs)
	switch {
	case noReturns(d):
		return
	case d.Group == "":
		k.failf("dr.group", "missing")
	}
	switch n := len(d.Steps); {
	case n == 0:
		k.failf("dr.steps", "want at least one share")
	case n > maxSteps:
		k.failf("dr.steps", "%d steps are more than %d", n, maxSteps)
	}
	for i, share := range d.Steps {
		k.within(element("dr.steps", i), share, 0, 100)
	}
	if d.Reset == 0 {
		k.failf("dr.reset", "missing: how long after its last end the group is forgotten")
	}
	k.whole("dr.reset", d.Reset)
	if len(k.errs) > sound {
		return
	}
	first := agreed(&k.returns, d.Group, s)
	if f := &first.DR; !slices.Equal(f.Steps, d.Steps) || f.Reset != d.Reset || f.Scope != d.Scope {
		k.failf("dr.group", "has %s here, but %s in %q", returnsText(d), returnsText(f), first.ID)
	}
}

// returnsText describes diminishing returns for the error about different settings.
func returnsText(d *define.DR) string {
	return fmt.Sprintf("steps %v, reset %v and scope %v", d.Steps, d.Reset, d.Scope)
}

// dispel checks the rules for a dispel.
func (k *checker) dispel(s *Program) {
	k.within("dispel.resist", s.Dispel.Resist, 0, 1000)
	if s.Dispel.Per == define.PerCharge && s.Charges.N == 0 {
		k.failf("dispel.per", "%v needs charges", s.Dispel.Per)
	}
}
