package rules

import (
	"iter"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/wheel"
)

// Owner is the state of one owner: its buffs and its timeouts. It has no lock and no clock; only
// one goroutine at a time may use it. Use [NewOwner].
type Owner struct {
	// Fields that every command reads come first, on the same cache lines, because an owner is
	// rarely in the cache. An Owner is kept small: there is one for each player.
	agenda  deadline.Agenda
	records slots.Slots[record, wheel.Time] // the buffs; the key of each is the instant of its Deadline

	catalog *compile.Catalog // the catalog of the last application and of the instances; see instance.program
	rare    *rareState       // nil until needed
	ages    uint64           // number of applications and timeouts so far
	events  uint64           // number of the last numbered event; see Event.Seq
	id      buff.OwnerID

	number  uint32
	visited uint32
}

// NewOwner returns an empty Owner for the given owner. The number, below buff.MaxOwners, is part of
// all handles of the Owner. The parameter `base` is zero, or the [Owner.Generation] of the Owner
// that had the number before, whose handles then stay invalid. The Owner holds at most `limit`
// instances, and as many timeouts. The limit is from 1 to buff.MaxPerOwner. NewOwner panics if one
// of the arguments is out of range.
func NewOwner(owner buff.OwnerID, number uint32, base uint32, limit int) *Owner {
	if number >= buff.MaxOwners || base == math.MaxUint32 || limit < 1 || limit > buff.MaxPerOwner {
		panic("rules: NewOwner with a number, generation or limit out of range")
	}
	return &Owner{
		id: owner, number: number, records: slots.New[record, wheel.Time](limit, slots.Generations{Base: base}),
	}
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

// ID returns the owner's ID.
func (s *Owner) ID() buff.OwnerID { return s.id }

// Len returns the number of buffs, including hidden ones.
func (s *Owner) Len() int { return s.records.Len() }

// Timeouts returns the number of waiting timeouts.
func (s *Owner) Timeouts() int { return s.timeouts().count() }

// Generation returns the generation to pass as the parameter base to [NewOwner] for the next Owner
// with the same number; no handle of this Owner is above it. If the result is math.MaxUint32, no
// generation is left and the number must not be used again. Generation costs O(slots).
func (s *Owner) Generation() uint32 {
	g := s.records.LastGeneration()
	for _, x := range s.timeouts().all() {
		g = max(g, s.records.Generations().Count(x.generation))
	}
	return g
}

// All returns the owner's buffs, the oldest application first. The loop may end the current
// buff. After any other change it visits an unspecified part of the other buffs, each in its
// present state.
func (s *Owner) All() iter.Seq[buff.Instance] {
	return func(yield func(buff.Instance) bool) {
		for at := s.records.Oldest(); at != noSlot; {
			next := s.slot(at).Newer()
			if !yield(s.slot(at).describe()) {
				return
			}
			if at = next; at != noSlot && s.slot(at).def == 0 {
				return
			}
		}
	}
}

// Find returns the buff with the given handle, and reports whether there is one.
func (s *Owner) Find(h buff.Handle) (buff.Instance, bool) {
	if !s.isLive(h) {
		return buff.Instance{}, false
	}
	return s.slot(handle.Slot(h)).describe(), true
}

// At returns the buff in a slot, and reports whether there is one. Slots are below
// [buff.MaxPerOwner] and are reused: see [buff.Handle.Slot].
func (s *Owner) At(slot int) (buff.Instance, bool) {
	if slot < 0 || slot >= int(s.records.Used()) || s.slot(uint16(slot)).def == 0 {
		return buff.Instance{}, false
	}
	return s.slot(uint16(slot)).describe(), true
}

func (i instance) describe() buff.Instance {
	l := buff.Instance{
		Handle: i.handle(), Spec: &i.program().Spec, Source: i.source, Stacks: int(i.stacks), Level: int(i.level),
		Magnitude: i.magnitude, End: i.clocks().ToWorld(i.end), NextPulse: i.clocks().ToWorld(i.nextPulse()), Hidden: i.flags&hidden != 0,
	}
	if i.extraIndex != noSlot {
		x := i.extra()
		l.Charges, l.Shield = int(i.chargesLeft()), i.shieldLeft()
		if i.program().Stack.Timers == define.TimersQueue {
			l.Waiting = len(x.async)
		}
	}
	if clocks := i.clocks(); clocks.Owner != nil || clocks.Buff != nil {
		l.Held, l.Rate = clocks.State()
		if l.Paused = l.Held != 0; l.Paused && i.end != clock.Never {
			l.Ends, l.Remaining = true, clocks.Left(i.end)
		}
	}
	return l
}

// Next returns the earliest instant at which an event of a buff or a timeout is due, or
// wheel.Never. It costs O(slots), and is meant for callers without a timing wheel.
func (s *Owner) Next() wheel.Time {
	next := s.timeouts().next()
	for i := s.first(); i.exists(); i = i.next() {
		t, _, _, _ := i.nextEvent()
		next = min(next, t)
	}
	return s.timeScale().ToOuter(next)
}

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

// lookup returns the live instance of h, or nil.
func (s *Owner) lookup(h buff.Handle) instance {
	slot := handle.Slot(h)
	if h.Number() != s.number || !s.records.Has(slot, handle.Generation(h)) {
		return instance{}
	}
	return s.slot(slot)
}

// isLive reports whether a handle refers to a running buff.
func (s *Owner) isLive(h buff.Handle) bool { return s.lookup(h).exists() }

// oldestInstance returns the oldest instance of a definition from the given source. If there is
// none, or if the source is 0, it returns the oldest instance from any source, or none.
//
// Example: testdata/remove_source.txt.
func (s *Owner) oldestInstance(spec *compile.Program, source buff.OwnerID) (oldest instance) {
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if !s.sameDefinition(i.program(), spec) {
			continue
		}
		if source == 0 || i.source == source {
			return i
		}
		if !oldest.exists() {
			oldest = i
		}
	}
	return oldest
}

// newInstance returns a new instance without a definition, or none if the owner is full.
func newInstance(t *Turn, s *Owner) instance {
	slot, r := s.records.Alloc(t.Memory)
	if r == nil {
		return instance{}
	}
	i := instance{r, s, slot}
	i.clear()
	i.extraIndex = noSlot
	s.ages++
	i.storeAge(s.ages)
	i.mark(journal.Begun)
	return i
}

// freeSlot frees the slot of the instance, which invalidates its handle.
func freeSlot(t *Turn, i instance) {
	s := i.owner
	i.mark(journal.Ended)
	t.Unfile(s.records.Key(i.slot))
	if g := s.gates(); g != nil && len(g.appliers)+len(g.links) > 0 {
		g.appliers.Drop(i.slot)
		g.dropLinks(i.handle())
	}
	if i.program().Uses&compile.UsesView != 0 {
		i.keepView(t)
	}
	if i.extraIndex != noSlot {
		s.rare.freeExtraAt(i.extraIndex)
	}
	i.clearForeign()
	i.clear()
	s.records.Free(i.slot)
}

// Free returns the memory of the Owner's instances. Call [Owner.Clear] first; Free panics if there
// are buffs. After Free, only [Owner.ID] may be called.
func (s *Owner) Free(t *Turn) {
	if s.records.Len() != 0 {
		panic("rules: Free of an Owner that has buffs")
	}
	s.records.Release(t.Memory)
	s.rare = nil
}

// An owner has as many slots as package slots permits.
const _ = uint(slots.Max-buff.MaxPerOwner) + uint(buff.MaxPerOwner-slots.Max)

// workPerDeadline is the cost of rescheduling one deadline, as a number of visited buffs.
const workPerDeadline = 8

// Looked returns a deterministic measure of the work done since the Owner was made: the number of
// buffs, deadlines and async stacks visited. A rescheduled deadline counts as eight. The measure
// wraps around, so only the difference between two calls is meaningful.
func (s *Owner) Looked() uint32 { return s.visited }

// With many owners, most accesses to an Owner miss the cache. A caller that is about to use many
// Owners can prefetch all of them first, in a short loop, so that the cache misses overlap. The
// results of these functions have no meaning; they prevent the compiler from removing the reads.
// The Owner must not be modified while one of these functions runs.

// Ahead prefetches the two cache lines of the Owner that a turn or a command reads.
func (s *Owner) Ahead() uint64 { return uint64(s.records.Used()) + s.events }

// AheadKeys prefetches the keys of the slots. Call [Owner.Ahead] some time before AheadKeys.
func (s *Owner) AheadKeys() uint64 { return s.records.TouchKeys() }

// AheadPlace prefetches what [Owner.RunPlace] reads. Call [Owner.Ahead] some time before
// AheadPlace.
func (s *Owner) AheadPlace(p Place) (seen uint64) {
	at := p.Slot()
	if p.IsTimeout() || at >= s.records.Used() {
		return s.AheadKeys()
	}
	return s.records.Touch(at) + uint64(*s.records.Key(at))
}

// AheadCommand prefetches the instances that a command will probably access. The parameter m is the
// Memory of the Turn. Call [Owner.AheadKeys] some time before AheadCommand.
func (s *Owner) AheadCommand(m *Memory, c *buff.Command) (seen uint64) {
	switch c.Verb {
	case verb.Apply:
		if c.Application.Spec != nil {
			return s.prefetchApply(m, &c.Application)
		}
	case verb.Remove, verb.Extend, verb.SetRemaining:
		return s.records.Touch(handle.Slot(c.Handle))
	}
	return 0
}

func (s *Owner) prefetchApply(m *Memory, a *buff.Application) uint64 {
	if a.Spec.Stack.By != define.ByNone {
		want := joinPattern(a, compile.Of(a.Spec))
		for k, word := range s.records.Hashes() {
			if found := want.In(word); found != 0 {
				return s.records.Touch(found.First(k))
			}
		}
	}
	return s.records.TouchAlloc(m)
}
