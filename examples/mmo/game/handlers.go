package game

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
)

// unit is the game's own data of a player or a boss, whose buffs and attributes are in the engine.
// The unit belongs to the handlers of its owner. The handlers run on workers, one at a time, so
// they need no lock. The loop learns about a unit from events. Of the unit itself, the loop reads
// only the field "fate", and only while the unit is not busy.
type unit struct {
	id     buff.OwnerID
	held   bool       // the unit is dazed
	fate   fate       // the cause of death
	corpse *buff.Spec // the buff that the unit gets when it dies
	dice   *rand.Rand // used only by this unit, so that the order of handlers does not matter
	source *rand.PCG  // source of dice
}

// fate is the cause of a death.
type fate struct {
	spec *buff.Spec
	by   buff.OwnerID
}

func newUnit(seed uint64, id buff.OwnerID, life uint64, corpse *buff.Spec) *unit {
	dice, source := newDice(seed+life<<32, uint64(id))
	return &unit{id: id, corpse: corpse, dice: dice, source: source}
}

// rules holds the handlers. Apart from their unit, handlers only read immutable data.
type rules struct {
	*book
	players  int
	strength []int64 // by buff.Spec.Lineage: strength of one stack with magnitude 100
}

// enrageAfter is the duration of a fight after which a boss becomes enraged.
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

func data(c *engine.Context) *unit { return engine.Data[*unit](c) }

// amount returns the strength of an event. It is the strength of the definition, times the
// magnitude of the buff as a percentage, times the number of stacks. For a partial period the
// result is proportionally smaller.
func (r *rules) amount(e buff.Event) int64 {
	n := r.strength[e.Spec.Lineage()] * e.Magnitude * int64(e.Stacks) / 100
	if e.Period > 0 {
		n = n * e.Elapsed / e.Period
	}
	return n
}

// health returns the health of the handler's owner.
func (r *rules) health(c *engine.Context) float64 { return c.Base(r.vigour) }

// damage reduces the health of the owner by the damage that its armour and shields let through, and
// returns this damage. An owner without health dies, as defined in sheet.yaml.
func (r *rules) damage(c *engine.Context, e buff.Event) int64 {
	left := r.health(c)
	if left <= 0 {
		return 0 // the unit has already died
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
	if n > 0 && e.Kind == buff.Executed { // a single hit, not a pulse of a bleed
		c.Do(buff.Happened(c.Owner(), r.harmed, e.Source, n))
	}
	return n
}

// fall runs after the owner has died and has lost the buffs that end with death. If the owner has a
// death ward, "fall" revives the owner.
func (r *rules) fall(c *engine.Context, _ buff.Event) {
	if b, ok := carries(c, r.deathWard); ok {
		c.Do(buff.RemoveStacks(b.Handle, 0, reason.Consumed))
		r.rise(c, buff.Event{})
		return
	}
	c.AddBuff(c.Owner(), buff.Application{Spec: data(c).corpse, Source: c.Owner()})
}

// rise revives the owner with half its health.
func (r *rules) rise(c *engine.Context, _ buff.Event) {
	c.Do(buff.SetBase(c.Owner(), r.vigour, math.Round(c.Attribute(r.maxHealth)/2)))
	c.AddBuff(c.Owner(), buff.Application{Spec: r.life, Source: c.Owner()})
	c.Do(buff.Revive(c.Owner()))
}

// carries returns the owner's oldest buff of a definition, if the owner has such a buff.
func carries(c *engine.Context, spec *buff.Spec) (buff.Instance, bool) {
	for b := range c.Buffs() {
		if is(b.Spec, spec) {
			return b, true
		}
	}
	return buff.Instance{}, false
}

// heal restores the health of the owner, unless the owner is dead.
func (r *rules) heal(c *engine.Context, e buff.Event) {
	if r.health(c) > 0 {
		c.Do(buff.AddBase(c.Owner(), r.vigour, float64(r.amount(e))))
	}
}

// drain damages the owner of the buff and heals the source of the buff. The heal is a command for
// another owner, so it runs at the end of the frame.
func (r *rules) drain(c *engine.Context, e buff.Event) {
	if n := r.damage(c, e); n > 0 && e.Source != c.Owner() {
		c.AddBuff(e.Source, buff.Application{Spec: r.mend, Source: c.Owner(), Magnitude: n})
	}
}

// chainOn heals the owner, and applies the buff with half its magnitude to another player, unless
// the buff would then be too weak. The buff jumps at most once per frame.
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

// newRules returns the rules with the strength of each definition.
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
