package judge

// §1.4 shields, §1.2 charges, and §1.5: life cycle.

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// carried are the buffs of now, older first: a list of its own, for callers that remove.
func (o *owner) carried() []*instance { return append([]*instance{}, o.buffs...) }

// oldest is the oldest buff of a definition.
func (o *owner) oldest(id string) *instance {
	for _, b := range o.buffs {
		if b.def.ID == id {
			return b
		}
	}
	return nil
}

func (o *owner) removeOldest(id, why string) {
	if b := o.oldest(id); b != nil {
		o.remove(b, why, "")
	}
}

// remove ends a buff: "on.remove is keyed by reason or any". "After a removal no callback of that buff starts, except its own
// OnRemove." What is linked goes with it, behind the actions.
func (o *owner) remove(b *instance, why, more string) {
	if b.gone {
		return
	}
	o.catchesUp(b)
	if b.gone {
		return
	}
	if m := b.def.Immunity; m != nil && b.works() {
		for _, c := range o.carried() { // what he was immune to has its late pulses before he is not
			if c != b && m.against(c.def) {
				o.catchesUp(c)
			}
		}
	}
	b.gone = true
	o.auraEnds(b)
	o.buffs = without(o.buffs, b)
	o.memorize(b.def, b.sources())
	o.say("remove %s why=%s%s", b.def.ID, why, more)
	on := b.def.on().Remove
	o.issue(b, on[why], b.source, share{n: b.count()})
	o.issue(b, on["any"], b.source, share{n: b.count()})
	if len(b.def.Links) > 0 {
		o.todo = append(o.todo, command{ends: b, action: action{Reason: why}, round: o.running + 1})
	}
}

// kill: "onDeath: remove / keep / pause; no final tick, reason Death, OnExpire not run". "Non-persistent buffs go at once, their
// due events at T are dropped; persistent ones go on."
func (o *owner) kill() {
	o.dead = true
	for _, b := range o.carried() {
		switch or(b.def.OnDeath, "remove") {
		case "remove":
			o.remove(b, "death", "")
		case "pause":
			o.stand(b, &b.buried, true)
		}
	}
}

// revive ends the pause of those who waited for it.
func (o *owner) revive() {
	o.dead = false
	for _, b := range o.buffs {
		o.stand(b, &b.buried, false)
	}
}

// sourceGone: "onSourceGone: keep (default) / remove / adopt(owner)".
func (o *owner) sourceGone(source string) {
	for _, b := range o.carried() {
		if b.gone || b.source != source {
			continue
		}
		switch b.def.OnSourceGone {
		case "remove":
			o.remove(b, "source_gone", "")
		case "adopt":
			b.source = "p1"
		}
	}
}

// interrupt: "interrupt: [kind…]; eng.Interrupt(owner, kind)".
func (o *owner) interrupt(kind string) {
	for _, b := range o.carried() {
		if !b.gone && slices.Contains(b.def.Interrupt, kind) {
			o.remove(b, "interrupt", "")
		}
	}
}

// happened: "something happened that the game tells": the buffs that have actions for it and their effect react, the older
// first; then it uses charges and interrupts.
func (o *owner) happened(act, target string, amount int64) {
	for _, b := range o.carried() {
		if list := b.def.on().Act[act]; len(list) > 0 && b.works() {
			more := ""
			if amount != 0 {
				more = fmt.Sprintf(" amount=%d", amount)
			}
			o.say("react %s %s%s", b.def.ID, act, more)
			o.issueFor(b, list, b.source, target, amount, share{n: b.count()})
		}
	}
	o.consume(act)
	o.interrupt(act)
}

// consume: "charges {n, consumeOn, …}, reason Consumed at 0".
func (o *owner) consume(kind string) {
	for _, b := range o.carried() {
		if c := b.def.Charges; !b.gone && c != nil && slices.Contains(c.ConsumeOn, kind) {
			o.useCharges(b, 1)
		}
	}
}

func (o *owner) use(id string, n int) {
	if b := o.oldest(id); b != nil && b.def.Charges != nil {
		o.useCharges(b, max(n, 1))
	}
}

func (o *owner) useCharges(b *instance, n int) {
	if b.charges -= n; b.charges <= 0 {
		o.remove(b, "consumed", "")
	}
}

// fill gives a shield its pool: "none: the magnitude of the application". A further application takes nothing of it.
func (b *instance) fill(a application) {
	s := b.def.Shield
	if s == nil {
		return
	}
	pool := a.magnitude
	if s.Pool != nil {
		pool = int64(math.Floor(a.numbers[s.Pool]))
	}
	if a.left != nil {
		pool = a.left.pool
	}
	b.pool = max(b.pool, pool)
}

// absorb: "shield {pool, order: priority then oldest, school}; Absorb(owner, amount, school) returns rest; reason Broken".
func (o *owner) absorb(amount int64, school string) {
	o.meets(amount, school)
	o.breaks()
}

// breaks removes the shields that have nothing left.
func (o *owner) breaks() {
	for _, b := range o.carried() {
		if b.def.Shield != nil && b.pool <= 0 && !b.gone {
			o.remove(b, "broken", "")
		}
	}
}

// meets lets damage meet the shields, and returns what is left of it.
func (o *owner) meets(amount int64, school string) (rest int64) {
	all := o.carried()
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].def.Shield != nil && all[j].def.Shield != nil && all[i].def.Shield.Priority > all[j].def.Shield.Priority
	})
	for _, b := range all {
		s := b.def.Shield
		if s == nil || amount <= 0 || !b.works() || b.gone || !s.against(school) {
			continue
		}
		taken := min(amount, b.pool)
		amount -= taken
		b.pool -= taken
	}
	return amount
}

// against: "schools: what it absorbs; none: everything".
func (s *shield) against(school string) bool {
	for _, above := range s.Schools {
		if under(school, above) {
			return true
		}
	}
	return len(s.Schools) == 0
}

// unlink removes what was applied with a buff that has ended.
func (o *owner) unlink(b *instance, why string) {
	for _, c := range o.carried() {
		if slices.Contains(c.parents, b) {
			o.remove(c, why, "")
		}
	}
}
