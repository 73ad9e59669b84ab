package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/wheel"
)

// A buff ends at the end of its duration, by a command, or by another rule. Its effects are revoked,
// a Removed gives the reason, and the actions for this reason run.

// end ends the instance for a reason.
func end(t *Turn, i instance, why reason.Reason) { endNamed(t, i, why, "") }

// endNamed is like end, and also sets Event.Name of the Removed.
//
// Pending pulses run first. Then the effects of the buff are revoked, so that a handler for the
// Removed sees the owner without these effects. After the event, the slot is freed. The actions for
// the removal are queued last; when they run, the handle of the buff is no longer valid.
func endNamed(t *Turn, i instance, why reason.Reason, name string) {
	s := i.owner
	if i.extraIndex != noSlot {
		flushPulses(t, i)
	}
	spec, age := i.program(), i.age()
	if spec.Uses&compile.UsesLeave != 0 {
		endEffects(t, i)
	}
	e := i.emit(t, buff.Removed)
	if e.Why, e.Name = why, name; compile.HasRemover(why) {
		e.Target = t.by
	}
	if spec.Uses&compile.UsesMagnitudes != 0 {
		freeWithNumbers(t, i, why)
	} else {
		free(t, i)
		queueActions(t, s, spec.Remove[why], &noMagnitudes)
	}
	if spec.Uses&compile.UsesLinks != 0 || s.gates().isHead(age) {
		issueUnlink(t, s, age, why, name)
	}
}

// freeWithNumbers frees an instance that has numbers and queues the actions for its removal, which
// read these numbers.
func freeWithNumbers(t *Turn, i instance, why reason.Reason) {
	spec, k := i.program(), numbersAtEnd(t, i)
	free(t, i)
	queueActions(t, i.owner, spec.Remove[why], k)
}

// numbersAtEnd returns the numbers of an instance that is about to be freed. The numbers remain
// valid until the extra of the instance is reused.
func numbersAtEnd(t *Turn, i instance) *magnitudes {
	k := numbersAt(t, i, offBoundary)
	if k == &t.evaluated.each {
		return k
	}
	t.evaluated.behind = *k
	return &t.evaluated.behind
}

// endEffects revokes the effects of an instance that ends. It is not needed for a definition
// without compile.UsesLeave.
func endEffects(t *Turn, i instance) {
	reportLastState(t, i, false)
	if i.program().Uses&(compile.UsesGrants|compile.UsesImmunity|compile.UsesModifiers) != 0 && i.flags&hidden == 0 {
		revokeEffects(t, i)
	}
	if i.program().Uses&compile.UsesHide != 0 {
		i.owner.ensureGates().requestReevaluation()
	}
	if i.program().Uses&compile.UsesDR != 0 {
		restartResets(t, i)
	}
}

// free frees the slot of an instance.
func free(t *Turn, i instance) {
	if i.program().Uses&compile.UsesModifiers != 0 {
		i.owner.rare.modifiers -= int32(len(i.program().Modifiers))
	}
	freeSlot(t, i)
}

// removeStacks removes n stacks of an instance. It ends the instance if n is at most zero or at
// least the number of stacks. The timers of the remaining stacks do not change.
func removeStacks(t *Turn, i instance, n int, why reason.Reason) outcome {
	if n <= 0 || n >= int(i.stacks) {
		end(t, i, why)
		return outcome{kind: buff.Removed, why: why}
	}
	flushPulses(t, i)
	r := outcome{handle: i.handle(), kind: buff.StackEnded, why: why}
	if i.program().Stack.Timers == define.TimersEach {
		for left := int16(n); left > 0; {
			k := min(left, i.extra().async[0].stacks)
			removeAsyncStacks(t, i, 0, k)
			left -= k
		}
	} else {
		i.stacks -= int16(n)
		i.mark(journal.Stacks)
		updateModifiers(t, i)
	}
	i.markDirty(t)
	e := i.newEvent(buff.StackEnded)
	e.Why = why
	t.emit(i.owner, &e)
	return r
}

// expirePart handles an end that concerns only a part of an instance: an async stack, a holder, the
// running application of a queue, or some of the stacks. In the last case, the duration restarts
// for the remaining stacks.
func expirePart(t *Turn, i instance) {
	switch i.program().Stack.Timers {
	case define.TimersEach:
		endFirstAsync(t, i, reason.Expired)
		return
	case define.TimersQueue:
		nextInQueue(t, i)
		return
	}
	if i.flags&member != 0 {
		if k := i.firstLeaving(); k >= 0 {
			dropHolder(t, i, k)
			return
		}
	}
	i.stacks -= int16(i.program().ExpiringStacks(int(i.stacks)))
	updateModifiers(t, i)
	i.end = endAfter(i.end, i.program().SpanAfterExpiry(i.duration())) // count from i.end: with a rate, now may be later
	i.mark(journal.Stacks | journal.Time)
	i.markDirty(t)
	e := i.newEvent(buff.StackEnded)
	e.Why, e.End = reason.Expired, i.reportedEnd()
	t.emit(i.owner, &e)
}

// expire ends an instance at the end of its duration.
//
// Examples: testdata/expire_one.txt, expire_half.txt, pulse_and_end.txt.
func expire(t *Turn, i instance) {
	why := reason.Expired
	if i.flags&leaving != 0 {
		why = reason.OutOfAura
	}
	end(t, i, why)
}

// Clear removes all buffs of an owner that leaves, oldest first, with the same reason for each. It
// runs no actions of definitions. It drops timeouts and deferred handler calls, and returns how
// many it has dropped. The attributes are reset to the catalog's values.
func (s *Owner) Clear(t *Turn, at wheel.Time, why reason.Reason) (dropped int) {
	t.begin(at, s.timeScale().ToInner(at), false)
	for i := s.first(); i.exists(); i = s.first() {
		e := i.newEvent(buff.Removed)
		e.Why = why
		free(t, i)
		if why == reason.Unload {
			t.emitUnnumbered(s, &e)
		} else {
			t.emit(s, &e)
		}
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].live {
			releaseTimeout(t, s, uint16(k))
			dropped++
		}
	}
	dropped += s.deferredCalls()
	s.agenda.DropDue()
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
func kill(t *Turn, s *Owner, c *buff.Command) buff.Result {
	var r buff.Result
	if !s.Dead() {
		s.ensureGates().dead = true
		s.markOwner(journal.Life)
		e := t.newEvent(s, buff.Died)
		e.Spec, e.Source = c.Application.Spec, c.Application.Source
		r.Kind = buff.Died
		seq, killer := e.Seq, e.Source
		s.eachInstance(func(i instance) { queueDeathActions(t, i, seq, killer) })
	}
	s.eachInstance(func(i instance) {
		switch i.program().OnDeath {
		case define.FateRemove:
			end(t, i, reason.Death)
			r.Amount++
		case define.FatePause:
			setDeathPause(t, i, true)
		}
	})
	if r.Kind == 0 && r.Amount > 0 {
		r.Kind, r.Why = buff.Removed, reason.Death
	}
	return r
}

// queueDeathActions queues the on.death actions of the buff. The parameter `seq` is the
// sequence number of the event Died.
func queueDeathActions(t *Turn, i instance, seq uint64, killer buff.OwnerID) {
	if spec := i.program(); len(spec.Death) > 0 && i.flags&hidden == 0 {
		e := i.newEvent(buff.Died)
		e.At, e.Seen, e.Seq, e.Owner, e.Target = t.at, t.Now, seq, i.owner.id, killer
		queueEventActions(t, i.owner, spec.Death, &e, e.Source, numbersAt(t, i, offBoundary))
	}
}

// Dead reports whether the owner has been killed and not revived.
func (s *Owner) Dead() bool { return s.gates() != nil && s.gates().dead }

// revive executes the revival of the owner: it ends the death pauses of its buffs.
func revive(t *Turn, s *Owner) buff.Result {
	s.eachInstance(func(i instance) {
		if i.flags&deathPaused != 0 {
			setDeathPause(t, i, false)
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
func setDeathPause(t *Turn, i instance, on bool) {
	flushPulses(t, i)
	p := i.ensureTimeScale(t)
	c := buff.Command{Verb: verb.Resume, Whose: clock.ByDeath, Handle: i.handle()}
	if on {
		c.Verb = verb.Pause
	}
	changeTime(i.owner, t, &c, p, t.now)
	i.flags &^= deathPaused
	if on {
		i.flags |= deathPaused
	}
	i.mark(journal.Time)
	i.markDirty(t)
}

// loseSource executes the command LoseSource for a source that has left. For each buff from that
// source, the on_source_gone of its definition says whether the buff ends, remains, or gets its
// owner as the new source.
//
// Example: testdata/source_gone.txt.
func loseSource(t *Turn, s *Owner, source buff.OwnerID) buff.Result {
	var r buff.Result
	s.eachInstance(func(i instance) {
		if i.source != source {
			return
		}
		switch i.program().OnSourceGone {
		case define.FateRemove:
			end(t, i, reason.SourceGone)
			r.Kind, r.Why = buff.Removed, reason.SourceGone
			r.Amount++
		case define.FateAdopt:
			flushPulses(t, i)
			i.ensureApplier()
			i.newSource(s.id)
			if r.Kind == 0 {
				r.Kind = buff.Done
			}
			r.Amount++
		}
	})
	return r
}
