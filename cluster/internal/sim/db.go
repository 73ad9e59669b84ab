package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// db is the model of the database. Each method is one transaction, executed at one instant. It
// makes the same checks as the SQL of store/postgres and of the leases.
type db struct {
	w      *world
	zones  map[string]*dbZone
	owners map[int]*dbOwner
	nodes  map[string]*dbNode
	moves  int // number of moves of players so far

	timeline, noted int // timeline of the server, and timeline recorded in the tables
	// generation of the current connections; connections of earlier generations are broken
	connections int
	readOnly    time.Duration // time until which new sessions are read-only
}

type dbZone struct {
	name  string
	epoch uint64
	frame uint64
	total uint64
	ids   []policy.ID // ids of executed commands, the oldest first; about as many as the window holds
	per   []framed    // the same ids, grouped by frame

	node     string
	inc      int // incarnation of the node
	until    time.Duration
	claimed  time.Duration
	to       string
	toUntil  time.Duration
	load     float64
	failures int
}

type framed struct {
	frame uint64
	ids   []policy.ID
}

type dbOwner struct {
	zone string
	s    state
	// number of the move if the player is in transit to the zone in the field "zone"; 0 if the
	// player is in that zone
	arriving int
}

type dbNode struct {
	incarnation int
	until       time.Duration
	leaves      bool
}

// departure is an owner that leaves for another zone. It leaves with the commit of the given frame.
type departure struct {
	owner int
	to    string
	s     state
	frame uint64
}

// batch is a commit. It holds the changes of a zone in the frames after "since", up to "frame".
type batch struct {
	zone         string
	epoch        uint64
	since, frame uint64
	whole        bool
	owners       map[int]state
	ids          []policy.ID
	total        uint64
	departures   []departure
	arrived      map[int]int // arrived owners, each with the number of its move
}

// answer is the result of a commit.
type answer uint8

const (
	committed answer = iota
	fenced
	outOfOrder // an abandoned commit arrived after its successor
	lost       // an acknowledged commit is missing
	elsewhere  // an owner of the batch is in another zone
)

func (d *db) commit(b *batch) answer {
	z := d.zones[b.zone]
	switch {
	case d.timeline != d.noted && !d.w.off.timeline:
		d.w.count("commits before take_over")
		return fenced
	case z.epoch != b.epoch && !d.w.off.fence:
		d.w.count("fenced commits")
		return fenced
	case z.epoch != b.epoch:
		d.w.count("stale commits accepted")
	case z.frame < b.since && !b.whole:
		d.w.count("commits after a lost cut")
		return lost
	case b.frame < z.frame:
		d.w.count("commits later than their successor")
		return outOfOrder
	}
	here := func(id int) bool {
		o := d.owners[id]
		return o.zone == b.zone && (o.arriving == 0 || o.arriving == b.arrived[id])
	}
	leave := slices.DeleteFunc(slices.Clone(b.departures), func(x departure) bool {
		if z.frame < x.frame || d.w.off.moveGuard {
			return false
		}
		d.w.count("departures executed before")
		return true // an earlier batch, whose reply was lost, has executed the departure
	})
	ids := slices.Sorted(maps.Keys(b.owners))
	for _, x := range leave {
		ids = append(ids, x.owner)
	}
	for _, id := range ids {
		if !here(id) && !d.w.off.moveGuard {
			d.w.count("refused for a moved player")
			return elsewhere
		}
	}
	if b.whole {
		for id, o := range d.owners {
			if _, has := b.owners[id]; o.zone == b.zone && o.arriving == 0 && !has {
				d.owners[id] = &dbOwner{}
			}
		}
	}
	for id, s := range b.owners {
		*d.owners[id] = dbOwner{zone: b.zone, s: s}
	}
	for _, x := range leave {
		d.moves++
		*d.owners[x.owner] = dbOwner{x.to, x.s, d.moves}
	}
	z.per = slices.DeleteFunc(z.per, func(f framed) bool { return f.frame > b.since })
	z.per = append(z.per, framed{b.frame, b.ids})
	z.ids = nil
	for _, f := range z.per {
		z.ids = append(z.ids, f.ids...)
	}
	for len(z.per) > 1 && len(z.ids)-len(z.per[0].ids) >= d.w.window {
		z.ids = z.ids[len(z.per[0].ids):]
		z.per = z.per[1:]
	}
	z.frame, z.total = b.frame, b.total
	return committed
}

// beat renews leases and returns the state of all zones and nodes.
func (d *db) beat(node string, incarnation int, leases []policy.Lease, leave bool) policy.View {
	d.takeOver()
	now := d.w.now
	n := d.nodes[node]
	if n != nil && n.incarnation != incarnation && n.until > now {
		return policy.View{NameTaken: true}
	}
	d.nodes[node] = &dbNode{incarnation, now + d.w.ttl, leave}
	v := policy.View{}
	for _, l := range leases {
		if z := d.zones[l.Zone]; z.has(node, incarnation) && z.epoch == l.Epoch && z.until > now {
			if z.until, z.load = now+d.w.ttl, l.Load; now-z.claimed > time.Minute {
				z.failures = 0
			}
			v.Renewed = append(v.Renewed, l)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.zones)) {
		z := d.zones[name]
		zv := policy.ZoneView{Name: name, Epoch: z.epoch, Load: z.load, Failures: z.failures}
		if z.until > now {
			zv.Node, zv.Left, zv.Mine = z.node, z.until-now, z.has(node, incarnation)
			if z.node == holder {
				zv.Node = ""
			}
		}
		if z.toUntil > now {
			zv.To = z.to
		}
		v.Zones = append(v.Zones, zv)
	}
	for _, name := range slices.Sorted(maps.Keys(d.nodes)) {
		if n := d.nodes[name]; n.until > now {
			v.Nodes = append(v.Nodes, policy.NodeView{Name: name, Draining: n.leaves})
		}
	}
	return v
}

// claim grants a lease with a new epoch, or returns 0 if another node has the zone.
func (d *db) claim(node string, incarnation int, zone string) uint64 {
	d.takeOver()
	z, now := d.zones[zone], d.w.now
	n := d.nodes[node]
	if n == nil || n.incarnation != incarnation || z.failures >= 3 || z.node != "" && z.until > now {
		return 0
	}
	z.epoch++
	z.node, z.inc, z.until, z.claimed = node, incarnation, now+d.w.ttl, now
	if z.to == node {
		z.toUntil = 0
	}
	d.w.logf("db: %s has %s at epoch %d", node, zone, z.epoch)
	return z.epoch
}

// read returns the last cut of a zone, or nil if its epoch has changed.
func (d *db) read(zone string, epoch uint64) (cut *dbZone, owners map[int]state) {
	z := d.zones[zone]
	if z.epoch != epoch {
		return nil, nil
	}
	owners = map[int]state{}
	for id, o := range d.owners {
		if o.zone == zone && o.arriving == 0 {
			owners[id] = o.s
		}
	}
	c := *z
	c.failures = 0
	return &c, owners
}

// poll returns the players in transit to a zone.
func (d *db) poll(zone string) map[int]arrival {
	out := map[int]arrival{}
	for id, o := range d.owners {
		if o.zone == zone && o.arriving > 0 {
			out[id] = arrival{o.arriving, o.s}
		}
	}
	return out
}

// where returns the place of a player, or the zero value if the player does not exist.
func (d *db) where(player int) policy.Place {
	o := d.owners[player]
	if o == nil {
		return policy.Place{}
	}
	return policy.Place{Zone: o.zone, Arriving: o.arriving > 0}
}

type arrival struct {
	number int
	s      state
}

func (d *db) release(node string, incarnation int, zone string, epoch uint64, to string, failed bool) {
	z := d.zones[zone]
	if !z.has(node, incarnation) || z.epoch != epoch {
		return
	}
	z.node, z.until = "", 0
	if to != "" {
		z.to, z.toUntil = to, d.w.now+d.w.ttl
	}
	if failed {
		z.failures++
	}
	d.w.logf("db: %s has released %s, epoch %d, to %q", node, zone, epoch, to)
}

func (z *dbZone) has(node string, incarnation int) bool {
	return z.node == node && z.inc == incarnation
}

func (d *db) wish(zone, to string) {
	z := d.zones[zone]
	z.to, z.toUntil = to, d.w.now+10*time.Second
}

func (z *dbZone) String() string {
	return fmt.Sprintf("%s epoch %d frame %d of %q", z.name, z.epoch, z.frame, z.node)
}

// holder is the name of a node that does not exist. After a takeover it holds all leases for a
// while, so that no node can claim the zones.
const holder = "?"

// takeOver ends the leases of all nodes if a standby has taken over, like the SQL function
// take_over.
func (d *db) takeOver() {
	if d.timeline == d.noted || d.w.off.timeline {
		return
	}
	skip := uint64(1000 * (d.timeline - d.noted))
	if d.w.off.skip {
		skip = 0
	}
	d.noted = d.timeline
	for _, z := range d.zones {
		z.epoch += skip
		z.until = d.w.now + d.w.ttl
		z.node, z.inc = holder, 0
		if d.w.off.hold {
			z.node, z.until = "", 0
		}
	}
}

// copy returns a copy of the present state, to be used as a standby or a backup.
func (d *db) copy() *db {
	c := &db{w: d.w, zones: map[string]*dbZone{}, owners: map[int]*dbOwner{}, nodes: map[string]*dbNode{}, moves: d.moves, noted: d.noted}
	for name, z := range d.zones {
		x := *z
		x.ids, x.per = slices.Clone(z.ids), slices.Clone(z.per)
		c.zones[name] = &x
	}
	for id, o := range d.owners {
		x := *o
		c.owners[id] = &x
	}
	for name, n := range d.nodes {
		x := *n
		c.nodes[name] = &x
	}
	return c
}

// goBack replaces the contents of the database with an older copy, and breaks all connections.
func (d *db) goBack(c *db) {
	d.w.backs++
	for id, o := range d.owners {
		kept := map[policy.ID]bool{}
		for _, command := range c.owners[id].s.log {
			kept[command] = true
		}
		for _, command := range o.s.log {
			if !kept[command] {
				d.w.lost[command] = d.w.backs
				d.w.count("lost commands")
			}
		}
	}
	d.zones, d.owners, d.nodes, d.moves, d.noted = c.zones, c.owners, c.nodes, c.moves, c.noted
	d.connections++
}

// loseCuts restores the cuts of an older copy, but keeps the present leases.
func (d *db) loseCuts(c *db) {
	for name, z := range d.zones {
		x := c.zones[name]
		x.epoch, x.node, x.inc, x.until, x.claimed, x.to, x.toUntil, x.failures = z.epoch, z.node, z.inc, z.until, z.claimed, z.to, z.toUntil, z.failures
	}
	c.nodes, c.noted = d.nodes, d.noted
	moves := d.moves
	d.goBack(c)
	d.moves = moves
}
