package game

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A live game tells where its page is, obeys its keys, and ends well with its context.
func TestLive(t *testing.T) {
	s, err := parseFlags([]string{"-live", "-addr", "127.0.0.1:0", "-players", "100", "-workers", "2", "-speed", "4"})
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	keys, press := io.Pipe()
	told, stderr := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		ended <- newLoop(w, newStatus(io.Discard)).playLive(ctx, Console{Keys: keys, Out: &stdout, Err: stderr})
		stderr.Close()
	}()
	lines := bufio.NewReader(told)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	at := regexp.MustCompile(`http://127\.0\.0\.1:\d+/debug/buffs`).FindString(first)
	require.NotEmpty(t, at, first)
	go func() { _, _ = io.Copy(io.Discard, lines) }()

	type view struct {
		Owners int
		Stuck  []struct{ Name, Spec string }
		Most   []struct{ Name string }
	}
	until := func(what string, good func(v view) bool) {
		t.Helper()
		for range 2000 { // of a frame at least each
			resp, err := http.Get(at + "?snapshot")
			require.NoError(t, err)
			var v view
			err = json.NewDecoder(resp.Body).Decode(&v)
			resp.Body.Close()
			require.NoError(t, err)
			if good(v) {
				return
			}
		}
		t.Fatal("never: " + what)
	}
	until("everybody is there", func(v view) bool { return v.Owners > 95 })
	_, err = io.WriteString(press, "\ns\n")
	require.NoError(t, err)
	until("all have left", func(v view) bool { return v.Owners < 20 })
	until("they are back", func(v view) bool { return v.Owners > 95 })
	_, err = io.WriteString(press, "hang\n")
	require.NoError(t, err)
	until("one hangs", func(v view) bool { return len(v.Stuck) == 1 && v.Stuck[0].Name != "" && v.Stuck[0].Spec == "a timeout" })
	_, err = io.WriteString(press, "w\nx\n")
	require.NoError(t, err)
	resp, err := http.Get(at[:len(at)-len("/debug/buffs")])
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, "/debug/buffs", resp.Request.URL.Path)
	cancel()
	press.Close()
	require.NoError(t, <-ended)
	require.Regexp(t, `\ndigest of the first \d+ of \d+ frames: [0-9a-f]{64}\n$`, stdout.String())
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// The page is for this machine.
func TestLiveAddress(t *testing.T) {
	for _, addr := range []string{":6060", "0.0.0.0:6060", "10.0.0.5:6060", "[::]:6060", "example.com:80", "6060"} {
		_, stderr, status := play(t, t.Context(), "-live -players 10 -addr "+addr)
		require.Equal(t, 1, status, addr)
		require.Contains(t, stderr, "mmo: -addr", addr)
	}
	for _, addr := range []string{"127.0.0.1:0", "[::1]:80", "localhost:80", "127.3.2.1:0"} {
		require.NoError(t, local(addr), addr)
	}
}
