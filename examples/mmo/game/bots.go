package game

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// How often bots act. In a fight a player adds 2.2 lasting buffs a second, as
// counted in recorded arena fights: of a hundred, 62 are new, 27 refresh one that
// runs and 11 add a stack. Hits and heals that do not last come on top.
const (
	fightActs = 2.75 // of a player, per second
	restActs  = 0.2

	instantShare = 20 // percent of the acts
	againShare   = 10 // cast one of the last spells again
	stackShare   = 17 // add to the stack that the class lives by

	strikes    = 0.10     // of a boss, per second and player of its raid
	dispels    = 0.4      // of a raid, per second, while a curse is on it
	purges     = 0.12     // of a raid, per second and player of it, while plague is on it
	steps      = 0.1      // of a player, per second: goes to stand elsewhere
	logOuts    = 1. / 900 // of a player, per second
	inboxShare = 10       // percent of the casts come through the Inbox, as from the network

	front = 5  // players of a raid who stand where dread finds them
	stray = 10 // paces that a player goes astray from where its class stands
)

// act lets everybody do what they want to do before the next frame. It goes by the
// dice and by what the events have told, never by the clock or by who is busy.
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

// times returns how often something happens in one frame that happens so often a
// second.
func (w *world) times(perSecond float64) int {
	mean := perSecond / float64(w.rate)
	n := int(mean)
	if w.dice.Float64() < mean-float64(n) {
		n++
	}
	return n
}

// here reports whether a player is there and alive.
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
		w.add(p.id, buff.Application{Spec: w.stance, Source: p.id}) // death has taken it
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

// number returns an attribute of somebody as it is now. While a handler of it runs nobody may
// look, and it is as usual.
func (w *world) number(id buff.OwnerID, attr stat.Attr, usual float64) float64 {
	if v, err := w.eng.Attribute(id, attr); err == nil {
		return v
	}
	return usual
}

// strong returns somebody's power: what is cast has it for its magnitude, 100 as a rule.
func (w *world) strong(id buff.OwnerID) int64 { return int64(math.Round(w.number(id, w.power, 100))) }

// choose picks what a player casts, and on whom.
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

// fresh picks a spell that the player has not just cast on that target.
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

// stack picks the spell that the class lives by, on whom it was cast last.
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

// friend returns a player of the same raid, perhaps p itself.
func (w *world) friend(p *player) *player {
	return p.raid.members[w.dice.IntN(len(p.raid.members))]
}

// cast carries a decision out. Nobody casts on the dead and the absent.
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

// begin starts a spell that takes its time: a timeout of the caster, whose function
// runs on a worker and applies the buff to another.
func (w *world) begin(p *player, d time.Duration, on buff.OwnerID, a buff.Application) {
	t, err := w.eng.AddTimeout(p.id, d, func(c *engine.Context) { c.AddBuff(on, a) })
	w.expect(err)
	p.casting = t
}

// add applies a buff; a refusal by the rules is an event like others.
func (w *world) add(to buff.OwnerID, a buff.Application) buff.Result {
	_, r := w.eng.AddBuff(to, a)
	w.allow(r)
	return r
}

// allow notes what came of a command, unless it is a refusal by the rules.
func (w *world) allow(r buff.Result) {
	if r.Err != nil && r.Kind != buff.Denied {
		w.expect(r.Err)
	}
}
