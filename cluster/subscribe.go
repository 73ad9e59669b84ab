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

// MaxSubscriptions is how many a Client may have at once.
const MaxSubscriptions = 4096

// Packet is what a Subscription brings: one message of package replicate, which belongs to the player's client as it is.
type Packet struct {
	// Epoch is that of the zone's owner that has sent it. It goes back only after a Packet whose Err is ErrLost.
	Epoch uint64

	// Fresh says that this is the first of a new connection: the zone is played by another node, or nobody had heard of
	// the subscription for 3 s. The player's client begins anew, as by client.Client.Reset.
	Fresh bool

	// Bytes are definitions or a packet, for client.Client.Receive. They are good until the function returns.
	Bytes []byte

	// Err, if it is not nil, comes without anything else. The Subscription has ended with ErrRefused, if the zone shows nothing or has too many
	// viewers, and with ErrClosed, if the client or its connection was closed. It goes on after ErrLost: the database has gone back, and the next packet
	// is Fresh.
	Err error
}

// Subscription is one player's view of a zone, wherever the zone is played. Any goroutine may call its methods.
type Subscription struct {
	c     *Client
	id    screenID
	zone  string
	owner buff.OwnerID
	take  func(Packet)

	// c.mu guards these.
	watch policy.Watch
	ended bool

	// The goroutine's that calls take.
	parts parts
	fresh bool // the next Packet is
}

// Subscribe has a zone's replicated buffs sent to take as its viewer sees them whose own owner is given: see
// Zone.Screens, and package replicate. It follows the zone from node to node. Packets come in their order; what gets
// lost, or was not read in time, is asked for by what the player's client sends back: see Subscription.Receive.
//
// Take is called by a goroutine that all Subscriptions of the Client share, and must not hold it up: of a
// Subscription that leaves 64 packets unread the zone sends no more, and tells the state as a whole when it goes on. A zone
// that nobody plays sends nothing; one that is played and in which nothing happens says so once a second.
//
// It fails with [ErrOverloaded] above [MaxSubscriptions], with [ErrClosed], with store.ErrName, or with what NATS says.
func (c *Client) Subscribe(zone string, owner buff.OwnerID, take func(Packet)) (*Subscription, error) {
	if err := store.CheckName(zone); err != nil {
		return nil, err
	}
	if err := c.gone(); err != nil {
		return nil, err
	}
	s := &Subscription{c: c, zone: zone, owner: owner, take: take}
	_, _ = rand.Read(s.id[:]) // it does not fail
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

// Receive takes in what the player's client has sent back: that it has missed something. What is longer than such a message
// can be is not heard.
func (s *Subscription) Receive(message []byte) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if !s.ended && s.watch.Join() != 0 {
		s.say(&look{kind: isSaid, said: message})
	}
}

// Close ends it. Take may be called once more meanwhile, and not after.
func (s *Subscription) Close() {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if !s.ended {
		s.say(&look{kind: isLeave})
		s.ended = true
		delete(s.c.screens, s.id)
	}
}

// say sends something to the zone. Only who has c.mu may call it.
func (s *Subscription) say(l *look) {
	l.id, l.owner, l.join, l.number = s.id, s.owner, s.watch.Join(), s.watch.Number()
	to := fmt.Sprintf("%s.%x", s.c.screenInbox, s.id[:])
	s.c.buf = appendLook(s.c.buf[:0], l)
	_ = s.c.o.NATS.PublishRequest(screens(s.c.o.Prefix, s.zone), to, s.c.buf) // what does not go out is said again
}

// renew says of all Subscriptions that they are still there, and what they have heard.
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
		// A zone that is played says something each second: what it has sent since may be lost, all of it.
		if s.watch.Asks() {
			s.say(&look{kind: isMissed})
		}
		if s.watch.Renew(idle) {
			s.say(&look{kind: isAll})
		}
	}
	c.renewal.Reset(policy.RenewLook)
}

// hearShown takes in what a zone shows.
func (c *Client) hearShown(msg *nats.Msg) {
	var id screenID
	if b, err := hex.DecodeString(strings.TrimPrefix(msg.Subject, c.screenInbox+".")); err != nil || copy(id[:], b) != len(id) {
		return
	}
	m, err := parseShown(msg.Data)
	if err != nil {
		return // that nobody plays the zone, or of a later version
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

// hear takes in what a zone shows, and returns what of it is given to take, if anything is. Only who has c.mu may call it.
func (s *Subscription) hear(m *shown) (p Packet, show bool) {
	c := s.c
	p = Packet{Epoch: m.epoch, Bytes: m.bytes}
	if m.kind == isRefused {
		if m.epoch < s.watch.Epoch() {
			return p, false // of an owner of before
		}
		s.ended = true
		delete(c.screens, s.id)
		return Packet{Epoch: m.epoch, Err: fmt.Errorf("%w: zone %q: %s", ErrRefused, s.zone, m.bytes)}, true
	}
	sight, missed := s.watch.Heard(c.clock(), c.sender.Lease(s.zone), m.epoch, m.join, m.number, m.defines())
	if missed { // the player's client finds what it has missed of the packets, but not definitions
		s.say(&look{kind: isMissed})
	}
	switch sight {
	case policy.Skip:
		return p, false
	case policy.Behind:
		return Packet{Epoch: m.epoch, Err: fmt.Errorf("%w: zone %q", ErrLost, s.zone)}, true
	}
	p.Fresh = sight == policy.Anew
	if m.number%(policy.MostUnread/4) == 0 {
		s.say(&look{kind: isLook})
	}
	return p, true
}

// show gives a packet to take, when all parts of it have come.
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
	s.give(p)
}

// give calls take. A panic of it ends neither the process nor the client.
func (s *Subscription) give(p Packet) {
	defer func() {
		if v := recover(); v != nil {
			s.c.log("cluster: a function given to Subscribe panicked: " + recovered.Text(v))
		}
	}()
	s.take(p)
}

// endScreens ends all Subscriptions, of a Client that is closed.
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
		s.give(Packet{Err: ErrClosed})
	}
}
