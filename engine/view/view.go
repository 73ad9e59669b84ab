package view

import (
	"context"
	"errors"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// Watch is the read interface of an engine.Engine for other goroutines, such as an inspector or a
// metrics collector. It never accesses data of the loop. A reader sends a query, and the loop
// answers it at the end of its next Tick. The answer to Next is an immutable [View], which all
// waiting readers share.
//
// While no Watch is open and no query is pending, the engine counts no events, and a Tick spends
// one atomic load on the Watch. While a Watch is open, the loop counts the events of each finished
// turn by kind. In each Tick it also examines some of the events, and 32 owners.
//
// The engine reads no clock itself. It measures durations with the clock passed to Open, and no
// rule depends on them.
type Watch interface {
	// Open makes the loop collect data from its next Tick on, until `leave` is called. Only the
	// first call to `leave` has an effect. The function `clock` returns the time since a fixed
	// moment and must be safe for concurrent use. If the Watch is open several times, the latest
	// clock is used. If `clock` is nil, an earlier clock stays in use; if there is no earlier
	// clock, no durations are measured.
	//
	// Any goroutine may call it.
	Open(clock func() time.Duration) (leave func())

	// Next requests a View and waits for the next Tick. The counters in the View start when the
	// Watch was opened or, if it is not open, at the start of that Tick. Next fails with
	// engine.ErrClosed or the error of ctx.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Next(ctx context.Context) (*View, error)

	// Follow makes the Views show an owner, in View.Owners, and keeps its events from the next Tick
	// on, until `leave` is called. Only the first call to `leave` has an effect. For an unknown
	// owner, Owner.Present is false.
	//
	// If `look` is not nil and the owner is not busy, the loop calls this function with the data
	// that was passed to Spawn, and puts the result into Owner.Data. The function must be quick,
	// and its result must not change afterwards. If the function panics, the panic is in
	// Owner.Fault. If an owner is followed several times, the first function is used.
	//
	// Follow fails with [ErrTooManyFollowed] if 64 other owners are followed.
	//
	// Any goroutine may call it.
	Follow(id buff.OwnerID, look func(data any) any) (leave func(), err error)

	// Owners returns the ids of the owners that the loop visits in one Tick, in no particular
	// order. In the first call, pass 0 as `from`. In each further call, pass the `next` that the
	// previous call returned, until it is 0. Owners fails with engine.ErrClosed or the error of
	// ctx.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Owners(ctx context.Context, from int) (ids []buff.OwnerID, next int, err error)

	// Specs returns the statistics of each current definition since the Watch was opened; the last
	// element is for events without a definition. It waits for the next Tick, which copies the
	// counters, so call it about once per second and not in every frame. It fails in the same cases
	// as [Watch.Next].
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Specs(ctx context.Context) ([]SpecStats, error)

	// Holders searches the owners that the loop visits in one Tick, and returns those with buffs of
	// a definition, in any of its versions. In the first call, pass 0 as `from`. In each further
	// call, pass the `Next` field of the previous result, until it is 0. Holders fails in the same
	// cases as [Watch.Next], and with engine.ErrUnknownSpec if the definition does not belong to
	// this engine.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Holders(ctx context.Context, s *buff.Spec, from int) (Holders, error)

	// Frame reports the duration of the game's whole frame around the last Tick. The game must
	// measure it, because the engine reads no clock and does not know where the game's frame
	// starts and ends:
	//
	//	began := time.Now()
	//	frame := eng.Tick(dt)
	//	…
	//	eng.Watch().Frame(time.Since(began))
	//
	// A View shows this duration or, if Frame is not called, the duration of the Tick. If the
	// duration exceeds Options.Trace.SlowFrame, and Options.Trace.Flight is recording, the trace
	// of the frame is written to Options.Trace.Writer, even if no Watch is open. Writing a trace
	// takes some ten milliseconds, so it is done at most once in Options.Trace.Every frames.
	// Nothing else depends on the duration.
	//
	// Only the loop goroutine may call it.
	Frame(took time.Duration)

	// Stack returns the current stack of a stuck owner's handler, the innermost function first,
	// with two lines for each function: its name and its position. Stack returns "" if the owner
	// is no longer stuck, or if the handler has set other labels for its goroutine
	// (runtime/pprof.Do). It makes a profile of all goroutines, which stops the process briefly.
	//
	// Any goroutine may call it.
	Stack(s Stuck) string
}

// ErrTooManyFollowed is returned by [Watch.Follow] at its limit.
var ErrTooManyFollowed = errors.New("engine: too many owners are followed")

// View is the state of an engine at the end of one Tick. It is immutable, so any number of
// goroutines may read it.
type View struct {
	Frame uint64     // number of the Tick
	Now   wheel.Time // instant that the Tick has reached
	Stats Stats

	// Settings of the engine.
	Workers, InboxLimit, MailboxLimit int
	Budget                            time.Duration // maximum time that a Tick waits for handlers
	SlowFrame                         time.Duration // duration above which a frame counts as slow
	Catalog                           *buff.Catalog

	// Stuck and Waiting are copied from the Frame of the Tick. Mail is the number of messages in
	// the mailboxes of all owners.
	Stuck   []Stuck
	Waiting int
	Mail    int

	// Faces are the levels of the timing wheel, from the finest to the coarsest. Beyond is the
	// number of timers that are too far in the future for these levels.
	Faces  [4]wheel.Face
	Beyond int

	// Since is the instant at which the Watch was opened and the counters below started.
	Since wheel.Time

	// Counts has the number of events of each kind. Late has the number of events in each class of
	// delays; LateBounds has the bounds of the classes. Denied has the number of denials by
	// definition and reason. Late is exact for frames of up to 32 events. In larger frames it is
	// an estimate: only a sample of the events is examined, and each event of the sample also
	// counts for the events around it that are not in the sample.
	Counts [buff.Revived + 1]uint64
	Late   [len(LateBounds) + 1]uint64
	Denied []Denial

	// LateSum is the sum of the delays in Late.
	LateSum time.Duration

	// Frames has the durations of the latest frames, the oldest first, at most 256. Times is the
	// distribution of the durations of all frames, and Took is their sum. Handled is the total
	// duration of all turns. It is an estimate, because only a sample of the turns is measured: a
	// worker measures its first turns in a frame, later one turn in two, chosen at random, and so
	// on, down to one turn in 64. Each measured turn also counts for the turns around it that are
	// not measured.
	Frames  []FrameTime
	Times   Histogram
	Took    time.Duration
	Handled time.Duration

	// Busiest are the owners with the largest total duration of turns in the last complete period
	// of length BusySpan or, before the first period is complete, in the current period. The
	// durations are estimates like Handled.
	Busiest  []Ranked
	BusySpan time.Duration

	// Live is the number of running instances of each definition. Refused is the number of refused
	// applications of each definition since the engine was made. Both are indexed by
	// buff.Spec.Index in Catalog. Buffs is the number of running instances of all definitions,
	// including removed definitions. Changes of a busy owner are counted when its turn is over.
	Live    []int
	Refused []uint64
	Buffs   int

	// Most are the owners with the most buffs, among those that had a turn or were visited since
	// the Watch was opened. Every Tick visits the next few owners. Swept is the fraction of owners
	// visited so far; it is 1 after the first complete pass.
	Most  []Ranked
	Swept float64

	// Owners are the followed owners. If there are many, each View updates only some of them.
	Owners map[buff.OwnerID]*Owner
}

// LateBounds are the upper bounds of the classes of [View.Late]; the last class has no bound.
var LateBounds = [...]time.Duration{
	10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	time.Second, 5 * time.Second, time.Minute,
}

// Denial counts the refused applications of one definition for one reason.
type Denial struct {
	Spec  *buff.Spec // version of the definition at the time of the refusal
	Why   reason.Reason
	Count uint64
}

// FrameTime is the duration of a frame.
type FrameTime struct {
	Number uint64 // number of the frame's Tick
	Took   time.Duration
}

// Ranked is an owner with the value that it is ranked by.
type Ranked struct {
	Owner buff.OwnerID
	N     int64 // number of buffs in View.Most, nanoseconds in View.Busiest
}

// Owner is the state of an owner at the end of one Tick.
type Owner struct {
	Owner   buff.OwnerID
	Now     wheel.Time // the instant of this state
	Present bool       // the engine has this owner
	Since   wheel.Time // the instant at which the owner was spawned
	Paused  bool       // the owner's time is paused
	Area    uint32
	Mail    int // number of messages waiting in the owner's mailbox

	// Busy reports whether a turn of the owner is not over yet. Buffs then has the buffs in the
	// last View in which the owner was idle.
	Busy bool

	// Unseen reports whether the owner has been busy ever since it was first followed. Its buffs
	// are then not known, and the fields below are empty.
	Unseen bool

	// Buffs has at most 512 of the owner's buffs, the oldest first. Carried is the number of all
	// its buffs.
	Buffs    []buff.Instance
	Numbers  [][]float64 // evaluated numbers of each buff in Buffs: see buff.Spec.OnSheet
	Carried  int
	Timeouts int

	// Attributes has the attributes of the catalog, at most 256, with at most 512 modifiers in
	// total.
	Attributes []Attribute

	// Events has the latest known events of the owner, at most 100, the oldest first. Denials,
	// faults and early ends from before the owner was followed are included if the engine still has
	// them. Pulses is the number of pulses since the owner was followed.
	Events []buff.Event
	Pulses uint64

	// Data is the result of the function that was passed to Watch.Follow. Fault is the text of a
	// panic of this function, or "".
	Data  any
	Fault string
}

// Attribute is one attribute of an owner.
type Attribute struct {
	Name          string
	Base, Value   float64
	Modifiers     []Modifier // the oldest first
	ModifierCount int        // number of all modifiers, which may exceed len(Modifiers)
}

// Modifier is the effect of one buff on an attribute. Package stat documents the operations.
type Modifier struct {
	Spec    *buff.Spec // definition of the buff; nil if the buff cannot be found
	Source  buff.OwnerID
	Op      stat.Op
	Channel uint8
	Value   float64
}
