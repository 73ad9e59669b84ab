// Package sim simulates a cluster in one goroutine and in virtual time. The same seed produces
// the same simulation. Nodes run policy.Node, clients run policy.Sender, and the zones, the
// database and the network are models, into which faults are injected. At the end, the replies
// that clients got are compared with the state of the players. A control is a simulation in which
// one guard is switched off, to show that the guard is necessary.
package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// badZone is a zone that panics on every node when it is loaded.
const badZone = "zone-bad"

// settings are the parameters of a simulation that do not depend on the seed.
type settings struct {
	off     guards
	verbose bool
	alone   bool   // there is only one node
	slow    bool   // half of all messages are delayed
	often   string // name of a fault that is injected more often than others
}

const (
	faultTime     = 20 * time.Second // time for which faults are injected
	recoveryTime  = 60 * time.Second // maximum time after the last fault until the cluster has recovered
	players       = 16
	unknownPlayer = players // a player that does not exist
)

// play runs the simulation of one seed and returns its world, which contains the violations.
func play(seed uint64, s settings) *world {
	w := &world{
		dice: rand.New(rand.NewPCG(seed, 20)), ttl: 2 * time.Second, off: s.off, verbose: s.verbose, real: seed%8 == 7,
		lost: map[policy.ID]int{}, loaded: map[lease]int{}, counts: map[string]int{}, running: map[string]run{}, home: map[int]string{}, book: map[policy.ID]*entry{},
	}
	w.window = []int{12, 40, 1000}[w.dice.IntN(3)]
	w.db = &db{w: w, zones: map[string]*dbZone{}, owners: map[int]*dbOwner{}, nodes: map[string]*dbNode{}}
	zones := 3 + w.dice.IntN(6)
	for k := range zones {
		name := fmt.Sprintf("zone-%d", k)
		w.db.zones[name] = &dbZone{name: name}
	}
	if w.chance(0.2) {
		w.db.zones[badZone] = &dbZone{name: badZone}
	}
	for k := range players {
		w.db.owners[k] = &dbOwner{zone: fmt.Sprintf("zone-%d", k%zones)}
	}
	w.net = &net{
		w: w, noDB: map[int]time.Duration{}, noNATS: map[int]time.Duration{}, noCli: map[int]time.Duration{}, last: map[[2]int]time.Duration{},
		unheard: map[[2]int]time.Duration{},
		loss:    w.dice.Float64() * 0.1, dup: w.dice.Float64() * 0.1, slow: w.dice.Float64() * 0.1,
		answerLost: w.dice.Float64() * 0.05, slowOp: w.dice.Float64() * 0.03,
	}
	w.alone, w.often = s.alone, s.often
	if s.slow {
		w.net.slow = 0.5
	}
	for k := range 2 + w.dice.IntN(3) {
		if k == 0 || !w.alone {
			w.addNode().start()
		}
	}
	for k := range 3 {
		sc := policy.SenderDefaults()
		sc.NoLife, sc.NoTurn, sc.NoLower, sc.NoBefore = w.off.life, w.off.turn, w.off.lower, w.off.before
		c := &client{w: w, id: k, sender: policy.NewSender(sc), left: 80, known: map[string]int{}}
		w.clients = append(w.clients, c)
		c.start()
		w.addScreen(k)
	}
	w.after(time.Second, w.faults)
	w.after(time.Second, w.travel)
	w.net.listen()
	w.run(faultTime)
	if len(w.violations) == 0 {
		w.heal()
		w.settle()
	}
	return w
}

func (w *world) addNode() *node {
	id := len(w.nodes)
	n := &node{
		w: w, id: id, name: fmt.Sprintf("node-%d", id),
		offset: time.Duration(w.dice.Int64N(int64(2*time.Hour))) - time.Hour, rate: 0.98 + 0.04*w.dice.Float64(),
	}
	w.nodes = append(w.nodes, n)
	w.count("skewed clocks")
	return n
}

// settle continues without faults until every command has a reply and every zone runs. Then it
// compares the replies with the players.
func (w *world) settle() {
	const rounds = 3
	for round := range rounds {
		for end := w.now + recoveryTime; w.settled() != "" && w.now < end && len(w.violations) == 0; {
			w.run(w.now + 100*time.Millisecond)
		}
		if why := w.settled(); why != "" && len(w.violations) == 0 {
			w.violated("not recovered after %v without faults: %s", recoveryTime, why)
		}
		if len(w.violations) > 0 {
			return
		}
		if round < rounds-1 {
			w.run(w.now + 5*time.Second) // time for the nodes to balance the zones
		}
	}
	w.compare()
	w.compareZones()
}

// settled returns "" if the cluster has recovered, and otherwise a description of what has not
// recovered yet.
func (w *world) settled() string {
	for _, c := range w.clients {
		if n := c.left + c.sender.Len(); n > 0 {
			return fmt.Sprintf("client %d waits for %d answers", c.id, n)
		}
	}
	for _, name := range w.names() {
		if w.hostOf(name) == nil {
			return name + " does not run"
		}
	}
	for _, n := range w.nodes {
		for _, s := range n.sessions {
			if n.up && s.open && s.reads {
				return n.name + " keeps a read-only session"
			}
		}
	}
	for _, s := range w.screens {
		if why := s.wrong(); why != "" {
			return why
		}
	}
	for player := range players {
		if o := w.db.owners[player]; o.arriving > 0 {
			return fmt.Sprintf("player %d is in transit to %s", player, o.zone)
		}
	}
	if bad := w.db.zones[badZone]; bad != nil && bad.failures < 3 {
		return "the bad zone is not in quarantine"
	}
	return ""
}

// hostOf returns the host that runs a zone, or nil.
func (w *world) hostOf(zone string) *host {
	for _, n := range w.nodes {
		if h := n.hosts[zone]; h != nil && n.up && h.playable() && !h.draining && h.epoch == w.db.zones[zone].epoch {
			return h
		}
	}
	return nil
}

// compare checks the replies that clients got against the commands that players have.
func (w *world) compare() {
	done := map[policy.ID]int{} // by command id: 1 + the index in the player's log
	for player := range players {
		log := w.db.owners[player].s.log
		for k, id := range log {
			switch e := w.book[id]; {
			case done[id] > 0:
				w.violated("command %x was executed twice", id[:])
			case e == nil || e.player != player:
				w.violated("player %d has command %x, which is not for this player", player, id[:])
			}
			done[id] = k + 1
		}
		w.inOrder(player, log)
	}
	for _, id := range w.ids() {
		e := w.book[id]
		switch place := done[id]; {
		case w.excused(id): // the reply was sent before the database lost commits
		case e.code == policy.Durable && place == 0, e.code == policy.Done && e.sure && place == 0:
			w.violated("command %x for player %d is lost: the answer was %v", id[:], e.player, e.code)
		case e.code == policy.Durable && e.place != place:
			w.violated("command %x was number %d of player %d, and is now number %d", id[:], e.place, e.player, place)
		case e.code == policy.Refused && e.sure && place > 0:
			w.violated("command %x was refused, but executed", id[:])
		// the zone refused the command before it noticed that the database had lost commits
		case e.code == policy.Refused && !e.sure && w.backs > 0:
		case e.code == policy.Refused && e.player != unknownPlayer:
			w.violated("command %x was refused, but player %d exists", id[:], e.player)
		}
	}
}

// inOrder checks the order of the log: a command that was acknowledged before another command was
// sent must precede it. Together with the positions that w.compare checks, this shows that the
// history is linearizable.
func (w *world) inOrder(player int, log []policy.ID) {
	var earliest time.Duration // time of the earliest reply to a later command in the log
	for k, id := range slices.Backward(log) {
		e := w.book[id]
		if k < len(log)-1 && earliest > 0 && e.sent > earliest {
			w.violated("player %d: command %x precedes one that was acknowledged before this one was sent", player, id[:])
		}
		if e.sure && e.answered > 0 && !w.excused(id) && (earliest == 0 || e.answered < earliest) {
			earliest = e.answered
		}
	}
}

// excused reports whether a command was lost when the database went back, and its client accepted
// the reply before it was notified of that loss.
func (w *world) excused(id policy.ID) bool { return w.lost[id] > w.book[id].known }

func (w *world) ids() (all []policy.ID) {
	for id := range w.book {
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b policy.ID) int { return slices.Compare(a[:], b[:]) })
	return all
}

// compareZones checks that each player is in exactly one zone, which is the zone of the player in
// the database.
func (w *world) compareZones() {
	where := map[int]string{}
	for _, name := range w.names() {
		h := w.hostOf(name)
		if len(h.ids) > w.window || len(h.done) > w.window || h.acks.Len() > mostAcks {
			w.violated("%s keeps %d ids, the window is %d", name, len(h.ids), w.window)
		}
		for _, player := range h.game.players() {
			if other := where[player]; other != "" {
				w.violated("player %d is in %s and in %s", player, other, name)
			}
			where[player] = name
			if o := w.db.owners[player]; o.zone != name || o.arriving > 0 {
				w.violated("player %d is in %s, and on disk in %s", player, name, o.zone)
			}
			s, err := h.game.save(player)
			if disk := w.db.owners[player].s.log; err != nil || !slices.Equal(s.log, disk) {
				w.violated("player %d has %d commands in %s, and %d on disk (%v)", player, len(s.log), name, len(disk), err)
			}
		}
	}
	for player := range players {
		if where[player] == "" {
			w.violated("player %d is in no zone: on disk in %s", player, w.db.owners[player].zone)
		}
	}
}
