package buff

// nearMarks is how many slots have their mark in the Set itself.
const nearMarks = 24

// The two halves of a mark. That of a definition is the same for all its versions, and
// never 0.
const (
	markSpec   = 0xff00
	markSource = 0x00ff
)

// markOf returns what stands in Set.marks for an instance of that definition and source. An
// instance is longer than a cache line, and an owner has dozens: those with another mark
// need not be looked at to find the one that an application joins.
func markOf(spec *Spec, source OwnerID) uint16 {
	return uint16(1+uint32(spec.line)%255)<<8 | uint16(uint64(source)*0x9e3779b97f4a7c15>>56)
}

// marks returns the marks of all slots, 0 for a free one. As long as there is room they are
// in the Set itself, so that looking for an instance touches no memory but that.
func (s *Set) marks() []uint16 {
	if n := len(s.slots); n <= nearMarks {
		return s.near[:n]
	}
	return *s.far
}

// addMark makes room for the mark of the last slot, which is new.
func (s *Set) addMark() {
	switch n := len(s.slots); {
	case n > nearMarks+1:
		*s.far = append(*s.far, 0)
	case n > nearMarks:
		far := append(make([]uint16, 0, 2*nearMarks), s.near[:]...)
		far = append(far, 0)
		s.far = &far
	}
}

// remark writes down the mark of an instance: it is new, or has another source.
func (s *Set) remark(at uint16) { s.marks()[at] = markOf(s.slots[at].spec, s.slots[at].source) }

// find returns the slot of the oldest instance that an application joins, or noSlot.
func (s *Set) find(a *Application) uint16 {
	want, care := markOf(a.Spec, a.Source), uint16(markSpec)
	if a.Spec.Stack.By == BySource {
		care |= markSource
	}
	found := uint16(noSlot)
	for at, m := range s.marks() {
		if (m^want)&care != 0 {
			continue
		}
		if i := &s.slots[at]; !s.same(i.spec, a.Spec) || !s.joins(i, a) {
			continue
		}
		if found != noSlot && s.slots[found].age < s.slots[at].age {
			continue
		}
		found = uint16(at)
	}
	return found
}
