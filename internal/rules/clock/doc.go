// Package clock converts between the three times of a buff.
//
//	world time ── Scale of the owner ──▸ owner time ── Scale of the buff ──▸ buff time
//
// World time is the time of the game loop. Owner time equals world time until a pause or a rate of
// the owner or of its area changes it. Buff time equals owner time until a pause or a rate of the
// buff changes it. A [Scale] is one of the two arrows; [Clocks] is both arrows of one buff.
package clock

import (
	"math"

	"github.com/bufftick/bufftick/wheel"
)

// The three times, in milliseconds. They have different types, so that the compiler finds an
// instant of one time that is used as an instant of another.
type (
	WorldTime = wheel.Time
	OwnerTime int64
	BuffTime  int64
)

// Never is later than every instant of each time.
const Never = math.MaxInt64

// Add returns t + ms. Sums outside the range saturate, as with [wheel.Time.Add].
func (t OwnerTime) Add(ms int64) OwnerTime { return add(t, ms) }

// Add returns t + ms. Sums outside the range saturate, as with [wheel.Time.Add].
func (t BuffTime) Add(ms int64) BuffTime { return add(t, ms) }

// instant is one of the three times.
type instant interface{ ~int64 }

func add[T instant](t T, ms int64) T { return T(wheel.Time(t).Add(ms)) }
