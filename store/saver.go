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

// Options configures how a zone is saved and restored. The zero value works for games in
// which owners have no data of their own.
type Options struct {
	// Every is the game time between the starts of two cuts. The default is DefaultEvery. If Every
	// is negative, only SaveAll and Drain make cuts. A cut starts only when the previous cut is on
	// disk, so a slow disk lengthens the interval.
	Every time.Duration

	// Share is the time in each frame that After may spend on copying owners. The default is
	// DefaultShare. Clock measures this time, and each copy counts as at least 100 ns. If Clock is
	// nil, each copy counts as 2 µs.
	Share time.Duration

	// Beside lets a goroutine of the Saver copy owners between two Ticks, so that the loop copies
	// only a few owners. Marshal is then called while the loop runs. So it is a data race if the
	// loop changes an owner's data without Touch, or if Marshal reads any other data that may
	// change. If Marshal is nil, owners are always copied this way.
	Beside bool

	// Clock, if not nil, is a monotonic clock, such as func() time.Duration { return
	// time.Since(start) }. If it panics, the Saver continues without it: see Stats.Last.
	Clock func() time.Duration

	// Marshal appends the game's own data for an owner to dst and returns the extended slice. If
	// it fails or panics, the cut keeps the previous state of the owner: see Stats.Last. It is
	// called by the goroutine that currently has exclusive access to the owner, so it may run
	// concurrently for different owners. It must not call the engine, and must not block: a call
	// that never returns blocks the saving and every change of its owner.
	Marshal func(id buff.OwnerID, data any, dst []byte) ([]byte, error)

	// Unmarshal decodes the data of an owner; the result is passed to Spawn. It is called on the
	// loop. It may return a value that the game already has, such as a player who arrives from
	// another zone with the same loop, if the value has not changed since Move. If owners have no
	// data, Marshal and Unmarshal are both nil.
	Unmarshal func(id buff.OwnerID, data []byte) (any, error)

	// Zone appends the game's own data for the whole zone to b and returns the extended slice.
	// After a restart, Restored.Zone holds this data. It is called on the loop when a cut starts.
	// If Zone panics, the cut keeps the previous data: see Stats.Last.
	Zone func(b []byte) []byte

	// Effect, if not nil, is called for each numbered event. If the event has an effect on the
	// outside world, the function appends the effect's data to b and returns the extended slice
	// and true. The effect is saved in the same cut as the event, and Saver.Effects returns it
	// once the cut is on disk. The function is called on the loop, in After. If it panics, the
	// event has no effect; see Stats.Last.
	Effect func(e *buff.Event, b []byte) ([]byte, bool)

	// Alarm is the age of the last cut on disk, in game time, above which Stats.Alarm is set. The
	// default is ten times Every.
	Alarm time.Duration

	// Window is the number of command ids to remember, so that a command that is sent to Durable
	// twice is executed once. It is at most MaxWindow. By default no ids are remembered. The
	// ids belong to the zone and do not move with an owner: after a Move, the other zone executes a
	// repeated command again. To prevent this, number the commands of each owner, and keep the
	// last number in an attribute of the owner.
	Window int

	// PerFrame is the number of owners to restore in each frame. If zero, Open restores all owners
	// at once, or as many as engine.Options.Limits.Events allows.
	PerFrame int

	// Now returns the calendar time for the engine's Epoch. The default is time.Now.
	Now func() time.Time

	// Reopen, if not nil, opens the store again after ErrBroken; for store/bolt, it opens the same
	// file again. The Saver closes the old store first. Zones that share a store must also share
	// one Reopen function, see package store/bolt. A goroutine of the Saver calls it before the
	// next commit. If it fails or panics, that commit fails, and the next commit tries again.
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

// Saver saves a running zone. Use [New] or [Open] to create one. Its methods must be called on the
// loop goroutine, like the methods of the engine, except Durable, Committed, Given, Restored and
// Stats, which are safe for concurrent use. A function of engine.Inbox.Run runs on the loop and may
// call them too, except After, SaveAll, Drain, Close, Durable and Committed.
//
// Stats, Move, Mark and Seen count frames since the zone was created, over all runs of the program.
// Only Committed takes an engine.Frame.Number, which starts at 1 in each run.
type Saver struct {
	engine *engine.Engine
	copies snapshot.Maker // nil until all owners have been restored
	opts   Options
	zone   string

	// Used by the loop only.
	first   uint64 // frame number of the cut that the Saver started from
	frame   uint64 // number of the last frame passed to After
	now     time.Duration
	started time.Duration // start of the last cut
	// Game time at which the next cut became due, if busy owners delay it; otherwise negative.
	dueSince  time.Duration
	cutting   bool
	cut       job
	ids       []CommandID // commands executed since the last cut
	moved     []Move      // owners that left for other zones since the last cut
	arrivals  []Arrival   // owners that have arrived from other zones
	window    window
	restoring *restoration // the restoration in progress; nil if all owners are restored
	drained   bool
	spent     time.Duration           // copying time of the current cut
	data      []byte                  // last result of Options.Zone
	leaving   map[buff.OwnerID]uint64 // by owner moved out: frame of the cut that removes it
	arrived   map[buff.OwnerID]entered
	parked    map[buff.OwnerID]Owner
	parks     map[buff.OwnerID]struct{} // owners parked since the last cut
	effects   effects
	pending   []pending // functions of WhenCommitted, oldest first

	commits committer

	mu       sync.Mutex
	stats    Stats
	restored Restored
	changed  chan struct{} // closed when a commit has ended
	ended    error         // reason why there will be no more commits, or nil
}

// Stats describes how far a zone has been saved.
type Stats struct {
	Frame uint64        // number of the last frame on disk, counted since the zone was created
	Age   time.Duration // game time between the last cut on disk and the last call to After or SaveAll
	Alarm bool          // Age exceeds Options.Alarm

	Cuts   uint64 // acknowledged commits
	Failed uint64 // failed commits
	Err    error  // error of the last commit; nil if it succeeded

	Owners int    // number of owners in the last commit
	Bytes  int    // total size of the owners in the last commit
	Total  uint64 // size of the owners in all commits

	Changed int           // owners changed since the last cut started
	Left    int           // owners that must still be copied for the current cut
	Encode  time.Duration // time that After spent on copies for the last cut, measured by Options.Clock

	// Lost counts the timeouts set with a function value, and the deferred handlers, of the owners
	// in the last commit. Cuts do not contain them.
	Lost  int
	Older int // number of busy owners in the last cut, which contains an earlier state of them
	// Refused counts owners that Marshal refused or that were too large, and panics in callbacks.
	// In each case the previous state is kept.
	Refused uint64
	Last    error // the most recent error counted in Refused
	// Unkept counts commands for busy owners that identify a buff by its handle or hold a
	// function. Cuts do not contain them.
	Unkept uint64
}

// Problem returns a sentence for operators if the last commit failed or the last cut on disk
// is older than Options.Alarm, and "" otherwise. It can be used as inspect's Options.Alarm.
func (s Stats) Problem() string {
	age := s.Age.Round(time.Millisecond)
	switch {
	case s.Err != nil:
		return fmt.Sprintf("The last commit failed; the last cut on disk is %v old in game time: %v", age, s.Err)
	case s.Alarm:
		return fmt.Sprintf("The last cut on disk is %v old in game time.", age)
	}
	return ""
}

// New starts saving an engine as a zone that is not in the store yet. The first cut contains
// everything in the engine. New returns the errors of Store.Open, and [ErrTaken] if the zone
// already has a cut. To restore that cut, use Open.
//
// Only the loop goroutine may call it.
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
	v.copies = snapshot.Of(e, o.Marshal)
	return v, nil
}

func newSaver(e *engine.Engine, s Store, c *Cut, o Options) *Saver {
	v := &Saver{engine: e, opts: o, zone: c.Zone, first: c.Frame, changed: make(chan struct{}), dueSince: -1}
	v.leaving, v.arrived = map[buff.OwnerID]uint64{}, map[buff.OwnerID]entered{}
	v.parked, v.parks = map[buff.OwnerID]Owner{}, map[buff.OwnerID]struct{}{}
	v.stats.Frame = c.Frame
	// Start from the engine's time, so that the first cut is not overdue if the engine has already
	// run for a long time.
	v.now = time.Duration(e.Now()) * time.Millisecond
	v.commits.savedAtLoop, v.commits.savedAt = v.now, v.now
	v.window.init(o.Window, c.Commands)
	v.commits.start(v, s, c)
	return v
}

// Engine returns the engine.
func (v *Saver) Engine() *engine.Engine { return v.engine }

// Stats returns current statistics. It is safe for concurrent use.
func (v *Saver) Stats() Stats {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stats
}

// Touch must be called before code outside an owner's handlers changes the game's own data for that
// owner. If the cut in progress must contain the owner's present state, Touch copies the owner.
// It returns engine.ErrUnknownOwner if there is no such owner.
func (v *Saver) Touch(id buff.OwnerID) error {
	if v.copies == nil {
		return nil // no cut has started yet; the first cut contains all owners
	}
	return v.copies.Touch(id)
}

// After must be called after each Tick. It restores some owners, starts a cut, or copies some
// owners of the current cut. It takes at most Options.Share, never waits, and returns its
// argument:
//
//	frame := zone.After(eng.Tick(50 * time.Millisecond))
func (v *Saver) After(f *engine.Frame) *engine.Frame {
	v.frame, v.now = f.Number, time.Duration(f.Now)*time.Millisecond+f.Behind
	v.noteFrame(f, v.first+v.frame)
	free := v.commits.free()
	switch {
	case v.restoring != nil:
		v.restoreOwners(v.opts.PerFrame)
	case v.cutting:
		v.step(v.share())
	case free && v.due():
		v.startCut(false)
		if !v.beside() || v.copies.Left() <= stepOwners { // a small cut is completed in this frame
			v.step(v.opts.Share)
		}
	}
	if v.cutting && v.beside() {
		v.commits.help(v.copies)
	}
	v.updateStats()
	v.callCommitted()
	return f
}

// updateStats updates the statistics.
func (v *Saver) updateStats() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.copies != nil {
		v.stats.Changed, v.stats.Left = v.copies.Changed(), v.copies.Left()
	}
	v.stats.Age = v.now - v.commits.savedAtLoop
	v.stats.Alarm = v.stats.Age > v.opts.Alarm
}

// beside reports whether owners are copied between Ticks.
func (v *Saver) beside() bool { return v.opts.Beside || v.opts.Marshal == nil }

// due reports whether a cut must start. Busy owners delay the cut by at most Options.Every.
func (v *Saver) due() bool {
	if v.opts.Every < 0 || v.now-v.started < v.opts.Every && v.frame > 1 || v.endReason() != nil {
		return false
	}
	if !v.copies.Busy() {
		v.dueSince = -1
		return true
	}
	if v.dueSince < 0 {
		v.dueSince = v.now
	}
	if v.now-v.dueSince < v.opts.Every {
		return false
	}
	v.dueSince = -1
	return true
}

// endReason returns the reason why there will be no more cuts, or nil.
func (v *Saver) endReason() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ended
}

// startCut starts a cut. It calls Options.Zone first, so that no cut has started if Zone ends the
// loop's goroutine. If "last" is true, the cut also contains the effects of calls that the loop has
// made since the last Tick.
func (v *Saver) startCut(last bool) {
	if v.opts.Zone != nil {
		v.encodeZone()
	}
	whole := v.commits.wantsWhole()
	r := v.copies.Begin(whole)
	v.started, v.cutting, v.spent = v.now, true, 0
	frame := v.first + v.frame
	if last {
		frame++ // the cut includes changes since the last call to After
		v.noteUnreported(frame)
	}
	v.cut = job{copies: v.copies, gone: r.Gone, at: v.now, batch: Batch{Whole: whole, Head: Head{
		Zone: v.zone, Frame: frame, Window: v.opts.Window, Older: r.Older,
		Clocks: Clocks{Moment: r.Moment},
	}}}
	b := &v.cut.batch
	for _, z := range r.Areas {
		b.Clocks.Areas = append(b.Clocks.Areas, AreaClock{z.Area, z.Rate, z.Paused})
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
	b.Moved, b.Arrived, v.cut.parks = v.moved, v.arrivals, v.takeParks(whole)
	v.moved, v.arrivals = nil, nil
}

// encodeZone calls Options.Zone. If it panics, the cut keeps the previous data.
func (v *Saver) encodeZone() {
	defer func() {
		if p := recover(); p != nil {
			v.refused(fmt.Errorf("store: Zone panicked: %v", p))
		}
	}()
	v.data = v.opts.Zone(nil)
}

// refused records an error in a callback of the game.
func (v *Saver) refused(why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stats.Refused++
	v.stats.Last = why
}
