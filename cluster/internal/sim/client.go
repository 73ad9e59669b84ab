package sim

import (
	"encoding/binary"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// client uses a policy.Sender to send commands for players.
type client struct {
	w      *world
	id     int
	sender *policy.Sender
	left   int // number of commands that the client will still send
	next   uint64
	waking bool
	// by zone: value of world.backs at the last loss of which the client was notified
	known map[string]int
}

func (c *client) start() { c.w.after(c.w.between(0, 500*time.Millisecond), c.play) }

// play sends one command for a random player, usually to the zone where the player is according to
// the database.
func (c *client) play() {
	if c.left == 0 {
		return
	}
	w := c.w
	c.left--
	c.next++
	var id policy.ID
	id[0] = byte(c.id)
	binary.BigEndian.PutUint64(id[8:], c.next<<1)
	player, zone := w.dice.IntN(len(w.db.owners)), w.zone()
	switch {
	case w.chance(0.02):
		player = unknownPlayer
	case w.chance(0.8): // otherwise the zone is random and may be wrong
		zone = w.db.owners[player].zone
	}
	m := policy.Message{ID: id, Zone: zone, Sure: w.chance(0.7), Body: []byte{byte(player)}}
	w.book[id] = &entry{player: player, sent: w.now, sure: m.Sure}
	if !c.sender.Send(w.now, m) {
		w.violated("client %d: the sender is full", c.id)
	}
	c.flush()
	w.after(w.between(20*time.Millisecond, 400*time.Millisecond), c.play)
}

// flush sends messages, records outcomes and losses, and schedules the next wake-up.
func (c *client) flush() {
	w := c.w
	out, done := c.sender.Take()
	for _, m := range out {
		c.send(m)
	}
	for _, x := range c.sender.Lost() {
		w.count("clients notified of a loss")
		if w.backs == 0 {
			w.violated("client %d is notified of a loss of %s, and there was none", c.id, x.Zone)
		}
		c.known[x.Zone] = max(c.known[x.Zone], w.loaded[lease{x.Zone, x.Epoch}])
		for _, s := range w.screens {
			if s.client == c.id && s.zone == x.Zone {
				s.watch.Turn(x.Epoch)
			}
		}
	}
	for _, o := range done {
		e := w.book[o.ID]
		e.answered, e.code, e.known = w.now, o.Reply.Code, c.known[o.Reply.Zone]
		if o.ID != o.Reply.ID {
			w.count("redirected commands")
		}
		e.place = int(o.Reply.Body[0]) | int(o.Reply.Body[1])<<8
		w.count("answers: " + e.code.String())
		if o.Tries > 1 {
			w.count("retried commands")
		}
		w.logf("client %d: %x is %v after %d tries", c.id, o.ID[:], e.code, o.Tries)
	}
	if at, ok := c.sender.Next(); ok && !c.waking {
		c.waking = true
		w.at(at, func() {
			c.waking = false
			c.sender.Wake(w.now)
			c.flush()
		})
	}
}

// send publishes a command to the zone's host with the message's epoch, or a hello to every host of
// the zone. If there is no subscriber, NATS reports that at once.
func (c *client) send(m policy.Message) {
	w := c.w
	responders := false
	for _, n := range w.nodes {
		h := n.hosts[m.Zone]
		if !n.up || h == nil || !h.ready || m.Epoch != 0 && h.epoch != m.Epoch || w.net.noNATS[n.id] > w.now {
			continue
		}
		responders = true
		life := n.life
		w.net.carry(c.id, n.id, func() {
			n.deliver(life, func() {
				if n.hosts[m.Zone] != h {
					return
				}
				h.hear(m, func(r policy.Reply) { w.net.carry(c.id, n.id, func() { c.heard(r) }) })
			})
		})
	}
	if !responders && w.net.noCli[c.id] <= w.now {
		w.count("messages without responders")
		w.after(w.net.delay(), func() {
			c.sender.NoResponders(w.now, m)
			c.flush()
		})
	}
}

func (c *client) heard(r policy.Reply) {
	c.sender.Heard(c.w.now, r)
	c.flush()
}
