package engine

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// owner is the engine's state of an owner. While a worker runs the mailbox, `touched`, `set` and
// `rare.turns` belong to this worker; the other fields always belong to the loop. The struct must
// not exceed three cache lines, so rarely used fields are in rareState.
type owner struct {
	box mailbox

	rare atomic.Pointer[rareState] // rarely used fields; nil if never used

	number  uint32
	life    uint32 // serial number: see the type ref
	touched uint32 // round of copies in which the owner's last turn started; 0 after a change by the loop
	area    uint32 // belongs to the loop, like the fields after `set`

	// The field `set` holds its value directly, not through a pointer. A pointer would cost another
	// cache miss for an owner that is not in cache.
	set  rules.Owner
	data any

	since     wheel.Time // when the owner was spawned; for a leaving owner, when it was dropped
	place     int32      // index in area.owners
	scheduled bool       // the owner is in dispatcher.scheduled
	presence  presence
	adopts    bool // the owner may have adopted buffs that are not in the cross-owner index
	held      bool // a handler of the owner outlasted the Budget, and its turn is not merged yet

	_ [16]byte // an owner starts with a cache line, so its size is three of them
}

// presence says whether a place in a slab is in use.
type presence uint8

const (
	absent presence = iota
	there
	leaving // the owner was dropped while it was busy
)

// leaving reports whether an owner was dropped while it was busy, or has left.
func (o *owner) leaving() bool { return o.presence != there }

// turns is the state that is kept in an owner for its turns. It is created when the owner gets a
// turn that is started by a message, is cut short, or is measured. Other turns need only
// workerState.ownProgress.
type turns struct {
	progress
	segments []segment // results since the owner was last idle
	took     took
}

// progress says how far the turns of a dispatched owner have come.
type progress struct {
	given      int32      // the allowance: see dispatcher.dispatch
	used       int32      // used part of the allowance
	executed   int32      // commands executed since dispatch
	until      wheel.Time // instant up to which the last turn must process due events
	reached    wheel.Time // instant at which a turn was cut short
	unfinished bool       // there are unprocessed events that are due at `until` or earlier
	parked     bool       // the last turn used up its allowance; the next turn continues it
}

// turns returns the state that is kept for the owner's turns, or nil if there is none. Only the
// goroutine to which the owner belongs may call it.
func (o *owner) turns() *turns { return o.readRare().turns }

// needTurns returns the state that is kept for the owner's turns, and creates it if needed. Only
// the goroutine to which the owner belongs may call it.
func (o *owner) needTurns() *turns {
	b := o.needRare()
	if b.turns == nil {
		b.turns = &turns{}
	}
	return b.turns
}

// reached returns the instant at which the owner's last turn was cut short, or 0 if it was not cut
// short.
func (o *owner) reached() wheel.Time {
	if t := o.turns(); t != nil {
		return t.reached
	}
	return 0
}

// isParked reports whether the last turn ended because its allowance was used up.
func (o *owner) isParked() bool {
	t := o.turns()
	return t != nil && t.parked
}

// used returns the used part of the allowance of an owner whose turn has ended. For a batched turn,
// this is batchedTurn.used. If the batched turn was cut short and messages have continued it,
// turns.used is larger and is returned.
func (o *owner) used() (n int32) {
	if v := o.readRare().batched; v != nil {
		n = v.used
	}
	if t := o.turns(); t != nil {
		n = max(n, t.used)
	}
	return n
}

// resetUsed makes [owner.used] return 0, after its result was added to the events of a Tick.
func (o *owner) resetUsed() {
	if v := o.readRare().batched; v != nil {
		v.used = 0
	}
	if t := o.turns(); t != nil {
		t.used = 0
	}
}

// rareState holds rarely used state of an owner. Owners need it if they were busy or late, had an
// unfinished turn, or were in an area whose time is changed; if the engine has a Maker of copies,
// every owner has one. The rareState exists until the owner leaves. Both the loop and a worker may
// create it. Its fields belong to the loop, except turns.
type rareState struct {
	turns *turns // belongs to the goroutine to which the owner belongs; may be nil

	batched *batchedTurn // the batched turn of the owner, until it is merged

	// A list of the buffs and timeouts that will be ended by commands that the loop has already
	// queued, newest first. Workers read the list.
	revoked atomic.Pointer[revoked]

	lastRun       uint64 // last slice in which a run message was sent to the owner
	since         uint64 // frame in which the owner was dispatched
	dispatched    int32  // waiting commands that the current turn executes
	undispatched  int32  // waiting commands for the next turn
	reserved      int32  // quota reserved for this owner, as part of dispatcher.reserved
	sinceCaughtUp int32  // events processed since the owner was last up to date
	overtaken     bool   // game time does not wait for this owner until it has caught up
	areaPending   bool   // the owner is in areas.pending

	scale      areaScale // the area time of which the owner was last notified
	lastSearch uint64    // number of the last aura search that found the owner

	copied *copied // state of Engine.copies; nil if copies are not used
}

// emptyRare is the shared read-only zero value of rareState.
var emptyRare rareState

// readRare returns the owner's rarely used state for reading.
func (o *owner) readRare() *rareState {
	if b := o.rare.Load(); b != nil {
		return b
	}
	return &emptyRare
}

// needRare returns the owner's rarely used state for writing, and creates it if needed. Only the
// loop and the goroutine to which the owner belongs may call it.
func (o *owner) needRare() *rareState {
	if b := o.rare.Load(); b != nil {
		return b
	}
	o.rare.CompareAndSwap(nil, &rareState{}) // the other goroutine may be faster
	return o.rare.Load()
}

// copied returns the state that Engine.copies keeps for the owner.
func (o *owner) copied() *copied { return o.rare.Load().copied }

// waiting returns the number of commands waiting for the owner.
func (o *owner) waiting() int {
	b := o.readRare()
	return int(b.dispatched + b.undispatched)
}

// setScale records the area time of which the owner has been notified.
func (o *owner) setScale(p areaScale) {
	if o.readRare().scale != p {
		o.needRare().scale = p
	}
}

// took is the time spent in the turns of an owner.
type took struct {
	sample time.Duration // time of measured turns that has not been added to spent yet
	spent  time.Duration // sum of the samples in the measuring period `span`; see busiest
	span   uint32        // number of a period of length busySpan
}

// copied is the state that Engine.copies keeps for an owner.
type copied struct {
	queued    bool       // the owner is in copies.waiting
	changedIn uint32     // round in which the loop has changed the owner; 0 after a copy or turn
	changedAt wheel.Time // time of that change
	shadow    shadow
}

func (o *owner) id() buff.OwnerID { return o.set.ID() }

// segment is the result of one turn of an owner, or of consecutive batched turns of one worker. Its
// slices are parts of the worker's lists.
type segment struct {
	first uint64 // number of the first turn, for batched turns: see batchedTurn.serial
	used  int32  // used part of the allowances, for batched turns
	plain bool   // all events are pulses, so that the loop need not read them in the worker's cache

	events []buff.Event
	chunk  *chunk // memory of `events`; nil if there are no events
	outbox []outgoing

	deadlines []rules.Deadline // to be added to the wheel
}

// newSegment adds a segment for the result of a turn. The owner keeps it until the loop merges the
// turn.
func (o *owner) newSegment() *segment {
	t := o.needTurns()
	t.segments = append(t.segments, segment{plain: true})
	return &t.segments[len(t.segments)-1]
}

type mailbox = actor.Mailbox[*owner, message]

// message is an entry of a mailbox.
type message struct {
	kind          messageKind
	throughSource bool // this owner is only the source of `cmd`: see queueAtSource
	at            wheel.Time
	cmd           *buff.Command
}

type messageKind uint8

const (
	run messageKind = iota // process all events that are due at the instant `at` or earlier
	do                     // execute cmd, which was issued at the instant `at`
)

// Spawn adds an owner. The value of `data` belongs to the game, and [Context.Data] returns it.
// Spawn fails with [ErrOwnerExists], [ErrTooManyOwners] or [ErrClosed].
//
// Only the loop goroutine may call it.
func (e *Engine) Spawn(id buff.OwnerID, data any) error {
	e.enter("Spawn")
	e.record.startCall(recording.Spawn, uint64(id))
	o, err := e.newOwner(id, data)
	if err != nil {
		return err
	}
	e.admit(o, 0, e.areas.first())
	return nil
}

// newOwner returns an owner that has a number but is not in the engine yet; admit adds it.
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
	o := e.owners.reserve(number)
	o.data = data
	o.set = *rules.NewOwner(id, number, e.bases[number], e.opts.Limits.Buffs)
	o.set.SetOrigin(originOf(e.opts.Number))
	return o, nil
}

// discardOwner frees the number of an owner that was not admitted because of an error, and drops
// references to the game's data.
func (e *Engine) discardOwner(o *owner) {
	o.data, o.set = nil, rules.Owner{}
	e.free = append(e.free, o.number)
}

// admit adds a new owner to the engine and to an area.
func (e *Engine) admit(o *owner, area uint32, z *area) {
	e.ownerCount++
	e.hadOwners = true
	o.since = e.now
	e.owners.arrive(o)
	if e.copies != nil {
		e.copies.arrive(o)
	}
	if e.changes != nil {
		e.changes.arrive(o)
	}
	e.byID.add(o.id(), o.number)
	e.areas.join(o, area, z)
	e.applyAreaTime(o)
}

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

// removeOwner ends all buffs of an idle owner and frees its number. It returns the number of
// dropped timeouts and deferred handlers.
func (e *Engine) removeOwner(o *owner) (dropped int) {
	e.beforeChange(o)
	if !o.leaving() {
		o.since = e.now
	}
	dropped = o.set.Clear(e.turn(), o.since, reason.Unload)
	e.fileDeadlines(o)
	o.presence = leaving // so that a timer of the owner that has already fired has no effect
	e.ownerCount--
	e.leaveArea(o)
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

// idle reports whether the loop may access the owner's state now, because no worker is running the
// owner and no earlier work is waiting.
func (e *Engine) idle(o *owner) bool { return o.quiet() && !e.turns.isWaiting(o.number) }

// quiet reports whether no worker is running the owner and the owner has no messages.
func (o *owner) quiet() bool { return o.box.Idle() && o.box.Len() == 0 }

// Data returns the value that was passed to Spawn for the owner, or nil if the owner is unknown.
//
// Only the loop goroutine may call it.
func (e *Engine) Data(id buff.OwnerID) any {
	e.enter("Data")
	if o := e.ownerOf(id); o != nil {
		return o.data
	}
	return nil
}

// Owners returns the number of owners.
//
// Only the loop goroutine may call it.
func (e *Engine) Owners() int {
	e.enter("Owners")
	return e.byID.n
}

// Busy reports whether the owner's turn was unfinished, or not started, at the end of the last
// Tick. While an owner is busy, its handlers may still be running, commands for it wait in its
// mailbox, and its data must not be accessed. Busy reports false for an unknown owner.
//
// Only the loop goroutine may call it.
func (e *Engine) Busy(id buff.OwnerID) bool {
	e.enter("Busy")
	o := e.ownerOf(id)
	return o != nil && !e.idle(o)
}

// ownerOf returns the owner with the given ID, or nil if there is none.
func (e *Engine) ownerOf(id buff.OwnerID) *owner { return e.byID.find(id, &e.owners) }

// at returns the owner with the given number, or nil if there is none.
func (e *Engine) at(number uint32) *owner {
	return e.owners.there(number)
}
