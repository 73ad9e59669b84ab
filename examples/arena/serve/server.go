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

// endless is more than any buff of the arena has left, and less than one without an end.
const endless = 1000 * time.Hour

// Bounds of a [Server].
const (
	MaxPlayers = 256     // connections at once
	kept       = 60 * 20 // frames for which a hero waits for its player
	stillMost  = 30 * 20 // frames that an arena stands still at most
	patienceTo = 10 * 20 // frames within which a client says what it wants
	asksRoom   = 16
)

// errOver says that nobody takes anything any more.
var errOver = errors.New("serve: the game is over")

// Server is the loop of an arena, and who looks at it. Make one with [New].
type Server struct {
	world     *game.World
	replicate *replicate.Server
	heroes    map[string]*hero
	players   []*player
	paused    map[int]uint64 // arenas that stand still, and since which frame

	arrivals chan *player
	slots    chan struct{} // one for each connection
	doors    *doors
	asks     chan func(*game.World)
	over     chan struct{}
	beside   func(time.Duration) // told how long a frame took

	near, mates []*game.Unit
	newToken    func() string
	bytes       uint64 // that were sent
}

// hero is one that a player has.
type hero struct {
	unit  *game.Unit
	token string
	by    *player // nil: it is away, since the frame left
	left  uint64
}

// New returns a Server that plays a world. The world is the Server's from then on.
func New(w *game.World) *Server {
	return &Server{
		world: w, replicate: replicate.New(w.Engine(), replicate.Options{Views: 128}),
		heroes: map[string]*hero{}, paused: map[int]uint64{},
		arrivals: make(chan *player, MaxPlayers), slots: make(chan struct{}, MaxPlayers), doors: newDoors(),
		asks: make(chan func(*game.World), asksRoom), over: make(chan struct{}),
		beside: func(time.Duration) {}, newToken: rand.Text,
	}
}

// Beside has the loop call a function with how long each frame took. It belongs before Run.
func (s *Server) Beside(f func(took time.Duration)) { s.beside = f }

// Run plays the game in real time until ctx ends, and returns what went wrong with it.
func (s *Server) Run(ctx context.Context) error {
	defer s.end()
	return s.loop(ctx, func() error { return nil })
}

// loop plays in real time until ctx ends or behind, which is called after each frame, fails.
func (s *Server) loop(ctx context.Context, behind func() error) error {
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
		s.beside(time.Since(began))
		if err := behind(); err != nil {
			return err
		}
	}
	return s.world.Err()
}

// end lets everybody go.
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

// Ask has a function called on the loop, and waits for it. Any goroutine may call it.
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

// Frame plays one frame, and lets everybody know what they can see of it. Run calls it; so does a test
// that has the time in its own hands.
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
			s.tell(p, k)
		}
	}
	s.sweep()
}

// welcome lets newcomers in.
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

// answer calls what was asked.
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

// pause lets an arena stand still, or go on. Whoever pauses it and leaves does not keep the others waiting.
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

// tell tells a player what it can see, if its client has room.
func (s *Server) tell(p *player, k int) {
	frame := s.world.Frames()
	s.notice(p)
	if p.unit != nil && p.unit.Target != 0 && p.stamps[p.unit.Target] == 0 || p.looked == 0 || (frame+uint64(k))%lookRate == 0 {
		s.look(p)
	}
	if !p.room(4) {
		if p.since == 0 {
			p.since = frame
		}
		return // it gets the newest state when it reads again
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

// post sends a message that is not empty.
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

// appendFacts appends what the player has seen since the last time, behind a scene.
func (p *player) appendFacts(b []byte) []byte {
	b = appendShort(append(b, msgFacts), len(p.facts))
	for k := range p.facts {
		b = appendFact(b, &p.facts[k])
	}
	p.facts = p.facts[:0]
	return b
}

// appendTruth appends what is left of some rings, as the engine knows it: the page holds what it draws
// against that. It says nothing that the player must not know.
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

// leave ends a connection from the loop's side.
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

// sweep forgets who is gone, does not read or says nothing, and frees heroes whose players stay away.
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
