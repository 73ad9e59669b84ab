package game

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// Frame is the game time of one [World.Step].
const Frame = 50 * time.Millisecond

// Sizes of the game.
const (
	ArenaHeroes = 200 // maximum number of heroes in an arena
	MaxHeroes   = 20_000
	Width       = 90.0 // width of an arena, in paces
	Height      = 60.0
	kingHealth  = 120_000
)

// Options configures a [World]. The zero value is an arena of 200 heroes.
type Options struct {
	// Heroes is the number of heroes, from 10 to MaxHeroes. Each arena has up to 200 of them. The
	// default is 200.
	Heroes int

	// Seed is the seed of all random choices.
	Seed uint64

	// Workers is the number of workers of the engine. The default is one for each processor.
	Workers int

	// Buffs is a folder of definitions. The default is the embedded definitions.
	Buffs string

	// Budget is the maximum time that a Step waits for handlers. The default is the engine's
	// default.
	Budget time.Duration
}

// World is the state of the game. Only the goroutine that runs the game loop may use it.
type World struct {
	*book
	eng    *engine.Engine
	dice   *rand.Rand
	now    wheel.Time
	units  []Unit // all heroes and Kings; the index of a unit is its id - 1
	arenas []arena
	facts  []Fact
	icons  map[string]uint8 // from the name of an icon to its index in Icons
	frames uint64
	digest uint64
	err    error
}

// arena is one place of the world, with its own area.
type arena struct {
	area   uint32
	king   *Unit
	heroes []*Unit
	squads [][]*Unit
	ground ground
	paused bool
	clock  wheel.Time // time of the arena, which stops while the arena is paused
	quaked wheel.Time // time of the last quake
	doomed wheel.Time // time of the last doom
	risen  wheel.Time // time when a dead King returns; 0 if the King is alive
	angry  bool
}

// New returns a world. The caller must Close it.
func New(o Options) (*World, error) {
	o.Heroes = cmp.Or(o.Heroes, ArenaHeroes)
	if o.Heroes < 10 || o.Heroes > MaxHeroes {
		return nil, fmt.Errorf("game: %d heroes, want from 10 to %d", o.Heroes, MaxHeroes)
	}
	b, err := loadBook(o.Buffs)
	if err != nil {
		return nil, err
	}
	w := &World{book: b, dice: rand.New(rand.NewPCG(o.Seed, 0x4172656e61)), digest: 14695981039346656037}
	w.nameIcons()
	w.eng, err = engine.New(engine.Options{
		Catalog: b.catalog, Workers: o.Workers, Budget: o.Budget, Seed: o.Seed,
		Trace: engine.Trace{SlowFrame: Frame, History: history.DefaultBytes}, Limits: engine.Limits{Buffs: buff.MaxPerOwner}, Members: w.around,
	})
	if err != nil {
		return nil, err
	}
	w.populate(o.Heroes)
	if w.err != nil {
		return nil, cmp.Or(w.err, w.Close(context.Background()))
	}
	return w, nil
}

// Engine returns the engine, for observers. An observer must not change the engine, because the
// world would not notice the change.
func (w *World) Engine() *engine.Engine { return w.eng }

// Close closes the engine.
func (w *World) Close(ctx context.Context) error { return w.eng.Close(ctx) }

// Err returns the first unexpected error.
func (w *World) Err() error { return w.err }

// Now returns the engine's time.
func (w *World) Now() wheel.Time { return w.now }

// Frames returns the number of calls of Step.
func (w *World) Frames() uint64 { return w.frames }

// Digest returns a number that is equal for two games with the same events.
func (w *World) Digest() uint64 { return w.digest }

// Facts returns the visible events since the start of the last Step. The slice is valid until the
// next Step.
func (w *World) Facts() []Fact { return w.facts }

// Units returns all units. The unit with the id n has the index n - 1. The slice must not be
// changed.
func (w *World) Units() []Unit { return w.units }

// Unit returns the unit with the given id, or nil. The unit must not be changed.
func (w *World) Unit(id buff.OwnerID) *Unit {
	if id == 0 || id > buff.OwnerID(len(w.units)) {
		return nil
	}
	return &w.units[id-1]
}

// Arenas returns the number of arenas.
func (w *World) Arenas() int { return len(w.arenas) }

// King returns the King of an arena.
func (w *World) King(arena int) *Unit { return w.arenas[arena].king }

// expect records an unexpected error, which is an error that no player can cause.
func (w *World) expect(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("at %v: %w", w.now, err)
	}
}

// Step runs one frame.
func (w *World) Step() {
	w.facts = w.facts[:0]
	for k := range w.arenas {
		a := &w.arenas[k]
		if a.paused {
			continue
		}
		a.clock += wheel.Time(Frame / time.Millisecond)
		a.ground.fill(a)
		w.reign(a)
		for _, u := range a.heroes {
			w.act(a, u)
		}
		w.walk(a)
	}
	w.learn(w.eng.Tick(Frame))
	w.frames++
}

// act makes a hero attack its target. If a bot plays the hero, "act" also lets the bot decide from
// time to time what the hero does.
func (w *World) act(a *arena, u *Unit) {
	if u.Dead {
		return
	}
	if !u.Played && a.clock >= u.think {
		u.think = a.clock + wheel.Time(350+w.dice.IntN(300))
		w.decide(a, u)
	}
	w.fight(u)
}

// populate creates all units.
func (w *World) populate(heroes int) {
	n := (heroes + ArenaHeroes - 1) / ArenaHeroes
	w.arenas = make([]arena, n)
	w.units = make([]Unit, heroes+n)
	for k := range heroes {
		u := &w.units[k]
		i := k / n // index of the hero within its arena
		u.ID, u.Arena, u.Side = buff.OwnerID(k+1), k%n, Side(i%2)
		u.Class, u.Squad, u.Most = Class(i/2%5), i/10, 1000
		u.Name = heroName(k)
		a := &w.arenas[u.Arena]
		if squad := int(u.Side) + 2*u.Squad; squad >= len(a.squads) {
			a.squads = append(a.squads, make([][]*Unit, squad+1-len(a.squads))...)
		}
		u.Squad = int(u.Side) + 2*u.Squad
		a.squads[u.Squad] = append(a.squads[u.Squad], u)
		a.heroes = append(a.heroes, u)
		w.enter(u)
	}
	for k := range w.arenas {
		a := &w.arenas[k]
		a.area = uint32(k + 1)
		u := &w.units[heroes+k]
		u.ID, u.Arena, u.Side, u.Class, u.Most, u.Name = buff.OwnerID(heroes+k+1), k, Hollow, King, kingHealth, "The Hollow King"
		a.king = u
		w.enter(u)
		a.quaked, a.doomed = 0, 0
	}
	// Start near the goal of the squad, so that the first fights start at once.
	for k := range heroes {
		u := &w.units[k]
		u.X, u.Y = w.scatter(&w.arenas[u.Arena], u)
	}
}

// enter adds a unit to the engine.
func (w *World) enter(u *Unit) {
	w.expect(w.eng.Spawn(u.ID, u))
	w.expect(w.eng.Do(buff.SetArea(u.ID, uint32(u.Arena+1))).Err())
	w.revive(u)
}

// revive puts a unit at the start of its side, with full health.
func (w *World) revive(u *Unit) {
	u.Dead, u.Health, u.going, u.dx, u.dy, u.Target = false, u.Most, false, 0, 0, 0
	switch u.Side {
	case Hollow:
		u.X, u.Y = Width/2, Height/2
	default:
		u.X = 5 + (Width-10)*float64(u.Side)
		u.Y = Height * (0.2 + 0.6*w.dice.Float64())
		u.Facing = math.Pi * float64(u.Side)
	}
	w.expect(w.eng.Do(buff.SetBase(u.ID, w.maxHealth, u.Most)).Err())
	w.expect(w.eng.Do(buff.SetBase(u.ID, w.health, u.Most)).Err())
	w.expect(w.eng.Do(buff.Revive(u.ID)).Err())
	w.add(u.ID, buff.Application{Spec: w.life, Source: u.ID})
	if u.Hero() {
		w.add(u.ID, buff.Application{Spec: w.meal, Source: u.ID})
	}
}

// add applies a buff, and reports whether the engine accepted it.
func (w *World) add(to buff.OwnerID, a buff.Application) bool {
	return w.eng.AddBuff(to, a).OK()
}

// Pause stops or resumes the time of an arena.
func (w *World) Pause(arena int, still bool) {
	a := &w.arenas[arena]
	if a.paused == still {
		return
	}
	a.paused = still
	cmd := buff.ResumeArea(a.area)
	if still {
		cmd = buff.PauseArea(a.area)
	}
	w.expect(w.eng.Do(cmd).Err())
}

// Paused reports whether the time of an arena is stopped.
func (w *World) Paused(arena int) bool { return w.arenas[arena].paused }

// Reload replaces the definitions. If the new definitions have errors, the old definitions remain.
func (w *World) Reload(c *buff.Catalog) (view.ReloadReport, error) {
	b, err := newBook(c)
	if err != nil {
		return view.ReloadReport{}, err
	}
	report, err := w.eng.Reload(c)
	if err == nil {
		w.book = b
	}
	return report, err
}
