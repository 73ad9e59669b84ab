package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/examples/arena/game"
	"github.com/bufftick/bufftick/replicate"
)

// endless is longer than any finite buff of the arena, and shorter than the remaining time that the
// engine reports for an endless buff.
const endless = 1000 * time.Hour

// Limits of a [Server].
const (
	MaxPlayers = 256     // maximum number of connections
	kept       = 60 * 20 // number of frames for which a hero is reserved after its player has left
	stillMost  = 30 * 20 // longest pause, in frames
	patienceTo = 10 * 20 // number of frames within which a client must send its first request
	asksRoom   = 16
)

// errOver is returned after the end of the game.
var errOver = errors.New("serve: the game is over")

// Server runs the game loop and holds the connections of the players. Use [New] to create a Server.
type Server struct {
	world     *game.World
	replicate *replicate.Server
	heroes    map[string]*hero
	players   []*player
	paused    map[int]uint64 // by arena: the frame in which its pause started

	arrivals chan *player
	slots    chan struct{} // holds an element for each connection, to limit the number of connections
	limiter  *limiter
	asks     chan func(*game.World)
	over     chan struct{}
	onFrame  func(time.Duration) // called with the duration of each frame

	near, mates []*game.Unit
	newToken    func() string
	bytes       uint64 // number of bytes sent
}

// hero is a hero that a player has taken.
type hero struct {
	unit  *game.Unit
	token string
	by    *player // nil if the player has left
	left  uint64  // if by is nil: the frame in which the player left
}

// shown are the attributes on the page: health bars for all players, and numbers for a squad.
var shown = []replicate.Attribute{
	{Name: "health", Of: "max_health"},
	{Name: "health", Sync: define.SyncParty},
	{Name: "max_health", Sync: define.SyncParty},
}

// New returns a Server for a world. From then on, only the Server may use the world.
func New(w *game.World) *Server {
	return &Server{
		world: w, replicate: replicate.New(w.Engine(), replicate.Options{Views: 128, Attributes: shown}),
		heroes: map[string]*hero{}, paused: map[int]uint64{},
		arrivals: make(chan *player, MaxPlayers), slots: make(chan struct{}, MaxPlayers), limiter: newLimiter(),
		asks: make(chan func(*game.World), asksRoom), over: make(chan struct{}),
		onFrame: func(time.Duration) {}, newToken: rand.Text,
	}
}

// OnFrame sets a function that the loop calls with the duration of each frame. Call it before
// Run.
func (s *Server) OnFrame(f func(took time.Duration)) { s.onFrame = f }

// Run runs the game in real time until ctx ends, and returns its first error.
func (s *Server) Run(ctx context.Context) error {
	defer s.end()
	return s.loop(ctx, func() error { return nil })
}

// loop runs the game in real time until ctx ends. After each frame it calls the given function. If
// the function returns an error, "loop" ends and returns the error.
func (s *Server) loop(ctx context.Context, after func() error) error {
	tick := time.NewTicker(game.Frame)
	defer tick.Stop()
	for s.world.Err() == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		began := time.Now()
		s.Frame()
		s.onFrame(time.Since(began))
		if err := after(); err != nil {
			return err
		}
	}
	return s.world.Err()
}

// end closes all connections.
func (s *Server) end() {
	close(s.over)
	for _, p := range s.players {
		s.leave(p)
	}
	for {
		select {
		case p := <-s.arrivals:
			close(p.done)
		default:
			return
		}
	}
}

// Ask calls a function on the loop and waits until it returns. Any goroutine may call Ask.
func (s *Server) Ask(ctx context.Context, f func(*game.World)) error {
	done := make(chan struct{})
	select {
	case s.asks <- func(w *game.World) { f(w); close(done) }:
	case <-s.over:
		return errOver
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-s.over:
		return errOver
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Frame runs one frame and sends it to all players. It is called by Run, and directly by tests that
// control the time.
func (s *Server) Frame() {
	s.welcome()
	for _, p := range s.players {
		if err := s.obey(p); err != nil {
			s.leave(p)
		}
	}
	s.answer()
	s.resume()
	s.world.Step()
	s.replicate.Update()
	for k, p := range s.players {
		if p.viewer != nil && !p.over {
			s.update(p, k)
		}
	}
	s.sweep()
}

// welcome adds new connections.
func (s *Server) welcome() {
	for {
		select {
		case p := <-s.arrivals:
			p.begun = s.world.Frames()
			s.players = append(s.players, p)
		default:
			return
		}
	}
}

// answer runs the functions passed to Ask.
func (s *Server) answer() {
	for range asksRoom {
		select {
		case f := <-s.asks:
			f(s.world)
		default:
			return
		}
	}
}

// pause stops or resumes the time of an arena. A pause ends automatically after stillMost frames,
// because the player who paused the arena may have left.
func (s *Server) pause(arena int, still bool) {
	s.world.Pause(arena, still)
	if delete(s.paused, arena); still {
		s.paused[arena] = s.world.Frames()
	}
}

func (s *Server) resume() {
	for arena, since := range s.paused {
		if s.world.Frames()-since >= stillMost {
			s.pause(arena, false)
		}
	}
}

// update sends the visible changes to a player, if the queue to the client has room.
func (s *Server) update(p *player, k int) {
	frame := s.world.Frames()
	s.notice(p)
	if p.unit != nil && p.unit.Target != 0 && p.stamps[p.unit.Target] == 0 || p.looked == 0 || (frame+uint64(k))%lookRate == 0 {
		s.look(p)
	}
	if !p.room(4) {
		if p.since == 0 {
			p.since = frame
		}
		return // the client gets the newest state when it reads again
	}
	p.since = 0
	if p.hello {
		p.hello = false
		s.post(p, appendHello(p.buffer(), s.world, p.arena, p.viewer.Owner(), p.token))
	}
	if f := s.replicate.Fingerprint(); f != p.told {
		p.told = f
		s.post(p, append(p.buffer(), s.replicate.Definitions()...))
	}
	if (frame+uint64(k))%truthRate == 0 {
		s.post(p, p.viewer.Beat(p.buffer()))
		s.post(p, s.appendTruth(p.buffer(), p))
	} else {
		s.post(p, p.viewer.Append(p.buffer()))
	}
	if (frame+uint64(k))%sceneRate == 0 && p.room(1) {
		b := appendScene(p.buffer(), s.world, p.arena, p.seen)
		s.post(p, p.appendFacts(b))
	}
}

// post sends a message, unless the message is empty.
func (s *Server) post(p *player, b []byte) {
	if len(b) == 0 {
		select {
		case p.free <- b:
		default:
		}
		return
	}
	s.bytes += uint64(len(b))
	p.send(b)
}

// appendFacts appends the facts that happened in the player's view since the last scene.
func (p *player) appendFacts(b []byte) []byte {
	b = appendShort(append(b, msgFacts), len(p.facts))
	for k := range p.facts {
		b = appendFact(b, &p.facts[k])
	}
	p.facts = p.facts[:0]
	return b
}

// appendTruth appends the remaining times of some buffs, as read from the engine. The page compares
// these times with the times that it shows. Only buffs that the player may see are included.
func (s *Server) appendTruth(b []byte, p *player) []byte {
	b = appendFloat(append(b, msgTruth), float64(s.world.Now()))
	count := len(b)
	b = append(b, 0)
	for _, u := range p.seen[:min(8, len(p.seen))] {
		buffs, err := s.world.Engine().Buffs(u.ID)
		if err != nil {
			continue
		}
		b[count]++
		b = appendShort(b, int(u.ID))
		n := len(b)
		b = append(b, 0)
		for x := range buffs.All() {
			if sync := x.Spec.Client.Sync; sync != define.SyncAll && (sync != define.SyncOwner || u != p.unit) || b[n] == 255 {
				continue
			}
			b[n]++
			left := -1.0
			if d := x.Left(s.world.Now()); d < endless {
				left = float64(d.Milliseconds())
			}
			b = appendFloat(appendShort(b, x.Handle.Slot()), left)
		}
	}
	return b
}

// leave ends a connection. The goroutines of the connection may still run for a moment.
func (s *Server) leave(p *player) {
	if p.over {
		return
	}
	p.over = true
	s.giveBack(p)
	if p.viewer != nil {
		p.viewer.Leave()
		p.viewer = nil
	}
	close(p.done)
}

// sweep removes ended connections, and connections whose client does not read or has never sent a
// request. It also frees heroes whose players have been away for too long.
func (s *Server) sweep() {
	frame, here := s.world.Frames(), s.players[:0]
	for _, p := range s.players {
		select {
		case <-p.gone:
			s.leave(p)
		default:
		}
		if p.since > 0 && frame-p.since > patience || p.viewer == nil && frame-p.begun > patienceTo {
			s.leave(p)
		}
		if !p.over {
			here = append(here, p)
		}
	}
	clear(s.players[len(here):])
	s.players = here
	for token, h := range s.heroes {
		if h.by == nil && frame-h.left > kept {
			delete(s.heroes, token)
			s.world.Free(h.unit)
		}
	}
}
