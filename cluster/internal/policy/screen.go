package policy

import "time"

// Constants of screens: see Screen and Watch.
const (
	RenewLook  = 500 * time.Millisecond // a subscription says that it is still there
	forgetLook = 3 * time.Second        // one that has not is forgotten by the zone
	LostAfter  = 4                      // renewals without a packet, after which a subscription takes what was sent for lost
	MostUnread = 64                     // packets that a subscription has not acknowledged
)

// Screen decides what a zone sends to one subscription.
type Screen struct {
	Join uint64 // see Joins

	number, read uint64 // of the last packet, and of the last that was acknowledged
	heard, told  Time   // when it was last heard, and last sent something
	print        uint64 // of the definitions that it was sent
	defined      bool
	quits        bool
}

// Joins returns the number of the first viewer of a life; the next ones have the numbers above. They are of that life alone.
func Joins(life uint64) uint64 { return life&(1<<14-1)<<joinBits + 1 }

const joinBits = 21

func lifeOf(join uint64) uint64 { return join >> joinBits }

// NewScreen returns that of a subscription that was heard now.
func NewScreen(join uint64, now Time) *Screen { return &Screen{Join: join, heard: now} }

// Look takes in that it is still there, and which packets it has read.
func (s *Screen) Look(now Time, join, number uint64) {
	s.heard = now
	if join == s.Join && number <= s.number {
		s.read = max(s.read, number)
	}
}

// Missed takes in that it has missed a packet: perhaps the definitions.
func (s *Screen) Missed(join uint64) {
	if join == s.Join {
		s.defined = false
	}
}

// All takes in that it has read all that came, and nothing has come for a while: the rest is lost.
func (s *Screen) All(join uint64) {
	if join == s.Join {
		s.read, s.defined = s.number, false
	}
}

// Leave takes in that it has left.
func (s *Screen) Leave() { s.quits = true }

// Gone reports whether the zone forgets it.
func (s *Screen) Gone(now Time) bool { return s.quits || now-s.heard > forgetLook }

// Room reports whether it may be sent a packet: it has not left too many unread.
func (s *Screen) Room() bool { return s.number-s.read < MostUnread }

// Silent reports whether it is to be told that the zone is played, though nothing has changed.
func (s *Screen) Silent(now Time) bool { return now-s.told >= time.Second }

// Define reports whether the definitions come first, which have that fingerprint, and takes it that they are sent.
func (s *Screen) Define(print uint64) bool {
	if s.defined && s.print == print {
		return false
	}
	s.defined, s.print = true, print
	return true
}

// Next returns the number of the next packet; Sent takes in that it was sent.
func (s *Screen) Next() uint64 { return s.number + 1 }

// Sent is that the next packet was sent.
func (s *Screen) Sent(now Time) { s.number, s.told = s.number+1, now }

// Sight says what a subscription does with a packet.
type Sight uint8

const (
	Skip   Sight = iota // of an owner of before, or of a viewer that the zone has forgotten
	Show                // the next of the same viewer
	Anew                // the first of another viewer
	Behind              // the database has gone back: the game is told, and asks for the definitions, from which on it is shown
)

// Watch is a subscription's side of a Screen.
type Watch struct {
	epoch, join, number uint64
	waits               bool // for definitions: nothing is shown without
	asks                bool // for definitions, since something was missed
	other               Turn
	quiet               int    // renewals since something has come
	turned              uint64 // the epoch to which it went back
	turns               uint64 // the epoch to which it is to go back: see Turn

	NoTurn bool // as SenderConfig.NoTurn
}

// Epoch is that of the last packet that was taken.
func (w *Watch) Epoch() uint64 { return w.epoch }

// Join is that of the viewer whose packets are taken; 0: none has been heard.
func (w *Watch) Join() uint64 { return w.join }

// Number is that of the last packet that was taken.
func (w *Watch) Number() uint64 { return w.number }

// Asks reports whether it is to be said again that something was missed: the definitions have not come since.
func (w *Watch) Asks() bool { return w.asks }

// Heard takes in a packet, which defines or not. missed: there is one before it that has not come, which may have been the definitions, without
// which nothing of a viewer is shown.
func (w *Watch) Heard(now, lease Time, epoch, join, number uint64, defines bool) (what Sight, missed bool) {
	same := epoch == w.epoch && lifeOf(join) == lifeOf(w.join)
	turns := w.turns != 0 && w.turns == epoch
	switch {
	case w.epoch == 0:
	case turns, !same && epoch <= w.epoch:
		if !turns && (w.NoTurn || !w.other.Heard(now, lease)) {
			return Skip, false
		}
		*w = Watch{epoch: epoch, join: join, number: number, waits: true, asks: true, turned: epoch, NoTurn: w.NoTurn}
		return Behind, true
	case same && join < w.join:
		return Skip, false
	}
	what = Show
	if epoch != w.epoch || join != w.join {
		what, w.number, w.waits = Anew, 0, true
	} else if w.waits {
		what = Anew
	}
	missed = number != w.number+1
	w.epoch, w.join, w.number, w.quiet, w.other = epoch, join, number, 0, Turn{}
	if w.asks = (w.asks || missed) && !defines; w.waits && !defines {
		return Skip, missed
	}
	w.waits = false
	return what, missed
}

// Turn is that the database has gone back, and the zone is played at that epoch: the next packet of it is Behind, unless one has been.
func (w *Watch) Turn(epoch uint64) {
	if w.epoch != 0 && w.turned != epoch {
		w.turns = epoch
	}
}

// Renew counts a renewal. It reports whether what the zone has sent since the last packet is lost, all of it; idle: all that came was read.
func (w *Watch) Renew(idle bool) (lost bool) {
	w.quiet++
	return idle && w.join != 0 && w.quiet%LostAfter == 0
}
