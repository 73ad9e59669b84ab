package engine

import (
	"hash/maphash"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
)

// ids finds the number of an owner by its ID: a hash table with open addressing, of eight bytes for each place, where a map has
// sixteen and a control byte. The IDs themselves stand with the owners, who are looked at anyway. A place says
//
//	┌ upper bits of the hash of the ID, 43 ┬ number of the owner + 1, 21 ┐    0: nobody
//
// and an owner is in the place that the upper bits of its hash say, or in one of those behind it up to the next empty one. Each table
// has a seed of its own, so that nobody can choose IDs that meet.
type ids struct {
	places []uint64
	shift  int // from a hash to a place
	n      int // owners
	seed   maphash.Seed
}

const (
	numberMask = 1<<(numberBits+1) - 1
	fewIDs     = 16
)

func newIDs() ids { return ids{seed: maphash.MakeSeed()} }

func (t *ids) hash(id buff.OwnerID) uint64 { return maphash.Comparable(t.seed, id) }

// next returns the place behind one.
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

// add takes in an owner whose ID nobody has. It costs O(owners) where their number has doubled.
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

// remove takes out an owner who is there. Those behind it that may stand further in front move there, so that there is no gap
// between any of them and the place that its hash says.
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
