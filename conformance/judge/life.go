package judge

// Section 1.4 (shields), section 1.2 (charges) and section 1.5 (life cycle) of the rules.

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// carried returns a copy of the list of buffs, the oldest first. A caller may remove buffs while it
// iterates over the copy.
func (o *owner) carried() []*instance { return append([]*instance{}, o.buffs...) }

// oldest returns the oldest buff of a definition, or nil.
func (o *owner) oldest(id string) *instance {
	for _, b := range o.buffs {
		if b.def.ID == id {
			return b
		}
	}
	return nil
}

// oldestBy returns the oldest buff of a definition from the given source. If this source has
// applied none, it returns the oldest buff of the definition from any source.
func (o *owner) oldestBy(id, source string) *instance {
	for _, b := range o.buffs {
		if b.def.ID == id && b.source == source {
			return b
		}
	}
	return o.oldest(id)
}

// remove ends a buff, and queues the actions of `on.remove` for the given reason and for `any`. The
// buff's links end after these actions. A buff that has ended causes no further actions.
func (o *owner) remove(b *instance, why, more string) {
	if b.gone {
		return
	}
	o.catchesUp(b)
	if b.gone {
		return
	}
	if b.works() {
		o.catchesUpWith(b)
	}
	b.gone = true
	o.auraEnds(b)
	o.buffs = without(o.buffs, b)
	o.changesSource(b, "end")
	o.memorize(b.def, b.sources())
	o.say("remove %s why=%s%s", b.def.ID, why, more)
	o.endActions(b, why, chain{known: b.known})
}

// removeStacks removes stacks of the oldest buff of a definition, or the whole buff if stacks is 0.
func (o *owner) removeStacks(id string, stacks int, why string) {
	if b := o.oldest(id); b != nil {
		if stacks > 0 && stacks < b.count() {
			o.all.mark(markRemoveStacks)
		}
		o.take(b, or0(stacks, b.count()), why)
	}
}

// removers are the reasons for which another owner may have ended a buff.
var removers = []string{"cancelled", "dispelled", "stolen", "consumed", "broken", "death", "interrupt"}

// endActions queues the actions of `on.remove`, followed by the end of the buff's links.
func (o *owner) endActions(b *instance, why string, c chain) {
	e := b.eventOf(b.active())
	e.magnitude, e.chain = b.magnitude, c
	if slices.Contains(removers, why) {
		e.target = o.by
	}
	on := b.def.on().Remove
	if e.target != "" && slices.ContainsFunc(on[why], func(a action) bool { return a.To.word == "target" }) {
		o.all.mark(markRemover)
	}
	o.issue(b.def, on[why], e)
	o.issue(b.def, on["any"], e)
	if len(b.def.Links) > 0 {
		o.todo = append(o.todo, command{ends: b, source: o.by, action: action{Reason: why}, round: o.running + 1, chain: chain{reaction: c.reaction || o.reaction}})
	}
}

// kill ends or pauses the buffs of an owner, as their `on_death` says. A buff that ends has the
// reason "death" and no last pulse. Before the buffs end, the buffs in effect queue the actions in
// their `on.death`. The parameter "who" is the ID of the buff whose damage or action caused the
// death, followed by a space; the log line of the death names this buff.
func (o *owner) kill(who, killer string, c chain) {
	if !o.dead {
		if o.life {
			o.say("%s", strings.TrimSpace("die "+who))
		}
		for _, b := range o.carried() {
			if list := b.def.on().Death; len(list) > 0 && b.works() {
				o.all.mark(markDeath)
				e := b.eventOf(b.active())
				e.magnitude, e.target, e.reaction = b.magnitude, killer, c.reaction
				o.issue(b.def, list, e)
			}
		}
	}
	o.dead = true
	for _, b := range o.carried() {
		switch or(b.def.OnDeath, "remove") {
		case "remove":
			o.remove(b, "death", "")
		case "pause":
			o.setPauseCause(b, &b.stoppedByDeath, true)
		}
	}
}

// revive resumes the buffs that death paused.
func (o *owner) revive() {
	was := o.dead
	o.dead = false
	for _, b := range o.buffs {
		o.setPauseCause(b, &b.stoppedByDeath, false)
	}
	if was && o.life {
		o.all.mark(markRevived)
		o.say("revive")
	}
}

// sourceGone handles the departure of a source. Each buff of this source on the owner is kept,
// removed or adopted, as `on_source_gone` says.
func (o *owner) sourceGone(source string) {
	cares := func(b *instance) bool { return b.source == source && or(b.def.OnSourceGone, "keep") != "keep" }
	if slices.ContainsFunc(o.buffs, cares) {
		o.reread()
	}
	for _, b := range o.carried() {
		if b.gone || !cares(b) {
			continue
		}
		switch b.def.OnSourceGone {
		case "remove":
			o.remove(b, "source_gone", "")
		case "adopt":
			// The new source is the owner. Its attributes at the start of the chain of causes are
			// not known.
			if b.source != o.name {
				b.source, b.known = o.name, &knowledge{last: map[string]float64{}}
			}
			o.changesSource(b, "turn")
		}
	}
}

// interrupt ends the buffs that an act interrupts.
func (o *owner) interrupt(kind string) {
	for _, b := range o.carried() {
		if !b.gone && slices.Contains(b.def.Interrupt, kind) {
			o.all.markUses(kind)
			o.remove(b, "interrupt", "")
		}
	}
}

// happened runs an act. First, the buffs in effect that have actions for this act react, the oldest
// first. Then the act uses charges and interrupts buffs. The parameter "quiet" is true if the act
// belongs to damage that is itself a reaction to damage; in this case no buff reacts.
func (o *owner) happened(act, target string, amount int64, quiet bool) {
	for _, b := range o.carried() {
		list := b.def.on().Act[act].Do
		if len(list) > 0 && b.works() && b.def.on().Act[act].By == "source" && b.source != target {
			o.all.mark(markBySource)
		} else if len(list) > 0 && b.works() && quiet {
			o.all.mark(markDamageQuiet)
		} else if len(list) > 0 && b.works() {
			switch act {
			case "damaged":
				o.all.mark(markDamaged)
			case "dealt":
				o.all.mark(markDealt)
			}
			more := ""
			if amount != 0 {
				more = fmt.Sprintf(" amount=%d", amount)
			}
			o.say("react %s %s%s", b.def.ID, act, more)
			e := b.eventOf(b.active())
			e.target, e.magnitude = target, amount
			e.reaction = act == "damaged" || act == "dealt"
			x := float64(amount)
			e.amount = &x
			o.issue(b.def, list, e)
		}
	}
	o.consume(act)
	o.interrupt(act)
}

// markUses marks that one of the acts of damage, which the engine itself triggers, has used charges
// or interrupted a buff.
func (w *world) markUses(act string) {
	if act == "damaged" || act == "dealt" {
		w.mark(markDamageUses)
	}
}

// consume uses one charge of each buff that lists the act in `charges.consume_on`. A buff with no
// charges left ends with the reason "consumed". A hidden buff keeps its charges.
func (o *owner) consume(kind string) {
	for _, b := range o.carried() {
		if c := b.def.Charges; !b.gone && c != nil && slices.Contains(c.ConsumeOn, kind) {
			if !b.works() {
				o.all.mark(markHiddenCharges)
				continue
			}
			o.all.markUses(kind)
			o.useCharges(b, 1, "consumed")
		}
	}
}

func (o *owner) use(id string, n int) {
	if b := o.oldest(id); b != nil && b.def.Charges != nil {
		o.useCharges(b, max(n, 1), "consumed")
	}
}

// useCharges uses n charges of a buff. With async stacks, it first uses the charges of the
// application that ends first, then the charges of the application that ends next. In a queue, it uses
// the charges of the running application.
func (o *owner) useCharges(b *instance, n int, why string) {
	if o.catchesUp(b); b.gone {
		return
	}
	if b.recharges() {
		b.charges = max(b.charges-n, 0)
		o.rearm(b)
		return
	}
	if b.each() {
		for _, l := range b.byEnd() {
			k := min(n, l.charges)
			l.charges -= k
			n -= k
		}
	} else {
		b.charges -= n
	}
	o.endSpent(b, why, func(c content) bool { return c.charges <= 0 })
}

// recharges reports whether the charges of the buff come back.
func (b *instance) recharges() bool { return b.def.Charges != nil && b.def.Charges.Recharge > 0 }

// isSpent reports whether the buff has no charge and waits for one to come back. It has no effect
// then.
func (b *instance) isSpent() bool { return b.recharges() && b.charges == 0 }

// rearm starts or stops the time to the next charge after the number of charges has changed. A time
// that runs already is not moved.
func (o *owner) rearm(b *instance) {
	switch {
	case !b.recharges():
	case b.charges >= b.def.Charges.N:
		b.recharging = false
	case !b.recharging:
		b.recharging, b.charged = true, b.clock(o.own)+o.rechargeSpan(b)
	}
}

// recharge gives the buff one charge back. The time to the next one starts at that instant.
func (o *owner) recharge(b *instance) {
	o.catchesUp(b)
	if b.gone {
		return
	}
	b.charges++
	b.charged += o.rechargeSpan(b)
	o.rearm(b)
}

// recharge returns the field `charges.recharge`, or 0.
func (b *instance) recharge() int64 {
	if !b.recharges() {
		return 0
	}
	return int64(b.def.Charges.Recharge)
}

// rechargeSpan returns the time that the next charge takes, for the present rate of the buff.
func (o *owner) rechargeSpan(b *instance) int64 {
	if b.def.Haste.rate != nil && b.def.Haste.word() != "snapshot" {
		o.rereadRate(b)
	}
	return b.def.hastened(b.recharge(), b.numbers)
}

// byEnd returns the layers in the order of their ends.
func (b *instance) byEnd() (all []*layer) {
	for i := range b.layers {
		all = append(all, &b.layers[i])
	}
	slices.SortStableFunc(all, func(x, y *layer) int { return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.age, y.age)) })
	return all
}

// endSpent ends those applications of a buff that are used up, according to the function "spent".
// In a queue, the next application then starts to run.
func (o *owner) endSpent(b *instance, why string, spent func(content) bool) {
	if b.each() {
		for _, l := range b.byEnd() {
			if b.gone || !spent(l.content) {
				continue
			}
			if o.catchesUp(b); b.gone {
				return
			}
			if len(b.layers) == 1 {
				o.remove(b, why, "")
				return
			}
			o.all.mark(markEachSpent)
			o.dropLayer(b, slices.IndexFunc(b.layers, func(other layer) bool { return other.age == l.age }))
			o.say("stackend %s x%d why=%s", b.def.ID, b.count(), why)
		}
		return
	}
	for !b.gone && spent(b.content) {
		if len(b.waiting) == 0 {
			o.remove(b, why, "")
			return
		}
		if o.catchesUp(b); b.gone {
			return
		}
		o.all.mark(markQueueNext)
		o.runNext(b, b.clock(o.own))
	}
}

// poolOf returns the size of the shield of an application: the value of `shield.pool` or, without
// this field, the magnitude of the application.
func (d *definition) poolOf(a application) int64 {
	if d.Shield.Pool == nil {
		return a.magnitude
	}
	return int64(math.Floor(a.numbers[d.Shield.Pool].x))
}

// absorb subtracts damage from the pools of the shields. A shield whose pool is used up ends with
// the reason "broken". Shields with a higher priority absorb first. Among shields of equal
// priority, the older absorb first.
func (o *owner) absorb(amount int64, school string) {
	o.meets(amount, school, "")
	o.tellAbsorbed("", false)
	o.breaks()
}

// tellAbsorbed runs the actions of `on.absorb` of each shield that has taken a part of the present
// damage, in the order in which they took it. Like acts of damage, it has no effect in the chain of a
// reaction to damage.
func (o *owner) tellAbsorbed(source string, quiet bool) {
	list := o.took
	o.took = nil
	for _, part := range list {
		if quiet || o.reaction {
			o.all.mark(markAbsorbQuiet)
			continue
		}
		o.all.mark(markAbsorb)
		o.say("react %s absorb amount=%d", part.by.def.ID, part.points)
		e := part.by.eventOf(part.by.active())
		x := float64(part.points)
		e.target, e.magnitude, e.amount, e.reaction = source, part.points, &x, true
		o.issue(part.by.def, part.by.def.on().Absorb, e)
	}
}

// breaks ends the shields whose pool is used up.
func (o *owner) breaks() {
	for _, b := range o.carried() {
		if b.def.Shield != nil && !b.gone {
			o.endSpent(b, "broken", func(c content) bool { return c.pool <= 0 })
		}
	}
}

// meets lets the shields absorb damage to an attribute, and returns the damage that is left. If
// attr is empty, every shield may absorb, whichever attributes it protects.
func (o *owner) meets(amount int64, school, attr string) (rest int64) {
	all := slices.DeleteFunc(o.carried(), func(b *instance) bool { return b.def.Shield == nil })
	slices.SortStableFunc(all, func(x, y *instance) int { return cmp.Compare(y.def.Shield.Priority, x.def.Shield.Priority) })
	var most int64 // that the shield may still take of this damage
	take := func(of *instance, pool *int64) {
		taken := min(most, *pool)
		most -= taken
		amount -= taken
		of.absorbed += taken
		*pool -= taken
	}
	for _, b := range all {
		s := b.def.Shield
		if !s.against(school) {
			continue
		}
		if !b.works() {
			o.all.mark(markHiddenShield)
			continue
		}
		if attr != "" && !o.all.guards(s, attr) {
			o.all.mark(markShieldAttr)
			continue
		}
		if attr != "" && len(s.Attrs) > 0 {
			o.all.mark(markShieldNamed)
		}
		if amount <= 0 {
			continue
		}
		before := amount
		most = s.most(amount)
		if s.Floor > 0 && attr == "" {
			most = 0
		} else if s.Floor > 0 {
			above := int64(math.Floor(o.limited(attr, o.base(attr)))) - s.Floor
			most = min(most, amount-min(amount, max(above, 0)))
			o.all.mark(markShieldFloor)
		}
		if !b.each() {
			take(b, &b.pool)
		}
		for _, l := range b.byEnd() {
			take(b, &l.pool)
		}
		if amount < before && len(b.def.on().Absorb) > 0 {
			o.took = append(o.took, taken{b, before - amount})
		}
	}
	return amount
}

// taken is the part of a hit that one shield has taken.
type taken struct {
	by     *instance
	points int64
}

// guards reports whether a shield protects an attribute. A shield protects the attributes in
// `shield.attrs`. Without this list, it protects the attributes with `at_min: kill`. If no
// attribute of the catalog has `at_min: kill`, it protects every attribute.
func (w *world) guards(s *shield, attr string) bool {
	if len(s.Attrs) > 0 {
		return slices.Contains(s.Attrs, attr)
	}
	for _, at := range w.attributes {
		if at.AtMin == "kill" {
			return w.attributes[attr].AtMin == "kill"
		}
	}
	return true
}

// most returns how many points a shield may take of damage that reaches it: `share` of it,
// half up, and at most `cap`.
func (s *shield) most(damage int64) int64 {
	if s.Share > 0 {
		points := new(big.Int).Mul(big.NewInt(damage), big.NewInt(int64(s.Share)))
		damage = points.Add(points, big.NewInt(500)).Div(points, big.NewInt(1000)).Int64()
	}
	if s.Cap > 0 {
		damage = min(damage, s.Cap)
	}
	return damage
}

// against reports whether a shield absorbs damage of a school. A shield without schools absorbs all
// damage.
func (s *shield) against(school string) bool {
	for _, above := range s.Schools {
		if under(school, above) {
			return true
		}
	}
	return len(s.Schools) == 0
}

// unlink handles the links of a head that has ended. A link whose last head has ended also ends. A
// link with other heads loses only the stacks that this head has added.
func (o *owner) unlink(head *instance, why string) {
	for _, b := range o.carried() {
		i := slices.IndexFunc(b.ties, func(t tie) bool { return t.head == head })
		if i < 0 || b.gone {
			continue
		}
		brought := b.ties[i].stacks
		if len(b.ties) > 1 {
			o.all.mark(markLastHead)
		}
		b.ties = slices.Delete(b.ties, i, i+1)
		switch n := min(brought, b.count()-1); {
		case len(b.ties) == 0:
			o.remove(b, why, "")
		case n > 0 && !b.def.queued():
			o.take(b, n, why)
		}
	}
}
