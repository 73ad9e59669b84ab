package policy

// View is the reply of the database to a beat: the state of all zones and nodes at one instant.
type View struct {
	// NameTaken reports that another live node has the name of this node. No lease was renewed.
	NameTaken bool

	// Renewed lists the leases that the beat has renewed. They end one TTL after the instant of
	// the view.
	Renewed []Lease

	Zones []ZoneView // all zones, sorted by name
	Nodes []NodeView // all live nodes, sorted by name, including the node that sent the beat
}

// Lease is the lease of a zone.
type Lease struct {
	Zone  string
	Epoch uint64
	Load  float64 // load of the zone, for balancing
}

// ZoneView is the state of one zone in the database.
type ZoneView struct {
	Name string
	Node string // node that has the lease; "" if the zone is free
	// the process that sent the beat has the lease, not an earlier process with the same name
	Mine     bool
	Epoch    uint64  // the latest epoch
	Left     Time    // time until the lease ends
	Load     float64 // load last reported by the node that has the lease
	To       string  // node to which the zone should move; "" if there is no such request
	Failures int     // number of consecutive failed loads
}

// NodeView is the state of one node in the database.
type NodeView struct {
	Name     string
	Draining bool // the node accepts no zones
}

// Verb is the kind of an Action.
type Verb uint8

const (
	// Beat: renew Leases in the database and read a View. Pass the View to Node.Beaten.
	Beat Verb = iota + 1

	// Claim: request the lease of Zone from the database. Pass the reply to Node.Claimed.
	Claim

	// Load: read Zone under the lease of Epoch and run it. Pass the result to Node.Loaded. The zone
	// must not run at Until or later.
	Load

	// Extend: the zone may run until Until.
	Extend

	// Drain: accept no more commands, save the zone and stop it. When it is saved, call
	// Node.Drained.
	Drain

	// Stop: stop the zone without saving it. The zone must have stopped before the next method of
	// Node is called.
	Stop

	// Release: end the lease of Zone and Epoch in the database. If To is not empty, the node To
	// should claim the zone next. Failed means that the zone could not be loaded or panicked. When
	// the database has replied, call Node.Released.
	Release

	// Wish: record in the database that Zone should move to the node To. The reply is not
	// reported, because a later View contains the request.
	Wish
)

var verbs = [...]string{Beat: "beat", Claim: "claim", Load: "load", Extend: "extend", Drain: "drain", Stop: "stop", Release: "release", Wish: "wish"}

func (v Verb) String() string { return verbs[v] }

// Action is something that a Node asks its caller to do.
type Action struct {
	Verb   Verb
	Seq    uint64 // for Beat, Claim and Release: number to be passed back with the reply
	Zone   string
	Epoch  uint64
	Until  Time
	To     string
	Failed bool
	Leases []Lease // for Beat: leases to renew
	Leave  bool    // for Beat: this node accepts no zones

	Unsaved bool // for Stop: the zone was draining, and could not be saved in time
}
