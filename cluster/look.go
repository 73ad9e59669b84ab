package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// NodeInfo is the state that a node reports.
type NodeInfo struct {
	Node  string
	Stats Stats
	// The zones that the node runs, sorted by name. There are at most 2,000, and no more than fit
	// into a NATS message.
	Zones []Played
}

// Played is the state of a zone as reported by its node.
type Played struct {
	Zone    string
	Epoch   uint64
	Owners  int           // number of owners after the last Tick
	Waiting int           // number of commands that wait for a Tick, or for a commit
	Left    time.Duration // time for which the zone may still run if its lease is not renewed
	Page    string        // see Zone.Page
	Unsaved time.Duration // how long commits have been failing; 0 if the last one was acknowledged
}

// Change records that the node that runs a zone has changed.
type Change struct {
	At       time.Time // time when this node learned of the change
	Zone     string
	From, To string // names of nodes; "" for none
	Epoch    uint64
}

// Limits of the reported state.
const (
	mostReported = 2000
	mostMoves    = 1000
)

// Look requests the state of all nodes over NATS. It returns the answers, sorted by name, when
// all live nodes have answered or ctx ends. A node that is disconnected from NATS is missing.
// Look returns the errors of NATS.
func (n *Node) Look(ctx context.Context) (all []NodeInfo, err error) {
	box := n.o.NATS.NewInbox()
	answers, err := n.o.NATS.SubscribeSync(box)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }() // the connection may be closed already
	if err := n.o.NATS.PublishRequest(n.o.Prefix+".look", box, nil); err != nil {
		return nil, err
	}
	for alive := len(n.Nodes()); len(all) < alive; {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			break // ctx ended, or there are no subscribers
		}
		var one NodeInfo
		if json.Unmarshal(m.Data, &one) == nil && !slices.ContainsFunc(all, func(x NodeInfo) bool { return x.Node == one.Node }) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b NodeInfo) int { return strings.Compare(a.Node, b.Node) })
	return all, nil
}

// answerLook answers a request of Look.
func (n *Node) answerLook(m *nats.Msg) {
	if m.Reply == "" {
		return
	}
	i := n.Info()
	b, err := json.Marshal(i)
	for most := n.mostPayload(); err == nil && len(b) > most && len(i.Zones) > 0; b, err = json.Marshal(i) {
		i.Zones = i.Zones[:min(len(i.Zones)-1, len(i.Zones)*most/len(b))] // as many as fit into a message
	}
	if err == nil {
		_ = n.publish("", 0, m.Reply, b) // errors are counted and logged
	}
}

// Info returns the state of this node.
func (n *Node) Info() NodeInfo {
	i := NodeInfo{Node: n.o.Node, Stats: n.Stats()}
	now := n.clock()
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, h := range n.hosts {
		i.Zones = append(i.Zones, Played{
			Zone: name, Epoch: h.epoch, Owners: int(h.owners.Load()), Waiting: int(h.waiting.Load()),
			Left: max(0, time.Duration(h.until.Load())-now), Page: text(h.page.Load()), Unsaved: h.unsavedFor(now),
		})
	}
	slices.SortFunc(i.Zones, func(a, b Played) int { return strings.Compare(a.Zone, b.Zone) })
	i.Zones = i.Zones[:min(len(i.Zones), mostReported)]
	return i
}

// Moves returns the last 1,000 moves of zones between nodes since this node joined, oldest first.
func (n *Node) Moves() []Change {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.moves)
}

// see records a view, and adds the changes since n.view to n.moves. It ignores a view that is older
// than n.view. Requires n.mu.
func (n *Node) see(v policy.View, seq uint64, at time.Time) {
	if seq < n.viewSeq {
		return
	}
	if n.viewSeq > 0 {
		n.compare(v, at)
	}
	n.view, n.viewSeq, n.seen = v, seq, n.clock()
}

func (n *Node) compare(v policy.View, at time.Time) {
	for k := range v.Zones {
		z := &v.Zones[k]
		i, known := slices.BinarySearchFunc(n.view.Zones, z.Name, func(x policy.ZoneView, name string) int { return cmp.Compare(x.Name, name) })
		c := Change{At: at, Zone: z.Name, To: z.Node, Epoch: z.Epoch}
		if known {
			c.From = n.view.Zones[i].Node
		}
		if c.From != c.To || known && n.view.Zones[i].Epoch != c.Epoch {
			n.moves = append(n.moves, c)
		}
	}
	if extra := len(n.moves) - mostMoves; extra > 0 {
		n.moves = slices.Delete(n.moves, 0, extra)
	}
}
