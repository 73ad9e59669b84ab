package buff

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"unsafe"

	"github.com/bufftick/bufftick/buff/stat"
)

// reader takes a blob to pieces. After the first thing that is wrong it reads zeros.
type reader struct {
	b   []byte
	at  int // the next byte
	err error
}

func (r *reader) failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: byte %d: %s", ErrBlob, r.at, fmt.Sprintf(format, args...))
		r.b = r.b[:r.at]
	}
}

// readBlob returns what a blob says, all of it checked.
func readBlob(blob []byte) (*saved, error) {
	r := &reader{b: blob}
	b := &saved{Format: r.open()}
	r.owner(b)
	// Twice: what the catalog knows, and what was kept aside.
	b.Tags = list(r, 2*MaxTags, r.tag)
	b.Immune = list(r, 2*MaxTags, r.tag)
	b.Returns = list(r, 2*MaxPerOwner, r.returns)
	b.Timeouts = list(r, 2*MaxPerOwner, r.timeout)
	if b.Format > 1 {
		b.Bases = list(r, 2*stat.MaxAttributes, r.value)
	}
	b.Buffs = list(r, 2*MaxPerOwner, r.buff)
	if r.at < len(r.b) {
		r.failf("%d bytes too many", len(r.b)-r.at)
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	return b, nil
}

// open looks at the head and the check, leaves the contents to be read, and returns their
// format. What is said of the length of a blob of another format is of no account.
func (r *reader) open() (format int) {
	whole := r.b
	switch {
	case len(whole) < len(blobMagic) || string(whole[:len(blobMagic)]) != blobMagic:
		r.failf("it does not begin with %q: this is no blob of an owner", blobMagic)
	case len(whole) < blobHead+blobCheck:
		r.failf("%d bytes, and the shortest blob has %d", len(whole), blobHead+blobCheck)
	default:
		if format = int(whole[len(blobMagic)]); format < 1 || format > blobFormat {
			r.at = len(blobMagic)
			r.failf("format %d, and this build reads formats 1 to %d", format, blobFormat)
		}
	}
	if r.err != nil {
		return 0
	}
	r.at = len(blobMagic) + 1
	if length := binary.BigEndian.Uint32(whole[r.at:]); uint64(length) != uint64(len(whole)) {
		r.failf("the blob had %d bytes, and has %d", length, len(whole))
		return 0
	}
	end := len(whole) - blobCheck
	if want, got := binary.BigEndian.Uint32(whole[end:]), crc32.Checksum(whole[:end], castagnoli); want != got {
		r.at = end
		r.failf("the check says %08x, and the contents are %08x: it is damaged", want, got)
		return 0
	}
	r.b, r.at = whole[:end], blobHead
	return format
}

// uint reads a number, which must have the least possible length.
func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.b[r.at:])
	if size <= 0 || size > 1 && r.b[r.at+size-1] == 0 {
		r.failf("no number stands here")
		return 0
	}
	r.at += size
	return n
}

func (r *reader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

// below reads a number of at most the given one.
func (r *reader) below(most uint64) uint64 {
	at, n := r.at, r.uint()
	if n > most {
		r.at = at
		r.failf("%d, and the most is %d", n, most)
		return 0
	}
	return n
}

func (r *reader) bool() bool { return r.below(1) == 1 }

// length reads how many entries follow, at most so many: each takes a byte at least.
func (r *reader) length(most int) int {
	n := r.below(uint64(most))
	if left := len(r.b) - r.at; n > uint64(left) {
		r.failf("%d entries or bytes cannot follow in %d bytes", n, left)
		return 0
	}
	return int(n)
}

func (r *reader) name() string {
	n := r.length(len(r.b))
	if r.err != nil {
		return ""
	}
	r.at += n
	return string(r.b[r.at-n : r.at])
}

// list reads a list of at most so many entries, each with f.
func list[E any](r *reader, most int, f func() E) []E {
	return entries(r, r.length(most), f)
}

// entries reads n entries. Memory grows with what has been read, not with what n says.
func entries[E any](r *reader, n int, f func() E) []E {
	if n == 0 || r.err != nil {
		return nil
	}
	var e E
	most := (len(r.b) - r.at) * 4 / int(unsafe.Sizeof(e))
	l := make([]E, 0, min(n, most+1))
	for ; n > 0 && r.err == nil; n-- {
		l = append(l, f())
	}
	return l
}

func (r *reader) owner(b *saved) {
	b.Wall, b.Uptime, b.Time = r.int(), r.int(), r.int()
	if r.bool() {
		b.Pace = r.pace()
	}
	b.Ages, b.Rolls = r.uint(), r.uint()
}

func (r *reader) pace() *savedPace {
	p := &savedPace{Ahead: r.int(), Inner: r.int(), Rest: r.int(), Parts: r.int(), Held: r.bool()}
	p.Num, p.Den = uint32(r.below(math.MaxUint32)), uint32(r.below(math.MaxUint32))
	return p
}

func (r *reader) tag() savedTag { return savedTag{Name: r.name(), N: r.int()} }

func (r *reader) returns() savedReturn {
	return savedReturn{Group: r.name(), Source: OwnerID(r.uint()), N: r.int(), Left: r.int()}
}

func (r *reader) timeout() savedTimeout {
	return savedTimeout{Name: r.name(), Handler: r.name(), Age: r.uint(), Left: r.int()}
}

func (r *reader) buff() savedBuff {
	b := savedBuff{ID: r.name()}
	set := r.below(allBits)
	b.Age, b.Source, b.Stacks = r.uint(), OwnerID(r.uint()), r.int()
	if set&hasVersion != 0 {
		b.Version = r.name()
	}
	if set&hasSince != 0 {
		b.Since = &savedMoment{Wall: r.int(), Uptime: r.int()}
	}
	r.numbers(&b, set)
	if set&hasKey != 0 {
		b.Key = r.uint()
	}
	if set&hasHidden != 0 {
		b.causes = r.below(1<<len(causeWords) - 1)
		b.nameCauses()
	}
	if set&hasPace != 0 {
		b.Pace = r.pace()
	}
	if set&hasRunning != 0 {
		b.Running = r.uint()
	}
	var lengths [5]int
	for k, bit := range [...]uint64{hasLayers, hasWaiting, hasParams, hasNumbers, hasCaptures} {
		if set&bit != 0 {
			lengths[k] = r.length(len(r.b))
		}
	}
	b.Layers, b.Waiting = entries(r, lengths[0], r.layer), entries(r, lengths[1], r.layer)
	b.Params, b.Numbers, b.Captures = entries(r, lengths[2], r.value), entries(r, lengths[3], r.value), entries(r, lengths[4], r.value)
	switch {
	case set&isWall != 0:
		b.Clock = clockWords[Wall]
	case set&isUptime != 0:
		b.Clock = clockWords[Uptime]
	}
	b.Dead = set&isDead != 0
	if b.bits(b.lengths()) != set {
		r.failf("a field of the buff %q is said to be there and is empty", b.ID)
	}
	return b
}

// numbers reads the plain signed ones.
func (r *reader) numbers(b *savedBuff, set uint64) {
	for ; set != 0; set &= set - 1 {
		bit := uint64(1) << bits.TrailingZeros64(set)
		n, number := b.number(bit)
		if !number {
			continue
		}
		if n == nil { // one that may be zero
			n = new(int64)
			switch bit {
			case hasLeft:
				b.Left = n
			case hasNext:
				b.Next = n
			case hasShield:
				b.Shield = n
			}
		}
		*n = r.int()
	}
}

func (r *reader) layer() savedLayer {
	l := savedLayer{Left: r.int(), Last: r.int(), Magnitude: r.int(), Source: OwnerID(r.uint())}
	l.Age, l.Stacks, l.Level = r.uint(), r.int(), r.int()
	return l
}

func (r *reader) value() savedValue {
	p := savedValue{Name: r.name()}
	if len(r.b)-r.at < 8 {
		r.failf("a value is cut off")
		return p
	}
	p.Value = savedNumber(math.Float64frombits(binary.BigEndian.Uint64(r.b[r.at:])))
	r.at += 8
	return p
}

// nameCauses fills in Hidden.
func (b *savedBuff) nameCauses() {
	b.Hidden = nil
	for k, word := range causeWords {
		if b.causes&(1<<k) != 0 {
			b.Hidden = append(b.Hidden, word)
		}
	}
}
