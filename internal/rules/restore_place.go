package rules

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// place writes everything into the Owner. No step can fail, because errors in the blob and a lack
// of room have been found before.
//
// Bases come first, because the numbers of buffs may depend on them. Then come the buffs, the
// oldest first. Each is placed together with its modifiers, so that a later buff reads the same
// values as before the save. Links come after the buffs, because they refer to buffs by slot.
// Events and actions follow later, in tell.
func (r *restorer) place() {
	s := r.set
	if s.events = r.saved.Events; r.own != nil {
		s.ensureRare().timeScale = r.own
	}
	s.setCatalog(r.catalog)
	if len(r.remains) > 0 || r.saved.Rolls > 0 || r.saved.Dead {
		g := s.ensureGates()
		g.drRecords, g.rolls, g.dead = r.remains, r.saved.Rolls, r.saved.Dead
	}
	r.placeBases()
	r.placeMemory()
	for k := range r.backs {
		if c := &r.backs[k]; !c.gone {
			r.placeBuff(c)
		}
	}
	r.placeLinks()
	s.ages = r.ages
	if len(r.waits) > 0 {
		s.ensureRare().timeouts = &timeouts{list: r.waits, live: int32(len(r.waits)), free: noSlot}
	}
	for k := range r.waits {
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
	for k := range r.backs {
		c := &r.backs[k]
		if !c.plain && !c.gone {
			extras++
		}
		if spec := c.spec; spec.Uses&compile.UsesMagnitudes != 0 {
			numbers++
			values += len(spec.Numbers)
			keys += len(spec.Modifiers)
			captures += len(c.saved.Captures)
			if spec.Stack.Timers != define.TimersShared {
				values += (len(c.x.async) + len(c.counted)) * len(spec.Numbers)
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
	if buffs+len(r.waits) > 0 {
		l := s.scheduler.borrowScratch(r.turn)
		l.dirty = slices.Grow(l.dirty, buffs+len(r.waits))
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
func (r *restorer) placeBuff(c *comeback) {
	s, spec := r.set, c.spec
	if c.young {
		r.rejuvenate(c)
	}
	r.numbers(c)
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
	// tell evaluates this again.
	if i.flags&hidden != 0 {
		return
	}
	if spec.Uses&compile.UsesModifiers != 0 {
		i.addModifiers()
	}
	if spec.Uses&compile.UsesGrants != 0 {
		s.ensureGates().tags.add(spec.Grants)
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

// rejuvenate makes a buff the youngest of its owner.
func (r *restorer) rejuvenate(c *comeback) {
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
	for k := range r.backs {
		c := &r.backs[k]
		if r.guess {
			r.guessLinks(c)
		}
		if c.gone {
			continue
		}
		for n, of := range c.saved.With {
			l := linkage{link: r.set.slot(c.at).handle()}
			if n < len(c.saved.Brought) {
				l.stacks = int16(c.saved.Brought[n])
			}
			for j := range r.backs {
				if b := &r.backs[j]; b.saved.Age == of && (b.gone || b.at != c.at) {
					if l.head = of; !b.gone {
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
func (r *restorer) guessLinks(c *comeback) {
	of := c.age
	if c.gone {
		of = c.saved.Age
	}
	for _, l := range c.spec.Links {
		k := slices.IndexFunc(r.backs, func(b comeback) bool { return !b.gone && b.spec == l && b.saved.Source == c.saved.Source })
		if k >= 0 && &r.backs[k] != c {
			r.set.ensureGates().addLink(linkage{head: of, link: r.set.slot(r.backs[k].at).handle()})
		}
	}
}

// placeTags restores the tags and immunities given by commands.
func (r *restorer) placeTags() {
	for _, b := range r.saved.Tags {
		t, ok := r.catalog.TagNamed(b.Name)
		if !ok {
			r.keepAside().Tags = append(r.aside.Tags, b)
			continue
		}
		g := r.set.ensureGates()
		g.commandTags.addTimes(t, b.N)
		for _, t := range r.catalog.Closure([]buff.Tag{t}) {
			g.tags.addTimes(t, b.N)
		}
	}
	for _, b := range r.saved.Immune {
		if t, ok := r.catalog.TagNamed(b.Name); ok {
			r.set.ensureGates().immune.addTimes(t, b.N)
		} else {
			r.keepAside().Immune = append(r.aside.Immune, b)
		}
	}
}

// addTimes adds n to the count of a tag. The count does not exceed state.MaxTagCount.
func (s *tagSet) addTimes(t buff.Tag, n int64) {
	s.add([]buff.Tag{t})
	k, _ := s.find(t)
	(*s)[k].n = uint16(min(int64((*s)[k].n)-1+n, state.MaxTagCount))
}

// tell emits the events and runs the actions. All buffs are present before the first event, so that
// actions can find them. First tell executes the commands of the zone. Then it reports each buff
// with its pulses, ends buffs to which present definitions make the owner immune, and hides or
// shows buffs. Last it executes the commands that all of these have issued.
func (r *restorer) tell(zone []buff.Command) {
	s, t := r.set, r.turn
	t.begin(r.at.Now, s.timeScale().ToInner(r.at.Now), false)
	for k := range zone {
		execute(t, s, &zone[k])
	}
	for k := range r.backs {
		c := &r.backs[k]
		r.restartResets(c)
		if c.gone {
			r.tellGone(c)
		} else {
			r.tellBack(c)
		}
	}
	for k := range r.backs { // the definitions may have new immunities
		c := &r.backs[k]
		if c.gone || c.spec.Uses&compile.UsesImmunity == 0 {
			continue
		}
		if i := s.slot(c.at); i.def != 0 && i.flags&hidden == 0 {
			purgeImmune(t, s.slot(c.at))
		}
	}
	if sheet := s.sheet(); sheet != nil {
		sheet.MoveAll() // a buff that raised a maximum may have ended
	}
	evaluateConditions(t, s)
	for t.head < len(t.items) {
		runNext(t, s)
	}
	t.resetQueue()
	reschedule(t, s, r.at.Now)
}

func (r *restorer) tellBack(c *comeback) {
	s, t := r.set, r.turn
	i := s.slot(c.at)
	e := s.slot(c.at).emit(t, buff.Restored)
	e.End, e.Next = i.reportedEnd(), i.clocks().ToWorld(i.nextPulse())
	if c.spec.Uses&(compile.UsesHide|compile.UsesOngoing) != 0 {
		s.ensureGates().requestReevaluation()
	}
	if g := s.gates(); i.flags&immune != 0 || g != nil && (len(g.immune) > 0 || g.immunities > 0) {
		s.ensureGates().noteImmunityChange()
	}
	if c.parts {
		tellParts(t, s, c)
	}
	if c.pulses > 0 {
		tellPulses(t, s, c, s.slot(c.at).newEvent(buff.Pulsed), c.at)
	}
}

// tellParts emits one event for a change during the time away: stacks have ended, or another
// application of the queue runs now.
func tellParts(t *Turn, s *Owner, c *comeback) {
	i := s.slot(c.at)
	e := s.slot(c.at).newEvent(buff.StackEnded)
	e.Why, e.Offline = reason.Expired, c.away
	switch c.spec.Stack.Timers {
	case define.TimersShared:
		e.End = i.reportedEnd()
	case define.TimersQueue:
		e.Kind, e.Why, e.End = buff.Queued, reason.None, i.reportedEnd()
	}
	t.emit(s, &e)
}

func (r *restorer) tellGone(c *comeback) {
	s, t, i := r.set, r.turn, &c.i
	e := buff.Event{
		Kind: buff.Removed, Why: reason.Expired, Spec: &c.spec.Spec, Source: i.source, Stacks: int32(i.stacks), Level: i.level, Magnitude: i.magnitude,
		End: wheel.Never, Offline: c.away,
	}
	told := e
	told.Kind, told.Why, told.Offline = buff.Pulsed, reason.None, 0
	r.numbers(c)
	if c.x.magnitudes == nil {
		c.x.magnitudes = &noMagnitudes
	}
	k := c.x.magnitudes
	r.worksAgain(c)
	tellPulses(t, s, c, told, noSlot)
	if len(k.keys) > 0 {
		k.removeModifiers(s.sheet())
	}
	switch c.spec.Save.OfflineExpire {
	case define.OfflineNotify:
		t.emit(s, &e)
	case define.OfflineRun:
		e.Offline = int64(c.over - i.end)
		t.emit(s, &e)
		followBackdated(t, s, c.spec, t.numbersOf(c.spec, k, c.x.async, offBoundary), e.Offline)
	}
	if s.gates().isHead(c.saved.Age) {
		issueUnlink(t, s, c.saved.Age, reason.Expired, "")
	}
}

// worksAgain applies the modifiers of a buff that ended while its owner was away. The pulses that
// it missed before its end still have to run, and its modifiers affect them. If the new version of the
// catalog leaves no room for these modifiers, the pulses run without them.
func (r *restorer) worksAgain(c *comeback) {
	s, i := r.set, &c.i
	if n, _, tail := c.told(); n == 0 && !tail || i.flags&hidden != 0 || c.spec.Uses&compile.UsesPulsed == 0 || c.spec.Uses&compile.UsesModifiers == 0 || !s.modifiersFit(c.spec, 0) {
		return
	}
	sheet := s.ensureRare().ensureSheet(c.spec.Catalog)
	effect := effect{spec: c.spec, k: c.x.magnitudes, stacks: i.stacks, async: c.x.async}
	effect.addModifiers(sheet, 0)
	if c.spec.Uses&compile.UsesOverride == 0 {
		return
	}
	younger := s.first()
	for younger.exists() && younger.age() < c.saved.Age {
		younger = younger.next()
	}
	s.reorderOverrides(sheet, younger)
}

// tellPulses emits the pulses of the time away; if there is a partial pulse, it is the last. The
// parameter `e` is the event for a single pulse.
func tellPulses(t *Turn, s *Owner, c *comeback, e buff.Event, at uint16) {
	spec := c.spec
	times, count, tail := c.told()
	if times == 0 && !tail {
		return
	}
	whole := e
	whole.Stacks, whole.Count = c.stacks, count
	if spec.Stack.Timers == define.TimersEach {
		whole.Magnitude = c.sum
	}
	suppressed := true
	switch {
	case c.i.flags&hidden&^immune != 0: // ignores immune, because the immunity may have ended during the time away
		whole.Kind = buff.Suppressed
	case s.gates() != nil && spec.Immune == define.ImmuneSuppress && s.immuneTo(spec, at):
		whole.Kind, whole.Why = buff.Suppressed, reason.Immune
	default:
		suppressed = false
	}
	async, own := c.counted, c.pulsed
	if async == nil {
		async, own = c.x.async, offBoundary
	}
	tell := func(e *buff.Event) {
		t.emit(s, e)
		switch {
		case suppressed:
		case at != noSlot:
			i := s.slot(at)
			queuePulseActionsWith(t, i, spec, i.magnitudes(), async, own)
		default:
			queuePulseActionsWith(t, instance{record: &c.i, owner: s, slot: noSlot}, spec, c.x.magnitudes, async, own)
		}
	}
	for range times {
		tell(&whole)
	}
	async, own = c.x.async, offBoundary
	if tail {
		e.Kind, e.Why = whole.Kind, whole.Why
		if !suppressed {
			e.Elapsed, e.Period = c.tail, c.tailOf
		}
		tell(&e)
	}
}
