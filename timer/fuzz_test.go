package timer_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/timer"
)

// FuzzCalls turns bytes into calls of AfterFunc, Stop and Reset with pauses between them. It
// makes the calls on a Clock and on package time, in a bubble of synctest. The results and the
// callbacks must be the same.
//
//	go test ./timer -run - -fuzz FuzzCalls -fuzzminimizetime 1s
func FuzzCalls(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x10\x04\x00\x11\x05\x03\x20\x00\x01\x00\x00\x02\x10\x06\x03\xff\x07"))
	f.Add([]byte("\x00\x00\x00\x01\x01\x01\x02\x02\x02\x03\x03\x03\x04\x04\x04\x05\x05\x05\x06\x06\x06\x07\x07\x07"))
	for i := range byte(16) {
		var data []byte
		for k := range byte(120) {
			data = append(data, k*37+i*11, k*k+i, k*5^i)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			c := timer.New(timer.Options{Run: timer.Inline})
			defer func() { _ = c.Close(context.Background()) }()
			start := time.Now()
			time.Sleep(time.Millisecond / 2)
			var mu sync.Mutex
			var ours, std []rung
			write := func(to *[]rung, id int) func() {
				return func() {
					mu.Lock()
					defer mu.Unlock()
					*to = append(*to, rung{time.Since(start), id})
				}
			}
			var a, b [8]stopper
			units := []time.Duration{0, 1, 10, 1000, 1003, 60_000, 3_600_000, 43_200_000}
			for ; len(data) >= 3; data = data[3:] {
				k := int(data[0] >> 2 % 8)
				// An odd multiple of half a millisecond, so that deadlines and calls never
				// coincide.
				d := units[data[2]%8]*time.Duration(data[1])*time.Millisecond + time.Millisecond/2
				switch op := data[0] % 4; {
				case op == 3:
					time.Sleep(d.Truncate(time.Millisecond))
				case a[k] == nil:
					id := k
					a[k], b[k] = c.AfterFunc(d, write(&ours, id)), time.AfterFunc(d, write(&std, id))
				case op == 1:
					if x, y := a[k].Stop(), b[k].Stop(); x != y {
						t.Fatalf("Stop of %d at %v says %v, package time %v", k, time.Since(start), x, y)
					}
				default:
					if x, y := a[k].Reset(d), b[k].Reset(d); x != y {
						t.Fatalf("Reset of %d at %v says %v, package time %v", k, time.Since(start), x, y)
					}
				}
			}
			time.Sleep(256 * 12 * time.Hour)
			synctest.Wait()
			for _, l := range [][]rung{ours, std} {
				slices.SortFunc(l, func(x, y rung) int {
					if x.at != y.at {
						return int(x.at - y.at)
					}
					return x.id - y.id
				})
			}
			if !slices.Equal(ours, std) {
				t.Fatalf("callbacks %v, of package time %v", ours, std)
			}
		})
	})
}
