package state

import (
	"encoding/binary"
	"slices"

	"github.com/bufftick/bufftick/internal/wire"
)

const (
	magic = "buff"
	head  = len(magic) + 1 + 4
	check = 4
)

// Decode reads and checks a blob. The Owner that it returns is stored in m, and is valid until the
// next Decode with m.
func Decode(blob []byte, m *Memory) (*Owner, error) {
	m.reset()
	c, o := &m.coder, &m.owner
	*c = coder{mode: reading, b: blob, mem: m}
	o.Format = c.open()
	if c.owner(o); c.next < len(c.b) {
		c.malformed("%d bytes too many", len(c.b)-c.next)
	}
	if c.err != nil {
		return nil, c.err
	}
	return o, c.bad
}

// BlobMoment returns the calendar time and the uptime, in ms, at which the engine made the blob. It
// verifies the checksum of the blob, but does not read or check any other field. It fails with
// [Err].
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	o, err := decodePlace(blob)
	return o.Wall, o.Uptime, err
}

// BlobArea returns the area that the owner was in when the engine made the blob. It verifies the
// checksum of the blob, but does not read or check any other field. It fails with [Err].
func BlobArea(blob []byte) (area uint32, err error) {
	o, err := decodePlace(blob)
	return o.Area, err
}

// decodePlace reads only the fields of coder.place.
func decodePlace(blob []byte) (o Owner, err error) {
	c := coder{mode: reading, b: blob, mem: &noMemory}
	c.format = c.open()
	c.place(&o)
	return o, c.err
}

// Check returns an error if no blob could contain the owner.
func (o *Owner) Check() error {
	c := coder{mode: checking, mem: &noMemory}
	if c.owner(o); c.bad == nil {
		return c.late
	}
	return c.bad
}

// Append appends a blob of the owner, in the format o.Format. The owner must pass Check.
func (o *Owner) Append(dst []byte) []byte {
	c := coder{b: open(dst, o.Format), mem: &noMemory}
	c.owner(o)
	return seal(c.b, len(dst))
}

// open appends the head of a blob, without its length. seal fills in the length of the blob that
// starts at dst[start], and appends the checksum.
func open(dst []byte, format int) []byte {
	return append(append(dst, magic...), byte(format), 0, 0, 0, 0)
}

func seal(dst []byte, start int) []byte {
	b := dst[start:]
	binary.BigEndian.PutUint32(b[len(magic)+1:], uint32(len(b)+check))
	return binary.BigEndian.AppendUint32(dst, wire.Checksum(b))
}

// open verifies the blob except for its contents, positions the coder at the contents and returns
// the format. If the format is unknown, it does not check the length.
func (c *coder) open() (format int) {
	whole := c.b
	switch {
	case len(whole) < len(magic) || string(whole[:len(magic)]) != magic:
		c.malformed("it does not begin with %q: this is no blob of an owner", magic)
	case len(whole) < head+check:
		c.malformed("%d bytes, and the shortest blob has %d", len(whole), head+check)
	default:
		if format = int(whole[len(magic)]); format < 1 || format > Format {
			c.next = len(magic)
			c.malformed("format %d, and this build reads formats 1 to %d", format, Format)
		}
	}
	if c.err != nil {
		return 0
	}
	c.next = len(magic) + 1
	if length := binary.BigEndian.Uint32(whole[c.next:]); uint64(length) != uint64(len(whole)) {
		c.malformed("the blob had %d bytes, and has %d", length, len(whole))
		return 0
	}
	end := len(whole) - check
	if want, got := binary.BigEndian.Uint32(whole[end:]), wire.Checksum(whole[:end]); want != got {
		c.next = end
		c.malformed("the check says %08x, and the contents are %08x: it is damaged", want, got)
		return 0
	}
	c.b, c.next = whole[:end], head
	return format
}

// Writer writes a blob of the newest format buff by buff, so that the caller can use the same memory
// for each buff. It does not allocate if the memory to which it appends has room for the blob.
type Writer struct {
	c     coder
	start int
}

// Start starts a blob at the end of dst, and writes all fields of the owner except Buffs. As many
// calls of Buff and Plain as `buffs` says must follow.
func (w *Writer) Start(dst []byte, o *Owner, buffs int) {
	w.start = len(dst)
	w.c = coder{b: open(dst, Format), mem: &noMemory}
	o.Format = Format
	w.c.beforeBuffs(o)
	w.c.b = wire.AppendUint(w.c.b, uint64(buffs))
}

// Buff writes a buff.
func (w *Writer) Buff(b *Buff) { w.c.buff(b, b.mask()) }

// Plain writes a buff of which only ID, Age, Source, Stacks, Level, Magnitude, Left, Duration and
// Next are set. Most buffs are of this kind, and Plain is faster than Buff.
func (w *Writer) Plain(b *Buff) { w.c.b = b.appendCommon(w.c.b, b.commonMask()) }

// End returns the memory with the complete blob.
func (w *Writer) End() []byte { return seal(w.c.b, w.start) }

// take adds n empty entries to a slice that is used as an arena, and returns them. If the slice
// grows, entries that were taken before stay in the old array.
func take[E any](from *[]E, n int) []E {
	at := len(*from)
	*from = slices.Grow(*from, n)[:at+n]
	list := (*from)[at : at+n : at+n]
	clear(list)
	return list
}
