package buff

import "fmt"

// carryOut does one command at the running instant.
func (s *Set) carryOut(t *Turn, c *Command) Result {
	if c.Reason == NoReason {
		c.Reason = Cancelled
	}
	if !c.Reason.Removes() {
		panic(fmt.Sprintf("buff: a Command with the reason %v, which does not end a buff", c.Reason))
	}
	var r Result
	switch c.Verb {
	case Apply:
		r = s.apply(t, &c.Application)
	case Remove, Extend, SetRemaining, SetPeriod, Inhibit, Release:
		r = s.toInstance(t, c)
	case RemoveSpec:
		if c.linked {
			r = s.unlink(t, c)
		} else if at := s.findSpec(c.Application.Spec); at != noSlot {
			r = s.lose(t, at, c.Stacks, c.Reason)
		}
	case AddTimeout:
		r = s.addTimeout(t, c)
	case Cancel:
		r = s.cancel(c.Timeout)
	default:
		r = s.toOwner(t, c)
	}
	s.reconsider(t)
	return r
}

// toInstance does a command for one running buff.
func (s *Set) toInstance(t *Turn, c *Command) Result {
	if !s.lives(c.Handle) {
		return Result{Err: fmt.Errorf("%w: %v", ErrStale, c.Handle)}
	}
	switch at := c.Handle.slot(); c.Verb {
	case Remove:
		return s.lose(t, at, c.Stacks, c.Reason)
	case Extend:
		return s.extend(t, at, c.By, c.Application.Duration)
	case SetRemaining:
		return s.setRemaining(t, at, c.By)
	case SetPeriod:
		return s.setPeriod(t, at, c.By)
	default:
		return s.inhibit(t, at, c.Verb == Inhibit)
	}
}

// toOwner does a command for all that the owner carries.
func (s *Set) toOwner(t *Turn, c *Command) Result {
	switch c.Verb {
	case Kill:
		return s.kill(t)
	case Revive:
		return s.revive(t)
	case LoseSource:
		return s.loseSource(t, c.Application.Source)
	case Hold, Resume, SetRate:
		return s.setPace(t, c)
	case AddTag, DropTag:
		return s.tag(t, c)
	case Immunize, Expose:
		return s.immunize(t, c)
	case Purge:
		return s.purge(t, c.Query)
	case Steal:
		return s.steal(t, c.Query, c.By)
	case ExtendAll:
		return s.extendAll(t, c)
	case Interrupted:
		return s.interrupt(t, c.Act)
	case Consume:
		return s.consume(t, c)
	case Absorb:
		return s.absorb(t, c)
	case ZoneLeft:
		return s.leaveZone(t)
	case AddBase, SetBase, Damage:
		return s.changeBase(t, c)
	case Enter:
		return s.enterAura(t, &c.Application)
	case Leave:
		return s.leaveAura(t, &c.Application, c.By)
	}
	panic(fmt.Sprintf("buff: a Command with the verb %d", c.Verb))
}

// fire does what an entry of the agenda stands for, unless it is no longer so.
func (s *Set) fire(t *Turn, e entry) {
	at := e.ref.slot()
	if e.ref.isTimeout() {
		s.fireTimeout(t, at, e)
		return
	}
	i := &s.slots[at]
	if i.spec == nil {
		t.Dropped++
		return
	}
	if due, key := s.due(i); due != e.at || key != e.key {
		t.Dropped++
		return
	}
	t.begin(s.world(e.at), e.at, true)
	s.touch(at)
	switch own, r, _ := s.next(i); r {
	case rankPulse:
		s.beat(t, at, own)
	case rankStackEnd:
		s.expireSome(t, at)
	default:
		s.expire(t, at)
	}
	s.reconsider(t)
}
