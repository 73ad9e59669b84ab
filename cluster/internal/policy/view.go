package policy

// View is what the database says to a beat: all that there was at one instant.
type View struct {
	// NameTaken: another node has the name, and is alive. Nothing was renewed.
	NameTaken bool

	// Renewed are the leases of the beat that go on until TTL after the instant of the answer.
	Renewed []Lease

	Zones []ZoneView // all that there are, by name
	Nodes []NodeView // those that are alive, by name; the one that asks is among them
}

// Lease is a zone that belongs to a node, and the epoch by which it does.
type Lease struct {
	Zone  string
	Epoch uint64
	Load  float64 // a measure of the game's, for the balance
}

// ZoneView is one zone.
type ZoneView struct {
	Name     string
	Node     string  // who has its lease; "": nobody, or one that has ended
	Mine     bool    // that is the one that asks, and not one before with its name
	Epoch    uint64  // the last one given
	Left     Time    // until that lease ends
	Load     float64 // as its owner said last
	To       string  // the node that it is to be on: it was moved, and has not arrived; "": any
	Failures int     // loads that have failed one after the other
}

// NodeView is one node.
type NodeView struct {
	Name     string
	Draining bool // it takes no zone
}

// Verb says what is to be done.
type Verb uint8

const (
	// Beat: ask the database to renew Leases, and for a View. The answer goes to Node.Beaten.
	Beat Verb = iota + 1

	// Claim: ask the database for the lease of Zone. The answer goes to Node.Claimed.
	Claim

	// Load: read the zone of Epoch and play it. What comes of it goes to Node.Loaded. It must not be
	// played at Until, or later.
	Load

	// Extend: the zone may be played until Until.
	Extend

	// Drain: take no command any more, save all and stop. What comes of it goes to Node.Drained.
	Drain

	// Stop: play no more and save nothing. It has stopped when the call that gave this returns.
	Stop

	// Release: tell the database that the lease of Zone and Epoch is over, for To to claim it next, or
	// anyone; Failed: because it could not be loaded. The answer goes to Node.Released.
	Release

	// Wish: tell the database that Zone, of Epoch, is to move to To. There is no answer: it will be
	// in a View.
	Wish
)

var verbs = [...]string{Beat: "beat", Claim: "claim", Load: "load", Extend: "extend", Drain: "drain", Stop: "stop", Release: "release", Wish: "wish"}

func (v Verb) String() string { return verbs[v] }

// Action is one thing to do.
type Action struct {
	Verb   Verb
	Seq    uint64 // of Beat, Claim and Release: the answer has it too
	Zone   string
	Epoch  uint64
	Until  Time
	To     string
	Failed bool
	Leases []Lease // of Beat
	Leave  bool    // of Beat: this node takes no zone any more

	Unsaved bool // of Stop: it was to be saved, and was not in time
}
