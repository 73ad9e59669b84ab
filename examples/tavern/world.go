package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/store"
)

const (
	frame   = 50 * time.Millisecond
	most    = 1000 // maximum number of players, connected or not
	longest = 20   // maximum length of a name, in bytes
)

//go:embed buffs.yaml
var definitions []byte

// player is the game's own data about an owner.
type player struct{ name string }

// world is the room. It belongs to the loop. Other goroutines send functions to the inbox.
type world struct {
	zone   *store.Saver
	eng    *engine.Engine
	inbox  *engine.Inbox
	screen *replicate.Server
	ids    map[string]buff.OwnerID // all players, by name
	conns  map[buff.OwnerID]*conn  // players in the room
}

// open returns the room as it was in its last cut, without players.
func open(ctx context.Context, disk store.Store) (*world, error) {
	cat := catalog.MustParse("buffs.yaml", definitions)
	revive := func(c *engine.Context, e buff.Event) {
		c.Do(buff.Revive(c.Owner()))
		c.Do(buff.SetBase(c.Owner(), cat.MustAttr("health"), 100))
	}
	zone, err := store.Open(ctx, disk, "tavern",
		engine.Options{Catalog: cat, Handlers: engine.Handlers{"revive": revive}},
		store.Options{
			Marshal: func(id buff.OwnerID, data any, dst []byte) ([]byte, error) {
				return append(dst, data.(*player).name...), nil
			},
			Unmarshal: func(id buff.OwnerID, data []byte) (any, error) { return &player{string(data)}, nil },
		})
	if err != nil {
		return nil, err
	}
	w := &world{zone: zone, eng: zone.Engine(), ids: map[string]buff.OwnerID{}, conns: map[buff.OwnerID]*conn{}}
	w.inbox = w.eng.Inbox().For("network")
	w.screen = replicate.New(w.eng, replicate.Options{
		Attributes: []replicate.Attribute{{Name: "health"}},
		SeeAll:     true,
	})
	for id := range w.eng.OwnerIDs() { // no player is connected yet
		err = errors.Join(err, zone.Park(id))
	}
	for id, name := range zone.Parked() {
		w.ids[string(name)] = id
	}
	return w, err
}

// frame runs every 50 ms.
func (w *world) frame(dt time.Duration) {
	f := w.zone.After(w.eng.Tick(dt))
	for e := range f.Events() {
		for _, c := range w.conns {
			c.send(message{Text: fmt.Sprintf("%d: %v", e.Owner, e)})
		}
	}
	w.screen.Update()
	for id, c := range w.conns {
		switch {
		case c.ctx.Err() != nil && w.zone.Park(id) == nil: // a busy owner is parked in a later frame
			c.viewer.Leave()
			delete(w.conns, id)
		case len(c.out) < cap(c.out)/2:
			if b := c.viewer.Append(nil); len(b) > 0 {
				c.send(message{Packet: b})
			}
		}
	}
}

// join adds a player, who gets back the buffs that the player left with.
func (w *world) join(c *conn, name string) error {
	id, known := w.ids[name]
	if known {
		if _, err := w.zone.Unpark(id); err != nil {
			return err // engine.ErrOwnerExists if the player is in the room
		}
	} else {
		if len(name) > longest || len(w.ids) >= most {
			return errors.New("the tavern is full")
		}
		id = buff.OwnerID(len(w.ids) + 1)
		if err := w.eng.Spawn(id, &player{name}); err != nil {
			return err
		}
		w.eng.AddBuff(id, buff.Application{Spec: w.eng.Catalog().Spec("alive"), Source: id})
		w.ids[name] = id
	}
	viewer, err := w.screen.Join(id)
	if err != nil {
		return errors.Join(err, w.zone.Park(id))
	}
	c.viewer, w.conns[id] = viewer, c
	w.screen.Update() // adds the new owner to the screen
	for _, o := range w.conns {
		o.viewer.Look()
	}
	c.send(message{Text: fmt.Sprintf("you are %d", id)})
	return nil
}

// use makes a player use an ability on a target. The result is an event, which all players see.
func (w *world) use(by buff.OwnerID, ability string, target buff.OwnerID) error {
	cat := w.eng.Catalog()
	spec, err := cat.Lookup(ability)
	if err != nil {
		return err
	}
	if !slices.Contains(spec.Tags, "ability") {
		return fmt.Errorf("%s is not an ability", ability)
	}
	if cooldown := cat.Spec(ability + "_cooldown"); cooldown != nil {
		if err := w.eng.AddBuff(by, buff.Application{Spec: cooldown, Source: by}).Err(); err != nil {
			return err
		}
	}
	return w.eng.AddBuff(target, buff.Application{Spec: spec, Source: by}).Err()
}

// look returns the numbers and names of the players in the room.
func (w *world) look() (text string) {
	for id := range w.eng.OwnerIDs() {
		text += fmt.Sprintln(id, w.eng.Data(id).(*player).name)
	}
	return text
}
