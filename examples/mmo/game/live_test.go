package game

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
)

// TestLive checks that a live game prints the address of its page, obeys its keys, and ends cleanly
// when its context ends.
func TestLive(t *testing.T) {
	t.Parallel()
	s, err := parseFlags([]string{"-live", "-addr", "127.0.0.1:0", "-players", "100", "-workers", "2", "-speed", "4"})
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	keys, press := io.Pipe()
	reading, stderr := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		ended <- newLoop(w, newStatus(io.Discard), &stdout).playLive(ctx, Console{Keys: keys, Out: &stdout, Err: stderr})
		stderr.Close()
	}()
	lines := bufio.NewReader(reading)
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
		for range 2000 { // each request takes at least one frame
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

// TestLiveReload checks that a request with the token reloads the folder of -buffs, and that the
// page shows the result, including the line of an error.
func TestLiveReload(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, folder)
	reading, stderr := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		defer stderr.Close()
		ended <- Run(ctx, strings.Fields("-live -addr 127.0.0.1:0 -players 20 -buffs "+dir), Console{Out: &stdout, Err: stderr})
	}()
	lines := bufio.NewReader(reading)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	found := regexp.MustCompile(`(http://127\.0\.0\.1:\d+/debug/buffs), token for actions: (\w+)\n`).FindStringSubmatch(first)
	require.NotNil(t, found, first)
	change(t, filepath.Join(dir, "harm.yaml"), "    period: 3s\n", "    period: 3 seconds\n")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, found[1]+"?act", strings.NewReader(`{"act":"reload"}`))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+found[2])
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusAccepted, resp.StatusCode)

	resp, err = http.Get(found[1] + "?stream&catalog")
	require.NoError(t, err)
	var counts struct {
		Reloads []struct {
			OK   bool
			Text string
		}
	}
	for stream := bufio.NewReader(resp.Body); ; {
		line, err := stream.ReadString('\n')
		require.NoError(t, err)
		if line == "event: catalog\n" {
			line, err = stream.ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &counts))
			break
		}
	}
	resp.Body.Close()
	require.NotEmpty(t, counts.Reloads)
	require.False(t, counts.Reloads[0].OK)
	require.Contains(t, counts.Reloads[0].Text, "harm.yaml:15:13: ")
	require.Contains(t, counts.Reloads[0].Text, "period: 3 seconds")
	cancel()
	require.Zero(t, <-ended)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// TestMount checks that mounted handlers exist before the first request is served, and that the
// stop function of the mount is called while the engine still exists. If mounting fails, the game
// must not start.
func TestMount(t *testing.T) {
	var out bytes.Buffer
	var eng *engine.Engine
	ended := false
	status := Run(t.Context(), strings.Fields("-live -addr 127.0.0.1:0 -players 10 -duration 1s -speed max"), Console{
		Out: &out, Err: io.Discard,
		Mount: func(s *Site) (func(), error) {
			eng = s.Engine
			s.Mux.Handle("/more", s.Page.Guard(http.NotFoundHandler()))
			return func() {
				ended = true
				require.Equal(t, uint64(20), eng.Stats().Ticks)
			}, nil
		},
	})
	require.Zero(t, status)
	require.True(t, ended)
	require.ErrorIs(t, eng.Spawn(1, nil), engine.ErrClosed)

	var stderr bytes.Buffer
	status = Run(t.Context(), strings.Fields("-live -addr 127.0.0.1:0 -players 10"), Console{
		Out: &out, Err: &stderr,
		Mount: func(s *Site) (func(), error) { eng = s.Engine; return nil, errors.New("no room") },
	})
	require.Equal(t, 1, status)
	require.Contains(t, stderr.String(), "mmo: no room\n")
	require.ErrorIs(t, eng.Spawn(1, nil), engine.ErrClosed)
}

// TestLiveAddress checks that the page accepts only loopback addresses.
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

// TestKeys checks that each key has its documented effect on a raid.
func TestKeys(t *testing.T) {
	s := newScene(t)
	s.wipe()
	s.pass(50 * time.Millisecond)
	require.True(t, s.players[0].dead && s.players[1].dead)
	s.pass(8 * time.Second)
	require.False(t, s.players[0].dead || s.players[1].dead)
	s.storm()
	require.True(t, s.players[0].away && s.players[1].away)
	require.Equal(t, 1, s.eng.Stats().Owners, "the boss")
}
