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

// Limits of a connection.
const (
	inRoom    = 16 // maximum number of a client's messages that wait for the loop
	outRoom   = 8  // maximum number of messages that wait for a client
	perFrame  = 8  // maximum number of a client's messages that are handled in a frame
	maxFacts  = 64 // maximum number of facts in a scene
	sceneRate = 2  // number of frames from one scene to the next
	lookRate  = 5  // number of frames from one update of the view to the next
	truthRate = 20 // number of frames from one msgTruth to the next
	patience  = 5 * 1000 / 50
)

// errForeign is returned for a message outside the page's protocol. It ends the connection.
var errForeign = errors.New("serve: invalid message")

// message is one message of a client.
type message struct {
	size  uint8
	bytes [maxMessage]byte
}

func (m *message) data() []byte { return m.bytes[:m.size] }

// player is a connection as the loop sees it. The loop and the goroutines of the connection share
// only the channels. To end the connection, the loop closes the channel "done". When the connection
// has ended, its goroutine closes the channel "gone".
type player struct {
	in   chan message
	out  chan []byte
	free chan []byte // buffers that have been written and can be used again
	done chan struct{}
	gone chan struct{}

	// The following fields belong to the loop.
	viewer  *replicate.Viewer // nil until the player's first request
	arena   int
	unit    *game.Unit // the player's hero; nil for a spectator
	follows *game.Unit // the unit in the centre of the view
	token   string
	told    uint64 // fingerprint of the definitions that were sent to the client
	sight
	facts []game.Fact
	since uint64 // first frame in which the queue to the client was full; 0 if it is not full
	begun uint64 // frame in which the player arrived
	over  bool
}

func newPlayer() *player {
	return &player{
		in: make(chan message, inRoom), out: make(chan []byte, outRoom), free: make(chan []byte, outRoom),
		done: make(chan struct{}), gone: make(chan struct{}),
	}
}

// buffer returns an empty buffer for a message.
func (p *player) buffer() []byte {
	select {
	case b := <-p.free:
		return b[:0]
	default:
		return make([]byte, 0, 2048)
	}
}

// room reports whether the queue to the client has room for n more messages.
func (p *player) room(n int) bool { return cap(p.out)-len(p.out) >= n }

// send queues a message for the client. The queue must have room.
func (p *player) send(b []byte) { p.out <- b }

// obey handles the requests of a client, up to the limit for one frame.
func (s *Server) obey(p *player) error {
	for range perFrame {
		select {
		case m := <-p.in:
			if err := s.handle(p, m.data()); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// sizes are the lengths of those client messages that have a fixed length.
var sizes = map[byte]int{askWatch: 3, askWalk: 3, askGo: 5, askAim: 3, askCast: 4, askPing: 9, askPause: 2}

// handle handles one message from a client.
func (s *Server) handle(p *player, m []byte) error {
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
		return fmt.Errorf("%w: kind %#x before the first request", errForeign, m[0])
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

// steer gives an order to the hero of a player.
func (s *Server) steer(p *player, m []byte) {
	switch m[0] {
	case askWalk:
		s.world.Walk(p.unit, float64(int8(m[1])), float64(int8(m[2])))
	case askGo:
		s.world.Go(p.unit, float64(short(m[1:]))/grain, float64(short(m[3:]))/grain)
	case askAim:
		s.world.Aim(p.unit, buff.OwnerID(short(m[1:])))
	case askCast:
		no := s.world.Cast(p.unit, game.Ability(m[1]))
		if p.room(2) {
			b := append(p.buffer(), msgAnswer, m[1], byte(no), m[2], m[3])
			p.send(appendFloat(b, float64(s.world.Now().After(game.Frame))))
		}
	}
}

// pong answers a ping, so that the page knows the time of the current frame.
func (p *player) pong(stamp []byte, now wheel.Time) {
	now = now.After(game.Frame)
	if p.room(2) {
		p.send(appendFloat(append(append(p.buffer(), msgPong), stamp...), float64(now)))
	}
}

// play gives a player a hero. If the token belongs to a reserved hero, the player gets this hero.
func (s *Server) play(p *player, token string) {
	if p.unit != nil {
		return
	}
	h := s.heroes[token]
	// The hero may still have a player, because the page is open in another tab, or because the
	// end of an earlier connection has not been noticed. In this case the earlier player leaves.
	if h != nil && h.by != nil {
		s.leave(h.by)
	}
	if h == nil {
		u := s.world.Take(p.arena)
		if u == nil {
			s.watch(p, nil) // no hero is free
			return
		}
		h = &hero{unit: u, token: s.newToken()}
		s.heroes[h.token] = h
	}
	h.by = p
	s.world.Play(h.unit, true)
	s.show(p, h.unit, h.unit, h.token)
}

// watch makes a player a spectator. The view follows the given unit or, if the unit is nil, the
// King.
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

// show starts to send the game to a player. The view follows the unit in the parameter "at".
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

// giveBack lets a bot play the hero of a player who has left. The hero is reserved for a while,
// because the player may return.
func (s *Server) giveBack(p *player) {
	if h := s.heroes[p.token]; h != nil && h.by == p {
		h.by, h.left = nil, s.world.Frames()
		s.world.Play(h.unit, false)
	}
	p.unit, p.token = nil, ""
}

func short(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
