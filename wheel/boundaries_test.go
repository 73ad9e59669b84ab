package wheel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Bugs of timing wheels appear at the boundaries of levels, beyond the last level, for deadlines
// in the past, at the ends of the range, and after a long uptime. The generators in this file
// produce these cases often; evenly distributed delays would rarely produce them.

// shapes are the shapes with which every seed is run. The first is the real one. The small shapes
// have a boundary every few steps.
var shapes = []shape{
	clockFace,
	{dial: 1, seconds: 2, minutes: 2, hours: 2},
	{dial: 2, seconds: 3, minutes: 2, hours: 2},
	{dial: 1, seconds: 3, minutes: 3, hours: 3},       // Kafka's example
	{dial: 20, seconds: 10, minutes: 10, hours: 10},   // a Java wheel
	{dial: 1000, seconds: 10, minutes: 10, hours: 10}, // a Go wheel
	{dial: 65, seconds: 1, minutes: 64, hours: 1},     // full and nearly empty words
}

func (sh shape) String() string {
	return fmt.Sprintf("%d/%d/%d dial %d", sh.seconds, sh.minutes, sh.hours, sh.dial)
}

// starts are the initial times of the runs.
var starts = []Time{
	0,
	43_199_000,                   // the last second of the first half-day
	86_399_000,                   // the last second of the first day
	(1<<31 - 100) * 1000,         // the maximum number of seconds in a signed 32-bit integer
	(1<<32 - 100) * 1000,         // the maximum number of seconds in an unsigned 32-bit integer
	1<<32 - 100_000,              // the maximum number of milliseconds in 32 bits, 49.7 days
	1<<31 - 100_000,              //
	1_763_715_600_000,            // a day in 2025, in ms since 1970
	-1,                           // before the start
	-43_200_000,                  //
	-86_399_500,                  //
	earliest,                     // the ends of the range
	earliest + 3_600_000,         //
	Never - 100_000,              //
	Never - 13*3_600_000,         //
	Never - 40*24*3_600_000,      //
	-64 * 43_200_000,             //
	earliest + 64*43_200_000 - 5, //
}

// dice makes the random choices of a run. They come from a seed, or from the bytes of a fuzzer
// until the bytes are used up.
type dice struct {
	rng  *rand.PCG
	data []byte
}

func seeded(seed uint64) *dice { return &dice{rng: rand.NewPCG(seed, 0x776865656c)} }

func (d *dice) word() uint64 {
	if d.rng != nil {
		return d.rng.Uint64()
	}
	var b [8]byte
	d.data = d.data[copy(b[:], d.data):]
	return binary.LittleEndian.Uint64(b[:])
}

// n returns a number in [0, k). k must be at most 256.
func (d *dice) n(k int) int {
	if d.rng != nil {
		return int(d.rng.Uint64() >> 32 * uint64(k) >> 32)
	}
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % k
}

// one returns true once in k calls on average. k must be at most 256.
func (d *dice) one(k int) bool { return d.n(k) == k-1 }

// below returns a number in [0, k). k must be positive.
func (d *dice) below(k int64) int64 { return int64(d.word() % uint64(k)) }

func (d *dice) pick(list []int64) int64 { return list[d.below(int64(len(list)))] }

// near returns a small distance: from -2 to 2 ms, or from -2 to 2 slots of the seconds.
func (d *dice) near(w *Wheel) int64 {
	k := int64(d.n(5) - 2)
	if d.one(4) {
		k *= int64(w.level[seconds].unit)
	}
	return k
}

// spans returns the delays at which a timer changes level: a second, a minute, an hour, a
// half-day, a day, a day and a half, and the ranges of the first shelves.
func spans(w *Wheel) []int64 {
	half := w.level[hours].round
	s := []int64{w.level[dial].round, w.level[seconds].round, w.level[minutes].round, half, 2 * half, 3 * half}
	return append(s, half*shelfSlots, half*shelfSlots*shelfSlots)
}

// periods returns typical periods of buffs, in ms.
func periods(w *Wheel) []int64 {
	var p []int64
	u := w.level[dial].round
	for _, k := range []int64{w.level[seconds].round, w.level[minutes].round, w.level[hours].round} {
		p = append(p, k-u, k, k+u)
	}
	return append(p, u, 1, 3*u)
}

// boundary returns the distance from now to the next second, minute, hour, half-day or round of
// the first shelf.
func (d *dice) boundary(w *Wheel) int64 {
	if l := d.n(shelf + 1); l < shelf {
		f := &w.level[l]
		return f.round - int64(w.now-f.from)
	}
	half := w.level[hours].round
	left := shelfSlots - int64(w.half%shelfSlots)
	return left*half - int64(w.now-w.level[hours].from)
}

// due chooses a deadline. others are the waiting timers.
func (d *dice) due(w *Wheel, spans []int64, others []plan) Time {
	switch d.n(16) {
	case 0, 1: // late, or due now
		switch d.n(4) {
		case 0:
			return w.now
		case 1:
			return w.now.Add(-d.pick(spans))
		case 2:
			return earliest.Add(int64(d.n(3)))
		}
		return w.now.Add(-int64(d.n(4)))
	case 2: // saturated
		if d.one(4) {
			return Never.Add(-int64(d.n(4)))
		}
		return Time(d.word())
	case 3, 4, 5: // at, before or after a boundary
		return w.now.Add(d.boundary(w)).Add(d.near(w))
	case 6, 7, 8, 9: // exactly the range of a level
		return w.now.Add(d.pick(spans)).Add(d.near(w))
	case 10, 11, 12: // at the deadline of another timer
		if len(others) > 0 {
			return others[d.below(int64(len(others)))].due
		}
	case 13:
		return w.now.Add(d.below(d.pick(spans)))
	}
	return w.now.Add(int64(d.n(5)))
}

// jump chooses the instant of the next Advance.
func (d *dice) jump(w *Wheel, spans []int64, waiting []plan) Time {
	switch d.n(16) {
	case 0:
		return w.now
	case 1, 2, 3:
		return w.now.Add(1)
	case 4, 5, 6: // a boundary, or 1 ms before or after it
		return max(w.now, w.now.Add(d.boundary(w)).Add(int64(d.n(3)-1)))
	case 7, 8, 9: // the next deadline, or 1 ms before or after it
		if len(waiting) > 0 {
			return max(w.now, waiting[0].due.Add(int64(d.n(3)-1)))
		}
	case 10, 11:
		return w.now.Add(d.below(d.pick(spans)))
	case 12: // far
		if !d.one(12) {
			return w.now.Add(int64(d.n(51)))
		}
		if d.one(200) {
			return max(w.now, Time(d.word()))
		}
		return w.now.Add(w.level[hours].round + d.below(3*w.level[hours].round))
	}
	return w.now.Add(int64(d.n(51)))
}
