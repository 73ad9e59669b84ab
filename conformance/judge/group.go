package judge

import (
	"cmp"
	"slices"
)

// Section 1.2 of the rules: exclusive groups, slots, limits per source, diminishing returns, and
// the rules by which only the strongest of several buffs have an effect.

// leaver is a buff that must end to make room for a new buff, and the reason of its end.
type leaver struct {
	b   *instance
	why string
}

// room returns the buffs that must end to make room for a new buff, or the reason for which the new
// buff is refused.
func (o *owner) room(d *definition, a application) (goes []leaver, why string) {
	left := func(b *instance) bool { // reports whether b is already in "goes"
		for _, g := range goes {
			if g.b == b {
				return true
			}
		}
		return false
	}
	if g := d.Group; g != nil {
		for _, b := range o.buffs {
			if b.def.Group == nil || b.def.Group.Name != g.Name {
				continue
			}
			replaces, refuses := g.against(b, a.source)
			if refuses {
				return nil, "exclusive"
			}
			if replaces {
				goes = append(goes, leaver{b, "replaced"})
			}
		}
	}
	if s := d.Slot; s != nil {
		var held []*instance
		for _, b := range o.buffs {
			if b.def.Slot != nil && b.def.Slot.Class == s.Class && !left(b) {
				held = append(held, b)
			}
		}
		if len(held) >= s.Limit {
			if or(s.Evict, "reject") == "reject" {
				return nil, "slot"
			}
			out := evicted(held, s.Evict)
			if s.Evict == "lowest_priority" && d.priority() < out.def.priority() {
				o.all.mark(markLowest)
				return nil, "slot"
			}
			goes = append(goes, leaver{out, "overflow"})
		}
	}
	if p := d.PerSource; p != nil {
		var held []*instance
		for _, b := range o.buffs {
			if b.def == d && b.source == a.source && !left(b) {
				held = append(held, b)
			}
		}
		if len(held) >= p.Limit {
			goes = append(goes, leaver{held[0], "replaced"})
		}
	}
	return goes, ""
}

// The field `per_source` limits the number of buffs that one source has on all owners together.
// Above the limit, the oldest of these buffs is removed. On a single owner, owner.room has already
// enforced the limit.
//
// The changes of a frame are applied to the index world.bySource in the order of their times.
// Changes with the same time are applied in the order of the owners.

// sourced is an entry of the index world.bySource.
type sourced struct {
	b      *instance
	on     *owner
	source string
}

// resourced is a change to the index: a buff starts, returns with its owner, ends, or gets another
// source.
type resourced struct {
	sourced
	at    int64
	kind  string // "begin", "return", "end", or "turn" (gets another source)
	owner int
}

// changesSource queues a change to the index.
func (o *owner) changesSource(b *instance, kind string) {
	if b.def.PerSource != nil {
		o.all.resourced = append(o.all.resourced, resourced{sourced{b, o, b.source}, o.stamp, kind, o.number()})
	}
}

// share applies the queued changes to the index, and queues the removals of the buffs that exceed
// the limit of their source.
func (w *world) share() {
	changes := w.resourced
	w.resourced = nil
	slices.SortStableFunc(changes, func(a, b resourced) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.owner, b.owner)) })
	for _, c := range changes {
		i := slices.IndexFunc(w.bySource, func(s sourced) bool { return s.b == c.b })
		// If the source is the same as before, the index does not change.
		if c.kind == "turn" && (i < 0 || w.bySource[i].source == c.source) {
			continue
		}
		if i >= 0 {
			w.bySource = slices.Delete(w.bySource, i, i+1)
		}
		switch c.kind {
		case "begin", "turn":
			w.bySource = append(w.bySource, c.sourced)
		case "return":
			w.bySource = slices.Insert(w.bySource, 0, c.sourced)
		}
		w.exceeds(c)
	}
}

// exceeds queues the removals that a change makes necessary: if a source now has more buffs than
// the limit allows, its oldest buffs are removed.
func (w *world) exceeds(c resourced) {
	one := func(s sourced) bool { return s.b.def == c.b.def && s.source == c.source }
	n := 0
	for _, s := range w.bySource {
		if one(s) {
			n++
		}
	}
	for ; n > c.b.def.PerSource.Limit; n-- {
		i := slices.IndexFunc(w.bySource, one)
		oldest := w.bySource[i]
		w.bySource = slices.Delete(w.bySource, i, i+1)
		w.evicted = append(w.evicted, posted{at: c.at, from: c.owner, do: w.of(oldest.on, func() { oldest.on.remove(oldest.b, "replaced", "") })})
	}
}

// against decides, by the group's rule, whether an application replaces a running buff of the same
// group or is refused because of this buff.
func (g *group) against(b *instance, source string) (replaces, refuses bool) {
	there := b.def.Group.Priority
	switch or(g.Rule, "always") {
	case "always":
		return true, false
	case "never":
		return false, true
	case "higher":
		return g.Priority > there, g.Priority <= there
	case "equal_or_higher":
		return g.Priority >= there, g.Priority < there
	case "same_source_only":
		return b.source == source, false
	}
	return false, false // hide
}

// evicted returns the buff that loses its slot by the given eviction rule. If the rule selects
// several buffs, "evicted" returns the oldest of them.
func evicted(held []*instance, evict string) *instance {
	goes := held[0]
	for _, b := range held {
		switch evict {
		case "lowest_priority":
			if b.def.priority() < goes.def.priority() {
				goes = b
			}
		case "soonest_to_end":
			if end, ok := b.ending(); ok {
				if other, ends := goes.ending(); !ends || end < other {
					goes = b
				}
			}
		}
	}
	return goes
}

// ending returns the end of the buff in the owner's time. The second result is false if the buff is
// endless or paused.
func (b *instance) ending() (int64, bool) {
	if b.endless {
		return 0, false
	}
	return b.outer(b.last())
}

func (d *definition) priority() int {
	if d.Group == nil {
		return 0
	}
	return d.Group.Priority
}

// overshadowed reports whether a buff has no effect because of a stronger buff. The time of such a
// buff still passes. In a group with `rule: hide` only the strongest buff has an effect: the buff
// with the highest priority, then the highest level, then the largest magnitude; among equals, the
// newest. If `stack.effective` limits how many buffs of one definition have an effect, only the
// strongest have one: those with the highest level, then the largest magnitude; among equals, the
// oldest.
func (o *owner) overshadowed(b *instance) bool {
	if g := b.def.Group; g != nil && g.Rule == "hide" {
		for _, c := range o.buffs {
			if c != b && c.def.Group != nil && c.def.Group.Name == g.Name && c.def.Group.Rule == "hide" &&
				(c.def.priority() > g.Priority || o.all.markLevel(c, b) && c.def.priority() == g.Priority && cmp.Or(c.compare(b), cmp.Compare(c.age, b.age)) > 0) {
				return true
			}
		}
	}
	if e := b.def.stack().Effective; e > 0 && !b.each() {
		stronger := 0
		for _, c := range o.buffs {
			if c != b && c.def == b.def && o.all.markLevel(c, b) && cmp.Or(c.compare(b), cmp.Compare(b.age, c.age)) > 0 {
				stronger++
			}
		}
		return stronger >= e
	}
	return false
}

// markLevel marks the rule that the level counts before the magnitude, if c is stronger than b only
// because of its level. It always returns true.
func (w *world) markLevel(c, b *instance) bool {
	if c.level > b.level && c.magnitude < b.magnitude && c.def.priority() == b.def.priority() {
		w.mark(markLevelShows)
	}
	return true
}

// compare compares the strength of two buffs: first the level, then the magnitude.
func (b *instance) compare(c *instance) int {
	return rank{level: b.level, magnitude: b.magnitude}.compare(rank{level: c.level, magnitude: c.magnitude})
}

// Diminishing returns. Durations are rounded to whole ms. A step of 0 % denies the application.

// drKey identifies the applications that are counted together. With `scope: pair`, the applications
// of each source are counted separately.
type drKey struct{ group, source string }

// memory counts the applications with one drKey.
type memory struct {
	n    int
	last int64 // the latest time at which an application was known to be in effect
}

func (d *definition) drKey(source string) drKey {
	if d.DR.Scope == "pair" {
		return drKey{d.DR.Group, source}
	}
	return drKey{d.DR.Group, ""}
}

// percent returns the percentage of its duration that an application keeps under diminishing
// returns.
func (o *owner) percent(d *definition, source string) int64 {
	if d.DR == nil {
		return 100
	}
	key := d.drKey(source)
	m := o.dr[key]
	if m == nil {
		return int64(d.DR.Steps[0]) / 10
	}
	if !o.lasting(key) && o.own >= m.last+int64(d.DR.Reset) {
		delete(o.dr, key)
		return int64(d.DR.Steps[0]) / 10
	}
	return int64(d.DR.Steps[min(m.n, len(d.DR.Steps)-1)]) / 10
}

// lasting reports whether an application with this key is in effect or waits in a queue.
func (o *owner) lasting(key drKey) bool {
	for _, b := range o.buffs {
		if b.def.DR == nil {
			continue
		}
		for _, s := range b.sources() {
			if b.def.drKey(s) == key {
				return true
			}
		}
	}
	return false
}

// counts adds a step of diminishing returns for an application that started or refreshed a buff,
// added stacks, or joined a queue. It is not called for an application that was denied or that
// logged no line.
func (o *owner) counts(d *definition, source string) {
	if d.DR == nil {
		return
	}
	key := d.drKey(source)
	if o.dr[key] == nil {
		o.dr[key] = &memory{}
	}
	o.dr[key].n++
	o.dr[key].last = o.own
}

// sources returns the sources of the running and waiting applications of a buff.
func (b *instance) sources() []string {
	if b.each() {
		var all []string
		for _, l := range b.layers {
			all = append(all, l.source)
		}
		return all
	}
	all := append([]string{}, b.others...)
	for _, w := range b.waiting {
		all = append(all, w.source)
	}
	return all
}

// running returns the sources of the applications that do not wait in a queue.
func (b *instance) running() []string { return b.others }

// memorize records that applications of these sources are no longer in effect.
func (o *owner) memorize(d *definition, sources []string) {
	if d.DR == nil {
		return
	}
	for _, s := range sources {
		if m := o.dr[d.drKey(s)]; m != nil {
			m.last = o.own
		}
	}
}
