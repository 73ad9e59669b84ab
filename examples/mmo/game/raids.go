package game

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// raid is the players who fight one boss, and what the loop knows of the boss.
type raid struct {
	boss    buff.OwnerID
	members []*player
	fights  bool
	fell    bool       // in the frame that has just been seen
	returns wheel.Time // when the boss comes back
	lives   uint64
	power   int64 // of its hits, in percent

	nextQuake, nextCurse, nextFrenzy wheel.Time
	cursed                           []*player // who had a bomb or dread put on; it may be gone
}

// appear spawns a raid's boss.
func (w *world) appear(r *raid) {
	most := bossHealth * int64(len(r.members))
	w.expect(w.eng.Spawn(r.boss, newUnit(w.seed, r.boss, r.lives, most, w.fallen)))
	_, err := w.eng.AddTimeoutByName(r.boss, enrageAfter, enrageName)
	w.expect(err)
	r.lives++
	r.fights, r.power, r.cursed = true, 100, r.cursed[:0]
	r.nextQuake = w.in(4*time.Second, 4*time.Second)
	r.nextCurse = w.in(2*time.Second, 4*time.Second)
	r.nextFrenzy = w.in(5*time.Second, 0)
}

// leave takes a dead boss away; its curses go with it.
func (w *world) leave(r *raid) {
	r.fell, r.fights = false, false
	r.returns = w.in(8*time.Second, 4*time.Second)
	w.expect(w.eng.Drop(r.boss))
	w.expect(w.eng.LoseSource(r.boss))
}

// actRaid lets a boss do what it wants to do, and its raid help one another.
func (w *world) actRaid(r *raid) {
	switch {
	case r.fell:
		w.leave(r)
		for _, p := range r.members {
			if p.here() {
				w.add(p.id, buff.Application{Spec: w.stew, Source: p.id})
			}
		}
	case r.fights:
		w.actBoss(r)
		if len(r.cursed) > 0 {
			for range w.times(dispels) {
				w.relieve(r)
			}
		}
	case w.now >= r.returns:
		w.appear(r)
	}
}

// actBoss lets a boss fight: blows at single players, a quake for all of them in
// one frame, curses, and its own growing frenzy.
func (w *world) actBoss(r *raid) {
	hit := func(p *player, spec *buff.Spec, power int64) {
		if p.here() {
			w.add(p.id, buff.Application{Spec: spec, Source: r.boss, Magnitude: power * r.power / 100})
		}
	}
	anyone := func() *player { return r.members[w.dice.IntN(len(r.members))] }
	for range w.times(strikes * float64(len(r.members))) {
		p := anyone()
		hit(p, w.strike, 800)
		if w.dice.IntN(4) == 0 {
			hit(p, w.bleed, 100)
		}
	}
	if w.now >= r.nextQuake {
		r.nextQuake = w.in(10*time.Second, 4*time.Second)
		for _, p := range r.members {
			hit(p, w.quake, 100)
		}
	}
	if w.now >= r.nextCurse {
		r.nextCurse = w.in(time.Second, 2*time.Second)
		for range 1 + len(r.members)/25 {
			hit(r.members[w.dice.IntN(min(len(r.members), front))], w.dread, 100)
			hit(anyone(), w.bomb, 100)
		}
	}
	if w.now >= r.nextFrenzy {
		r.nextFrenzy = w.in(5*time.Second, 0)
		r.power += 5
		w.add(r.boss, buff.Application{Spec: w.frenzy, Source: r.boss})
	}
}

// relieve helps the one who was cursed last; it may be over by now.
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
