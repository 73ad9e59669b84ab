package nakama

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/heroiclabs/nakama-common/runtime"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store"
)

// Keep is like Register, but its matches survive a restart of the server. The store saves the buffs
// of each player, in a zone with the name of the match. Nakama identifies users by UUIDs, whereas
// an engine identifies owners by numbers, so the store also saves which owner each user has. A
// returning user gets its earlier owner, even in another process.
//
// The match saves once a second and when it ends. Only one match with a given name may run at a
// time. If another match with the same name is started, the store refuses to save the earlier
// match, and the earlier match logs the error.
func Keep(s store.Store, match string, o engine.Options) func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return func(ctx context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule) (runtime.Match, error) {
		m := &Match{seats: map[string]*seat{}, users: users{IDs: map[string]buff.OwnerID{}, Away: map[buff.OwnerID][]byte{}}}
		zone, err := store.Open(ctx, s, match, o, store.Options{Zone: func(b []byte) []byte {
			text, _ := json.Marshal(&m.users) // cannot fail for maps of numbers and bytes
			return append(b, text...)
		}})
		if err != nil {
			return nil, err
		}
		m.zone, m.Engine = zone, zone.Engine()
		if err := m.restore(zone.Restored()); err != nil {
			zone.Close()
			return nil, fmt.Errorf("match %q: %w", match, err)
		}
		m.screen = replicate.New(m.Engine, replicate.Options{})
		return m, nil
	}
}

// users stores the owners of all users of the match.
type users struct {
	Last buff.OwnerID            `json:"last"`
	IDs  map[string]buff.OwnerID `json:"ids"`  // owner of each user, by UUID
	Away map[buff.OwnerID][]byte `json:"away"` // by owner: saved buffs of a user without a connection
}

// restore restores the saved state. Users that were connected when the server ended are treated
// as disconnected.
func (m *Match) restore(r store.Restored) error {
	if r.Fresh {
		return nil
	}
	if err := json.Unmarshal(r.Zone, &m.users); err != nil {
		return err
	}
	for _, id := range m.users.IDs {
		if _, err := m.Engine.Buffs(id); err != nil {
			continue
		}
		blob, err := m.Engine.Despawn(id)
		if err != nil {
			return err
		}
		m.users.Away[id] = blob
	}
	return nil
}

// enter adds the owner of a user to the engine. It adds the user's earlier owner with its buffs,
// if there is one, and otherwise a new owner.
func (m *Match) enter(user string) (buff.OwnerID, error) {
	if m.zone == nil {
		m.joined++
		return m.joined, m.Engine.Spawn(m.joined, user)
	}
	id, known := m.users.IDs[user]
	if !known {
		m.users.Last++
		id = m.users.Last
		m.users.IDs[user] = id
	}
	m.joined++
	if blob, away := m.users.Away[id]; away {
		if _, err := m.Engine.Restore(id, user, blob); err != nil {
			return 0, err
		}
		delete(m.users.Away, id)
		return id, nil
	}
	return id, m.Engine.Spawn(id, user)
}

// leave removes an owner from the engine and keeps its buffs. It fails while the owner is busy.
func (m *Match) leave(id buff.OwnerID) error {
	blob, err := m.Engine.Despawn(id)
	if err == nil && m.zone != nil {
		m.users.Away[id] = blob
	}
	return err
}

// save saves everything and closes the engine.
func (m *Match) save(ctx context.Context, log runtime.Logger) {
	for _, s := range m.seats {
		if err := m.leave(s.id); err != nil {
			log.Warn("owner %d is saved as part of the match: %v", s.id, err)
		}
	}
	if err := m.zone.Drain(ctx); err != nil {
		log.Error("%v", err)
	}
}

// Save saves the current state and waits for the disk. It is for operators, because it blocks the
// match.
func (m *Match) Save(ctx context.Context) error { return m.zone.SaveAll(ctx) }

// Abandon ends the match without saving it, as a crash would.
func (m *Match) Abandon(ctx context.Context) {
	m.zone.Close()
	_ = m.Engine.Close(ctx) // drops unfinished work
}
