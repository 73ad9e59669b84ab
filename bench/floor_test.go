package main_test

import (
	"math/rand/v2"
	"testing"

	"github.com/bufftick/bufftick/wheel"
)

// record has only the data that a timer needs in a wheel with handles and a defined order.
type record struct {
	gen, stamp uint32
	due        int64
	id, seq    uint64
}

// entryOf is a timer's entry in a slot.
type entryOf struct{ timer, stamp, due uint32 }

// BenchmarkWheelFloor measures the minimum work of a wheel with handles and a defined order. It has
// a million records in one array. The records have the size of the wheel's records, but no wheel is
// used.
//
//	later     for a random tenth of the records: check the handle, then write a new deadline
//	          and the number of the call
//	periodic  read one of three plain lists and copy its timers to the results; then find each
//	          timer by its handle, write to it, and append it to a fourth list
func BenchmarkWheelFloor(b *testing.B) {
	const timers = 1_000_000
	b.Run("later", func(b *testing.B) {
		records, handles := floorRecords(timers)
		which := rand.New(rand.NewPCG(1, 2)).Perm(timers)[:timers/10]
		seq := uint64(0)
		b.ResetTimer()
		for range b.N {
			for _, k := range which {
				h := handles[k]
				if r := &records[uint32(h)]; r.gen == uint32(h>>32) {
					seq++
					r.due, r.seq = r.due+1000, seq
				}
			}
		}
		each(b, len(which), "ns/timer")
	})
	b.Run("periodic", func(b *testing.B) {
		records, handles := floorRecords(timers)
		rng := rand.New(rand.NewPCG(1, 2))
		var list [4][]entryOf
		for i := range list {
			list[i] = make([]entryOf, 0, timers/2)
		}
		for i := range records {
			k := rng.IntN(3)
			list[k] = append(list[k], entryOf{timer: uint32(i)})
		}
		fired := make([]wheel.Fired, 0, timers/2)
		b.ResetTimer()
		for now := range 3 * b.N {
			fired = fired[:0]
			for _, e := range list[now%3] {
				if r := &records[e.timer]; r.stamp == e.stamp {
					r.stamp |= 1
					fired = append(fired, wheel.Fired{Due: wheel.Time(r.due), ID: r.id})
				}
			}
			to := list[3][:0]
			for _, f := range fired {
				h := handles[f.ID]
				if r := &records[uint32(h)]; r.gen == uint32(h>>32) {
					r.seq++
					r.due = int64(now) + 3
					r.stamp ^= 1
					to = append(to, entryOf{uint32(h), r.stamp, uint32(r.due)})
				}
			}
			list[3], list[now%3] = list[now%3], to
		}
		each(b, timers, "ns/firing")
	})
}

func floorRecords(n int) ([]record, []uint64) {
	records, handles := make([]record, n), make([]uint64, n)
	for i := range records {
		records[i] = record{gen: 1, id: uint64(i)}
		handles[i] = 1<<32 | uint64(i)
	}
	return records, handles
}
