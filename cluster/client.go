package cluster

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/internal/recovered"
)

// ClientOptions say how a client reaches the zones.
type ClientOptions struct {
	// NATS is a connection, which stays open; Prefix is that of the nodes' Options.
	NATS   *nats.Conn
	Prefix string

	// Catalog is that by which commands are written. A zone whose node has an older one, without the
	// buff that a command names, refuses it.
	Catalog *buff.Catalog

	// Outstanding is how many commands may be under way; if zero, 2,048. One more is ErrOverloaded.
	Outstanding int

	// Lost, if not nil, is called once when the database of a zone has gone back: a standby has taken over that had not all of
	// it, or a backup was put back. What the zone has acknowledged since is lost, also as durable; the error is ErrLost and names the
	// zone. Commands that are under way are done once, in what there is now. Any goroutine calls it.
	Lost func(zone string, err error)

	// Log, if not nil, is told in a sentence that a function given to Send, Subscribe or Lost has panicked, that a database has gone back, or that two
	// worlds have one Prefix. Any goroutine calls it. Nobody is told if it panics itself.
	Log func(what string)
}

// Certainty says for what a sender waits.
type Certainty uint8

const (
	Applied Certainty = iota // the Tick that does the command is over; a crash may still undo it
	Durable                  // it is on disk
)

// Reply is what became of a command.
type Reply struct {
	// Result is what the engine has answered. With Again it is empty.
	Result buff.Result

	// Again says that the command was done when an earlier copy of it came, and that the answer to that
	// was lost. It was done once.
	Again bool

	// Zone is the one that has answered: another than was asked if the owner has moved.
	Zone  string
	Epoch uint64 // of the zone's owner that has answered
	Tries int    // how often it was sent
}

// Client sends commands to zones, wherever they are played. Any goroutine may call its methods.
type Client struct {
	o     ClientOptions
	start time.Time
	inbox string // subject; behind it the id of a message, or the name of a zone
	sub   *nats.Subscription
	who   [8]byte // begins all ids

	mu     sync.Mutex
	sender *policy.Sender
	waits  map[policy.ID]func(Reply, error)
	ended  []func() // to be called when mu is free
	number uint64
	timer  *time.Timer
	closed bool
	buf    []byte
	worlds map[uint64]bool // that have answered

	// Of Subscribe.
	screens     map[screenID]*Subscription
	screenInbox string
	shown       *nats.Subscription // nil: there was none yet
	renewal     *time.Timer
	taking      atomic.Bool // a function given to Subscribe runs
}

// NewClient returns a client. It fails with [ErrOptions], or with what NATS says.
func NewClient(o ClientOptions) (*Client, error) {
	if o.NATS == nil || o.Outstanding < 0 {
		return nil, fmt.Errorf("%w: no NATS, or %d Outstanding", ErrOptions, o.Outstanding)
	}
	if o.Prefix == "" {
		o.Prefix = "bufftick"
	}
	if err := checkPrefix(o.Prefix); err != nil {
		return nil, err
	}
	sc := policy.SenderDefaults()
	if o.Outstanding > 0 {
		sc.Outstanding = o.Outstanding
	}
	c := &Client{
		o: o, start: time.Now(), inbox: o.NATS.NewInbox(), sender: policy.NewSender(sc),
		waits: map[policy.ID]func(Reply, error){}, worlds: map[uint64]bool{},
	}
	_, _ = rand.Read(c.who[:])                  // it does not fail
	c.timer = time.AfterFunc(time.Hour, c.wake) // flush sets it
	var err error
	if c.sub, err = o.NATS.Subscribe(c.inbox+".*", c.heard); err != nil {
		c.timer.Stop()
		return nil, err
	}
	return c, nil
}

// Do has a command done in a zone, and waits until the Tick is over that does it.
func (c *Client) Do(ctx context.Context, zone string, cmd buff.Command) error {
	_, err := c.Ask(ctx, zone, cmd, Applied)
	return err
}

// Ask has a command done in a zone, and waits until it has been, or until that is on disk. It is sent
// again until it is known what became of it, also where the zone goes to another node in between, and is
// done once.
//
// It fails with [ErrRefused] if it has not been done and will not be: Reply.Result.Err says why; with
// [ErrOverloaded], [ErrTooLarge], [ErrClosed], or as Command.AppendBinary does, and was not sent then. If ctx ends first
// the error is [ErrUnknown] if it had been sent, and else [ErrNoOwner], with ctx.Err(). [ErrUnknown] is
// also the answer of a zone that does not know any more. With it comes [ErrShare] if the zone has said of the
// last copy that it did not take it, since too much of this client waited there.
func (c *Client) Ask(ctx context.Context, zone string, cmd buff.Command, want Certainty) (Reply, error) {
	return c.await(ctx, zone, func(done func(Reply, error)) (policy.ID, error) { return c.send(zone, cmd, want, done) })
}

// await sends something, and waits until it is known what became of it.
func (c *Client) await(ctx context.Context, zone string, send func(done func(Reply, error)) (policy.ID, error)) (Reply, error) {
	type end struct {
		r   Reply
		err error
	}
	done := make(chan end, 1)
	id, err := send(func(r Reply, err error) { done <- end{r, err} })
	if err != nil {
		return Reply{}, err
	}
	select {
	case e := <-done:
		return e.r, e.err
	case <-ctx.Done():
	}
	if sent, crowded, was := c.cancel(id); was {
		switch {
		case crowded:
			return Reply{}, fmt.Errorf("%w: %w: %q: %w", ErrUnknown, ErrShare, zone, ctx.Err())
		case sent:
			return Reply{}, fmt.Errorf("%w: %w%w", ErrUnknown, ctx.Err(), c.denied())
		}
		return Reply{}, fmt.Errorf("%w: %q: %w%w", ErrNoOwner, zone, ctx.Err(), c.denied())
	}
	e := <-done
	return e.r, e.err
}

// Send is Ask without waiting: done is called with what Ask would return, by a goroutine that must not be
// held up, and that it must not end. It is sent until it is known what became of it, or the client is closed.
func (c *Client) Send(zone string, cmd buff.Command, want Certainty, done func(Reply, error)) error {
	_, err := c.send(zone, cmd, want, done)
	return err
}

func (c *Client) clock() policy.Time { return time.Since(c.start) }

func (c *Client) send(zone string, cmd buff.Command, want Certainty, done func(Reply, error)) (policy.ID, error) {
	body, err := cmd.AppendBinary(nil, c.o.Catalog)
	if err != nil {
		return policy.ID{}, err
	}
	return c.sendBody(zone, body, want, done)
}

func (c *Client) sendBody(zone string, body []byte, want Certainty, done func(Reply, error)) (policy.ID, error) {
	if err := c.gone(); err != nil {
		return policy.ID{}, err
	}
	if most := mostPayload(c.o.NATS); len(body)+mostHead > most {
		return policy.ID{}, fmt.Errorf("%w: %d bytes, and NATS takes %d in a message (max_payload), of which %d are for the rest", ErrTooLarge, len(body), most, mostHead)
	}
	c.mu.Lock()
	defer c.unlock()
	if c.closed {
		return policy.ID{}, ErrClosed
	}
	c.number++
	var id policy.ID
	copy(id[:], c.who[:])
	binary.BigEndian.PutUint64(id[len(c.who):], c.number<<1) // far below what reaches the policy's marks
	c.waits[id] = done
	if !c.sender.Send(c.clock(), policy.Message{ID: id, Zone: zone, Sure: want == Durable, Body: body}) {
		delete(c.waits, id)
		return policy.ID{}, fmt.Errorf("%w: %d", ErrOverloaded, c.sender.Len())
	}
	c.flush()
	return id, nil
}

func (c *Client) cancel(id policy.ID) (sent, crowded, was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits[id] == nil {
		return false, false, false
	}
	delete(c.waits, id)
	crowded = c.sender.Crowded(id)
	return c.sender.Cancel(id), crowded, true
}

// unlock frees mu, and then tells those whose commands have ended.
func (c *Client) unlock() {
	ended := c.ended
	c.ended = nil
	c.mu.Unlock()
	for _, f := range ended {
		f()
	}
}

// tell calls a function that was given to Send. A panic of it ends neither the process nor the client.
func (c *Client) tell(done func(Reply, error), r Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log("cluster: a function given to Send panicked: " + recovered.Text(v))
		}
	}()
	done(r, err)
}

// An answer comes to the inbox with one word behind it: this letter and the id of the command, or the
// other and the zone that a hello was for. So does the server's, that nobody has subscribed.
const (
	ofCommand = 'c'
	ofHello   = 'h'
)

// flush publishes what the sender wants sent, and takes what has ended. Only who has c.mu may call it.
func (c *Client) flush() {
	out, done := c.sender.Take()
	for k := range out {
		m := &out[k]
		to := subject(c.o.Prefix, m.Zone)
		from := fmt.Sprintf("%s.%c%x", c.inbox, ofCommand, m.ID[:])
		if m.ID == (policy.ID{}) {
			from = fmt.Sprintf("%s.%c%x", c.inbox, ofHello, m.Zone)
		} else {
			to = fmt.Sprintf("%s.%d", to, m.Epoch)
		}
		c.buf = appendMessage(c.buf[:0], m)
		_ = c.o.NATS.PublishRequest(to, from, c.buf) // what does not go out is sent again
	}
	for _, o := range done {
		if f := c.waits[o.ID]; f != nil {
			delete(c.waits, o.ID)
			c.ended = append(c.ended, func() {
				r, err := outcome(o)
				c.tell(f, r, err)
			})
		}
	}
	for _, x := range c.sender.Lost() {
		c.ended = append(c.ended, func() { c.tellLost(x.Zone) })
		for _, s := range c.screens {
			if s.zone == x.Zone {
				s.watch.Turn(x.Epoch)
			}
		}
	}
	if at, ok := c.sender.Next(); ok && !c.closed {
		c.timer.Reset(max(time.Millisecond, at-c.clock()))
	}
}

// outcome is what became of a command, as Ask returns it.
func outcome(o policy.Outcome) (r Reply, err error) {
	r = Reply{Zone: o.Reply.Zone, Epoch: o.Reply.Epoch, Tries: o.Tries}
	if o.Reply.Code == policy.Moved {
		return r, fmt.Errorf("%w: its owner has moved too often, to %q last", ErrRefused, o.Reply.Body)
	}
	if len(o.Reply.Body) > 0 {
		if r.Result, err = parseResult(o.Reply.Body); err != nil {
			return r, err
		}
	}
	switch o.Reply.Code {
	case policy.Done:
		r.Again = true
	case policy.Unknown:
		return r, fmt.Errorf("%w: the zone has done too many others", ErrUnknown)
	case policy.Refused:
		if r.Result.Err == nil {
			return r, ErrRefused
		}
		return r, fmt.Errorf("%w: %w", ErrRefused, r.Result.Err)
	}
	return r, nil
}

func (c *Client) wake() {
	if c.gone() != nil {
		return
	}
	c.mu.Lock()
	defer c.unlock()
	if !c.closed {
		c.sender.Wake(c.clock())
		c.flush()
	}
}

// heard takes in a reply, or that nobody has subscribed.
func (c *Client) heard(msg *nats.Msg) {
	end := strings.TrimPrefix(msg.Subject, c.inbox+".")
	if end == "" {
		return
	}
	about, err := hex.DecodeString(end[1:])
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.unlock()
	m := policy.Message{Zone: string(about)}
	if end[0] == ofCommand {
		copy(m.ID[:], about)
		var known bool
		if m.Zone, m.Epoch, known = c.sender.Sent(m.ID); !known {
			return // it has ended
		}
	}
	if c.closed {
		return
	}
	if len(msg.Data) == 0 && msg.Header.Get("Status") == "503" {
		c.sender.Nobody(c.clock(), m)
	} else if p, err := parseReply(msg.Data); err == nil {
		p.Zone, p.Body = m.Zone, append([]byte(nil), p.Body...)
		if p.Code == policy.Greeting {
			p.Greeted = parseGreeted(p.Body)
			c.meet(p.Zone, p.World)
		}
		c.sender.Heard(c.clock(), p)
	}
	c.flush()
}

// meet notes which world has answered: two that have one Prefix are said to Log. Only who has c.mu may call it.
func (c *Client) meet(zone string, world uint64) {
	if world == 0 || c.worlds[world] || len(c.worlds) > mostWorlds {
		return
	}
	c.worlds[world] = true
	if len(c.worlds) > 1 {
		c.ended = append(c.ended, func() {
			c.log(fmt.Sprintf("cluster: zone %q is answered by another world than before: two have the prefix %q, or it has another database now", zone, c.o.Prefix))
		})
	}
}

// mostWorlds is how many worlds a client tells apart.
const mostWorlds = 16

// tellLost tells the game that the database of a zone has gone back.
func (c *Client) tellLost(zone string) {
	err := fmt.Errorf("%w: zone %q", ErrLost, zone)
	c.log(err.Error())
	if c.o.Lost == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.log("cluster: ClientOptions.Lost panicked: " + recovered.Text(v))
		}
	}()
	c.o.Lost(zone, err)
}

func (c *Client) log(what string) {
	if c.o.Log != nil {
		defer func() { _ = recover() }()
		c.o.Log(what)
	}
}

// gone ends a client whose connection is closed for good, and returns why it can do nothing more, if that is so.
func (c *Client) gone() error {
	if !c.o.NATS.IsClosed() {
		return nil
	}
	c.Close()
	return fmt.Errorf("%w: the connection to NATS is closed for good%w", ErrClosed, because(c.o.NATS.LastError()))
}

// because is an error as a part of another one's text.
func because(err error) error {
	if err == nil {
		return nothing{}
	}
	return fmt.Errorf(": %w", err)
}

// nothing is an error that says nothing.
type nothing struct{}

func (nothing) Error() string { return "" }

// denied is what NATS has said, if it is that this user may not do something.
func (c *Client) denied() error {
	if err := c.o.NATS.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return because(err)
	}
	return nothing{}
}

// Close ends the client. Commands that are under way end with [ErrUnknown], Subscriptions with [ErrClosed].
func (c *Client) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	waits := c.waits
	c.waits = map[policy.ID]func(Reply, error){}
	c.timer.Stop()
	c.mu.Unlock()
	_ = c.sub.Unsubscribe() // the connection may be closed already
	c.endScreens()
	for _, f := range waits {
		c.tell(f, Reply{}, fmt.Errorf("%w: %w", ErrUnknown, ErrClosed))
	}
}
