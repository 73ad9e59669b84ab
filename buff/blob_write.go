package buff

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/wire"
)

// appendBlobHead begins a blob; seal ends the one that began at start.
func appendBlobHead(dst []byte, format int) []byte {
	return append(append(dst, blobMagic...), byte(format), 0, 0, 0, 0)
}

func seal(dst []byte, start int) []byte {
	b := dst[start:]
	binary.BigEndian.PutUint32(b[len(blobMagic)+1:], uint32(len(b)+blobCheck))
	return binary.BigEndian.AppendUint32(dst, wire.Checksum(b))
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// append appends the blob.
func (b *saved) append(dst []byte) []byte {
	start := len(dst)
	dst = b.appendOwner(appendBlobHead(dst, b.Format))
	dst = appendTags(wire.AppendUint(dst, uint64(len(b.Tags))), b.Tags)
	dst = appendTags(wire.AppendUint(dst, uint64(len(b.Immune))), b.Immune)
	dst = appendReturns(wire.AppendUint(dst, uint64(len(b.Returns))), b.Returns)
	dst = appendTimeouts(wire.AppendUint(dst, uint64(len(b.Timeouts))), b.Timeouts)
	if b.Format > 1 {
		dst = appendValues(wire.AppendUint(dst, uint64(len(b.Bases))), b.Bases)
	}
	dst = appendBuffs(wire.AppendUint(dst, uint64(len(b.Buffs))), b.Buffs, b.Format)
	return seal(dst, start)
}

// appendOwner writes all but the lists.
func (b *saved) appendOwner(dst []byte) []byte {
	dst = wire.AppendInt(wire.AppendInt(wire.AppendInt(dst, b.Wall), b.Uptime), b.Time)
	has := uint64(0)
	if b.Scale != nil {
		has = ownerScaled
	}
	if b.Dead {
		has |= ownerDead
	}
	if b.Zone > 0 {
		has |= ownerZoned
	}
	dst = wire.AppendUint(dst, has)
	if b.Zone > 0 {
		dst = wire.AppendUint(dst, uint64(b.Zone))
	}
	if b.Scale != nil {
		dst = b.Scale.append(dst)
	}
	dst = wire.AppendUint(wire.AppendUint(dst, b.Ages), b.Rolls)
	if b.Format > 5 {
		dst = wire.AppendUint(dst, b.Events)
	}
	return dst
}

func (p *savedScale) append(dst []byte) []byte {
	dst = wire.AppendInt(wire.AppendInt(wire.AppendInt(wire.AppendInt(dst, p.Ahead), p.Inner), p.Rest), p.Parts)
	return wire.AppendUint(wire.AppendUint(appendBool(dst, p.Held), uint64(p.Num)), uint64(p.Den))
}

func appendTags(dst []byte, tags []savedTag) []byte {
	for k := range tags {
		dst = wire.AppendInt(wire.AppendText(dst, tags[k].Name), tags[k].N)
	}
	return dst
}

func appendReturns(dst []byte, list []savedReturn) []byte {
	for k := range list {
		dst = list[k].append(dst)
	}
	return dst
}

func (r *savedReturn) append(dst []byte) []byte {
	return wire.AppendInt(wire.AppendInt(wire.AppendUint(wire.AppendText(dst, r.Group), uint64(r.Source)), r.N), r.Left)
}

func appendTimeouts(dst []byte, list []savedTimeout) []byte {
	for k := range list {
		dst = list[k].append(dst)
	}
	return dst
}

func (t *savedTimeout) append(dst []byte) []byte {
	return wire.AppendInt(wire.AppendUint(wire.AppendText(wire.AppendText(dst, t.Name), t.Handler), t.Age), t.Left)
}

func appendBuffs(dst []byte, list []savedBuff, format int) []byte {
	for k := range list {
		b := &list[k]
		dst = b.append(dst, b.lengths())
		for j := range b.Async {
			dst = b.Async[j].appendWith(dst, format, 7)
		}
		for j := range b.Waiting {
			dst = b.Waiting[j].appendWith(dst, format, 5)
		}
		dst = b.savedNumbers.append(dst)
		dst = appendSources(dst, b.Appliers)
		for _, of := range b.With {
			dst = wire.AppendUint(dst, of)
		}
		for _, n := range b.Brought {
			dst = wire.AppendInt(dst, n)
		}
	}
	return dst
}

func (n *savedNumbers) appendLengths(dst []byte) []byte {
	return wire.AppendUint(wire.AppendUint(wire.AppendUint(dst, uint64(len(n.Params))), uint64(len(n.Numbers))), uint64(len(n.Captures)))
}

func (n *savedNumbers) append(dst []byte) []byte {
	return appendValues(appendValues(appendValues(dst, n.Params), n.Numbers), n.Captures)
}

func appendValues(dst []byte, list []savedValue) []byte {
	for k := range list {
		dst = appendValue(dst, "", list[k].Name, float64(list[k].Value))
	}
	return dst
}

// appendValue writes a value under a name of two parts.
func appendValue(dst []byte, before, name string, v float64) []byte {
	dst = append(append(wire.AppendUint(dst, uint64(len(before)+len(name))), before...), name...)
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(v))
}

// bits says which fields the buff has; its lists are given by their lengths.
func (b *savedBuff) bits(n lengths) (set uint64) {
	for k, has := range [...]bool{
		b.Version != "", b.Since != nil, b.Level != 0, b.Magnitude != 0, b.Left != nil, b.Duration != 0, b.Next != nil,
		b.Period != 0, b.Wanted != 0, b.Key != 0, b.Charges != 0, b.Shield != nil, b.Owed != 0, b.causes != 0, b.Scale != nil,
		b.Running != 0, n.async != 0, n.waiting != 0, n.params != 0, b.Clock == clockWords[define.Uptime], b.Clock == clockWords[define.Wall], b.Dead, b.Length != 0,
		n.numbers != 0, n.captures != 0, n.appliers != 0, n.with != 0,
	} {
		if has {
			set |= 1 << k
		}
	}
	return set
}

// append writes the buff; the entries of the lists of which the lengths are given follow,
// in that order. What has its usual value is left out, which a word of bits says.
func (b *savedBuff) append(dst []byte, lists lengths) []byte {
	set := b.bits(lists)
	dst = wire.AppendUint(wire.AppendText(dst, b.ID), set)
	dst = wire.AppendInt(wire.AppendUint(wire.AppendUint(dst, b.Age), uint64(b.Source)), b.Stacks)
	if set&hasVersion != 0 {
		dst = wire.AppendText(dst, b.Version)
	}
	if set&hasSince != 0 {
		dst = wire.AppendInt(wire.AppendInt(dst, b.Since.Wall), b.Since.Uptime)
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		if n, number := b.number(1 << bits.TrailingZeros64(rest)); number {
			dst = wire.AppendInt(dst, *n)
		}
	}
	if set&hasKey != 0 {
		dst = wire.AppendUint(dst, b.Key)
	}
	if set&hasHidden != 0 {
		dst = wire.AppendUint(dst, b.causes)
	}
	if set&hasScale != 0 {
		dst = b.Scale.append(dst)
	}
	if set&hasRunning != 0 {
		dst = wire.AppendUint(dst, b.Running)
	}
	for _, n := range [...]int{lists.async, lists.waiting, lists.params, lists.numbers, lists.captures, lists.appliers, lists.with} {
		if n > 0 {
			dst = wire.AppendUint(dst, uint64(n))
		}
	}
	return dst
}

// number returns the field of that bit if it is a plain signed number.
func (b *savedBuff) number(bit uint64) (*int64, bool) {
	switch bit {
	case hasLevel:
		return &b.Level, true
	case hasMagnitude:
		return &b.Magnitude, true
	case hasLeft:
		return b.Left, true
	case hasDuration:
		return &b.Duration, true
	case hasNext:
		return b.Next, true
	case hasPeriod:
		return &b.Period, true
	case hasWanted:
		return &b.Wanted, true
	case hasLength:
		return &b.Length, true
	case hasCharges:
		return &b.Charges, true
	case hasShield:
		return b.Shield, true
	case hasOwed:
		return &b.Owed, true
	}
	return nil, false
}

// appendWith appends the stack with its numbers, which it has from a format on.
func (l *savedStack) appendWith(dst []byte, format, from int) []byte {
	if dst = l.append(dst, format); format < from {
		return dst
	}
	return l.savedNumbers.append(l.appendLengths(dst))
}

func (l *savedStack) append(dst []byte, format int) []byte {
	dst = wire.AppendInt(wire.AppendInt(dst, l.Left), l.Last)
	if format > 2 {
		dst = wire.AppendInt(dst, l.Lag)
	}
	dst = wire.AppendUint(wire.AppendUint(wire.AppendInt(dst, l.Magnitude), uint64(l.Source)), l.Age)
	dst = wire.AppendInt(wire.AppendInt(dst, l.Stacks), l.Level)
	if format < 7 {
		return dst
	}
	dst = appendBool(wire.AppendInt(dst, l.Charges), l.Shield != nil)
	if l.Shield != nil {
		dst = wire.AppendInt(dst, *l.Shield)
	}
	return dst
}

func appendSources(dst []byte, list []OwnerID) []byte {
	for _, id := range list {
		dst = wire.AppendUint(dst, uint64(id))
	}
	return dst
}

// blobScratch is the memory of what one blob says. A restore of many owners reads one blob
// after the other into the same memory: what is in it is good until the next.
//
// All lists of one kind of entry lie one behind the other in one array. When that grows, the
// lists that were carved before stay where they are, in the old one.
type blobScratch struct {
	reader   reader
	saved    saved
	buffs    []savedBuff
	tags     []savedTag
	returns  []savedReturn
	timeouts []savedTimeout
	async    []savedStack
	values   []savedValue
	sources  []OwnerID
	ages     []uint64
	numbers  []int64
	scales   []savedScale
	moments  []savedMoment

	// names are those that were read before: a server's blobs say the same few again and again.
	// The last ones are in known, with the definition of that ID in the catalog.
	names   map[string]string
	known   [64]knownName
	catalog *Catalog // nil: what is read is not for one
}

// knownName is a name, and the definition that has it as its ID, or nil.
type knownName struct {
	name string
	spec *program
}

// Beyond so many entries scratch memory is not kept for the next blob, and names are
// forgotten: what is rare, or hostile, does not stay in memory.
const (
	mostScratch = 1024
	mostNames   = 4096
	longestName = 128
)

// reset empties the scratch for the next blob.
func (x *blobScratch) reset() {
	if cap(x.buffs) > mostScratch || cap(x.async) > mostScratch || cap(x.values) > mostScratch || cap(x.sources) > mostScratch || cap(x.ages) > mostScratch ||
		cap(x.tags) > mostScratch || cap(x.returns) > mostScratch || cap(x.timeouts) > mostScratch || len(x.names) > mostNames {
		*x = blobScratch{}
		return
	}
	x.reader, x.saved = reader{}, saved{}
	x.buffs, x.tags, x.returns, x.timeouts = x.buffs[:0], x.tags[:0], x.returns[:0], x.timeouts[:0]
	x.async, x.values, x.sources, x.ages = x.async[:0], x.values[:0], x.sources[:0], x.ages[:0]
	x.numbers, x.scales, x.moments = x.numbers[:0], x.scales[:0], x.moments[:0]
}

// of gives the scratch the catalog for what is read next.
func (x *blobScratch) of(c *Catalog) {
	if x.catalog != c {
		x.catalog, x.known = c, [len(x.known)]knownName{}
	}
}

// name returns what those bytes name. The string is made only once.
func (x *blobScratch) name(b []byte) *knownName {
	k := &x.known[placeOf(b)%uint64(len(x.known))]
	if k.name == string(b) {
		return k
	}
	s, ok := x.names[string(b)]
	if !ok {
		s = string(b)
		if len(s) <= longestName {
			if x.names == nil {
				x.names = map[string]string{}
			}
			x.names[s] = s
		}
	}
	*k = knownName{name: s}
	if x.catalog != nil {
		k.spec = x.catalog.byID[s]
	}
	return k
}

// placeOf returns a number that names which differ rarely have in common.
func placeOf(b []byte) uint64 {
	h := uint64(len(b))
	if n := len(b); n >= 8 {
		h ^= binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[n-8:])<<1
	} else {
		for _, c := range b {
			h = h<<8 | uint64(c)
		}
	}
	high, low := bits.Mul64(h, 0x9e3779b97f4a7c15)
	return high ^ low
}

// put adds an entry to one of the arrays and returns where it is.
func put[E any](to *[]E, e E) *E {
	*to = append(*to, e)
	return &(*to)[len(*to)-1]
}

// another adds an empty entry, which is cleared where it is: some are long.
func another[E any](to *[]E) *E {
	n := len(*to)
	if n == cap(*to) {
		return put(to, *new(E))
	}
	*to = (*to)[:n+1]
	e := &(*to)[n]
	*e = *new(E)
	return e
}

// carve reads n entries into one of the arrays, each with f, and returns the list of them.
// Memory grows with what has been read, not with what n says.
func carve[E any](r *reader, to *[]E, n int, f func(r *reader, e *E)) []E {
	if n == 0 || r.err != nil {
		return nil
	}
	var e E
	from := len(*to)
	if most := (len(r.b)-r.at)*4/int(unsafe.Sizeof(e)) + 1; cap(*to)-from < min(n, most) {
		*to = append(make([]E, 0, from+min(n, most)), *to...)
	}
	for ; n > 0 && r.err == nil; n-- {
		f(r, another(to))
	}
	return (*to)[from:len(*to):len(*to)]
}
