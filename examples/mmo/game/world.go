package game

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/wheel"
)

// bossHealth is the health of a boss, per player in its raid. The health of players is in
// sheet.yaml.
const bossHealth = 750

// assembly is the time within which all bosses appear for the first time. The first boss appears at
// once. The others follow one by one, so that something is always happening.
const assembly = 20 * time.Second

// firstBoss is the first owner id of a boss. Players are numbered from 1.
const firstBoss = 1_000_001

// world is the state of the game loop. The loop learns about the units only from the events of each
// frame, so it never reads data that a worker may be changing.
type world struct {
	settings
	*book
	eng     *engine.Engine
	keep    *keep      // saves the world; nil without -data
	dice    *rand.Rand // used only by the loop, so that the same seed gives the same game
	source  *rand.PCG  // source of dice
	now     wheel.Time
	frames  int // number of frames to play
	classes []class
	players []player
	raids   []raid
	err     error // the first unexpected error, which ends the game

	totals totals
	pulses pulses
	digest digest
	story  *story           // nil if no story is printed
	trace  func(buff.Event) // if not nil, called with every event
}

// player is the loop's data about a player.
type player struct {
	id      buff.OwnerID
	class   *class
	raid    *raid
	dead    bool
	away    bool       // the player is logged out
	returns wheel.Time // when the player logs in again
	lives   uint64     // number of logins

	dazed   bool
	bare    bool // the player has lost its stance
	paces   int  // distance from the boss
	casting buff.TimeoutHandle
	recent  [6]cast // the last casts of lasting spells, some of which the player repeats
	casts   int
}

// patience is the longest time that one Tick waits for its handlers in a game without -live. It is
// long enough for any machine, even for a machine that stops for a second. With a shorter time,
// events could move to a later frame, and the digest would depend on the speed of the machine. A
// live game uses the engine's default, as a server would.
const patience = time.Minute

// budget returns the maximum time that one Tick waits for its handlers.
func (s *settings) budget() time.Duration {
	if s.live {
		return engine.DefaultBudget
	}
	return patience
}

func newWorld(s settings) (*world, error) {
	b, err := loadBook(s.buffs)
	if err != nil {
		return nil, err
	}
	w := &world{
		settings: s, book: b,
		frames:  framesOf(s.duration, s.rate),
		players: make([]player, s.players),
		raids:   make([]raid, s.bosses),
		pulses:  newPulses(),
		digest:  newDigest(),
	}
	w.dice, w.source = newDice(s.seed, 0)
	recorder := 0
	if s.live {
		recorder = history.DefaultBytes // the page shows the flight recorder
	}
	err = w.start(engine.Options{
		Trace:       engine.Trace{History: recorder, SlowFrame: time.Second / time.Duration(s.rate)},
		Catalog:     b.catalog,
		Handlers:    newRules(b, s.players).handlers(),
		Workers:     s.workers,
		Synchronous: s.sync,
		Budget:      s.budget(),
		Limits:      engine.Limits{Buffs: buff.MaxPerOwner}, // a boss has many buffs
		Members:     w.around,
	})
	if err != nil {
		return nil, err
	}
	w.populate()
	if w.old() {
		w.expect(w.settle())
	} else {
		w.enter()
	}
	if w.err != nil {
		return nil, cmp.Or(w.err, w.abandon(context.Background()))
	}
	return w, nil
}

// around reports the members of an aura, which are players in the bearer's raid who are near
// enough. The distance between two units is the difference of their distances from the boss.
func (w *world) around(q engine.AuraQuery, found func(buff.OwnerID)) {
	var r *raid
	paces := 0
	if q.Bearer >= firstBoss {
		r = &w.raids[q.Bearer-firstBoss]
	} else {
		r, paces = w.players[q.Bearer-1].raid, w.players[q.Bearer-1].paces
	}
	for _, p := range r.members {
		if p.here() && math.Abs(float64(p.paces-paces)) <= q.Buff.Spec.Aura.Radius {
			found(p.id)
		}
	}
}

// populate creates all units. Each player is in the raid of one boss.
func (w *world) populate() {
	w.classes = newClasses(w.book)
	for i := range w.raids {
		w.raids[i].boss, w.raids[i].bearers = buff.OwnerID(firstBoss+i), make([]bearer, len(w.classes))
	}
	for i := range w.players {
		p := &w.players[i]
		p.id, p.class, p.raid = buff.OwnerID(i+1), &w.classes[i/len(w.raids)%len(w.classes)], &w.raids[i%len(w.raids)]
		p.raid.members = append(p.raid.members, p)
	}
}

// enter adds all units of a new world.
func (w *world) enter() {
	for i := range w.players {
		w.logIn(&w.players[i])
	}
	for i := range w.raids {
		r := &w.raids[i]
		w.eat(r)
		if i == 0 {
			w.appear(r)
		} else {
			r.returns = w.in(0, assembly)
		}
	}
}

// expect records an error that no player can cause.
func (w *world) expect(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("at %v: %w", w.now, err)
	}
}

// logIn spawns a player with full health and long-lasting buffs.
func (w *world) logIn(p *player) {
	p.away, p.dead = false, false
	p.dazed, p.bare, p.casting, p.recent = false, false, 0, [6]cast{}
	p.paces = p.class.paces + w.dice.IntN(stray)
	err := w.eng.Spawn(p.id, newUnit(w.seed, p.id, p.lives, w.ghost))
	if w.patient(p, err) {
		return
	}
	w.expect(err)
	p.lives++
	for _, spec := range []*buff.Spec{w.life, w.stance, w.rested, w.deathWard, w.stew} {
		w.add(p.id, buff.Application{Spec: spec, Source: p.id})
	}
}

func (w *world) logOut(p *player) {
	w.expect(w.eng.Drop(p.id))
	p.away, p.returns = true, w.in(3*time.Second, 5*time.Second)
}

// in returns a time after now. It adds the delay and a random part of the spread.
func (w *world) in(delay, spread time.Duration) wheel.Time {
	return w.now.After(delay + time.Duration(w.dice.Int64N(int64(spread)+1)))
}

// see handles the events of a frame.
func (w *world) see(f *engine.Frame) {
	w.now = f.Now
	for e := range f.Events() {
		w.totals.add(e)
		w.pulses.add(e)
		w.digest.add(e)
		w.learn(e)
		if w.story != nil {
			w.story.add(e)
		}
		if w.trace != nil {
			w.trace(e)
		}
	}
	if w.story != nil {
		w.story.frame()
	}
	w.totals.stuck += len(f.Stuck)
}

// learn updates the loop's data from an event.
func (w *world) learn(e buff.Event) {
	if e.Kind == buff.Removed && e.Why == reason.Dispelled {
		w.totals.dispels++
	}
	if e.Owner >= firstBoss {
		w.learnBoss(&w.raids[e.Owner-firstBoss], e)
	} else {
		w.learnPlayer(&w.players[e.Owner-1], e)
	}
}

func (w *world) learnBoss(r *raid, e buff.Event) {
	switch {
	case e.Kind == buff.Changed && e.Attr == w.vigour:
		r.health = e.Value
	case e.Kind == buff.Applied && is(e.Spec, w.life):
		r.came = e.At
	case e.Kind == buff.Applied && is(e.Spec, w.fallen):
		r.fell = true
		w.totals.felled++
	}
}

func (w *world) learnPlayer(p *player, e buff.Event) {
	began, ended := e.Kind == buff.Applied, e.Kind == buff.Removed
	switch {
	case e.Kind == buff.TimedOut:
		p.casting = 0
	case !began && !ended:
	case is(e.Spec, w.ghost):
		p.dead = began
		if began {
			w.totals.deaths++
		}
	case is(e.Spec, w.daze):
		p.dazed = began
	case is(e.Spec, w.stance):
		p.bare = ended
	case began && (is(e.Spec, w.bomb) || is(e.Spec, w.dread)):
		p.raid.cursed = append(p.raid.cursed, p)
	}
}
