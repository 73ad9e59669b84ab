package policy

// View is the reply of the database to a beat: the state of all zones and nodes at one instant.
type View struct {
	// NameTaken reports that another live node has this name. Then no lease was renewed.
	NameTaken bool

	// Renewed are the leases of the beat that were extended until one TTL after the instant of the
	// reply.
	Renewed []Lease

	Zones []ZoneView // all zones, sorted by name
	Nodes []NodeView // all live nodes, sorted by name, including the one that sent the beat
}

// Lease is the lease of a zone.
type Lease struct {
	Zone  string
	Epoch uint64
	Load  float64 // load of the zone, for balancing
}

// ZoneView is the state of one zone in the database.
type ZoneView struct {
	Name     string
	Node     string  // node with its lease; "": none, or the lease has expired
	Mine     bool    // Node is the process that sent the beat, and not an earlier one with its name
	Epoch    uint64  // the latest epoch
	Left     Time    // remaining time of the lease
	Load     float64 // as last reported by its owner
	To       string  // target of an incomplete move; "": any node
	Failures int     // consecutive failed loads
}

// NodeView is the state of one node in the database.
type NodeView struct {
	Name     string
	Draining bool // it accepts no zones
}

// Verb is the kind of an Action.
type Verb uint8

const (
	// Beat: renew Leases in the database and read a View. Pass the reply to Node.Beaten.
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

	// Stop: stop the zone without saving it. It must have stopped before the next call of a method
	// of Node.
	Stop

	// Release: end the lease of Zone and Epoch in the database. If To is set, that node should
	// claim the zone next. Failed means that the zone could not be loaded or panicked. Pass the
	// reply to Node.Released.
	Release

	// Wish: record in the database that Zone should move to To. There is no reply: a later View
	// shows it.
	Wish
)

var verbs = [...]string{Beat: "beat", Claim: "claim", Load: "load", Extend: "extend", Drain: "drain", Stop: "stop", Release: "release", Wish: "wish"}

func (v Verb) String() string { return verbs[v] }

// Action is a request of a Node to its caller.
type Action struct {
	Verb   Verb
	Seq    uint64 // of Beat, Claim and Release: identifies the reply
	Zone   string
	Epoch  uint64
	Until  Time
	To     string
	Failed bool
	Leases []Lease // of Beat
	Leave  bool    // of Beat: this node accepts no zones

	Unsaved bool // of Stop: the zone was draining and could not be saved in time
}
