package nakama

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/heroiclabs/nakama-common/runtime"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store"
)

// Keep is like Register, but its matches survive a restart of the server. The store saves the owner
// of each user, with its buffs, in a zone with the name of the match. A returning user gets its
// earlier owner, even in another process.
//
// The match saves once a second and when it ends. Only one match with a given name may run at a
// time. If another match with the same name is started, the store refuses to save the earlier
// match, and the earlier match logs the error.
func Keep(s store.Store, match string, o engine.Options) func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return func(ctx context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule) (runtime.Match, error) {
		zone, err := store.Open(ctx, s, match, o, store.Options{
			Marshal: func(_ buff.OwnerID, data any, b []byte) ([]byte, error) {
				user, _ := data.(string) // not a string if the game has spawned the owner
				return append(b, user...), nil
			},
			Unmarshal: func(_ buff.OwnerID, b []byte) (any, error) { return string(b), nil },
		})
		if err != nil {
			return nil, err
		}
		m := &Match{zone: zone, Engine: zone.Engine(), seats: map[string]*seat{}, ids: map[string]buff.OwnerID{}}
		for id := range m.Engine.OwnerIDs() { // users that were connected when the server ended
			if m.Engine.Data(id) != "" {
				err = errors.Join(err, zone.Park(id))
			}
		}
		if err != nil {
			zone.Close()
			return nil, fmt.Errorf("match %q: %w", match, err)
		}
		for id, user := range zone.Parked() {
			m.ids[string(user)] = id
		}
		m.screen = replicate.New(m.Engine, replicate.Options{})
		return m, nil
	}
}

// enter adds the owner of a user to the engine. It adds the user's earlier owner with its buffs,
// if there is one, and otherwise a new owner.
func (m *Match) enter(user string) (buff.OwnerID, error) {
	m.joined++
	if m.zone == nil {
		return m.joined, m.Engine.Spawn(m.joined, user)
	}
	if id, known := m.ids[user]; known {
		_, err := m.zone.Unpark(id)
		return id, err
	}
	id := buff.OwnerID(len(m.ids) + 1)
	m.ids[user] = id
	return id, m.Engine.Spawn(id, user)
}

// leave removes an owner from the engine. A saved match keeps its buffs. It fails while the owner
// is busy.
func (m *Match) leave(id buff.OwnerID) error {
	if m.zone != nil {
		return m.zone.Park(id)
	}
	_, err := m.Engine.Despawn(id)
	return err
}

// save saves everything and closes the engine.
func (m *Match) save(ctx context.Context, log runtime.Logger) {
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
