package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// View is how an engine stood at the end of one Tick. It never changes: any number of
// goroutines may read it.
type View struct {
	Frame uint64     // the number of the Tick
	Now   wheel.Time // the instant that it reached
	Stats Stats

	// What the engine was made with.
	Workers, InboxLimit, MailboxLimit int
	Budget                            time.Duration
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
	Counts [buff.Changed + 1]uint64
	Late   [len(LateBounds) + 1]uint64
	Denied []Denial

	// LateSum is the sum of what Late classes.
	LateSum time.Duration

	// Frames is how long the last frames took, the oldest first, 256 at most; Times that
	// of all of them, Took their sum. Handled is how long all turns took, estimated from
	// every eighth.
	Frames  []FrameTime
	Times   Histogram
	Took    time.Duration
	Handled time.Duration

	// Busiest are the owners whose turns took longest in the span of BusySpan that was
	// over last, or that runs if it is the first: their time in it, and estimated likewise.
	Busiest  []Ranked
	BusySpan time.Duration

	// Census is the last count of everything that is carried, nil before the first.
	Census *Census

	// Owners are those whom somebody follows. Of many, each View shows some anew.
	Owners map[buff.OwnerID]*OwnerView

	superseded chan struct{} // closed when there is a later one
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

// Census is a count of what all owners carry. It is made in pieces, some owners in each
// frame, so it is of no single instant. Busy owners are not counted.
type Census struct {
	Catalog *buff.Catalog // when it ended
	Live    []int         // by buff.Spec.Index in that catalog
	Buffs   int           // of all definitions, also those of earlier catalogs
	Most    []Ranked      // the owners who carry most

	Began, Ended wheel.Time // the instants of its first and last piece
}

// OwnerView is one owner, as it stood at the end of one Tick.
type OwnerView struct {
	Owner   buff.OwnerID
	Now     wheel.Time // the instant of the rest
	Present bool
	Paused  bool
	Zone    uint32
	Mail    int // messages that wait in its mailbox

	// Busy says that its turn is not over. What it carries is then what it carried when
	// it was last seen at home.
	Busy bool

	// Buffs are MaxShown at most, the oldest first; Carried is how many there are.
	Buffs    []buff.Instance
	Carried  int
	Timeouts int

	// Events are the last that are known, MaxHistory at most, the oldest first; Pulses
	// counts the pulses since somebody follows. What was refused, ended early or failed
	// before that is among the events, as far as it is still known.
	Events []buff.Event
	Pulses uint64

	// Data is what the look of Watch.Follow returned; Fault what it panicked with.
	Data  any
	Fault string
}
