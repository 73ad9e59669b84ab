package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// transfer moves a player to another zone. The move is part of the next commit.
func (h *host) transfer(player int, to string) {
	if !h.playable() || h.draining || to == h.zone || !h.game.has(player) {
		return
	}
	h.n.w.count("moved players")
	h.n.w.logf("%s: player %d leaves %s for %s", h.n.name, player, h.zone, to)
	h.n.w.home[player] = h.zone
	s := h.game.leave(player)
	delete(h.changed, player)
	h.departures = append(h.departures, departure{player, to, s, h.frame + 1})
}

// poll reads the arriving players, unless a poll is pending.
func (h *host) poll() {
	if h.polls {
		return
	}
	w := h.n.w
	h.polls, h.pollAt = true, w.now+time.Second
	var list map[int]arrival
	w.net.ask(h.n, "slow polls", func() { list = w.db.poll(h.zone) }, func() {
		h.polls = false
		h.admit(list)
	}, func() { h.polls = false })
}

// admit admits arriving players, like store.Saver.Arrive.
func (h *host) admit(list map[int]arrival) {
	if !h.playable() {
		return
	}
	maps.DeleteFunc(h.seen, func(_ int, c come) bool { return c.settled })
	for player, c := range h.seen {
		if _, waits := h.came[player]; !waits {
			h.seen[player] = come{c.number, true}
		}
	}
	for _, player := range slices.Sorted(maps.Keys(list)) {
		number := list[player].number
		if h.seen[player].number >= number {
			continue // the player has been admitted already
		}
		if h.leaves(player) {
			h.n.w.count("players that come back too soon")
			continue
		}
		if h.game.has(player) && h.n.w.backs > 0 {
			h.n.w.count("players that arrive again after a loss")
			continue // the engine refuses the player, and the next commit fails
		}
		if h.game.has(player) {
			h.n.w.violated("%s: player %d arrives in %s, and is already there", h.n.name, player, h.zone)
			return
		}
		h.seen[player] = come{number: number}
		h.came[player] = number
		h.changed[player] = h.frame + 1
		h.n.w.count("arrived players")
		h.n.w.logf("%s: player %d arrives in %s by move %d", h.n.name, player, h.zone, number)
		if err := h.game.enter(player, list[player].s); err != nil {
			h.n.w.violated("%s: player %d: %v", h.n.name, player, err)
		}
		if !h.n.w.calm && h.n.w.chance(0.2) {
			h.transfer(player, h.n.w.home[player]) // the player returns at once
		}
	}
}

// come describes the arrival of an admitted player. The field "number" is the number of the move;
// "settled" is true if the arrival was on disk before the last poll.
type come struct {
	number  int
	settled bool
}

// leaves reports whether a player has left and its departure is not on disk yet.
func (h *host) leaves(player int) bool {
	return slices.ContainsFunc(h.departures, func(d departure) bool { return d.owner == player })
}

// arrived notifies the host of a zone over NATS that a player is arriving. If the notice is lost,
// the host finds the player with its next poll.
func (w *world) arrived(zone string) {
	if !w.calm && w.chance(w.net.loss) {
		w.count("lost notices of a move")
		return
	}
	for _, n := range w.nodes {
		if n.up && w.net.noNATS[n.id] <= w.now {
			life := n.life
			w.after(w.net.delay(), func() {
				n.deliver(life, func() {
					if h := n.hosts[zone]; h != nil && h.ready {
						h.pollAt = 0
					}
				})
			})
		}
	}
}

// ask looks up in the database where the player of a command is, and then processes the command
// again.
func (h *host) ask(m policy.Message, reply func(policy.Reply)) {
	w := h.n.w
	if h.asks >= mostAcks {
		w.count("busy zones")
		reply(policy.Reply{ID: m.ID, Zone: h.zone, Epoch: h.epoch, Total: h.durable, Code: policy.Busy, Body: []byte{0, 0}})
		return
	}
	h.asks++
	var at policy.Place
	w.net.ask(h.n, "slow lookups", func() { at = w.db.where(int(m.Body[0])) }, func() {
		h.asks--
		h.hearAt(m, &at, reply)
	}, func() { h.asks-- })
}
