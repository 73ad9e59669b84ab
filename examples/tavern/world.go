package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store"
)

const (
	frame   = 50 * time.Millisecond
	most    = 1000 // maximum number of known players, connected or not
	longest = 20   // maximum length of a name, in bytes
)

//go:embed buffs.yaml
var definitions []byte

// player is the game's own data about an owner. The rest is in the engine.
type player struct{ name string }

// away is a player who is not connected. Blob has the saved buffs.
type away struct {
	ID   buff.OwnerID
	Blob []byte
}

// world is the room. It belongs to the loop. Other goroutines send functions to the inbox.
type world struct {
	zone   *store.Saver
	eng    *engine.Engine
	screen *replicate.Server
	inbox  *engine.Inbox
	health stat.Attr
	alive  *buff.Spec
	away   map[string]away // by name; saved in the same cut as the connected players
	conns  map[buff.OwnerID]*conn
}

// open returns the room as saved in its last cut.
func open(ctx context.Context, disk store.Store) (*world, error) {
	cat, err := catalog.Parse("buffs.yaml", definitions)
	if err != nil {
		return nil, err
	}
	w := &world{alive: cat.Spec("alive"), away: map[string]away{}, conns: map[buff.OwnerID]*conn{}}
	w.health = cat.MustAttr("health")
	w.zone, err = store.Open(ctx, disk, "tavern",
		engine.Options{Catalog: cat, Handlers: engine.Handlers{"revive": w.revive}},
		store.Options{
			Marshal: func(id buff.OwnerID, data any, dst []byte) ([]byte, error) {
				return append(dst, data.(*player).name...), nil
			},
			Unmarshal: func(id buff.OwnerID, data []byte) (any, error) { return &player{string(data)}, nil },
			Zone: func(b []byte) []byte {
				text, _ := json.Marshal(w.away)
				return append(b, text...)
			},
		})
	if err != nil {
		return nil, err
	}
	w.eng = w.zone.Engine()
	w.inbox = w.eng.Inbox().For("network")
	w.screen = replicate.New(w.eng, replicate.Options{})
	if r := w.zone.Restored(); !r.Fresh {
		if err := json.Unmarshal(r.Zone, &w.away); err != nil {
			return nil, err
		}
	}
	for id := range w.eng.OwnerIDs() { // after a restart, no player is connected yet
		if err := w.leave(id); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *world) arrived() string {
	r := w.zone.Restored()
	if r.Fresh {
		return "a new world"
	}
	return fmt.Sprintf("restored after %v, with %d known players", r.Away, len(w.away))
}

// frame runs every 50 ms.
func (w *world) frame(dt time.Duration) {
	f := w.zone.After(w.eng.Tick(dt))
	for e := range f.Events() {
		for _, c := range w.conns {
			c.text(fmt.Sprintf("%d: %v", e.Owner, e))
		}
	}
	w.screen.Update()
	for id, c := range w.conns {
		if c.ctx.Err() != nil {
			if err := w.leave(id); err != nil {
				continue // the owner is busy; the next frame tries again
			}
		} else if c.free() {
			if b := c.viewer.Append(nil); len(b) > 0 {
				c.send(packet, b)
			}
		}
	}
}

// revive is the handler "respawn" of the definitions.
func (w *world) revive(c *engine.Context, e buff.Event) {
	c.Do(buff.Revive(c.Owner()))
	c.Do(buff.SetBase(c.Owner(), w.health, 100))
	c.AddBuff(c.Owner(), buff.Application{Spec: w.alive, Source: c.Owner()})
}

// join adds a player, who gets back the buffs that were saved when the player left.
func (w *world) join(c *conn, name string) error {
	for _, o := range w.conns {
		if w.eng.Data(o.id).(*player).name == name {
			return fmt.Errorf("%s has already joined", name)
		}
	}
	p, known := w.away[name]
	var err error
	switch {
	case known:
		_, err = w.eng.Restore(p.ID, &player{name}, p.Blob)
	case len(name) > longest || len(w.away)+len(w.conns) >= most:
		return errors.New("the tavern is full")
	default:
		p.ID = buff.OwnerID(len(w.away) + len(w.conns) + 1)
		err = w.eng.Spawn(p.ID, &player{name})
		w.eng.AddBuff(p.ID, buff.Application{Spec: w.alive, Source: p.ID})
	}
	if err != nil {
		return err
	}
	delete(w.away, name)
	if c.viewer, err = w.screen.Join(p.ID); err != nil {
		return errors.Join(err, w.leave(p.ID))
	}
	c.id = p.ID
	w.conns[c.id] = c
	w.screen.Update() // adds the new owner to the screen
	for _, o := range w.conns {
		err = errors.Join(err, o.viewer.See(c.id), c.viewer.See(o.id))
	}
	c.text(fmt.Sprintf("you are %d", c.id))
	return err
}

// leave removes a player from the room and saves the player's buffs.
func (w *world) leave(id buff.OwnerID) error {
	name := w.eng.Data(id).(*player).name
	blob, err := w.eng.Despawn(id)
	if err != nil {
		return err
	}
	w.away[name] = away{id, blob}
	if c := w.conns[id]; c != nil {
		c.viewer.Leave()
		delete(w.conns, id)
	}
	return nil
}

// use makes a player use an ability on a target. The result is an event, which is sent to all
// players.
func (w *world) use(by buff.OwnerID, ability string, target buff.OwnerID) error {
	cat := w.eng.Catalog()
	spec, err := cat.Lookup(ability)
	if err != nil {
		return err
	}
	if !slices.Contains(spec.Tags, "ability") {
		return fmt.Errorf("%s is not an ability", ability)
	}
	if cost := cat.Spec(ability + "_cooldown"); cost != nil {
		if err := w.apply(by, cost, by); err != nil {
			return err
		}
	}
	return w.apply(target, spec, by)
}

func (w *world) apply(target buff.OwnerID, spec *buff.Spec, source buff.OwnerID) error {
	r := w.eng.AddBuff(target, buff.Application{Spec: spec, Source: source})
	if r.Kind == buff.Denied {
		return fmt.Errorf("%s: %v", spec.ID, r.Why) // for the player
	}
	return r.Failure
}

// look describes all players in the room.
func (w *world) look() (text string) {
	for id := range w.eng.OwnerIDs() {
		health, err := w.eng.Attribute(id, w.health)
		if err != nil {
			continue
		}
		text += fmt.Sprintf("%d %s health %v\n", id, w.eng.Data(id).(*player).name, health)
	}
	return text
}
