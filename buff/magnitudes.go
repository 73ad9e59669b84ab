package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/sheet"
)

// magnitudes is what an instance keeps of the numbers of its application. It is used again with its extra.
type magnitudes struct {
	values   []float64         // of Spec.numbers
	keys     []sheet.Key       // of its modifiers on the owner's sheet; none while it is hidden
	captured []Captured        // of the source, for itself and all that it can set off
	waiting  *[]waitingNumbers // of a queue; nil: none has ever waited
}

var noMagnitudes magnitudes

// magnitudesOf returns what an instance keeps.
func (s *Set) magnitudesOf(i *instance) *magnitudes {
	if i.extra != noSlot {
		if k := s.extraOf(i).magnitudes; k != nil {
			return k
		}
	}
	return &noMagnitudes
}

// magnitudesBehind returns what actions work with that an application has caused by joining an
// instance: the numbers of that, and, if it is of another source, what the application knows of it.
func (s *Set) magnitudesBehind(t *Turn, i *instance, a *Application) *magnitudes {
	k := s.magnitudesOf(i)
	if i.source == a.Source {
		return k
	}
	t.worked.behind = magnitudes{values: k.values, captured: a.Captured}
	return &t.worked.behind
}

func (x *extra) needMagnitudes() *magnitudes {
	if x.magnitudes == nil {
		x.magnitudes = &magnitudes{}
	}
	return x.magnitudes
}

// empty forgets the numbers, but not the memory of the lists.
func (k *magnitudes) empty() *magnitudes {
	if k != nil {
		k.values, k.keys, k.captured = k.values[:0], k.keys[:0], k.captured[:0]
		k.clearShelves()
	}
	return k
}

// keep gives an instance the numbers of an application, which have been worked out.
func (s *Set) keep(t *Turn, i *instance, a *Application) {
	k := s.needExtra(i).needMagnitudes()
	k.values = append(k.values[:0], t.worked.values...)
	switch i.source {
	case s.owner: // who is there to be asked
		k.captured = k.captured[:0]
	case a.Source:
		k.captured = a.Spec.known(k.captured[:0], a.Captured)
	default: // it is about another source: what is known of its own stays
		k.captured = slices.DeleteFunc(k.captured, func(c Captured) bool { return !a.Spec.wants(c.attr, c.when) })
	}
}

// newSource gives an instance another source. Of that one nothing is known.
func (s *Set) newSource(at uint16, source OwnerID) {
	i := s.slot(at)
	if i.source == source {
		return
	}
	i.source = source
	s.mark(at, journal.Source)
	s.rehash(at)
	if k := s.magnitudesOf(i); len(k.captured) > 0 {
		k.captured = k.captured[:0]
	}
}

// amount returns what a modifier adds, or multiplies by, with so many stacks.
func (m *modifier) amount(values []float64, stacks int16) float64 {
	v := m.value.of(values)
	if m.perStack {
		v = min(max(float64(v*float64(stacks)), -stat.MaxValue), stat.MaxValue)
	}
	return v
}

// putOn puts the modifiers of an instance on the owner's sheet, which has none of them. There is
// room: it was reserved when the buff began.
func (s *Set) putOn(at uint16) {
	i := s.slot(at)
	sheet, k := s.needBeside().needSheet(s.specOf(i).catalog), s.extraOf(i).needMagnitudes()
	s.markOwner(journal.Attributes)
	k.putOn(sheet, i, s.specOf(i), s.handle(at))
	if s.specOf(i).uses&usesOverride != 0 {
		s.overrule(sheet, i.newer)
	}
}

// putOn puts the modifiers of an instance with these numbers on a sheet.
func (k *magnitudes) putOn(sheet *sheet.Sheet, i *instance, spec *Spec, of Handle) {
	for j := range spec.modifiers {
		k.keys = append(k.keys, k.put(sheet, i, spec, j, of))
	}
}

// overrule lets the overrides from that slot on count more than what the sheet has been given: that of the
// youngest buff counts, whichever was shown last.
func (s *Set) overrule(sheet *sheet.Sheet, from uint16) {
	for younger := from; younger != noSlot; younger = s.slot(younger).newer {
		s.looked++
		o := s.slot(younger)
		k, spec := s.magnitudesOf(o), s.specOf(o)
		if spec.uses&usesOverride == 0 || len(k.keys) == 0 {
			continue
		}
		for j := range spec.modifiers {
			if spec.modifiers[j].op == stat.Override {
				sheet.Remove(k.keys[j])
				k.keys[j] = k.put(sheet, o, spec, j, s.handle(younger))
			}
		}
	}
}

// put adds one modifier.
func (k *magnitudes) put(sheet *sheet.Sheet, i *instance, spec *Spec, j int, of Handle) sheet.Key {
	m := &spec.modifiers[j]
	key, err := sheet.Add(stat.Modifier{
		Attr: m.attr, Op: m.op, Channel: m.channel, Value: m.amount(k.values, spec.counted(i.stacks)), Of: uint64(of),
	})
	if err != nil {
		panic("buff: a modifier that was checked: " + err.Error())
	}
	return key
}

// takeOff takes them off.
func (s *Set) takeOff(at uint16) {
	k := s.magnitudesOf(s.slot(at))
	s.markOwner(journal.Attributes)
	k.takeOff(s.beside.ownSheet())
}

func (k *magnitudes) takeOff(sheet *sheet.Sheet) {
	for _, key := range k.keys {
		sheet.Remove(key)
	}
	k.keys = k.keys[:0]
}

// counted returns how many of so many stacks count for a modifier: with timers each, those that are effective.
func (s *Spec) counted(stacks int16) int16 {
	if st := &s.Stack; st.Timers == define.TimersEach && st.Effective > 0 {
		return int16(min(int(stacks), st.Effective))
	}
	return stacks
}

// tune gives the modifiers of an instance the values that they have with its stacks and its
// numbers of now.
func (s *Set) tune(at uint16) {
	i := s.slot(at)
	if s.specOf(i).uses&usesModifiers == 0 {
		return
	}
	s.markOwner(journal.Attributes)
	s.magnitudesOf(i).tune(s.beside.ownSheet(), i, s.specOf(i))
}

func (k *magnitudes) tune(sheet *sheet.Sheet, i *instance, spec *Spec) {
	for j, key := range k.keys {
		if err := sheet.SetValue(key, spec.modifiers[j].amount(k.values, spec.counted(i.stacks))); err != nil {
			panic("buff: a modifier that was put on: " + err.Error())
		}
	}
}

// askAgain works out anew the numbers that are asked for at each pulse, of the buff in a slot, or of one that is on
// nobody any more. If one of them cannot be, all stay, and it reports false.
func (s *Set) askAgain(t *Turn, at uint16, i *instance, spec *Spec, k *magnitudes) bool {
	q := asked{set: s, turn: t, spec: spec}
	fresh := t.worked.fresh[:0]
	for j := range spec.numbers {
		n := &spec.numbers[j]
		if n.snapshot != define.SnapshotPulse {
			continue
		}
		v, why := q.evaluate(n)
		if why != NoReason {
			return false
		}
		fresh = append(fresh, v)
	}
	t.worked.fresh = fresh
	for j := range spec.numbers {
		if spec.numbers[j].snapshot == define.SnapshotPulse {
			if at != noSlot {
				s.tellNumber(t, at, j, k.values[j], fresh[0])
			}
			k.values[j] = fresh[0]
			fresh = fresh[1:]
		}
	}
	if len(k.keys) > 0 {
		s.markOwner(journal.Attributes)
		k.tune(s.beside.ownSheet(), i, spec)
	}
	return true
}

// roomFor reports whether the modifiers of a definition have room on the owner's sheet beside
// those of all instances but so many.
func (s *Set) roomFor(spec *Spec, but int) bool {
	return len(spec.modifiers) == 0 || s.beside.modified()-but+len(spec.modifiers) <= stat.MaxModifiers
}
