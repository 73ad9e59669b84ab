package serve

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/examples/arena/game"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/wheel"
)

// Bounds of a connection.
const (
	inRoom    = 16 // messages of a client that wait for the loop
	outRoom   = 8  // messages that wait for a client
	perFrame  = 8  // messages of a client that the loop takes in a frame
	maxFacts  = 64 // that a client is told of in a scene
	sceneRate = 2  // frames for each scene
	lookRate  = 5  // frames for each look around
	truthRate = 20 // frames for each Beat, with the truth about some rings
	patience  = 5 * 1000 / 50
)

// errForeign ends a connection whose client is not the page.
var errForeign = errors.New("serve: not a message of the page")

// message is one of a client, as long as one may be.
type message struct {
	size  uint8
	bytes [maxMessage]byte
}

func (m *message) data() []byte { return m.bytes[:m.size] }

// player is a connection as the loop sees it. Its queues are what both sides touch; done is closed by
// the loop when it wants no more of it, and gone by the connection when it has ended.
type player struct {
	in   chan message
	out  chan []byte
	free chan []byte // buffers that have been written
	done chan struct{}
	gone chan struct{}

	// The loop's.
	viewer  *replicate.Viewer // nil until it has said what it wants
	arena   int
	unit    *game.Unit // its hero; nil: it looks on
	follows *game.Unit // whom it looks at
	token   string
	told    uint64 // the fingerprint of the definitions that it has
	sight
	facts []game.Fact
	since uint64 // the frame since which out is full
	begun uint64 // the frame in which it came
	over  bool
}

func newPlayer() *player {
	return &player{
		in: make(chan message, inRoom), out: make(chan []byte, outRoom), free: make(chan []byte, outRoom),
		done: make(chan struct{}), gone: make(chan struct{}),
	}
}

// buffer returns an empty buffer.
func (p *player) buffer() []byte {
	select {
	case b := <-p.free:
		return b[:0]
	default:
		return make([]byte, 0, 2048)
	}
}

// room reports whether n more messages can wait for the client.
func (p *player) room(n int) bool { return cap(p.out)-len(p.out) >= n }

// send lets a message wait for the client. There must be room.
func (p *player) send(b []byte) { p.out <- b }

// obey carries out what the client has asked for, as much as there is time for in a frame.
func (s *Server) obey(p *player) error {
	for range perFrame {
		select {
		case m := <-p.in:
			if err := s.carryOut(p, m.data()); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// sizes of the messages of a client, but for those of a token and of package replicate.
var sizes = map[byte]int{askWatch: 3, askWalk: 3, askGo: 5, askAim: 3, askCast: 2, askPing: 9, askPause: 2}

// carryOut carries out one message.
func (s *Server) carryOut(p *player, m []byte) error {
	if len(m) == 0 {
		return fmt.Errorf("%w: it is empty", errForeign)
	}
	size, fixed := sizes[m[0]]
	switch {
	case fixed && len(m) != size:
		return fmt.Errorf("%w: kind %#x of %d bytes", errForeign, m[0], len(m))
	case m[0] == askPlay:
		s.play(p, string(m[1:]))
		return nil
	case m[0] == askWatch:
		s.watch(p, s.world.Unit(buff.OwnerID(short(m[1:]))))
		return nil
	case p.viewer == nil:
		return fmt.Errorf("%w: kind %#x before it has said what it wants", errForeign, m[0])
	case !fixed:
		return p.viewer.Receive(m)
	case m[0] == askPing:
		p.pong(m[1:], s.world.Now())
	case m[0] == askPause:
		s.pause(p.arena, m[1] != 0)
	case p.unit != nil:
		s.steer(p, m)
	}
	return nil
}

// steer has the hero of a player do something.
func (s *Server) steer(p *player, m []byte) {
	switch m[0] {
	case askWalk:
		s.world.Walk(p.unit, float64(int8(m[1])), float64(int8(m[2])))
	case askGo:
		s.world.Go(p.unit, float64(short(m[1:]))/grain, float64(short(m[3:]))/grain)
	case askAim:
		s.world.Aim(p.unit, buff.OwnerID(short(m[1:])))
	case askCast:
		if no := s.world.Cast(p.unit, game.Ability(m[1])); no != game.Done && p.room(2) {
			p.send(append(p.buffer(), msgNo, m[1], byte(no)))
		}
	}
}

// pong answers a ping, so that the page knows the time: that of the frame which begins.
func (p *player) pong(stamp []byte, now wheel.Time) {
	now = now.After(game.Frame)
	if p.room(2) {
		p.send(appendFloat(append(append(p.buffer(), msgPong), stamp...), float64(now)))
	}
}

// play gives a player a hero: the one that it had, if its token says so.
func (s *Server) play(p *player, token string) {
	if p.unit != nil {
		return
	}
	h := s.heroes[token]
	if h != nil && h.by != nil { // the same page in another tab, or a connection that has not been noticed to have ended
		s.leave(h.by)
	}
	if h == nil {
		u := s.world.Take(p.arena)
		if u == nil {
			s.watch(p, nil) // there is none left
			return
		}
		h = &hero{unit: u, token: s.newToken()}
		s.heroes[h.token] = h
	}
	h.by = p
	s.world.Play(h.unit, true)
	s.show(p, h.unit, h.unit, h.token)
}

// watch has a player look on, at somebody or at the King.
func (s *Server) watch(p *player, at *game.Unit) {
	if at == nil || at.Arena != p.arena {
		at = s.world.King(p.arena)
	}
	if p.viewer != nil && p.unit == nil {
		p.follows = at
		p.looked = 0
		return
	}
	s.giveBack(p)
	s.show(p, nil, at, "")
}

// show begins to tell a player what there is to see.
func (s *Server) show(p *player, unit, at *game.Unit, token string) {
	if p.viewer != nil {
		p.viewer.Leave()
		p.forget()
	}
	own := buff.OwnerID(0)
	if unit != nil {
		own = unit.ID
	}
	v, err := s.replicate.Join(own)
	if err != nil {
		s.leave(p)
		return
	}
	p.viewer, p.unit, p.follows, p.token, p.told = v, unit, at, token, 0
	p.hello = true
}

// giveBack leaves the hero of a player to a bot, for a while: its player may come back.
func (s *Server) giveBack(p *player) {
	if h := s.heroes[p.token]; h != nil && h.by == p {
		h.by, h.left = nil, s.world.Frames()
		s.world.Play(h.unit, false)
	}
	p.unit, p.token = nil, ""
}

func short(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
