package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/store"
)

// MaxSubscriptions is the maximum number of subscriptions of a Client.
const MaxSubscriptions = 4096

// Packet is one delivery of a Subscription: an error, or a message of package replicate, which must
// be passed unchanged to the player's client.
type Packet struct {
	// Epoch is the epoch of the zone when it sent the packet. It never decreases, except after a
	// Packet with ErrLost.
	Epoch uint64

	// Fresh reports that this is the first packet from a new viewer in the zone. The zone creates a
	// viewer when the subscription starts, when another node takes over the zone, and after the
	// subscription was silent for 3 s. The player's client must drop its state, for example with
	// client.Client.Reset.
	Fresh bool

	// Bytes holds definitions or a packet, to be passed to client.Client.Receive. It is valid until
	// take() returns (see Client.Subscribe).
	Bytes []byte

	// If Err is not nil, Bytes is empty. ErrRefused means that the zone refuses subscriptions or
	// has too many viewers. ErrClosed means that the client or its connection was closed. Both
	// errors end the Subscription. ErrLost means that the database has gone back to an earlier
	// state: the Subscription continues, and the next packet is Fresh.
	Err error
}

// Subscription is one player's view of a zone, on whichever node the zone runs. It is safe for
// concurrent use.
type Subscription struct {
	c     *Client
	id    screenID
	zone  string
	owner buff.OwnerID
	take  func(Packet)

	// Guarded by c.mu.
	watch policy.Watch
	ended bool

	// Confined to the goroutine that calls take.
	parts parts
	fresh bool // the next Packet is Fresh
}

// Subscribe calls take() with each packet of a zone's replicated buffs, as seen by a viewer with
// the given owner: see Zone.Screens and package replicate. The Subscription follows the zone from
// node to node. Packets are delivered in order. If packets were lost or not read in time, the
// player's client notices this and sends a message, which must be passed to Subscription.Receive.
//
// All Subscriptions of the Client share the goroutine that calls take(), so the function must not
// block. If a Subscription leaves 64 packets unread, the zone stops sending, and sends the full
// state when it resumes. A zone that no node runs sends no packets; a running zone without changes
// sends one packet every second.
//
// Subscribe returns [ErrOverloaded] above [MaxSubscriptions], [ErrClosed], store.ErrName, or an
// error of NATS.
func (c *Client) Subscribe(zone string, owner buff.OwnerID, take func(Packet)) (*Subscription, error) {
	if err := store.CheckName(zone); err != nil {
		return nil, err
	}
	if err := c.gone(); err != nil {
		return nil, err
	}
	s := &Subscription{c: c, zone: zone, owner: owner, take: take}
	_, _ = rand.Read(s.id[:]) // never fails
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, ErrClosed
	case len(c.screens) >= MaxSubscriptions:
		return nil, fmt.Errorf("%w: %d subscriptions", ErrOverloaded, MaxSubscriptions)
	}
	if c.shown == nil {
		c.screenInbox = c.o.NATS.NewInbox()
		sub, err := c.o.NATS.Subscribe(c.screenInbox+".*", c.hearShown)
		if err != nil {
			return nil, err
		}
		c.shown, c.screens = sub, map[screenID]*Subscription{}
		c.renewal = time.AfterFunc(policy.RenewLook, c.renew)
	}
	c.screens[s.id] = s
	s.say(&look{kind: isLook})
	return s, nil
}

// Receive passes a message from the player's client to the zone. The message contains only the
// number of the last packet that the player's client has received. Messages of more than 64 bytes
// are ignored.
func (s *Subscription) Receive(message []byte) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if !s.ended && s.watch.Join() != 0 {
		s.say(&look{kind: isSaid, said: message})
	}
}

// Close ends the subscription. A call to take may still be running when Close returns.
func (s *Subscription) Close() {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if !s.ended {
		s.say(&look{kind: isLeave})
		s.ended = true
		delete(s.c.screens, s.id)
	}
}

// say sends a message to the zone. Requires c.mu.
func (s *Subscription) say(l *look) {
	l.id, l.owner, l.join, l.number = s.id, s.owner, s.watch.Join(), s.watch.Number()
	to := fmt.Sprintf("%s.%x", s.c.screenInbox, s.id[:])
	s.c.buf = appendLook(s.c.buf[:0], l)
	_ = s.c.o.NATS.PublishRequest(screens(s.c.o.Prefix, s.zone), to, s.c.buf) // a lost message is repeated
}

// renew reports to the zones that all Subscriptions are alive, and which packets they have
// received.
func (c *Client) renew() {
	if c.gone() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	unread, _, err := c.shown.Pending()
	idle := err == nil && unread == 0 && !c.taking.Load()
	for _, s := range c.screens {
		s.say(&look{kind: isLook})
		// A running zone sends a packet every second. After a longer silence, packets may have been
		// lost.
		if s.watch.Resync() {
			s.say(&look{kind: isMissed})
		}
		if s.watch.Renew(idle) {
			s.say(&look{kind: isAll})
		}
	}
	c.renewal.Reset(policy.RenewLook)
}

// hearShown processes a message from a zone.
func (c *Client) hearShown(msg *nats.Msg) {
	var id screenID
	if b, err := hex.DecodeString(strings.TrimPrefix(msg.Subject, c.screenInbox+".")); err != nil || copy(id[:], b) != len(id) {
		return
	}
	m, err := parseShown(msg.Data)
	if err != nil {
		return // a "no responders" message, or a message in a later version of the format
	}
	c.mu.Lock()
	s := c.screens[id]
	if s == nil {
		c.mu.Unlock()
		return
	}
	p, show := s.hear(&m)
	c.taking.Store(true)
	c.mu.Unlock()
	defer c.taking.Store(false)
	if show {
		s.show(p, m.kind)
	}
}

// hear processes a message and returns the packet to pass to take(). The result "show" is false if
// there is none. Requires c.mu.
func (s *Subscription) hear(m *shown) (p Packet, show bool) {
	c := s.c
	p = Packet{Epoch: m.epoch, Bytes: m.bytes}
	if m.kind == isRefused {
		if m.epoch < s.watch.Epoch() {
			return p, false // sent by a node that ran the zone earlier
		}
		s.ended = true
		delete(c.screens, s.id)
		return Packet{Epoch: m.epoch, Err: fmt.Errorf("%w: zone %q: %s", ErrRefused, s.zone, m.bytes)}, true
	}
	sight, missed := s.watch.Heard(c.clock(), c.sender.Lease(s.zone), m.epoch, m.join, m.number, m.defines())
	if missed { // the player's client detects lost packets itself, but not lost definitions
		s.say(&look{kind: isMissed})
	}
	switch sight {
	case policy.Skip:
		return p, false
	case policy.GoneBack:
		return Packet{Epoch: m.epoch, Err: fmt.Errorf("%w: zone %q", ErrLost, s.zone)}, true
	}
	p.Fresh = sight == policy.ShowFirst
	if m.number%(policy.MostUnread/4) == 0 {
		s.say(&look{kind: isLook})
	}
	return p, true
}

// show passes a packet to take(). If a packet was sent in parts, show passes it when the last part
// arrives.
func (s *Subscription) show(p Packet, kind byte) {
	s.fresh = s.fresh || p.Fresh
	if kind == isPart {
		whole := s.parts.add(p.Bytes)
		if len(whole) == 0 {
			return
		}
		p.Bytes = whole[1:]
	}
	if p.Err == nil {
		p.Fresh, s.fresh = s.fresh, false
	}
	s.callTake(p)
}

// callTake calls take and recovers from its panics.
func (s *Subscription) callTake(p Packet) {
	defer func() {
		if v := recover(); v != nil {
			s.c.log("cluster: a function given to Subscribe panicked: " + recovered.Text(v))
		}
	}()
	s.take(p)
}

// endScreens ends all Subscriptions of a closed Client.
func (c *Client) endScreens() {
	c.mu.Lock()
	all := c.screens
	c.screens = nil
	sub := c.shown
	for _, s := range all {
		s.say(&look{kind: isLeave})
		s.ended = true
	}
	if c.renewal != nil {
		c.renewal.Stop()
	}
	c.mu.Unlock()
	if sub != nil {
		_ = sub.Unsubscribe() // the connection may be closed already
	}
	for _, s := range all {
		s.callTake(Packet{Err: ErrClosed})
	}
}
