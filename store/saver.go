package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// Defaults of [Options], used where a field is zero.
const (
	DefaultEvery = time.Second
	DefaultShare = 500 * time.Microsecond
)

// Options say how a zone is saved, and comes back. The zero value will do for a game whose owners
// have no data of their own.
type Options struct {
	// Every is the game time from the beginning of one cut to that of the next; if zero,
	// DefaultEvery. With a negative one there are cuts only by SaveAll and Drain. A cut begins when the one
	// before is on disk: a slow disk stretches the interval.
	Every time.Duration

	// Share is how much of a frame After may take for copying owners; if zero, DefaultShare. It is
	// measured by Clock; without one a copy is taken to cost 2 µs, and never less than 100 ns.
	Share time.Duration

	// Beside lets a goroutine of the Saver copy owners in the time between two Ticks, so that the frames
	// pay for few of them. Marshal is then called while the loop runs too: what the loop changes of an
	// owner's data without Touch is a data race, and so is what Marshal reads of anything else that
	// changes. Without a Marshal it is always so.
	Beside bool

	// Clock, if not nil, is a clock that only goes forward: func() time.Duration { return
	// time.Since(start) }. If it panics, the Saver goes on without one: see Stats.Last.
	Clock func() time.Duration

	// Marshal appends the game's own data of an owner, as it is to be kept: see engine.Engine.Copies. It is
	// called by whoever has the owner, so for different owners at once.
	Marshal func(id buff.OwnerID, data any, dst []byte) ([]byte, error)

	// Unmarshal makes the data of an owner again, for what Spawn is given. Both are nil if the owners
	// of the game have none. On the loop.
	Unmarshal func(id buff.OwnerID, data []byte) (any, error)

	// Zone appends the game's own data of the zone as a whole, for Restored.Zone. On the loop, when a
	// cut begins. If it panics, what it said last stays in the cut: see Stats.Last.
	Zone func(b []byte) []byte

	// Effect, if not nil, is asked of each event that has a number whether the game gives something out for it: it
	// appends to b what is to be given, or returns false. That is in the cut with the event, and comes by
	// Saver.Effects when it is on disk. On the loop, in After; if it panics, there is none: see Stats.Last.
	Effect func(e *buff.Event, b []byte) ([]byte, bool)

	// Alarm is the age of the last cut on disk, in game time, from which Stats.Alarm is set; if zero,
	// ten times Every.
	Alarm time.Duration

	// Window is how many ids of commands are kept, so that a command of Durable that is sent
	// twice is done once; up to MaxWindow. If zero, none.
	Window int

	// PerFrame is how many owners come back in each frame; if zero, all do in Open, or as many
	// as engine.Options.Limits.Events has room for.
	PerFrame int

	// Now is the time of the calendar, for the Epoch of the engine; if nil, time.Now.
	Now func() time.Time

	// Reopen, if not nil, opens the store again after ErrBroken: for store/bolt that of the same
	// file. The old one has been closed then. Zones that share a store share one Reopen too: see package store/bolt. It is called before the next commit, on a goroutine
	// of the Saver; if it fails or panics, that commit has failed, and the one after it tries again.
	Reopen func() (Store, error)
}

func (o *Options) complete() error {
	if o.Every == 0 {
		o.Every = DefaultEvery
	}
	if o.Share <= 0 {
		o.Share = DefaultShare
	}
	if o.Alarm <= 0 {
		o.Alarm = 10 * max(o.Every, DefaultEvery)
	}
	if o.Window < 0 || o.Window > MaxWindow {
		return fmt.Errorf("%w: Options.Window of %d commands, want 0 to %d", ErrTooLarge, o.Window, MaxWindow)
	}
	return nil
}

// Saver saves a zone while it is played: see [New] and [Open]. Its methods are for the loop, as those
// of the engine, but Durable, Committed and Stats, which any goroutine may call.
type Saver struct {
	engine *engine.Engine
	copies snapshot.Maker // nil: not all owners are back
	opts   Options
	zone   string

	// The loop's.
	first   uint64 // the frame of the cut that it began with
	frame   uint64 // of the last After
	now     time.Duration
	begun   time.Duration // when the last cut began
	wants   time.Duration // since when one is due, and somebody is busy; negative: none is
	cutting bool
	cut     job
	ids     []CommandID // done since the last cut
	moved   []Move      // gone to other zones since
	came    []Arrival   // from other zones
	window  window
	back    *comeback // what is not back yet; nil: all are
	drained bool
	spent   time.Duration           // on the cut under way
	data    []byte                  // of the zone, as the game has said it last
	leaving map[buff.OwnerID]uint64 // moved out, until the commit of that frame
	arrived map[buff.OwnerID]come
	effects effects

	commits committer

	mu       sync.Mutex
	stats    Stats
	restored Restored
	changed  chan struct{} // closed when a commit has ended
	ended    error         // why there will be none any more
}

// Stats say how a zone stands with its store.
type Stats struct {
	Frame uint64        // of the last cut on disk, since the zone is
	Age   time.Duration // of game time since then; as of the last After, or SaveAll
	Alarm bool          // Age is more than Options.Alarm

	Cuts   uint64 // commits that were acknowledged
	Failed uint64 // those that were not
	Err    error  // why the last one was not; nil: it was

	Owners int    // in the last commit
	Bytes  int    // of them
	Total  uint64 // bytes of all commits

	Changed int           // owners that have changed since the last cut began
	Left    int           // owners of the cut under way that have not been copied
	Encode  time.Duration // that After took for copies of the last cut, by Options.Clock

	Lost    int    // timeouts by function, and handlers that the loop has put off, of the owners in the last commit: they are in no cut
	Older   int    // owners of the last cut that were busy: they are in it as they had been before
	Refused uint64 // copies that Marshal has refused, or that are too large, and panics of Zone, and of Clock: the last state is kept
	Last    error  // why the last of those
	Unkept  uint64 // commands for busy owners that name a buff by its handle, or hold a function: they are in no cut
}

// Problem says what an operator must know, as a sentence: that the last commit failed and why, or that
// the last cut on disk is older than Options.Alarm; "" if all is well. It fits inspect's Options.Alarm.
func (s Stats) Problem() string {
	age := s.Age.Round(time.Millisecond)
	switch {
	case s.Err != nil:
		return fmt.Sprintf("The last commit failed, and the last cut on disk is %v of the game old: %v", age, s.Err)
	case s.Alarm:
		return fmt.Sprintf("The last cut on disk is %v of the game old.", age)
	}
	return ""
}

// New saves an engine as a zone that the store has not yet. All that the engine has belongs to the
// first cut. It fails with [ErrTaken] if the zone has a cut, which Open brings back, and as
// Store.Open does.
//
// Only the loop goroutine may call it, as it may the engine.
func New(ctx context.Context, e *engine.Engine, s Store, zone string, o Options) (*Saver, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	c, err := take(ctx, s, zone)
	if err != nil {
		return nil, err
	}
	if c.Frame > 0 {
		return nil, fmt.Errorf("%w: %q, at frame %d", ErrTaken, zone, c.Frame)
	}
	v := newSaver(e, s, c, o)
	v.restored.Fresh = true
	v.copies = e.Copies(o.Marshal)
	return v, nil
}

func newSaver(e *engine.Engine, s Store, c *Cut, o Options) *Saver {
	v := &Saver{engine: e, opts: o, zone: c.Zone, first: c.Frame, changed: make(chan struct{}), wants: -1}
	v.leaving, v.arrived = map[buff.OwnerID]uint64{}, map[buff.OwnerID]come{}
	v.stats.Frame = c.Frame
	v.now = time.Duration(e.Now()) * time.Millisecond // an engine that has played before is not saved late
	v.commits.at, v.commits.left = v.now, v.now
	v.window.init(o.Window, c.Commands)
	v.commits.start(v, s, c)
	return v
}

// Engine returns the engine that is saved.
func (v *Saver) Engine() *engine.Engine { return v.engine }

// Stats returns the present figures. Any goroutine may call it.
func (v *Saver) Stats() Stats {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stats
}

// Touch says that the game is about to change its own data of an owner, outside of the owner's
// handlers. It must be called before: if a cut is under way, the owner is copied first. It fails
// with engine.ErrUnknownOwner.
func (v *Saver) Touch(id buff.OwnerID) error {
	if v.copies == nil {
		return nil // all belong to the first cut
	}
	return v.copies.Touch(id)
}

// After does what there is to do after each Tick: some owners come back, or a cut begins, or some
// owners of the one under way are copied. It takes no longer than Options.Share, never waits, and
// gives the frame back:
//
//	frame := zone.After(eng.Tick(50 * time.Millisecond))
func (v *Saver) After(f *engine.Frame) *engine.Frame {
	v.frame, v.now = f.Number, time.Duration(f.Now)*time.Millisecond+f.Behind
	v.noteFrame(f, v.first+v.frame)
	free := v.commits.free()
	switch {
	case v.back != nil:
		v.bringBack(v.opts.PerFrame)
	case v.cutting:
		v.step(v.share())
	case free && v.due():
		v.begin(false) // a small one is handed over in this frame
		if !v.beside() || v.copies.Left() <= stepOwners {
			v.step(v.opts.Share)
		}
	}
	if v.cutting && v.beside() {
		v.commits.help(v.copies)
	}
	v.note()
	return f
}

// note notes how things stand.
func (v *Saver) note() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.copies != nil {
		v.stats.Changed, v.stats.Left = v.copies.Changed(), v.copies.Left()
	}
	v.stats.Age = v.now - v.commits.at
	v.stats.Alarm = v.stats.Age > v.opts.Alarm
}

// beside reports whether owners are copied between the Ticks.
func (v *Saver) beside() bool { return v.opts.Beside || v.opts.Marshal == nil }

// due reports whether a cut is to begin. While somebody is busy it is put off, by one Every at most.
func (v *Saver) due() bool {
	if v.opts.Every < 0 || v.now-v.begun < v.opts.Every && v.frame > 1 || v.end() != nil {
		return false
	}
	if !v.copies.Busy() {
		v.wants = -1
		return true
	}
	if v.wants < 0 {
		v.wants = v.now
	}
	if v.now-v.wants < v.opts.Every {
		return false
	}
	v.wants = -1
	return true
}

// end returns why there will be no cut any more.
func (v *Saver) end() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ended
}

// begin begins a cut. What the game says of the zone comes first: should it end the loop's goroutine,
// nothing has begun.
func (v *Saver) begin(last bool) {
	if v.opts.Zone != nil {
		v.askZone()
	}
	whole := v.commits.wantsWhole()
	r := v.copies.Begin(whole)
	v.begun, v.cutting, v.spent = v.now, true, 0
	frame := v.first + v.frame
	if last {
		frame++ // what has happened since the last After is in it
		v.noteUntold(frame)
	}
	v.cut = job{copies: v.copies, gone: r.Gone, at: v.now, batch: Batch{Whole: whole, Head: Head{
		Zone: v.zone, Frame: frame, Window: v.opts.Window, Older: r.Older,
		Clocks: Clocks{Moment: r.Moment},
	}}}
	b := &v.cut.batch
	for _, z := range r.Zones {
		b.Clocks.Zones = append(b.Clocks.Zones, ZoneClock{z.Zone, z.Rate, z.Paused})
	}
	var unkept int
	b.State, unkept = v.appendState(r.Waiting)
	v.mu.Lock()
	v.stats.Unkept += uint64(unkept)
	v.mu.Unlock()
	if v.opts.Zone != nil {
		b.Data = v.data
	}
	b.Commands = v.ids
	if whole {
		b.Commands = v.window.all()
	}
	v.ids = nil
	for k := range v.moved {
		v.moved[k].Owner.Frame = frame
	}
	b.Moved, b.Arrived = v.moved, v.came
	v.moved, v.came = nil, nil
}

// askZone asks the game for its data of the zone. If it panics, what it said last stays in the cut.
func (v *Saver) askZone() {
	defer func() {
		if p := recover(); p != nil {
			v.refused(fmt.Errorf("store: Zone panicked: %v", p))
		}
	}()
	v.data = v.opts.Zone(nil)
}

// refused notes what something of the game has not done.
func (v *Saver) refused(why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stats.Refused++
	v.stats.Last = why
}
