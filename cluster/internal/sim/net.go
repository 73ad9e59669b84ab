package sim

import "time"

// net is the network. Messages of NATS go over its server and may be lost, doubled, delayed, and come in
// another order. What goes to the database goes over a connection: nothing is doubled there, but an
// answer may be lost, and what was sent may come very late, when nobody waits for it any more.
type net struct {
	w      *world
	noDB   map[int]time.Duration // by node: cut off from the database until then
	noNATS map[int]time.Duration // by node
	noCli  map[int]time.Duration // by client

	loss, dup, slow float64 // of a message of NATS
	answerLost      float64
	slowOp          float64
	last            map[[2]int]time.Duration // when the last message on a way came, to count reordering
	unheard         map[[2]int]time.Duration // since when a node hears no command, and another one would
}

func (n *net) delay() time.Duration {
	d := n.w.between(200*time.Microsecond, 2*time.Millisecond)
	if !n.w.calm && n.w.chance(n.slow) {
		n.w.count("delayed messages")
		d += n.w.between(10*time.Millisecond, 3*time.Second)
	}
	return d
}

// carry brings a message from a client to a node (or back) over NATS: once, twice or not at all.
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

// ask has something done in the database and brings the answer back to the node. failed is called if
// the connection is cut, or no answer comes in time; then it may have been done, or not, or be done later.
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
			return // for ever
		}
		at += cut - w.now // TCP sends it again
	}
	w.at(at, func() {
		if w.db.connections != connection {
			w.count("connections broken by a database that goes back")
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
				w.at(back, func() { end(failed) }) // the connection breaks; otherwise nobody notices
			}
			return
		}
		w.at(back, func() { end(answer) })
	})
}

// timeout is how long a node waits for the database.
const timeout = 2 * time.Second

// longUnheard is how long a node may keep zones that no command reaches, where another would hear: some 3 s, if the
// database answers at once.
const longUnheard = 8 * time.Second

// longClosed is how long a node may keep zones whose connection is closed: a drain may take 10 s.
const longClosed = 12 * time.Second

// listen looks, again and again, for a node that is cut off from NATS, and another that is well, for long.
func (n *net) listen() {
	w := n.w
	for _, x := range w.nodes {
		for zone, h := range x.hosts {
			if since := w.now - max(x.closedAt, h.began); x.up && x.closed && x.paused <= w.now && h.playable() && since > longClosed {
				w.violated("%s plays %s, and its connection to NATS has been closed for %v", x.name, zone, since)
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
					w.violated("%s plays %s, no command reaches it, and %s would hear", deaf.name, zone, hears.name)
					return
				}
			}
		}
	}
	w.after(frameTime, n.listen)
}

// writes are the requests that a server refuses which only reads.
var writes = map[string]bool{"slow beats": true, "slow claims": true, "slow commits": true, "slow releases": true}

// session reports whether the session that a request of a node has got may write. One that only reads is closed, so that
// the next request opens another.
func (n *node) session() bool {
	w := n.w
	k := w.dice.IntN(len(n.sessions))
	s := &n.sessions[k]
	if !s.open {
		*s = session{open: true, reads: w.db.readOnly > w.now}
		if s.reads {
			w.count("sessions opened while the database only read")
		}
	}
	if s.reads {
		w.count("writes refused by a session that only reads")
		s.open = w.off.session
		return false
	}
	return true
}

// session is a connection of a node's pool to the database.
type session struct{ open, reads bool }

// show brings a packet to a screen: in order, or not at all.
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
