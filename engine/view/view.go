package view

import (
	"context"
	"errors"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// Watch is the read side of an engine.Engine for other goroutines: an inspector, a collector
// of metrics. It never touches what belongs to the loop. A reader asks, and
// the loop answers at the end of its next Tick with a [View], which never changes
// afterwards and which all readers that wait share.
//
// While nobody has it open and nobody asks, a Tick pays for one atomic load, and nothing
// is counted. While it is open the loop counts the events of each turn by their kind when
// the turn is over, looks closer at some of them and at 32 owners in each Tick.
//
// The engine has no clock. How long a Tick and a turn take is measured by that of the one
// who opens the Watch; no rule depends on it.
type Watch interface {
	// Open makes the loop watch itself from its next Tick on, until the function that is
	// returned is called; calling that again does nothing. The clock says how much time has
	// passed since any moment; several goroutines call it at once. Of several who have the
	// Watch open the clock of the latest counts. If nil, nothing is measured.
	//
	// Any goroutine may call it.
	Open(clock func() time.Duration) (leave func())

	// Next asks for a View and waits until the loop has ticked. What has been counted goes
	// back to when the Watch was first open; where nobody has it open, to the head of that Tick.
	// It fails with engine.ErrClosed or the error of ctx.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Next(ctx context.Context) (*View, error)

	// Follow has the Views show an owner, under View.Owners, and keeps its events from the
	// next Tick on, until the function that is returned is called; calling that again does
	// nothing. One who is not there is shown as absent.
	//
	// If look is not nil, the loop calls it when it makes that part of a View, with what Spawn
	// was given, unless the owner is busy; what it returns is in Owner.Data. It must be
	// quick, and what it returns must not change. If it panics, Owner.Fault says so. Of
	// several who follow one owner the look of the first counts.
	//
	// It fails with [ErrTooManyFollowed] if 64 others are.
	//
	// Any goroutine may call it.
	Follow(id buff.OwnerID, look func(data any) any) (leave func(), err error)

	// Owners returns the ids of some owners, in no particular order: those that the loop finds
	// in one Tick from the place from on, which is 0 or what the call before returned as next.
	// At the end next is 0. It fails with engine.ErrClosed or the error of ctx.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Owners(ctx context.Context, from int) (ids []buff.OwnerID, next int, err error)

	// Specs returns what each definition in force has led to since the Watch was opened, and as the last
	// one what has no definition. It waits for the next Tick, which pays for a copy of the counts: it is
	// for a question a second, not for one a frame. It fails as [Watch.Next] does.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Specs(ctx context.Context) ([]SpecStats, error)

	// Holders returns who carries a definition, in any of its versions, of the owners whom the loop looks
	// at in one Tick from the place from on: 0, or Next of the answer before. It fails as [Watch.Next]
	// does, and with engine.ErrUnknownSpec for a definition that is not of this engine.
	//
	// Any goroutine may call it, but not the loop, which would wait for itself.
	Holders(ctx context.Context, s *buff.Spec, from int) (Holders, error)

	// Frame says how long the frame of the game took whose Tick was the last, everything that
	// belongs to it included. The engine reads no clock, and what a frame is to the game, only the
	// game knows; so it measures, with what it has at hand anyway:
	//
	//	began := time.Now()
	//	frame := eng.Tick(dt)
	//	…
	//	eng.Watch().Frame(time.Since(began))
	//
	// A View shows it; without it, how long the Tick took. If it is above Options.Trace.SlowFrame, and
	// Options.Trace.Flight records, the trace of the frame is written to Options.Trace.Writer, also while
	// nobody watches: that takes some ten milliseconds, so it happens at most once in
	// Options.Trace.Every frames. Nothing else depends on it.
	//
	// Only the loop goroutine may call it.
	Frame(took time.Duration)

	// Stack returns where the handler of a stuck owner is at this moment: a function and its place in
	// each two lines, the innermost first. It is "" if the owner is not stuck any more, or if its handler
	// has given its goroutine other labels (runtime/pprof.Do). It costs a look at all goroutines of the
	// process, without stopping them for longer than a profile does.
	//
	// Any goroutine may call it.
	Stack(s Stuck) string
}

// ErrTooManyFollowed is returned by [Watch.Follow] at its limit.
var ErrTooManyFollowed = errors.New("engine: too many owners are followed")

// View is how an engine stood at the end of one Tick. It never changes: any number of
// goroutines may read it.
type View struct {
	Frame uint64     // the number of the Tick
	Now   wheel.Time // the instant that it reached
	Stats Stats

	// What the engine was made with.
	Workers, InboxLimit, MailboxLimit int
	Budget                            time.Duration // what a Tick may wait for handlers
	SlowFrame                         time.Duration // what a frame may take
	Catalog                           *buff.Catalog

	// Stuck and Waiting are those of the Frame; Mail is how many messages wait in the
	// mailboxes of all owners.
	Stuck   []Stuck
	Waiting int
	Mail    int

	// Faces are the dial, the seconds, the minutes and the hours. Beyond is how many
	// deadlines lie further ahead.
	Faces  [4]wheel.Face
	Beyond int

	// Since is the instant from which the rest is counted: when the Watch was opened.
	Since wheel.Time

	// Counts says how often each kind of event happened; Late how many events were worked
	// out so long after they were due, see LateBounds; Denied by which definitions and why.
	// Late is exact for frames of up to 32 events; of those of larger frames it looks at
	// some, and lets each stand for those behind it.
	Counts [buff.Revived + 1]uint64
	Late   [len(LateBounds) + 1]uint64
	Denied []Denial

	// LateSum is the sum of what Late classes.
	LateSum time.Duration

	// Frames is how long the last frames took, the oldest first, 256 at most; Times that
	// of all of them, Took their sum. Handled is how long all turns took. Of the first
	// turns that a worker does in a frame each is measured, then every second, and so on
	// to every 64th, chosen by chance; a measured one stands for the others.
	Frames  []FrameTime
	Times   Histogram
	Took    time.Duration
	Handled time.Duration

	// Busiest are the owners whose turns took longest in the span of BusySpan that was
	// over last, or that runs if it is the first: their time in it, and estimated likewise.
	Busiest  []Ranked
	BusySpan time.Duration

	// Live is how many instances of each definition run, and Refused how many applications
	// of it were refused since the engine was made, by buff.Spec.Index in Catalog. Buffs is
	// how many instances of all definitions run, also of those that are there no more. What
	// busy owners do counts when their turn is over.
	Live    []int
	Refused []uint64
	Buffs   int

	// Most are the owners who carry most, of those who have had a turn or were looked at
	// since the Watch was opened: every Tick looks at a few. Swept is the share of all
	// owners that has been looked at so, 1 when all have.
	Most  []Ranked
	Swept float64

	// Owners are those whom somebody follows. Of many, each View shows some anew.
	Owners map[buff.OwnerID]*Owner
}

// LateBounds are the upper bounds of the classes of [View.Late]; the last class has none.
var LateBounds = [...]time.Duration{
	10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	time.Second, 5 * time.Second, time.Minute,
}

// Denial counts the applications of one definition that were refused for one reason.
type Denial struct {
	Spec  *buff.Spec // the definition, of the catalog of that time
	Why   buff.Reason
	Count uint64
}

// FrameTime is how long a frame took.
type FrameTime struct {
	Number uint64 // of its Tick
	Took   time.Duration
}

// Ranked is an owner with what it is ranked by.
type Ranked struct {
	Owner buff.OwnerID
	N     int64 // buffs, or nanoseconds
}

// Owner is one owner, as it stood at the end of one Tick.
type Owner struct {
	Owner   buff.OwnerID
	Now     wheel.Time // the instant of the rest
	Present bool
	Since   wheel.Time // from when it is there
	Paused  bool
	Zone    uint32
	Mail    int // messages that wait in its mailbox

	// Busy says that its turn is not over. What it carries is then what it carried when
	// it was last seen idle.
	Busy bool

	// Unseen says that it has been busy since somebody began to follow it: what it carries is
	// not known, and the rest is empty.
	Unseen bool

	// Buffs are 512 at most, the oldest first; Carried is how many there are.
	Buffs    []buff.Instance
	Numbers  [][]float64 // what each of them keeps of its application: see buff.Spec.OnSheet
	Carried  int
	Timeouts int

	// Attributes are those of the catalog, 256 at most, with 512 modifiers at most
	// on all of them together.
	Attributes []Attribute

	// Events are the last that are known, 100 at most, the oldest first; Pulses
	// counts the pulses since somebody follows. What was refused, ended early or failed
	// before that is among the events, as far as it is still known.
	Events []buff.Event
	Pulses uint64

	// Data is what the look of Watch.Follow returned; Fault what it panicked with.
	Data  any
	Fault string
}

// Attribute is one attribute of an owner.
type Attribute struct {
	Name        string
	Base, Value float64
	Modifiers   []Modifier // the oldest first
	Lying       int        // how many modifiers lie on it, if not all are among them
}

// Modifier is what one buff does to an attribute. What the operations mean is in the
// comment of package stat.
type Modifier struct {
	Spec    *buff.Spec // nil if the buff that put it there cannot be found
	Source  buff.OwnerID
	Op      stat.Op
	Channel uint8
	Value   float64
}
