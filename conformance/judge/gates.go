package judge

// Section 1.3 of the rules: requirements, tags, immunity, chance, dispel.

import (
	"slices"
	"strings"
)

// under reports whether the tag "tag" is equal to the tag "above", or below it in the hierarchy of
// tags.
func under(tag, above string) bool { return tag == above || strings.HasPrefix(tag, above+".") }

// has reports whether the owner has a tag. The game may have added it, or a buff in effect may
// grant it.
func (o *owner) has(tag string) bool {
	for t := range o.tags {
		if under(t, tag) {
			return true
		}
	}
	for _, b := range o.buffs {
		for _, t := range b.def.Grants {
			if under(t, tag) && b.works() {
				return true
			}
		}
	}
	return false
}

func (t *tagTest) empty() bool { return len(t.All)+len(t.Any)+len(t.None) == 0 }

// holds reports whether the owner has all tags of t.all, at least one of t.any, and none of t.none.
func (o *owner) holds(t *tagTest) bool { return t.holds(o.has) }

// holds reports whether the test holds for an owner that has the tags for which "has" is true.
func (t *tagTest) holds(has func(tag string) bool) bool {
	for _, tag := range t.All {
		if !has(tag) {
			return false
		}
	}
	for _, tag := range t.None {
		if has(tag) {
			return false
		}
	}
	for _, tag := range t.Any {
		if has(tag) {
			return true
		}
	}
	return len(t.Any) == 0
}

// admits reports whether an application meets the tags of `require.apply`.
func (o *owner) admits(t *applyTest, source string) bool {
	if t.From != "source" {
		return o.holds(&t.tagTest)
	}
	met := t.holds(func(tag string) bool {
		return slices.ContainsFunc(o.buffs, func(b *instance) bool { return b.source == source && b.works() && b.def.grants(tag) })
	})
	if met != o.holds(&t.tagTest) {
		o.all.mark(markRequireFrom)
	}
	return met
}

// refuses returns the reason for which the owner refuses an application: "requirement", "cost", "immune",
// "chance" or "dead". It returns "" if the owner accepts the application. A dead owner refuses
// definitions with `dead: deny`. A definition without the field `dead` has the catalog's value of
// the field.
func (o *owner) refuses(d *definition, a application) string {
	switch {
	case o.dead && d.Dead == "deny":
		return "dead"
	case !o.admits(&d.Require.Apply, a.source):
		return "requirement"
	case d.Require.Apply.If != nil && a.left == nil && a.numbers[d.Require.Apply.condition()].x == 0:
		o.all.mark(markCondition)
		return or(d.Require.Apply.Why, "requirement")
	case o.immuneTo(d):
		return "immune"
	case d.Chance != nil && *d.Chance == 0:
		return "chance"
	}
	return ""
}

// immuneTo reports whether the game or a buff in effect makes the owner immune.
func (o *owner) immuneTo(d *definition) bool {
	for _, above := range o.immune {
		if d.tagged(above) {
			return true
		}
	}
	for _, b := range o.buffs {
		if m := b.def.Immunity; m != nil && b.works() && m.against(d) {
			return true
		}
	}
	o.markGrants(d)
	return false
}

// markGrants marks that an immunity matches a tag that the definition grants. Such a match does not
// count, because a granted tag is not a tag of the definition.
func (o *owner) markGrants(d *definition) {
	granted := *d
	granted.Tags = slices.Concat(d.Tags, d.Grants)
	for _, above := range o.immune {
		if granted.tagged(above) {
			o.all.mark(markGrantsImmune)
		}
	}
	for _, b := range o.buffs {
		if m := b.def.Immunity; m != nil && b.works() && m.against(&granted) {
			o.all.mark(markGrantsImmune)
		}
	}
}

func (d *definition) tagged(above string) bool {
	for _, t := range d.Tags {
		if under(t, above) {
			return true
		}
	}
	return false
}

// grants reports whether the definition grants a tag.
func (d *definition) grants(above string) bool {
	for _, t := range d.Grants {
		if under(t, above) {
			return true
		}
	}
	return false
}

// against reports whether the immunity matches a definition. The tags, the dispel type and the
// polarity must match, as far as the immunity names them.
func (m *immunity) against(d *definition) bool {
	if len(m.Tags) > 0 {
		one := false
		for _, t := range m.Tags {
			one = one || d.tagged(t)
		}
		if !one {
			return false
		}
	}
	if m.Type != "" && (d.Dispel == nil || d.Dispel.Type != m.Type) {
		return false
	}
	return m.Polarity == "" || or(d.Polarity, "neutral") == m.Polarity
}

// suppresses reports whether a running buff has no effect because it has `immune: suppress` and the
// owner is immune to it.
func (o *owner) suppresses(b *instance) bool {
	return or(b.def.Immune, "suppress") == "suppress" && o.immuneToOthers(b)
}

// works reports whether a buff is in effect.
func (b *instance) works() bool { return !b.hidden && !b.silenced }

// shows reports whether a buff does more than pulse. When an immunity suppresses such a buff, the
// log gets a "hide" line, and when the suppression ends, a "show" line. For a buff that only
// pulses, the log line of each suppressed pulse gives the reason instead (ruling V57).
func (b *instance) shows() bool {
	return len(b.def.Grants) > 0 || len(b.def.Modifiers) > 0 || b.def.Shield != nil || b.def.Immunity != nil || b.def.Aura != nil ||
		len(b.def.on().Act) > 0
}

// immuneToOthers is like immuneTo, but for a running buff. The immunity that this buff itself
// grants does not count.
func (o *owner) immuneToOthers(b *instance) bool {
	for _, above := range o.immune {
		if b.def.tagged(above) {
			return true
		}
	}
	for _, c := range o.buffs {
		if m := c.def.Immunity; c != b && m != nil && c.works() && m.against(b.def) {
			return true
		}
	}
	return false
}

// immunize makes the owner immune to a tag. If purge is true, it also removes the running buffs
// with this tag.
func (o *owner) immunize(tag string, purge bool) {
	o.immune = append(o.immune, tag)
	if !purge {
		return
	}
	for _, b := range o.carried() {
		if b.def.tagged(tag) && b.def.Immune != "ignore" {
			o.remove(b, "immunity", "")
		}
	}
}

// expose ends an immunity that immunize has added.
func (o *owner) expose(tag string) {
	for i, t := range o.immune {
		if t == tag {
			o.immune = append(o.immune[:i:i], o.immune[i+1:]...)
			return
		}
	}
}

// inhibit forces the ongoing requirement of a buff to fail if on is true. If on is false, it ends
// this effect.
func (o *owner) inhibit(id string, on bool) {
	if b := o.oldest(id); b != nil {
		b.inhibited = on
	}
}

// settle updates all buffs to the present state of the owner, the oldest first. It removes the
// buffs that an immunity removes, and then removes, hides or shows buffs by their conditions.
// Finally "settle" applies changed limits of attributes. If the updates never end, for example
// because a buff hides itself when it is shown, the rules have no answer.
func (o *owner) settle() {
	if o.settleBuffs() {
		o.limits()
		o.followRates()
		o.watches()
	}
}

// watches tests the condition of each buff with `on.when`, and runs the actions of those that begin
// to hold. The first test of a buff notes only whether the condition holds.
func (o *owner) watches() {
	for _, b := range o.carried() {
		w := b.def.on().When
		if w == nil {
			continue
		}
		x, why := o.present(&number{Formula: &w.If}, event{source: b.source, own: b.magnitude, level: b.level, n: b.count(), on: b, chain: chain{known: b.known}})
		if why != "" {
			continue
		}
		first, met := !b.tested, b.met
		b.tested, b.met = true, x != 0
		switch {
		case first || met || x == 0:
		case !b.works():
			o.all.mark(markWhenHidden)
		default:
			o.all.mark(markWhen)
			o.say("react %s when", b.def.ID)
			e := b.eventOf(b.active())
			y := float64(e.magnitude)
			e.amount = &y
			o.issue(b.def, w.Do, e)
		}
	}
}

// settleBuffs is like "settle", but does not apply the limits of attributes, which take effect only
// after the whole command. It returns false if the updates do not end.
func (o *owner) settleBuffs() bool {
	for range 100 {
		if o.undecided {
			return true
		}
		if !o.settleOnce() {
			return true
		}
	}
	o.undecided = true
	return false
}

// settleOnce updates each buff once, and reports whether anything changed.
func (o *owner) settleOnce() (changed bool) {
	changed = o.purge()
	for _, b := range o.carried() {
		if !b.gone && o.settleOne(b) {
			changed = true
			o.purge()
		}
	}
	return changed
}

// purge removes the buffs with `immune: remove` to which the owner is immune, the oldest first. It
// reports whether it has removed any buff.
func (o *owner) purge() (some bool) {
	for again := true; again; {
		again = false
		for _, b := range o.carried() {
			if b.def.Immune == "remove" && o.immuneToOthers(b) {
				o.remove(b, "immunity", "")
				some, again = true, true
				break
			}
		}
	}
	return some
}

// settleOne updates one buff, and reports whether it changed.
func (o *owner) settleOne(b *instance) bool {
	if !b.def.Require.Remove.empty() && o.holds(&b.def.Require.Remove) {
		o.remove(b, "condition", "")
		return true
	}
	fails := b.inhibited || !o.holds(&b.def.Require.Ongoing)
	immune := o.suppresses(b)
	shaded := fails || b.isSpent() || o.overshadowed(b)
	if shaded != b.shaded || immune != b.silenced {
		if o.catchesUp(b); b.gone {
			return true
		}
	}
	hidden := shaded || immune && b.shows()
	if hidden != b.hidden {
		o.catchesUpWith(b)
	}
	b.shaded = shaded
	again := b.failed && !fails && !hidden
	turned := immune != b.silenced
	b.failed, b.silenced = fails, immune
	if hidden == b.hidden && !again && !turned {
		return false
	}
	if hidden != b.hidden {
		b.hidden = hidden
		switch {
		case hidden && !b.shaded:
			o.say("hide %s why=immune", b.def.ID)
		case hidden:
			o.say("hide %s", b.def.ID)
		default:
			o.say("show %s", b.def.ID)
			b.given = o.nextGiven()
		}
	}
	if again {
		o.beatAgain(b)
	}
	return true
}

// beatAgain resumes the pulses of a buff whose requirement is met again, as the field `inhibition`
// says: `keep` keeps the phase, `reset` starts a new period, and `execute` starts a new period and
// pulses at once.
func (o *owner) beatAgain(b *instance) {
	in := or(b.def.Inhibition, "keep")
	if in == "keep" || b.period == 0 {
		return
	}
	b.period = b.coming
	o.beginBeat(b)
	if in == "execute" {
		o.pulse(b, b.active(), "")
	}
}

// grades are the dispel grades in ascending order.
var grades = []string{"basic", "strong", "death", "undispellable"}

func rankOf(grade string) int {
	for i, g := range grades {
		if g == or(grade, "basic") {
			return i
		}
	}
	panic("judge: no grade " + grade)
}

// dispel runs a dispel, which causes no pulse and no refresh. If q.Most is 0, "dispel" removes the
// given number of stacks from every matching buff, or all stacks if the given number is 0.
// Otherwise it removes at most q.Most portions from the matching buffs together (see dispelOne).
func (o *owner) dispel(q query, stacks int) {
	if stacks > 0 && q.one == "" {
		o.all.mark(markDispelStacks)
	}
	if q.one != "" {
		if b := o.oldest(q.one); b != nil {
			o.dispelOne(b, stacks, rankOf("death"))
		}
		return
	}
	o.dispelWhere(q, stacks)
}

// dispelWhere is like "dispel", for the buffs that match a query.
func (o *owner) dispelWhere(q query, stacks int) {
	strength := rankOf(q.Grade)
	found := o.found(q, func(b *instance) bool { return b.grade() <= strength })
	if q.Most == 0 {
		for _, b := range found {
			if !b.gone {
				o.dispelOne(b, or0(stacks, b.count()), strength)
			}
		}
		return
	}
	o.portions(found, q.Most, func(b *instance) { o.dispelOne(b, stacks, strength) })
}

// found returns the buffs that match a query and for which the given function returns true, in the
// order that the query demands.
func (o *owner) found(q query, takes func(*instance) bool) (all []*instance) {
	for _, b := range o.buffs {
		if q.Polarity == "neutral" && !q.matches(b) {
			if q := q; true {
				q.Polarity = ""
				if q.matches(b) {
					o.all.mark(markNeutral)
				}
			}
		}
		if q.matches(b) && takes(b) {
			all = append(all, b)
		}
	}
	if q.Newest {
		slices.Reverse(all)
	}
	return all
}

// portions calls the given function in rounds. Each round makes one call for each buff that is
// still running. The total number of calls is at most the parameter "most".
func (o *owner) portions(found []*instance, most int, take func(*instance)) {
	for taken := true; taken; {
		taken = false
		for _, b := range found {
			if !b.gone && most > 0 {
				take(b)
				most--
				taken = true
			}
		}
	}
}

// grade returns the grade of the weakest dispel that can remove the buff, as an index into grades.
func (b *instance) grade() int {
	if b.def.Dispel == nil {
		return 0
	}
	return rankOf(b.def.Dispel.Grade)
}

// or0 returns n or, if n is 0, the preset.
func or0(n, preset int) int {
	if n == 0 {
		return preset
	}
	return n
}

func (q *query) matches(b *instance) bool {
	return (q.ID == "" || q.ID == b.def.ID) && (q.Type == "" || b.def.Dispel != nil && b.def.Dispel.Type == q.Type) && (q.Tag == "" || b.def.tagged(q.Tag) || b.def.grants(q.Tag)) &&
		(q.Polarity == "" || or(b.def.Polarity, "neutral") == q.Polarity) && (q.Source == "" || b.source == q.Source)
}

// dispelOne removes one portion of a buff. A portion is the given number of stacks. If this number
// is 0, it is one stack, one charge or the whole buff, as `dispel.per` says. The function returns
// false if the dispel is too weak.
func (o *owner) dispelOne(b *instance, stacks, strength int) bool {
	d := dispel{}
	if b.def.Dispel != nil {
		d = *b.def.Dispel
	}
	if rankOf(d.Grade) > strength {
		return false
	}
	if d.Resist == 1000 {
		o.say("deny %s why=resist", b.def.ID)
		return true
	}
	switch {
	case stacks > 0:
		o.take(b, stacks, "dispelled")
	case d.Per == "stack":
		o.take(b, 1, "dispelled")
	case d.Per == "charge":
		o.useCharges(b, 1, "dispelled")
	default:
		o.remove(b, "dispelled", "")
	}
	return true
}
