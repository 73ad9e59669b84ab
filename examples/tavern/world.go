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

// world is the room. It belongs to the loop; other goroutines send functions to the inbox. The game's
// own data about an owner is the player's name.
type world struct {
	zone   *store.Saver
	eng    *engine.Engine
	screen *replicate.Server
	ids    map[string]buff.OwnerID // all players, by name
	conns  map[buff.OwnerID]*conn  // players in the room
}

// open returns the room as it was in its last cut, without players.
func open(ctx context.Context, disk store.Store) (*world, error) {
	cat := catalog.MustParse("buffs.yaml", definitions)
	zone, err := store.Open(ctx, disk, "tavern", engine.Options{Catalog: cat}, store.Options{
		Marshal:   func(_ buff.OwnerID, name any, b []byte) ([]byte, error) { return append(b, name.(string)...), nil },
		Unmarshal: func(_ buff.OwnerID, b []byte) (any, error) { return string(b), nil },
	})
	if err != nil {
		return nil, err
	}
	w := &world{zone: zone, eng: zone.Engine(), ids: map[string]buff.OwnerID{}, conns: map[buff.OwnerID]*conn{}}
	w.screen = replicate.New(w.eng, replicate.Options{Attributes: []replicate.Attribute{{Name: "health"}}, SeeAll: true})
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
	events := w.zone.After(w.eng.Tick(dt)).String()
	w.screen.Update()
	for id, c := range w.conns {
		if c.ctx.Err() != nil && w.zone.Park(id) == nil { // if Park fails, the next frame repeats it
			c.viewer.Leave()
			delete(w.conns, id)
			continue
		}
		m := message{Text: events}
		if len(c.out) == 0 { // a slow client gets the newest state with a later packet
			m.Packet = c.viewer.Append(nil)
		}
		if m.Text != "" || m.Packet != nil {
			c.send(m)
		}
	}
}

// command executes a line from a player.
func (w *world) command(c *conn, line string) error {
	var verb, name string
	var target buff.OwnerID
	n, _ := fmt.Sscan(line, &verb, &name, &target)
	switch {
	case c.viewer == nil && verb == "join" && n == 2:
		return w.join(c, name)
	case c.viewer == nil:
		return errors.New("join first: join NAME")
	case verb == "use" && n == 3:
		return w.use(c.viewer.Owner(), name, target)
	case verb == "look":
		var text string
		for id := range w.eng.OwnerIDs() {
			text += fmt.Sprintln(id, w.eng.Data(id))
		}
		c.send(message{Text: text})
		return nil
	}
	return errors.New("unknown command: want use ABILITY NUMBER, or look")
}

// join adds a player, who gets back the buffs that the player left with.
func (w *world) join(c *conn, name string) (err error) {
	id, known := w.ids[name]
	switch {
	case known:
		if _, err := w.zone.Unpark(id); err != nil {
			return err // engine.ErrOwnerExists if the player is in the room
		}
	case len(name) > longest || len(w.ids) >= most:
		return errors.New("the tavern is full")
	default:
		id = buff.OwnerID(len(w.ids) + 1)
		if err := w.eng.Spawn(id, name); err != nil {
			return err
		}
		w.eng.AddBuff(id, buff.Application{Spec: w.eng.Catalog().Spec("alive"), Source: id})
		w.ids[name] = id
	}
	if c.viewer, err = w.screen.Join(id); err != nil {
		return errors.Join(err, w.zone.Park(id))
	}
	w.conns[id] = c
	w.screen.Update() // adds the new owner to the screen
	for _, o := range w.conns {
		o.viewer.Look()
	}
	c.send(message{Text: fmt.Sprintln("you are", id)})
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
