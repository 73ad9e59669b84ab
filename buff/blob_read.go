package buff

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/wire"
)

// reader takes a blob to pieces. After the first thing that is wrong it reads zeros, so that no reading function has to
// ask: the error is looked at once, at the end. Whatever a blob says, no list is made longer than the bytes that are left.
type reader struct {
	b   []byte
	at  int // the next byte
	err error

	format int
	to     *blobScratch
}

func (r *reader) failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: byte %d: %s", ErrBlob, r.at, fmt.Sprintf(format, args...))
		r.b = r.b[:r.at]
	}
}

// readBlob returns what a blob says, all of it checked. It is in the scratch, which is reset
// before the next blob is read.
func readBlob(blob []byte, to *blobScratch) (*saved, error) {
	r := &to.reader
	*r = reader{b: blob, to: to}
	r.format = r.open()
	b := &to.saved
	b.Format = r.format
	r.owner(b)
	// Twice: what the catalog knows, and what was kept aside.
	b.Tags = carve(r, &to.tags, r.length(2*define.MaxTags), (*reader).tag)
	b.Immune = carve(r, &to.tags, r.length(2*define.MaxTags), (*reader).tag)
	b.Returns = carve(r, &to.returns, r.length(2*MaxPerOwner), (*reader).returns)
	b.Timeouts = carve(r, &to.timeouts, r.length(2*MaxPerOwner), (*reader).timeout)
	if b.Format > 1 {
		b.Bases = carve(r, &to.values, r.length(2*stat.MaxAttributes), (*reader).value)
	}
	b.Buffs = carve(r, &to.buffs, r.length(2*MaxPerOwner), (*reader).buff)
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
	if want, got := binary.BigEndian.Uint32(whole[end:]), wire.Checksum(whole[:end]); want != got {
		r.at = end
		r.failf("the check says %08x, and the contents are %08x: it is damaged", want, got)
		return 0
	}
	r.b, r.at = whole[:end], blobHead
	return format
}

// uint reads a number, which must have the least possible length.
func (r *reader) uint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 { // most are short
		r.at++
		return uint64(r.b[r.at-1])
	}
	return r.longUint()
}

func (r *reader) longUint() uint64 {
	n, size := wire.Uint(r.b[r.at:])
	if size <= 0 {
		r.failf("no number stands here")
		return 0
	}
	r.at += size
	return n
}

func (r *reader) int() int64 {
	return wire.Signed(r.uint())
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

var noName knownName

func (r *reader) known() *knownName {
	n := r.length(len(r.b))
	if r.err != nil || n == 0 {
		return &noName
	}
	r.at += n
	return r.to.name(r.b[r.at-n : r.at])
}

func (r *reader) name() string { return r.known().name }

func (r *reader) owner(b *saved) {
	if has := r.place(b); has&ownerScaled != 0 {
		b.Scale = r.scale()
	}
	b.Ages, b.Rolls = r.uint(), r.uint()
	if b.Format > 5 {
		b.Events = r.uint()
	}
}

// place reads when and where the owner was, and returns what else is true of it.
func (r *reader) place(b *saved) (has uint64) {
	b.Wall, b.Uptime, b.Time = r.int(), r.int(), r.int()
	most := uint64(ownerScaled | ownerDead)
	if b.Format > 6 {
		most |= ownerZoned
	}
	has = r.below(most)
	b.Dead = has&ownerDead != 0
	if has&ownerZoned != 0 {
		b.Zone = uint32(r.below(math.MaxUint32))
		if b.Zone == 0 {
			r.failf("the zone is said to be there and is 0")
		}
	}
	return has
}

func (r *reader) scale() *savedScale {
	p := put(&r.to.scales, savedScale{Ahead: r.int(), Inner: r.int(), Rest: r.int(), Parts: r.int(), Held: r.bool()})
	p.Num, p.Den = uint32(r.below(math.MaxUint32)), uint32(r.below(math.MaxUint32))
	return p
}

func (r *reader) tag(t *savedTag) { t.Name, t.N = r.name(), r.int() }

func (r *reader) returns(d *savedReturn) {
	d.Group, d.Source, d.N, d.Left = r.name(), OwnerID(r.uint()), r.int(), r.int()
}

func (r *reader) timeout(t *savedTimeout) {
	t.Name, t.Handler, t.Age, t.Left = r.name(), r.name(), r.uint(), r.int()
}

func (r *reader) buff(b *savedBuff) {
	id := r.known()
	b.ID, b.spec = id.name, id.spec
	set := r.below(allBits)
	b.Age, b.Source, b.Stacks = r.uint(), OwnerID(r.uint()), r.int()
	if set&hasVersion != 0 {
		b.Version = r.name()
		r.full(b, b.Version != "")
	}
	if set&hasSince != 0 {
		b.Since = put(&r.to.moments, savedMoment{Wall: r.int(), Uptime: r.int()})
	}
	r.numbers(b, set)
	if set&hasKey != 0 {
		b.Key = r.uint()
		r.full(b, b.Key != 0)
	}
	if set&hasHidden != 0 {
		b.causes = r.below(1<<len(causeWords) - 1)
		r.full(b, b.causes != 0)
	}
	if set&hasScale != 0 {
		b.Scale = r.scale()
	}
	if set&hasRunning != 0 {
		b.Running = r.uint()
		r.full(b, b.Running != 0)
	}
	if set&hasLists != 0 {
		r.lists(b, set)
	}
	switch {
	case set&isWall != 0:
		b.Clock = clockWords[define.Wall]
		r.full(b, set&isUptime == 0)
	case set&isUptime != 0:
		b.Clock = clockWords[define.Uptime]
	}
	b.Dead = set&isDead != 0
}

// full says that a field which is there must not be what it is when it is left out: there is
// exactly one blob for the same contents.
func (r *reader) full(b *savedBuff, is bool) {
	if !is {
		r.failf("a field of the buff %q is said to be there and is empty", b.ID)
	}
}

// hasLists is all lists of a buff.
const hasLists = hasAsync | hasWaiting | hasParams | hasNumbers | hasCaptures | hasAppliers | hasWith

// lists reads them, whose lengths stand before the first.
func (r *reader) lists(b *savedBuff, set uint64) {
	var lengths [7]int
	for k, bit := range [...]uint64{hasAsync, hasWaiting, hasParams, hasNumbers, hasCaptures, hasAppliers, hasWith} {
		if set&bit != 0 {
			lengths[k] = r.length(len(r.b))
			r.full(b, lengths[k] > 0)
		}
	}
	to := r.to
	b.Async, b.Waiting = carve(r, &to.async, lengths[0], (*reader).ownStack), carve(r, &to.async, lengths[1], (*reader).waiting)
	r.numbersOf(&b.savedNumbers, [3]int(lengths[2:5]))
	b.Appliers = carve(r, &to.sources, lengths[5], func(r *reader, id *OwnerID) { *id = OwnerID(r.uint()) })
	b.With = carve(r, &to.ages, lengths[6], func(r *reader, age *uint64) { *age = r.uint() })
	if r.format > 6 {
		b.Brought = carve(r, &to.numbers, lengths[6], func(r *reader, n *int64) { *n = r.int() })
	}
}

// numbers reads the plain signed ones, in the order of their bits. Three may be zero.
func (r *reader) numbers(b *savedBuff, set uint64) {
	some := func(bit uint64, n *int64) {
		if set&bit != 0 {
			*n = r.int()
			r.full(b, *n != 0)
		}
	}
	some(hasLevel, &b.Level)
	some(hasMagnitude, &b.Magnitude)
	if set&hasLeft != 0 {
		b.Left = put(&r.to.numbers, r.int())
	}
	some(hasDuration, &b.Duration)
	if set&hasNext != 0 {
		b.Next = put(&r.to.numbers, r.int())
	}
	if set&(hasPeriod|hasWanted|hasCharges|hasShield|hasOwed|hasLength) == 0 {
		return
	}
	some(hasPeriod, &b.Period)
	some(hasWanted, &b.Wanted)
	some(hasCharges, &b.Charges)
	if set&hasShield != 0 {
		b.Shield = put(&r.to.numbers, r.int())
	}
	some(hasOwed, &b.Owed)
	some(hasLength, &b.Length)
}

func (r *reader) asyncStack(l *savedStack) {
	l.Left, l.Last = r.int(), r.int()
	if r.format > 2 {
		l.Lag = r.int()
	}
	l.Magnitude, l.Source = r.int(), OwnerID(r.uint())
	l.Age, l.Stacks, l.Level = r.uint(), r.int(), r.int()
	if r.format < 7 {
		return
	}
	l.Charges = r.int()
	if r.bool() {
		l.Shield = put(&r.to.numbers, r.int())
	}
}

// ownStack reads one of the stacks with ends of their own.
func (r *reader) ownStack(l *savedStack) {
	if r.asyncStack(l); r.format > 6 {
		r.ownNumbers(l)
	}
}

// waiting reads one that waits in a queue.
func (r *reader) waiting(l *savedStack) {
	if r.asyncStack(l); r.format > 4 {
		r.ownNumbers(l)
	}
}

// ownNumbers reads the numbers of an application with a time of its own.
func (r *reader) ownNumbers(l *savedStack) {
	var lengths [3]int
	for k := range lengths {
		lengths[k] = r.length(len(r.b))
	}
	r.numbersOf(&l.savedNumbers, lengths)
}

// numbersOf reads the numbers of an application, of which there are so many.
func (r *reader) numbersOf(n *savedNumbers, lengths [3]int) {
	to := &r.to.values
	n.Params, n.Numbers = carve(r, to, lengths[0], (*reader).value), carve(r, to, lengths[1], (*reader).value)
	n.Captures = carve(r, to, lengths[2], (*reader).value)
}

func (r *reader) value(v *savedValue) {
	v.Name = r.name()
	if len(r.b)-r.at < 8 {
		r.failf("a value is cut off")
		return
	}
	v.Value = savedNumber(math.Float64frombits(binary.BigEndian.Uint64(r.b[r.at:])))
	r.at += 8
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
