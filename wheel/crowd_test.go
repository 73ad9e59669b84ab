package wheel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// crowd starts many timers, which are due at random instants between two given ones.
func (s *transcript) crowd(t *testing.T, d *datadriven.TestData) string {
	n := s.number(t, d, 0)
	from, to := s.when(t, d.CmdArgs[1].Key), s.when(t, d.CmdArgs[2].Key)
	rng := rand.New(rand.NewPCG(uint64(n), uint64(to)))
	for range n {
		due := from + Time(rng.Int64N(int64(to-from)))
		s.names = append(s.names, "crowd")
		s.many = append(s.many, s.w.Add(due, uint64(len(s.names)-1)))
	}
	return s.counts()
}

// thin removes some waiting timers of the crowd and reports when a sweep starts or ends
// meanwhile. Without a number it removes timers until a sweep starts.
func (s *transcript) thin(t *testing.T, d *datadriven.TestData) string {
	n := 1 << 30
	if len(d.CmdArgs) > 0 {
		n = s.number(t, d, 0)
	}
	var b strings.Builder
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(s.many))))
	for ended, on := 0, s.w.sweep.on; ended < n && len(s.many) > 0; {
		i := rng.IntN(len(s.many))
		h := s.many[i]
		s.many[i] = s.many[len(s.many)-1]
		s.many = s.many[:len(s.many)-1]
		if s.w.State(h) != Waiting {
			continue
		}
		require.True(t, s.w.Remove(h))
		ended++
		if s.w.sweep.on == on {
			continue
		}
		on = !on
		if on {
			fmt.Fprintf(&b, "a sweep begins: %s\n", s.counts())
		} else {
			fmt.Fprintf(&b, "it ends: %s\n", s.counts())
		}
		if on && n == 1<<30 {
			return b.String()
		}
	}
	return b.String() + s.counts()
}

// frames runs frames of the same length. For each frame it prints one character, the number of
// entries moved without firing, where a dot means none. Each line has a hundred frames.
func (s *transcript) frames(t *testing.T, d *datadriven.TestData) string {
	const digits = ".123456789abcdefghijklmnopqrstuvwxyz"
	n := s.number(t, d, 0)
	length := s.when(t, d.CmdArgs[1].Key) - s.w.Now()
	var b strings.Builder
	fired := 0
	for k := range n {
		before := s.w.Stats().Moved
		fired += len(s.w.Advance(s.w.Now()+length, nil))
		if moved := s.w.Stats().Moved - before; moved < uint64(len(digits)) {
			b.WriteByte(digits[moved])
		} else {
			fmt.Fprintf(&b, "(%d)", moved)
		}
		if k%100 == 99 || k == n-1 {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "%d fired; %s", fired, s.counts())
	return b.String()
}

func (s *transcript) counts() string {
	n := s.w.Stats()
	return fmt.Sprintf("%d wait, %d dead, %d moved", n.Waiting, n.Dead, n.Moved)
}

func (s *transcript) number(t *testing.T, d *datadriven.TestData, arg int) (n int) {
	_, err := fmt.Sscan(d.CmdArgs[arg].Key, &n)
	require.NoError(t, err, d.Pos)
	return n
}
