// Package gate has the state that decides which applications an owner accepts: counted tags,
// diminishing returns, the sources of the applications in effect, and the rolls of chances. It does
// not know buffs; the rules pass it numbers.
package gate

import "github.com/bufftick/bufftick/buff"

// Rolls is the number of chance rolls of an owner.
type Rolls uint64

// Roll reports whether a roll with a chance in per mille succeeds.
func (r *Rolls) Roll(seed uint64, owner buff.OwnerID, chance int) bool {
	return r.Below(seed, owner, 1000) < chance
}

// Below returns a roll from 0 to n-1. The n-th roll of an owner is the same in every run with the
// same seed.
func (r *Rolls) Below(seed uint64, owner buff.OwnerID, n int) int {
	*r++
	return int(mix(mix(seed^uint64(owner))+uint64(*r)) % uint64(n))
}

// mix is the finalizer of splitmix64: each bit of x affects each bit of the result.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
