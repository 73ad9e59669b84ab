package engine

import (
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// owner is a player as the engine sees it. While its mailbox is away, all but box
// and the fields that never change belong to the worker.
type owner struct {
	box mailbox

	// set is part of the owner, and right behind the mailbox: who comes to a player whom
	// nobody has looked at for a while waits for memory once, and not once for each pointer.
	set  buff.Set
	data any
	id   buff.OwnerID

	number uint32
	share  int32 // events since it was handed over
	rests  bool  // its last turn ended for want of a share: the run that is not done comes first

	segments []segment     // what its turns brought since it was last at home, but for visit
	visit    *visit        // the loop's: it has not come home from it
	sample   time.Duration // what they took, where it was measured

	// The loop's, also while the mailbox is away.
	ran     uint64 // the last slice of a Tick whose run is or was in its mailbox
	handed  int32  // commands in the batch that is away
	late    int32  // commands that wait for the next one
	wanted  bool   // in Engine.wanted
	leaving bool   // dropped while busy
	adopts  bool   // it may have adopted something that the ledger does not know
	behind  bool   // in Engine.behind
	left    wheel.Time
	looked  uint64        // the last look of an aura that found it
	spent   time.Duration // on its turns, in the span of that number, see busiest
	span    uint32

	zone  uint32
	place int32    // in zone.owners
	pace  zonePace // what it has been told of its zone
}

// segment is what one turn of an owner brought: parts of the lane's lists.
type segment struct {
	// What the loop has to know of the events, so that it need not look at them: they are in
	// the cache of the worker. There are nothing but pulses, and, of a single one, how late it
	// was, in ms.
	plain bool
	late  int32

	events []buff.Event
	cross  []cross
}

// sum notes what there is.
func (s *segment) sum() {
	s.plain = true
	for i := range s.events {
		if s.events[i].Kind != buff.Pulsed {
			s.plain = false
			return
		}
	}
	if len(s.events) == 1 {
		s.late = int32(min(s.events[0].Seen-s.events[0].At, math.MaxInt32))
	}
}

type mailbox = actor.Mailbox[*owner, message]

// message is what a mailbox holds.
type message struct {
	kind messageKind
	ref  buff.Ref
	at   wheel.Time
	cmd  *buff.Command
}

type messageKind uint8

const (
	wake messageKind = iota // ref's timer has fired
	run                     // work off everything that is due until at
	do                      // carry out cmd, which was issued at the instant at
)

// Spawn lets an owner in; data is the game's own and comes back in
// [Context.Data]. It fails with [ErrOwnerExists], [ErrTooManyOwners] or
// [ErrClosed].
//
// Only the loop goroutine may call it.
func (e *Engine) Spawn(id buff.OwnerID, data any) error {
	e.enter("Spawn")
	e.record.begin(opSpawn, uint64(id))
	o, err := e.newOwner(id, data)
	if err != nil {
		return err
	}
	e.admit(o)
	return nil
}

// newOwner returns an owner who is not there yet, but has a number.
func (e *Engine) newOwner(id buff.OwnerID, data any) (*owner, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if e.byID[id] != nil {
		return nil, fmt.Errorf("%w: %d", ErrOwnerExists, id)
	}
	number, err := e.number()
	if err != nil {
		return nil, err
	}
	o := &owner{id: id, number: number, data: data, set: *buff.NewSet(id, number, e.bases[number], e.opts.MaxBuffs)}
	o.box.Owner = o
	return o, nil
}

// admit lets a new owner in.
func (e *Engine) admit(o *owner) {
	e.living++
	e.lived = true
	e.owners[o.number] = o
	e.visits.of[o.number].box = &o.box
	e.byID[o.id] = o
	e.joinZone(o, 0, e.zones[0])
	e.tellZone(o)
}

// number returns a free owner number.
func (e *Engine) number() (uint32, error) {
	if last := len(e.free) - 1; last >= 0 {
		n := e.free[last]
		e.free = e.free[:last]
		return n, nil
	}
	if len(e.owners) >= e.opts.MaxOwners {
		return 0, fmt.Errorf("%w: the limit is %d", ErrTooManyOwners, e.opts.MaxOwners)
	}
	e.owners = append(e.owners, nil)
	e.visits.of = append(e.visits.of, called{})
	e.bases = append(e.bases, e.base)
	return uint32(len(e.owners) - 1), nil
}

// unload ends all of an owner that is home and gives its number back. It returns how many
// timeouts and handlers put off went with it.
func (e *Engine) unload(o *owner) (dropped int) {
	if !o.leaving {
		o.left = e.now
	}
	dropped = o.set.Clear(e.turn(), o.left, buff.Unload)
	e.obey(o)
	o.leaving = true // a wake of its timers may still be on the way
	e.living--
	e.leaveZone(o)
	e.owners[o.number] = nil
	e.visits.of[o.number].box = nil
	if base := o.set.Generation(); base < math.MaxUint32-1 {
		e.bases[o.number] = base
		e.free = append(e.free, o.number)
	}
	return dropped
}

// idle reports whether the loop may work on the owner's Set now: it is home, and
// nothing waits that must come first.
func (e *Engine) idle(o *owner) bool { return o.box.Home() && o.box.Len() == 0 }

// Data returns what Spawn was given for the owner, nil if there is no such owner.
//
// Only the loop goroutine may call it.
func (e *Engine) Data(id buff.OwnerID) any {
	e.enter("Data")
	if o := e.byID[id]; o != nil {
		return o.data
	}
	return nil
}

// Owners returns how many owners there are.
//
// Only the loop goroutine may call it.
func (e *Engine) Owners() int {
	e.enter("Owners")
	return len(e.byID)
}

// Busy reports whether the owner's turn was not over at the end of the last Tick:
// its handlers may still run, commands for it wait in its mailbox, and its data must
// not be touched.
//
// Only the loop goroutine may call it.
func (e *Engine) Busy(id buff.OwnerID) bool {
	e.enter("Busy")
	o := e.byID[id]
	return o != nil && !e.idle(o)
}

// Buffs returns what the owner carries, the oldest application first. It is empty
// for an unknown owner and for one that is busy: what a worker may be changing
// cannot be looked at. The loop over them may end the one that it is at.
//
// Only the loop goroutine may call it.
func (e *Engine) Buffs(id buff.OwnerID) iter.Seq[buff.Instance] {
	return e.carried(id).All() // short enough to be inlined: then a loop allocates nothing
}

// nothing is what an unknown or busy owner carries.
var nothing = buff.NewSet(0, 0, 0, 1)

// carried is kept out of line so that Buffs is short.
//
//go:noinline
func (e *Engine) carried(id buff.OwnerID) *buff.Set {
	e.enter("Buffs")
	if o := e.byID[id]; o != nil && e.idle(o) {
		return &o.set
	}
	return nothing
}

// Find returns the buff of a handle and reports whether it runs. For a busy owner
// it reports false.
//
// Only the loop goroutine may call it.
func (e *Engine) Find(h buff.Handle) (buff.Instance, bool) {
	e.enter("Find")
	o := e.at(h.Number())
	if o == nil || !e.idle(o) {
		return buff.Instance{}, false
	}
	return o.set.Find(h)
}

// at returns the owner of that number, nil if there is none.
func (e *Engine) at(number uint32) *owner {
	if int(number) >= len(e.owners) || e.owners[number] == nil || e.owners[number].leaving {
		return nil
	}
	return e.owners[number]
}
