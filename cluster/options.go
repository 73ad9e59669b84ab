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
	// Postgres is the address of the database in the syntax of pgx: a URL, or settings such as
	// "host=db dbname=world". Schema is the name of the schema, which is created if it does not
	// exist; the default is "bufftick".
	Postgres, Schema string

	// NATS is an open connection. Node.Close does not close it. Create it with
	// nats.MaxReconnects(-1). Otherwise the connection closes for good when NATS has been down for
	// about two minutes, and then the node releases its zones. Prefix is the start of all subjects.
	// It consists of tokens joined by dots, without wildcards or spaces; the default is "bufftick".
	// Clusters that share a NATS server need different prefixes.
	NATS   *nats.Conn
	Prefix string

	// Node is the name of this node. It must be unique among the nodes that are alive.
	Node string

	// Zones are the names of all zones of the world. They should be the same on all nodes. A zone
	// named by one node exists for all nodes.
	Zones []string

	// Place, if not nil, chooses the node on which a zone should run; nodes are the names of the
	// nodes that accept zones. A free zone is claimed by that node. A zone that runs on another
	// node moves to it; one zone moves every 2 s. If Place returns a name that is not in nodes, or
	// panics, the zone goes to the least loaded node. The result must depend only on the
	// arguments, so that it is the same on all nodes. Place must return at once, because it is
	// called by the goroutine that renews the leases.
	Place func(zone string, nodes []string) string

	// New returns the configuration of a zone. It is called by the zone's goroutine each time
	// this node starts running the zone.
	New func(zone string) (Zone, error)

	// Frame is the interval between two Ticks of a zone; if zero, 50 ms.
	Frame time.Duration

	// Waiting is the maximum number of commands that wait for the next Tick of a zone, and also of
	// replies that wait for its next commit. Senders retry further commands. No client may have
	// more commands waiting than the zone can still accept. So a single client gets at most half
	// of the total, and cannot exclude other clients by flooding the zone. The same limit applies
	// to the messages that subscriptions send within one frame. If zero, it is DefaultWaiting.
	Waiting int

	// TTL is the duration of a lease, the same on all nodes; if zero, 2 s. If a node fails, other
	// nodes can claim its zones after this time. A lease is renewed four times within a TTL;
	// therefore a TTL below 1 s is rejected.
	TTL time.Duration

	// Log, if not nil, receives one sentence for each event of a zone of this node, or of the node
	// itself if the argument "zone" is empty. It may be called from any goroutine, and its panics
	// are ignored. At most five similar lines a minute are reported. If more lines were suppressed,
	// a summary with their number follows.
	Log func(zone string, epoch uint64, what string)
}

// DefaultWaiting is the default of Options.Waiting.
const DefaultWaiting = 4096

// DefaultWindow is the number of command ids that a zone keeps if store.Options.Window is zero.
const DefaultWindow = 1 << 16

// Zone is the configuration of a zone. Its functions are called by the zone's loop.
type Zone struct {
	// Engine and Store are the options of store.Open. Engine.Number should be unique to the zone
	// and the same on all nodes, so that handles held by clients stay valid. If Store.Every is
	// zero, a cut is made in the frame closest to 50 ms after the previous cut. If Store.Window
	// is zero, it is DefaultWindow. The first 12 bytes of the saved data of the zone belong to
	// this package, and are hidden from Store.Zone and Restored.Zone.
	Engine engine.Options
	Store  store.Options

	// Begin, if not nil, is called when all owners have been restored, before the first command.
	// A new zone creates its owners here. An owner may be in only one zone of the world. If a
	// zone spawns an owner that is in another zone, the commits of the zone are rejected. After
	// twice the TTL the zone fails and is loaded from its last cut.
	Begin func(z *store.Saver, r store.Restored) error

	// Tick, if not nil, is called after each Tick of the engine.
	Tick func(z *store.Saver, f *engine.Frame)

	// Depart, if not nil, is called before Transfer moves an owner to another zone. If it returns
	// an error, the transfer is refused.
	Depart func(z *store.Saver, id buff.OwnerID, to string) error

	// Arrive, if not nil, is called when an owner has arrived from another zone.
	Arrive func(z *store.Saver, id buff.OwnerID, r buff.Restoration)

	// Screens, if not nil, configures the replication of the zone's buffs to subscribers: see
	// replicate.Options. Every four frames, Interest selects the owners that a viewer sees; if
	// Interest is nil, each viewer sees its own owner, or all with SeeAll. If Screens is nil, the
	// zone refuses subscriptions.
	Screens *replicate.Options

	// MostUnsaved is how long the zone may run while the database renews its lease but acknowledges
	// none of its commits. After that time, the zone is stopped and loaded from its last cut, on
	// this or another node. If zero, there is no limit; Played.Unsaved reports how long commits have
	// been failing.
	MostUnsaved time.Duration

	// Page, if not empty, is the address of a live page of the zone, such as a page of package
	// inspect. Node.Look and package cluster/inspect report it.
	Page string

	// Load returns the cost of the zone, which is used to balance nodes. The unit is arbitrary,
	// but each zone should cost at least 1. Smaller values, and a nil Load, count as 1.
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

// checkPrefix returns ErrOptions if the prefix is not a valid subject of NATS, or contains
// wildcards, which would match subjects of other worlds.
func checkPrefix(prefix string) error {
	for word := range strings.SplitSeq(prefix, ".") {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c == '*' || c == '>' || c <= ' ' || c == 0x7f || unicode.IsSpace(c) }) {
			return fmt.Errorf("%w: Prefix is %q, want words separated by dots, without *, > and spaces", ErrOptions, prefix)
		}
	}
	return nil
}

// within returns a context for a request to the database. Its timeout is one TTL.
func (n *Node) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(n.ctx, n.o.TTL)
}
