package rules

import (
	"iter"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/wheel"
)

// Owner is the state of one owner: its buffs and its timeouts. It has no lock and no clock; only
// one goroutine at a time may use it. Use [NewOwner].
type Owner struct {
	// Fields that every command reads come first, on the same cache lines, because an owner is
	// rarely in the cache. An Owner is kept small: there is one for each player.
	scheduler scheduler
	piece     // the slots and their keys

	catalog *compile.Catalog // the catalog of the last application and of the instances; see instance.program
	rare    *rareState       // nil until needed
	ages    uint64           // number of applications and timeouts so far
	events  uint64           // number of the last numbered event; see Event.Seq
	id      buff.OwnerID

	number               uint32
	generations          generations
	visited              uint32
	limit                int16 // maximum number of instances
	free, oldest, newest uint16
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
		id: owner, number: number, generations: generations{base: base}, limit: int16(limit),
		free: noSlot, piece: noPiece(), oldest: noSlot, newest: noSlot,
	}
}

// ID returns the owner's ID.
func (s *Owner) ID() buff.OwnerID { return s.id }

// Len returns the number of buffs, including hidden ones.
func (s *Owner) Len() int { return int(s.live) }

// Timeouts returns the number of waiting timeouts.
func (s *Owner) Timeouts() int { return s.timeouts().count() }

// Generation returns the generation to pass as the parameter base to [NewOwner] for the next Owner
// with the same number; no handle of this Owner is above it. If the result is math.MaxUint32, no
// generation is left and the number must not be used again. Generation costs O(slots).
func (s *Owner) Generation() uint32 {
	g := s.generations.base
	for i := range s.used {
		g = max(g, s.generations.used(s.slot(i).generation))
	}
	for _, x := range s.timeouts().all() {
		g = max(g, s.generations.used(x.generation))
	}
	return g
}

// All returns the owner's buffs, the oldest application first. The loop may end the current
// buff. After any other change it visits an unspecified part of the other buffs, each in its
// present state.
func (s *Owner) All() iter.Seq[buff.Instance] {
	return func(yield func(buff.Instance) bool) {
		for at := s.oldest; at != noSlot; {
			next := s.slot(at).newer
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

// Next returns the earliest instant at which an event of a buff or a timeout is due, or
// wheel.Never. It costs O(slots), and is meant for callers without a timing wheel.
func (s *Owner) Next() wheel.Time {
	next := s.timeouts().next()
	for i := s.first(); i.exists(); i = i.next() {
		t, _ := i.nextDue()
		next = min(next, t)
	}
	return s.timeScale().toWorld(next)
}

func (i instance) describe() buff.Instance {
	l := buff.Instance{
		Handle: i.handle(), Spec: &i.program().Spec, Source: i.source, Stacks: int(i.stacks), Level: int(i.level),
		Magnitude: i.magnitude, End: i.toWorldTime(i.end), NextPulse: i.toWorldTime(i.nextPulse()), Hidden: i.flags&hidden != 0,
	}
	if i.extraIndex != noSlot {
		x := i.extra()
		l.Charges, l.Shield = int(i.chargesLeft()), i.shieldLeft()
		if i.program().Stack.Timers == define.TimersQueue {
			l.Waiting = len(x.async)
		}
	}
	if i.owner.timeScale() != nil || i.flags&timeScaled != 0 {
		l.Held, l.Rate = i.pauseAndRate()
		l.Paused = l.Held != 0
	}
	if l.Paused && i.end != wheel.Never {
		l.Ends, l.Remaining = true, i.remainingOwn()
	}
	return l
}

// pauseAndRate returns the causes that pause an instance, and the rate of its time; the zero
// Ratio means 1.
func (i instance) pauseAndRate() (held buff.Held, rate buff.Ratio) {
	num, den := uint64(1), uint64(1)
	take := func(p *timeScale, by ...buff.Held) {
		for k := range p.cause {
			if p.cause[k].held {
				held |= by[k]
			}
			r := p.cause[k].rate.OrOne()
			num, den = num*uint64(r.Num), den*uint64(r.Den)
			if g := exact.GCD(num, den); g > 1 {
				num, den = num/g, den/g
			}
		}
	}
	if own := i.owner.timeScale(); own != nil {
		take(own, 0, buff.HeldByOwner, buff.HeldByZone)
	}
	if i.flags&timeScaled != 0 {
		take(&i.extra().scale, buff.HeldByBuff, 0, buff.HeldByDeath)
	}
	if num == den {
		return held, buff.Ratio{}
	}
	return held, reducedRatio(num, den)
}

// reducedRatio returns num/den, approximated if a part is above MaxRatio.
func reducedRatio(num, den uint64) buff.Ratio {
	for num > buff.MaxRatio || den > buff.MaxRatio {
		num, den = max(num/2, 1), max(den/2, 1)
	}
	return buff.Ratio{Num: uint32(num), Den: uint32(den)}
}

// At returns the buff in a slot, and reports whether there is one. Slots are below
// [buff.MaxPerOwner] and are reused: see [buff.Handle.Slot].
func (s *Owner) At(slot int) (buff.Instance, bool) {
	if slot < 0 || slot >= int(s.used) || s.slot(uint16(slot)).def == 0 {
		return buff.Instance{}, false
	}
	return s.slot(uint16(slot)).describe(), true
}

func (i instance) handle() buff.Handle {
	return buff.Handle(handle.Pack(i.owner.number, i.slot, i.generation))
}

// lookup returns the live instance of h, or nil.
func (s *Owner) lookup(h buff.Handle) instance {
	at := handle.Slot(h)
	if h.Number() != s.number || int(at) >= int(s.used) {
		return instance{}
	}
	if i := s.slot(at); i.def != 0 && i.generation == handle.Generation(h) {
		return i
	}
	return instance{}
}

// joins reports whether the application joins the given instance of its definition. An instance
// that auras apply is joined only by auras.
func (i instance) joins(a *buff.Application) bool {
	st := &a.Spec.Stack
	if i.flags&member != 0 != a.Origin.Aura || st.Level == define.LevelSegregate && int(i.level) != a.Level {
		return false
	}
	switch st.By {
	case define.BySource:
		return i.source == a.Source
	case define.ByKey:
		return i.program().Stack.By == define.ByKey && i.extra().key == a.Key // an older version may have no keys
	}
	return st.By == define.ByTarget
}

// oldestInstance returns the slot of the oldest instance of a definition from the given source. If
// there is none, or if the source is 0, it returns the slot of the oldest instance from any source,
// or noSlot.
//
// Example: testdata/remove_source.txt.
func (s *Owner) oldestInstance(spec *compile.Program, source buff.OwnerID) uint16 {
	oldest := uint16(noSlot)
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if !s.sameDefinition(i.program(), spec) {
			continue
		}
		if source == 0 || i.source == source {
			return i.slot
		}
		if oldest == noSlot {
			oldest = i.slot
		}
	}
	return oldest
}

// allocSlot returns a free slot, linked as the newest, or noSlot if the owner is full.
func (s *Owner) allocSlot(t *Turn) uint16 {
	if s.live >= s.limit {
		return noSlot
	}
	at := s.free
	if at != noSlot {
		s.free = s.slot(at).newer
	} else {
		if int(s.used) == buff.MaxPerOwner {
			return noSlot // the free slots are retired
		}
		if n := int(s.used); n == s.room() {
			s.growTo(t, s.grownRoom(n))
		}
		at = s.addSlot(&record{generation: s.generations.first()})
	}
	s.ages++
	s.live++
	if s.ages%evacuateInterval == 0 {
		s.evacuate(t)
	}
	i := s.slot(at)
	generation, listed := i.generation, i.flags&dirty
	*i.record = record{} // zeroed in place, which is faster than a copy
	i.generation, i.flags = generation, listed
	i.older, i.newer, i.extraIndex = s.newest, noSlot, noSlot
	i.storeAge(s.ages)
	if s.newest != noSlot {
		s.slot(s.newest).newer = at
	} else {
		s.oldest = at
	}
	s.newest = at
	i.mark(journal.Begun)
	return at
}

// evacuateInterval is the number of new buffs between two checks of whether the owner's chunk is
// draining. While any chunk is draining, a check takes a lock.
const evacuateInterval = 16

// grownRoom returns the new number of slots for an owner that has used all its n slots. It stays
// within the limit as long as no slot has been retired.
func (s *Owner) grownRoom(n int) int {
	if limit := int(s.limit); n < limit {
		return min(n+slotGrowth(n), limit)
	}
	return n + slotGrowth(n)
}

// slotGrowth returns how many slots to add to n. Most owners have about ten buffs, most creatures
// one or two. Unused slots are the largest waste of memory, but a move to a longer piece makes a
// new buff 50% more expensive. Steps of two would save a tenth of the memory, and move twice as
// often.
func slotGrowth(n int) int {
	if n < 8 {
		return max(1, n)
	}
	return max(4, n/8&^3)
}

// freeSlot frees a slot, which invalidates its handle.
func (i instance) freeSlot(t *Turn) {
	s := i.owner
	if i.older != noSlot {
		s.slot(i.older).newer = i.newer
	} else {
		s.oldest = i.newer
	}
	if i.newer != noSlot {
		s.slot(i.newer).older = i.older
	} else {
		s.newest = i.older
	}
	s.live--
	i.mark(journal.Ended)
	t.unfile(s.key(i.slot))
	s.setHash(i.slot, 0)
	if g := s.gates(); g != nil && len(g.appliers)+len(g.links) > 0 {
		g.dropAppliers(i.slot)
		g.dropLinks(i.handle())
	}
	if i.extraIndex != noSlot {
		s.rare.freeExtraAt(i.extraIndex)
	}
	i.clearForeign()
	generation := i.generation
	*i.record = record{}
	i.generation, i.newer = generation, s.free
	if next, ok := s.generations.next(generation); ok {
		i.generation = next
		s.free = i.slot
	}
}

// workPerDeadline is the cost of rescheduling one deadline, as a number of visited buffs.
const workPerDeadline = 8

// Looked returns a deterministic measure of the work done since the Owner was made: the number of
// buffs, deadlines and async stacks visited. A rescheduled deadline counts as eight. The measure
// wraps around, so only the difference between two calls is meaningful.
func (s *Owner) Looked() uint32 { return s.visited }
