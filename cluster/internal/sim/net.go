package sim

import "time"

// net is the network. NATS messages may be lost, duplicated, delayed and reordered. Requests to
// the database use connections, so they are not duplicated. However, a reply may be lost, and a
// request may be executed long after its sender has given up.
type net struct {
	w      *world
	noDB   map[int]time.Duration // by node: time until which the node is cut off from the database
	noNATS map[int]time.Duration // by node: time until which the node is cut off from NATS
	noCli  map[int]time.Duration // by client: time until which the client is cut off from NATS

	loss, dup, slow float64 // probabilities that a NATS message is lost, duplicated and delayed
	answerLost      float64
	slowOp          float64
	last            map[[2]int]time.Duration // by client and node: latest arrival of a message between them
	// by a pair of nodes: time since which only the first node is disconnected from NATS
	unheard map[[2]int]time.Duration
}

func (n *net) delay() time.Duration {
	d := n.w.between(200*time.Microsecond, 2*time.Millisecond)
	if !n.w.calm && n.w.chance(n.slow) {
		n.w.count("delayed messages")
		d += n.w.between(10*time.Millisecond, 3*time.Second)
	}
	return d
}

// carry delivers a message between a client and a node over NATS: once, twice or not at all.
func (n *net) carry(client, node int, deliver func()) {
	w := n.w
	if n.noCli[client] > w.now {
		w.count("messages cut off: client")
		return
	}
	if n.noNATS[node] > w.now {
		w.count("messages cut off: node")
		return
	}
	copies := 1
	switch {
	case w.calm:
	case w.chance(n.loss):
		w.count("lost messages")
		copies = 0
	case w.chance(n.dup):
		w.count("doubled messages")
		copies = 2
	}
	for range copies {
		at := w.now + n.delay()
		key := [2]int{client, node}
		if at < n.last[key] {
			w.count("reordered messages")
		}
		n.last[key] = max(n.last[key], at)
		w.at(at, deliver)
	}
}

// ask executes a request in the database and delivers the reply to the node. It calls failed()
// instead if the connection breaks or no reply arrives in time. In that case, it is unknown whether
// the request was executed, and it may still be executed later.
func (n *net) ask(from *node, slowKind string, do func(), answer, failed func()) {
	w := n.w
	life, connection := from.life, w.db.connections
	over := false
	end := func(f func()) {
		if !over {
			over = true
			from.deliver(life, f)
		}
	}
	w.after(timeout, func() { end(failed) })
	at := w.now + w.between(200*time.Microsecond, time.Millisecond)
	if !w.calm && slowKind != "" && w.chance(n.slowOp) {
		w.count(slowKind)
		at += w.between(100*time.Millisecond, 6*time.Second)
	}
	if cut := n.noDB[from.id]; cut > w.now {
		w.count("requests cut off from the database")
		if w.chance(0.5) {
			return // the request is lost; failed is called after the timeout
		}
		at += cut - w.now // TCP retransmits the request when the connection works again
	}
	w.at(at, func() {
		if w.db.connections != connection {
			w.count("connections broken by a loss")
			end(failed)
			return
		}
		if writes[slowKind] && !from.session() {
			end(failed)
			return
		}
		do()
		back := w.now + w.between(200*time.Microsecond, time.Millisecond)
		if cut := n.noDB[from.id]; cut > w.now {
			w.count("answers cut off from the database")
			if w.chance(0.5) {
				return
			}
			back += cut - w.now
		} else if !w.calm && w.chance(n.answerLost) {
			w.count("lost answers of the database")
			if w.chance(0.5) {
				// the connection breaks; otherwise the request times out
				w.at(back, func() { end(failed) })
			}
			return
		}
		w.at(back, func() { end(answer) })
	})
}

// timeout is the maximum time that a node waits for the database.
const timeout = 2 * time.Second

// longUnheard is the maximum time that a node cut off from NATS may keep its zones while another
// node is connected. A node gives up its zones within about 3 s if the database replies at once.
const longUnheard = 8 * time.Second

// longClosed is the maximum time that a node may keep its zones after its connection was closed. A
// node may take 10 s to drain.
const longClosed = 12 * time.Second

// listen checks repeatedly that no node without NATS keeps its zones for too long.
func (n *net) listen() {
	w := n.w
	for _, x := range w.nodes {
		for zone, h := range x.hosts {
			if since := w.now - max(x.closedAt, h.began); x.up && x.closed && x.paused <= w.now && h.playable() && since > longClosed {
				w.violated("%s runs %s, but its connection to NATS has been closed for %v", x.name, zone, since)
				return
			}
		}
	}
	well := func(x *node) bool { return x.up && x.paused <= w.now && n.noDB[x.id] <= w.now && !x.leaves }
	for _, deaf := range w.nodes {
		for _, hears := range w.nodes {
			key := [2]int{deaf.id, hears.id}
			if !well(deaf) || !well(hears) || n.noNATS[deaf.id] <= w.now || n.noNATS[hears.id] > w.now {
				delete(n.unheard, key)
				continue
			}
			since, known := n.unheard[key]
			if !known {
				n.unheard[key] = w.now
				continue
			}
			for zone, h := range deaf.hosts {
				if h.playable() && w.now-max(since, h.began) > longUnheard {
					w.violated("%s runs %s, but no command reaches it, and %s is connected", deaf.name, zone, hears.name)
					return
				}
			}
		}
	}
	w.after(frameTime, n.listen)
}

// writes are the requests that a read-only server refuses.
var writes = map[string]bool{"slow beats": true, "slow claims": true, "slow commits": true, "slow releases": true}

// session chooses a random session of the node's pool for a request that writes, and reports
// whether the session may write. A read-only session is closed, so that its next use opens a new
// session.
func (n *node) session() bool {
	w := n.w
	k := w.dice.IntN(len(n.sessions))
	s := &n.sessions[k]
	if !s.open {
		*s = session{open: true, reads: w.db.readOnly > w.now}
		if s.reads {
			w.count("sessions opened while the database was read-only")
		}
	}
	if s.reads {
		w.count("writes refused by a read-only session")
		s.open = w.off.session
		return false
	}
	return true
}

// session is a connection of a node's pool to the database.
type session struct{ open, reads bool }

// show delivers a packet to a screen. Packets are not reordered, but may be lost.
func (n *net) show(s *screen, node int, what string, deliver func()) {
	w := n.w
	switch {
	case n.noCli[s.client] > w.now:
		w.count("packets cut off: screen")
		return
	case n.noNATS[node] > w.now:
		w.count("packets cut off: node")
		return
	case !w.calm && w.chance(n.loss):
		w.count("lost " + what)
		return
	}
	s.last = max(s.last, w.now+n.delay())
	w.at(s.last, deliver)
}
