package buff

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

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
	spec *Spec
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
		k.spec = x.catalog.Spec(s)
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
