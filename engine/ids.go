package engine

import (
	"hash/maphash"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
)

// ids maps IDs to owners. It is a hash table with open addressing and eight bytes per entry; a Go
// map would need sixteen and a control byte. The table does not contain the IDs: find compares
// them in the owners, which its callers access anyway. An entry is
//
//	┌ upper bits of the hash of the ID, 43 ┬ number of the owner + 1, 21 ┐    0: free
//
// The upper bits of the hash give the index of the owner's entry. If another owner uses that
// index, the entry is at one of the following indexes, with no free entry in between. Each table
// has its own random seed, so that no one can choose IDs that collide.
type ids struct {
	places []uint64 // the entries of the hash table
	shift  int      // converts a hash to an index
	n      int      // number of owners
	seed   maphash.Seed
}

const (
	numberMask = 2*buff.MaxOwners - 1
	fewIDs     = 16 // entries of the smallest table
)

func newIDs() ids { return ids{seed: maphash.MakeSeed()} }

func (t *ids) hash(id buff.OwnerID) uint64 { return maphash.Comparable(t.seed, id) }

// next returns the index after k.
func (t *ids) next(k uint64) uint64 { return (k + 1) & uint64(len(t.places)-1) }

// find returns the owner with the given ID, or nil if there is none.
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

// remove removes an owner that is in the table. It moves later entries to fill the gap, so that
// there is no free entry between an entry and the index that its hash gives.
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
