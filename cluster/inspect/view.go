package inspect

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/cluster"
)

// view is what the page shows. Numbers that may be beyond 2^53 are strings.
type view struct {
	Node  string     `json:"node"` // that shows it
	Nodes []nodeView `json:"nodes"`
	Zones []zoneView `json:"zones"`
	Moves []moveView `json:"moves"` // the last first
	Cut   bool       `json:"cut"`   // there are more
	Error string     `json:"error,omitempty"`
}

type nodeView struct {
	Name     string `json:"name"`
	Silent   bool   `json:"silent"` // it has not answered over NATS
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
	Closed   bool   `json:"closed,omitempty"` // its connection to NATS is
	Denied   bool   `json:"denied,omitempty"` // NATS lets it hear no commands
}

type zoneView struct {
	Name        string  `json:"name"`
	Node        string  `json:"node"`
	Epoch       string  `json:"epoch"`
	Left        float64 `json:"left"` // ms of its lease
	Load        float64 `json:"load"`
	Owners      int     `json:"owners"` // -1: nobody has said
	Waiting     int     `json:"waiting"`
	Unsaved     float64 `json:"unsaved,omitempty"` // ms since when no commit was acknowledged
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

func viewOf(node Node, said []cluster.NodeInfo, err error) view {
	v := view{Node: node.Info().Node, Nodes: []nodeView{}, Zones: []zoneView{}, Moves: []moveView{}}
	if err != nil {
		v.Error = err.Error()
	}
	for _, name := range node.Nodes() {
		if len(v.Nodes) == mostNodes {
			v.Cut = true
			break
		}
		v.Nodes = append(v.Nodes, nodeOf(name, said))
	}
	played := map[string]cluster.Played{} // where two say that they play a zone, the higher epoch is right
	for k := range said {
		for _, p := range said[k].Zones {
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

func nodeOf(name string, said []cluster.NodeInfo) nodeView {
	v := nodeView{Name: name, Silent: true}
	for k := range said {
		if i := &said[k]; i.Node == name {
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

// link returns an address that a browser may be sent to, or nothing.
func link(address string) string {
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return address
}

// finite returns 0 for what JSON has no number for.
func finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}
