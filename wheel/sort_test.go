package wheel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSort_SameInstant checks that timers due at the same instant fire in the order of the calls
// that set their deadlines, for any number of timers, order of entries and distance between
// calls.
func TestSort_SameInstant(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{2, 32, 33, 500, 3000} {
		// the last distance is too large for a key
		for _, apart := range []uint64{0, 1 << 40, 1<<52 - 1000} {
			w := New(0)
			handles := make([]Handle, n)
			for k := range handles {
				handles[k] = w.Add(5000, uint64(k))
			}
			var want []Fired
			for at, k := range dice.Perm(n) {
				if at == n/2 {
					w.seq += apart
				}
				w.Move(handles[k], 70_000) // later: their entries stay in their slots
				want = append(want, Fired{Due: 70_000, ID: uint64(k)})
			}
			require.Equal(t, want, w.Advance(70_000, nil), "%d timers, %d calls apart", n, apart)
		}
	}
}

// TestSort_Late checks that late timers fire in the order of deadlines and, for equal deadlines,
// of calls.
func TestSort_Late(t *testing.T) {
	w := New(100_000)
	var want []Fired
	for k := range 300 {
		w.Add(Time(50_000-k%3), uint64(k))
	}
	for due := range 3 {
		for k := range 300 {
			if k%3 == 2-due {
				want = append(want, Fired{Due: Time(49_998 + due), ID: uint64(k)})
			}
		}
	}
	require.Equal(t, want, w.Advance(100_000, nil))
}

// TestSort_Allocations checks that sorting does not allocate if as many timers were sorted
// before.
func TestSort_Allocations(t *testing.T) {
	const n = 500
	w, handles, fired := New(0), make([]Handle, n), make([]Fired, 0, n)
	for k := range handles {
		handles[k] = w.Add(1000, uint64(k))
	}
	now := Time(1000)
	turn := func() {
		fired = w.Advance(now, fired[:0])
		for k := range handles { // back to front, then a second later
			w.Move(handles[(k*7)%n], now+900)
		}
		for k := range handles {
			w.Move(handles[(k*11)%n], now+1000)
		}
		now += 1000
	}
	for range 5 {
		turn()
	}
	require.Len(t, fired, n)
	require.Zero(t, testing.AllocsPerRun(20, turn))
}
