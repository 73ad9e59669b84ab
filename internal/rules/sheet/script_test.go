package sheet

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/bufftick/bufftick/buff/stat"
)

// dice makes choices from bytes. When no bytes are left, it takes the first choice.
type dice struct{ bytes []byte }

func seeded(seed uint64, n int) *dice {
	rng := rand.New(rand.NewPCG(seed, 5))
	d := &dice{bytes: make([]byte, n)}
	for i := range d.bytes {
		d.bytes[i] = byte(rng.Uint32())
	}
	return d
}

func (d *dice) byte() byte {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return b
}

func (d *dice) roll(n int) int { return int(d.byte()) % n }

// hard are numbers for which a careless sum or product is wrong.
var hard = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 0.1, -0.1, 0.2, 0.3, 1.0 / 3, 100, 1e16, -1e16, 1 << 53, 1<<53 - 1, 1e-17,
	stat.MaxValue, -stat.MaxValue, 1e299, 1e200, 1e-200, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-53,
}

// number returns a valid number for a modifier: often a plain one, sometimes any.
func (d *dice) number() float64 {
	switch d.roll(4) {
	case 0:
		return float64(int8(d.byte()))
	case 1:
		return float64(int8(d.byte())) / 100
	case 2:
		return hard[d.roll(len(hard))]
	}
	var bits uint64
	for range 8 {
		bits = bits<<8 | uint64(d.byte())
	}
	v := math.Float64frombits(bits)
	if _, err := number(v, ""); err != nil {
		return 7
	}
	return v
}

// schema returns a schema of up to six attributes, some of which limit later ones.
func (d *dice) schema() *stat.Schema {
	attrs := make([]stat.Attribute, 1+d.roll(6))
	for i := range attrs {
		a := stat.Attribute{Name: fmt.Sprintf("a%d", i), Base: d.number(), Aggregate: stat.Aggregate(d.roll(4))}
		if a.Aggregate == stat.Strongest {
			a.N = 1 + d.roll(3)
		}
		near := stat.Attribute{}
		if i > 0 {
			near = attrs[d.roll(i)]
		}
		switch d.roll(3) {
		case 1:
			a.Min, a.Max = stat.At(math.Max(a.Base-10, -stat.MaxValue)), stat.At(math.Min(a.Base+10, stat.MaxValue))
		case 2:
			if near.Name != "" && near.Base <= a.Base {
				a.Min = stat.By(near.Name)
			} else if near.Name != "" {
				a.Max = stat.By(near.Name)
			}
		}
		attrs[i] = a
	}
	s, err := stat.NewSchema(attrs...)
	if err != nil {
		panic(err)
	}
	return s
}

func (d *dice) modifier(s *stat.Schema) stat.Modifier {
	m := stat.Modifier{Attr: stat.Attr(1 + d.roll(s.Len())), Op: stat.Op(d.roll(5)), Value: d.number(), Of: uint64(d.roll(5))}
	if m.Channel = uint8(d.roll(4)); m.Channel == 3 {
		m.Channel = stat.MaxChannel
	}
	if m.Value == 0 {
		m.Value = 0 // the sheet replaces -0
	}
	return m
}

// session executes the same calls on a sheet and on the model.
type session struct {
	dice  *dice
	sheet *Sheet
	model *model
	keys  []Key // all keys so far
	log   []string
	cuts  bool // also reads the limits that have changed
}

func newSession(d *dice) *session {
	s := d.schema()
	return &session{dice: d, sheet: newSheet(s, 30), model: newModel(s)}
}

// run executes the steps that the bytes give, until there are none left or one fails.
func (s *session) run() error {
	for len(s.dice.bytes) > 0 {
		err := s.step()
		if err == nil {
			err = check(s.sheet)
		}
		if err != nil {
			return fmt.Errorf("%w after\n%s", err, strings.Join(s.log, "\n"))
		}
	}
	if err := s.model.compare(s.sheet); err != nil {
		return fmt.Errorf("at the end: %w after\n%s", err, strings.Join(s.log, "\n"))
	}
	return nil
}

func (s *session) say(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// key returns a key that was returned before, possibly a stale one, or a guess: the next key of a
// slot, or a key of no slot.
func (s *session) key() Key {
	switch guess := s.dice.roll(20); {
	case guess == 0 && len(s.sheet.slots) > 0:
		return s.sheet.key(uint16(s.dice.roll(len(s.sheet.slots))))
	case guess == 1 || len(s.keys) == 0:
		return Key(s.dice.byte()) | Key(s.dice.byte())<<32
	}
	return s.keys[len(s.keys)-1-s.dice.roll(min(40, len(s.keys)))]
}

func (s *session) step() error {
	d, a := s.dice, stat.Attr(1+s.dice.roll(s.sheet.Schema().Len()))
	switch d.roll(12) {
	case 0, 1, 2, 3:
		return s.add(d.modifier(s.sheet.Schema()))
	case 4, 5:
		k := s.key()
		s.say("remove %#x", k)
		if got, want := s.sheet.Remove(k), s.model.remove(k); got != want {
			return fmt.Errorf("it was there: %t, want %t", got, want)
		}
	case 6:
		return s.setValue(s.key(), d.number()+0)
	case 7:
		of := uint64(d.roll(5))
		s.say("remove all of %d", of)
		if got, want := s.sheet.RemoveAll(of), s.model.removeAll(of); got != want {
			return fmt.Errorf("%d of them, want %d", got, want)
		}
	case 8:
		v := d.number() + 0
		s.say("set base %d %v", a, v)
		s.model.bases[a] = v
		return s.sheet.SetBase(a, v)
	case 9:
		v := d.number()
		s.say("add base %d %v", a, v)
		got, err := s.sheet.AddBase(a, v)
		if want := s.model.addBase(a, v); got != want || err != nil {
			return fmt.Errorf("changed by %v (%w), want %v", got, err, want)
		}
	case 10:
		s.say("read %d", a)
		return s.model.compareOne(s.sheet, a)
	default:
		if s.cuts {
			s.say("cut")
			s.model.cut()
			for ok := true; ok; {
				_, ok = s.sheet.NextCut()
			}
		}
		s.say("read")
		return s.model.compare(s.sheet)
	}
	return nil
}

func (s *session) add(m stat.Modifier) error {
	s.say("add %+v", m)
	k, err := s.sheet.Add(m)
	switch full := len(s.model.mods) == 30; {
	case full != errors.Is(err, ErrFull):
		return fmt.Errorf("with %d modifiers: %w", len(s.model.mods), err)
	case err == nil:
		s.keys = append(s.keys, k)
		s.model.mods = append(s.model.mods, entry{m, k})
	}
	return nil
}

func (s *session) setValue(k Key, v float64) error {
	s.say("set value %#x %v", k, v)
	err := s.sheet.SetValue(k, v)
	for i := range s.model.mods {
		if s.model.mods[i].key == k {
			s.model.mods[i].Value = v
			return err
		}
	}
	if !errors.Is(err, ErrStale) {
		return fmt.Errorf("a stale key: %w", err)
	}
	return nil
}
