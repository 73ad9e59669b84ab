package game

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
	"github.com/bufftick/bufftick/wheel"
)

// keep saves the world on disk if -data is set. It saves a cut once per second of game time. Even
// if this process is killed, the next process resumes from the last cut.
type keep struct {
	disk  *bolt.Store
	zone  *store.Saver
	saved savedWorld // state of the game loop as loaded from the disk
}

// start creates the engine of a world. With -data, "start" restores the engine from the last cut,
// if there is one. Otherwise the engine is empty.
func (w *world) start(o engine.Options) error {
	if w.data == "" {
		o.Epoch = time.Unix(0, 0) // a fixed date, so that a run does not depend on the present date
		eng, err := engine.New(o)
		w.eng = eng
		return err
	}
	if err := os.MkdirAll(w.data, 0o755); err != nil {
		return err
	}
	disk, err := bolt.Open(filepath.Join(w.data, "world.db"), bolt.Options{})
	if err != nil {
		return err
	}
	k := &keep{disk: disk}
	k.zone, err = store.Open(context.Background(), disk, "mmo", o, store.Options{
		Marshal: marshalUnit, Unmarshal: w.unmarshalUnit, Zone: w.marshal,
	})
	if err != nil {
		return cmp.Or(err, disk.Close())
	}
	w.keep, w.eng = k, k.zone.Engine()
	return nil
}

// end closes the engine. With -data it first saves the world.
func (w *world) end(ctx context.Context) error {
	if w.keep == nil {
		return w.eng.Close(ctx)
	}
	return cmp.Or(w.keep.zone.Drain(ctx), w.keep.disk.Close())
}

// abandon closes the engine of a world that was not played. It does not change the disk.
func (w *world) abandon(ctx context.Context) error {
	if w.keep != nil {
		w.keep.zone.Close()
		defer w.keep.disk.Close()
	}
	return w.eng.Close(ctx)
}

// problem returns the current problem with the saved world, for the live page.
func (w *world) problem() string {
	if w.keep == nil {
		return ""
	}
	return w.keep.zone.Stats().Problem()
}

// old reports whether the world was restored from disk.
func (w *world) old() bool { return w.keep != nil && !w.keep.zone.Restored().Fresh }

// savedUnit is the saved form of a unit.
type savedUnit struct {
	Held bool
	Dice []byte
}

func marshalUnit(_ buff.OwnerID, data any, b []byte) ([]byte, error) {
	u := data.(*unit)
	dice, err := u.source.MarshalBinary()
	if err != nil {
		return b, err
	}
	text, err := json.Marshal(savedUnit{u.held, dice})
	return append(b, text...), err
}

func (w *world) unmarshalUnit(id buff.OwnerID, b []byte) (any, error) {
	var x savedUnit
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, err
	}
	corpse := w.ghost
	if id >= firstBoss {
		corpse = w.fallen
	}
	u := newUnit(w.seed, id, 0, corpse)
	u.held = x.Held
	return u, u.source.UnmarshalBinary(x.Dice)
}

// savedWorld is the saved state of the game loop. Instants are relative to the end of the saved
// frame, because the time of the next process starts at 0 again.
type savedWorld struct {
	Rate    int
	Dice    []byte
	Players []savedPlayer
	Raids   []savedRaid
}

type savedPlayer struct {
	Dead, Away, Dazed, Bare bool
	Returns                 wheel.Time
	Lives                   uint64
	Paces                   int
}

type savedRaid struct {
	Fights, Fell, Fed                                bool
	Returns, Plagued, NextQuake, NextCurse, NextRage wheel.Time
	Came                                             wheel.Time
	Lives                                            uint64
	Most, Health                                     float64
	Phase                                            int
}

// marshal appends the state of the game loop to b. It leaves out the spells that are being cast,
// because they are Go functions.
func (w *world) marshal(b []byte) []byte {
	x := savedWorld{Rate: w.rate, Players: make([]savedPlayer, len(w.players)), Raids: make([]savedRaid, len(w.raids))}
	x.Dice, _ = w.source.MarshalBinary() // never fails
	for i := range w.players {
		p := &w.players[i]
		x.Players[i] = savedPlayer{p.dead, p.away, p.dazed, p.bare, p.returns - w.now, p.lives, p.paces}
	}
	for i := range w.raids {
		r := &w.raids[i]
		x.Raids[i] = savedRaid{
			r.fights, r.fell, r.fed, r.returns - w.now, r.plagued - w.now, r.nextQuake - w.now, r.nextCurse - w.now, r.nextFrenzy - w.now,
			r.came - w.now,
			r.lives, r.most, r.health, r.phase,
		}
	}
	text, _ := json.Marshal(x) // cannot fail for numbers and bools
	return append(b, text...)
}

// settle restores the saved state of all units in the loop.
func (w *world) settle() error {
	x := &w.keep.saved
	if err := json.Unmarshal(w.keep.zone.Restored().Zone, x); err != nil {
		return fmt.Errorf("%s: %w", w.data, err)
	}
	if len(x.Players) != len(w.players) || len(x.Raids) != len(w.raids) {
		return fmt.Errorf("%s contains a world of %d players and %d bosses: use -players %d -bosses %d, or another folder",
			w.data, len(x.Players), len(x.Raids), len(x.Players), len(x.Raids))
	}
	for i := range w.players {
		p, y := &w.players[i], x.Players[i]
		p.dead, p.away, p.dazed, p.bare, p.returns, p.lives, p.paces = y.Dead, y.Away, y.Dazed, y.Bare, y.Returns, y.Lives, y.Paces
	}
	for i := range w.raids {
		r, y := &w.raids[i], x.Raids[i]
		r.fights, r.fell, r.fed, r.lives, r.most, r.health, r.phase = y.Fights, y.Fell, y.Fed, y.Lives, y.Most, y.Health, y.Phase
		r.returns, r.plagued, r.nextQuake, r.nextCurse, r.nextFrenzy = y.Returns, y.Plagued, y.NextQuake, y.NextCurse, y.NextRage
		r.came = y.Came
	}
	return w.source.UnmarshalBinary(x.Dice)
}

// came describes the restored world in a line for the summary.
func (k *keep) came() string {
	r := k.zone.Restored()
	if r.Fresh {
		return "a new world"
	}
	return fmt.Sprintf("%d units with %d buffs restored from a cut %v old; %d buffs had ended, %d units could not be restored",
		r.Owners, r.Buffs, r.Away.Round(time.Millisecond), r.Expired, len(r.Failed))
}

// savedLine describes the saved world in a line for the end of the game.
func (w *world) savedLine() string {
	if w.keep == nil {
		return ""
	}
	s := w.keep.zone.Stats()
	return fmt.Sprintf("%-9s %d cuts, %d failed, %.1f MB; the last one is %v of game time old, with %d changed units\n", "saved",
		s.Cuts, s.Failed, float64(s.Total)/1e6, s.Age, s.Owners)
}

// newDice returns a random generator and its source. The state of the source can be saved.
func newDice(seed, stream uint64) (*rand.Rand, *rand.PCG) {
	source := rand.NewPCG(seed, stream)
	return rand.New(source), source
}
