package engine

import (
	"math/bits"
	"sync/atomic"
)

// engines is how many engines without an Options.Number there have been.
var engines atomic.Uint32

// numbered gives the options a number.
func (o *Options) numbered() {
	for o.Number == 0 { // once round after 4 thousand million
		o.Number = engines.Add(1)
	}
}

// originOf returns where the generations of the handles of an engine begin: the bits of its
// number in reverse, so that of any two of the first 2^k engines they are 2^(32-k) apart, and
// the first one begins at 0. They are even.
func originOf(number uint32) uint32 { return bits.Reverse32(number-1) &^ 1 }

// Number returns the number by which the handles of this engine are told from those of
// others: Options.Number, or what it was found to be.
//
// A handle of another engine names nothing here, for certain, as long as both have numbers of
// at most 2^k and no slot of an owner of either has been used 2^(32-k) times: with 256 engines
// 16 million buffs on one slot. Beyond that, one that meets a slot in use has a chance below 1 in
// 2^(32-k) to name what is there. Engines of one number have the same handles.
//
// Any goroutine may call it.
func (e *Engine) Number() uint32 { return e.opts.Number }
