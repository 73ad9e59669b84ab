package sim

import (
	"slices"
	"time"
)

// faults injects one fault after another until w.calm is set.
func (w *world) faults() {
	if w.calm {
		return
	}
	w.fault()
	w.after(w.between(100*time.Millisecond, 2*time.Second), w.faults)
}

// fault is a failure or an action of an operator.
type fault struct {
	name   string
	inject func(*world, *node) bool // injects the fault; returns false if the fault is not possible now
}

func allFaults() []fault {
	return []fault{
		{"crash", (*world).crash},
		{"pause", (*world).pause},
		{"node cut from the database", func(w *world, n *node) bool {
			w.net.noDB[n.id] = w.now + w.between(200*time.Millisecond, 6*time.Second)
			return true
		}},
		{"node cut from NATS", func(w *world, n *node) bool {
			w.net.noNATS[n.id] = w.now + w.between(200*time.Millisecond, 6*time.Second)
			return true
		}},
		{"node cut from NATS for long", func(w *world, n *node) bool {
			w.net.noNATS[n.id] = w.now + w.between(6*time.Second, 15*time.Second)
			return true
		}},
		{"client cut from NATS", func(w *world, _ *node) bool {
			w.net.noCli[w.dice.IntN(len(w.clients))] = w.now + w.between(200*time.Millisecond, 4*time.Second)
			return true
		}},
		{"database gone", func(w *world, _ *node) bool {
			if !w.chance(0.2) {
				return false
			}
			for _, n := range w.nodes {
				w.net.noDB[n.id] = w.now + 4*time.Second
			}
			return true
		}},
		{"standby takes over", (*world).standby},
		{"backup restored", (*world).restore},
		{"cuts lost", (*world).loseCuts},
		{"read-only database", (*world).makeReadOnly},
		{"connection to NATS closed", (*world).closeNATS},
		{"deploy", (*world).deploy},
		{"join", (*world).join},
		{"two with one name", (*world).twin},
		{"move of a zone", (*world).move},
	}
}

// fault injects a random fault into a random node.
func (w *world) fault() {
	all := allFaults()
	f := all[w.dice.IntN(len(all))]
	if w.often != "" && w.chance(0.5) {
		f = all[slices.IndexFunc(all, func(f fault) bool { return f.name == w.often })]
	}
	n := w.nodes[w.dice.IntN(len(w.nodes))]
	if f.inject(w, n) {
		w.logf("fault: %s (%s)", f.name, n.name)
		w.count("fault: " + f.name)
	}
}

func (w *world) crash(n *node) bool {
	if !n.up {
		return false
	}
	n.crash()
	w.restart(n)
	return true
}

func (w *world) restart(n *node) {
	w.after(w.between(100*time.Millisecond, 4*time.Second), func() {
		if !n.up {
			n.start()
		}
	})
}

// pause stops a process for a while, like SIGSTOP. The process itself does not notice the pause.
func (w *world) pause(n *node) bool {
	if !n.up || n.paused > w.now {
		return false
	}
	n.pause(w.between(500*time.Millisecond, 12*time.Second))
	return true
}

// deploy drains a node, and restarts it when it is empty or after 15 s.
func (w *world) deploy(n *node) bool {
	if !n.up || n.paused > w.now {
		return false
	}
	n.leaves = true
	n.policy.Leave(n.clock())
	n.act()
	life, since := n.life, w.now
	var look func()
	look = func() {
		switch {
		case n.life != life || !n.up:
		case n.policy.Gone() || w.now-since > 15*time.Second:
			if n.policy.Gone() {
				w.count("drained nodes")
			}
			n.crash()
			w.restart(n)
		default:
			w.after(frameTime, look)
		}
	}
	look()
	return true
}

// join adds a node if there are fewer than six.
func (w *world) join(*node) bool {
	if len(w.nodes) >= 6 || w.alone {
		return false
	}
	w.addNode().start()
	return true
}

// twin starts a process with the name of a live node. The database must not accept the process.
func (w *world) twin(n *node) bool {
	if !n.up || n.paused > w.now || w.db.nodes[n.name] == nil || w.db.nodes[n.name].until <= w.now {
		return false
	}
	v := w.db.beat(n.name, -1, nil, false)
	if !v.NameTaken {
		w.violated("two nodes are called %s", n.name)
	}
	return true
}

// move moves a zone to another node, as an operator would.
func (w *world) move(n *node) bool {
	if !n.up {
		return false
	}
	w.db.wish(w.zone(), n.name)
	return true
}

func (w *world) zone() string { return w.names()[w.dice.IntN(len(w.names()))] }

// travel moves random players between zones repeatedly.
func (w *world) travel() {
	if !w.calm {
		w.transfer()
		w.after(w.between(100*time.Millisecond, 800*time.Millisecond), w.travel)
	}
}

func (w *world) transfer() {
	player := w.dice.IntN(len(w.db.owners))
	from, to := w.db.owners[player].zone, w.zone()
	for _, n := range w.nodes {
		if h := n.hosts[from]; h != nil && n.up && n.paused <= w.now && from != to && h.playable() && h.game.has(player) {
			h.transfer(player, to)
			return
		}
	}
}

// names returns the names of all zones except badZone, sorted.
func (w *world) names() (all []string) {
	for name := range w.db.zones {
		if name != badZone {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// heal ends all faults.
func (w *world) heal() {
	w.calm = true
	w.logf("no more faults")
	clear(w.net.noDB)
	clear(w.net.noNATS)
	clear(w.net.noCli)
	w.db.readOnly = 0
	for _, n := range w.nodes {
		if n.closed {
			w.net.noNATS[n.id] = forever
		}
	}
	for _, n := range w.nodes {
		if n.up && n.paused > w.now {
			n.paused = w.now
			held := n.held
			n.held = nil
			life := n.life
			for _, do := range held {
				n.deliver(life, do)
			}
		}
	}
}

const forever = time.Duration(1) << 60

// away disconnects all nodes from the database for the duration d.
func (w *world) away(d time.Duration) {
	for _, n := range w.nodes {
		w.net.noDB[n.id] = max(w.net.noDB[n.id], w.now+d)
	}
}

// standby lets a standby take over. Its replication stops now, and the primary continues for up
// to 1.5 s, so the last commits are lost.
func (w *world) standby(*node) bool {
	if !w.chance(0.4) {
		return false
	}
	c := w.db.copy()
	w.after(w.between(0, 1500*time.Millisecond), func() {
		if !w.calm && w.db.connections == c.connections {
			w.logf("a standby takes over")
			w.count("standbys that have taken over")
			w.db.goBack(c)
			w.db.timeline++
			w.away(w.between(50*time.Millisecond, 3*time.Second))
		}
	})
	c.connections = w.db.connections
	return true
}

// restore kills all nodes and restores an earlier copy of the database. Clients continue.
func (w *world) restore(*node) bool {
	if !w.chance(0.3) {
		return false
	}
	c := w.db.copy()
	c.connections = w.db.connections
	w.after(w.between(time.Second, 5*time.Second), func() {
		if w.calm || w.db.connections != c.connections {
			return
		}
		w.logf("a backup is restored")
		w.count("restored backups")
		for _, n := range w.nodes {
			if n.up {
				n.crash()
				w.restart(n)
			}
		}
		w.db.goBack(c)
		for _, z := range w.db.zones {
			z.node, z.until = "", 0
		}
		clear(w.db.nodes)
		clear(w.running)
	})
	return true
}

// loseCuts makes the database lose the last commits of all zones. Leases are not lost.
func (w *world) loseCuts(*node) bool {
	if !w.chance(0.3) {
		return false
	}
	c := w.db.copy()
	c.connections = w.db.connections
	w.after(w.between(0, time.Second), func() {
		if !w.calm && w.db.connections == c.connections {
			w.logf("cuts are lost")
			w.count("lost cuts")
			w.db.loseCuts(c)
		}
	})
	return true
}

// makeReadOnly closes all sessions and makes new sessions read-only for a while.
func (w *world) makeReadOnly(*node) bool {
	if w.db.readOnly > w.now {
		return false
	}
	w.db.readOnly = w.now + w.between(200*time.Millisecond, 4*time.Second)
	for _, n := range w.nodes {
		n.sessions = [3]session{}
	}
	return true
}

// closeNATS closes the connection of a node to NATS for good. The node restarts when it has
// released its zones, or after 15 s.
func (w *world) closeNATS(n *node) bool {
	if !n.up || n.closed || n.paused > w.now {
		return false
	}
	n.closed, n.closedAt = true, w.now
	w.net.noNATS[n.id] = forever
	life, since := n.life, w.now
	var look func()
	look = func() {
		switch {
		case n.life != life || !n.up:
			w.net.noNATS[n.id] = 0
		case n.policy.Gone() || w.now-since > 15*time.Second && !w.off.closed:
			n.crash()
			w.net.noNATS[n.id] = 0
			w.restart(n)
		default:
			w.after(frameTime, look)
		}
	}
	look()
	return true
}
