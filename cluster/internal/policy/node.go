package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Config says how a node behaves. All nodes of a cluster have the same TTL.
type Config struct {
	Name string

	TTL    Time // of a lease, by the clock of the database
	Margin Time // a zone stops so long before its lease could end
	Every  Time // between two beats

	Claims  int  // at once
	Drains  int  // at once
	Patient Time // a drain that takes longer is given up: the zone stops as it is on disk
	Balance Time // between two moves by which this node gives a zone to one with less to do; 0: never

	// Deaf is how long NATS may be silent. Then no command reaches this node: it takes no zone, and says so. If
	// another node hears, and still does two beats later, it gives its own away: NATS is not gone, or just back, but
	// this node is cut off from it. 0: it never minds.
	Deaf Time

	// Place, if not nil, says on which of the nodes that take zones a zone is to be, the same on all of them; "", or a
	// node that is not among them: on the one that has least.
	Place func(zone string, nodes []string) string

	// Failures is after how many failed loads one after the other a zone is left alone.
	Failures int

	// NoStop is for a control of the simulation: zones are not stopped before their leases end.
	NoStop bool
}

// Defaults are those of durable.md: a lease of 2 s that is renewed four times, and a margin of 300 ms.
func Defaults(name string) Config {
	return Config{
		Name: name, TTL: 2 * time.Second, Margin: 300 * time.Millisecond, Every: 500 * time.Millisecond,
		Claims: 4, Drains: 4, Patient: 10 * time.Second, Balance: 2 * time.Second, Deaf: time.Second, Failures: 3,
	}
}

// State is where a zone is in its life on a node.
type State uint8

const (
	Claiming  State = iota + 1 // the database has been asked
	Loading                    // the lease is ours; the zone is being read
	Running                    // it is played
	Draining                   // it takes no commands and is saved
	Releasing                  // the database has been told
)

var states = [...]string{Claiming: "claiming", Loading: "loading", Running: "running", Draining: "draining", Releasing: "releasing"}

func (s State) String() string { return states[s] }

// Node decides about the zones of one node. See the package.
type Node struct {
	c     Config
	zones map[string]*zone
	view  View
	seq   uint64
	out   []Action

	beats   map[uint64]Time // under way: when they were asked
	nextAt  Time            // of the next beat
	moved   Time            // when this node gave a zone away last, to balance
	heard   Time            // what NATS has answered last, by when it was asked
	alone   bool            // this node is deaf, and another hears
	since   Time            // when that began
	leaving bool
	denied  bool     // see Deny
	hurried int      // views in a row with free zones that are left to others
	handing bool     // it has been so for long enough
	refused bool     // the name is another's
	unsaved []string // zones that a node that leaves has stopped before all was on disk
}

// zone is one zone on this node.
type zone struct {
	name   string
	state  State
	epoch  uint64
	seq    uint64 // of the claim, or of the release
	asked  Time   // when that was sent
	since  Time   // in this state
	until  Time   // when it must have stopped
	load   float64
	to     string // who is to have it next
	failed bool
}

// mostBeats is how many beats may be under way, where the database does not answer.
const mostBeats = 4

// NewNode returns a node without zones, which beats at once.
func NewNode(c Config, now Time) *Node {
	return &Node{c: c, zones: map[string]*zone{}, beats: map[uint64]Time{}, nextAt: now, moved: now, heard: now}
}

// Take returns what is to be done, in this order, and forgets it. The slice is valid until the
// next call of any method.
func (n *Node) Take() []Action {
	out := n.out
	n.out = n.out[len(n.out):]
	if len(n.out) == 0 && cap(n.out) < 64 {
		n.out = nil
	}
	return out
}

func (n *Node) act(a Action) { n.out = append(n.out, a) }

// Next returns when Wake is to be called, at the latest.
func (n *Node) Next() Time {
	next := n.nextAt
	for _, z := range n.zones {
		if z.epoch > 0 {
			next = min(next, z.until)
		}
	}
	return next
}

// Zones returns the leases that this node has, by name, and the state of each.
func (n *Node) Zones() (leases []Lease, in []State) {
	for _, z := range n.sorted() {
		leases = append(leases, Lease{z.name, z.epoch, z.load})
		in = append(in, z.state)
	}
	return leases, in
}

// Gone reports whether a node that leaves has no zone any more.
func (n *Node) Gone() bool { return n.leaving && len(n.zones) == 0 }

// Refused reports whether another node has this one's name.
func (n *Node) Refused() bool { return n.refused }

// Wake does what time has brought: it stops zones, gives up what does not come, and beats.
func (n *Node) Wake(now Time) {
	for _, z := range n.sorted() {
		switch {
		case z.epoch > 0 && now >= z.until && !n.c.NoStop:
			n.drop(z)
		case z.state == Claiming && now-z.asked >= n.c.TTL:
			delete(n.zones, z.name) // if it was ours it is over by now, or a view will say so
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

// drop stops a zone that is not ours any more, or soon will not be.
func (n *Node) drop(z *zone) {
	delete(n.zones, z.name)
	if z.state != Releasing {
		n.act(Action{Verb: Stop, Zone: z.name, Epoch: z.epoch, Unsaved: z.state == Draining})
		n.note(z)
	}
}

// stop stops a zone that is ours, and gives it back.
func (n *Node) stop(now Time, z *zone) {
	n.act(Action{Verb: Stop, Zone: z.name, Epoch: z.epoch, Unsaved: z.state == Draining})
	n.release(now, z)
}

// note remembers what a node that leaves has not saved.
func (n *Node) note(z *zone) {
	if n.leaving && (z.state == Running || z.state == Draining) {
		n.unsaved = append(n.unsaved, z.name)
	}
}

// Unsaved returns the zones that this node has stopped since Leave before all of them was on disk.
func (n *Node) Unsaved() []string { return n.unsaved }

// beat asks the database, unless it has not answered for long: then at the pace of what was given up.
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

// Hint is that something is to be seen in the database: a zone is free, for the node To or for anyone.
func (n *Node) Hint(now Time, zone, to string) {
	if to == n.c.Name && n.zones[zone] == nil && !n.leaving && !n.refused && !n.deaf(now) {
		n.claim(now, zone)
		return
	}
	if to == "" {
		n.nextAt = min(n.nextAt, now)
	}
}

// Beaten takes in the answer of a beat, which may be late, or twice.
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
	// What is not renewed is not lost for that: the beat may have crossed a claim. It ends by itself.
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

// see compares what the database says of a zone with what this node knows of it.
func (n *Node) see(now, asked Time, v *ZoneView) {
	z := n.zones[v.Name]
	switch {
	case z == nil && v.Mine:
		// A claim of which no answer came, or a release that was lost.
		n.zones[v.Name] = &zone{name: v.Name, epoch: v.Epoch, until: now + n.c.TTL}
		n.release(now, n.zones[v.Name])
	case z == nil || z.epoch == 0:
	case v.Epoch > z.epoch:
		n.drop(z) // another has claimed it
	case v.To != "" && v.To != n.c.Name && z.state == Running && asked >= z.since && n.alive(v.To):
		n.drain(now, z, v.To)
	case z.state == Running && (n.leaving || n.handing):
		n.drain(now, z, "")
	}
	// Beat again when the lease of another node ends. Left is relative to the time at which the beat
	// was sent; relative to the answer the beat would be late by the duration of the round trip. A
	// beat that is too early returns the time that is still left, 0 if it is less than a millisecond.
	if v.Node != "" && v.Node != n.c.Name && v.Left < n.c.Every {
		n.nextAt = min(n.nextAt, max(now, asked+v.Left+time.Millisecond))
	}
}

func (n *Node) alive(name string) bool {
	return slices.ContainsFunc(n.view.Nodes, func(v NodeView) bool { return v.Name == name && !v.Draining })
}

// Heard is that NATS has answered what it was asked then.
func (n *Node) Heard(asked Time) { n.heard = max(n.heard, asked) }

// Deny is whether NATS permits no command to reach this node: it takes no zone, and gives its own away.
func (n *Node) Deny(denied bool) { n.denied = denied }

// deaf reports whether NATS has been silent for too long.
func (n *Node) deaf(now Time) bool { return n.denied || n.c.Deaf > 0 && now-n.heard > n.c.Deaf }

// listen decides by a view whether all zones are given away because no command comes.
func (n *Node) listen(now, asked Time) {
	alone := n.deaf(now) && n.others()
	if alone && !n.alone {
		n.since = asked
	}
	n.alone = alone
	n.handing = n.denied || alone && asked >= n.since+2*n.c.Every
}

// others reports whether another node takes zones.
func (n *Node) others() bool {
	return slices.ContainsFunc(n.view.Nodes, func(v NodeView) bool { return v.Name != n.c.Name && !v.Draining })
}

// claim asks for a zone.
func (n *Node) claim(now Time, name string) {
	n.seq++
	n.zones[name] = &zone{name: name, state: Claiming, seq: n.seq, asked: now}
	n.act(Action{Verb: Claim, Seq: n.seq, Zone: name})
}

// Claimed takes in the answer of a claim: the epoch of the lease, or 0 if it was refused or failed.
func (n *Node) Claimed(now Time, seq uint64, name string, epoch uint64) {
	z := n.zones[name]
	if z == nil || z.state != Claiming || z.seq != seq {
		return // too late; if it has become ours, the next view says so, and it is released
	}
	if z.until = z.asked + n.c.TTL - n.c.Margin; epoch == 0 || now >= z.until {
		delete(n.zones, name)
		return
	}
	z.state, z.epoch, z.since = Loading, epoch, now
	n.act(Action{Verb: Load, Zone: name, Epoch: epoch, Until: z.until})
}

// Loaded is that a zone is played, or that it has failed and stopped: when it was loaded, or later.
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

// Weigh says what a zone costs its node, by a measure of the game's.
func (n *Node) Weigh(name string, load float64) {
	if z := n.zones[name]; z != nil {
		z.load = load
	}
}

// Fenced is that a commit was refused: the zone is another's.
func (n *Node) Fenced(name string, epoch uint64) {
	if z := n.zones[name]; z != nil && z.epoch == epoch {
		n.drop(z)
	}
}

// Lost is that the database has not what it had acknowledged: the zone stops, and whoever claims it next loads what there is.
func (n *Node) Lost(now Time, name string, epoch uint64) { n.giveUp(now, name, epoch) }

// Unsafe is that a zone could not be saved for as long as its game allows: the zone stops, and is loaded from its last cut.
func (n *Node) Unsafe(now Time, name string, epoch uint64) { n.giveUp(now, name, epoch) }

func (n *Node) giveUp(now Time, name string, epoch uint64) {
	z := n.zones[name]
	if z != nil && z.epoch == epoch && z.state != Releasing {
		n.stop(now, z)
	}
}

// Move drains a zone, for another node to take it: a wish that has come before the view did.
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
		return // the next view, or the next one that has drained, comes back to it
	}
	z.state, z.since, z.to = Draining, now, to
	n.act(Action{Verb: Drain, Zone: z.name, Epoch: z.epoch})
}

// Drained is that a zone has stopped, and all of it is on disk.
func (n *Node) Drained(now Time, name string, epoch uint64) {
	if z := n.zones[name]; z != nil && z.epoch == epoch && z.state == Draining {
		z.state = Releasing // all is on disk
		n.release(now, z)
		n.drainMore(now)
	}
}

// drainMore goes on with the zones of a node that gives all away.
func (n *Node) drainMore(now Time) {
	if !n.leaving && !n.handing {
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

// Released is that the database has taken in a release.
func (n *Node) Released(seq uint64, name string) {
	if z := n.zones[name]; z != nil && z.state == Releasing && z.seq == seq {
		delete(n.zones, name)
	}
}

// Leave drains all zones, and takes no other one. Gone says when it is over.
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

// String says what the node has, in one line.
func (n *Node) String() string {
	var b strings.Builder
	for _, z := range n.sorted() {
		fmt.Fprintf(&b, " %s/%d %v", z.name, z.epoch, z.state)
	}
	return n.c.Name + ":" + b.String()
}
