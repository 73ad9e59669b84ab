package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun starts the program as the README describes, and requests the addresses that the program
// prints.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-bots", "20"}, in) }()
	lines := bufio.NewScanner(out)
	for _, want := range []string{"<canvas", `"owners":`, ""} {
		require.True(t, lines.Scan())
		_, address, ok := strings.Cut(lines.Text(), ": ")
		if want == "" {
			require.False(t, ok)
			break
		}
		if strings.HasSuffix(address, "/debug/buffs") {
			address += "?snapshot"
		}
		r, err := http.Get(address)
		require.NoError(t, err)
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Equal(t, 200, r.StatusCode, address)
		require.Contains(t, string(text), want)
	}
	cancel()
	require.NoError(t, <-done)
}

// TestHeadless plays a second without a page.
func TestHeadless(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-headless", "-bots", "20", "-seconds", "1"}, &out))
	require.Contains(t, out.String(), "viewers")
}
