package history

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// The first word of a record has, from the lowest bits up: the flags below, kind, why, definition,
// stacks, and Seen − At in ms.
const (
	hasPair   = 1 << iota // the owner or the source is not the same as in the previous record
	hasAmount             // End − At or the magnitude is not the same as in the previous record
	isEndless             // End is Never
	hasRare               // rare fields follow

	kindShift   = 4 // five bits
	whyShift    = 9 // seven bits
	specShift   = 16
	stacksShift = 32
	beforeShift = 48
)

// mostWords exceeds the length of any record. It is a power of two, so that the compiler can omit
// bounds checks.
const mostWords = 32

// context holds the fields that a record omits if they are unchanged.
type context struct {
	seen   wheel.Time
	pair   uint64 // owner and source, 32 bits each
	amount uint64 // ms from At to End, and magnitude, 32 bits each
}

// put writes a record of e, and returns its length in words. The parameter `spec` is 1 + the index
// of the definition in the chunk's table, and `name` is 1 + the index of the name. Zero means that
// the event has no definition or name.
//
// Each optional word is always written. If it is to be omitted, the next word overwrites it. This
// is cheaper than a branch that is hard to predict.
func (c *context) put(w *[mostWords]uint64, e *buff.Event, spec, name uint16) int {
	has, before, after := uint64(0), uint64(e.Seen-e.At), uint64(e.End-e.At)
	if e.End == wheel.Never {
		after, has = 0, isEndless
	}
	pair, amount := uint64(e.Owner)<<32|uint64(uint32(e.Source)), after<<32|uint64(uint32(e.Magnitude))
	n := 1
	w[1] = pair
	if pair != c.pair {
		n, has = 2, has|hasPair
	}
	w[n&3] = amount
	if amount != c.amount {
		n++
		has |= hasAmount
	}
	c.pair, c.amount = pair, amount
	w[n&3] = uint64(e.Handle)
	n++
	w[0] = has | uint64(e.Kind)<<kindShift | uint64(e.Why)<<whyShift | uint64(spec)<<specShift |
		uint64(uint16(e.Stacks))<<stacksShift | before<<beforeShift
	if before>>16|after>>32|uint64(e.Magnitude-int64(int32(e.Magnitude)))|uint64(e.Owner|e.Source)>>32|isRare(e) != 0 || e.Seen != c.seen {
		return c.putRare(w, n, e, name)
	}
	return n
}

// isRare returns a nonzero value if an event has rare fields.
func isRare(e *buff.Event) uint64 {
	return uint64(e.Elapsed|e.Period|e.Offline|int64(e.Next)|int64(e.Count)|int64(e.Level)|int64(e.Attr)|int64(e.School)) | uint64(uint32(e.Stacks)>>16) |
		math.Float64bits(e.Delta) | math.Float64bits(e.Value) | uint64(e.Target) | uint64(len(e.Name))
}

// The rare fields start with a header word. From the lowest bit up, the header has one bit for each
// word that the function `rare` returns. The bit is set if that word follows. After these bits, the
// header has the two flags below, the index of the name, the level, and the attribute, or for a
// Reacted, which has no attribute, the school.
const (
	hasSeen = 1 << 14 // Seen is not the same as in the previous record
	hasFar  = 1 << 15 // At, End, Magnitude, Owner and Source are among the words
)

// rare returns the words that store the rare fields of an event. Words that are zero are omitted
// from the record.
func rare(e *buff.Event) [14]uint64 {
	return [...]uint64{
		uint64(e.At), uint64(e.End), uint64(e.Magnitude), uint64(e.Elapsed), uint64(e.Period), math.Float64bits(e.Delta),
		math.Float64bits(e.Value), uint64(e.Next), uint64(e.Offline), uint64(uint32(e.Stacks))<<32 | uint64(uint32(e.Count)), uint64(e.Seen),
		uint64(e.Target), uint64(e.Owner), uint64(e.Source),
	}
}

// putRare writes the rare fields after the first n words, and returns the new number of words.
func (c *context) putRare(w *[mostWords]uint64, n int, e *buff.Event, name uint16) int {
	head, at := uint64(0), n
	n++
	values := rare(e)
	if before := uint64(e.Seen - e.At); before > math.MaxUint16 || e.End != wheel.Never && uint64(e.End-e.At) > math.MaxUint32 ||
		e.Magnitude != int64(int32(e.Magnitude)) || uint64(e.Owner|e.Source)>>32 != 0 {
		head = hasFar
		w[0] &= 1<<beforeShift - 1
	} else {
		values[0], values[1], values[2], values[12], values[13] = 0, 0, 0, 0, 0
	}
	if uint32(e.Stacks) <= math.MaxUint16 && e.Count == 0 {
		values[9] = 0
	}
	if e.Seen == c.seen {
		values[10] = 0
	} else {
		c.seen = e.Seen
		head |= hasSeen
	}
	for i, v := range values {
		w[n&31] = v
		if v != 0 {
			n++
			head |= 1 << i
		}
	}
	w[at&31] = head | uint64(name)<<16 | uint64(uint16(e.Level))<<32 | uint64(e.Attr)<<48 | uint64(e.School)<<48
	w[0] |= hasRare
	return n
}

// get decodes the record at the start of w, with the chunk's tables, and returns its length.
func (c *context) get(w []uint64, t *tables, e *buff.Event) int {
	has, n := w[0], 1
	if has&hasPair != 0 {
		c.pair = w[n]
		n++
	}
	if has&hasAmount != 0 {
		c.amount = w[n]
		n++
	}
	*e = buff.Event{
		Owner: buff.OwnerID(c.pair >> 32), Source: buff.OwnerID(uint32(c.pair)), End: wheel.Never, Handle: buff.Handle(w[n]), Magnitude: int64(int32(c.amount)),
		Kind: buff.EventKind(has >> kindShift & 31), Why: reason.Reason(has >> whyShift & 127), Stacks: int32(has >> stacksShift & math.MaxUint16),
	}
	if spec := uint16(has >> specShift); spec != 0 {
		e.Spec = t.specs[spec-1]
	}
	after := wheel.Time(c.amount >> 32)
	n++
	far := false
	if has&hasRare != 0 {
		var length int
		length, far = c.getRare(w[n:], t, e)
		n += length
	}
	e.Seen = c.seen
	if !far {
		e.At = e.Seen - wheel.Time(has>>beforeShift)
		if has&isEndless == 0 {
			e.End = e.At + after
		}
	}
	return n
}

// getRare decodes the rare fields, and returns their length and whether they include At and End.
func (c *context) getRare(w []uint64, t *tables, e *buff.Event) (n int, far bool) {
	head, n := w[0], 1
	var v [14]uint64
	for i := range v {
		if head&(1<<i) != 0 {
			v[i] = w[n]
			n++
		}
	}
	if far = head&hasFar != 0; far {
		e.At, e.End, e.Magnitude, e.Owner, e.Source = wheel.Time(v[0]), wheel.Time(v[1]), int64(v[2]), buff.OwnerID(v[12]), buff.OwnerID(v[13])
	}
	e.Elapsed, e.Period = int64(v[3]), int64(v[4])
	e.Delta, e.Value = math.Float64frombits(v[5]), math.Float64frombits(v[6])
	e.Next, e.Offline, e.Target = wheel.Time(v[7]), int64(v[8]), buff.OwnerID(v[11])
	if v[9] != 0 {
		e.Stacks, e.Count = int32(v[9]>>32), int32(v[9])
	}
	if head&hasSeen != 0 {
		c.seen = wheel.Time(v[10])
	}
	if name := uint16(head >> 16); name != 0 {
		e.Name = t.names[name-1]
	}
	if e.Level = int16(head >> 32); e.Kind == buff.Reacted {
		e.School = buff.Tag(head >> 48)
	} else {
		e.Attr = stat.Attr(head >> 48)
	}
	return n, far
}
