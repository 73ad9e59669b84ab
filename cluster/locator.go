package cluster

import (
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store"
)

// locator queries the database, on a goroutine of the node, for the zones in which owners are,
// and for owners in transit to the zones of the node.
type locator struct {
	n    *Node
	wake chan struct{}

	mu    sync.Mutex
	asked []question
	looks bool // the goroutine must also query the database for arrivals
}

// question is a command for an owner that is not in the zone that received it.
type question struct {
	h     *host
	owner buff.OwnerID
	e     envelope
}

// lookEvery is the interval between regular queries for arrivals. They find arrivals whose
// notifications were lost.
const lookEvery = time.Second

// ask queues a command. When the goroutine has found the location of the owner, it returns the
// command to the zone that queued it. ask returns false if too many commands are queued.
func (g *locator) ask(q question) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.asked) >= g.n.o.Waiting {
		return false
	}
	g.asked = append(g.asked, q)
	g.rouse()
	return true
}

// look requests an immediate query for arrivals.
func (g *locator) look() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.looks = true
	g.rouse()
}

func (g *locator) rouse() {
	select {
	case g.wake <- struct{}{}:
	default: // already signalled
	}
}

func (g *locator) run() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		looks := false
		select {
		case <-g.n.ctx.Done():
			return
		case <-ticker.C:
			looks = true
		case <-g.wake:
		}
		g.mu.Lock()
		asked := g.asked
		looks = looks || g.looks
		g.asked, g.looks = nil, false
		g.mu.Unlock()
		if len(asked) > 0 {
			g.find(asked)
		}
		if looks {
			g.arrivals()
		}
	}
}

// find looks up the owners of commands, and returns the commands to the zones that queued them. On
// error, find drops the commands, and their senders retry.
func (g *locator) find(asked []question) {
	owners := make([]buff.OwnerID, len(asked))
	for k := range asked {
		owners[k] = asked[k].owner
	}
	ctx, cancel := g.n.within()
	defer cancel()
	places, err := g.n.store.Where(ctx, owners)
	if err != nil {
		return
	}
	at, comes := make(map[buff.OwnerID]policy.Place, len(places)), false
	for _, p := range places {
		at[p.Owner] = policy.Place{Zone: p.Zone, Arriving: p.Arriving}
		comes = comes || p.Arriving
	}
	if comes {
		g.arrivals() // so that the zones admit these owners before they get the commands
	}
	for _, q := range asked {
		place := at[q.owner]
		q.e.at = &place
		if ok, open := q.h.in.put(q.e); !ok && !open {
			q.h.gone(q.e)
		}
	}
}

// arrivals queries the database for owners in transit to the zones of the node. It omits zones that
// have not yet processed the result of their previous query.
func (g *locator) arrivals() {
	zones, hosts := []string{}, map[string]*host{}
	g.n.mu.Lock()
	for name, h := range g.n.hosts {
		if h.plays.Load() && !h.polled.Load() {
			zones, hosts[name] = append(zones, name), h
		}
	}
	g.n.mu.Unlock()
	if len(zones) == 0 {
		return
	}
	ctx, cancel := g.n.within()
	defer cancel()
	list, err := g.n.store.Arrivals(ctx, zones)
	if err != nil {
		return // the query is repeated within a second
	}
	by := map[string][]store.Arrival{}
	for _, a := range list {
		by[a.Zone] = append(by[a.Zone], a)
	}
	for name, h := range hosts {
		h.polled.Store(true)
		h.coming <- by[name] // does not block: the previous result was taken
	}
}
