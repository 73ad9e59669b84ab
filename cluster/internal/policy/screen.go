package policy

import "time"

// Constants of Screen and Watch.
const (
	RenewLook  = 500 * time.Millisecond // interval of the renewals of a subscription
	forgetLook = 3 * time.Second        // time without a renewal after which the zone removes it
	LostAfter  = 4                      // renewals without a packet after which packets are considered lost
	MostUnread = 64                     // maximum number of unacknowledged packets
)

// Screen decides when a zone sends packets to one subscription, which the zone calls a viewer.
type Screen struct {
	Join uint64 // number of the viewer: see Joins

	number, read uint64 // numbers of the last packet and of the last acknowledged one
	heard, sent  Time   // time of the last renewal and of the last packet
	print        uint64 // fingerprint of the definitions that were sent
	defined      bool   // definitions were sent and are not known to be lost
	quits        bool   // the subscription has left
}

// Joins returns the number of the first viewer of a life; later viewers have the following numbers.
// The numbers of two lives differ with high probability.
func Joins(life uint64) uint64 { return life&(1<<14-1)<<joinBits + 1 }

const joinBits = 21

func lifeOf(join uint64) uint64 { return join >> joinBits }

// NewScreen returns the Screen of a new viewer.
func NewScreen(join uint64, now Time) *Screen { return &Screen{Join: join, heard: now} }

// Look processes a renewal: the subscription has read the packets up to number.
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

// All processes a report that the subscription has read every packet it got, and got none for a
// while: the unacknowledged packets are lost.
func (s *Screen) All(join uint64) {
	if join == s.Join {
		s.read, s.defined = s.number, false
	}
}

// Leave reports that the subscription has left.
func (s *Screen) Leave() { s.quits = true }

// Gone reports whether the zone should remove the viewer.
func (s *Screen) Gone(now Time) bool { return s.quits || now-s.heard > forgetLook }

// Room reports whether a packet may be sent: not too many are unacknowledged.
func (s *Screen) Room() bool { return s.number-s.read < MostUnread }

// Silent reports whether a packet is due without any change, to show that the zone runs.
func (s *Screen) Silent(now Time) bool { return now-s.sent >= time.Second }

// Define reports whether the definitions with that fingerprint must be sent before the next packet.
// If it returns true, the caller must send them.
func (s *Screen) Define(print uint64) bool {
	if s.defined && s.print == print {
		return false
	}
	s.defined, s.print = true, print
	return true
}

// Next returns the number of the next packet.
func (s *Screen) Next() uint64 { return s.number + 1 }

// Sent reports that the next packet was sent.
func (s *Screen) Sent(now Time) { s.number, s.sent = s.number+1, now }

// Sight is the decision of a subscription about a packet.
type Sight uint8

const (
	Skip      Sight = iota // drop it: it is from an earlier owner or a removed viewer, or before the definitions
	Show                   // show it: it continues the same viewer
	ShowFirst              // show it as the first packet of a new viewer
	GoneBack               // drop it and report that the database has gone back; definitions are requested
)

// Watch is the side of the subscription of a Screen.
type Watch struct {
	epoch, join, number uint64
	waits               bool   // the viewer is new: packets are dropped until its definitions arrive
	resync              bool   // a packet was lost, and definitions have not arrived since
	other               Turn   // packets of an owner that is not accepted yet
	quiet               int    // renewals since the last packet
	turned              uint64 // epoch of the owner that was accepted after the database had gone back
	turns               uint64 // epoch of the owner to accept next: see Turn

	NoTurn bool // see SenderConfig.NoTurn
}

// Epoch returns the epoch of the last accepted packet.
func (w *Watch) Epoch() uint64 { return w.epoch }

// Join returns the number of the current viewer, or 0 before the first packet.
func (w *Watch) Join() uint64 { return w.join }

// Number returns the number of the last accepted packet.
func (w *Watch) Number() uint64 { return w.number }

// Resync reports whether to repeat the report of a lost packet, because the definitions have not
// arrived since.
func (w *Watch) Resync() bool { return w.resync }

// Heard processes a packet; defines is whether it contains definitions. missed reports that an
// earlier packet was lost, which may have contained the definitions.
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

// Turn reports that the database has gone back and that the zone now runs at that epoch. The next
// packet of that epoch returns GoneBack, unless an earlier one did.
func (w *Watch) Turn(epoch uint64) {
	if w.epoch != 0 && w.turned != epoch {
		w.turns = epoch
	}
}

// Renew counts a renewal. idle means that every received packet was read. lost reports whether all
// packets that the zone has sent since then are lost.
func (w *Watch) Renew(idle bool) (lost bool) {
	w.quiet++
	return idle && w.join != 0 && w.quiet%LostAfter == 0
}
