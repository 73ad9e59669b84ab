package policy

import (
	"encoding/binary"
	"slices"
	"time"
)

// ID is what a sender calls a command, so that it is done once: no other one in the world has it. The
// lowest bit of its last byte is 0 where it is made, and so are its bytes 8 and 9. The policy's marks are there: what a
// zone keeps of a command that it has not done, and how often the command was told that its owner is
// elsewhere. To the next zone it goes with the next ID: the one before has said that it never did the
// last one, and never will.
type ID [16]byte

// Bits of the bytes 8 and 9 of an ID.
const (
	markMoved = 1
	oneHop    = 2
	mostHops  = 1<<15 - 1
)

func (id *ID) marks() uint16 { return binary.BigEndian.Uint16(id[8:]) }

func (id ID) mark(marks uint16) ID {
	binary.BigEndian.PutUint16(id[8:], marks)
	return id
}

// AsRefused is what a zone keeps of a command that the rules have refused: a copy of it that comes
// later must not be done, after the sender has been told that it was not.
func (id ID) AsRefused() ID {
	id[len(id)-1] |= 1
	return id
}

// AsMoved is what a zone keeps of a command whose owner is in another one, for the same reason: the owner may
// have come back when a copy of it comes.
func (id ID) AsMoved() ID { return id.mark(id.marks() | markMoved) }

// Base is the ID as it was made, for the same command in all zones.
func (id ID) Base() ID {
	id[len(id)-1] &^= 1
	return id.mark(0)
}

// next is the ID of the command in the next zone; ok is false if it has been in too many.
func (id ID) next() (_ ID, ok bool) {
	hops := id.marks() / oneHop
	return id.mark((hops + 1) * oneHop), hops < mostHops
}

// Code says what became of a command.
type Code uint8

const (
	Applied  Code = iota + 1 // done, in the Tick
	Durable                  // done, and on disk
	Done                     // done before, when this sender had asked already; as far as it asked for
	Refused                  // not done, and never will be: the body says why
	Unknown                  // nobody knows: the zone has done too many others since
	Busy                     // not done: too much waits there. It is asked again
	Greeting                 // no command: the answer to a hello
	Gone                     // not done: the zone is about to be another's. It is sent to that one
	Moved                    // not done, and never will be there: the owner is in the zone of that name, the body
)

// Crowded is the body of a Busy for who has as much waiting in the zone as it may have.
const Crowded = 1

var codes = [...]string{Applied: "applied", Durable: "durable", Done: "done", Refused: "refused", Unknown: "unknown", Busy: "busy", Greeting: "greeting", Gone: "gone", Moved: "moved"}

func (c Code) String() string { return codes[c] }

// Message is what a sender says to a zone: a command, or a hello if its ID is zero.
type Message struct {
	ID    ID
	Zone  string
	Epoch uint64 // of the owner that is to have it; 0 in a hello
	Life  uint64 // of that owner: see Greeted
	Since uint64 // see Window
	Sure  bool   // the reply comes when it is on disk
	Body  []byte
}

// Reply is what a zone says to a sender.
type Reply struct {
	ID    ID
	Zone  string
	Epoch uint64
	Total uint64 // commands that are on disk
	Code  Code
	Body  []byte

	Greeted // all of it if Code is Greeting, and the life if the message named one
}

// Greeted is what a zone says of itself in the answer to a hello. All of it is zero if the zone is played by a program of before.
type Greeted struct {
	World uint64 // of the database; 0: unknown
	Life  uint64 // of the load by which it is played: two histories of a zone may have the same epoch, and never the same life
	Begun uint64 // commands that were done when it was loaded
	Lease Time
}

// Outcome is how a command has ended for its sender.
type Outcome struct {
	ID    ID // as it was given to Send
	Reply Reply
	Tries int // how often it was sent
}

// SenderConfig says how a sender behaves.
type SenderConfig struct {
	Outstanding int  // commands at once
	Zones       int  // whose owners are remembered
	Retry, Most Time // the first pause before a retry, and the longest: it doubles
	Hello       Time // between two hellos to one zone
	Lease       Time // of a zone that does not say how long its lease is

	// These are for controls of the simulation. NoLife: messages do not name the life that they are for. NoTurn: a zone whose epoch has
	// gone back is never believed. NoLower: Message.Since stays as it is when a command is sent to the next owner.
	NoLife, NoTurn, NoLower, NoBefore bool
}

// SenderDefaults are for a sender on the network of its zones. Nobody tells a sender that NATS is back: its
// commands are on their way again within Most.
func SenderDefaults() SenderConfig {
	return SenderConfig{Outstanding: 2048, Zones: 4096, Retry: 250 * time.Millisecond, Most: 500 * time.Millisecond, Hello: 20 * time.Millisecond, Lease: 2 * time.Second}
}

// Sender sends commands until it is known what became of them. See the package.
type Sender struct {
	c      SenderConfig
	routes map[string]*route
	sent   map[ID]*sent // by ID.Base
	out    []Message
	done   []Outcome
	lost   []Loss
}

// Loss is that the database of a zone has gone back: what it had acknowledged since may be lost. Epoch is that of who plays it now.
type Loss struct {
	Zone  string
	Epoch uint64
}

// route is what is known of the owner of a zone.
type route struct {
	epoch   uint64 // 0: unknown
	newest  uint64 // the one that is believed; 0: none has been heard
	world   uint64
	life    uint64 // of newest
	total   uint64 // commands on disk
	losses  int    // how often the database of the zone has gone back
	lease   Time
	other   Turn // another owner that is heard
	hello   Time // when the next one may be sent
	waiting []ID // for the epoch, in their order
	sent    int  // commands under way
}

// Turn decides when an owner is believed that seems to be one of before: when it has been heard for longer than a lease, and the one that
// is believed has not. An owner of before is not played for so long.
type Turn struct {
	heard       bool
	since, last Time
}

// Heard takes in a word of the other owner, and reports whether it is to be believed.
func (t *Turn) Heard(now, lease Time) bool {
	if !t.heard || now-t.last > lease {
		t.heard, t.since = true, now
	}
	t.last = now
	return now-t.since > lease
}

type sent struct {
	m     Message
	first bool // it has never been sent: Since is not fixed
	next  Time // of the retry
	pause Time
	tries int

	losses  int  // route.losses when it was sent first
	crowded bool // the last answer was Busy with Crowded
}

// NewSender returns one that has sent nothing.
func NewSender(c SenderConfig) *Sender {
	return &Sender{c: c, routes: map[string]*route{}, sent: map[ID]*sent{}}
}

// Send begins a command; it returns false if too many are under way, or to too many zones.
func (s *Sender) Send(now Time, m Message) bool {
	if len(s.sent) >= s.c.Outstanding || s.route(m.Zone) == nil {
		return false
	}
	x := &sent{m: m, first: true, pause: s.c.Retry}
	s.sent[m.ID] = x
	s.routes[m.Zone].sent++
	s.post(now, x)
	return true
}

// route returns what is known of a zone. Where too many are, one that nobody waits for is forgotten.
func (s *Sender) route(zone string) *route {
	r := s.routes[zone]
	if r != nil {
		return r
	}
	if len(s.routes) >= s.c.Zones {
		idle := ""
		for name, old := range s.routes {
			if old.sent == 0 && (idle == "" || name < idle) {
				idle = name
			}
		}
		if idle == "" {
			return nil
		}
		delete(s.routes, idle)
	}
	r = &route{}
	s.routes[zone] = r
	return r
}

// post sends a command to the owner of its zone, or asks who that is.
func (s *Sender) post(now Time, x *sent) {
	r := s.routes[x.m.Zone]
	if r.epoch == 0 {
		x.next = now + s.c.Hello
		if id := x.m.ID.Base(); !slices.Contains(r.waiting, id) {
			r.waiting = append(r.waiting, id)
		}
		s.hello(now, x.m.Zone, r)
		return
	}
	// Who is addressed for the first time may have fewer commands on disk than the one before: the database has gone back. What was sent
	// to that one is not done by this one.
	if x.first {
		x.first, x.m.Since, x.losses = false, r.total, r.losses
	} else if !s.c.NoLower && (x.m.Epoch != r.epoch || x.m.Life != r.life) {
		x.m.Since = min(x.m.Since, r.total)
	}
	x.m.Epoch, x.m.Life = r.epoch, r.life
	if s.c.NoLife {
		x.m.Life = 0
	}
	x.next = now + x.pause
	x.pause = min(2*x.pause, s.c.Most)
	x.tries++
	s.out = append(s.out, x.m)
}

func (s *Sender) hello(now Time, zone string, r *route) {
	if now < r.hello {
		return
	}
	r.hello = now + s.c.Hello
	s.out = append(s.out, Message{Zone: zone})
}

// Heard takes in a reply; it may be of another time, or come twice.
func (s *Sender) Heard(now Time, p Reply) {
	r := s.routes[p.Zone]
	if r == nil {
		return
	}
	x := s.under(p.ID)
	switch {
	case p.Code == Greeting:
		s.greeted(now, r, &p)
	case x == nil:
	case p.Code == Gone && x.m.Epoch == p.Epoch:
		s.leave(now, p.Epoch, x)
	case p.Code == Gone:
	case x.losses != r.losses && (p.Epoch != r.newest || p.Life != 0 && p.Life != r.life) && !s.c.NoBefore:
		// It may come from an owner from before the loss. The command will be sent to the present owner.
	default:
		if p.Epoch == r.newest && p.Epoch == x.m.Epoch && x.m.Life == r.life {
			r.other = Turn{}
			r.total = max(r.total, p.Total)
		}
		s.answered(now, x, p)
	}
}

// greeted takes in who says that it has a zone, and sends what waits for that.
func (s *Sender) greeted(now Time, r *route, p *Reply) {
	sameWorld := p.World == 0 || r.world == 0 || p.World == r.world
	same := sameWorld && p.Epoch == r.newest && (p.Life == r.life || p.Life == 0)
	later := r.newest == 0 || sameWorld && p.Epoch > r.newest
	if !same && !later {
		if s.c.NoTurn || !r.other.Heard(now, max(p.Lease, s.Lease(p.Zone))) {
			return
		}
	}
	switch {
	case same:
		p.Total = max(p.Total, r.total)
	case !later, p.Life != 0 && p.Begun < r.total:
		s.lost = append(s.lost, Loss{p.Zone, p.Epoch})
		r.losses++
	}
	r.other, r.total, r.epoch, r.newest = Turn{}, p.Total, p.Epoch, p.Epoch
	if !same {
		r.life = p.Life
	}
	if p.World != 0 {
		r.world, r.lease = p.World, p.Lease
	}
	waiting := r.waiting
	r.waiting = nil
	for _, id := range waiting {
		if x := s.sent[id]; x != nil {
			s.post(now, x)
		}
	}
}

// answered takes in what has become of a command.
func (s *Sender) answered(now Time, x *sent, p Reply) {
	switch {
	case p.Code == Busy:
		x.crowded = len(p.Body) == 1 && p.Body[0] == Crowded
	case p.Code == Moved && p.Epoch != x.m.Epoch: // a later owner has it too, and may have done it
	case p.Code == Moved:
		s.follow(now, x, p)
	default:
		s.finish(x, p)
	}
}

// Lease is how long a lease of a zone is, as far as that is known.
func (s *Sender) Lease(zone string) Time {
	if r := s.routes[zone]; r != nil && r.lease > 0 {
		return r.lease
	}
	return s.c.Lease
}

// Lost returns which zones have gone back, and forgets them.
func (s *Sender) Lost() []Loss {
	lost := s.lost
	s.lost = nil
	return lost
}

// follow sends a command to the zone in which its owner is.
func (s *Sender) follow(now Time, x *sent, p Reply) {
	zone := string(p.Body)
	next, ok := x.m.ID.next()
	if !ok || s.route(zone) == nil {
		s.finish(x, p)
		return
	}
	s.forget(x)
	x.m.ID, x.m.Zone, x.m.Epoch, x.m.Life, x.first, x.pause = next, zone, 0, 0, true, s.c.Retry
	s.sent[next.Base()] = x
	s.routes[zone].sent++
	s.post(now, x)
}

// under returns the command that is under way with exactly that ID: not one that has been sent on since.
func (s *Sender) under(id ID) *sent {
	if x := s.sent[id.Base()]; x != nil && x.m.ID == id {
		return x
	}
	return nil
}

func (s *Sender) finish(x *sent, p Reply) {
	s.forget(x)
	s.done = append(s.done, Outcome{x.m.ID.Base(), p, x.tries})
}

func (s *Sender) forget(x *sent) {
	id := x.m.ID.Base()
	delete(s.sent, id)
	r := s.routes[x.m.Zone]
	r.sent--
	r.waiting = slices.DeleteFunc(r.waiting, func(w ID) bool { return w == id })
}

// Nobody is that no one has subscribed to what a message was sent to.
func (s *Sender) Nobody(now Time, m Message) {
	if x := s.under(m.ID); x != nil {
		s.leave(now, m.Epoch, x)
	}
}

// leave forgets that an owner has a zone, and sends a command to the next one: at once if that is known, or when
// it is. Many commands may have been sent to that owner, and each is told by itself.
func (s *Sender) leave(now Time, epoch uint64, x *sent) {
	if x.m.Epoch != epoch {
		return // it has been sent to another since
	}
	if r := s.routes[x.m.Zone]; r.epoch == epoch && (r.life == x.m.Life || s.c.NoLife) {
		r.epoch = 0
	}
	s.post(now, x)
}

// Cancel gives a command up: what becomes of it will not be known. It reports whether it had been sent.
func (s *Sender) Cancel(id ID) (sent bool) {
	x := s.sent[id]
	if x == nil {
		return false
	}
	s.forget(x)
	return x.tries > 0
}

// Crowded reports whether the zone has said of a command that it has as much of this sender waiting as it may have.
func (s *Sender) Crowded(id ID) bool {
	x := s.sent[id]
	return x != nil && x.crowded
}

// Wake sends again what has had no answer. After a pause without one the owner is asked for anew.
func (s *Sender) Wake(now Time) {
	var late []*sent
	for _, x := range s.sent {
		if now >= x.next {
			late = append(late, x)
		}
	}
	slices.SortFunc(late, func(a, b *sent) int { return slices.Compare(a.m.ID[:], b.m.ID[:]) })
	for _, x := range late {
		if r := s.routes[x.m.Zone]; x.tries > 1 && r.epoch != 0 && r.epoch == x.m.Epoch {
			s.hello(now, x.m.Zone, r) // beside the retry: there may be a new owner
		}
		s.post(now, x)
	}
}

// Next returns when Wake is to be called, at the latest; ok is false if nothing waits.
func (s *Sender) Next() (at Time, ok bool) {
	for _, x := range s.sent {
		if !ok || x.next < at {
			at, ok = x.next, true
		}
	}
	return at, ok
}

// Len is how many commands are under way.
func (s *Sender) Len() int { return len(s.sent) }

// Take returns what is to be sent, and what has ended, and forgets it. The slices are valid until the
// next call of any method.
func (s *Sender) Take() (out []Message, done []Outcome) {
	out, done = s.out, s.done
	s.out, s.done = nil, nil
	return out, done
}

// Sent returns the zone of a command that is under way, and the epoch to which it was sent last.
func (s *Sender) Sent(id ID) (zone string, epoch uint64, ok bool) {
	x := s.under(id)
	if x == nil {
		return "", 0, false
	}
	return x.m.Zone, x.m.Epoch, true
}
