package wheel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// The model test makes random calls on a Wheel and on a list sorted by (deadline, call), and
// compares every result. It also checks the structure.
//
//	go test ./wheel -run TestModel -long=1000
const modelOps = 30_000 // calls for each seed

func TestModel(t *testing.T) {
	for k := range long.Times(10) {
		seed := int(long.Seed()) + k
		for i, sh := range shapes {
			ops := modelOps / 2 // for the real shape; the other shapes share the rest
			if i > 0 {
				ops /= len(shapes) - 1
			}
			if err := run(sh, seed, ops, nil); err != nil {
				var calls []string
				_ = run(sh, seed, ops, &calls) // again, recording the calls
				t.Fatalf("seed %d, faces %v: %v\nlast calls:\n%s\n"+
					"repeat: go test ./wheel -run TestModel -seed %d",
					seed, sh, err, last(calls, 40), seed)
			}
		}
	}
}

// run makes ops calls, on several Wheels one after another, each with a different start.
func run(sh shape, seed, ops int, calls *[]string) error {
	d := seeded(uint64(seed))
	for done := 0; done < ops; {
		start := starts[d.below(int64(len(starts)))]
		s := newSession(sh, start, []int{4, 30, 31, 35, 300, 301}[d.n(6)])
		s.calls = calls
		life := min([]int{100, 1000, 10_000}[d.n(3)], ops-done)
		for atEnd := 0; s.ops < life && atEnd < 200; {
			if err := s.step(d); err != nil {
				return fmt.Errorf("call %d (start %d, call %d since): %w", done+s.ops, start, s.ops, err)
			}
			if s.w.now == Never {
				atEnd++
			}
		}
		if err := s.finish(); err != nil {
			return fmt.Errorf("call %d, at the end: %w", done+s.ops, err)
		}
		done += s.ops
	}
	return nil
}

// last returns the last n calls, one per line.
func last(calls []string, n int) string {
	return strings.Join(calls[max(0, len(calls)-n):], "\n")
}

// TestModel_DetectsFaults plants a wrong result and checks that the session reports it.
func TestModel_DetectsFaults(t *testing.T) {
	s := newSession(clockFace, 0, 10)
	require.NoError(t, s.add(5))
	s.list[0].due = 6
	require.ErrorContains(t, s.advance(5), "fired 1, want 0")

	s = newSession(clockFace, 0, 10)
	require.NoError(t, s.add(5))
	s.w.invalidate(1, s.w.timer(1), waiting)
	require.ErrorContains(t, check(s.w), "1 dead entries, counted 0")
}
