package game

import (
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// unit is what the engine keeps for a player or a boss. It belongs to the
// handlers of that owner: they run on workers, one at a time, and need no lock.
// The loop learns of a unit only from events.
type unit struct {
	health, base int64
	shell        int64      // damage that its shell will still take
	most, armour int64      // of health, and in percent: what stats has counted
	held         bool       // by a daze
	corpse       *buff.Spec // what it carries when it is dead
	dice         *rand.Rand // its own: whose handler runs first makes no difference
}

func newUnit(seed uint64, id buff.OwnerID, life uint64, health int64, corpse *buff.Spec) *unit {
	return &unit{
		health: health, base: health, most: health, corpse: corpse,
		dice: rand.New(rand.NewPCG(seed+life<<32, uint64(id))),
	}
}

// rules are the handlers. What they read beside their unit never changes.
type rules struct {
	*book
	players  int
	strength []int64 // by buff.Spec.Line: of one stack, at magnitude 100
}

// enrageAfter is how long a boss puts up with a raid.
const enrageAfter = 20 * time.Second

const enrageName = "boss.enrage"

func (r *rules) handlers() engine.Handlers {
	return engine.Handlers{
		"hurt":     func(c *engine.Context, e buff.Event) { r.damage(c, e) },
		"heal":     func(c *engine.Context, e buff.Event) { r.heal(c, e) },
		"drain":    r.drain,
		"chain":    r.chainOn,
		"stats":    r.stats,
		"hold":     func(c *engine.Context, _ buff.Event) { data(c).held = true },
		"release":  func(c *engine.Context, _ buff.Event) { data(c).held = false },
		"rise":     func(c *engine.Context, _ buff.Event) { data(c).health = data(c).most / 2 },
		enrageName: r.enrageNow,
	}
}

func data(c *engine.Context) *unit { return c.Data().(*unit) }

// amount is the strength of an event: the definition's, times the percentage that
// the application brought, for each stack; and of a part of a period its share.
func (r *rules) amount(e buff.Event) int64 {
	n := r.strength[e.Spec.Line()] * e.Magnitude * int64(e.Stacks) / 100
	if e.Period > 0 {
		n = n * e.Elapsed / e.Period
	}
	return n
}

// damage takes health away, the shell's first, and returns how much it took.
func (r *rules) damage(c *engine.Context, e buff.Event) int64 {
	u := data(c)
	if u.health <= 0 {
		return 0 // what was on its way when the unit died
	}
	n := r.amount(e) * (100 - u.armour) / 100
	if u.held || u.dice.IntN(10) == 0 {
		n = n * 3 / 2
	}
	if u.shell > 0 {
		n = r.absorb(c, n)
	}
	n = min(n, u.health)
	u.health -= n
	if u.health == 0 {
		r.die(c, e.Source)
	}
	return n
}

// absorb lets the shell take what it can, and returns what is left of n.
func (r *rules) absorb(c *engine.Context, n int64) int64 {
	u := data(c)
	taken := min(u.shell, n)
	u.shell -= taken
	if b, ok := carries(c, r.shell); ok && u.shell == 0 {
		c.RemoveStacks(b.Handle, 0, buff.Broken)
	}
	return n - taken
}

// die ends what the dead do not keep. The commands run after the handler has
// returned; of the next pulses of this instant none is left.
func (r *rules) die(c *engine.Context, killer buff.OwnerID) {
	u := data(c)
	u.shell = 0
	c.Kill(c.Owner())
	if b, ok := carries(c, r.deathWard); ok {
		c.RemoveStacks(b.Handle, 0, buff.Consumed)
		u.health = u.most / 2
		return
	}
	c.AddBuff(c.Owner(), buff.Application{Spec: u.corpse, Source: killer})
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
	if u := data(c); u.health > 0 {
		u.health = min(u.health+r.amount(e), u.most)
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

// stats counts afresh what the buffs of the owner do for it.
func (r *rules) stats(c *engine.Context, e buff.Event) {
	u := data(c)
	if is(e.Spec, r.shell) {
		u.shell = 0
		if e.Kind == buff.Applied {
			u.shell = r.amount(e)
		}
	}
	u.most, u.armour = u.base, 0
	for b := range c.Buffs() {
		switch {
		case is(b.Spec, r.stew):
			u.most += u.base / 10
		case is(b.Spec, r.rested):
			u.most += u.base / 20
		case is(b.Spec, r.stance):
			u.armour += 20
		case is(b.Spec, r.swiftness):
			u.armour += 5 * int64(b.Stacks) // who is quick is hit less
		}
	}
	u.health = min(u.health, u.most)
}

func (r *rules) enrageNow(c *engine.Context, _ buff.Event) {
	c.AddBuff(c.Owner(), buff.Application{Spec: r.enrage, Source: c.Owner()})
}

// newRules returns the rules with how strong each definition is.
func newRules(b *book, players int) *rules {
	r := &rules{book: b, players: players, strength: make([]int64, b.catalog.Lines()+1)}
	for spec, n := range map[*buff.Spec]int64{
		b.strike: 40, b.meteor: 90, b.venom: 6, b.bleed: 15, b.burn: 20, b.leech: 12,
		b.explosion: 500, b.despair: 300, b.quake: 35,
		b.mend: 60, b.regrowth: 15, b.renew: 12, b.bloom: 8, b.chain: 120, b.shell: 200,
	} {
		r.strength[spec.Line()] = n
	}
	return r
}
