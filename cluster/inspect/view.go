package inspect

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/cluster"
)

// view is the content of the page. Numbers that may exceed 2^53 are strings.
type view struct {
	Node  string     `json:"node"` // the node that serves the page
	Nodes []nodeView `json:"nodes"`
	Zones []zoneView `json:"zones"`
	Moves []moveView `json:"moves"` // latest first
	Cut   bool       `json:"cut"`   // there are more nodes or zones than the page shows
	Error string     `json:"error,omitempty"`
}

type nodeView struct {
	Name     string `json:"name"`
	Silent   bool   `json:"silent"` // the node did not reply over NATS
	Zones    int    `json:"zones"`
	Owners   int    `json:"owners"`
	Waiting  int    `json:"waiting"`
	Commands string `json:"commands"`
	Drained  string `json:"drained"`
	Fenced   string `json:"fenced"`
	Stopped  string `json:"stopped"`
	Missed   string `json:"missed"`
	GivenUp  string `json:"givenUp"`
	Lost     string `json:"lost"`
	Closed   bool   `json:"closed,omitempty"` // the connection of the node to NATS is closed
	Denied   bool   `json:"denied,omitempty"` // NATS does not permit the node to receive commands
}

type zoneView struct {
	Name        string  `json:"name"`
	Node        string  `json:"node"`
	Epoch       string  `json:"epoch"`
	Left        float64 `json:"left"` // time until the lease ends, in ms
	Load        float64 `json:"load"`
	Owners      int     `json:"owners"` // -1 if unknown
	Waiting     int     `json:"waiting"`
	Unsaved     float64 `json:"unsaved,omitempty"` // time for which commits have failed, in ms
	Wish        string  `json:"wish,omitempty"`
	Quarantined bool    `json:"quarantined,omitempty"`
	Page        string  `json:"page,omitempty"`
}

type moveView struct {
	At    string `json:"at"`
	Zone  string `json:"zone"`
	From  string `json:"from"`
	To    string `json:"to"`
	Epoch string `json:"epoch"`
}

func viewOf(node Node, replies []cluster.NodeInfo, err error) view {
	v := view{Node: node.Info().Node, Nodes: []nodeView{}, Zones: []zoneView{}, Moves: []moveView{}}
	if err != nil {
		v.Error = err.Error()
	}
	for _, name := range node.Nodes() {
		if len(v.Nodes) == mostNodes {
			v.Cut = true
			break
		}
		v.Nodes = append(v.Nodes, nodeOf(name, replies))
	}
	played := map[string]cluster.Played{} // by zone; if two nodes report a zone, the higher epoch is newer
	for k := range replies {
		for _, p := range replies[k].Zones {
			if p.Epoch >= played[p.Zone].Epoch {
				played[p.Zone] = p
			}
		}
	}
	for _, z := range node.Zones() {
		if len(v.Zones) == mostZones {
			v.Cut = true
			break
		}
		v.Zones = append(v.Zones, zoneOf(z, played))
	}
	moves := node.Moves()
	for _, m := range slices.Backward(moves[max(0, len(moves)-mostMoves):]) {
		v.Moves = append(v.Moves, moveView{m.At.UTC().Format(time.RFC3339Nano), m.Zone, m.From, m.To, strconv.FormatUint(m.Epoch, 10)})
	}
	return v
}

func nodeOf(name string, replies []cluster.NodeInfo) nodeView {
	v := nodeView{Name: name, Silent: true}
	for k := range replies {
		if i := &replies[k]; i.Node == name {
			number := func(n uint64) string { return strconv.FormatUint(n, 10) }
			v.Silent, v.Zones = false, i.Stats.Zones
			v.Commands, v.Drained, v.Fenced = number(i.Stats.Commands), number(i.Stats.Drained), number(i.Stats.Fenced)
			v.Stopped, v.Missed = number(i.Stats.Stopped), number(i.Stats.Missed)
			v.GivenUp, v.Lost, v.Closed, v.Denied = number(i.Stats.GivenUp), number(i.Stats.Lost), i.Stats.Closed, i.Stats.Denied
			for _, z := range i.Zones {
				v.Owners += z.Owners
				v.Waiting += z.Waiting
			}
		}
	}
	return v
}

func zoneOf(z cluster.ZoneInfo, played map[string]cluster.Played) zoneView {
	v := zoneView{
		Name: z.Zone, Node: z.Node, Epoch: strconv.FormatUint(z.Epoch, 10), Left: float64(z.Left) / 1e6, Load: finite(z.Load),
		Owners: -1, Wish: z.Wish, Quarantined: z.Quarantined,
	}
	if p, known := played[z.Zone]; known && p.Epoch == z.Epoch {
		v.Owners, v.Waiting, v.Page, v.Unsaved = p.Owners, p.Waiting, link(p.Page), float64(p.Unsaved)/1e6
	}
	return v
}

// link returns the address if it is an http or https URL, and otherwise "".
func link(address string) string {
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return address
}

// finite returns x, or 0 for NaN and infinities, which JSON cannot represent.
func finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}
