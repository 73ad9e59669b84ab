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

// Node plays zones on this machine: see [Join]. Any goroutine may call its methods.
type Node struct {
	o      Options
	store  *postgres.Store
	leases *leases
	guide  *guide
	client *Client // for Transfer
	start  time.Time

	ctx    context.Context
	cancel context.CancelFunc
	told   chan func(*policy.Node) // what has happened, for the policy's goroutine
	gone   sync.WaitGroup
	subs   []*nats.Subscription
	once   sync.Once
	denied bool // Stats.Denied: of Join, and then of the goroutine that listens

	beating sync.RWMutex // held by each beat, to read, while the server has it
	beaten  bool         // under it: no beat follows, for the name is given back

	mu      sync.Mutex
	hosts   map[string]*host
	view    policy.View
	viewSeq uint64        // of its beat
	seen    policy.Time   // when it came
	moves   []Change      // at most mostMoves
	left    chan struct{} // closed when a node that leaves has no zone any more
	stats   Stats
	unsaved []string // zones that Drain has not saved
	said    lines
}

// Stats count what a node has done.
type Stats struct {
	Zones    int    // that it plays now
	Claimed  uint64 // leases that it was given
	Drained  uint64 // zones that it has given away with all on disk
	Stopped  uint64 // zones that it has stopped because a lease had ended, or might have
	Fenced   uint64 // commits that were refused because the zone was another's
	Failed   uint64 // zones that could not be loaded, or panicked later
	Commands uint64 // that were done
	Again    uint64 // that had been done before
	Unknown  uint64 // of which nobody knew whether they had
	Refused  uint64 // that the rules have refused, or that could not be read
	Busy     uint64 // that were told to come again

	Elsewhere uint64 // that were sent on to the zone of their owner
	Departed  uint64 // owners that Transfer has let go to another zone
	Arrived   uint64 // owners that have come from another zone

	Beats  uint64 // answers of the database
	Missed uint64 // beats that failed

	Unsaved int    // zones of now whose last commit was not acknowledged
	GivenUp uint64 // zones that were stopped before all of them was on disk: in a drain that took too long, or by Zone.MostUnsaved
	Lost    uint64 // zones that were loaded again because the database had gone back
	Unsent  uint64 // messages that NATS has not taken: too large, or its connection is closed
	Foreign uint64 // words of nodes of another world that has the same Prefix
	Closed  bool   // the connection to NATS is closed for good, and zones are given away
	Denied  bool   // NATS does not permit that this node hears what is said to it, and it takes no zone
}

// Join runs zones on this node, until Drain or Close: those that are free go to the nodes that have least
// to do. It fails with [ErrName] if the name is another node's, which for one that has died is so for
// one TTL; with [ErrOptions], [ErrFuture] or store.ErrFuture, or with what the servers say.
//
// Where it waits for longer than a second, Log is told for what, and so does the error say if ctx ends.
func Join(ctx context.Context, o Options) (*Node, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	n := &Node{
		o: o, start: time.Now(), hosts: map[string]*host{},
		told: make(chan func(*policy.Node), 64), left: make(chan struct{}),
	}
	if o.NATS.IsClosed() {
		return nil, fmt.Errorf("%w: the connection to NATS is closed for good%w", ErrClosed, because(o.NATS.LastError()))
	}
	err := n.wait(ctx, "PostgreSQL, and for the tables of schema "+o.Schema+" that another Join may be making", func() (err error) {
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
	n.guide = &guide{n: n, wake: make(chan struct{}, 1)}
	l.node, l.incarnation, l.ttl = o.Node, incarnation(), o.TTL
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if err := n.join(ctx); err != nil {
		n.Close()
		return nil, err
	}
	n.gone.Go(n.run)
	n.gone.Go(n.listen)
	n.gone.Go(n.guide.run)
	return n, nil
}

func incarnation() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return int64(binary.LittleEndian.Uint64(b[:]) >> 1)
}

// random returns a number that nobody else has, and that is not 0.
func random() uint64 { return uint64(incarnation()) + 1 }

// wait does something that Join waits for. If that takes long Log is told what, and so does the error say when ctx ends.
func (n *Node) wait(ctx context.Context, what string, do func() error) error {
	timer := time.AfterFunc(time.Second, func() { n.log("", 0, "Join waits for "+what) })
	defer timer.Stop()
	err := do()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("cluster: Join has waited for %s: %w", what, err)
	}
	return err
}

// join tells the database of the node and the zones, and listens.
func (n *Node) join(ctx context.Context) error {
	var v policy.View
	err := n.wait(ctx, "PostgreSQL to take in the node and its zones", func() (err error) {
		if err = n.leases.tell(ctx, n.o.Zones); err == nil {
			v, err = n.leases.beat(ctx, nil, true) // no other node leaves zones to this one before it runs
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
		n.tell(func(p *policy.Node) { p.Hint(n.clock(), zone, to) })
	})
	if err != nil {
		return err
	}
	n.subs = append(n.subs, free)
	wish, err := n.o.NATS.Subscribe(n.o.Prefix+".wish", func(m *nats.Msg) {
		zone, to, _ := strings.Cut(string(m.Data), "\x00")
		n.tell(func(p *policy.Node) { p.Move(n.clock(), zone, to) })
	})
	if err != nil {
		return err
	}
	n.subs = append(n.subs, wish)
	look, err := n.o.NATS.Subscribe(n.o.Prefix+".look", n.looked)
	if err != nil {
		return err
	}
	n.subs = append(n.subs, look)
	arrived, err := n.o.NATS.Subscribe(n.o.Prefix+".arrived", func(m *nats.Msg) {
		n.mu.Lock()
		h := n.hosts[string(m.Data)]
		n.mu.Unlock()
		if h != nil {
			n.guide.look()
		}
	})
	if err != nil {
		return err
	}
	n.subs = append(n.subs, arrived)
	worlds, err := n.o.NATS.Subscribe(n.o.Prefix+".world", n.heardWorld)
	if err != nil {
		return err
	}
	n.subs = append(n.subs, worlds)
	n.client, err = NewClient(ClientOptions{NATS: n.o.NATS, Prefix: n.o.Prefix})
	return err
}

// clock is the node's own time.
func (n *Node) clock() policy.Time { return time.Since(n.start) }

// tell has the policy told what has happened.
func (n *Node) tell(what func(*policy.Node)) {
	select {
	case n.told <- what:
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
		case what := <-n.told:
			what(p)
		}
		n.weigh(p)
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

// place is Options.Place, which ends nothing if it panics.
func (n *Node) place(zone string, nodes []string) (to string) {
	defer func() {
		if v := recover(); v != nil {
			to = ""
			n.log(zone, 0, "has no place: Options.Place panicked: "+recovered.Text(v))
		}
	}()
	return n.o.Place(zone, nodes)
}

// listen asks NATS for a sign of life, again and again, and tells the policy of it. A node whose connection is closed for good leaves.
func (n *Node) listen() {
	for k := 0; n.ctx.Err() == nil; k++ {
		asked := n.clock()
		if n.o.NATS.IsClosed() {
			n.count(func(s *Stats) { s.Closed = true })
			n.log("", 0, "the connection to NATS is closed for good: all zones are given away. Connect with nats.MaxReconnects(-1), or join again with another connection")
			n.tell(func(p *policy.Node) { p.Leave(n.clock()) })
			return
		}
		if n.denied && k%8 == 7 { // the server may have been told otherwise
			n.tryAgain()
		}
		if !n.denied && n.o.NATS.FlushTimeout(n.o.TTL/4) == nil {
			n.tell(func(p *policy.Node) { p.Heard(asked) })
			if k%8 == 0 { // once in a lease
				_ = n.publish("", 0, n.o.Prefix+".world", n.world()) // who does not hear it hears the next one
			}
		}
		n.mu.Lock()
		over := n.said.over(n.clock())
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

// do does one thing that the policy wants. What waits for the database has a goroutine of its own: the
// policy has no more of them under way than it has zones, claims and beats.
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
			n.log(a.Zone, a.Epoch, "could not be saved in time, and is stopped as it is on disk")
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
			_ = n.Move(ctx, a.Zone, a.To) // it is wished again if the balance still asks for it
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
	n.tell(func(p *policy.Node) { p.Beaten(n.clock(), a.Seq, v) })
}

func (n *Node) claim(a policy.Action) {
	ctx, cancel := n.within()
	defer cancel()
	epoch, err := n.leases.claim(ctx, a.Zone)
	if err != nil {
		epoch = 0 // if it was given all the same, a view will say so
	}
	if epoch > 0 {
		n.count(func(s *Stats) { s.Claimed++ })
	}
	n.tell(func(p *policy.Node) { p.Claimed(n.clock(), a.Seq, a.Zone, uint64(epoch)) })
}

func (n *Node) release(a policy.Action) {
	ctx, cancel := n.within()
	defer cancel()
	if n.leases.release(ctx, a) != nil {
		return // the policy asks again
	}
	_ = n.publish(a.Zone, a.Epoch, n.o.Prefix+".free", []byte(a.Zone+"\x00"+a.To)) // who does not hear it sees it in a beat
	n.tell(func(p *policy.Node) { p.Released(a.Seq, a.Zone) })
}

// hosted returns the zone that an action is about, if this node plays it at that epoch.
func (n *Node) hosted(a policy.Action) *host {
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.hosts[a.Zone]; h != nil && h.epoch == a.Epoch {
		return h
	}
	return nil
}

// drop stops a zone, and waits until it is not played any more: not on the policy's goroutine, for a function
// of the game that does not return holds it. It reports false if somebody else already waits for that.
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
	if n.hosts[a.Zone] == h { // it may be here again by now
		delete(n.hosts, a.Zone)
	}
	return true
}

// log tells Options.Log, unless the line has been said too often. Nobody is told of a panic of that.
func (n *Node) log(zone string, epoch uint64, what string) {
	if n.o.Log == nil {
		return
	}
	n.mu.Lock()
	say := n.said.admit(zone, what, n.clock())
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

// Move moves a zone to a node: whoever has it saves it and gives it away. It returns when that is on
// record; where the zone is, Zones says. It fails with [ErrZone]. If that node is not alive within 10 s,
// or has left, the zone stays.
func (n *Node) Move(ctx context.Context, zone, node string) error {
	if err := n.leases.wish(ctx, zone, node); err != nil {
		return err
	}
	return n.o.NATS.Publish(n.o.Prefix+".wish", []byte(zone+"\x00"+node))
}

// Forgive lets a zone be tried again that has failed three times without a minute of play in between, and
// was left alone. It fails with [ErrZone].
func (n *Node) Forgive(ctx context.Context, zone string) error { return n.leases.forgive(ctx, zone) }

// ZoneInfo is what the database has said last of a zone.
type ZoneInfo struct {
	Zone        string
	Node        string // that plays it; "": none
	Epoch       uint64
	Load        float64
	Quarantined bool          // it has failed three times, and is left alone: see Forgive
	Left        time.Duration // until its lease ends
	Wish        string        // the node that it is to go to; "": none
}

// Zones returns all zones of the world, by name, as of the last beat.
func (n *Node) Zones() (all []ZoneInfo) {
	n.mu.Lock()
	defer n.mu.Unlock()
	most, old := policy.Defaults("").Failures, n.clock()-n.seen
	for _, z := range n.view.Zones {
		all = append(all, ZoneInfo{z.Name, z.Node, z.Epoch, z.Load, z.Node == "" && z.Failures >= most, max(0, z.Left-old), z.To})
	}
	return all
}

// Nodes returns the names of the nodes that are alive, as of the last beat.
func (n *Node) Nodes() (all []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, v := range n.view.Nodes {
		all = append(all, v.Name)
	}
	return all
}

// Stats returns the present figures.
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

// Drain gives all zones away, each when all of it is on disk, ends the node and frees its name. It fails with [ErrUnsaved], and names
// the zones, if some were stopped before: their last commits were refused for 10 s, a lease was over, or ctx has ended, whose error comes
// with it then.
func (n *Node) Drain(ctx context.Context) error {
	n.tell(func(p *policy.Node) { p.Leave(n.clock()) })
	defer n.Close()
	select {
	case <-n.left:
		n.beating.Lock() // one on its way would hold the name for one TTL, and takes no longer than that itself
		n.beaten = true
		n.beating.Unlock()
		n.cancel()
		err := n.leases.leave(ctx)
		if len(n.unsaved) > 0 { // nobody changes it any more
			return errors.Join(fmt.Errorf("%w: %q", ErrUnsaved, n.unsaved), err)
		}
		return err
	case <-ctx.Done():
		n.mu.Lock()
		zones := slices.Sorted(maps.Keys(n.hosts))
		n.mu.Unlock()
		if len(zones) > 0 {
			return fmt.Errorf("%w: %q: %w", ErrUnsaved, zones, ctx.Err())
		}
		return ctx.Err()
	case <-n.ctx.Done():
		return ErrClosed
	}
}

// Close ends the node at once: what its zones have done since their last commits is lost, and others
// claim them when the leases end. Drain loses nothing. A zone in which a function of the game has not returned
// after one TTL is left behind, and Log is told: when that function returns, nobody takes what it did.
func (n *Node) Close() {
	n.once.Do(func() {
		n.cancel() // so no zone may be played from here on
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
			_ = n.store.Close() // it only closes connections
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(n.o.TTL):
			n.leftBehind()
		}
	})
}

// leftBehind tells of the zones that have not ended.
func (n *Node) leftBehind() {
	n.mu.Lock()
	hosts := slices.Collect(maps.Values(n.hosts))
	n.mu.Unlock()
	for _, h := range hosts {
		if !closed(h.ended) {
			n.log(h.zone, h.epoch, "is left behind: a function of the game has not returned")
		}
	}
}
