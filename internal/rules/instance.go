package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/internal/rules/slots"
)

// A running buff is stored in a record. What plain buffs do not need is in an extra.

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
	recharging                    // a charge will come back at extra.nextCharge
	spent                         // the instance has no charge left and waits for one to come back
	large                         // age, period and duration are in extra.large
	watching                      // the condition of on.when has been tested
	held                          // it held at the last test

	hidden = unmet | inhibited | weaker | ineffective | immune | spent
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

func (i instance) handle() buff.Handle {
	return buff.Handle(handle.Pack(i.owner.number, i.slot, i.Generation()))
}

// clear clears the record, except that a dirty slot is still in the dirty list.
func (i instance) clear() {
	header, listed := i.Header, i.flags&dirty
	*i.record = record{} // zeroed in place, which is faster than a copy
	i.Header, i.flags = header, listed
}

// rareState is the part of an Owner that many owners do not need.
type rareState struct {
	foreign  []*compile.Program // by slot: programs that are not in the Owner's catalog, see instance.program
	extras   []extra            // see record.extraIndex
	timeouts *timeouts          // nil until the first timeout
	sheet    *sheet.Sheet       // attributes; nil if all are as in the catalog

	gates     *gates           // nil until needed
	timeScale *clock.Owner     // owner time; nil if it is the same as world time
	journal   *journal.Journal // records changes; nil if disabled

	calls        []waitingCall // calls deferred to the start of the next Run; see pendingCalls
	pendingCalls int32         // the last pendingCalls elements of calls still wait; the others were made

	modifiers int32  // number of modifiers of all live instances, including hidden instances
	freeExtra uint16 // first free element of extras, or noSlot
	rereads   bool   // see Owner.Rereads
	rescales  bool   // the owner may have instances that follow a rate: see rescaleAll
	watches   bool   // the owner may have instances with on.when: see testWhen
	mixed     bool   // the Owner may have instances of several catalogs
}

func (s *Owner) ensureRare() *rareState {
	if s.rare == nil {
		s.rare = &rareState{freeExtra: noSlot}
	}
	return s.rare
}

// gates returns the owner's gates, or nil if nothing has needed them yet.
func (s *Owner) gates() *gates {
	if s.rare == nil {
		return nil
	}
	return s.rare.gates
}

// journal returns the journal that records changes, or nil.
func (s *Owner) journal() *journal.Journal {
	if s.rare == nil {
		return nil
	}
	return s.rare.journal
}

// deferredCalls returns the number of handler calls that wait for the next Run.
func (s *Owner) deferredCalls() int {
	if s.rare == nil {
		return 0
	}
	return int(s.rare.pendingCalls)
}

// timeouts returns the timeouts, or nil if there has been none.
func (s *Owner) timeouts() *timeouts {
	if s.rare == nil {
		return nil
	}
	return s.rare.timeouts
}

// modifierCount returns the number of modifiers of all live instances.
func (s *Owner) modifierCount() int {
	if s.rare == nil {
		return 0
	}
	return int(s.rare.modifiers)
}

// extra has the state of an instance that plain buffs do not need. Extras are reused, with the
// memory of their lists.
type extra struct {
	// With TimersEach, async has one element for each application, sorted by end and age. With
	// TimersQueue it has the waiting applications, by age. For a buff that auras apply it has the
	// holders: see aura.go.
	async         []asyncStack
	magnitudes    *magnitudes    // nil if none are stored
	large         *largeNumbers  // set if the instance has the flag `large`
	live          *liveState     // set if the program has compile.UsesLive
	key           uint64         // the key of the applications, with ByKey
	currentPeriod int64          // ms; 0 if it is as long as the following periods
	pendingPeriod int64          // ms; with HasteSnapshot, the period after the next refresh; 0 if unchanged
	shield        int64          // remaining pool; 0 with TimersEach, where each async stack has its own
	running       uint64         // with TimersQueue, age of the running application
	nextCharge    clock.BuffTime // valid if the instance has the flag recharging
	charges       int32          // remaining charges; 0 with TimersEach
	pendingPulses int32          // late pulses not yet combined: see catchUp
	lastPending   clock.BuffTime // instant of the last of these pulses, in buff time
	scale         clock.Buff     // valid if the instance has the flag timeScaled
	nextFree      uint16
}

// asyncStack is one application with its own timer: an async stack, a waiting application of a
// queue, or a holder of a buff that auras apply.
type asyncStack struct {
	end       clock.BuffTime // end of the application; not used in a queue
	lag       int64          // with TimersEach, ms from a boundary of the instance to the end of the stack's own period
	left      int64          // with TimersQueue, remaining ms
	magnitude int64
	source    buff.OwnerID
	age       uint64
	shield    int64 // remaining pool
	charges   int32 // remaining charges
	stacks    int16
	level     int16
	numbers   uint16 // index of the separate numbers, from 1; 0 if there are none
}

// allocExtra returns the index of an empty extra.
func (b *rareState) allocExtra() uint16 {
	at := b.freeExtra
	if at == noSlot {
		b.extras = append(b.extras, extra{})
		return uint16(len(b.extras) - 1)
	}
	b.freeExtra = b.extras[at].nextFree
	return at
}

// freeExtraAt frees an extra.
func (b *rareState) freeExtraAt(at uint16) {
	x := &b.extras[at]
	*x = extra{async: x.async[:0], magnitudes: x.magnitudes.reset(), live: x.live, nextFree: b.freeExtra}
	b.freeExtra = at
}

// extra returns the extra of an instance that has one.
func (i instance) extra() *extra {
	return &i.owner.rare.extras[i.extraIndex]
}

// ensureExtra returns the extra of an instance, allocating it if necessary.
func (i instance) ensureExtra() *extra {
	if i.extraIndex == noSlot {
		i.extraIndex = i.owner.ensureRare().allocExtra()
	}
	return i.extra()
}

// An instance has 32 bits each for its age, period and duration. That is enough for 4 billion
// applications on one owner and for times of 49 days. If one of the three numbers does not fit, all
// three are stored in the extra of the instance.

// maxInline is the largest number that is stored in the instance itself. Tests may lower it.
var maxInline uint64 = math.MaxUint32

// largeNumbers holds the age, period and duration of an instance that has the flag `large`.
type largeNumbers struct {
	age              uint64
	period, duration int64 // ms
}

// age returns the age of an instance: the number of the application that has started it. Ages are
// unique for an owner. They order events of equal rank.
func (i instance) age() uint64 {
	if i.flags&large != 0 {
		return i.extra().large.age
	}
	return uint64(i.age32)
}

// period returns the length of the periods after the current one, in ms; 0 means no pulses.
func (i instance) period() int64 {
	if i.flags&large != 0 {
		return i.extra().large.period
	}
	return int64(i.period32)
}

// duration returns the duration of the last application, in ms. If only some stacks end, the same
// duration starts again.
func (i instance) duration() int64 {
	if i.flags&large != 0 {
		return i.extra().large.duration
	}
	return int64(i.duration32)
}

func (i instance) storeAge(age uint64) {
	if i.age32 = uint32(age); i.flags&large != 0 || age > maxInline {
		i.useLarge().age = age
	}
}

func (i instance) storePeriod(ms int64) {
	if i.period32 = uint32(ms); i.flags&large != 0 || uint64(ms) > maxInline {
		i.useLarge().period = ms
	}
}

func (i instance) storeDuration(ms int64) {
	if i.duration32 = uint32(ms); i.flags&large != 0 || uint64(ms) > maxInline {
		i.useLarge().duration = ms
	}
}

// useLarge returns the large numbers of an instance. If the instance has none yet, useLarge moves
// its age, period and duration into new large numbers, where they stay for the rest of its life.
func (i instance) useLarge() *largeNumbers {
	x := i.ensureExtra()
	if i.flags&large == 0 {
		x.large = &largeNumbers{age: uint64(i.age32), period: int64(i.period32), duration: int64(i.duration32)}
		i.flags |= large
	}
	return x.large
}
