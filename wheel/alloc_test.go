package wheel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoAllocation checks that no call allocates once the number of timers has reached its
// maximum and dst has room.
func TestNoAllocation(t *testing.T) {
	const n = 1000
	w := New(0)
	handles := make([]Handle, n)
	for i := range handles {
		handles[i] = w.Add(w.Now().Add(int64(i)*67), uint64(i))
	}
	dst := w.Advance(w.Now().Add(n*67), nil)
	require.Len(t, dst, n)

	for name, f := range map[string]func(i int){
		"Remove and Add": func(i int) {
			w.Remove(handles[i])
			handles[i] = w.Add(w.Now().Add(int64(i)*7919), uint64(i))
		},
		"Move": func(i int) { w.Move(handles[i], w.Now().Add(int64(i)*104_729)) },
		"late": func(i int) {
			w.Move(handles[i], w.Now().Add(-int64(i)))
			w.Move(handles[n-1-i], w.Now().Add(-int64(i)))
			dst = w.Advance(w.Now(), dst[:0])
		},
		"Advance and Move on": func(int) {
			dst = w.Advance(w.Now().Add(50), dst[:0])
			for _, f := range dst {
				w.Move(handles[f.ID], f.Due.Add(3000))
			}
		},
		"jump of two days": func(int) {
			dst = w.Advance(w.Now().Add(2*24*3_600_000), dst[:0])
			for _, f := range dst {
				w.Move(handles[f.ID], w.Now().Add(int64(f.ID)*1_000_003))
			}
		},
		"Next": func(int) { w.Next() },
	} {
		t.Run(name, func(t *testing.T) {
			i := 0
			require.Zero(t, testing.AllocsPerRun(n-1, func() { f(i); i = (i + 1) % n }))
			require.NoError(t, check(w))
		})
	}
}
