package rules

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/gate"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/internal/state"
)

// This file adds everything that a Restore has rebuilt to the Owner. It emits no events.

// place writes everything into the Owner. No step can fail, because errors in the blob and a lack
// of room have been found before.
//
// Bases come first, because the numbers of buffs may depend on them. Then come the buffs, the
// oldest first. Each is placed together with its modifiers, so that a later buff reads the same
// values as before the save. Links come after the buffs, because they refer to buffs by slot.
// Events and actions follow later, in report.
func (r *restorer) place() {
	s := r.set
	if s.events = r.saved.Events; r.ownerScale != nil {
		s.ensureRare().timeScale = r.ownerScale
	}
	s.setCatalog(r.catalog)
	if len(r.returns) > 0 || r.saved.Rolls > 0 || r.saved.Dead {
		g := s.ensureGates()
		g.returns, g.rolls, g.dead = r.returns, gate.Rolls(r.saved.Rolls), r.saved.Dead
	}
	r.placeBases()
	r.placeMemory()
	for k := range r.buffs {
		if c := &r.buffs[k]; !c.expired {
			r.placeBuff(c)
		}
	}
	r.placeLinks()
	s.ages = r.ages
	if len(r.timeouts) > 0 {
		s.ensureRare().timeouts = &timeouts{list: r.timeouts, live: int32(len(r.timeouts)), free: noSlot}
	}
	for k := range r.timeouts {
		markTimeoutDirty(r.turn, s, uint16(k))
	}
	r.placeTags()
	if r.aside != nil {
		s.ensureGates().unknownSaved = r.aside
	}
}

// placeMemory allocates the memory of the Owner, with one allocation for each kind of data.
func (r *restorer) placeMemory() {
	s := r.set
	buffs, extras, numbers, values, keys, captures := r.result.Restored, 0, 0, 0, 0, 0
	for k := range r.buffs {
		c := &r.buffs[k]
		if !c.plain && !c.expired {
			extras++
		}
		if spec := c.spec; spec.Uses&compile.UsesMagnitudes != 0 {
			numbers++
			values += len(spec.Numbers)
			keys += len(spec.Modifiers)
			captures += len(c.saved.Captures)
			if spec.Stack.Timers != define.TimersShared {
				values += (len(c.x.async) + len(c.countedAsync)) * len(spec.Numbers)
				for _, list := range [][]state.Stack{c.saved.Waiting, c.saved.Async, c.saved.Async} {
					for j := range list {
						captures += len(list[j].Captures)
					}
				}
			}
		}
	}
	if buffs > 0 {
		s.records.Reserve(r.turn.Memory, buffs)
	}
	if buffs+len(r.timeouts) > 0 {
		s.agenda.Grow(&r.turn.List, buffs+len(r.timeouts))
	}
	if extras > 0 {
		s.ensureRare().extras = make([]extra, 0, extras)
	}
	if numbers > 0 {
		r.magnitudes = make([]magnitudes, 0, numbers)
	}
	if values > 0 {
		r.values = make([]float64, 0, values)
	}
	if keys > 0 {
		r.keys = make([]sheet.Key, keys)
	}
	if captures > 0 {
		r.captured = make([]buff.Captured, 0, captures)
	}
}

// placeBuff writes a buff into a slot and applies its grants.
func (r *restorer) placeBuff(c *restoredBuff) {
	if c.spec.When != nil {
		r.set.ensureRare().watches = true
	}
	s, spec := r.set, c.spec
	if c.wasAside {
		r.makeYoungest(c)
	}
	r.restoreNumbers(c)
	at := r.placeSlot(&c.i)
	i := s.slot(at)
	if !c.plain {
		i.extraIndex = s.ensureRare().allocExtra()
		s.rare.extras[i.extraIndex] = c.x
	}
	i.storeAge(c.age)
	i.storePeriod(c.period)
	i.storeDuration(c.duration)
	i.markDirty(r.turn)
	c.at = at
	r.restoreAppliers(c)
	if spec.Uses&compile.UsesActs != 0 {
		s.ensureGates().handledActs |= spec.Acts()
	}
	if n := len(spec.Modifiers); n > 0 {
		s.ensureRare().modifiers += int32(n)
	}
	// The buff is hidden if it was hidden when it was saved. Later, when all buffs are present,
	// report evaluates this again.
	if i.flags&hidden != 0 {
		return
	}
	if spec.Uses&compile.UsesModifiers != 0 {
		i.addModifiers()
	}
	if spec.Uses&compile.UsesGrants != 0 {
		s.ensureGates().tags.Add(spec.Grants...)
	}
	if spec.Uses&compile.UsesImmunity != 0 {
		s.ensureGates().immunities++
	}
}

// placeSlot puts a record into a new slot, for which there is room.
func (r *restorer) placeSlot(of *record) uint16 {
	slot, to := r.set.records.Alloc(r.turn.Memory)
	i := instance{to, r.set, slot}
	of.Header = i.Header
	*i.record = *of
	i.rehash()
	i.mark(journal.Begun)
	return slot
}

// makeYoungest makes a buff the youngest of its owner.
func (r *restorer) makeYoungest(c *restoredBuff) {
	last := c.age
	r.ages++
	c.age = r.ages
	var ages []*uint64 // the ages keep their order, but without gaps, because a blob may contain any ages
	if c.spec.Stack.Timers == define.TimersQueue {
		ages = append(ages, &c.x.running)
	}
	for k := range c.x.async {
		ages = append(ages, &c.x.async[k].age)
	}
	slices.SortStableFunc(ages, func(a, b *uint64) int { return cmp.Compare(*a, *b) })
	for _, age := range ages {
		if *age > last {
			last = *age
			r.ages++
		}
		*age = r.ages
	}
}

// placeLinks connects links with their heads. A head that an earlier Restore has set aside has a
// new age.
func (r *restorer) placeLinks() {
	for k := range r.buffs {
		c := &r.buffs[k]
		if r.linksUnknown {
			r.guessLinks(c)
		}
		if c.expired {
			continue
		}
		for n, of := range c.saved.With {
			l := linkage{link: r.set.slot(c.at).handle()}
			if n < len(c.saved.Brought) {
				l.stacks = int16(c.saved.Brought[n])
			}
			for j := range r.buffs {
				if b := &r.buffs[j]; b.saved.Age == of && (b.expired || b.at != c.at) {
					if l.head = of; !b.expired {
						l.head = b.age
					}
					r.set.ensureGates().addLink(l)
					break
				}
			}
		}
	}
}

// guessLinks connects a head with the oldest instance of each of its links that has the same
// source. It is used for blobs in formats before 4, which do not contain these connections.
func (r *restorer) guessLinks(c *restoredBuff) {
	of := c.age
	if c.expired {
		of = c.saved.Age
	}
	for _, l := range c.spec.Links {
		k := slices.IndexFunc(r.buffs, func(b restoredBuff) bool { return !b.expired && b.spec == l && b.saved.Source == c.saved.Source })
		if k >= 0 && &r.buffs[k] != c {
			r.set.ensureGates().addLink(linkage{head: of, link: r.set.slot(r.buffs[k].at).handle()})
		}
	}
}

// placeTags restores the tags and immunities given by commands.
func (r *restorer) placeTags() {
	for _, b := range r.saved.Tags {
		t, ok := r.catalog.TagNamed(b.Name)
		if !ok {
			r.ensureAside().Tags = append(r.aside.Tags, b)
			continue
		}
		g := r.set.ensureGates()
		g.commandTags.AddTimes(t, b.N, state.MaxTagCount)
		for _, t := range r.catalog.Closure([]buff.Tag{t}) {
			g.tags.AddTimes(t, b.N, state.MaxTagCount)
		}
	}
	for _, b := range r.saved.Immune {
		if t, ok := r.catalog.TagNamed(b.Name); ok {
			r.set.ensureGates().immune.AddTimes(t, b.N, state.MaxTagCount)
		} else {
			r.ensureAside().Immune = append(r.aside.Immune, b)
		}
	}
}
