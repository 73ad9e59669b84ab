package prom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/needs"
	"github.com/bufftick/bufftick/store"
)

// TestPromtoolRules runs the rule tests of promtool: each alert fires in its own case in
// testdata/rules.yaml, and none fires in a healthy game. With changed data or expectations
// promtool must fail.
func TestPromtoolRules(t *testing.T) {
	tool := needs.Program(t, "promtool", "prometheus")
	out, err := exec.Command(tool, "check", "rules", "alerts.yaml").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(tool, "test", "rules", "testdata/rules.yaml").CombinedOutput()
	require.NoError(t, err, "%s", out)

	cases, err := os.ReadFile("testdata/rules.yaml")
	require.NoError(t, err)
	rules, err := filepath.Abs("alerts.yaml")
	require.NoError(t, err)
	for old, other := range map[string]string{
		// The process does not end.
		"values: '1x60 stale'": "values: '1x400'",
		// The alert is expected at another time.
		"{eval_time: 5m, alertname: BufftickGo": "{eval_time: 6m, alertname: BufftickGo",
	} {
		text := strings.ReplaceAll(strings.ReplaceAll(string(cases), old, other), "../alerts.yaml", rules)
		require.NotEqual(t, strings.ReplaceAll(string(cases), "../alerts.yaml", rules), text, old)
		file := filepath.Join(t.TempDir(), "rules.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, err = exec.Command(tool, "test", "rules", file).CombinedOutput()
		require.Error(t, err, "%s: %s", old, out)
	}
	for name := range queries(t) {
		if alert, ok := strings.CutPrefix(name, "alert: "); ok {
			require.Contains(t, string(cases), alert, "it has no case")
		}
	}
}

// serve answers a scrape while the loop ticks.
func (g *game) serve(w http.ResponseWriter, r *http.Request) {
	var scrape sync.WaitGroup
	done := make(chan struct{})
	scrape.Go(func() {
		defer close(done)
		promhttp.HandlerFor(g.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	})
	for ticking := true; ticking; {
		select {
		case <-done:
			ticking = false
		default:
			g.eng.Tick(50 * time.Millisecond)
		}
	}
	scrape.Wait()
}

// TestPromtoolMetrics checks with promtool the names, help texts and format of the scraped
// metrics.
func TestPromtoolMetrics(t *testing.T) {
	tool := needs.Program(t, "promtool", "prometheus")
	g := newGame(t)
	g.play()
	g.registry.MustRegister(NewSaver(func() store.Stats { return store.Stats{} }))
	w := httptest.NewRecorder()
	g.serve(w, httptest.NewRequest("GET", "/metrics", http.NoBody))
	check := func(text string) ([]byte, error) {
		c := exec.Command(tool, "check", "metrics")
		c.Stdin = strings.NewReader(text)
		return c.CombinedOutput()
	}
	out, err := check(w.Body.String())
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	_, err = check(strings.ReplaceAll(w.Body.String(), "bufftick_events_total", "bufftick_events"))
	require.Error(t, err, "a counter without _total must be found")
}

// TestPrometheus lets a real Prometheus scrape a game. Each query of the dashboard and the rules
// must be answered, and those of the dashboard with data. It takes about ten seconds of real
// time.
func TestPrometheus(t *testing.T) {
	server := needs.Program(t, "prometheus", "prometheus")
	if !long.On() {
		t.Skip("ten seconds: -long")
	}
	g := newGame(t)
	g.play()
	g.registry.MustRegister(NewSaver(func() store.Stats { return store.Stats{} }))
	var one sync.Mutex
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		g.serve(w, r)
	}))
	defer target.Close()
	address := startPrometheus(t, server, target.Listener.Addr().String())
	for where, q := range queries(t) {
		for _, v := range [][2]string{{"$instance", ".*"}, {"$__rate_interval", "5s"}, {"[1m]", "[5s]"}, {"[5m]", "[5s]"}} {
			q = strings.ReplaceAll(q, v[0], v[1])
		}
		data := untilData(t, address, q, strings.HasPrefix(where, "dashboard: "))
		t.Logf("%s: %d series", where, data)
	}
}

// startPrometheus starts a server that scrapes target once a second until the test ends, and
// returns its address.
func startPrometheus(t *testing.T, server, target string) string {
	dir := t.TempDir()
	rules, err := filepath.Abs("alerts.yaml")
	require.NoError(t, err)
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%s]\nscrape_configs:\n  - {job_name: game, static_configs: [{targets: ['%s']}]}\n", rules, target)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	c := exec.Command(server, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return address
}

// untilData repeats the query until it is answered, with data if wanted, and returns the number
// of series of the answer.
func untilData(t *testing.T, address, query string, wanted bool) int {
	var last string
	// Prometheus is another process, so it must be polled.
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(200 * time.Millisecond) {
		r, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
		if err != nil {
			last = err.Error()
			continue
		}
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		var a struct {
			Status string
			Data   struct{ Result []any }
		}
		if last = string(text); r.StatusCode == http.StatusServiceUnavailable || json.Unmarshal(text, &a) != nil {
			continue
		}
		require.Equal(t, "success", a.Status, "%s: %s", query, text)
		if len(a.Data.Result) > 0 || !wanted {
			return len(a.Data.Result)
		}
	}
	require.Fail(t, "no data within a minute", "%s: %s", query, last)
	return 0
}
