package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/examples/mmo/game"
)

// TestMain ignores the goroutines that the imported package ants starts.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// site is a running game with its page, metrics and plots.
type site struct {
	t      *testing.T
	host   string // address of the server
	output string // output of the game so far
	end    func() string
}

// start starts a game. The method "end" of the result ends the game like Ctrl-C, checks that the
// game has ended cleanly, and returns the summary.
func start(t *testing.T) *site {
	t.Helper()
	reading, stderr := io.Pipe()
	var stdout bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		defer stderr.Close()
		ended <- run(ctx, strings.Fields("-addr 127.0.0.1:0 -players 100"), game.Console{Out: &stdout, Err: stderr})
	}()
	s := &site{t: t}
	lines := bufio.NewReader(reading)
	for !strings.Contains(s.output, "Ctrl-C ends the game") {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, s.output)
		s.output += line
	}
	found := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/debug/buffs`).FindStringSubmatch(s.output)
	require.NotNil(t, found, s.output)
	s.host = found[1]
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(stop)
	s.end = func() string {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		stop()
		require.Zero(t, <-ended)
		return stdout.String()
	}
	return s
}

// get requests a path. The header has the form "Name: value", or is "".
func (s *site) get(path, header string) (status int, body string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.host+path, nil)
	require.NoError(s.t, err)
	if name, value, ok := strings.Cut(header, ": "); ok && name == "Host" {
		r.Host = value
	} else if ok {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, string(text)
}

// TestOneAddress checks that the page, the metrics and the plots are served at one address, and
// only for requests that use the name of this machine.
func TestOneAddress(t *testing.T) {
	s := start(t)
	require.Contains(t, s.output, "/metrics")
	require.Contains(t, s.output, statsvizRoot)
	for path, has := range map[string]string{
		"/debug/buffs":      "<title>bufftick</title>",
		"/metrics":          "\nbufftick_up 1\n",
		"/debug/statsviz/":  "<title>Statsviz</title>",
		"/debug/statsviz/x": "",
	} {
		status, body := s.get(path, "")
		if has != "" {
			require.Equal(t, http.StatusOK, status, path)
			require.Contains(t, body, has, path)
		}
		for _, host := range []string{"evil.example", "evil.example:6060", "127.0.0.1.evil.example", "localhost.evil.example"} {
			status, body := s.get(path, "Host: "+host)
			require.Equal(t, http.StatusForbidden, status, "%s for %s", path, host)
			require.NotContains(t, body, "bufftick_")
		}
	}
	for _, path := range []string{"/metrics", "/debug/statsviz/"} {
		status, _ := s.get(path, "Sec-Fetch-Site: cross-site")
		require.Equal(t, http.StatusForbidden, status, path)
	}
	_, body := s.get("/metrics", "")
	require.Regexp(t, `\nbufftick_owners (9|1\d)\d\n`, body, "a hundred players and two bosses, more or less")
	for _, name := range []string{"\nbufftick_events_total{kind=\"pulse\"}", "\ngo_goroutines "} {
		require.Contains(t, body, name)
	}
	status, _ := s.get("/debug/pprof/", "")
	require.Equal(t, http.StatusNotFound, status, "what was not mounted is not there")
	require.Regexp(t, `\ndigest of the first \d+ of \d+ frames: [0-9a-f]{64}\n$`, s.end())
}

// TestPlots checks that the page has the plots of the engine and of the runtime.
func TestPlots(t *testing.T) {
	s := start(t)
	at := "ws://" + s.host + statsvizRoot + "/ws"
	for _, h := range []http.Header{
		{"Origin": {"http://evil.example"}},
		{"Host": {"evil.example"}},
		{"Host": {"evil.example"}, "Origin": {"http://evil.example"}},
	} {
		_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), at, h)
		require.ErrorIs(t, err, websocket.ErrBadHandshake, h)
		require.Equal(t, http.StatusForbidden, resp.StatusCode, h)
	}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), at, http.Header{"Origin": {"http://" + s.host}})
	require.NoError(t, err)
	defer conn.Close()
	var config struct {
		Event string
		Data  struct {
			Series []struct{ Name string }
		}
	}
	require.NoError(t, conn.ReadJSON(&config))
	require.Equal(t, "config", config.Event)
	names := map[string]bool{}
	for _, c := range config.Data.Series {
		names[c.Name] = true
	}
	series := map[string]int{"bufftick-events": 1, "bufftick-players": 3, "bufftick-backlog": 2, "bufftick-frame": 2}
	for name := range series {
		require.True(t, names[name], "%s of %v", name, names)
	}
	var news struct {
		Data struct {
			Series map[string]json.RawMessage
		}
	}
	// The server sends one message per second; the first has no rate yet.
	for seen := 0.0; seen == 0; {
		require.NoError(t, conn.ReadJSON(&news))
		for name, n := range series {
			var values []float64
			require.NoError(t, json.Unmarshal(news.Data.Series[name], &values), name)
			require.Len(t, values, n, name)
			if name == "bufftick-events" {
				seen = values[0]
			}
			if name == "bufftick-frame" {
				require.InDelta(t, 50, values[1], 1e-9, "what a frame of the game may take, in ms")
			}
		}
	}
	s.end()
}

// TestTags checks that the script of statsviz accepts plots without tags. If this test no longer
// finds anything to patch, check whether the patch is still needed.
func TestTags(t *testing.T) {
	s := start(t)
	_, page := s.get("/debug/statsviz/", "")
	script := regexp.MustCompile(`assets/index-[\w-]+\.js`).FindString(page)
	require.NotEmpty(t, script)
	status, text := s.get("/debug/statsviz/"+script, "Range: bytes=0-9")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 1, strings.Count(text, `.tags||["misc"]).includes(`))
	require.False(t, askTags.MatchString(text))
	require.Greater(t, len(text), 100_000)
	status, _ = s.get("/debug/statsviz/assets/none.js", "")
	require.Equal(t, http.StatusNotFound, status)
	s.end()
}

// TestStall checks that the plots have values while the loop is stalled, and that a request does
// not wait long.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng, err := engine.New(engine.Options{})
		require.NoError(t, err)
		f := newFigures(eng.Watch())
		began := time.Now()
		for range 2 { // the second request gets the answer of the first
			v, rate := f.look()
			require.Zero(t, rate)
			require.Zero(t, p99(v.Frames))
			require.Equal(t, patience, time.Since(began))
		}
		f.close()
		require.NoError(t, eng.Close(t.Context()))
	})
}

func TestP99(t *testing.T) {
	var frames []view.FrameTime
	for i := range 200 {
		frames = append(frames, view.FrameTime{Took: time.Duration(200-i) * time.Millisecond})
	}
	require.InDelta(t, 199, p99(frames), 1e-9)
}
