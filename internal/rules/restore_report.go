package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// This file emits the events of a Restore, and runs the actions of the pulses and ends that the owner
// missed. By then, all buffs are part of the Owner.

// report emits the events and runs the actions. All buffs are present before the first event, so that
// actions can find them. First report executes the commands of the area. Then it reports each buff
// with its pulses, ends buffs to which present definitions make the owner immune, and hides or
// shows buffs. Last it executes the commands that all of these have issued.
func (r *restorer) report(area []buff.Command) {
	s, t := r.set, r.turn
	t.begin(r.at.Now, s.timeScale().ToInner(r.at.Now), false)
	for k := range area {
		execute(t, s, &area[k])
	}
	for k := range r.buffs {
		c := &r.buffs[k]
		r.restartResets(c)
		if c.expired {
			r.reportExpired(c)
		} else {
			r.reportRestored(c)
		}
	}
	for k := range r.buffs { // the definitions may have new immunities
		c := &r.buffs[k]
		if c.expired || c.spec.Uses&compile.UsesImmunity == 0 {
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

func (r *restorer) reportRestored(c *restoredBuff) {
	s, t := r.set, r.turn
	i := s.slot(c.at)
	e := s.slot(c.at).emit(t, buff.Restored)
	e.End, e.Next = i.reportedEnd(), i.clocks().ToWorld(i.nextPulse())
	if c.spec.Uses&(compile.UsesHide|compile.UsesOngoing|compile.UsesRecharge) != 0 {
		s.ensureGates().requestReevaluation()
	}
	if g := s.gates(); i.flags&immune != 0 || g != nil && (len(g.immune) > 0 || g.immunities > 0) {
		s.ensureGates().noteImmunityChange()
	}
	if c.partsEnded {
		reportParts(t, s, c)
	}
	if c.pulses > 0 {
		reportPulses(t, s.slot(c.at), c, s.slot(c.at).newEvent(buff.Pulsed))
	}
}

func (r *restorer) reportExpired(c *restoredBuff) {
	s, t, i := r.set, r.turn, &c.i
	e := buff.Event{
		Kind: buff.Removed, Why: reason.Expired, Spec: &c.spec.Spec, Source: i.source, Stacks: int32(i.stacks), Level: i.level, Magnitude: i.magnitude,
		End: wheel.Never, Offline: c.away,
	}
	pulse := e
	pulse.Kind, pulse.Why, pulse.Offline = buff.Pulsed, reason.None, 0
	r.restoreNumbers(c)
	if c.x.magnitudes == nil {
		c.x.magnitudes = &noMagnitudes
	}
	k := c.x.magnitudes
	r.addExpiredModifiers(c)
	t.endedView = buffView{known: true, ends: true, magnitude: i.magnitude}
	if c.x.live != nil {
		t.endedView.addLive(c.x.live, c.now)
	}
	reportPulses(t, instance{record: &c.i, owner: s, slot: noSlot}, c, pulse)
	if len(k.keys) > 0 {
		k.removeModifiers(s.sheet())
	}
	switch c.spec.Save.OfflineExpire {
	case define.OfflineNotify:
		t.emit(s, &e)
	case define.OfflineRun:
		e.Offline = int64(c.reached - i.end)
		t.emit(s, &e)
		followBackdated(t, s, c.spec, t.numbersOf(c.spec, k, c.x.async, offBoundary), e.Offline)
	}
	t.endedView = buffView{}
	if s.gates().isHead(c.saved.Age) {
		issueUnlink(t, s, c.saved.Age, reason.Expired, "")
	}
}

// addExpiredModifiers applies the modifiers of a buff that ended while its owner was away. The pulses that
// it missed before its end still have to run, and its modifiers affect them. If the new version of the
// catalog leaves no room for these modifiers, the pulses run without them.
func (r *restorer) addExpiredModifiers(c *restoredBuff) {
	s, i := r.set, &c.i
	if n, _, tail := c.reportedPulses(); n == 0 && !tail || i.flags&hidden != 0 || !c.spec.PulseReads() || c.spec.Uses&compile.UsesModifiers == 0 || !s.modifiersFit(c.spec, 0) {
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

// reportParts emits one event for a change during the time away: stacks have ended, or another
// application of the queue runs now.
func reportParts(t *Turn, s *Owner, c *restoredBuff) {
	i := s.slot(c.at)
	e := i.newEvent(buff.StackEnded)
	e.Why, e.Offline = reason.Expired, c.away
	switch c.spec.Stack.Timers {
	case define.TimersShared:
		e.End = i.reportedEnd()
	case define.TimersQueue:
		e.Kind, e.Why, e.End = buff.Queued, reason.None, i.reportedEnd()
	}
	t.emit(s, &e)
}

// reportPulses emits the pulses of the time away; if there is a partial pulse, it is the last. The
// parameter `e` is the event for a single pulse. The slot of the instance is noSlot if the buff has
// ended.
func reportPulses(t *Turn, i instance, c *restoredBuff, e buff.Event) {
	s, spec := i.owner, c.spec
	times, count, tail := c.reportedPulses()
	if times == 0 && !tail {
		return
	}
	whole := e
	whole.Stacks, whole.Count = c.pulseStacks, count
	if spec.Stack.Timers == define.TimersEach {
		whole.Magnitude = c.magnitudeSum
	}
	suppressed := true
	switch {
	case c.i.flags&hidden&^immune != 0: // ignores immune, because the immunity may have ended during the time away
		whole.Kind = buff.Suppressed
	case s.gates() != nil && spec.Immune == define.ImmuneSuppress && s.immuneTo(spec, i):
		whole.Kind, whole.Why = buff.Suppressed, reason.Immune
	default:
		suppressed = false
	}
	async, own := c.countedAsync, c.lastPulse
	if async == nil {
		async, own = c.x.async, offBoundary
	}
	tell := func(e *buff.Event) {
		t.emit(s, e)
		switch {
		case suppressed:
		case i.slot != noSlot:
			queuePulseActionsWith(t, i, spec, i.magnitudes(), async, own)
		default:
			queuePulseActionsWith(t, i, spec, c.x.magnitudes, async, own)
		}
	}
	for range times {
		tell(&whole)
	}
	async, own = c.x.async, offBoundary
	if tail {
		e.Kind, e.Why = whole.Kind, whole.Why
		if !suppressed {
			e.Elapsed, e.Period = c.tailElapsed, c.tailPeriod
		}
		tell(&e)
	}
}
