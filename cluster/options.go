package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store"
)

// Options say which node this is, and what it plays.
type Options struct {
	// Postgres is the address of the database, as of pgx: a URL, or words as "host=db dbname=world".
	// Schema is the name of the schema, which is made if there is none; if empty, "bufftick".
	Postgres, Schema string

	// NATS is a connection, which stays open: connect it with nats.MaxReconnects(-1), or it closes for good when NATS has been gone for
	// some two minutes, and the node gives its zones away. Prefix is what all subjects begin with: words of letters with dots between
	// them, and no wildcards; if empty, "bufftick". Clusters that share a NATS have different ones.
	NATS   *nats.Conn
	Prefix string

	// Node is the name of this node: no two that are alive have the same.
	Node string

	// Zones are all zones of the world. Nodes are told the same ones; a zone that one node has named
	// is there for all.
	Zones []string

	// Place, if not nil, says on which of the nodes that take zones, by name, a zone is to be: one that is free is claimed
	// there, and one that is elsewhere goes there when the node has come, one in 2 s. If it returns another name, or
	// panics, the zone goes to the node that has least to do. It says the same on all nodes, at once and by its
	// arguments alone: the goroutine that renews the leases calls it.
	Place func(zone string, nodes []string) string

	// New says how a zone is played. It is called each time that this node begins to, from a goroutine
	// of the zone's own.
	New func(zone string) (Zone, error)

	// Frame is the time from one Tick of a zone to the next; if zero, 50 ms.
	Frame time.Duration

	// Waiting is how many commands may wait for the next Tick of a zone, and how many replies for its
	// next commit: more are told to come again. One client may have as many there as are left free: half of them if it is
	// alone, so that one that floods shuts nobody out. The same holds for what subscriptions of one client say in
	// a frame. If zero, DefaultWaiting.
	Waiting int

	// TTL is the time of a lease, the same on all nodes; if zero, 2 s. A zone whose node has died is
	// played again after that time. Less than 1 s is refused: a lease is renewed four times in it.
	TTL time.Duration

	// Log, if not nil, is told in a sentence what has happened to a zone of this node, or to the node if zone is empty. Any goroutine
	// calls it. Nobody is told if it panics. Of lines that repeat, five a minute are said, and then how many more there were.
	Log func(zone string, epoch uint64, what string)
}

// DefaultWaiting is that of Options.Waiting.
const DefaultWaiting = 4096

// DefaultWindow is how many ids of commands a zone keeps, if store.Options.Window is zero.
const DefaultWindow = 1 << 16

// Zone says how a zone is played. Its functions are called on the zone's loop.
type Zone struct {
	// Engine and Store are those of store.Open. Number should be one of the zone's own, the same on
	// all nodes, so that handles that a client has had stay good. If Store.Every is zero there is
	// a cut in the frame that is next to 50 ms after the one before; Store.Window is DefaultWindow. The first 12 bytes of what is kept of the zone as a whole
	// are the cluster's; Store.Zone and Restored.Zone do not see them.
	Engine engine.Options
	Store  store.Options

	// Begin, if not nil, is called when all owners are back, before the first command: a zone that is
	// new gets its owners here. An owner is in one zone of the world: a zone that spawns one who is in another cannot be
	// saved, and if that stays so for two leases it fails and is played again from its last cut.
	Begin func(z *store.Saver, r store.Restored) error

	// Tick, if not nil, is called after each Tick.
	Tick func(z *store.Saver, f *engine.Frame)

	// Depart, if not nil, is asked before Transfer lets an owner go to another zone: an error refuses it.
	Depart func(z *store.Saver, id buff.OwnerID, to string) error

	// Arrive, if not nil, is called when an owner has come from another zone.
	Arrive func(z *store.Saver, id buff.OwnerID, r buff.Restoration)

	// Screens, if not nil, is how the zone's buffs are shown to those who Subscribe: see replicate.Options. Which owners
	// a viewer sees is looked up again every four frames, by Interest; if that is nil each viewer sees its own owner. If Screens is nil the zone shows
	// nothing.
	Screens *replicate.Options

	// MostUnsaved is how long the zone is played while none of its commits is acknowledged, though the database renews its lease. Then it is
	// stopped, and loaded again from its last cut, here or on another node. If zero it is played on: Played.Unsaved says for how long.
	MostUnsaved time.Duration

	// Page, if not empty, is the address of a live page of the zone, as of package inspect, which all who ask the
	// nodes are told: see Node.Look and package cluster/inspect.
	Page string

	// Load is what the zone costs its node, for the balance between nodes, in a unit of which no zone has less
	// than 1: what is below counts as 1, and so does a nil Load.
	Load func() float64
}

func (o *Options) complete() error {
	switch {
	case o.Node == "" || len(o.Node) > store.MaxName:
		return fmt.Errorf("%w: Node is %q, want 1 to %d bytes", ErrOptions, o.Node, store.MaxName)
	case o.NATS == nil:
		return fmt.Errorf("%w: no NATS", ErrOptions)
	case o.New == nil:
		return fmt.Errorf("%w: no New", ErrOptions)
	case o.TTL != 0 && o.TTL < time.Second:
		return fmt.Errorf("%w: a TTL of %v, want 1 s or more", ErrOptions, o.TTL)
	case o.Frame < 0 || o.Waiting < 0:
		return fmt.Errorf("%w: a Frame of %v, %d Waiting", ErrOptions, o.Frame, o.Waiting)
	}
	for _, zone := range o.Zones {
		if err := store.CheckName(zone); err != nil {
			return err
		}
	}
	if o.Schema == "" {
		o.Schema = "bufftick"
	}
	if o.Prefix == "" {
		o.Prefix = "bufftick"
	}
	if err := checkPrefix(o.Prefix); err != nil {
		return err
	}
	if o.Frame == 0 {
		o.Frame = 50 * time.Millisecond
	}
	if o.Waiting == 0 {
		o.Waiting = DefaultWaiting
	}
	if o.TTL == 0 {
		o.TTL = 2 * time.Second
	}
	return nil
}

// checkPrefix fails with ErrOptions unless all that begins with a prefix is this world's alone: no wildcards, and nothing that is no
// subject of NATS.
func checkPrefix(prefix string) error {
	for word := range strings.SplitSeq(prefix, ".") {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c == '*' || c == '>' || c <= ' ' || c == 0x7f || unicode.IsSpace(c) }) {
			return fmt.Errorf("%w: Prefix is %q, want words with dots between them, without *, > and blanks", ErrOptions, prefix)
		}
	}
	return nil
}

// within returns a context for a request to the database: nobody waits for it longer than a lease.
func (n *Node) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(n.ctx, n.o.TTL)
}
