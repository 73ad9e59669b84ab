package policy

import (
	"encoding/binary"
	"slices"
	"time"
)

// ID identifies a command in the whole world, so that the command is executed only once. In a new
// ID, bytes 8 and 9 and the lowest bit of the last byte are 0. These bits are marks. The lowest
// bit of the last byte marks a refused command. Bytes 8 and 9 mark a redirected command and count
// its redirections. A redirected command gets a new ID for the next zone, because the earlier
// zone has replied that the command with the old ID will never be executed.
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

// AsRefused returns the ID that a zone saves for a refused command, so that the zone never executes
// a late copy of the command.
func (id ID) AsRefused() ID {
	id[len(id)-1] |= 1
	return id
}

// AsMoved returns the ID that a zone saves for a redirected command, so that the zone never
// executes a late copy of the command, even if the owner has come back.
func (id ID) AsMoved() ID { return id.mark(id.marks() | markMoved) }

// Base returns the ID without marks. It is the same in all zones to which a command is redirected.
func (id ID) Base() ID {
	id[len(id)-1] &^= 1
	return id.mark(0)
}

// next returns the ID of the command for the next zone. ok is false if the command was redirected
// too often.
func (id ID) next() (_ ID, ok bool) {
	hops := id.marks() / oneHop
	return id.mark((hops + 1) * oneHop), hops < mostHops
}

// Code is the kind of a reply.
type Code uint8

const (
	Applied  Code = iota + 1 // executed in a Tick
	Durable                  // executed and on disk
	Done                     // an earlier copy was executed, and is on disk if the message requested that
	Refused                  // will never be executed; the body has the reason
	Unknown                  // may have been executed, but is too old for the window of saved ids
	Busy                     // not executed; retry later
	Greeting                 // reply to a hello
	Gone                     // not executed; retry with the next node that runs the zone
	Moved                    // never executed by this zone; the body names the zone of the command's owner
)

// Crowded is the body of a Busy reply to a sender that has used its share of the zone's queue.
const Crowded = 1

var codes = [...]string{Applied: "applied", Durable: "durable", Done: "done", Refused: "refused", Unknown: "unknown", Busy: "busy", Greeting: "greeting", Gone: "gone", Moved: "moved"}

func (c Code) String() string { return codes[c] }

// Message is a message to a zone: a command, or a hello if its ID is zero.
type Message struct {
	ID    ID
	Zone  string
	Epoch uint64 // lease epoch of the node to which the command is sent; 0 in a hello
	Life  uint64 // life of the zone when the command is sent; see Greeted
	Since uint64 // number of commands on disk before the command was first sent, see Window
	Sure  bool   // reply only when the command is on disk
	Body  []byte
}

// Reply is a message from a zone to a sender.
type Reply struct {
	ID    ID
	Zone  string
	Epoch uint64
	Total uint64 // number of commands of the zone on disk
	Code  Code
	Body  []byte

	Greeted // if Code is not Greeting, only Life is set, copied from the message
}

// Greeted is the description of a zone in the reply to a hello. It is zero if an earlier version of
// the library runs the zone.
type Greeted struct {
	World uint64 // random number that identifies the database; 0 if unknown

	// Life is a random number that identifies one run of the zone, from loading to release. The
	// epoch does not identify a run, because two runs can have the same epoch if the database has
	// gone back to an earlier state.
	Life uint64

	Begun uint64 // number of commands on disk when the zone was loaded
	Lease Time   // duration of the leases
}

// Outcome is the final result of a command.
type Outcome struct {
	ID    ID // as given to Send
	Reply Reply
	Tries int // number of times that the command was sent, to any zone
}

// SenderConfig is the configuration of a Sender.
type SenderConfig struct {
	Outstanding int // maximum number of pending commands
	Zones       int // maximum number of known zones
	// Retry is the pause before the first retry. The pause doubles with each retry, up to Most.
	Retry, Most Time
	Hello       Time // minimum interval between two hellos to the same zone
	Lease       Time // duration of leases, for zones that do not report it

	// Each of the following fields disables one guard. Only the simulation sets them, to show that
	// the guard is necessary. A zone owner is the node that runs a zone.

	NoLife   bool // if set, messages have no Life
	NoTurn   bool // if set, a zone owner with a lower epoch is never accepted, not even after a loss
	NoLower  bool // if set, Message.Since does not change when a command is sent to another zone owner
	NoBefore bool // if set, replies that zone owners sent before a loss are accepted
}

// SenderDefaults returns the default configuration. With it, pending commands are sent again at
// most half a second after an interruption of NATS.
func SenderDefaults() SenderConfig {
	return SenderConfig{Outstanding: 2048, Zones: 4096, Retry: 250 * time.Millisecond, Most: 500 * time.Millisecond, Hello: 20 * time.Millisecond, Lease: 2 * time.Second}
}

// Sender sends commands and retries them until their outcomes are known. It sends the commands for
// a zone to the zone owner, which is the node that runs the zone.
type Sender struct {
	c      SenderConfig
	routes map[string]*route
	sent   map[ID]*sent // by ID.Base
	out    []Message
	done   []Outcome
	lost   []Loss
}

// Loss means that the database of a zone has gone back to an earlier state, so that acknowledged
// commands may be lost. Epoch is the epoch of the present zone owner.
type Loss struct {
	Zone  string
	Epoch uint64
}

// route is the state of a zone as known to a sender.
type route struct {
	epoch  uint64 // lease epoch of the node to which commands are sent; 0 until a greeting arrives
	newest uint64 // epoch of the last accepted zone owner; 0 if there was none
	world  uint64 // world of the last accepted zone owner
	life   uint64 // life of the last accepted zone owner
	total  uint64 // number of commands that the last accepted zone owner has on disk
	// number of times the database of the zone has lost commits, for example in a failover
	losses  int
	lease   Time
	other   Turn // records replies from a zone owner that is not accepted yet
	hello   Time // earliest time of the next hello
	waiting []ID // commands that wait for a greeting, in order
	sent    int  // number of pending commands
}

// Turn decides when to replace the accepted zone owner by another node that replies for the zone,
// although that node's epoch is not higher than the accepted epoch, or its world differs. Usually
// that node is an earlier zone owner, which stops when its lease ends. However, if it has replied
// for longer than a lease, and the accepted zone owner has not replied in that time, the database
// has gone back to an earlier state. The other node is then the present zone owner.
type Turn struct {
	heard       bool
	since, last Time
}

// Heard records a reply of the other node, and reports whether to accept it as the zone owner.
func (t *Turn) Heard(now, lease Time) bool {
	if !t.heard || now-t.last > lease {
		t.heard, t.since = true, now
	}
	t.last = now
	return now-t.since > lease
}

type sent struct {
	m     Message
	first bool // the command has not been sent to its zone yet, so Since is not set
	next  Time // time of the next retry
	pause Time
	tries int

	losses  int  // route.losses when the command was first sent to its zone
	crowded bool // the last reply was Busy, with Crowded as its body
}

// NewSender returns a Sender without pending commands.
func NewSender(c SenderConfig) *Sender {
	return &Sender{c: c, routes: map[string]*route{}, sent: map[ID]*sent{}}
}

// Send adds a command. It returns false if too many commands are pending, or if commands for too
// many zones are pending.
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

// route returns the route of a zone. If there are too many routes, it first deletes a route without
// pending commands. If all routes have pending commands, it returns nil.
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

// post sends a command to the zone owner, or a hello if the zone owner is not known.
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
	// If the database has lost commits, a new zone owner may have fewer commands on disk than the
	// earlier zone owner. Lowering Since is safe, because the new zone owner has not executed this
	// command.
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

// Heard processes a reply. Late and repeated replies are allowed.
func (s *Sender) Heard(now Time, p Reply) {
	r := s.routes[p.Zone]
	if r == nil {
		return
	}
	x := s.pending(p.ID)
	switch {
	case p.Code == Greeting:
		s.greeted(now, r, &p)
	case x == nil:
	case p.Code == Gone && x.m.Epoch == p.Epoch:
		s.leave(now, p.Epoch, x)
	case p.Code == Gone:
	case x.losses != r.losses && (p.Epoch != r.newest || p.Life != 0 && p.Life != r.life) && !s.c.NoBefore:
		// An earlier zone owner may have sent the reply before the loss. Ignore it, because the
		// command will be sent to the present zone owner.
	default:
		if p.Epoch == r.newest && p.Epoch == x.m.Epoch && x.m.Life == r.life {
			r.other = Turn{}
			r.total = max(r.total, p.Total)
		}
		s.answered(now, x, p)
	}
}

// greeted processes a greeting from a zone owner, and sends the commands that wait for a greeting.
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

// answered processes the reply to a command.
func (s *Sender) answered(now Time, x *sent, p Reply) {
	switch {
	case p.Code == Busy:
		x.crowded = len(p.Body) == 1 && p.Body[0] == Crowded
	case p.Code == Moved && p.Epoch != x.m.Epoch: // another zone owner may have executed the command
	case p.Code == Moved:
		s.follow(now, x, p)
	default:
		s.finish(x, p)
	}
}

// Lease returns the duration of the leases of a zone, or the default if it is unknown.
func (s *Sender) Lease(zone string) Time {
	if r := s.routes[zone]; r != nil && r.lease > 0 {
		return r.lease
	}
	return s.c.Lease
}

// Lost removes and returns the losses since the last call.
func (s *Sender) Lost() []Loss {
	lost := s.lost
	s.lost = nil
	return lost
}

// follow sends a redirected command to the zone that the reply names.
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

// pending returns the pending command that now has the given ID, including its marks, or nil if
// there is none. The ID of a command changes when the command is redirected.
func (s *Sender) pending(id ID) *sent {
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

// NoResponders tells the Sender that no node was subscribed to the subject of a message.
func (s *Sender) NoResponders(now Time, m Message) {
	if x := s.pending(m.ID); x != nil {
		s.leave(now, m.Epoch, x)
	}
}

// leave sends a command to the next zone owner, because the node with the given epoch no longer
// runs the zone. Other commands that were sent to that node stay pending, and get their own
// replies.
func (s *Sender) leave(now Time, epoch uint64, x *sent) {
	if x.m.Epoch != epoch {
		return // the command has been sent to another zone owner in the meantime
	}
	if r := s.routes[x.m.Zone]; r.epoch == epoch && (r.life == x.m.Life || s.c.NoLife) {
		r.epoch = 0
	}
	s.post(now, x)
}

// Cancel removes a command, whose outcome stays unknown, and reports whether the command had been
// sent.
func (s *Sender) Cancel(id ID) (sent bool) {
	x := s.sent[id]
	if x == nil {
		return false
	}
	s.forget(x)
	return x.tries > 0
}

// Crowded reports whether the last reply to a command said that too many commands of this sender
// are in the zone's queue.
func (s *Sender) Crowded(id ID) bool {
	x := s.sent[id]
	return x != nil && x.crowded
}

// Wake sends all commands again whose retries are due. From the second retry of a command, it also
// sends a hello, because another node may run the zone now.
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
			s.hello(now, x.m.Zone, r)
		}
		s.post(now, x)
	}
}

// Next returns the latest time at which Wake must be called. ok is false if no command is
// pending.
func (s *Sender) Next() (at Time, ok bool) {
	for _, x := range s.sent {
		if !ok || x.next < at {
			at, ok = x.next, true
		}
	}
	return at, ok
}

// Len returns the number of pending commands.
func (s *Sender) Len() int { return len(s.sent) }

// Take removes and returns the messages to send, and the outcomes of commands that have ended.
func (s *Sender) Take() (out []Message, done []Outcome) {
	out, done = s.out, s.done
	s.out, s.done = nil, nil
	return out, done
}

// Sent returns the zone of a pending command and the epoch of the node to which it was last sent.
func (s *Sender) Sent(id ID) (zone string, epoch uint64, ok bool) {
	x := s.pending(id)
	if x == nil {
		return "", 0, false
	}
	return x.m.Zone, x.m.Epoch, true
}
