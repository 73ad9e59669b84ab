package engine

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/bufftick/bufftick/wheel"
)

// owner is a player as the engine sees it. While its mailbox is running, touched, set and beside.turns belong to the worker, who must not look
// at what is the loop's. It is kept at three cache lines: what many do not have is behind a pointer.
type owner struct {
	box mailbox

	beside atomic.Pointer[beside] // what few have; nil: nothing of it

	number  uint32
	life    uint32 // see ref
	touched uint32 // the round of copies in which it had a turn; 0: not since the loop has changed it
	zone    uint32 // this and what follows the set is the loop's, also while the mailbox is running

	// set is part of the owner, and right behind the mailbox: who comes to a player whom
	// nobody has looked at for a while waits for memory once, and not once for each pointer.
	set  buff.Set
	data any

	came     wheel.Time // and of one who is leaving, when it left
	place    int32      // in zone.owners
	wanted   bool       // in Engine.wanted
	presence presence
	adopts   bool // it may have adopted something that the cross-owner index does not know
	held     bool // its handler was running when a budget ended; not taken in yet
}

// presence says whether an owner is there: in its place there may be nobody.
type presence uint8

const (
	absent presence = iota
	there
	leaving // dropped while busy
)

// leaving reports whether an owner was dropped while it was busy, or has left.
func (o *owner) leaving() bool { return o.presence != there }

// turns is what some turns leave behind: those by message, those that were not done, and those that were measured.
type turns struct {
	progress
	segments []segment // what they brought since the owner was last idle, but for batched
	took     took
}

// progress is how far the turns of an owner have come that was handed over.
type progress struct {
	given   int32      // its allowance: see Engine.handOut
	used    int32      // of it
	obeyed  int32      // commands that were carried out since
	order   uint32     // of its turns: see buff.Turn
	until   wheel.Time // what the last turn was for
	reached wheel.Time // the instant at which one was cut short
	undone  bool       // all that is due until then is not done
	rests   bool       // the last turn ended since its allowance was used up: the run that is not done comes first
}

// turns returns what turns have left behind, nil if they have left nothing. Only for whoever has the owner in hand.
func (o *owner) turns() *turns { return o.noted().turns }

// needTurns returns where turns leave something behind. Only for whoever has the owner in hand.
func (o *owner) needTurns() *turns {
	b := o.note()
	if b.turns == nil {
		b.turns = &turns{}
	}
	return b.turns
}

// reached returns the instant at which a turn of the owner was cut short, 0 if none was.
func (o *owner) reached() wheel.Time {
	if t := o.turns(); t != nil {
		return t.reached
	}
	return 0
}

// rests reports whether its last turn ended since its allowance was used up.
func (o *owner) rests() bool {
	t := o.turns()
	return t != nil && t.rests
}

// used returns how much of its allowance an owner has used that is idle, or done. After a batched turn that says how much. If it was cut short
// the owner has gone on from there; if not, what it was measured by may stand there alone.
func (o *owner) used() (n int32) {
	if v := o.noted().batched; v != nil {
		n = v.used
	}
	if t := o.turns(); t != nil {
		n = max(n, t.used)
	}
	return n
}

// counted notes that what an owner has used is counted.
func (o *owner) counted() {
	if v := o.noted().batched; v != nil {
		v.used = 0
	}
	if t := o.turns(); t != nil {
		t.used = 0
	}
}

// beside is what the loop notes of owners who were busy, or behind, or are told something, and what turns leave behind; where there are Engine.Copies, of
// all. It stays until the owner leaves. The loop and whoever has the owner in hand may both be the first to make it; what is in it is the loop's, but for turns.
type beside struct {
	turns *turns // of whoever has the owner in hand; nil: nothing of it

	batched *batchedTurn // it has not been taken back from it

	revoked atomic.Pointer[revoked] // what queued commands of the loop will end, the newest first; workers read it

	ran    uint64 // the last slice of a Tick whose run is or was in its mailbox
	since  uint64 // the frame in which it was handed over
	handed int32  // commands in the batch that was handed over
	late   int32  // commands that wait for the next one
	owed   int32  // the part of Engine.owed that is its
	spree  int32  // what it has worked off since it last had done all that was due
	passed bool   // time does not wait for it, until it has caught up
	behind bool   // in zones.behind

	scale  zoneScale // what it has been told of its zone
	looked uint64    // the last look of an aura that found it

	copied *copied // for Engine.copies; nil without. The interval is 0 without it, and so is touched
}

// unnoted is what stands beside an owner of whom nothing was noted. Nobody writes to it.
var unnoted beside

// noted returns what the loop has noted of the owner, to look at.
func (o *owner) noted() *beside {
	if b := o.beside.Load(); b != nil {
		return b
	}
	return &unnoted
}

// note returns where something of the owner is noted. Only for the loop, and for whoever has the owner in hand.
func (o *owner) note() *beside {
	if b := o.beside.Load(); b != nil {
		return b
	}
	o.beside.CompareAndSwap(nil, &beside{}) // or the other one has been first
	return o.beside.Load()
}

// copied returns what Engine.copies keeps for the owner.
func (o *owner) copied() *copied { return o.beside.Load().copied }

// waiting returns how many commands wait for the owner.
func (o *owner) waiting() int {
	b := o.noted()
	return int(b.handed + b.late)
}

// setScale notes what the owner has been told of its zone.
func (o *owner) setScale(p zoneScale) {
	if o.noted().scale != p {
		o.note().scale = p
	}
}

// took is what the turns of an owner took.
type took struct {
	sample time.Duration // of those that were measured and have not been counted
	spent  time.Duration // in the span of that number, see busiest
	span   uint32
}

// copied is what Engine.copies keeps for an owner.
type copied struct {
	queued bool       // in copies.waiting
	told   uint32     // the interval in which the loop has changed it; 0: not since its last copy, or turn
	toldAt wheel.Time // the instant that it had reached when the loop changed it
	shadow shadow
}

// id says whose it is.
func (o *owner) id() buff.OwnerID { return o.set.Owner() }

// segment is what one turn of an owner brought: parts of the worker's lists.
type segment struct {
	// What the loop has to know of the events, so that it need not look at them: they are in
	// the cache of the worker. There are nothing but pulses, and, of a single one, how late it
	// was, in ms.
	plain bool
	late  int32

	events []buff.Event
	chunk  *chunk // in which they lie, if there are any
	outbox []outgoing
}

// keep returns a place for what a turn has brought, until the loop takes it.
func (o *owner) keep() *segment {
	t := o.needTurns()
	t.segments = append(t.segments, segment{})
	return &t.segments[len(t.segments)-1]
}

// sum notes what there is.
func (s *segment) sum() {
	s.plain, s.late = true, 0
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
	at   wheel.Time
	cmd  *buff.Command
}

type messageKind uint8

const (
	run messageKind = iota // work off everything that is due until at
	do                     // carry out cmd, which was issued at the instant at
)

// Spawn lets an owner in; data is the game's own and comes back in
// [Context.Data]. It fails with [ErrOwnerExists], [ErrTooManyOwners] or
// [ErrClosed].
//
// Only the loop goroutine may call it.
func (e *Engine) Spawn(id buff.OwnerID, data any) error {
	e.enter("Spawn")
	e.record.begin(recording.Spawn, uint64(id))
	o, err := e.newOwner(id, data)
	if err != nil {
		return err
	}
	e.admit(o, 0, e.zones.first())
	return nil
}

// newOwner returns an owner who is not there yet, but has a number.
func (e *Engine) newOwner(id buff.OwnerID, data any) (*owner, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if e.ownerOf(id) != nil {
		return nil, fmt.Errorf("%w: %d", ErrOwnerExists, id)
	}
	number, err := e.number()
	if err != nil {
		return nil, err
	}
	o := e.owners.begin(number)
	o.data = data
	o.set = *buff.NewSet(id, number, e.bases[number], e.opts.Limits.Buffs)
	o.set.SetOrigin(originOf(e.opts.Number))
	return o, nil
}

// giveUp takes back the number of an owner who could not be let in. What is the game's must not be kept in its place.
func (e *Engine) giveUp(o *owner) {
	o.data, o.set = nil, buff.Set{}
	e.free = append(e.free, o.number)
}

// admit lets a new owner into a zone.
func (e *Engine) admit(o *owner, zone uint32, z *zone) {
	e.living++
	e.lived = true
	o.came = e.now
	e.owners.arrive(o)
	if e.copies != nil {
		e.copies.arrive(o)
	}
	if e.changes != nil {
		e.changes.arrive(o)
	}
	e.byID.add(o.id(), o.number)
	e.zones.join(o, zone, z)
	e.tellZone(o)
}

// number returns a free owner number.
func (e *Engine) number() (uint32, error) {
	if last := len(e.free) - 1; last >= 0 {
		n := e.free[last]
		e.free = e.free[:last]
		return n, nil
	}
	if e.owners.len() >= e.opts.Limits.Owners {
		return 0, fmt.Errorf("%w: the limit is %d", ErrTooManyOwners, e.opts.Limits.Owners)
	}
	e.bases = append(e.bases, e.base)
	return e.owners.next(), nil
}

// unload ends all of an owner that is idle and gives its number back. It returns how many
// timeouts and handlers put off went with it.
func (e *Engine) unload(o *owner) (dropped int) {
	e.alter(o)
	if !o.leaving() {
		o.came = e.now
	}
	dropped = o.set.Clear(e.turn(), o.came, buff.Unload)
	e.obey(o)
	o.presence = leaving // its timer may have fired
	e.unfile(o.number)
	e.living--
	e.leaveZone(o)
	if e.copies != nil {
		e.copies.forget(o)
	}
	if base := o.set.Generation(); base < math.MaxUint32-1 {
		e.bases[o.number] = base
		e.free = append(e.free, o.number)
	}
	o.set.Free(e.turn())
	e.owners.depart(o)
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
	if o := e.ownerOf(id); o != nil {
		return o.data
	}
	return nil
}

// Owners returns how many owners there are.
//
// Only the loop goroutine may call it.
func (e *Engine) Owners() int {
	e.enter("Owners")
	return e.byID.n
}

// Busy reports whether the owner's turn was not over at the end of the last Tick, or still to
// come: its handlers may still run, commands for it wait in its mailbox, and its data must
// not be touched.
//
// Only the loop goroutine may call it.
func (e *Engine) Busy(id buff.OwnerID) bool {
	e.enter("Busy")
	o := e.ownerOf(id)
	return o != nil && !e.idle(o)
}

// ownerOf returns the owner of that ID, nil if there is none.
func (e *Engine) ownerOf(id buff.OwnerID) *owner { return e.byID.find(id, &e.owners) }

// at returns the owner of that number, nil if there is none.
func (e *Engine) at(number uint32) *owner {
	return e.owners.there(number)
}
