package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// TestDigest checks that the digest does not depend on the number of workers, or on the number of
// goroutines that call Tick.
func TestDigest(t *testing.T) {
	const want = `8 zones, 1600 owners, 130 frames: `
	first := ""
	for _, goroutines := range []int{1, 2, 3, 8} {
		for _, workers := range []int{1, 16, 40} {
			var out strings.Builder
			args := []string{"-owners", "200", "-frames", "130", "-goroutines", strconv.Itoa(goroutines), "-workers", strconv.Itoa(workers)}
			require.NoError(t, run(args, &out))
			if first == "" {
				first = out.String()
				require.Contains(t, first, want)
				require.NotContains(t, first, " 0 jumps")
			}
			require.Equal(t, first, out.String(), "%d goroutines, %d workers", goroutines, workers)
		}
	}
}

// TestFlags checks that invalid flags are reported.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-zones", "0"}, {"-owners", "-1"}, {"-goroutines", "0"}, {"-workers", "0"}} {
		require.Error(t, run(args, &strings.Builder{}))
	}
}
