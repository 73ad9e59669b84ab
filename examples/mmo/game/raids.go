package game

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// raid holds the players who fight one boss, and the loop's data about this boss.
type raid struct {
	boss    buff.OwnerID
	members []*player
	fights  bool
	fell    bool       // the boss died in the last frame
	returns wheel.Time // when the next boss appears
	fed     bool       // the raid has eaten for the current fight
	lives   uint64

	came         wheel.Time
	most, health float64 // maximum and current health of the boss, from events
	phase        int     // number of phases that have started

	nextQuake, nextCurse, nextFrenzy wheel.Time
	cursed                           []*player // players who got a bomb or dread, which may have ended
	plagued                          wheel.Time
	bearers                          []bearer // bearers of auras, by class
}

// bearer is the player who has the aura of a class for the raid. The aura need not be renewed
// before the time in the field "until".
type bearer struct {
	player *player
	until  wheel.Time
}

// phase is a buff that a boss gets when its health has fallen to a fraction of its maximum. The
// field "share" is this fraction. Each phase starts with a burst.
type phase struct {
	share float64
	spec  *buff.Spec
}

// plagues is the number of plagues that each player of a raid gets in a burst.
const plagues = 3

// beforeBoss is the time between a raid's meal and the appearance of its boss.
const beforeBoss = 3 * time.Second

// appear spawns a raid's boss.
func (w *world) appear(r *raid) {
	r.most = float64(bossHealth * len(r.members))
	r.health = r.most
	w.expect(w.eng.Spawn(r.boss, newUnit(w.seed, r.boss, r.lives, w.fallen)))
	w.expect(w.eng.Do(buff.SetBase(r.boss, w.maxHealth, r.most)).Err())
	w.expect(w.eng.Do(buff.SetBase(r.boss, w.vigour, r.most)).Err())
	w.add(r.boss, buff.Application{Spec: w.life, Source: r.boss})
	err := w.eng.Do(buff.AddTimeout(r.boss, enrageAfter, enrageName)).Err()
	w.expect(err)
	r.lives++
	r.fights, r.fed, r.phase, r.cursed, r.plagued = true, false, 0, r.cursed[:0], 0
	r.nextQuake = w.in(4*time.Second, 4*time.Second)
	r.nextCurse = w.in(2*time.Second, 4*time.Second)
	r.nextFrenzy = w.in(5*time.Second, 0)
}

// leave removes a dead boss, and the curses that the boss has cast.
func (w *world) leave(r *raid) {
	r.fell, r.fights = false, false
	r.returns = w.in(8*time.Second, 4*time.Second)
	w.expect(w.eng.Drop(r.boss))
	w.expect(w.eng.Do(buff.LoseSource(r.boss)).Err())
}

// actRaid runs the actions of a boss and the actions with which the raid helps its members.
func (w *world) actRaid(r *raid) {
	switch {
	case r.fell:
		w.leave(r)
	case r.fights:
		w.actBoss(r)
		w.bear(r)
		if len(r.cursed) > 0 {
			for range w.times(dispels) {
				w.relieve(r)
			}
		}
		if w.now < r.plagued {
			for range w.times(purges * float64(len(r.members))) {
				w.purge(r)
			}
		}
	case w.now >= r.returns:
		w.appear(r)
	case !r.fed && w.now.After(beforeBoss) >= r.returns:
		w.eat(r)
	}
}

// eat gives the players of a raid food before a fight.
func (w *world) eat(r *raid) {
	r.fed = true
	for _, p := range r.members {
		if p.here() {
			w.add(p.id, buff.Application{Spec: w.stew, Source: p.id})
			w.add(p.id, buff.Application{Spec: w.feast, Source: p.id})
		}
	}
}

// hit makes a boss apply a buff to a player. The magnitude is scaled by the power of the boss.
func (w *world) hit(r *raid, p *player, spec *buff.Spec, magnitude int64) {
	if p.here() {
		w.add(p.id, buff.Application{Spec: spec, Source: r.boss, Magnitude: magnitude * w.strong(r.boss) / 100})
	}
}

// actBoss makes a boss fight. The boss hits single players, shakes all players of the raid in one
// frame, curses players, increases its own frenzy, and starts each phase with a burst.
func (w *world) actBoss(r *raid) {
	anyone := func() *player { return r.members[w.dice.IntN(len(r.members))] }
	for range w.times(strikes * float64(len(r.members))) {
		p := anyone()
		w.hit(r, p, w.strike, 1000)
		if w.dice.IntN(4) == 0 {
			w.hit(r, p, w.bleed, 100)
		}
	}
	if w.now >= r.nextQuake {
		r.nextQuake = w.in(10*time.Second, 4*time.Second)
		for _, p := range r.members {
			w.hit(r, p, w.quake, 100)
		}
	}
	if w.now >= r.nextCurse {
		r.nextCurse = w.in(time.Second, 2*time.Second)
		for range 1 + len(r.members)/25 {
			w.hit(r, r.members[w.dice.IntN(min(len(r.members), front))], w.dread, 100)
			w.hit(r, anyone(), w.bomb, 100)
			if r.phase == len(w.phases) {
				w.hit(r, anyone(), w.statue, 100)
			}
		}
	}
	if w.now >= r.nextFrenzy {
		r.nextFrenzy = w.in(5*time.Second, 0)
		w.add(r.boss, buff.Application{Spec: w.frenzy, Source: r.boss})
	}
	if r.phase < len(w.phases) && r.health <= r.most*w.phases[r.phase].share {
		w.burst(r, w.phases[r.phase].spec)
	}
}

// burst starts a phase. In one frame, the boss becomes stronger, and all players of the raid get
// plagues and run away.
func (w *world) burst(r *raid, spec *buff.Spec) {
	r.phase++
	w.totals.bursts++
	w.add(r.boss, buff.Application{Spec: spec, Source: r.boss})
	for _, p := range r.members {
		for range plagues {
			w.hit(r, p, w.plague, 100)
		}
		p.paces = w.dice.IntN(2 * far)
	}
	r.plagued = w.in(w.plague.Duration, 0)
}

// bear makes sure that the aura of each class is active in the raid. One player of the class bears
// it.
func (w *world) bear(r *raid) {
	for i := range w.classes {
		c, b := &w.classes[i], &r.bearers[i]
		if c.aura == nil || b.player != nil && b.player.here() && w.now < b.until {
			continue
		}
		b.player = nil
		for _, p := range r.members {
			if p.class == c && p.here() && !p.dazed {
				b.player, b.until = p, w.in(c.aura.Duration-time.Second, 0)
				w.add(p.id, buff.Application{Spec: c.aura, Source: p.id})
				break
			}
		}
	}
}

// relieve dispels the latest curse, which may already have ended.
func (w *world) relieve(r *raid) {
	last := len(r.cursed) - 1
	if last < 0 {
		return
	}
	if p := r.cursed[last]; p.here() {
		w.add(p.id, buff.Application{Spec: w.cleanse, Source: r.members[w.dice.IntN(len(r.members))].id})
	}
	r.cursed = r.cursed[:last]
}

// purge dispels the oldest poison of a random player.
func (w *world) purge(r *raid) {
	if p := r.members[w.dice.IntN(len(r.members))]; p.here() {
		w.allow(w.eng.Do(buff.Dispel(p.id, buff.Query{Type: "poison", Most: 1})))
	}
}
