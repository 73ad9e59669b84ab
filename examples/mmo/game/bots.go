package game

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// Rates at which bots act. In a fight, a player casts 2.2 lasting buffs per second. Of these casts,
// 62 % start a new buff, 27 % refresh an active buff and 11 % add a stack. These figures were
// counted in recorded arena fights, without hits and instant heals.
const (
	fightActs = 2.75 // acts of a player per second during a fight
	restActs  = 0.2

	instantShare = 20 // percentage of acts that are instant spells
	againShare   = 10 // percentage of acts that repeat a recent spell
	stackShare   = 17 // percentage of acts that cast the stacking spell of the class

	strikes    = 0.10     // hits of a boss per second, for each player in its raid
	dispels    = 0.4      // dispels in a raid per second while it is cursed
	purges     = 0.12     // removals of poisons per second, for each player in a raid that has plagues
	steps      = 0.1      // moves of a player to another place per second
	logOuts    = 1. / 900 // log-outs of a player per second
	inboxShare = 10       // percentage of casts that go through the Inbox, like casts from the network

	front = 5  // number of players in a raid that the curse "dread" reaches
	stray = 10 // maximum distance of a player from the usual place of its class, in paces
)

// act makes all units act before the next frame. The actions depend only on the random source and
// on past events, not on the clock or on which players are busy.
func (w *world) act() {
	for i := range w.raids {
		w.actRaid(&w.raids[i])
	}
	for i := range w.players {
		w.actPlayer(&w.players[i])
	}
	for range w.times(logOuts * float64(len(w.players))) {
		if p := &w.players[w.dice.IntN(len(w.players))]; !p.away {
			w.logOut(p)
		}
	}
}

// times returns how many times to take an action in this frame. The average over many frames is
// perSecond times per second.
func (w *world) times(perSecond float64) int {
	mean := perSecond / float64(w.rate)
	n := int(mean)
	if w.dice.Float64() < mean-float64(n) {
		n++
	}
	return n
}

// here reports whether a player is logged in and alive.
func (p *player) here() bool { return !p.dead && !p.away }

func (w *world) actPlayer(p *player) {
	switch {
	case p.away:
		if w.now >= p.returns {
			w.logIn(p)
		}
		return
	case p.dead, p.dazed:
		if p.casting != 0 {
			w.eng.Cancel(p.casting)
			p.casting = 0
		}
		return
	}
	if p.bare {
		w.add(p.id, buff.Application{Spec: w.stance, Source: p.id})
	}
	if p.raid.fights && w.times(steps) > 0 {
		p.paces = p.class.paces + w.dice.IntN(stray)
	}
	acts := restActs
	if p.raid.fights {
		acts = fightActs
	}
	for range w.times(acts * w.number(p.id, w.pace, 1)) {
		w.choose(p)
	}
}

// number returns the current value of an attribute. If the attribute cannot be read, because a
// handler of the owner is running, "number" returns the value "fallback".
func (w *world) number(id buff.OwnerID, attr stat.Attr, fallback float64) float64 {
	if v, err := w.eng.Attribute(id, attr); err == nil {
		return v
	}
	return fallback
}

// strong returns the power of a unit, which is the magnitude of its spells, usually 100.
func (w *world) strong(id buff.OwnerID) int64 { return int64(math.Round(w.number(id, w.power, 100))) }

// choose picks a player's spell and its target.
func (w *world) choose(p *player) {
	switch dice := w.dice.IntN(100); {
	case dice < instantShare:
		w.cast(p, w.target(p, w.pick(p.class.instants)))
	case dice < instantShare+againShare:
		if c := &p.recent[w.dice.IntN(len(p.recent))]; c.until > w.now {
			w.cast(p, *c)
		}
	case dice < instantShare+againShare+stackShare:
		w.cast(p, w.stack(p))
	default:
		w.cast(p, w.fresh(p))
	}
}

// fresh picks a spell and a target for a player. It prefers a spell that the player has not
// recently cast on this target.
func (w *world) fresh(p *player) cast {
	var c cast
	for range 4 {
		c = w.target(p, w.pick(p.class.lasting))
		if !p.remembers(c) {
			break
		}
	}
	return c
}

// stack picks the stacking spell of the player's class. The target is that of a recent cast of this
// spell, if the buff of the cast is still active.
func (w *world) stack(p *player) cast {
	for _, c := range p.recent {
		if c.spec == p.class.stacking.spec && c.until > w.now {
			return c
		}
	}
	return w.target(p, p.class.stacking)
}

func (p *player) remembers(c cast) bool {
	for i := range p.recent {
		if r := &p.recent[i]; r.spec == c.spec && r.on == c.on {
			return true
		}
	}
	return false
}

func (w *world) pick(spells []spell) spell { return spells[w.dice.IntN(len(spells))] }

func (w *world) target(p *player, s spell) cast {
	c := cast{spell: s}
	switch s.aim {
	case foe:
		c.on = p.raid.boss
	case friend:
		c.on = w.friend(p).id
	default:
		c.on = p.id
	}
	return c
}

// friend returns a player of the same raid, possibly the given player.
func (w *world) friend(p *player) *player {
	return p.raid.members[w.dice.IntN(len(p.raid.members))]
}

// cast casts a spell, unless the target is dead or away.
func (w *world) cast(p *player, c cast) {
	if c.aim == foe && !p.raid.fights || c.aim == friend && !w.players[c.on-1].here() {
		return
	}
	a := buff.Application{Spec: c.spec, Source: p.id, Magnitude: w.strong(p.id)}
	if c.time > 0 {
		if p.casting == 0 {
			w.begin(p, c.time, c.on, a)
		}
		return
	}
	if c.spec.Kind == define.Timed {
		c.until = w.now.After(c.spec.Duration)
		p.recent[p.casts%len(p.recent)] = c
		p.casts++
	}
	if w.dice.IntN(100) < inboxShare {
		w.expect(w.eng.Inbox().AddBuff(c.on, a))
		return
	}
	r := w.add(c.on, a)
	w.totals.casts[r.Kind]++
}

// begin starts a spell that takes time to cast. It adds a timeout to the caster. When the time is
// over, the function of the timeout runs on a worker and applies the buff to the target.
func (w *world) begin(p *player, d time.Duration, on buff.OwnerID, a buff.Application) {
	t, err := w.eng.AddTimeout(p.id, d, func(c *engine.Context) { c.AddBuff(on, a) })
	w.expect(err)
	p.casting = t
}

// add applies a buff. A buff that the rules refuse is not an error.
func (w *world) add(to buff.OwnerID, a buff.Application) buff.Result {
	r := w.eng.AddBuff(to, a)
	w.allow(r)
	return r
}

// allow records the error of a command. A command that the rules refuse is not an error.
func (w *world) allow(r buff.Result) {
	if r.Failure != nil && r.Kind != buff.Denied {
		w.expect(r.Failure)
	}
}
