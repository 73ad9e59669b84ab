package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// node is a process that runs a policy.Node and its zones.
type node struct {
	w      *world
	id     int
	name   string
	life   int // number of the current process; messages to an earlier process are dropped
	up     bool
	paused time.Duration // time when a pause of the process ends
	held   []func()      // events that happened during the pause, to be delivered when it ends
	offset time.Duration // offset of the node's clock
	rate   float64

	policy   *policy.Node
	hosts    map[string]*host
	pingAt   time.Duration // time of the next ping
	leaves   bool          // the node is releasing all its zones
	closed   bool          // the connection of the node to NATS is closed for good
	closedAt time.Duration

	sessions [3]session
}

// clock returns the node's time, which has an offset and a slightly different rate.
func (n *node) clock() time.Duration {
	return n.offset + time.Duration(float64(n.w.now)*n.rate)
}

func (n *node) start() {
	n.life++
	n.up, n.paused, n.held, n.leaves, n.closed = true, 0, nil, false, false
	n.hosts, n.sessions = map[string]*host{}, [3]session{}
	c := policy.Defaults(n.name)
	if c.NoStop = n.w.off.earlyStop; n.w.off.deaf {
		c.Deaf = 0
	}
	n.policy = policy.NewNode(c, n.clock())
	n.w.logf("%s: process %d starts", n.name, n.life)
	n.loop(n.life)
}

// incarnation returns a number that distinguishes processes with the same name.
func (n *node) incarnation() int { return n.id<<16 | n.life }

// loop runs a frame and wakes the policy every 50 ms.
func (n *node) loop(life int) {
	n.deliver(life, func() {
		n.ping()
		n.wake()
		for _, name := range slices.Sorted(maps.Keys(n.hosts)) {
			if h := n.hosts[name]; h != nil {
				h.tick()
			}
		}
		n.act()
		n.w.after(frameTime, func() { n.loop(life) })
	})
}

// ping sends a request to the NATS server from time to time. The reply tells the policy that the
// node is connected.
func (n *node) ping() {
	w := n.w
	if w.now < n.pingAt {
		return
	}
	n.pingAt = w.now + 250*time.Millisecond
	if n.closed && !w.off.closed && !n.leaves {
		w.count("nodes that leave because their connection is closed")
		n.leaves = true
		n.policy.Leave(n.clock())
	}
	life, asked := n.life, n.clock()
	if w.net.noNATS[n.id] <= w.now {
		w.after(w.net.delay(), func() {
			if w.net.noNATS[n.id] <= w.now {
				n.deliver(life, func() { n.policy.Heard(asked) })
			}
		})
	}
}

func (n *node) wake() {
	n.policy.Wake(n.clock())
	n.act()
}

// deliver calls do() if the process with the number "life" still runs. If the process is paused,
// deliver calls do() after the pause.
func (n *node) deliver(life int, do func()) {
	switch {
	case n.life != life || !n.up:
	case n.paused > n.w.now:
		n.held = append(n.held, do)
	default:
		do()
	}
}

func (n *node) pause(d time.Duration) {
	life := n.life
	n.paused = n.w.now + d
	n.w.logf("%s: stopped for %v", n.name, d)
	n.w.at(n.paused, func() {
		if n.life != life || !n.up || n.paused > n.w.now {
			return
		}
		n.w.logf("%s: continues", n.name)
		held := n.held
		n.held = nil
		for _, do := range held {
			n.deliver(life, do)
		}
	})
}

func (n *node) crash() {
	n.w.logf("%s: dies with %v", n.name, n.policy)
	n.up, n.closed = false, false
	for _, h := range n.hosts {
		h.end()
	}
	n.hosts = map[string]*host{}
}

// act executes the actions of the policy.
func (n *node) act() {
	for actions := n.policy.Take(); len(actions) > 0; actions = n.policy.Take() {
		for _, a := range actions {
			n.one(a)
		}
	}
}

func (n *node) one(a policy.Action) {
	w, db := n.w, n.w.db
	inc := n.incarnation()
	switch a.Verb {
	case policy.Beat:
		var v policy.View
		w.net.ask(n, "slow beats", func() { v = db.beat(n.name, inc, a.Leases, a.Leave) }, func() {
			n.policy.Beaten(n.clock(), a.Seq, v)
			n.act()
		}, func() {})
	case policy.Claim:
		var epoch uint64
		w.net.ask(n, "slow claims", func() { epoch = db.claim(n.name, inc, a.Zone) }, func() {
			n.policy.Claimed(n.clock(), a.Seq, a.Zone, epoch)
			n.act()
		}, func() {})
	case policy.Load:
		n.load(a)
	case policy.Extend:
		if h := n.hosts[a.Zone]; h != nil && h.epoch == a.Epoch {
			h.until = a.Until
		}
	case policy.Drain:
		if w.net.noNATS[n.id] > w.now {
			w.count("zones drained by a node cut off from NATS")
		}
		n.hosts[a.Zone].draining = true
	case policy.Stop:
		w.logf("%s: stops %s, epoch %d", n.name, a.Zone, a.Epoch)
		w.count("zones stopped")
		n.drop(a.Zone)
	case policy.Release:
		n.drop(a.Zone)
		w.net.ask(n, "slow releases", func() { db.release(n.name, inc, a.Zone, a.Epoch, a.To, a.Failed) }, func() {
			n.policy.Released(a.Seq, a.Zone)
			w.hint(a.Zone, a.To)
		}, func() {})
	case policy.Wish:
		w.count("balanced zones")
		w.net.ask(n, "", func() { db.wish(a.Zone, a.To) }, func() {}, func() {})
	}
}

func (n *node) drop(zone string) {
	if h := n.hosts[zone]; h != nil {
		h.end()
		delete(n.hosts, zone)
	}
}

// load reads a zone from the database and starts the zone.
func (n *node) load(a policy.Action) {
	h := &host{n: n, zone: a.Zone, epoch: a.Epoch, until: a.Until, life: n.w.dice.Uint64() | 1}
	n.hosts[a.Zone] = h
	var cut *dbZone
	var owners map[int]state
	n.w.net.ask(n, "slow loads", func() {
		cut, owners = n.w.db.read(a.Zone, a.Epoch)
		if l := (lease{a.Zone, a.Epoch}); cut != nil && n.w.loaded[l] == 0 {
			n.w.loaded[l] = n.w.backs
		}
	}, func() {
		if n.hosts[a.Zone] != h {
			return
		}
		err := h.begin(cut, owners)
		if err != nil {
			n.drop(a.Zone)
		}
		n.policy.Loaded(n.clock(), a.Zone, a.Epoch, err != nil)
		n.act()
	}, func() {
		if n.hosts[a.Zone] == h {
			n.drop(a.Zone)
			n.policy.Fenced(a.Zone, a.Epoch) // the zone itself has not failed, so let its lease expire
			n.act()
		}
	})
}

// hint notifies the nodes over NATS that a zone is free.
func (w *world) hint(zone, to string) {
	for _, n := range w.nodes {
		if w.net.noNATS[n.id] > w.now || !n.up {
			continue
		}
		life := n.life
		w.after(w.net.delay(), func() {
			n.deliver(life, func() {
				n.policy.Hint(n.clock(), zone, to)
				n.wake()
			})
		})
	}
}

func (n *node) String() string { return fmt.Sprintf("%s up=%v %v", n.name, n.up, n.policy) }
