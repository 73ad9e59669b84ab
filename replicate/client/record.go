package client

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Protocol constants, as in package replicate.
const (
	kindPacket = 0x10
	kindRepair = 0x11
	kindDefine = 0x12
	kindLost   = 0x20

	aboutFull   = 1
	aboutLeave  = 2
	aboutMore   = 3
	moreCatalog = aboutMore
	moreTime    = 1<<2 | aboutMore
	moreSpec    = 2<<2 | aboutMore
	moreAttr    = 3<<2 | aboutMore

	isValue = 2

	hasTime    = 1 << 0
	hasStacks  = 1 << 1
	hasPower   = 1 << 2
	hasCharges = 1 << 3
	hasShield  = 1 << 4
	hasHidden  = 1 << 5
	hasWaiting = 1 << 6
	hasSpec    = 1 << 7

	timeEnds = 1
	timeRate = 2
	timeHeld = 3

	maxTime = 1 << 48 // in ms; about 8,900 years
)

// reader decodes numbers. After an error it returns only zero values.
type reader struct {
	b   []byte
	at  int
	bad bool
}

func (r *reader) failed() error {
	if r.bad {
		return fmt.Errorf("%w: truncated message, or a number that is out of range", ErrFormat)
	}
	return nil
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	r.at += n
	return v
}

func (r *reader) signed() int64 {
	u := r.number()
	return int64(u>>1) ^ -int64(u&1)
}

// upTo reads a number and fails if it exceeds the given limit.
func (r *reader) upTo(most uint64) uint64 {
	v := r.number()
	if v > most {
		r.bad = true
		return 0
	}
	return v
}

func (r *reader) byte() byte {
	if r.bad || r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) fixed() uint64 {
	if r.bad || len(r.b)-r.at < 8 {
		r.bad = true
		return 0
	}
	r.at += 8
	return binary.LittleEndian.Uint64(r.b[r.at-8:])
}

// length reads a length in bytes and returns the offset of the end of the bytes.
func (r *reader) length() (end int) {
	n := r.number()
	if r.bad || n > uint64(len(r.b)-r.at) {
		r.bad = true
		return 0
	}
	return r.at + int(n)
}

// skipTo skips bytes up to an offset. It fails if more has been read.
func (r *reader) skipTo(end int) {
	if r.bad || r.at > end {
		r.bad = true
		return
	}
	r.at = end
}

func (r *reader) text() string {
	end := r.length()
	if r.bad {
		return ""
	}
	from := r.at
	r.at = end
	return string(r.b[from:end])
}

// record decodes the changes of one buff or, if the slot number is 0, of the owner itself.
func (c *Client) record(o *Owner, r *reader, now wheel.Time) error {
	slot := r.upTo(buff.MaxPerOwner)
	mask := r.byte()
	switch {
	case r.bad:
		return r.failed()
	case slot == 0 && mask&isValue != 0:
		return c.value(o, r)
	case slot == 0:
		o.dead = mask&1 != 0
		return nil
	case mask == 0:
		c.end(o, slot)
		return nil
	}
	b := o.find(slot)
	if mask&hasSpec != 0 {
		if b == nil {
			if c.buffs >= c.opts.Buffs {
				return fmt.Errorf("%w: %d buffs", ErrLimit, c.buffs+1)
			}
			b = o.addBuff(slot)
			c.buffs++
		}
		*b = Buff{Slot: int(slot) - 1, Spec: uint32(r.upTo(math.MaxUint32)), Source: buff.OwnerID(r.number()), Stacks: 1, End: wheel.Never}
	}
	if b == nil {
		return fmt.Errorf("%w: change of an unknown buff", ErrFormat)
	}
	b.read(r, mask, now)
	return r.failed()
}

func (b *Buff) read(r *reader, mask byte, now wheel.Time) {
	const most = math.MaxInt32
	if mask&hasTime != 0 {
		b.time(r, now)
	}
	if mask&hasStacks != 0 {
		b.Stacks = int(r.upTo(most))
	}
	if mask&hasPower != 0 {
		b.Magnitude, b.Level = r.signed(), int(r.upTo(most))
	}
	if mask&hasCharges != 0 {
		b.Charges = int(r.upTo(most))
	}
	if mask&hasShield != 0 {
		b.Shield = int64(r.upTo(math.MaxInt64))
	}
	if mask&hasHidden != 0 {
		b.Hidden = r.byte()&1 != 0
	}
	if mask&hasWaiting != 0 {
		b.Waiting = int(r.upTo(most))
	}
}

// time decodes the end of a buff.
func (b *Buff) time(r *reader, now wheel.Time) {
	n := r.upTo(maxTime)
	form, ms := n&3, int64(n>>2)
	b.End, b.Held, b.Rate, b.left = wheel.Never, 0, buff.Ratio{}, 0
	switch form {
	case timeEnds:
		b.End = now.Add(ms)
	case timeHeld:
		b.left, b.Held = ms-1, buff.Held(r.byte())
		b.rate(r)
	case timeRate:
		if ms > 0 {
			b.End = now.Add(ms - 1)
		}
		b.rate(r)
	}
}

func (b *Buff) rate(r *reader) {
	b.Rate = buff.Ratio{Num: uint32(r.upTo(buff.MaxRatio)), Den: uint32(r.upTo(buff.MaxRatio))}
	switch {
	case b.Rate.Num == 0 || b.Rate.Den == 0:
		r.bad = true
	case b.Rate.Num == b.Rate.Den:
		b.Rate = buff.Ratio{}
	}
}

// find returns the buff in a slot, counted from 1, or nil.
func (o *Owner) find(slot uint64) *Buff {
	if slot <= uint64(len(o.index)) && o.index[slot-1] > 0 {
		return &o.buffs[o.index[slot-1]-1]
	}
	return nil
}

func (o *Owner) addBuff(slot uint64) *Buff {
	for uint64(len(o.index)) < slot {
		o.index = append(o.index, 0)
	}
	o.buffs = append(o.buffs, Buff{})
	o.index[slot-1] = uint16(len(o.buffs))
	return &o.buffs[len(o.buffs)-1]
}

// end removes the buff in a slot, if any.
func (c *Client) end(o *Owner, slot uint64) {
	if o.find(slot) == nil {
		return
	}
	k, last := o.index[slot-1]-1, len(o.buffs)-1
	o.buffs[k] = o.buffs[last]
	o.index[o.buffs[k].Slot] = k + 1
	o.index[slot-1] = 0
	o.buffs = o.buffs[:last]
	c.buffs--
}
