// Package nakama runs bufftick in an authoritative match of Nakama. The match is the game loop.
//
// Nakama calls all methods of a [runtime.Match] on one goroutine, which is therefore the loop of
// the match's engine. So the methods in this package call the Engine directly, without a lock or
// the Inbox. A plugin registers the match with
//
//	func InitModule(ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule, i runtime.Initializer) error {
//		catalog, err := catalog.LoadFS(files, "buffs")
//		if err != nil {
//			return err
//		}
//		return i.RegisterMatch("arena", nakama.Register(engine.Options{Catalog: catalog, Handlers: handlers}))
//	}
//
// Nakama's RPCs and hooks run on other goroutines. They reach a match with MatchSignal, or with
// the Inbox of its engine.
package nakama

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store"
)

// Rate is the number of calls to MatchLoop per second.
const Rate = 20

// The opcodes of messages. The comments name the sender and the content of each message.
const (
	OpUse    = 1 // from a client: a [Use], as JSON
	OpMissed = 2 // from a client: which packets its replicate client has missed
	OpPacket = 3 // to a client: changes of buffs, encoded by package replicate
	OpDenied = 4 // to a client: the reason why its Use had no effect
)

// Use is an action of a player. It names a buff of the catalog and the number of its target.
// Players are numbered from 1 in the order in which they first joined. In a saved match they keep
// their numbers after a restart.
type Use struct {
	Buff   string       `json:"buff"`
	Target buff.OwnerID `json:"target"`
}

// Register returns a function for RegisterMatch. Each match gets its own engine.
func Register(o engine.Options) func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
		eng, err := engine.New(o)
		if err != nil {
			return nil, err
		}
		return &Match{Engine: eng, screen: replicate.New(eng, replicate.Options{}), seats: map[string]*seat{}}, nil
	}
}

// Match is one match. Nakama calls its methods on one goroutine, and passes the state that
// each call returns to the next call. Here the state is the Match itself.
type Match struct {
	Engine *engine.Engine

	zone   *store.Saver            // nil if the match is not saved
	ids    map[string]buff.OwnerID // owner of each user of a saved match, by UUID
	screen *replicate.Server
	seats  map[string]*seat // by id of the session
	joined buff.OwnerID     // number of owners created so far
	packet []byte
}

type seat struct {
	presence runtime.Presence
	id       buff.OwnerID
	viewer   *replicate.Viewer
	gone     bool // the user has left; the owner is removed when it is not busy
}

// MatchInit starts the match.
func (m *Match) MatchInit(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, map[string]any) (any, int, string) {
	return m, Rate, "arena"
}

// MatchJoinAttempt accepts all users.
func (m *Match) MatchJoinAttempt(_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher, _ int64, _ any, _ runtime.Presence, _ map[string]string) (any, bool, string) {
	return m, true, ""
}

// MatchJoin creates an owner for each user, and a viewer that sees the owners of all users.
func (m *Match) MatchJoin(_ context.Context, log runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher, _ int64, _ any, presences []runtime.Presence) any {
	for _, p := range presences {
		if err := m.join(p); err != nil {
			log.Error("join of %s: %v", p.GetUserId(), err)
		}
	}
	return m
}

func (m *Match) join(p runtime.Presence) error {
	id, err := m.enter(p.GetUserId())
	if err != nil {
		return err
	}
	s := &seat{presence: p, id: id}
	m.screen.Update() // so that the screen knows the new owner
	if s.viewer, err = m.screen.Join(s.id); err != nil {
		return err
	}
	m.seats[p.GetSessionId()] = s
	for _, o := range m.seats {
		if err := o.viewer.See(s.id); err != nil {
			return err
		}
		if err := s.viewer.See(o.id); err != nil {
			return err
		}
	}
	return nil
}

// MatchLeave removes users. A busy owner is removed when it is idle.
func (m *Match) MatchLeave(_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher, _ int64, _ any, presences []runtime.Presence) any {
	for _, p := range presences {
		if s := m.seats[p.GetSessionId()]; s != nil && !s.gone {
			s.gone = true
			s.viewer.Leave()
		}
	}
	return m
}

// MatchLoop runs a frame. It executes the actions of players, calls Tick, and sends packets to
// the players. The match ends when all players have left.
func (m *Match) MatchLoop(ctx context.Context, log runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher, _ int64, _ any, messages []runtime.MatchData) any {
	for _, message := range messages {
		s := m.seats[message.GetSessionId()]
		if s == nil || s.gone {
			continue
		}
		if err := m.message(s, message); err != nil {
			if err := d.BroadcastMessage(OpDenied, []byte(err.Error()), []runtime.Presence{s.presence}, nil, true); err != nil {
				log.Warn("%v", err)
			}
		}
	}
	if f := m.Engine.Tick(time.Second / Rate); m.zone != nil {
		m.zone.After(f)
	}
	m.screen.Update()
	for session, s := range m.seats {
		if s.gone {
			if err := m.leave(s.id); err == nil {
				delete(m.seats, session)
			}
			continue
		}
		if m.packet = s.viewer.Append(m.packet[:0]); len(m.packet) == 0 {
			continue
		}
		// Copy the packet, because Nakama may still be sending it when the next packet is
		// written.
		if err := d.BroadcastMessage(OpPacket, append([]byte(nil), m.packet...), []runtime.Presence{s.presence}, nil, true); err != nil {
			log.Warn("%v", err)
		}
	}
	if m.joined > 0 && len(m.seats) == 0 {
		m.close(ctx, log)
		return nil
	}
	return m
}

func (m *Match) message(s *seat, message runtime.MatchData) error {
	switch message.GetOpCode() {
	case OpMissed:
		return s.viewer.Receive(message.GetData())
	case OpUse:
		var use Use
		if err := json.Unmarshal(message.GetData(), &use); err != nil {
			return err
		}
		spec, err := m.Engine.Catalog().Lookup(use.Buff)
		if err != nil {
			return err
		}
		if err := m.Engine.AddBuff(use.Target, buff.Application{Spec: spec, Source: s.id}).Err(); err != nil {
			return fmt.Errorf("%s: %w", use.Buff, err)
		}
		return nil
	}
	return fmt.Errorf("no such message: %d", message.GetOpCode())
}

// MatchTerminate ends the match when the server ends. When it returns nil, a saved match is on
// disk.
func (m *Match) MatchTerminate(ctx context.Context, log runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher, _ int64, _ any, _ int) any {
	m.close(ctx, log)
	return nil
}

func (m *Match) close(ctx context.Context, log runtime.Logger) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if m.zone != nil {
		m.save(ctx, log)
		return
	}
	if err := m.Engine.Close(ctx); err != nil {
		log.Error("%v", err)
	}
}

// MatchSignal returns the state of the match to an operator.
func (m *Match) MatchSignal(_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher, _ int64, _ any, _ string) (any, string) {
	s := m.Engine.Stats()
	return m, fmt.Sprintf("%d owners, %d busy, %d faults", s.Owners, s.Busy, s.Faults)
}
