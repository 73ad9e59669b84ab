package replicate

import (
	"encoding/binary"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/wheel"
)

// block is the encoded records of one or more owners, and the audience of each record.
type block struct {
	records []record
	bytes   []byte

	// State of the last owner.
	first, from int  // offsets of the owner's first record and first byte
	mixed       bool // some records of the owner must be hidden from some viewers
}

// record is the encoded state or change of one buff. The field "to" is the end of the record, as an
// offset from the owner's first byte.
type record struct {
	audience
	to     int32
	starts uint32 // lineage of a new buff; otherwise 0
}

// The mask of a record has a bit for each field that is present.
const (
	hasTime = 1 << iota // end, pause reasons and rate
	hasStacks
	hasPower // magnitude and level
	hasCharges
	hasShield
	hasHidden
	hasWaiting
	hasSpec     // definition and source of a new buff, whose absent fields have default values
	isGone  = 0 // a mask without bits means that the buff has ended
)

// The byte of a record of the owner itself.
const (
	isDead  = 1
	isValue = 2 // followed by the number and the value of an attribute
)

// A hasTime field starts with a number. The lowest two bits of this number determine the meaning of
// its other bits and of the numbers that follow.
const (
	timeNever = iota // the buff has no end
	timeEnds         // ms until the end
	timeRate         // ms until the end plus 1, or 0 if there is no end; followed by the rate
	// the buff is paused: ms left of its own time plus 1, or 0 if there is no end; followed by
	// reasons and rate
	timeHeld
)

func (k *block) reset() {
	k.records, k.bytes = k.records[:0], k.bytes[:0]
	k.begin()
}

// begin starts the records of another owner.
func (k *block) begin() { k.first, k.from, k.mixed = len(k.records), len(k.bytes), false }

// open starts another owner with a placeholder byte for its record count, and returns the
// placeholder's offset.
func (k *block) open() (at int) {
	at = len(k.bytes)
	k.bytes = append(k.bytes, 0)
	k.begin()
	return at
}

// close writes the record count into the placeholder and reports whether there are any
// records.
func (k *block) close(at int) bool {
	n := len(k.records) - k.first
	switch {
	case n == 0:
		k.bytes = k.bytes[:at]
	case n < 0x80:
		k.bytes[at] = byte(n)
	default: // The count takes two bytes.
		k.bytes = append(k.bytes, 0)
		copy(k.bytes[at+2:], k.bytes[at+1:])
		k.bytes[at], k.bytes[at+1] = byte(n)|0x80, byte(n>>7)
		k.from++
	}
	return n > 0
}

// end finishes a record.
func (k *block) end(t audience, starts uint32) {
	k.records = append(k.records, record{t, int32(len(k.bytes) - k.from), starts})
	k.mixed = k.mixed || t.sync != define.SyncAll
}

// writeLife writes a record that says whether the owner is dead. The slot number of the record is
// 0.
func (k *block) writeLife(dead bool) {
	state := byte(0)
	if dead {
		state = isDead
	}
	k.bytes = append(k.bytes, 0, state)
	k.end(audience{any: true}, 0)
}

// writeEnd writes a record for the end of the buff in a slot.
func (k *block) writeEnd(at int, was audience) {
	k.bytes = append(binary.AppendUvarint(k.bytes, uint64(at)+1), isGone)
	k.end(was, 0)
}

// writeFull writes the complete state of a buff.
func (k *block) writeFull(now wheel.Time, at int, is audience, b *buff.Instance) {
	mask := byte(hasSpec)
	has := func(it bool, bit byte) {
		if it {
			mask |= bit
		}
	}
	has(b.End != wheel.Never || b.Paused || b.Rate != buff.Ratio{}, hasTime)
	has(b.Stacks != 1, hasStacks)
	has(b.Magnitude != 0 || b.Level != 0, hasPower)
	has(b.Charges != 0, hasCharges)
	has(b.Shield != 0, hasShield)
	has(b.Hidden, hasHidden)
	has(b.Waiting != 0, hasWaiting)
	k.write(now, at, is, b, mask)
}

// aspects maps journal aspects to mask bits.
var aspects = [...]struct {
	aspect journal.Aspect
	bit    byte
}{
	{journal.Time, hasTime},
	{journal.Stacks, hasStacks},
	{journal.Power, hasPower},
	{journal.Charges, hasCharges},
	{journal.Shield, hasShield},
	{journal.Hidden, hasHidden},
	{journal.Waiting, hasWaiting},
}

// writePart writes the changed fields of a buff.
func (k *block) writePart(now wheel.Time, at int, is audience, b *buff.Instance, what journal.Aspect) {
	mask := byte(0)
	for _, a := range aspects {
		if what&a.aspect != 0 {
			mask |= a.bit
		}
	}
	if mask != 0 {
		k.write(now, at, is, b, mask)
	}
}

func (k *block) write(now wheel.Time, at int, is audience, b *buff.Instance, mask byte) {
	p, starts := append(binary.AppendUvarint(k.bytes, uint64(at)+1), mask), uint32(0)
	if mask&hasSpec != 0 {
		starts = uint32(b.Spec.Lineage())
		p = binary.AppendUvarint(p, uint64(b.Spec.Lineage()))
		p = binary.AppendUvarint(p, uint64(b.Source))
	}
	if mask&hasTime != 0 {
		p = appendTime(p, now, b)
	}
	if mask&hasStacks != 0 {
		p = binary.AppendUvarint(p, uint64(b.Stacks))
	}
	if mask&hasPower != 0 {
		p = binary.AppendUvarint(binary.AppendVarint(p, b.Magnitude), uint64(b.Level))
	}
	if mask&hasCharges != 0 {
		p = binary.AppendUvarint(p, uint64(max(b.Charges, 0)))
	}
	if mask&hasShield != 0 {
		p = binary.AppendUvarint(p, uint64(max(b.Shield, 0)))
	}
	if mask&hasHidden != 0 {
		hidden := byte(0)
		if b.Hidden {
			hidden = 1
		}
		p = append(p, hidden)
	}
	if mask&hasWaiting != 0 {
		p = binary.AppendUvarint(p, uint64(b.Waiting))
	}
	k.bytes = p
	k.end(is, starts)
}

// maxSpan is the longest remaining time that is sent, in ms. It is about 35 years. A buff with a
// longer remaining time is sent as a buff without an end.
const maxSpan = 1 << 40

// appendTime appends the end of a buff, its rate and the reasons why it is paused.
func appendTime(p []byte, now wheel.Time, b *buff.Instance) []byte {
	left, ends := int64(0), b.End != wheel.Never
	if b.Paused {
		own := b.Left(now)
		left, ends = own.Milliseconds(), own < math.MaxInt64
	} else if ends {
		left = max(int64(b.End-now), 0)
	}
	plus := uint64(0)
	if ends && left < maxSpan {
		plus = uint64(left) + 1
	}
	switch {
	case b.Paused:
		p = binary.AppendUvarint(p, plus<<2|timeHeld)
		p = append(p, byte(b.Held))
	case b.Rate != buff.Ratio{}:
		p = binary.AppendUvarint(p, plus<<2|timeRate)
	case plus == 0:
		return append(p, timeNever)
	default:
		return binary.AppendUvarint(p, (plus-1)<<2|timeEnds)
	}
	r := b.Rate
	if r == (buff.Ratio{}) {
		r = buff.Ratio{Num: 1, Den: 1}
	}
	return binary.AppendUvarint(binary.AppendUvarint(p, uint64(r.Num)), uint64(r.Den))
}
