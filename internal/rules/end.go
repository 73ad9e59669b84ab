package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// instanceEvent returns a new event of the given kind about the instance in a slot.
func (s *Owner) instanceEvent(kind buff.EventKind, at uint16) buff.Event {
	i := s.slot(at)
	return buff.Event{
		Kind: kind, Spec: &s.programOf(i).Spec, Source: i.source, Handle: s.handle(at), Stacks: int32(i.stacks), Level: i.level,
		Magnitude: i.magnitude, End: wheel.Never,
	}
}

// newInstanceEvent emits an event about the instance in a slot and returns the event. The caller
// may set further fields of it until the next event is emitted.
func (s *Owner) newInstanceEvent(t *Turn, kind buff.EventKind, at uint16) *buff.Event {
	e, i := t.newEvent(s, kind), s.slot(at)
	e.Spec, e.Source, e.Handle = &s.programOf(i).Spec, i.source, s.handle(at)
	e.Stacks, e.Level, e.Magnitude = int32(i.stacks), i.level, i.magnitude
	return e
}

// end ends and removes the instance in a slot for a reason.
func (s *Owner) end(t *Turn, at uint16, why reason.Reason) { s.endNamed(t, at, why, "") }

// endNamed is like end, and also sets Event.Name of the Removed.
//
// Pending pulses run first. Then the effects of the buff are revoked, so that a handler for the
// Removed sees the owner without these effects. After the event, the slot is freed. The actions for
// the removal are queued last; when they run, the handle of the buff is no longer valid.
func (s *Owner) endNamed(t *Turn, at uint16, why reason.Reason, name string) {
	i := s.slot(at)
	if i.extra != noSlot {
		s.flushPulses(t, at)
	}
	spec, age := s.programOf(i), s.age(i)
	if spec.Uses&compile.UsesLeave != 0 {
		s.endEffects(t, at)
	}
	e := s.newInstanceEvent(t, buff.Removed, at)
	e.Why, e.Name = why, name
	if spec.Uses&compile.UsesMagnitudes != 0 {
		s.freeWithNumbers(t, at, why)
	} else {
		s.freeInstance(t, at)
		s.queueActions(t, spec.Remove[why], &noMagnitudes)
	}
	if spec.Uses&compile.UsesLinks != 0 || s.gates().isHead(age) {
		s.issueUnlink(t, age, why, name)
	}
}

// freeWithNumbers frees an instance that has numbers and queues the actions for its removal, which
// read these numbers.
func (s *Owner) freeWithNumbers(t *Turn, at uint16, why reason.Reason) {
	spec, k := s.programOf(s.slot(at)), s.numbersAtEnd(t, s.slot(at))
	s.freeInstance(t, at)
	s.queueActions(t, spec.Remove[why], k)
}

// numbersAtEnd returns the numbers of an instance that is about to be freed. The numbers remain
// valid until the extra of the instance is reused.
func (s *Owner) numbersAtEnd(t *Turn, i *instance) *magnitudes {
	k := s.numbersOf(t, i, offBoundary)
	if k == &t.evaluated.each {
		return k
	}
	t.evaluated.behind = *k
	return &t.evaluated.behind
}

// endEffects revokes the effects of an instance that ends. It is not needed for a definition
// without compile.UsesLeave.
func (s *Owner) endEffects(t *Turn, at uint16) {
	i := s.slot(at)
	s.reportLastState(t, at, false)
	if s.programOf(i).Uses&(compile.UsesGrants|compile.UsesImmunity|compile.UsesModifiers) != 0 && i.flags&hidden == 0 {
		s.revokeEffects(t, at)
	}
	if s.programOf(i).Uses&compile.UsesHide != 0 {
		s.ensureGates().requestReevaluation()
	}
	if s.programOf(i).Uses&compile.UsesDR != 0 {
		s.restartResets(t, at)
	}
}

// freeInstance frees the slot of an instance.
func (s *Owner) freeInstance(t *Turn, at uint16) {
	i := s.slot(at)
	if s.programOf(i).Uses&compile.UsesModifiers != 0 {
		s.rare.modifiers -= int32(len(s.programOf(i).Modifiers))
	}
	wasDirty := i.flags & dirty
	s.freeSlot(t, at)
	s.slot(at).flags = wasDirty // the slot is still in the dirty list
}

// removeStacks removes n stacks of an instance. It ends the instance if n is at most zero or at
// least the number of stacks. The timers of the remaining stacks do not change.
func (s *Owner) removeStacks(t *Turn, at uint16, n int, why reason.Reason) outcome {
	i := s.slot(at)
	if n <= 0 || n >= int(i.stacks) {
		s.end(t, at, why)
		return outcome{kind: buff.Removed, why: why}
	}
	s.flushPulses(t, at)
	r := outcome{handle: s.handle(at), kind: buff.StackEnded, why: why}
	if s.programOf(i).Stack.Timers == define.TimersEach {
		for left := int16(n); left > 0; {
			k := min(left, s.extraOf(i).async[0].stacks)
			s.removeAsyncStacks(t, at, 0, k)
			left -= k
		}
	} else {
		i.stacks -= int16(n)
		s.mark(at, journal.Stacks)
		s.updateModifiers(t, at)
	}
	s.markDirty(t, at)
	e := s.instanceEvent(buff.StackEnded, at)
	e.Why = why
	t.emit(s, &e)
	return r
}

// expirePart handles an end that concerns only a part of an instance: an async stack, a holder, the
// running application of a queue, or some of the stacks. In the last case, the duration restarts
// for the remaining stacks.
func (s *Owner) expirePart(t *Turn, at uint16) {
	i := s.slot(at)
	switch s.programOf(i).Stack.Timers {
	case define.TimersEach:
		s.endFirstAsync(t, at, reason.Expired)
		return
	case define.TimersQueue:
		s.nextInQueue(t, at)
		return
	}
	if i.flags&member != 0 {
		if k := s.firstLeaving(i); k >= 0 {
			s.dropHolder(t, at, k)
			return
		}
	}
	i.stacks -= int16(s.programOf(i).ExpiringStacks(int(i.stacks)))
	s.updateModifiers(t, at)
	i.end = endAfter(i.end, s.duration(i)) // count from i.end: with a rate, now may be later
	s.mark(at, journal.Stacks|journal.Time)
	s.markDirty(t, at)
	e := s.instanceEvent(buff.StackEnded, at)
	e.Why, e.End = reason.Expired, s.reportedEnd(i)
	t.emit(s, &e)
}

// expire ends an instance at the end of its duration.
//
// Examples: testdata/expire_one.txt, expire_half.txt, pulse_and_end.txt.
func (s *Owner) expire(t *Turn, at uint16) {
	why := reason.Expired
	if s.slot(at).flags&leaving != 0 {
		why = reason.OutOfAura
	}
	s.end(t, at, why)
}

// Clear removes all buffs of an owner that leaves, oldest first, with the same reason for each. It
// runs no actions of definitions. It drops timeouts and deferred handler calls, and returns how
// many it has dropped. The attributes are reset to the catalog's values.
func (s *Owner) Clear(t *Turn, at wheel.Time, why reason.Reason) (dropped int) {
	t.begin(at, s.timeScale().firstReached(at), false)
	for s.oldest != noSlot {
		slot := s.oldest
		e := s.instanceEvent(buff.Removed, slot)
		e.Why = why
		s.freeInstance(t, slot)
		if why == reason.Unload {
			t.emitUnnumbered(s, &e)
		} else {
			t.emit(s, &e)
		}
	}
	for i := range s.timeouts().all() {
		if s.rare.timeouts.list[i].live {
			s.releaseTimeout(t, uint16(i))
			dropped++
		}
	}
	dropped += s.deferredCalls()
	s.scheduler.dropDue()
	if b := s.rare; b != nil {
		b.clearCalls()
		b.pendingCalls, b.gates, b.timeScale, b.sheet = 0, nil, nil, nil
	}
	return dropped
}

// kill executes the death of the owner. It ends every buff with "on_death: remove", with the reason
// Death and without a final pulse. It pauses every buff with "on_death: pause". If the owner is
// already dead, kill does the same for the buffs applied since the death, but emits no Died.
//
// First it emits the event Died. Then it queues the on.death actions of all buffs that are not
// hidden. Last it removes and pauses buffs.
//
// Examples: testdata/death.txt, death_last_pulse.txt, death_pause.txt, on_death.txt.
func (s *Owner) kill(t *Turn, c *buff.Command) buff.Result {
	var r buff.Result
	if !s.Dead() {
		s.ensureGates().dead = true
		s.markOwner(journal.Life)
		e := t.newEvent(s, buff.Died)
		e.Spec, e.Source = c.Application.Spec, c.Application.Source
		r.Kind = buff.Died
		seq, killer := e.Seq, e.Source
		s.eachInstance(func(at uint16) { s.queueDeathActions(t, at, seq, killer) })
	}
	s.eachInstance(func(at uint16) {
		switch i := s.slot(at); s.programOf(i).OnDeath {
		case define.FateRemove:
			s.end(t, at, reason.Death)
			r.Amount++
		case define.FatePause:
			s.setDeathPause(t, at, true)
		}
	})
	if r.Kind == 0 && r.Amount > 0 {
		r.Kind, r.Why = buff.Removed, reason.Death
	}
	return r
}

// queueDeathActions queues the on.death actions of the buff in a slot. The parameter `seq` is the
// sequence number of the event Died.
func (s *Owner) queueDeathActions(t *Turn, at uint16, seq uint64, killer buff.OwnerID) {
	i := s.slot(at)
	if spec := s.programOf(i); len(spec.Death) > 0 && i.flags&hidden == 0 {
		e := s.instanceEvent(buff.Died, at)
		e.At, e.Seen, e.Seq, e.Owner, e.Target = t.at, t.Now, seq, s.id, killer
		s.queueEventActions(t, spec.Death, &e, e.Source, s.numbersOf(t, i, offBoundary))
	}
}

// Dead reports whether the owner has been killed and not revived.
func (s *Owner) Dead() bool { return s.gates() != nil && s.gates().dead }

// revive executes the revival of the owner: it ends the death pauses of its buffs.
func (s *Owner) revive(t *Turn) buff.Result {
	s.eachInstance(func(at uint16) {
		if s.slot(at).flags&deathPaused != 0 {
			s.setDeathPause(t, at, false)
		}
	})
	if !s.Dead() {
		return buff.Result{}
	}
	s.gates().dead = false
	s.markOwner(journal.Life)
	t.newEvent(s, buff.Revived)
	return buff.Result{Kind: buff.Revived}
}

// setDeathPause starts or ends the death pause of a buff. Other pauses are independent of it; the
// command Resume does not end it.
func (s *Owner) setDeathPause(t *Turn, at uint16, on bool) {
	s.flushPulses(t, at)
	i := s.slot(at)
	p := s.scaleOf(t, i)
	c := buff.Command{Verb: verb.Resume, Whose: byDeath, Handle: s.handle(at)}
	if on {
		c.Verb = verb.Pause
	}
	s.changeTime(t, &c, p, t.now)
	i.flags &^= deathPaused
	if on {
		i.flags |= deathPaused
	}
	s.mark(at, journal.Time)
	s.markDirty(t, at)
}

// byDeath is the cause of a death pause in the time scale of a buff. It has the same value as the
// cause "zone", which occurs only in the time scale of an owner.
const byDeath = define.OfZone

// loseSource executes the command LoseSource for a source that has left. For each buff from that
// source, the on_source_gone of its definition says whether the buff ends, remains, or gets its
// owner as the new source.
//
// Example: testdata/source_gone.txt.
func (s *Owner) loseSource(t *Turn, source buff.OwnerID) buff.Result {
	var r buff.Result
	s.eachInstance(func(at uint16) {
		i := s.slot(at)
		if i.source != source {
			return
		}
		switch s.programOf(i).OnSourceGone {
		case define.FateRemove:
			s.end(t, at, reason.SourceGone)
			r.Kind, r.Why = buff.Removed, reason.SourceGone
			r.Amount++
		case define.FateAdopt:
			s.flushPulses(t, at)
			s.ensureApplier(at)
			s.newSource(at, s.id)
			if r.Kind == 0 {
				r.Kind = buff.Done
			}
			r.Amount++
		}
	})
	return r
}
