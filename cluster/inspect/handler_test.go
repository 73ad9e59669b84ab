package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster"
)

// fakeNode is node a of a cluster with nodes a and b; it runs zone x.
type fakeNode struct{ looks int }

func (*fakeNode) Nodes() []string { return []string{"a", "b"} }

func (*fakeNode) Zones() []cluster.ZoneInfo {
	return []cluster.ZoneInfo{
		{Zone: "x", Node: "a", Epoch: 7, Left: 1500 * time.Millisecond, Load: math.NaN()},
		{Zone: "y\"\n", Quarantined: true},
		{Zone: "z", Node: "b", Epoch: 3, Wish: "a"},
	}
}

func (*fakeNode) Moves() (all []cluster.Change) {
	for k := range 300 {
		all = append(all, cluster.Change{At: time.Unix(int64(k), 0), Zone: "x", From: "b", To: "a", Epoch: uint64(k)})
	}
	return all
}

func (*fakeNode) Info() cluster.NodeInfo {
	return cluster.NodeInfo{Node: "a", Stats: cluster.Stats{Zones: 1, Fenced: 4, GivenUp: 2, Lost: 3, Unsent: 5, Foreign: 6, Unsaved: 1, Closed: true}, Zones: []cluster.Played{
		{Zone: "x", Epoch: 7, Owners: 20, Waiting: 3, Left: time.Second, Unsaved: 2500 * time.Millisecond, Page: "http://127.0.0.1:80/zone/x"},
	}}
}

func (f *fakeNode) Look(context.Context) ([]cluster.NodeInfo, error) {
	f.looks++
	stale := cluster.NodeInfo{Node: "old", Zones: []cluster.Played{{Zone: "x", Epoch: 6, Owners: 1}, {Zone: "z", Epoch: 2, Owners: 1, Page: "javascript:alert(1)"}}}
	return []cluster.NodeInfo{f.Info(), stale}, errors.New("an error")
}

// get sends a request to a handler; change, if not nil, modifies it first.
func get(h http.Handler, target string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host, r.RemoteAddr = "127.0.0.1:80", "127.0.0.1:1234"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestHandler_View checks the content of the page, and that two readers within 500 ms share one
// query.
func TestHandler_View(t *testing.T) {
	f := &fakeNode{}
	h := Handler(f, Options{})
	w := get(h, "/?view", nil)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, w.Body.String(), get(h, "/?view", nil).Body.String())
	require.Equal(t, 1, f.looks)
	var v view
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
	require.Equal(t, "a", v.Node)
	require.Equal(t, "an error", v.Error)
	require.Equal(t, []zoneView{
		{Name: "x", Node: "a", Epoch: "7", Left: 1500, Owners: 20, Waiting: 3, Unsaved: 2500, Page: "http://127.0.0.1:80/zone/x"},
		{Name: "y\"\n", Epoch: "0", Owners: -1, Quarantined: true},
		{Name: "z", Node: "b", Epoch: "3", Owners: -1, Wish: "a"},
	}, v.Zones, "only the load with the epoch of the database is shown")
	require.False(t, v.Nodes[0].Silent)
	require.Equal(t, nodeView{Name: "b", Silent: true}, v.Nodes[1])
	require.Len(t, v.Moves, 100)
	require.Equal(t, "299", v.Moves[0].Epoch)
}

// TestLink checks that only http and https addresses become links.
func TestLink(t *testing.T) {
	for address, want := range map[string]bool{
		"http://10.0.0.7:80/zone/x": true, "https://game.example/x": true,
		"": false, "javascript:alert(1)": false, "http:": false, "/zone/x": false, "data:text/html,x": false, "http://a b/": false,
	} {
		require.Equal(t, want, link(address) != "", address)
	}
}

// TestMetrics checks the values of the metrics and the escaping of labels.
func TestMetrics(t *testing.T) {
	text := get(Handler(&fakeNode{}, Options{}), "/?metrics", nil).Body.String()
	for _, line := range []string{
		"bufftick_cluster_nodes 2", "bufftick_cluster_zones 1", "bufftick_cluster_zones_free 0", "bufftick_cluster_zones_quarantined 1",
		"bufftick_cluster_fenced_total 4", "bufftick_cluster_zones_given_up_total 2", "bufftick_cluster_zones_lost_total 3", "bufftick_cluster_messages_unsent_total 5",
		"bufftick_cluster_foreign_messages_total 6", "bufftick_cluster_zones_unsaved 1", "bufftick_cluster_nats_closed 1", "bufftick_cluster_nats_denied 0",
		`bufftick_cluster_zone_unsaved_seconds{zone="x"} 2.5`, `bufftick_cluster_zone_owners{zone="x"} 20`, `bufftick_cluster_zone_epoch{zone="x"} 7`,
		`bufftick_cluster_zone_lease_left_seconds{zone="x"} 1`, `bufftick_cluster_zone_commands_in_flight{zone="x"} 3`,
	} {
		require.Contains(t, text, line+"\n")
	}
	require.Equal(t, `a\"b\\c\nd`, label.Replace("a\"b\\c\nd"))
}

// TestAlerts_Metrics checks that every metric in the alert rules exists.
func TestAlerts_Metrics(t *testing.T) {
	rules, err := os.ReadFile("alerts.yaml")
	require.NoError(t, err)
	text := string(metrics(&fakeNode{}))
	names := regexp.MustCompile(`bufftick_cluster_\w+`).FindAllString(strings.Replace(string(rules), "name: bufftick_cluster", "", 1), -1)
	require.Greater(t, len(names), 8)
	for _, name := range names {
		require.Contains(t, text, "# TYPE "+name+" ")
	}
}

// TestHandler_Admit checks which requests are rejected.
func TestHandler_Admit(t *testing.T) {
	token := strings.Repeat("k", 32)
	far := func(r *http.Request) { r.RemoteAddr = "10.0.0.9:1234" }
	for _, c := range []struct {
		name   string
		o      Options
		target string
		change func(*http.Request)
		want   int
	}{
		{"the page", Options{}, "/", nil, 200},
		{"another query", Options{}, "/?x", nil, 404},
		{"a POST", Options{}, "/?view", func(r *http.Request) { r.Method = http.MethodPost }, 405},
		{"HEAD", Options{}, "/?view", func(r *http.Request) { r.Method = http.MethodHead }, 200},
		{"a foreign name", Options{}, "/", func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"a name in Hosts", Options{Hosts: []string{"ops.example"}}, "/?view", func(r *http.Request) { r.Host = "OPS.example:443" }, 200},
		{"localhost", Options{}, "/?view", func(r *http.Request) { r.Host = "localhost" }, 200},
		{"another machine", Options{}, "/?view", far, 403},
		{"another machine, without the token", Options{Token: token}, "/?view", far, 401},
		{"another machine, the page", Options{Token: token}, "/", far, 200},
		{"another machine, with the token", Options{Token: token}, "/?metrics", func(r *http.Request) {
			far(r)
			r.Header.Set("Authorization", "Bearer "+token)
		}, 200},
		{"a wrong token", Options{Token: token}, "/?view", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401},
		{"another site", Options{}, "/?view", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
	} {
		w := get(Handler(&fakeNode{}, c.o), c.target, c.change)
		require.Equal(t, c.want, w.Code, c.name)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'", c.name)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), c.name)
	}
	a, b := get(Handler(&fakeNode{}, Options{}), "/", nil), get(Handler(&fakeNode{}, Options{}), "/", nil)
	require.NotEqual(t, a.Header().Get("Content-Security-Policy"), b.Header().Get("Content-Security-Policy"), "a nonce is used once")
	require.NotContains(t, a.Body.String(), "@nonce@")
}
