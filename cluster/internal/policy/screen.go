package policy

import "time"

// Constants of Screen and Watch.
const (
	RenewLook = 500 * time.Millisecond // interval between two renewals of a subscription
	// time without a renewal after which the zone removes a subscription
	forgetLook = 3 * time.Second
	// number of renewals without a packet after which packets count as lost
	LostAfter  = 4
	MostUnread = 64 // maximum number of unacknowledged packets
)

// Screen decides when a zone sends packets to one subscription. Each subscription has a viewer in
// the zone. If the zone has removed the viewer, the next renewal of the subscription creates
// another viewer.
type Screen struct {
	Join uint64 // number of the viewer: see Joins

	number, read uint64 // numbers of the last packet sent and of the last packet acknowledged
	heard, sent  Time   // times of the last renewal and of the last packet
	print        uint64 // fingerprint of the definitions that were sent
	defined      bool   // definitions were sent, and are not known to be lost
	quits        bool   // the subscription has left
}

// Joins returns the number of the first viewer of a life. Later viewers get the following
// numbers. With high probability, the numbers of two lives differ.
func Joins(life uint64) uint64 { return life&(1<<14-1)<<joinBits + 1 }

const joinBits = 21

func lifeOf(join uint64) uint64 { return join >> joinBits }

// NewScreen returns the Screen of a new viewer.
func NewScreen(join uint64, now Time) *Screen { return &Screen{Join: join, heard: now} }

// Look processes a renewal, which acknowledges the packets up to the given number.
func (s *Screen) Look(now Time, join, number uint64) {
	s.heard = now
	if join == s.Join && number <= s.number {
		s.read = max(s.read, number)
	}
}

// Missed processes a report that a packet was lost. The definitions are sent again, because the
// packet may have contained them.
func (s *Screen) Missed(join uint64) {
	if join == s.Join {
		s.defined = false
	}
}

// All processes a report that the subscription has read every packet that has arrived, and that
// no packet has arrived for a while. All unacknowledged packets are then considered lost.
func (s *Screen) All(join uint64) {
	if join == s.Join {
		s.read, s.defined = s.number, false
	}
}

// Leave records that the subscription has left.
func (s *Screen) Leave() { s.quits = true }

// Gone reports whether the zone should remove the viewer.
func (s *Screen) Gone(now Time) bool { return s.quits || now-s.heard > forgetLook }

// Room reports whether a packet may be sent, because fewer than MostUnread are unacknowledged.
func (s *Screen) Room() bool { return s.number-s.read < MostUnread }

// Silent reports whether a packet must be sent even if nothing has changed, to show that the zone
// runs.
func (s *Screen) Silent(now Time) bool { return now-s.sent >= time.Second }

// Define reports whether the definitions with the given fingerprint must be sent before the next
// packet. If it returns true, it assumes that the caller sends them.
func (s *Screen) Define(print uint64) bool {
	if s.defined && s.print == print {
		return false
	}
	s.defined, s.print = true, print
	return true
}

// Next returns the number of the next packet.
func (s *Screen) Next() uint64 { return s.number + 1 }

// Sent records that the next packet was sent.
func (s *Screen) Sent(now Time) { s.number, s.sent = s.number+1, now }

// Sight is the decision of a subscription about a packet.
type Sight uint8

const (
	// Skip means that the packet must be dropped. It is from an earlier zone owner (the node that
	// runs the zone) or from a removed viewer, or the definitions for it have not arrived.
	Skip Sight = iota

	Show      // show the packet, which continues the packets of the same viewer
	ShowFirst // show the packet as the first packet of a new viewer

	// GoneBack means that the database has gone back to an earlier state, which must be reported.
	// The packet must be dropped, and the definitions requested.
	GoneBack
)

// Watch decides which packets a subscription accepts.
type Watch struct {
	epoch, join, number uint64 // values from the last accepted packet
	// the viewer is new, and packets are dropped until its definitions arrive
	waits  bool
	resync bool   // a packet was lost, and no definitions have arrived since then
	other  Turn   // records packets from a zone owner that is not accepted yet
	quiet  int    // number of renewals since the last packet
	turned uint64 // epoch of the zone owner that was accepted after the last loss
	// epoch of the zone owner to accept next, even if it is lower than the present epoch; 0 for
	// none
	turns uint64

	NoTurn bool // see SenderConfig.NoTurn
}

// Epoch returns the epoch of the last accepted packet.
func (w *Watch) Epoch() uint64 { return w.epoch }

// Join returns the number of the current viewer, or 0 before the first packet.
func (w *Watch) Join() uint64 { return w.join }

// Number returns the number of the last accepted packet.
func (w *Watch) Number() uint64 { return w.number }

// Resync reports whether a lost packet must be reported to the zone again, because no definitions
// have arrived since then.
func (w *Watch) Resync() bool { return w.resync }

// Heard processes a packet. The parameter "defines" reports whether the packet contains
// definitions. The result "missed" is true if an earlier packet, which may have contained
// definitions, was lost.
func (w *Watch) Heard(now, lease Time, epoch, join, number uint64, defines bool) (sight Sight, missed bool) {
	same := epoch == w.epoch && lifeOf(join) == lifeOf(w.join)
	turns := w.turns != 0 && w.turns == epoch
	switch {
	case w.epoch == 0:
	case turns, !same && epoch <= w.epoch:
		if !turns && (w.NoTurn || !w.other.Heard(now, lease)) {
			return Skip, false
		}
		*w = Watch{epoch: epoch, join: join, number: number, waits: true, resync: true, turned: epoch, NoTurn: w.NoTurn}
		return GoneBack, true
	case same && join < w.join:
		return Skip, false
	}
	sight = Show
	if epoch != w.epoch || join != w.join {
		sight, w.number, w.waits = ShowFirst, 0, true
	} else if w.waits {
		sight = ShowFirst
	}
	missed = number != w.number+1
	w.epoch, w.join, w.number, w.quiet, w.other = epoch, join, number, 0, Turn{}
	if w.resync = (w.resync || missed) && !defines; w.waits && !defines {
		return Skip, missed
	}
	w.waits = false
	return sight, missed
}

// Turn tells the Watch that the database has gone back to an earlier state, and that the zone now
// runs with the given epoch. For the first packet of that epoch, Heard returns GoneBack.
func (w *Watch) Turn(epoch uint64) {
	if w.epoch != 0 && w.turned != epoch {
		w.turns = epoch
	}
}

// Renew counts a renewal. The parameter "idle" means that every packet that has arrived was read.
// The result "lost" is true if all packets that the zone has sent since the last packet arrived
// must be considered lost.
func (w *Watch) Renew(idle bool) (lost bool) {
	w.quiet++
	return idle && w.join != 0 && w.quiet%LostAfter == 0
}
