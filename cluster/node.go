package cluster

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/store/postgres"
)

// Node runs zones on this machine. Use [Join] to create one. It is safe for concurrent use.
type Node struct {
	o       Options
	store   *postgres.Store
	leases  *leases
	locator *locator
	client  *Client // for Transfer
	start   time.Time

	ctx    context.Context
	cancel context.CancelFunc
	events chan func(*policy.Node) // events for the policy's goroutine
	gone   sync.WaitGroup
	subs   []*nats.Subscription
	once   sync.Once
	denied bool // equals Stats.Denied; used only by Join, and later only by n.listen

	beating sync.RWMutex // held for reading while a beat is in flight
	// no further beats are sent, because the name is released; guarded by beating
	beaten bool

	mu      sync.Mutex
	hosts   map[string]*host
	view    policy.View
	viewSeq uint64        // sequence number of the beat that returned the field "view"
	seen    policy.Time   // time when the field "view" was received
	moves   []Change      // at most mostMoves
	left    chan struct{} // closed when a draining node has no zones left
	stats   Stats
	unsaved []string // zones that Drain did not save
	lines   lines
}

// Stats counts the activity of a node.
type Stats struct {
	Zones    int    // zones that run now
	Claimed  uint64 // leases obtained
	Drained  uint64 // zones released with everything on disk
	Stopped  uint64 // zones stopped because their lease had expired or might have expired
	Fenced   uint64 // commits rejected because the zone belonged to another node
	Failed   uint64 // zones that could not be loaded, or panicked later
	Commands uint64 // commands executed
	Again    uint64 // copies of commands that had been executed before
	Unknown  uint64 // commands that were so old that it is unknown whether they were executed
	Refused  uint64 // commands denied by the rules, or not decodable
	Busy     uint64 // commands rejected with a request to retry

	Elsewhere uint64 // commands redirected to the zone that contains their owner
	Departed  uint64 // owners that Transfer has moved to another zone
	Arrived   uint64 // owners that have arrived from another zone

	Beats  uint64 // beats (requests that renew the leases) answered by the database
	Missed uint64 // beats that failed

	Unsaved int // running zones whose last commit was not acknowledged
	// GivenUp counts zones that were stopped before all their changes were on disk, because a
	// drain took too long or because of Zone.MostUnsaved.
	GivenUp uint64
	Lost    uint64 // zones loaded again because the database had gone back to an earlier state
	Unsent  uint64 // messages that NATS did not accept, because of their size or a closed connection
	Foreign uint64 // messages from nodes of another world with the same Prefix
	Closed  bool   // the connection to NATS is closed for good, and the zones are released
	// Denied reports that this node claims no zones, because NATS does not permit it to receive
	// messages on its subjects.
	Denied bool
}

// Join runs zones on this node until Drain or Close. Free zones go to the least loaded nodes.
// Join returns [ErrName] if another node has the name; a node that has failed keeps its name for
// one TTL. Other errors are [ErrOptions], [ErrWorld], [ErrClosed], [ErrFuture], store.ErrFuture,
// and errors of the servers.
//
// If Join waits for longer than a second, it logs what it is waiting for. If ctx ends meanwhile,
// the error also says what Join was waiting for.
func Join(ctx context.Context, o Options) (*Node, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	n := &Node{
		o: o, start: time.Now(), hosts: map[string]*host{},
		events: make(chan func(*policy.Node), 64), left: make(chan struct{}),
	}
	if o.NATS.IsClosed() {
		return nil, fmt.Errorf("%w: the connection to NATS is closed for good%w", ErrClosed, suffix(o.NATS.LastError()))
	}
	err := n.wait(ctx, "PostgreSQL, or for another Join that is creating the tables of schema "+o.Schema, func() (err error) {
		if n.store, err = postgres.Open(ctx, o.Postgres, postgres.Options{Schema: o.Schema}); err != nil {
			return err
		}
		if n.leases, err = openLeases(ctx, o.Postgres, o.Schema); err != nil {
			return errors.Join(err, n.store.Close())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l := n.leases
	n.locator = &locator{n: n, wake: make(chan struct{}, 1)}
	l.node, l.incarnation, l.ttl = o.Node, incarnation(), o.TTL
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if err := n.join(ctx); err != nil {
		n.Close()
		return nil, err
	}
	n.gone.Go(n.run)
	n.gone.Go(n.listen)
	n.gone.Go(n.locator.run)
	return n, nil
}

func incarnation() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint64(b[:]) >> 1)
}

// random returns a random nonzero number.
func random() uint64 { return uint64(incarnation()) + 1 }

// wait calls do(), which is a step of Join; the parameter "what" describes the step. If the step
// takes longer than a second, wait logs what Join is waiting for. If ctx ends during the step, the
// error also says what Join was waiting for.
func (n *Node) wait(ctx context.Context, what string, do func() error) error {
	timer := time.AfterFunc(time.Second, func() { n.log("", 0, "Join is waiting for "+what) })
	defer timer.Stop()
	err := do()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("cluster: Join was waiting for %s: %w", what, err)
	}
	return err
}

// join registers the node and its zones in the database, and subscribes.
func (n *Node) join(ctx context.Context) error {
	var v policy.View
	err := n.wait(ctx, "PostgreSQL to register the node and its zones", func() (err error) {
		if err = n.leases.register(ctx, n.o.Zones); err == nil {
			// Register as a leaving node, so that other nodes move no zones here before n.run
			// starts.
			v, err = n.leases.beat(ctx, nil, true)
		}
		return err
	})
	if err != nil {
		return err
	}
	if v.NameTaken {
		return nameError(n.o.Node)
	}
	if err := n.wait(ctx, "NATS", func() error { return n.meet(ctx, len(v.Nodes)-1) }); err != nil {
		return err
	}
	free, err := n.o.NATS.Subscribe(n.o.Prefix+".free", func(m *nats.Msg) {
		zone, to, _ := strings.Cut(string(m.Data), "\x00")
		n.post(func(p *policy.Node) { p.Hint(n.clock(), zone, to) })
	})
	if err != nil {
		return err
	}
	n.subs = append(n.subs, free)
	wish, err := n.o.NATS.Subscribe(n.o.Prefix+".wish", func(m *nats.Msg) {
		zone, to, _ := strings.Cut(string(m.Data), "\x00")
		n.post(func(p *policy.Node) { p.Move(n.clock(), zone, to) })
	})
	if err != nil {
		return err
	}
	n.subs = append(n.subs, wish)
	look, err := n.o.NATS.Subscribe(n.o.Prefix+".look", n.answerLook)
	if err != nil {
		return err
	}
	n.subs = append(n.subs, look)
	arrived, err := n.o.NATS.Subscribe(n.o.Prefix+".arrived", func(m *nats.Msg) {
		n.mu.Lock()
		h := n.hosts[string(m.Data)]
		n.mu.Unlock()
		if h != nil {
			n.locator.look()
		}
	})
	if err != nil {
		return err
	}
	n.subs = append(n.subs, arrived)
	worlds, err := n.o.NATS.Subscribe(n.o.Prefix+".world", n.receiveWorld)
	if err != nil {
		return err
	}
	n.subs = append(n.subs, worlds)
	n.client, err = NewClient(ClientOptions{NATS: n.o.NATS, Prefix: n.o.Prefix})
	return err
}

// clock returns the time since the node was started.
func (n *Node) clock() policy.Time { return time.Since(n.start) }

// post queues an event for the policy.
func (n *Node) post(what func(*policy.Node)) {
	select {
	case n.events <- what:
	case <-n.ctx.Done():
	}
}

// run is the policy's goroutine.
func (n *Node) run() {
	c := policy.Defaults(n.o.Node)
	c.TTL, c.Every, c.Deaf = n.o.TTL, n.o.TTL/4, n.o.TTL/2
	if n.o.Place != nil {
		c.Place = n.place
	}
	p := policy.NewNode(c, n.clock())
	p.Deny(n.Stats().Denied)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-timer.C:
		case what := <-n.events:
			what(p)
		}
		n.reportLoads(p)
		p.Wake(n.clock())
		for _, a := range p.Take() {
			n.do(a)
		}
		if p.Gone() {
			n.mu.Lock()
			if !closed(n.left) {
				n.unsaved = p.Unsaved()
				close(n.left)
			}
			n.mu.Unlock()
		}
		timer.Reset(max(0, p.Next()-n.clock()))
	}
}

// place calls Options.Place. If Place panics, the result is "".
func (n *Node) place(zone string, nodes []string) (to string) {
	defer func() {
		if v := recover(); v != nil {
			to = ""
			n.log(zone, 0, "is placed by load: Options.Place panicked: "+recovered.Text(v))
		}
	}()
	return n.o.Place(zone, nodes)
}

// listen checks repeatedly whether NATS responds, and reports each response to the policy. If the
// connection is closed for good, the node leaves.
func (n *Node) listen() {
	for k := 0; n.ctx.Err() == nil; k++ {
		asked := n.clock()
		if n.o.NATS.IsClosed() {
			n.count(func(s *Stats) { s.Closed = true })
			n.log("", 0, "the connection to NATS is closed for good: all zones are released. Connect with nats.MaxReconnects(-1), or join again with another connection")
			n.post(func(p *policy.Node) { p.Leave(n.clock()) })
			return
		}
		if n.denied && k%8 == 7 { // permissions may have changed
			n.recheck()
		}
		if !n.denied && n.o.NATS.FlushTimeout(n.o.TTL/4) == nil {
			n.post(func(p *policy.Node) { p.Heard(asked) })
			if k%8 == 0 { // once in a TTL
				// a lost message is replaced by the next message
				_ = n.publish("", 0, n.o.Prefix+".world", n.world())
			}
		}
		n.mu.Lock()
		over := n.lines.over(n.clock())
		n.mu.Unlock()
		for zone, list := range over {
			n.say(zone, 0, list)
		}
		select {
		case <-n.ctx.Done():
		case <-time.After(n.o.TTL / 8):
		}
	}
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// do executes an action of the policy. Actions that wait for the database run in their own
// goroutines; the policy limits how many are pending.
func (n *Node) do(a policy.Action) {
	switch a.Verb {
	case policy.Beat:
		n.gone.Go(func() { n.beat(a) })
	case policy.Claim:
		n.gone.Go(func() { n.claim(a) })
	case policy.Load:
		n.host(a)
	case policy.Extend:
		if h := n.hosted(a); h != nil {
			h.until.Store(int64(a.Until))
		}
	case policy.Drain:
		if h := n.hosted(a); h != nil {
			h.drain()
		}
	case policy.Stop:
		n.count(func(s *Stats) {
			if s.Stopped++; a.Unsaved {
				s.GivenUp++
			}
		})
		if a.Unsaved {
			n.log(a.Zone, a.Epoch, "could not be saved in time, and is stopped: changes since the last commit are lost")
		}
		n.gone.Go(func() { n.drop(a) })
	case policy.Release:
		n.gone.Go(func() {
			if n.drop(a) {
				n.release(a)
			}
		})
	case policy.Wish:
		n.gone.Go(func() {
			ctx, cancel := n.within()
			defer cancel()
			_ = n.Move(ctx, a.Zone, a.To) // on failure, the policy tries again
		})
	}
}

func (n *Node) count(what func(*Stats)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	what(&n.stats)
}

func (n *Node) beat(a policy.Action) {
	ctx, cancel := n.within()
	defer cancel()
	n.beating.RLock()
	if n.beaten {
		n.beating.RUnlock()
		return
	}
	v, err := n.leases.beat(ctx, a.Leases, a.Leave)
	n.beating.RUnlock()
	if err != nil {
		n.count(func(s *Stats) { s.Missed++ })
		return
	}
	n.mu.Lock()
	n.stats.Beats++
	n.see(v, a.Seq, time.Now())
	n.mu.Unlock()
	n.post(func(p *policy.Node) { p.Beaten(n.clock(), a.Seq, v) })
}

func (n *Node) claim(a policy.Action) {
	ctx, cancel := n.within()
	defer cancel()
	epoch, err := n.leases.claim(ctx, a.Zone)
	if err != nil {
		epoch = 0 // if the claim was granted nevertheless, the next beat will show it
	}
	if epoch > 0 {
		n.count(func(s *Stats) { s.Claimed++ })
	}
	n.post(func(p *policy.Node) { p.Claimed(n.clock(), a.Seq, a.Zone, uint64(epoch)) })
}

func (n *Node) release(a policy.Action) {
	ctx, cancel := n.within()
	defer cancel()
	if n.leases.release(ctx, a) != nil {
		return // the policy retries
	}
	// If this message is lost, the nodes learn of the free zone by their next beats.
	_ = n.publish(a.Zone, a.Epoch, n.o.Prefix+".free", []byte(a.Zone+"\x00"+a.To))
	n.post(func(p *policy.Node) { p.Released(a.Seq, a.Zone) })
}

// hosted returns the host of the zone that an action names, or nil if this node does not run the
// zone with the epoch of the action.
func (n *Node) hosted(a policy.Action) *host {
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.hosts[a.Zone]; h != nil && h.epoch == a.Epoch {
		return h
	}
	return nil
}

// drop stops a zone and waits until it no longer runs. A function of the game may delay this, so
// the policy's goroutine must not call drop. drop returns false if another call is already
// waiting for the zone.
func (n *Node) drop(a policy.Action) bool {
	h := n.hosted(a)
	if h == nil {
		return true
	}
	if !h.ending.CompareAndSwap(false, true) {
		return false
	}
	h.stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hosts[a.Zone] == h { // otherwise the zone has been loaded again
		delete(n.hosts, a.Zone)
	}
	return true
}

// log calls Options.Log, unless there were too many similar lines. Panics of Log are ignored.
func (n *Node) log(zone string, epoch uint64, what string) {
	if n.o.Log == nil {
		return
	}
	n.mu.Lock()
	say := n.lines.admit(zone, what, n.clock())
	n.mu.Unlock()
	n.say(zone, epoch, say)
}

func (n *Node) say(zone string, epoch uint64, list []string) {
	if n.o.Log == nil {
		return
	}
	defer func() { _ = recover() }()
	for _, what := range list {
		n.o.Log(zone, epoch, what)
	}
}

// Move requests that a zone be moved to another node. It returns when the request has been
// recorded. The node that runs the zone then saves and releases it, and the target node claims
// it; Zones reports where the zone is. If the target node is not alive within 10 s, or has left,
// the zone stays where it is. Move returns [ErrZone] if there is no such zone.
func (n *Node) Move(ctx context.Context, zone, node string) error {
	if err := n.leases.wish(ctx, zone, node); err != nil {
		return err
	}
	return n.o.NATS.Publish(n.o.Prefix+".wish", []byte(zone+"\x00"+node))
}

// Forgive lifts the quarantine of a zone that has failed three times without a minute of play in
// between. It returns [ErrZone] if there is no such zone.
func (n *Node) Forgive(ctx context.Context, zone string) error { return n.leases.forgive(ctx, zone) }

// ZoneInfo is the state of a zone according to the last beat.
type ZoneInfo struct {
	Zone        string
	Node        string // node that runs the zone; "" for none
	Epoch       uint64
	Load        float64
	Quarantined bool          // the zone has failed three times and is no longer claimed; see Forgive
	Left        time.Duration // time until the lease of the zone ends
	Wish        string        // node to which the zone is to move; "" for none
}

// Zones returns all zones of the world, sorted by name, as of the last beat.
func (n *Node) Zones() (all []ZoneInfo) {
	n.mu.Lock()
	defer n.mu.Unlock()
	most, old := policy.Defaults("").Failures, n.clock()-n.seen
	for _, z := range n.view.Zones {
		all = append(all, ZoneInfo{z.Name, z.Node, z.Epoch, z.Load, z.Node == "" && z.Failures >= most, max(0, z.Left-old), z.To})
	}
	return all
}

// Nodes returns the names of the live nodes, as of the last beat.
func (n *Node) Nodes() (all []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, v := range n.view.Nodes {
		all = append(all, v.Name)
	}
	return all
}

// Stats returns the current counters.
func (n *Node) Stats() Stats {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.stats
	s.Zones = len(n.hosts)
	for _, h := range n.hosts {
		if h.unsaved.Load() != 0 {
			s.Unsaved++
		}
	}
	return s
}

// Drain releases each zone when all its changes are on disk, then stops the node and frees its
// name. Zones are stopped without being saved if their last commits fail for 10 s, if their lease
// expires, or if ctx ends. Drain then returns [ErrUnsaved] with the names of these zones. If ctx
// has ended, the error also wraps the error of ctx.
func (n *Node) Drain(ctx context.Context) error {
	n.post(func(p *policy.Node) { p.Leave(n.clock()) })
	defer n.Close()
	select {
	case <-n.left:
		// Wait for a beat in flight, at most one TTL, because the beat would register the name
		// again after leave (called below) has freed it.
		n.beating.Lock()
		n.beaten = true
		n.beating.Unlock()
		n.cancel()
		err := n.leases.leave(ctx)
		// Zones that are still in n.hosts have lost their lease while a function of the game was
		// running. n.unsaved no longer changes.
		if zones := append(n.running(), n.unsaved...); len(zones) > 0 {
			slices.Sort(zones)
			return errors.Join(fmt.Errorf("%w: %q", ErrUnsaved, slices.Compact(zones)), err)
		}
		return err
	case <-ctx.Done():
		if zones := n.running(); len(zones) > 0 {
			return fmt.Errorf("%w: %q: %w", ErrUnsaved, zones, ctx.Err())
		}
		return ctx.Err()
	case <-n.ctx.Done():
		return ErrClosed
	}
}

// running returns the names of the zones whose loops have not ended, sorted.
func (n *Node) running() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.hosts))
}

// Close stops the node at once. The changes of its zones since their last commits are lost, and
// other nodes claim the zones when the leases end. To lose nothing, use Drain. If a function of the
// game does not return within one TTL, Close logs the name of its zone and abandons the zone. The
// results of the function are dropped when it returns.
func (n *Node) Close() {
	n.once.Do(func() {
		n.cancel() // from here on no zone may run
		if n.client != nil {
			n.client.Close()
		}
		for _, s := range n.subs {
			_ = s.Unsubscribe() // the connection may be closed already
		}
		ended := make(chan struct{})
		go func() {
			n.gone.Wait()
			n.leases.pool.Close()
			_ = n.store.Close() // closes connections only
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(n.o.TTL):
			n.logAbandoned()
		}
	})
}

// logAbandoned logs the zones that have not ended.
func (n *Node) logAbandoned() {
	n.mu.Lock()
	hosts := slices.Collect(maps.Values(n.hosts))
	n.mu.Unlock()
	for _, h := range hosts {
		if !closed(h.ended) {
			n.log(h.zone, h.epoch, "is abandoned: a function of the game has not returned")
		}
	}
}
