package e2e

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster"
	clusterpage "github.com/bufftick/bufftick/cluster/inspect"
)

// fakeNode is a node of a cluster with everything that the page can show.
type fakeNode struct{ zones []cluster.ZoneInfo }

// hostileZone is a zone name that contains HTML and control characters.
const hostileZone = "z<img src=x onerror=alert(1)>\u202e\"&"

func newFakeNode() *fakeNode {
	f := &fakeNode{}
	for k := range 12 {
		f.zones = append(f.zones, cluster.ZoneInfo{Zone: fmt.Sprintf("zone-%02d", k), Node: []string{"a1", "b1", "c1"}[k%3], Epoch: uint64(k + 1), Left: time.Duration(k) * 150 * time.Millisecond, Load: 1.5})
	}
	f.zones[4].Node = ""
	f.zones[5].Wish = "a1"
	f.zones = append(f.zones, cluster.ZoneInfo{Zone: hostileZone, Node: "a1", Epoch: 1 << 60}, cluster.ZoneInfo{Zone: "zone-sick", Quarantined: true, Epoch: 3})
	return f
}

func (f *fakeNode) Zones() []cluster.ZoneInfo { return f.zones }
func (f *fakeNode) Nodes() []string           { return []string{"a1", "b1", "c1"} }
func (f *fakeNode) Info() cluster.NodeInfo {
	i := cluster.NodeInfo{Node: "a1", Stats: cluster.Stats{Zones: 5, Commands: 123456, Drained: 1, Fenced: 2, Stopped: 3, Missed: 1}}
	for k := 0; k < 12; k += 3 {
		i.Zones = append(i.Zones, cluster.Played{Zone: f.zones[k].Zone, Epoch: f.zones[k].Epoch, Owners: 100, Waiting: k, Page: "http://127.0.0.1:1/zone/" + f.zones[k].Zone})
	}
	i.Zones = append(i.Zones, cluster.Played{Zone: hostileZone, Epoch: 1 << 60, Owners: 1, Page: "javascript:alert(1)"})
	return i
}

func (f *fakeNode) Look(context.Context) ([]cluster.NodeInfo, error) {
	// node b1 does not answer
	return []cluster.NodeInfo{f.Info(), {Node: "c1", Stats: cluster.Stats{Zones: 4}}}, nil
}

func (f *fakeNode) Moves() (all []cluster.Change) {
	for k, z := range f.zones {
		all = append(all, cluster.Change{At: time.Unix(1800000000, 0).Add(time.Duration(k) * time.Second), Zone: z.Zone, From: "b1", To: z.Node, Epoch: z.Epoch})
	}
	return all
}

// TestCluster checks that the page of a cluster shows the nodes and zones as text, and violates
// no rule of axe, in both themes, on a phone and on a wide screen.
func TestCluster(t *testing.T) {
	s := httptest.NewServer(clusterpage.Handler(newFakeNode(), clusterpage.Options{}))
	defer s.Close()
	text := axe(t)
	for _, width := range []int64{390, 1440} {
		p := open(t, s.URL, width, tall)
		p.until(`document.querySelectorAll("#zones tr").length == 14 && document.querySelectorAll("#moves tr").length == 14`)
		require.Equal(t, "Zone-sick failed three times and is quarantined", eval[string](p, `document.querySelector("#verdict").textContent`))
		require.Equal(t, "z<img src=x onerror=alert(1)>\uFFFD\"&", eval[string](p, `document.querySelector("#zones tr:nth-child(13) th").textContent`))
		require.EqualValues(t, 4, eval[int64](p, `document.querySelectorAll("#zones a").length`), "a page that is a script is no link")
		require.Equal(t, "1152921504606846976", eval[string](p, `document.querySelector("#zones tr:nth-child(13) td:nth-child(7)").textContent`))
		require.True(t, eval[bool](p, `document.documentElement.scrollWidth <= innerWidth`), "%d px: it is wider than the screen", width)
		eval[any](p, text+"; void 0")
		for _, theme := range []string{"light", "dark"} {
			for _, v := range p.violations() {
				t.Errorf("%s, %d px: %s", theme, width, v)
			}
			if (theme == "dark") == (width == 390) {
				p.picture(fmt.Sprintf("cluster-%d", width))
			}
			p.do(chromedp.KeyEvent("t"))
		}
	}
}

// TestClusterToken checks that the page asks for the token if one is required.
func TestClusterToken(t *testing.T) {
	s := httptest.NewServer(clusterpage.Handler(newFakeNode(), clusterpage.Options{Token: strings.Repeat("k", 32)}))
	defer s.Close()
	p := open(t, s.URL, 390, tall)
	p.until(`!document.querySelector("#unlock").hidden`)
	eval[any](p, `void (document.querySelector("#token").value = "`+strings.Repeat("k", 32)+`", document.querySelector("#unlock").requestSubmit())`)
	p.until(`document.querySelectorAll("#zones tr").length == 14 && document.querySelector("#unlock").hidden`)
	p.expect("401")
}
