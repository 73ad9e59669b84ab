package replicate

import (
	"encoding/binary"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/wheel"
)

// block is what there is to tell of owners, one behind the other: records, and who may see each.
type block struct {
	records []record
	bytes   []byte

	// Of the last owner.
	first, from int  // where its records begin, and their bytes
	mixed       bool // not all of them are for everybody
}

// record is one of them: bytes from the end of the one before, counted from the first of the owner.
type record struct {
	told
	to int32
}

// What a record has, in its mask.
const (
	hasTime    = 1 << iota // when it ends, and what holds its time
	hasStacks              //
	hasPower               // magnitude and level
	hasCharges             //
	hasShield              //
	hasHidden              // it is hidden, or not any more
	hasWaiting             //
	hasSpec                // it is new: its definition and its source; what is missing is as for a plain buff
	isGone     = 0         // it has ended
)

// Forms of a time: the last two bits of its number.
const (
	timeNever = iota // 0: no end
	timeEnds         // ms from now on
	timeRate         // ms from now on plus 1, 0 for no end; then the rate
	timeHeld         // ms left of its own time plus 1, 0 for no end; then what holds it, and the rate
)

func (k *block) reset() {
	k.records, k.bytes = k.records[:0], k.bytes[:0]
	k.begin()
}

// begin begins with another owner.
func (k *block) begin() { k.first, k.from, k.mixed = len(k.records), len(k.bytes), false }

// open begins with another owner, and leaves a byte for how many records there will be. It returns where that is.
func (k *block) open() (at int) {
	at = len(k.bytes)
	k.bytes = append(k.bytes, 0)
	k.begin()
	return at
}

// close writes the number of records where open has left room, and reports whether there are any.
func (k *block) close(at int) bool {
	n := len(k.records) - k.first
	switch {
	case n == 0:
		k.bytes = k.bytes[:at]
	case n < 0x80:
		k.bytes[at] = byte(n)
	default: // it takes two
		k.bytes = append(k.bytes, 0)
		copy(k.bytes[at+2:], k.bytes[at+1:])
		k.bytes[at], k.bytes[at+1] = byte(n)|0x80, byte(n>>7)
		k.from++
	}
	return n > 0
}

// end ends a record.
func (k *block) end(t told) {
	k.records = append(k.records, record{t, int32(len(k.bytes) - k.from)})
	k.mixed = k.mixed || t.sync != define.SyncAll
}

// life tells whether the owner is dead.
func (k *block) life(dead bool) {
	state := byte(0)
	if dead {
		state = 1
	}
	k.bytes = append(k.bytes, 0, state)
	k.end(told{any: true})
}

// gone tells that what was in a slot has ended.
func (k *block) gone(at int, was told) {
	k.bytes = append(binary.AppendUvarint(k.bytes, uint64(at)+1), isGone)
	k.end(was)
}

// whole tells all of a buff.
func (k *block) whole(now wheel.Time, at int, is told, b *buff.Instance) {
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

// aspects are the bits of a mask by what of a buff has changed.
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

// part tells what of a buff has changed.
func (k *block) part(now wheel.Time, at int, is told, b *buff.Instance, what journal.Aspect) {
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

func (k *block) write(now wheel.Time, at int, is told, b *buff.Instance, mask byte) {
	p := append(binary.AppendUvarint(k.bytes, uint64(at)+1), mask)
	if mask&hasSpec != 0 {
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
	k.end(is)
}

// maxSpan is the longest time that is told, in ms; what is longer has no end for a client. It is
// 35 years.
const maxSpan = 1 << 40

// appendTime appends when a buff ends.
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
