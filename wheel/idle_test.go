package wheel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIdleAdvance checks that the shortcut of Advance for idle frames leaves the wheel in exactly
// the same state as an Advance without the shortcut.
func TestIdleAdvance(t *testing.T) {
	for k, sh := range shapes {
		for seed := range uint64(6) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			knows, looks := newWheel(sh, starts[int(seed)%len(starts)]), newWheel(sh, starts[int(seed)%len(starts)])
			var live []Handle
			for step := range 1500 {
				switch rng.IntN(40) {
				case 0:
					due := knows.Now().Add(rng.Int64N(1 << rng.IntN(40)))
					h := knows.Add(due, 7)
					require.Equal(t, h, looks.Add(due, 7))
					live = append(live, h)
				case 1:
					if len(live) > 0 {
						h := live[rng.IntN(len(live))]
						require.Equal(t, knows.Remove(h), looks.Remove(h))
					}
				case 2:
					if len(live) > 0 {
						h, due := live[rng.IntN(len(live))], knows.Now().Add(rng.Int64N(1<<rng.IntN(40)))
						require.Equal(t, knows.Move(h, due), looks.Move(h, due))
					}
				default:
					now := knows.Now().Add(rng.Int64N(1 << rng.IntN(14)))
					looks.idleUntil = earliest
					require.Equal(t, looks.Advance(now, nil), knows.Advance(now, nil))
				}
				looks.idleUntil = knows.idleUntil
				if step%16 == 15 {
					require.Equal(t, looks, knows)
				}
			}
		}
	}
}

// TestIdleFrames checks that a wheel without near deadlines calls nextWork once, not in every
// frame.
func TestIdleFrames(t *testing.T) {
	w := New(0)
	w.Add(20_000, 1)
	looked := 0
	var fired []Fired
	for w.Now() < 20_000 {
		if w.idleUntil <= w.Now().Add(50) {
			looked++
		}
		fired = w.Advance(w.Now().Add(50), fired)
	}
	require.Equal(t, []Fired{{Due: 20_000, ID: 1}}, fired)
	require.Equal(t, 4, looked, "the first, the one that brings it down a second before, the one after that, and the last")
}
