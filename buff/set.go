package buff

import (
	"iter"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// Set is all that one owner carries: its buffs and its timeouts. It has no lock
// and no clock; whoever holds it calls one method at a time.
type Set struct {
	// What each command looks at stands first, and together: of an owner who has not been
	// looked at for a while nothing is in the cache.
	slots   []instance
	gates   *gates   // what most owners do not have; nil: nothing of it
	own     *pace    // the owner's time; nil: it is the world's
	catalog *Catalog // of the last application
	ages    uint64   // applications and timeouts so far
	owner   OwnerID

	number               uint32
	live                 int32
	limit                int32 // instances
	pending              int32 // handlers that were put off and have not been called
	free, oldest, newest uint16
	versions             bool // definitions of more than one catalog have been here

	touched []Ref            // what has changed and is in neither agenda nor orders
	soon    [nearTouched]Ref // where touched begins, as a list elsewhere would be one more wait
	orders  []Order

	// near, or far if there are too many slots for it, has a mark for each: see marks.
	near [nearMarks]uint16
	far  *[]uint16

	calls  []Call // handlers that were put off to the head of the next Run; the last ones are pending
	agenda agenda // what is due in the turn that is running

	base                   uint32 // generation of a slot's first use
	liveTimeouts           int32
	modifiers              int32 // of all live instances, also of those that are hidden
	freeExtra, freeTimeout uint16
	timeouts               []timeout
	extras                 []extra

	aside *saved // of the blob it was restored from: what the catalog did not know; nil: nothing

	sheet *stat.Sheet // of attributes; nil: they are as the catalog says
}

// NewSet returns an empty Set for the owner. The number is below MaxOwners and
// stands in all handles of the Set; base is zero, or the [Set.Generation] of the
// Set that had the number before, whose handles stay worthless thereby. At most
// limit instances, and as many timeouts, are carried at once: from 1 to
// MaxPerOwner.
func NewSet(owner OwnerID, number uint32, base uint32, limit int) *Set {
	if number >= MaxOwners || base == math.MaxUint32 || limit < 1 || limit > MaxPerOwner {
		panic("buff: NewSet with a number, generation or limit out of range")
	}
	return &Set{
		owner: owner, number: number, base: base, limit: int32(limit),
		free: noSlot, oldest: noSlot, newest: noSlot, freeTimeout: noSlot, freeExtra: noSlot,
	}
}

// Owner returns whose Set it is.
func (s *Set) Owner() OwnerID { return s.owner }

// Len returns how many buffs the owner carries.
func (s *Set) Len() int { return int(s.live) }

// Timeouts returns how many timeouts are waiting.
func (s *Set) Timeouts() int { return int(s.liveTimeouts) }

// Generation returns a generation that no handle of this Set has reached, for the
// Set that will have its number next; it is math.MaxUint32 if there is none left,
// and the number must then rest for ever. It costs a look at every slot.
func (s *Set) Generation() uint32 {
	g := s.base
	for i := range s.slots {
		g = max(g, s.slots[i].generation)
	}
	for i := range s.timeouts {
		g = max(g, s.timeouts[i].generation)
	}
	return g
}

// All returns the owner's buffs, the oldest application first. The loop over them
// may end the one that it is at; after any other change it sees some of the buffs,
// each as it is then.
func (s *Set) All() iter.Seq[Instance] {
	return func(yield func(Instance) bool) {
		for at := s.oldest; at != noSlot; {
			next := s.slots[at].newer
			if !yield(s.look(at)) {
				return
			}
			if at = next; at != noSlot && s.slots[at].spec == nil {
				return
			}
		}
	}
}

// Find returns the buff of that handle and reports whether there is one.
func (s *Set) Find(h Handle) (Instance, bool) {
	if s.lookup(h) == nil {
		return Instance{}, false
	}
	return s.look(h.slot()), true
}

// Next returns the earliest instant at which something is due, Never if nothing
// is. It looks at every slot: it is for those who run a Set without a wheel.
func (s *Set) Next() wheel.Time {
	next := wheel.Never
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		t, _ := s.due(&s.slots[at])
		next = min(next, t)
	}
	for i := range s.timeouts {
		if s.timeouts[i].live {
			next = min(next, s.timeouts[i].at)
		}
	}
	return s.world(next)
}

func (s *Set) look(at uint16) Instance {
	i := &s.slots[at]
	l := Instance{
		Handle: s.handle(at), Spec: i.spec, Source: i.source, Stacks: int(i.stacks), Level: int(i.level),
		Magnitude: i.magnitude, End: s.worldOf(i, i.end), NextPulse: s.worldOf(i, s.nextPulse(i)), Hidden: i.flags&hidden != 0,
	}
	if i.extra != noSlot {
		x := s.extraOf(i)
		l.Charges, l.Shield = int(x.charges), x.shield
		l.Paused = i.flags&paced != 0 && x.pace.num == 0
		if i.spec.Stack.Timers == TimersQueue {
			l.Waiting = len(x.layers)
		}
	}
	return l
}

func (s *Set) handle(at uint16) Handle {
	return Handle(pack(s.number, at, s.slots[at].generation))
}

// lookup returns the live instance of h, or nil.
func (s *Set) lookup(h Handle) *instance {
	at := h.slot()
	if h.Number() != s.number || int(at) >= len(s.slots) {
		return nil
	}
	if i := &s.slots[at]; i.spec != nil && i.generation == h.generation() {
		return i
	}
	return nil
}

// joins reports whether the application is for that instance of its definition. What an
// aura applied stands for itself.
func (s *Set) joins(i *instance, a *Application) bool {
	st := &a.Spec.Stack
	if i.flags&member != 0 || st.Level == LevelSegregate && int(i.level) != a.Level {
		return false
	}
	switch st.By {
	case BySource:
		return i.source == a.Source
	case ByKey:
		return i.extra != noSlot && s.extraOf(i).key == a.Key // an older version may have had none
	}
	return st.By == ByTarget
}

// findSpec returns the slot of the oldest instance of a definition, or noSlot.
func (s *Set) findSpec(spec *Spec) uint16 {
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if s.same(s.slots[at].spec, spec) {
			return at
		}
	}
	return noSlot
}

// place takes a free slot, links it as the newest and returns it, or noSlot if the
// owner is full.
func (s *Set) place() uint16 {
	if s.live >= s.limit {
		return noSlot
	}
	at := s.free
	if at != noSlot {
		s.free = s.slots[at].newer
	} else {
		if len(s.slots) == MaxPerOwner {
			return noSlot // the others are retired
		}
		at = uint16(len(s.slots))
		if n := len(s.slots); n == cap(s.slots) {
			// By a quarter, not double: most owners stay at some twenty buffs.
			s.slots = append(make([]instance, 0, n+max(4, n/4)), s.slots...)
		}
		s.slots = append(s.slots, instance{generation: s.base + 1})
		s.addMark()
	}
	s.ages++
	s.live++
	i := &s.slots[at]
	generation, listed := i.generation, i.flags&touched
	*i = instance{} // one that is made elsewhere and copied has to be waited for
	i.age, i.generation, i.flags, i.armed = s.ages, generation, listed, wheel.Never
	i.older, i.newer, i.extra = s.newest, noSlot, noSlot
	if s.newest != noSlot {
		s.slots[s.newest].newer = at
	} else {
		s.oldest = at
	}
	s.newest = at
	return at
}

// release frees a slot: its handle is worthless from here on.
func (s *Set) release(at uint16) {
	i := &s.slots[at]
	if i.older != noSlot {
		s.slots[i.older].newer = i.newer
	} else {
		s.oldest = i.newer
	}
	if i.newer != noSlot {
		s.slots[i.newer].older = i.older
	} else {
		s.newest = i.older
	}
	s.live--
	s.marks()[at] = 0
	if i.extra != noSlot {
		s.giveBack(i.extra)
	}
	generation := i.generation
	*i = instance{}
	i.generation, i.newer = generation, s.free
	if generation < math.MaxUint32 {
		i.generation++
		s.free = at
	}
}
