package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/store"
)

// host is a zone that this node runs or is loading.
type host struct {
	n      *Node
	zone   string
	epoch  uint64
	life   uint64       // random number that identifies this run of the zone; see policy.Greeted
	begun  uint64       // number of commands that were on disk when the zone was loaded
	until  atomic.Int64 // end of the lease on the node's clock; no frame may run after that
	onDisk atomic.Uint64
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{} // receives a value when a commit has ended
	called chan struct{} // receives a value when a command has arrived
	drains chan struct{}
	ended  chan struct{} // closed when the loop has ended
	ending atomic.Bool   // Node.drop is waiting for the zone to end
	lost   atomic.Bool   // the database has gone back to an earlier state, so make no more commits
	in     queue

	durable atomic.Uint64 // number of commands on disk since the zone was created

	// Reported by Info.
	owners, waiting atomic.Int64
	page            atomic.Pointer[string]
	// time on the node's clock when commits started to fail; 0 if the last commit succeeded
	unsaved atomic.Int64

	// playing is held while a frame runs, and protects the field "stopped".
	playing sync.Mutex
	stopped bool

	// Confined to the loop.
	spec     Zone
	saver    *store.Saver
	eng      *engine.Engine
	window   policy.Window
	acks     *policy.Acks[answer]   // replies that wait for a commit
	ackShare policy.Share[senderID] // number of replies in h.acks, by client
	totals   *policy.Acks[uint64]   // values that h.durable gets when a frame is on disk
	applied  []answer               // replies that wait for the end of the Tick
	last     policy.Time
	saves    saves
	load     atomic.Uint64 // bits of a float64, see Zone.Load

	plays atomic.Bool // the zone has been loaded
	// the locator has queried arrivals, but the loop has not processed them
	polled  atomic.Bool
	coming  chan []store.Arrival // arrivals found by the locator
	failing map[buff.OwnerID]uint64

	screens   screenHost
	looksMu   sync.Mutex
	looks     []lookIn             // subscription messages that wait for the next frame
	lookShare policy.Share[string] // number of messages in h.looks, by the inbox of the client
}

// answer is a reply and its destination.
type answer struct {
	to string
	r  policy.Reply
}

// host starts running a zone.
func (n *Node) host(a policy.Action) {
	h := &host{n: n, zone: a.Zone, epoch: a.Epoch, wake: make(chan struct{}, 1), called: make(chan struct{}, 1), drains: make(chan struct{}), ended: make(chan struct{})}
	h.life = random()
	h.coming = make(chan []store.Arrival, 1)
	h.until.Store(int64(a.Until))
	h.ctx, h.cancel = context.WithCancel(n.ctx)
	h.in.share.Most, h.ackShare.Most = n.o.Waiting, n.o.Waiting
	h.acks, h.totals = policy.NewAcks[answer](n.o.Waiting), policy.NewAcks[uint64](1024)
	n.mu.Lock()
	n.hosts[a.Zone] = h
	n.mu.Unlock()
	n.gone.Go(h.run)
}

// run is the zone's goroutine.
func (h *host) run() {
	defer close(h.ended)
	defer h.cancel()
	defer h.close()
	returned := false
	defer func() {
		if v := recover(); v != nil {
			h.failed()
			h.n.log(h.zone, h.epoch, fmt.Sprintf("panicked: %s\n%s", recovered.Text(v), debug.Stack()))
		} else if !returned {
			h.failed()
			h.n.log(h.zone, h.epoch, "has failed: a function of the game ended its goroutine")
		}
	}()
	h.play()
	returned = true
}

// play loads the zone and runs it.
func (h *host) play() {
	if err := h.begin(); err != nil {
		h.n.log(h.zone, h.epoch, "could not be loaded: "+err.Error())
		if errors.Is(err, errNotLoaded) {
			h.n.post(func(p *policy.Node) { p.Fenced(h.zone, h.epoch) })
		} else {
			h.failed()
		}
		return
	}
	subs, err := h.listen()
	defer func() {
		for _, s := range subs {
			_ = s.Unsubscribe() // the connection may be closed already
		}
	}()
	if err != nil {
		h.n.post(func(p *policy.Node) { p.Fenced(h.zone, h.epoch) })
		return
	}
	h.n.log(h.zone, h.epoch, "is running")
	h.plays.Store(true)
	h.n.locator.look()
	h.n.post(func(p *policy.Node) { p.Loaded(h.n.clock(), h.zone, h.epoch, false) })
	h.loop()
}

// failed reports that the zone has failed because of its data or the game: it could not be
// loaded, or it panicked.
func (h *host) failed() {
	h.n.count(func(s *Stats) { s.Failed++ })
	h.n.post(func(p *policy.Node) { p.Loaded(h.n.clock(), h.zone, h.epoch, true) })
}

// errNotLoaded means that a zone could not be loaded for a reason outside the zone. It does not
// count as a failure of the zone.
var errNotLoaded = errors.New("cluster: the zone could not be read")

// begin loads the zone.
func (h *host) begin() (err error) {
	if h.spec, err = h.n.o.New(h.zone); err != nil {
		return err
	}
	h.page.Store(&h.spec.Page)
	o := &h.spec.Store
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	if o.Every == 0 {
		// subtract half a frame, so that each cut is made in the frame closest to 50 ms after the
		// previous cut
		o.Every = max(time.Millisecond, 50*time.Millisecond-h.n.o.Frame/2)
	}
	own := o.Zone
	o.Zone = func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint64(append(b, zoneMark...), h.window.Total())
		if own != nil {
			b = own(b)
		}
		return b
	}
	h.saver, err = store.Open(h.ctx, leased{h.n.store, h}, h.zone, h.spec.Engine, *o)
	if err != nil {
		for _, theirs := range []error{store.ErrDamaged, store.ErrFuture, store.ErrName} {
			if errors.Is(err, theirs) {
				return err
			}
		}
		return fmt.Errorf("%w: %w", errNotLoaded, err)
	}
	h.eng = h.saver.Engine()
	for h.saver.Restored().Left > 0 {
		if !h.mayPlay() {
			return fmt.Errorf("%w: the lease has ended", errNotLoaded)
		}
		h.saver.After(h.eng.Tick(0))
	}
	r := h.saver.Restored()
	h.window = policy.NewWindow(o.Window, 0)
	if total, data, ok := splitZone(r.Zone); ok {
		h.window, r.Zone = policy.NewWindow(o.Window, total), data
		h.durable.Store(total)
	}
	h.begun = h.durable.Load()
	h.onDisk.Store(r.Frame)
	if h.spec.Begin != nil {
		if err := h.spec.Begin(h.saver, r); err != nil {
			return err
		}
	}
	h.last = h.n.clock()
	return nil
}

// zoneMark is the start of the saved data of a zone. The number of executed commands follows, in
// eight bytes, and then the data of the game.
const zoneMark = "bfc1"

func splitZone(b []byte) (total uint64, game []byte, ok bool) {
	if len(b) < len(zoneMark)+8 || string(b[:len(zoneMark)]) != zoneMark {
		return 0, b, false
	}
	b = b[len(zoneMark):]
	return binary.LittleEndian.Uint64(b), b[8:], true
}

// listen subscribes to the zone's subjects for hellos and for commands of this epoch.
func (h *host) listen() (subs []*nats.Subscription, err error) {
	name := subject(h.n.o.Prefix, h.zone)
	for _, s := range []string{name, fmt.Sprintf("%s.%d", name, h.epoch)} {
		sub, err := h.n.o.NATS.Subscribe(s, h.hear)
		if err != nil {
			return subs, err
		}
		subs = append(subs, sub)
	}
	sub, err := h.n.o.NATS.Subscribe(screens(h.n.o.Prefix, h.zone), h.hearLook)
	if err != nil {
		return subs, err
	}
	return append(subs, sub), nil
}

// mayPlay reports whether this node still holds the lease of the zone.
func (h *host) mayPlay() bool { return int64(h.n.clock()) < h.until.Load() && h.ctx.Err() == nil }

// loop runs frames until the zone is drained or lost. The first frame runs as soon as the first
// command arrives, because senders are waiting if the zone has just moved.
func (h *host) loop() {
	called := h.called
	ticker := time.NewTicker(h.n.o.Frame)
	defer ticker.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.drains:
			h.save()
			return
		case <-h.wake:
			h.playing.Lock()
			if !h.stopped && h.mayPlay() {
				h.committed()
			}
			h.playing.Unlock()
			continue
		case <-called:
			ticker.Reset(h.n.o.Frame)
		case <-ticker.C:
		}
		if called = nil; !h.frame() {
			h.n.log(h.zone, h.epoch, "no longer belongs to this node")
			return // the policy also stops the zone
		}
		if !h.saved(h.n.clock(), h.saver.Stats().Err) {
			return
		}
	}
}

// frame runs one frame, if the lease is still held.
func (h *host) frame() bool {
	h.playing.Lock()
	defer h.playing.Unlock()
	if h.stopped || !h.mayPlay() {
		return false
	}
	select {
	case list := <-h.coming:
		h.admit(list)
	default:
	}
	for _, e := range h.in.take() {
		h.do(e)
	}
	now := h.n.clock()
	f := h.saver.After(h.eng.Tick(min(now-h.last, h.n.o.TTL)))
	h.last = now
	if h.spec.Tick != nil {
		h.spec.Tick(h.saver, f)
	}
	if h.spec.Load != nil {
		h.weigh(h.spec.Load())
	}
	if !h.mayPlay() {
		return false // the frame will not be saved, so send no replies
	}
	for _, a := range h.applied {
		h.send(a)
	}
	h.applied = h.applied[:0]
	h.committed()
	h.takeLooks(now)
	h.show(now)
	h.owners.Store(int64(h.eng.Owners()))
	h.waiting.Store(int64(h.acks.Len() + h.in.size()))
	return true
}

// committed sends the replies that were waiting for a commit.
func (h *host) committed() {
	frame := h.onDisk.Load()
	h.totals.Committed(frame, h.durable.Store)
	h.acks.Committed(frame, func(a answer) {
		h.ackShare.Give(senderOf(a.r.ID))
		h.send(a)
	})
}

func (h *host) send(a answer) {
	a.r.Total = h.durable.Load()
	h.reply(a.to, &a.r)
}

// reply sends a reply. If it is lost, the sender repeats its command.
func (h *host) reply(to string, r *policy.Reply) {
	_ = h.n.publish(h.zone, h.epoch, to, appendReply(nil, r)) // errors are counted and logged
}

// drain makes the loop save the zone and end.
func (h *host) drain() { close(h.drains) }

// save saves the zone completely and ends it. It retries until the lease ends or the policy stops
// the zone.
func (h *host) save() {
	for _, e := range h.in.close() {
		h.gone(e)
	}
	for h.mayPlay() {
		ctx, cancel := context.WithTimeout(h.ctx, h.n.o.TTL)
		err := h.saver.Drain(ctx)
		cancel()
		if err == nil {
			h.committed()
			h.n.count(func(s *Stats) { s.Drained++ })
			h.n.log(h.zone, h.epoch, "is saved and released")
			h.n.post(func(p *policy.Node) { p.Drained(h.n.clock(), h.zone, h.epoch) })
			return
		}
		if !h.saved(h.n.clock(), err) || errors.Is(err, store.ErrFenced) {
			return
		}
		select { // pause between attempts
		case <-h.ctx.Done():
		case <-time.After(h.n.o.Frame):
		}
	}
}

// stop prevents further frames, and waits until a running frame has ended.
func (h *host) stop() {
	h.cancel()
	h.in.close()
	h.playing.Lock()
	defer h.playing.Unlock()
	h.stopped = true
}

// close releases the resources of the zone at the end of its loop.
func (h *host) close() {
	h.cancel()
	h.in.close()
	if h.saver != nil {
		h.saver.Close()
		_ = h.eng.Close(h.ctx) // busy owners are abandoned, because nothing more is saved
	}
}
