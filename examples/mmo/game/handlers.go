package game

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// unit is what the game keeps for a player or a boss beside its buffs and its sheet of
// numbers. It belongs to the handlers of that owner: they run on workers, one at a time, and
// need no lock. The loop learns of a unit only from events, and when it is not busy from its fate.
type unit struct {
	id     buff.OwnerID
	held   bool       // by a daze
	fate   fate       // what took the last of its health
	corpse *buff.Spec // what it carries when it is dead
	dice   *rand.Rand // its own: whose handler runs first makes no difference
	source *rand.PCG  // of them
}

// fate is what somebody fell to.
type fate struct {
	spec *buff.Spec
	by   buff.OwnerID
}

func newUnit(seed uint64, id buff.OwnerID, life uint64, corpse *buff.Spec) *unit {
	dice, source := newDice(seed+life<<32, uint64(id))
	return &unit{id: id, corpse: corpse, dice: dice, source: source}
}

// rules are the handlers. What they read beside their unit never changes.
type rules struct {
	*book
	players  int
	strength []int64 // by buff.Spec.Line: of one stack, at magnitude 100
}

// enrageAfter is how long a boss puts up with a raid.
const enrageAfter = 40 * time.Second

const enrageName = "boss.enrage"

func (r *rules) handlers() engine.Handlers {
	return engine.Handlers{
		"hurt":     func(c *engine.Context, e buff.Event) { r.damage(c, e) },
		"heal":     r.heal,
		"drain":    r.drain,
		"chain":    r.chainOn,
		"hold":     func(c *engine.Context, _ buff.Event) { data(c).held = true },
		"release":  func(c *engine.Context, _ buff.Event) { data(c).held = false },
		"fall":     r.fall,
		"rise":     r.rise,
		enrageName: r.enrageNow,
	}
}

func data(c *engine.Context) *unit { return c.Data().(*unit) }

// amount is the strength of an event: the definition's, times the percentage that
// the application brought, for each stack; and of a part of a period its share.
func (r *rules) amount(e buff.Event) int64 {
	n := r.strength[e.Spec.Lineage()] * e.Magnitude * int64(e.Stacks) / 100
	if e.Period > 0 {
		n = n * e.Elapsed / e.Period
	}
	return n
}

// health is what the owner of a handler has left.
func (r *rules) health(c *engine.Context) float64 { return c.Base(r.vigour) }

// damage takes health away, as much as the hide and then the shields let through, and
// returns how much it took. At none left the owner dies: sheet.yaml says so.
func (r *rules) damage(c *engine.Context, e buff.Event) int64 {
	left := r.health(c)
	if left <= 0 {
		return 0 // what was on its way when the unit died
	}
	n := r.amount(e) * (100 - int64(c.Attribute(r.hide))) / 100
	if u := data(c); u.held || u.dice.IntN(10) == 0 {
		n = n * 3 / 2
	}
	n = min(c.Absorb(n, 0), int64(left))
	if n > 0 {
		c.Do(buff.AddBase(c.Owner(), r.vigour, -float64(n)))
	}
	if n >= int64(left) {
		data(c).fate = fate{e.Spec, e.Source}
	}
	if n > 0 && e.Kind == buff.Executed { // a hit, and no wound that goes on
		c.Do(buff.Happened(c.Owner(), r.harmed, e.Source, n))
	}
	return n
}

// fall is called when its owner has died, and everything that the dead do not keep has gone. A ward of
// the dead brings the owner back.
func (r *rules) fall(c *engine.Context, _ buff.Event) {
	if b, ok := carries(c, r.deathWard); ok {
		c.Do(buff.RemoveStacks(b.Handle, 0, buff.Consumed))
		r.rise(c, buff.Event{})
		return
	}
	c.AddBuff(c.Owner(), buff.Application{Spec: data(c).corpse, Source: c.Owner()})
}

// rise brings somebody back, with half of the health.
func (r *rules) rise(c *engine.Context, _ buff.Event) {
	c.Do(buff.SetBase(c.Owner(), r.vigour, math.Round(c.Attribute(r.maxHealth)/2)))
	c.AddBuff(c.Owner(), buff.Application{Spec: r.life, Source: c.Owner()})
	c.Do(buff.Revive(c.Owner()))
}

// carries returns the owner's oldest buff of a definition, if it has one.
func carries(c *engine.Context, spec *buff.Spec) (buff.Instance, bool) {
	for b := range c.Buffs() {
		if is(b.Spec, spec) {
			return b, true
		}
	}
	return buff.Instance{}, false
}

// heal gives health back, but not to the dead.
func (r *rules) heal(c *engine.Context, e buff.Event) {
	if r.health(c) > 0 {
		c.Do(buff.AddBase(c.Owner(), r.vigour, float64(r.amount(e))))
	}
}

// drain hurts its owner and mends whoever applied it: a command for another owner,
// which waits for the end of the frame.
func (r *rules) drain(c *engine.Context, e buff.Event) {
	if n := r.damage(c, e); n > 0 && e.Source != c.Owner() {
		c.AddBuff(e.Source, buff.Application{Spec: r.mend, Source: c.Owner(), Magnitude: n})
	}
}

// chainOn heals and goes on to the next player with half its strength: one jump a
// frame, until it is too weak.
func (r *rules) chainOn(c *engine.Context, e buff.Event) {
	r.heal(c, e)
	if half := e.Magnitude / 2; half >= 20 && r.players > 1 {
		next := c.Owner()%buff.OwnerID(r.players) + 1
		c.AddBuff(next, buff.Application{Spec: r.chain, Source: e.Source, Magnitude: half})
	}
}

func (r *rules) enrageNow(c *engine.Context, _ buff.Event) {
	c.AddBuff(c.Owner(), buff.Application{Spec: r.enrage, Source: c.Owner()})
}

// newRules returns the rules with how strong each definition is.
func newRules(b *book, players int) *rules {
	r := &rules{book: b, players: players, strength: make([]int64, b.catalog.Lineages()+1)}
	for spec, n := range map[*buff.Spec]int64{
		b.strike: 40, b.meteor: 90, b.venom: 6, b.bleed: 15, b.burn: 20, b.leech: 12,
		b.explosion: 500, b.despair: 300, b.quake: 35, b.plague: 24,
		b.mend: 60, b.regrowth: 15, b.renew: 12, b.bloom: 8, b.chain: 120,
	} {
		r.strength[spec.Lineage()] = n
	}
	return r
}
