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

// Options configure a node.
type Options struct {
	// Postgres is the address of the database in the syntax of pgx: a URL, or words such as
	// "host=db dbname=world". Schema is the name of the schema, which is created if it does not
	// exist; if empty, "bufftick".
	Postgres, Schema string

	// NATS is a connection, which Close leaves open. Connect it with nats.MaxReconnects(-1);
	// otherwise it closes for good when NATS has been down for about two minutes, and the node
	// releases its zones. Prefix is the start of all subjects: words of letters joined by dots,
	// without wildcards; if empty, "bufftick". Clusters that share a NATS server need different
	// prefixes.
	NATS   *nats.Conn
	Prefix string

	// Node is the name of this node. It must be unique among the nodes that are alive.
	Node string

	// Zones are all zones of the world, the same on all nodes. A zone named by any node exists
	// for all nodes.
	Zones []string

	// Place, if not nil, returns the node on which a zone should run, from the names of the nodes
	// that accept zones. A free zone is claimed there. A zone on another node moves there when
	// the node has joined, one zone every 2 s. If Place returns another name or panics, the zone
	// goes to the least loaded node. Place must return at once and give the same result on all
	// nodes, from its arguments alone; it is called by the goroutine that renews the leases.
	Place func(zone string, nodes []string) string

	// New returns the configuration of a zone. It is called by the zone's goroutine each time
	// this node starts to run the zone.
	New func(zone string) (Zone, error)

	// Frame is the interval between two Ticks of a zone; if zero, 50 ms.
	Frame time.Duration

	// Waiting is the maximum number of commands that wait for the next Tick of a zone, and of
	// replies that wait for its next commit. Senders retry further commands. A client may
	// have as many as are left free, which is half of them if it is the only one, so that a
	// client that floods the zone cannot exclude others. The same limit applies to the messages
	// from the subscriptions of a client in one frame. If zero, DefaultWaiting.
	Waiting int

	// TTL is the time of a lease, the same on all nodes; if zero, 2 s. If a node fails, its zones
	// run again after this time. A TTL below 1 s is rejected: a lease is renewed four times
	// within it.
	TTL time.Duration

	// Log, if not nil, receives one sentence for each event of a zone of this node, or of the
	// node itself if zone is empty. It is called by any goroutine, and its panics are ignored. Of
	// similar lines, five a minute are reported, followed by the number of the others.
	Log func(zone string, epoch uint64, what string)
}

// DefaultWaiting is the default of Options.Waiting.
const DefaultWaiting = 4096

// DefaultWindow is the number of command ids that a zone keeps if store.Options.Window is zero.
const DefaultWindow = 1 << 16

// Zone is the configuration of a zone. Its functions are called by the zone's loop.
type Zone struct {
	// Engine and Store are the options of store.Open. Number should be unique to the zone and the
	// same on all nodes, so that handles held by clients stay valid. If Store.Every is zero, a
	// cut is made in the frame closest to 50 ms after the previous one. If Store.Window is zero,
	// it is DefaultWindow. The first 12 bytes of the saved data of the zone belong to the
	// cluster, and are hidden from Store.Zone and Restored.Zone.
	Engine engine.Options
	Store  store.Options

	// Begin, if not nil, is called when all owners have been restored, before the first command.
	// A new zone creates its owners here. An owner is in only one zone of the world: if a zone
	// spawns an owner that is in another zone, the zone cannot be saved, and after two leases it
	// fails and is loaded from its last cut.
	Begin func(z *store.Saver, r store.Restored) error

	// Tick, if not nil, is called after each Tick.
	Tick func(z *store.Saver, f *engine.Frame)

	// Depart, if not nil, is called before Transfer moves an owner to another zone. An error
	// refuses the transfer.
	Depart func(z *store.Saver, id buff.OwnerID, to string) error

	// Arrive, if not nil, is called when an owner has arrived from another zone.
	Arrive func(z *store.Saver, id buff.OwnerID, r buff.Restoration)

	// Screens, if not nil, configures the replication of the zone's buffs to subscribers: see
	// replicate.Options. Every four frames, Interest selects the owners that a viewer sees; if
	// Interest is nil, each viewer sees its own owner. If Screens is nil, the zone refuses
	// subscriptions.
	Screens *replicate.Options

	// MostUnsaved is how long the zone runs while the database renews its lease but acknowledges
	// none of its commits. After that, the zone is stopped and loaded from its last cut, here or
	// on another node. If zero, it continues without a limit; Played.Unsaved reports for how
	// long.
	MostUnsaved time.Duration

	// Page, if not empty, is the address of a live page of the zone, such as one of package
	// inspect. Node.Look and package cluster/inspect report it.
	Page string

	// Load returns the cost of the zone for its node, for balancing, in any unit in which each
	// zone costs at least 1. Smaller values, and a nil Load, count as 1.
	Load func() float64
}

func (o *Options) complete() error {
	switch {
	case o.Node == "" || len(o.Node) > store.MaxName:
		return fmt.Errorf("%w: Node is %q, want 1 to %d bytes", ErrOptions, o.Node, store.MaxName)
	case o.NATS == nil:
		return fmt.Errorf("%w: NATS is nil", ErrOptions)
	case o.New == nil:
		return fmt.Errorf("%w: New is nil", ErrOptions)
	case o.TTL != 0 && o.TTL < time.Second:
		return fmt.Errorf("%w: TTL is %v, want 1 s or more", ErrOptions, o.TTL)
	case o.Frame < 0 || o.Waiting < 0:
		return fmt.Errorf("%w: Frame is %v and Waiting is %d, want neither negative", ErrOptions, o.Frame, o.Waiting)
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

// checkPrefix returns ErrOptions if the prefix contains wildcards, so that it would include
// subjects of other worlds, or is not a valid subject of NATS.
func checkPrefix(prefix string) error {
	for word := range strings.SplitSeq(prefix, ".") {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c == '*' || c == '>' || c <= ' ' || c == 0x7f || unicode.IsSpace(c) }) {
			return fmt.Errorf("%w: Prefix is %q, want words separated by dots, without *, > and spaces", ErrOptions, prefix)
		}
	}
	return nil
}

// within returns a context for a request to the database, which is limited to the time of a
// lease.
func (n *Node) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(n.ctx, n.o.TTL)
}
