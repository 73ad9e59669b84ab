package engine

import (
	"hash/maphash"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
)

// ids maps IDs to owners: a hash table with open addressing and eight bytes per entry, where a
// map has sixteen and a control byte. The IDs themselves are stored in the owners, which are
// accessed anyway. An entry is
//
//	┌ upper bits of the hash of the ID, 43 ┬ number of the owner + 1, 21 ┐    0: free
//
// An owner's entry is at the index given by the upper bits of its hash, or in the run of used
// entries that follows. Each table has its own random seed, so that IDs cannot be chosen to
// collide.
type ids struct {
	places []uint64
	shift  int // converts a hash to an index
	n      int // number of owners
	seed   maphash.Seed
}

const (
	numberMask = 1<<(numberBits+1) - 1
	fewIDs     = 16
)

func newIDs() ids { return ids{seed: maphash.MakeSeed()} }

func (t *ids) hash(id buff.OwnerID) uint64 { return maphash.Comparable(t.seed, id) }

// next returns the index after k.
func (t *ids) next(k uint64) uint64 { return (k + 1) & uint64(len(t.places)-1) }

// find returns the owner of that ID, nil if there is none.
func (t *ids) find(id buff.OwnerID, owners *owners) *owner {
	if t.n == 0 {
		return nil
	}
	h := t.hash(id)
	for k := h >> t.shift; t.places[k] != 0; k = t.next(k) {
		if x := t.places[k]; (x^h)&^numberMask == 0 {
			if o := owners.place(uint32(x&numberMask - 1)); o.id() == id {
				return o
			}
		}
	}
	return nil
}

// add adds an owner whose ID is not in use. It costs O(owners) when the table grows, otherwise
// O(1).
func (t *ids) add(id buff.OwnerID, number uint32) {
	if t.n >= len(t.places)-len(t.places)/8 {
		t.grow()
	}
	t.n++
	t.put(t.hash(id)&^numberMask | uint64(number+1))
}

func (t *ids) put(x uint64) {
	k := x >> t.shift
	for t.places[k] != 0 {
		k = t.next(k)
	}
	t.places[k] = x
}

func (t *ids) grow() {
	old := t.places
	t.places = make([]uint64, max(fewIDs, 2*len(old)))
	t.shift = 64 - bits.TrailingZeros(uint(len(t.places)))
	for _, x := range old {
		if x != 0 {
			t.put(x)
		}
	}
}

// remove removes an owner that is in the table. Later entries of the run are moved up where
// possible, so that no gap separates an entry from the index of its hash.
func (t *ids) remove(id buff.OwnerID, number uint32) {
	gap := t.hash(id) >> t.shift
	for t.places[gap]&numberMask != uint64(number+1) {
		gap = t.next(gap)
	}
	mask := uint64(len(t.places) - 1)
	for k := t.next(gap); t.places[k] != 0; k = t.next(k) {
		if from := t.places[k] >> t.shift; (k-from)&mask >= (k-gap)&mask {
			t.places[gap], gap = t.places[k], k
		}
	}
	t.places[gap] = 0
	t.n--
}
