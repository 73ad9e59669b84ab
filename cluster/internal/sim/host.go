package sim

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// host is one zone on one node.
type host struct {
	n        *node
	zone     string
	epoch    uint64
	life     uint64
	begun    uint64
	whole    bool          // the next commit contains the whole zone; set only if guards.lost is true
	until    time.Duration // time on the node's clock by which the zone must have stopped
	ready    bool
	ended    bool
	draining bool

	game    game
	done    map[policy.ID]bool // ids of executed commands in the window
	ids     []policy.ID        // the same ids, the oldest first
	window  policy.Window
	acks    *policy.Acks[func()]
	durable uint64 // number of commands on disk
	frame   uint64
	since   uint64 // number of the last frame on disk
	changed map[int]uint64
	fresh   []freshID // ids of commands executed since the last frame on disk
	busy    bool      // a commit is pending
	last    time.Duration
	began   time.Duration // time on the world's clock when the zone was loaded

	departures []departure
	polls      bool         // a poll for arriving players is pending
	seen       map[int]come // last admitted arrival of each player
	came       map[int]int  // players whose arrival is not on disk yet, with the number of the move
	pollAt     time.Duration
	asks       int // number of pending lookups of players
	// time since which commits are refused because a player is elsewhere; 0 if they are not
	// refused
	refused time.Duration
	shows   showing
}

type freshID struct {
	frame uint64
	id    policy.ID
}

// mostAcks is the maximum number of pending replies. It is small, so that a zone is busy at times.
const mostAcks = 8

// begin starts a zone from its last cut.
func (h *host) begin(cut *dbZone, owners map[int]state) error {
	if cut == nil {
		return errors.New("another node has claimed the zone")
	}
	if h.zone == badZone {
		h.n.w.count("panics at load")
		return errors.New("a panic, on every node")
	}
	w := h.n.w
	h.game = book{}
	if w.real {
		h.game = newEngineGame()
	}
	for _, id := range slices.Sorted(maps.Keys(owners)) {
		if err := h.game.enter(id, owners[id]); err != nil {
			w.violated("%s: player %d of %s cannot be restored: %v", h.n.name, id, h.zone, err)
		}
	}
	h.ids, h.done = slices.Clone(cut.ids[max(0, len(cut.ids)-w.window):]), map[policy.ID]bool{}
	for _, id := range h.ids {
		h.done[id] = true
	}
	h.window = policy.NewWindow(w.window, cut.total)
	h.acks = policy.NewAcks[func()](mostAcks)
	h.frame, h.since, h.durable, h.begun = cut.frame, cut.frame, cut.total, cut.total
	h.shows = showing{next: policy.Joins(h.life), of: map[int]*policy.Screen{}}
	h.changed, h.seen, h.came = map[int]uint64{}, map[int]come{}, map[int]int{}
	h.ready, h.began = true, w.now
	w.logf("%s: runs %s, epoch %d, from frame %d", h.n.name, h.zone, h.epoch, h.frame)
	return nil
}

func (h *host) end() {
	h.ended = true
	if p, ok := h.game.(*engineGame); ok {
		p.close()
	}
}

// playable reports whether the zone may run now, by the node's clock.
func (h *host) playable() bool {
	return h.ready && !h.ended && (h.n.clock() < h.until || h.n.w.off.earlyStop)
}

// tick runs a frame.
func (h *host) tick() {
	if !h.playable() {
		return
	}
	w := h.n.w
	last := w.running[h.zone]
	switch {
	case last.epoch > h.epoch:
		w.violated("%s runs %s at epoch %d, and epoch %d has begun", h.n.name, h.zone, h.epoch, last.epoch)
		return
	case last.epoch == h.epoch && last.life != h.life:
		w.violated("%s runs %s at epoch %d, which another load of the zone had", h.n.name, h.zone, h.epoch)
		return
	}
	w.running[h.zone] = run{h.epoch, h.life}
	h.frame++
	h.game.tick()
	h.show()
	switch {
	case h.busy:
	case h.draining && len(h.changed)+len(h.fresh)+len(h.departures) == 0:
		h.n.policy.Drained(h.n.clock(), h.zone, h.epoch)
	case h.draining || w.now-h.last >= 100*time.Millisecond:
		h.commit()
	}
	if w.now >= h.pollAt && !h.draining {
		h.poll()
	}
}

// commit sends the changes since the last frame on disk.
func (h *host) commit() {
	w := h.n.w
	b := &batch{zone: h.zone, epoch: h.epoch, since: h.since, frame: h.frame, owners: map[int]state{}, total: h.window.Total(), departures: slices.Clone(h.departures), arrived: maps.Clone(h.came)}
	for id := range h.changed {
		s, err := h.game.save(id)
		if err != nil {
			w.violated("%s: saving player %d: %v", h.n.name, id, err)
		}
		b.owners[id] = s
	}
	for _, f := range h.fresh {
		b.ids = append(b.ids, f.id)
	}
	if h.whole {
		b.whole, b.since = true, 0
		for _, id := range h.game.players() {
			b.owners[id], _ = h.game.save(id)
		}
		b.ids = slices.Clone(h.ids)
	}
	h.busy, h.last = true, w.now
	var a answer
	w.net.ask(h.n, "slow commits", func() { a = w.db.commit(b) }, func() { h.committed(b, a) }, func() {
		h.busy = false // the next commit includes these changes
	})
}

func (h *host) committed(b *batch, a answer) {
	if h.ended {
		return
	}
	h.busy = false
	switch a {
	case fenced:
		h.n.w.logf("%s: %s, epoch %d, is fenced", h.n.name, h.zone, h.epoch)
		h.n.policy.Fenced(h.zone, h.epoch)
		h.n.act()
		return
	case lost:
		w := h.n.w
		if w.backs == 0 {
			w.violated("%s: %s: an acknowledged cut is missing: %v", h.n.name, h.zone, w.db.zones[h.zone])
			return
		}
		if w.off.lost {
			h.whole = true
			return
		}
		w.count("zones loaded again after a lost cut")
		h.n.policy.Lost(h.n.clock(), h.zone, h.epoch)
		h.n.act()
		return
	case elsewhere, outOfOrder:
		w := h.n.w
		if w.backs == 0 || a == outOfOrder && !w.off.lost {
			w.violated("%s: %s: the only writer is refused: %d", h.n.name, h.zone, a)
			return
		}
		if h.refused == 0 {
			h.refused = w.now
		}
		if w.now-h.refused >= 2*w.ttl {
			w.count("zones that failed because a player is elsewhere")
			h.n.policy.Loaded(h.n.clock(), h.zone, h.epoch, true)
			h.n.act()
		}
		return
	}
	h.whole, h.refused = false, 0
	h.since, h.durable = b.frame, b.total
	for player, number := range b.arrived {
		if h.came[player] == number {
			delete(h.came, player)
		}
	}
	for id, frame := range h.changed {
		if frame <= b.frame {
			delete(h.changed, id)
		}
	}
	h.fresh = slices.DeleteFunc(h.fresh, func(f freshID) bool { return f.frame <= b.frame })
	h.departures = slices.DeleteFunc(h.departures, func(d departure) bool {
		if d.frame > b.frame {
			return false
		}
		h.n.w.arrived(d.to)
		return true
	})
	h.acks.Committed(b.frame, func(reply func()) { reply() })
}

// hear processes a message from a client.
func (h *host) hear(m policy.Message, reply func(policy.Reply)) { h.hearAt(m, nil, reply) }

// hearAt processes a message; at is the place of the player in the database, or nil if unknown.
func (h *host) hearAt(m policy.Message, at *policy.Place, reply func(policy.Reply)) {
	if !h.playable() || h.draining && m.ID == (policy.ID{}) {
		return
	}
	r := policy.Reply{ID: m.ID, Zone: h.zone, Epoch: h.epoch, Total: h.durable, Greeted: policy.Greeted{Life: m.Life}}
	if m.Life != 0 && m.Life != h.life {
		h.n.w.count("commands for another life")
		r.Code = policy.Gone
		reply(r)
		return
	}
	if h.draining {
		h.n.w.count("commands for a zone that moves")
		r.Code = policy.Gone
		reply(r)
		return
	}
	answer := func(code policy.Code, place int) {
		r.Code, r.Body, r.Total = code, []byte{byte(place), byte(place >> 8)}, h.durable
		reply(r)
	}
	w := h.n.w
	if m.ID == (policy.ID{}) {
		r.Greeted = policy.Greeted{World: 1, Life: h.life, Begun: h.begun, Lease: w.ttl}
		answer(policy.Greeting, 0)
		return
	}
	if m.Since > h.window.Total() {
		w.violated("%s: %x was sent when %d commands were on disk, but %s has executed %d", h.n.name, m.ID[:], m.Since, h.zone, h.window.Total())
	}
	off := w.off
	refusedBefore, movedBefore := h.done[m.ID.AsRefused()], h.done[m.ID.AsMoved()] && !off.moved
	seen := h.done[m.ID] || refusedBefore || movedBefore
	verdict := h.window.Judge(seen && !off.window, m.Since)
	if off.since && verdict == policy.Stale || off.window {
		verdict = policy.Fresh
	}
	code := policy.Done
	place := 0
	if h.acks.Full() {
		w.count("busy zones")
		answer(policy.Busy, 0)
		return
	}
	switch verdict {
	case policy.Stale:
		w.count("commands with an unknown outcome")
		answer(policy.Unknown, 0)
		return
	case policy.Again:
		w.count("repeated commands")
		switch {
		case refusedBefore:
			code = policy.Refused
		case movedBefore && at == nil:
			h.ask(m, reply)
			return
		case movedBefore:
			w.count("commands for a player that has moved")
			r.Code, r.Body = policy.Moved, []byte(at.Zone)
			reply(r)
			return
		}
	case policy.Fresh:
		if player := int(m.Body[0]); !h.game.has(player) {
			var ask bool
			switch code, ask = policy.Away(h.zone, h.leaves(player) && !off.leaving, at); {
			case ask:
				h.ask(m, reply)
				return
			case code == policy.Busy:
				w.count("commands for a player in transit")
				h.pollAt = 0
				answer(policy.Busy, 0)
				return
			case code == policy.Moved:
				w.count("commands for a player that has moved")
				h.keep(m.ID.AsMoved())
				r.Code, r.Body = policy.Moved, []byte(at.Zone)
				reply(r)
				return
			}
		}
		code, place = h.do(m)
	}
	if m.Sure {
		if code == policy.Applied {
			code = policy.Durable
		}
		h.acks.Wait(h.frame+1, func() { answer(code, place) })
	} else {
		answer(code, place)
	}
}

// do executes a command and records its id, even if the command is refused.
func (h *host) do(m policy.Message) (policy.Code, int) {
	w := h.n.w
	player := int(m.Body[0])
	code, place, id := policy.Applied, 0, m.ID
	if h.game.has(player) {
		var err error
		if place, err = h.game.do(player, m.ID.Base()); err != nil {
			w.violated("%s: %v", h.n.name, err)
		}
		h.changed[player] = h.frame + 1
	} else {
		w.count("refused commands")
		code, id = policy.Refused, m.ID.AsRefused()
	}
	h.keep(id)
	return code, place
}

// keep adds an id to the window.
func (h *host) keep(id policy.ID) {
	h.window.Done()
	h.done[id] = true
	h.ids = append(h.ids, id)
	h.fresh = append(h.fresh, freshID{h.frame + 1, id})
	if len(h.ids) > h.n.w.window {
		delete(h.done, h.ids[0])
		h.ids = h.ids[1:]
	}
}
