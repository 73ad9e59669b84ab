package engine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/snapshot"
	"github.com/bufftick/bufftick/wheel"
)

// copies makes consistent copies of all owners, for package store: see package snapshot. Help and
// GiveWay may be called by any goroutine, all other methods only by the loop goroutine.
type copies struct {
	engine  *Engine
	marshal func(id buff.OwnerID, data any, dst []byte) ([]byte, error)
	locks   [copyLocks]copyLock // by owner number modulo copyLocks; guard their owners' state
	table   []*owner            // owners by number, for goroutines other than the loop
	now     *marks              // owners of the round that are not copied yet
	next    *marks              // owners that have changed since the round started
	at      buff.Moment         // start of the round
	word    int                 // index in now.words at which Step continues
	running bool
	lag     atomic.Int64 // wall clock minus engine time, in ms
	shards  []shard      // one for each worker, then Help's, then the loop's
	helps   sync.Mutex   // serializes Help
	helped  atomic.Bool  // Help has been called
	ticks   ticks
	gone    map[buff.OwnerID]struct{} // IDs of owners that have left since the last Begin
	waiting []ref                     // keys of `waits`; may have owners without waiting commands
	waits   map[ref][]*buff.Command   // commands in the mailboxes of busy owners, in order

	mu        sync.Mutex
	spares    spares
	soon      []uint32 // numbers of owners that become due soon; Help copies these first
	soonSpare []uint32 // empty list, for reuse as `soon`
}

const copyLocks = 64

// copyLock is a mutex on its own cache line.
type copyLock struct {
	sync.Mutex
	_ [56]byte
}

func init() {
	snapshot.Of = func(e any, m snapshot.Marshal) snapshot.Maker { return e.(*Engine).newCopies(m) }
}

// newCopies starts tracking changes for [snapshot.Of]. This costs about 100 ns for each changed
// owner in each round, in addition to the copy. All owners belong to the first round.
func (e *Engine) newCopies(m snapshot.Marshal) snapshot.Maker {
	e.enter("Copies")
	if e.copies != nil {
		panic("engine: two Makers of copies for one engine")
	}
	c := &copies{engine: e, marshal: m, shards: make([]shard, len(e.turns.workers)+2), gone: map[buff.OwnerID]struct{}{}, waits: map[ref][]*buff.Command{}, now: &marks{}, next: &marks{}}
	c.ticks.over.L = &c.ticks.mu
	e.copies = c
	for k := range e.owners.len() { // including leaving owners, which may still have turns to run
		if o := e.owners.at(uint32(k)); o != nil {
			// Set this before Engine.interval, because a worker that sees a nonzero interval reads
			// this field.
			o.needRare().copied = &copied{}
		}
	}
	e.interval.Store(1)
	c.setLag()
	c.grow(e.owners.len())
	for o := range e.eachOwner {
		c.table[o.number] = o
		c.next.set(o.number)
		if e.idle(o) {
			o.copied().changedIn, o.copied().changedAt = 1, e.now
		}
	}
	return c
}

// setLag updates c.lag.
func (c *copies) setLag() {
	m := c.engine.moment()
	c.lag.Store(m.Wall - int64(m.Now))
}

// momentAt returns the given instant on all clocks. The instant must not be in the future. Any
// goroutine may call it.
func (c *copies) momentAt(at wheel.Time) buff.Moment {
	return buff.Moment{Now: at, Wall: int64(at) + c.lag.Load(), Uptime: c.engine.opts.Uptime.Milliseconds() + int64(at)}
}

// beforeChange must be called on the loop before each change of an idle owner.
func (e *Engine) beforeChange(o *owner) {
	if n := e.interval.Load(); n != 0 {
		if o.copied().changedIn != n {
			e.copies.beforeFirstChange(o, n)
		}
		o.copied().changedAt = e.now
	}
}

// beforeSweep does the same as beforeChange, for all owners that the sweep of a Reload may reach in
// this Tick.
func (e *Engine) beforeSweep() {
	w := &e.sweep
	if e.copies == nil {
		return
	}
	for _, r := range w.missed[:min(len(w.missed), sweepOwners)] {
		if o := r.alive(); o != nil && e.idle(o) {
			e.beforeChange(o)
		}
	}
	for n := range min(w.left, sweepOwners, e.owners.len()) {
		if o := e.at(uint32((w.next + n) % e.owners.len())); o != nil && e.idle(o) {
			e.beforeChange(o)
		}
	}
}

// beforeFirstChange does the work of beforeChange when the loop changes the owner for the first
// time since the round started, or since the owner's last turn.
func (c *copies) beforeFirstChange(o *owner, interval uint32) {
	mu := c.lock(o)
	defer mu.Unlock()
	c.copyNow(c.loopShard(), o, true)
	c.next.set(o.number)
	o.copied().changedIn, o.touched = interval, 0
}

// loopShard returns the shard of the loop.
func (c *copies) loopShard() *shard { return &c.shards[len(c.shards)-1] }

// changeBusy makes a change on the loop that does not conflict with a running turn. The owner may
// therefore be busy.
func (e *Engine) changeBusy(o *owner, change func()) {
	c := e.copies
	if c == nil {
		change()
		return
	}
	if e.idle(o) {
		e.beforeChange(o)
	}
	mu := c.lock(o)
	defer mu.Unlock()
	c.copyNow(c.loopShard(), o, true)
	c.next.set(o.number)
	change()
}

// copyBeforeTurn is called on a worker before the first turn of an owner in a round, and before
// the first turn after a change by the loop. The call comes before the turn takes any events, so
// that none are lost if the game's marshal function ends the goroutine.
func (l *workerState) copyBeforeTurn(o *owner) {
	c := l.engine.copies
	mu := c.lock(o)
	defer mu.Unlock()
	if !c.copyNow(&c.shards[l.index], o, false) && o.copied().changedIn != 0 {
		c.keepShadow(&c.shards[l.index], o)
	}
	c.next.set(o.number)
	o.touched, o.copied().changedIn = l.engine.interval.Load(), 0
}

func (c *copies) lock(o *owner) *sync.Mutex {
	mu := &c.locks[o.number%copyLocks].Mutex
	mu.Lock()
	return mu
}

// lockAll calls `do` while no worker can start a turn of an owner that is not copied yet.
func (c *copies) lockAll(do func()) {
	for k := range c.locks {
		c.locks[k].Lock()
		defer c.locks[k].Unlock()
	}
	do()
}

// helpShard returns the shard of Help.
func (c *copies) helpShard() *shard { return &c.shards[len(c.shards)-2] }

// copyNow copies an owner if it belongs to the round and is not copied yet, and reports whether it
// has made a copy. The caller must hold the owner's lock.
func (c *copies) copyNow(to *shard, o *owner, loop bool) bool {
	if !c.now.has(o.number) {
		return false
	}
	c.copy(to, o, c.at, loop)
	return true
}

// copy stores a copy of an owner in a shard, and removes the owner from the round. It removes the
// owner even if the marshal function ends the goroutine; otherwise the next goroutine that copies
// the owner would end too.
func (c *copies) copy(to *shard, o *owner, at buff.Moment, loop bool) {
	x, made := snapshot.Copy{}, false
	defer func() {
		if !made {
			x = snapshot.Copy{Owner: o.id(), Area: o.area, Err: fmt.Errorf("owner %d: %w", o.id(), panicked(callMarshal, errExit))}
		}
		o.copied().shadow.drop()
		if x.Err != nil {
			c.next.set(o.number)
		} else {
			to.used(len(x.Blob) + len(x.Data))
		}
		to.add(c, &x)
		c.now.clear(o.number)
	}()
	x, _ = c.make(o, at, to.room(c), loop)
	made = true
}

// make copies an owner into the memory of dst, which it grows if necessary.
func (c *copies) make(o *owner, at buff.Moment, dst []byte, loop bool) (x snapshot.Copy, b []byte) {
	x.Owner, x.Area = o.id(), o.area
	b, x.Lost = o.set.Save(dst, c.engine.Catalog(), at, x.Area)
	n := len(b)
	if c.marshal != nil {
		if b, x.Err = c.callMarshal(o, b, loop); x.Err != nil {
			return x, b
		}
	}
	x.Blob, x.Data = b[:n:n], b[n:len(b):len(b)]
	return x, b
}

// callMarshal appends the game's data of an owner to b.
func (c *copies) callMarshal(o *owner, b []byte, loop bool) (out []byte, err error) {
	e := c.engine
	if loop {
		before := e.inCallback
		e.inCallback = "Marshal"
		defer func() { e.inCallback = before }()
	}
	n := len(b)
	fault := buff.Event{Owner: o.id(), Kind: buff.Faulted, Why: reason.Panic}
	if v := e.callGame(callMarshal, loop, &fault, func() { out, err = c.marshal(o.id(), o.data, b) }); v != nil {
		return b, fmt.Errorf("owner %d: %w", o.id(), panicked(callMarshal, v))
	}
	if err == nil && len(out) < n {
		err = fmt.Errorf("it returned %d bytes, and was given %d", len(out), n)
	}
	if err != nil {
		return b, fmt.Errorf("engine: Marshal of owner %d: %w", o.id(), err)
	}
	return out, nil
}
