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

// ClientOptions configure a client.
type ClientOptions struct {
	// NATS is an open connection. Client.Close does not close it. Prefix must equal the
	// Options.Prefix of the nodes.
	NATS   *nats.Conn
	Prefix string

	// Catalog encodes the commands. If the node of a zone has an older catalog that lacks the
	// buff of a command, the zone rejects the command.
	Catalog *buff.Catalog

	// Outstanding is the maximum number of pending commands; if zero, 2,048. Further commands
	// fail with ErrOverloaded.
	Outstanding int

	// Lost, if not nil, is called once when the database of a zone has gone back to an earlier
	// state, because a standby without the latest changes has taken over, or a backup was
	// restored. Changes since that state are lost, including changes acknowledged as Durable. The
	// error is ErrLost and names the zone. Pending commands are executed once, in the present
	// state. Lost may be called from any goroutine.
	Lost func(zone string, err error)

	// Log, if not nil, receives a sentence in these cases: Lost, or a function given to Send or
	// Subscribe, panics; a database has gone back to an earlier state; two worlds have the same
	// Prefix. It may be called from any goroutine, and its own panics are ignored.
	Log func(what string)
}

// Certainty is the event that the sender of a command waits for.
type Certainty uint8

const (
	// the Tick that executed the command is over; a crash can still undo the command
	Applied Certainty = iota
	Durable           // the command is on disk
)

// Reply is the outcome of a command.
type Reply struct {
	// Result is the engine's result. It is empty if Again is true.
	Result buff.Result

	// Again reports that the zone had already executed an earlier copy of the command, whose
	// reply was lost. The command was executed only once.
	Again bool

	// Zone is the zone that replied. It differs from the requested zone if the owner has moved.
	Zone  string
	Epoch uint64 // epoch of the zone when it replied
	Tries int    // number of times that the command was sent
}

// Client sends commands to zones on any node. It is safe for concurrent use.
type Client struct {
	o     ClientOptions
	start time.Time
	inbox string // subject of replies, without the last token; see ofCommand
	sub   *nats.Subscription
	who   [8]byte // prefix of all ids of this client's commands

	mu     sync.Mutex
	sender *policy.Sender
	waits  map[policy.ID]func(Reply, error)
	ended  []func() // functions to call after mu is released
	number uint64
	timer  *time.Timer
	closed bool
	buf    []byte
	worlds map[uint64]bool // the worlds that have replied

	// For Subscribe.
	screens     map[screenID]*Subscription
	screenInbox string
	shown       *nats.Subscription // nil before the first Subscribe
	renewal     *time.Timer
	taking      atomic.Bool // a function given to Subscribe is running
}

// NewClient returns a client. The error is [ErrOptions] or comes from NATS.
func NewClient(o ClientOptions) (*Client, error) {
	if o.NATS == nil || o.Outstanding < 0 {
		return nil, fmt.Errorf("%w: NATS is nil or Outstanding is %d", ErrOptions, o.Outstanding)
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
	_, _ = rand.Read(c.who[:])                  // never fails
	c.timer = time.AfterFunc(time.Hour, c.wake) // flush sets the actual time
	var err error
	if c.sub, err = o.NATS.Subscribe(c.inbox+".*", c.heard); err != nil {
		c.timer.Stop()
		return nil, err
	}
	return c, nil
}

// Do executes a command in a zone and waits until the Tick that executes it is over.
func (c *Client) Do(ctx context.Context, zone string, cmd buff.Command) error {
	_, err := c.Ask(ctx, zone, cmd, Applied)
	return err
}

// Ask executes a command in a zone and waits until it is Applied or Durable. The command is sent
// repeatedly until its outcome is known, even if the zone moves to another node, but is executed
// only once.
//
// Ask returns [ErrRefused] if the command was not and will never be executed; Reply.Result.Failure is
// the reason. If the command could not be sent, Ask returns [ErrOverloaded], [ErrTooLarge],
// [ErrClosed] or an error of Command.AppendBinary. If ctx ends first, the error wraps ctx.Err(),
// and also [ErrUnknown] if the command was sent, or [ErrNoOwner] if it was not. The error also
// matches [ErrShare] if the zone did not accept the last copy because too many commands of this
// client were waiting. Ask also returns [ErrUnknown] if the zone no longer knows the outcome.
func (c *Client) Ask(ctx context.Context, zone string, cmd buff.Command, want Certainty) (Reply, error) {
	return c.await(ctx, zone, func(done func(Reply, error)) (policy.ID, error) { return c.send(zone, cmd, want, done) })
}

// await sends a message and waits until its outcome is known.
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

// Send is like Ask but does not wait. Later, done is called with the results that Ask would return.
// The function must not block or call runtime.Goexit. The command is sent repeatedly until its
// outcome is known or the client is closed.
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
		return policy.ID{}, fmt.Errorf("%w: %d bytes, but max_payload of NATS is %d bytes, of which %d are reserved for the header", ErrTooLarge, len(body), most, mostHead)
	}
	c.mu.Lock()
	defer c.unlock()
	if c.closed {
		return policy.ID{}, ErrClosed
	}
	c.number++
	var id policy.ID
	copy(id[:], c.who[:])
	binary.BigEndian.PutUint64(id[len(c.who):], c.number<<1) // the mark bits of policy.ID stay 0
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

// unlock releases mu, and then calls the functions that have been collected in ended.
func (c *Client) unlock() {
	ended := c.ended
	c.ended = nil
	c.mu.Unlock()
	for _, f := range ended {
		f()
	}
}

// complete calls a function given to Send, and recovers from its panics.
func (c *Client) complete(done func(Reply, error), r Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log("cluster: a function given to Send panicked: " + recovered.Text(v))
		}
	}()
	done(r, err)
}

// The subject of a reply is the inbox, followed by one token: ofCommand and the id of the command,
// or ofHello and the name of the zone, both in hexadecimal. The server sends its "no responders"
// messages to the same subjects.
const (
	ofCommand = 'c'
	ofHello   = 'h'
)

// flush publishes the messages that are due. It appends to c.ended the functions of the commands
// that have ended. Requires c.mu.
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
		_ = c.o.NATS.PublishRequest(to, from, c.buf) // a lost message is sent again
	}
	for _, o := range done {
		if f := c.waits[o.ID]; f != nil {
			delete(c.waits, o.ID)
			c.ended = append(c.ended, func() {
				r, err := outcome(o)
				c.complete(f, r, err)
			})
		}
	}
	for _, x := range c.sender.Lost() {
		c.ended = append(c.ended, func() { c.reportLoss(x.Zone) })
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

// outcome converts an outcome to the results of Ask.
func outcome(o policy.Outcome) (r Reply, err error) {
	r = Reply{Zone: o.Reply.Zone, Epoch: o.Reply.Epoch, Tries: o.Tries}
	if o.Reply.Code == policy.Moved {
		return r, fmt.Errorf("%w: its owner has moved too often, last to %q", ErrRefused, o.Reply.Body)
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
		return r, fmt.Errorf("%w: the zone has executed too many others since", ErrUnknown)
	case policy.Refused:
		if r.Result.Failure == nil {
			return r, ErrRefused
		}
		return r, fmt.Errorf("%w: %w", ErrRefused, r.Result.Failure)
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

// heard processes a reply or a "no responders" message.
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
			return // the command has ended
		}
	}
	if c.closed {
		return
	}
	if len(msg.Data) == 0 && msg.Header.Get("Status") == "503" {
		c.sender.NoResponders(c.clock(), m)
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

// meet records which world (database schema) a reply comes from, and logs a warning if replies have
// come from several worlds. Requires c.mu.
func (c *Client) meet(zone string, world uint64) {
	if world == 0 || c.worlds[world] || len(c.worlds) > mostWorlds {
		return
	}
	c.worlds[world] = true
	if len(c.worlds) > 1 {
		c.ended = append(c.ended, func() {
			c.log(fmt.Sprintf("cluster: replies for zone %q come from another world than before: two worlds use the prefix %q, or the zone has a different database now", zone, c.o.Prefix))
		})
	}
}

// mostWorlds is the maximum number of worlds that a client distinguishes.
const mostWorlds = 16

// reportLoss reports to the game that the database of a zone has gone back to an earlier state.
func (c *Client) reportLoss(zone string) {
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

// gone returns nil unless the connection is closed for good. In that case it closes the client
// and returns ErrClosed.
func (c *Client) gone() error {
	if !c.o.NATS.IsClosed() {
		return nil
	}
	c.Close()
	return fmt.Errorf("%w: the connection to NATS is closed for good%w", ErrClosed, suffix(c.o.NATS.LastError()))
}

// suffix returns an error that can be appended to another error with %w. Its text is ": "
// followed by err, or empty if err is nil.
func suffix(err error) error {
	if err == nil {
		return emptyError{}
	}
	return fmt.Errorf(": %w", err)
}

// emptyError is an error with an empty text.
type emptyError struct{}

func (emptyError) Error() string { return "" }

// If the last error of NATS is a permission violation, denied returns it as a suffix. Otherwise the
// suffix is empty.
func (c *Client) denied() error {
	if err := c.o.NATS.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return suffix(err)
	}
	return emptyError{}
}

// Close closes the client. Pending commands end with [ErrUnknown], Subscriptions with
// [ErrClosed].
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
		c.complete(f, Reply{}, fmt.Errorf("%w: %w", ErrUnknown, ErrClosed))
	}
}
