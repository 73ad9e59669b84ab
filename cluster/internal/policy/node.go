package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Config is the configuration of a Node. All nodes of a cluster must have the same TTL.
type Config struct {
	Name string

	TTL    Time // duration of a lease, by the clock of the database
	Margin Time // time between the stop of a zone and the earliest possible end of its lease
	Every  Time // interval between two beats, the requests that renew the leases

	Claims  int  // maximum number of pending claims
	Drains  int  // maximum number of draining zones
	Patient Time // timeout of a load or a drain, after which the zone stops without saving
	// minimum interval between two moves of zones to less loaded nodes; 0 for no such moves
	Balance Time

	// Deaf is the time without an answer from NATS after which the node counts as deaf. No command
	// reaches a deaf node, so it claims no zones, and it records in the database that it is deaf.
	// If another node is not deaf during two beats, NATS is neither down nor just restarted, and
	// only this node is disconnected. The deaf node then releases its zones. If Deaf is zero, a
	// node is never deaf.
	Deaf Time

	// Place, if not nil, selects the node for a zone; nodes are the names of the nodes that accept
	// zones. Place must return the same result on every node. If the result is not in nodes, the
	// least loaded node gets the zone.
	Place func(zone string, nodes []string) string

	// Failures is the number of consecutive failed loads after which a zone is quarantined.
	Failures int

	// If NoStop is set, zones do not stop when their leases may have ended. Only the simulation
	// sets it, to show that this guard is necessary.
	NoStop bool
}

// Defaults returns the default configuration: a lease of 2 s that is renewed four times, with a
// margin of 300 ms.
func Defaults(name string) Config {
	return Config{
		Name: name, TTL: 2 * time.Second, Margin: 300 * time.Millisecond, Every: 500 * time.Millisecond,
		Claims: 4, Drains: 4, Patient: 10 * time.Second, Balance: 2 * time.Second, Deaf: time.Second, Failures: 3,
	}
}

// State is the state of a zone on a node.
type State uint8

const (
	Claiming  State = iota + 1 // the claim is pending
	Loading                    // the node has the lease and reads the zone
	Running                    // the zone runs
	Draining                   // the zone accepts no commands and is being saved
	Releasing                  // the zone has stopped and its release is pending
)

var states = [...]string{Claiming: "claiming", Loading: "loading", Running: "running", Draining: "draining", Releasing: "releasing"}

func (s State) String() string { return states[s] }

// Node decides which zones one node runs. See the package documentation.
type Node struct {
	c     Config
	zones map[string]*zone
	view  View
	seq   uint64
	out   []Action

	beats   map[uint64]Time // times at which the pending beats were sent, by sequence number
	nextAt  Time            // time of the next beat
	moved   Time            // time at which the node last requested a move of a zone
	heard   Time            // time at which the node sent the last request that NATS answered
	alone   bool            // this node is deaf, and another node is not
	since   Time            // time since which n.alone is true
	leaving bool            // Leave was called
	denied  bool            // see Deny
	// number of consecutive views with free zones that other nodes should claim
	hurried   int
	releasing bool     // all zones are released, because no command reaches this node
	refused   bool     // another node has this name
	unsaved   []string // see Unsaved
}

// zone is one zone on this node.
type zone struct {
	name   string
	state  State
	epoch  uint64
	seq    uint64 // sequence number of the pending claim or release
	asked  Time   // time at which the claim or release was sent
	since  Time   // time at which the present state was entered
	until  Time   // time at which the zone must have stopped
	load   float64
	to     string // node that should claim the zone next; "" for any node
	failed bool   // the zone could not be loaded, or panicked
}

// mostBeats is the maximum number of pending beats while the database does not reply.
const mostBeats = 4

// NewNode returns a node without zones. Its first beat is due at once.
func NewNode(c Config, now Time) *Node {
	return &Node{c: c, zones: map[string]*zone{}, beats: map[uint64]Time{}, nextAt: now, moved: now, heard: now}
}

// Take removes the pending actions and returns them in the order in which they must be executed.
// The slice is valid until the next method is called.
func (n *Node) Take() []Action {
	out := n.out
	n.out = n.out[len(n.out):]
	if len(n.out) == 0 && cap(n.out) < 64 {
		n.out = nil
	}
	return out
}

func (n *Node) act(a Action) { n.out = append(n.out, a) }

// Next returns the latest time at which Wake must be called.
func (n *Node) Next() Time {
	next := n.nextAt
	for _, z := range n.zones {
		if z.epoch > 0 {
			next = min(next, z.until)
		}
	}
	return next
}

// Zones returns the zones of this node, sorted by name, and the state of each. Epoch is 0 while a
// claim is pending.
func (n *Node) Zones() (leases []Lease, in []State) {
	for _, z := range n.sorted() {
		leases = append(leases, Lease{z.name, z.epoch, z.load})
		in = append(in, z.state)
	}
	return leases, in
}

// Gone reports whether Leave was called and the node has no zones left.
func (n *Node) Gone() bool { return n.leaving && len(n.zones) == 0 }

// Refused reports whether another node has the same name as this node.
func (n *Node) Refused() bool { return n.refused }

// Wake stops zones before their leases may end, handles timeouts, and sends a beat if one is due.
func (n *Node) Wake(now Time) {
	for _, z := range n.sorted() {
		switch {
		case z.epoch > 0 && now >= z.until && !n.c.NoStop:
			n.drop(z)
		case z.state == Claiming && now-z.asked >= n.c.TTL:
			// if the claim was granted nevertheless, a later view will show it
			delete(n.zones, z.name)
		case (z.state == Draining || z.state == Loading) && now-z.since >= n.c.Patient:
			z.failed = z.state == Loading
			n.stop(now, z)
		case z.state == Releasing && now-z.asked >= n.c.Every:
			n.release(now, z)
		}
	}
	if now >= n.nextAt {
		n.beat(now)
	}
}

// drop stops and removes a zone whose lease is lost or about to end.
func (n *Node) drop(z *zone) {
	delete(n.zones, z.name)
	if z.state != Releasing {
		n.act(Action{Verb: Stop, Zone: z.name, Epoch: z.epoch, Unsaved: z.state == Draining})
		n.note(z)
	}
}

// stop stops a zone without saving it, and releases its lease.
func (n *Node) stop(now Time, z *zone) {
	n.act(Action{Verb: Stop, Zone: z.name, Epoch: z.epoch, Unsaved: z.state == Draining})
	n.release(now, z)
}

// note records a zone that a leaving node stops without saving it.
func (n *Node) note(z *zone) {
	if n.leaving && (z.state == Running || z.state == Draining) {
		n.unsaved = append(n.unsaved, z.name)
	}
}

// Unsaved returns the names of the zones that this node, after Leave, stopped before all their
// changes were on disk.
func (n *Node) Unsaved() []string { return n.unsaved }

// beat requests a beat, unless too many are pending. A beat without a reply counts as pending for
// one TTL.
func (n *Node) beat(now Time) {
	for seq, asked := range n.beats {
		if now-asked >= n.c.TTL {
			delete(n.beats, seq)
		}
	}
	n.nextAt = now + n.c.Every
	if len(n.beats) >= mostBeats {
		return
	}
	n.seq++
	n.beats[n.seq] = now
	a := Action{Verb: Beat, Seq: n.seq, Leave: n.leaving || n.deaf(now)}
	for _, z := range n.sorted() {
		if z.epoch > 0 && z.state != Releasing {
			a.Leases = append(a.Leases, Lease{z.name, z.epoch, z.load})
		}
	}
	n.act(a)
}

// Hint tells the Node that a zone is free. If "to" is not empty, only the node with that name
// should claim it.
func (n *Node) Hint(now Time, zone, to string) {
	if to == n.c.Name && n.zones[zone] == nil && !n.leaving && !n.refused && !n.deaf(now) {
		n.claim(now, zone)
		return
	}
	if to == "" {
		n.nextAt = min(n.nextAt, now)
	}
}

// Beaten processes the reply to a beat. Late and repeated replies are allowed.
func (n *Node) Beaten(now Time, seq uint64, v View) {
	asked, ok := n.beats[seq]
	if !ok {
		return
	}
	delete(n.beats, seq)
	n.refused = v.NameTaken
	if v.NameTaken {
		return
	}
	// A lease that was not renewed is not necessarily lost, because the beat may have been sent
	// before the claim. If the lease is lost, the zone stops at z.until.
	for _, l := range v.Renewed {
		z := n.zones[l.Zone]
		if until := asked + n.c.TTL - n.c.Margin; z != nil && z.epoch == l.Epoch && until > z.until && now < z.until {
			z.until = until
			n.act(Action{Verb: Extend, Zone: z.name, Epoch: z.epoch, Until: until})
		}
	}
	n.view = v
	n.listen(now, asked)
	for k := range v.Zones {
		n.see(now, asked, &v.Zones[k])
	}
	n.place(now, asked)
	n.balance(now)
}

// see reconciles the state of a zone with the database.
func (n *Node) see(now, asked Time, v *ZoneView) {
	z := n.zones[v.Name]
	switch {
	case z == nil && v.Mine:
		// The lease is unused, because the reply to a claim or a release was lost.
		n.zones[v.Name] = &zone{name: v.Name, epoch: v.Epoch, until: now + n.c.TTL}
		n.release(now, n.zones[v.Name])
	case z == nil || z.epoch == 0:
	case v.Epoch > z.epoch:
		n.drop(z) // another node has claimed the zone
	case v.To != "" && v.To != n.c.Name && z.state == Running && asked >= z.since && n.alive(v.To):
		n.drain(now, z, v.To)
	case z.state == Running && (n.leaving || n.releasing):
		n.drain(now, z, "")
	}
	// Beat again when the lease of another node ends. Count v.Left from the time at which this
	// beat was sent, because the next beat would be late by up to a round trip if v.Left were
	// counted from the reply. If the next beat is too early, its reply contains the remaining
	// time.
	if v.Node != "" && v.Node != n.c.Name && v.Left < n.c.Every {
		n.nextAt = min(n.nextAt, max(now, asked+v.Left+time.Millisecond))
	}
}

func (n *Node) alive(name string) bool {
	return slices.ContainsFunc(n.view.Nodes, func(v NodeView) bool { return v.Name == name && !v.Draining })
}

// Heard tells the Node that NATS has answered a request that was sent at the given time.
func (n *Node) Heard(sent Time) { n.heard = max(n.heard, sent) }

// Deny sets whether NATS permissions prevent commands from reaching this node. While they prevent
// it, the node claims no zones and releases its own.
func (n *Node) Deny(denied bool) { n.denied = denied }

// deaf reports whether no command reaches this node, because NATS does not permit it or has not
// answered for too long.
func (n *Node) deaf(now Time) bool { return n.denied || n.c.Deaf > 0 && now-n.heard > n.c.Deaf }

// listen is called with each view. It decides whether to release all zones because no command
// reaches this node.
func (n *Node) listen(now, asked Time) {
	alone := n.deaf(now) && n.others()
	if alone && !n.alone {
		n.since = asked
	}
	n.alone = alone
	n.releasing = n.denied || alone && asked >= n.since+2*n.c.Every
}

// others reports whether another node accepts zones.
func (n *Node) others() bool {
	return slices.ContainsFunc(n.view.Nodes, func(v NodeView) bool { return v.Name != n.c.Name && !v.Draining })
}

// claim requests the lease of a zone.
func (n *Node) claim(now Time, name string) {
	n.seq++
	n.zones[name] = &zone{name: name, state: Claiming, seq: n.seq, asked: now}
	n.act(Action{Verb: Claim, Seq: n.seq, Zone: name})
}

// Claimed processes the reply to a claim: the epoch of the lease, or 0 if the claim was rejected or
// failed.
func (n *Node) Claimed(now Time, seq uint64, name string, epoch uint64) {
	z := n.zones[name]
	if z == nil || z.state != Claiming || z.seq != seq {
		return // too late; if the lease was granted, n.see releases it when the next view arrives
	}
	if z.until = z.asked + n.c.TTL - n.c.Margin; epoch == 0 || now >= z.until {
		delete(n.zones, name)
		return
	}
	z.state, z.epoch, z.since = Loading, epoch, now
	n.act(Action{Verb: Load, Zone: name, Epoch: epoch, Until: z.until})
}

// Loaded tells the Node that a zone has been loaded and runs or, if "failed" is true, that the zone
// has stopped because loading failed or because the running zone failed.
func (n *Node) Loaded(now Time, name string, epoch uint64, failed bool) {
	z := n.zones[name]
	switch {
	case z == nil || z.epoch != epoch:
	case failed && (z.state == Loading || z.state == Running || z.state == Draining):
		z.failed = true
		n.release(now, z)
	case z.state == Loading && !failed:
		z.state, z.since = Running, now
		if n.leaving {
			n.drain(now, z, "")
		}
	}
}

// Weigh sets the load of a zone, in a unit chosen by the game.
func (n *Node) Weigh(name string, load float64) {
	if z := n.zones[name]; z != nil {
		z.load = load
	}
}

// Fenced tells the Node that a commit was rejected because another node has claimed the zone, or
// that the zone could not be read. The zone stops without a release. If this node still holds the
// lease, the lease expires.
func (n *Node) Fenced(name string, epoch uint64) {
	if z := n.zones[name]; z != nil && z.epoch == epoch {
		n.drop(z)
	}
}

// Lost tells the Node that the database has lost commits that it had acknowledged. The zone stops,
// and the next node to claim it loads the present state.
func (n *Node) Lost(now Time, name string, epoch uint64) { n.giveUp(now, name, epoch) }

// Unsafe tells the Node that saves of a zone have been failing for longer than the game allows. The
// zone stops and is loaded again from its last cut.
func (n *Node) Unsafe(now Time, name string, epoch uint64) { n.giveUp(now, name, epoch) }

func (n *Node) giveUp(now Time, name string, epoch uint64) {
	z := n.zones[name]
	if z != nil && z.epoch == epoch && z.state != Releasing {
		n.stop(now, z)
	}
}

// Move handles a request to move a zone to another node: it starts to drain the zone. Without Move,
// the drain would start only with the next view.
func (n *Node) Move(now Time, name, to string) {
	if z := n.zones[name]; z != nil && z.state == Running && to != n.c.Name && n.alive(to) {
		n.drain(now, z, to)
	}
}

func (n *Node) drain(now Time, z *zone, to string) {
	draining := 0
	for _, other := range n.zones {
		if other.state == Draining {
			draining++
		}
	}
	if draining >= n.c.Drains {
		return // retried with the next view, or when another zone has drained
	}
	z.state, z.since, z.to = Draining, now, to
	n.act(Action{Verb: Drain, Zone: z.name, Epoch: z.epoch})
}

// Drained tells the Node that a zone has stopped with all its changes on disk.
func (n *Node) Drained(now Time, name string, epoch uint64) {
	if z := n.zones[name]; z != nil && z.epoch == epoch && z.state == Draining {
		z.state = Releasing // so that n.note does not count the zone as unsaved
		n.release(now, z)
		n.drainMore(now)
	}
}

// drainMore drains further zones, if this node is releasing all of its zones.
func (n *Node) drainMore(now Time) {
	if !n.leaving && !n.releasing {
		return
	}
	for _, z := range n.sorted() {
		if z.state == Running {
			n.drain(now, z, "")
		}
	}
}

func (n *Node) release(now Time, z *zone) {
	n.note(z)
	n.seq++
	z.state, z.since, z.asked, z.seq = Releasing, now, now, n.seq
	n.act(Action{Verb: Release, Seq: z.seq, Zone: z.name, Epoch: z.epoch, To: z.to, Failed: z.failed})
}

// Released tells the Node that the database has executed a release.
func (n *Node) Released(seq uint64, name string) {
	if z := n.zones[name]; z != nil && z.state == Releasing && z.seq == seq {
		delete(n.zones, name)
	}
}

// Leave drains all zones, and the node claims no others. Afterwards Gone reports whether all zones
// are released.
func (n *Node) Leave(now Time) {
	n.leaving = true
	n.nextAt = min(n.nextAt, now)
	for _, z := range n.sorted() {
		if z.state == Claiming {
			delete(n.zones, z.name)
		}
	}
	n.drainMore(now)
}

func (n *Node) sorted() []*zone {
	return slices.SortedFunc(maps.Values(n.zones), func(a, b *zone) int { return strings.Compare(a.name, b.name) })
}

// String returns the zones of the node and their states, on one line.
func (n *Node) String() string {
	var b strings.Builder
	for _, z := range n.sorted() {
		fmt.Fprintf(&b, " %s/%d %v", z.name, z.epoch, z.state)
	}
	return n.c.Name + ":" + b.String()
}
