package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/wheel"
)

// record has the state of one running buff. Its size is one
// cache line, 64 bytes, because an owner has dozens of records. It has no pointers.
type record struct {
	source buff.OwnerID

	end clock.BuffTime // Never if infinite

	// boundary is the next boundary of the period, even if it is after the end, so that a later
	// refresh keeps the phase. It is Never if the instance has no period.
	boundary clock.BuffTime

	magnitude int64

	age32, period32, duration32 uint32 // see instance.age, instance.period and instance.duration

	def        int32 // number of the definition, see instance.program; 0 if the slot is free
	stacks     int16
	level      int16
	flags      flags
	extraIndex uint16 // index in rareState.extras of the state that plain buffs do not need, or noSlot

	slots.Header
}

const noSlot = slots.None

// flags are boolean properties of an instance.
type flags uint16

const (
	dirty       flags = 1 << iota // the deadline must be computed again: see Owner.agenda
	unmet                         // the ongoing requirement fails
	inhibited                     // disabled by the command Inhibit
	weaker                        // another buff of the group is stronger
	ineffective                   // Stacking.Effective instances of the definition are stronger
	timeScaled                    // the instance has its own time scale, in extra.scale
	deathPaused                   // paused because the owner is dead
	member                        // applied by an aura
	leaving                       // the owner has left the aura: the instance ends with OutOfAura
	immune                        // the owner is immune to the instance
	large                         // age, period and duration are in extra.large

	hidden = unmet | inhibited | weaker | ineffective | immune
)

// instance is one running buff of an owner: its record, and where the record is. The zero instance
// stands for no buff. An instance is valid until the owner gets a new buff, because the records may
// then move.
type instance struct {
	*record
	owner *Owner
	slot  uint16
}

// exists reports whether there is a buff: the instance is not the zero instance.
func (i instance) exists() bool { return i.record != nil }

// next returns the next younger instance.
func (i instance) next() instance { return i.owner.linked(i.Newer()) }

// first returns the oldest instance.
func (s *Owner) first() instance { return s.linked(s.records.Oldest()) }

// linked returns the instance in a slot, or none for noSlot.
func (s *Owner) linked(slot uint16) instance {
	if slot == noSlot {
		return instance{}
	}
	return s.slot(slot)
}

// slot returns the instance in a slot.
func (s *Owner) slot(at uint16) instance { return instance{s.records.Record(at), s, at} }

// nextPulse returns the instant of the next pulse in buff time, or Never if there is none up to
// the end. A partial tail pulses at the end, unless the end is a boundary or the buff continues
// after it.
func (i instance) nextPulse() clock.BuffTime {
	switch {
	case i.boundary <= i.end:
		return i.boundary
	case i.program().Tail == define.TailPartial && i.period() > 0 && i.elapsed(i.end) > 0 && !i.continues():
		return i.end
	}
	return clock.Never
}

// continues reports whether the instance goes on after the end of its duration: either only some
// of its stacks expire, or the next application in its queue starts.
func (i instance) continues() bool {
	switch st := &i.program().Stack; {
	case st.Timers == define.TimersQueue:
		return len(i.extra().async) > 0
	case st.Timers == define.TimersShared && st.Expire != define.ExpireAll && i.flags&leaving == 0:
		return int(i.stacks) > i.program().ExpiringStacks(int(i.stacks))
	}
	return false
}

// elapsed returns the ms from the last boundary before the instant `at` until that instant.
func (i instance) elapsed(at clock.BuffTime) int64 {
	return int64(at-i.boundary) + i.currentPeriod()
}

// currentPeriod returns the length of the current period in ms. It differs from the length of the
// following periods, see instance.period, if a change of the period takes effect at the next pulse.
func (i instance) currentPeriod() int64 {
	if i.extraIndex != noSlot {
		if x := i.extra(); x.currentPeriod > 0 {
			return x.currentPeriod
		}
	}
	return i.period()
}

// restartPeriod starts a new period at now.
func (i instance) restartPeriod(now clock.BuffTime) {
	i.boundary = i.firstBoundary(now)
	if i.extraIndex != noSlot {
		i.extra().currentPeriod = 0
	}
}

// setNextPeriod sets the length of the periods after the current one.
func (i instance) setNextPeriod(ms int64) {
	x := i.ensureExtra()
	x.currentPeriod = i.currentPeriod()
	i.storePeriod(ms)
}

// nextEnd returns the next end of the instance, of an async stack or of a holder, in buff time.
func (i instance) nextEnd() clock.BuffTime {
	if i.program().Stack.Timers == define.TimersEach {
		return i.extra().async[0].end
	}
	if i.flags&member != 0 {
		if k := i.firstLeaving(); k >= 0 {
			return i.extra().async[k].end
		}
	}
	return i.end
}

// nextOwnEvent returns the instance's next event: its instant in buff time, its rank and its age.
func (i instance) nextOwnEvent() (clock.BuffTime, deadline.Rank, uint64) {
	end, r, age := i.end, deadline.End, i.age()
	switch st := &i.program().Stack; {
	case st.Timers == define.TimersEach:
		if async := i.extra().async; len(async) > 1 {
			end, r, age = async[0].end, deadline.StackEnd, async[0].age
		}
	case st.Timers == define.TimersQueue || st.Expire != define.ExpireAll:
		if i.continues() {
			r = deadline.StackEnd
		}
	}
	if i.flags&member != 0 {
		if k := i.firstLeaving(); k >= 0 {
			h := &i.extra().async[k]
			end, r, age = h.end, deadline.StackEnd, h.age
		}
	}
	if at := i.nextPulse(); at <= end && at != clock.Never {
		return at, deadline.Pulse, i.age()
	}
	return end, r, age
}

// timeout is a timer of an owner, independent of buffs.
type timeout struct {
	at    clock.OwnerTime
	age   uint64
	filed wheel.Time // Deadline in world time, or Never: see keys
	name  string
	do    any // function of the game to call; if nil, handler is called instead

	handler    define.HandlerID
	generation uint32
	next       uint16 // in a free slot, the next free slot
	live       bool
	dirty      bool
}

// SetOrigin sets the first generation of the handles of a new Owner; the default is 0. If two
// Owners have the same number and their handles can meet, as with two engines, their origins should
// be far apart: the handles of the Owners stay distinct until a slot has been reused as many times
// as the difference of the origins. [Owner.Generation] and the base of [NewOwner] count from the
// origin.
//
// It panics if the origin is odd, or if the Owner has been used.
func (s *Owner) SetOrigin(origin uint32) {
	if origin%2 != 0 || int(s.records.Used())+len(s.timeouts().all()) > 0 {
		panic("rules: SetOrigin with an odd number, or of an Owner that has been used")
	}
	s.records.SetGenerations(slots.Generations{Base: s.records.Generations().Base, Origin: origin})
}
