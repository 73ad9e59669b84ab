package engine

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// owner is a player as the engine sees it. While its mailbox is running, all but box
// and the fields that never change belong to the worker.
type owner struct {
	box mailbox

	// set is part of the owner, and right behind the mailbox: who comes to a player whom
	// nobody has looked at for a while waits for memory once, and not once for each pointer.
	set  buff.Set
	data any
	id   buff.OwnerID

	number uint32
	given  int32 // its allowance: see Engine.handOut
	used   int32 // of it
	obeyed int32 // commands that were carried out since it was handed over
	until  wheel.Time
	undone bool // all that is due until then is not done
	rests  bool // its last turn ended since its allowance was used up: the run that is not done comes first

	segments []segment     // what its turns brought since it was last idle, but for batched
	batched  *batchedTurn  // the loop's: it has not been taken back from it
	sample   time.Duration // what they took, where it was measured

	revoked atomic.Pointer[revoked] // what queued commands of the loop will end, the newest first

	// The loop's, also while the mailbox is running.
	ran     uint64 // the last slice of a Tick whose run is or was in its mailbox
	handed  int32  // commands in the batch that was handed over
	late    int32  // commands that wait for the next one
	wanted  bool   // in Engine.wanted
	leaving bool   // dropped while busy
	adopts  bool   // it may have adopted something that the cross-owner index does not know
	behind  bool   // in Engine.behind
	queued  bool   // in Copies.waiting
	held    bool   // its handler was running when a budget ended; not taken in yet
	passed  bool   // time does not wait for it, until it has caught up
	owed    int32  // the part of Engine.owed that is its
	since   uint64 // the frame in which it was handed over
	spree   int64  // what it has worked off since it last had done all that was due
	left    wheel.Time
	looked  uint64        // the last look of an aura that found it
	spent   time.Duration // on its turns, in the span of that number, see busiest
	span    uint32

	zone  uint32
	place int32     // in zone.owners
	scale zoneScale // what it has been told of its zone

	// For Engine.copies. The interval is 0 without it, and so are these. What is looked at before each
	// turn stands together: see keepShadow.
	waits   []*buff.Command // commands in its mailbox, in order
	reached wheel.Time      // that at which its turn was cut short
	told    uint32          // the interval in which the loop has changed it; 0: not since its last copy, or turn
	touched uint32          // that in which it had a turn; 0: not since the loop has changed it
	toldAt  wheel.Time      // the instant that it had reached when the loop changed it
	shadow  shadow
}

// segment is what one turn of an owner brought: parts of the worker's lists.
type segment struct {
	// What the loop has to know of the events, so that it need not look at them: they are in
	// the cache of the worker. There are nothing but pulses, and, of a single one, how late it
	// was, in ms.
	plain bool
	late  int32

	events []buff.Event
	outbox []outgoing
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
	via  bool // cmd is for another owner, see viaSource
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
	e.admit(o, 0, e.zones[0])
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
	o.set.SetOrigin(originOf(e.opts.Number))
	o.box.Owner = o
	return o, nil
}

// admit lets a new owner into a zone.
func (e *Engine) admit(o *owner, zone uint32, z *zone) {
	e.living++
	e.lived = true
	e.owners[o.number] = o
	if e.copies != nil {
		e.copies.arrive(o)
	}
	if e.changes != nil {
		e.changes.arrive(o)
	}
	e.batch.of[o.number].box = &o.box
	e.byID[o.id] = o
	e.joinZone(o, zone, z)
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
	e.batch.of = append(e.batch.of, called{})
	e.bases = append(e.bases, e.base)
	return uint32(len(e.owners) - 1), nil
}

// unload ends all of an owner that is idle and gives its number back. It returns how many
// timeouts and handlers put off went with it.
func (e *Engine) unload(o *owner) (dropped int) {
	e.alter(o)
	if !o.leaving {
		o.left = e.now
	}
	dropped = o.set.Clear(e.turn(), o.left, buff.Unload)
	e.obey(o)
	o.leaving = true // a wake of its timers may still be on the way
	e.living--
	e.leaveZone(o)
	e.owners[o.number] = nil
	if e.copies != nil {
		e.copies.forget(o)
	}
	e.batch.of[o.number].box = nil
	if base := o.set.Generation(); base < math.MaxUint32-1 {
		e.bases[o.number] = base
		e.free = append(e.free, o.number)
	}
	return dropped
}

// idle reports whether the loop may work on the owner's Set now: it is in nobody's hands, and
// nothing waits that must come first.
func (e *Engine) idle(o *owner) bool { return o.quiet() && !e.waits(o.number) }

// quiet reports whether the owner is not in hand and has no messages.
func (o *owner) quiet() bool { return o.box.Idle() && o.box.Len() == 0 }

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

// Busy reports whether the owner's turn was not over at the end of the last Tick, or still to
// come: its handlers may still run, commands for it wait in its mailbox, and its data must
// not be touched.
//
// Only the loop goroutine may call it.
func (e *Engine) Busy(id buff.OwnerID) bool {
	e.enter("Busy")
	o := e.byID[id]
	return o != nil && !e.idle(o)
}

// at returns the owner of that number, nil if there is none.
func (e *Engine) at(number uint32) *owner {
	if int(number) >= len(e.owners) || e.owners[number] == nil || e.owners[number].leaving {
		return nil
	}
	return e.owners[number]
}
