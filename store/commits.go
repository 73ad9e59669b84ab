package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// job is a cut to be committed.
type job struct {
	batch  Batch
	copied snapshot.Copies
	copies snapshot.Maker // the Maker that has made the copies
	gone   map[buff.OwnerID]struct{}
	parks  []Owner       // owners parked since the last cut
	at     time.Duration // game time when the cut started
	spent  time.Duration
}

// committer runs the goroutine that waits for the disk. It commits one cut at a time. If a commit
// is not acknowledged, its changes become part of the next batch, except for owners whose newer
// state the next batch contains.
type committer struct {
	saver   *Saver
	jobs    chan job
	helps   chan snapshot.Maker // requests to copy owners until the next Tick starts
	helped  atomic.Int64        // number of owners copied for these requests
	cancel  context.CancelFunc
	running sync.WaitGroup

	// Used by the goroutine only.
	ctx      context.Context
	store    Store
	epoch    uint64
	since    uint64
	owners   map[buff.OwnerID]Owner // changed owners that are in no acknowledged batch
	deleted  map[buff.OwnerID]struct{}
	commands []CommandID
	moved    []Move
	arrivals []Arrival         // arrivals that are in no acknowledged batch
	holds    []snapshot.Copies // copies that own the bytes of unacknowledged owners
	sorter   sorter
	list     []Owner // buffers for a batch's owners and their data
	data     []byte

	mayMove bool // the store is a Mover
	broken  bool // the store must be reopened before the next commit

	mu          sync.Mutex
	busy        bool
	whole       bool          // the next batch must contain the complete zone
	savedAtLoop time.Duration // copy of savedAt, which the loop reads without the lock
	savedAt     time.Duration // game time at which the last cut on disk started
	arrived     []Arrival     // arrivals that are on disk
	shut        bool
}

func (c *committer) start(v *Saver, s Store, cut *Cut) {
	c.saver, c.store, c.epoch, c.since = v, s, cut.Epoch, cut.Frame
	_, c.mayMove = s.(Mover)
	c.jobs, c.helps = make(chan job, 1), make(chan snapshot.Maker, 1)
	c.owners, c.deleted = map[buff.OwnerID]Owner{}, map[buff.OwnerID]struct{}{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.running.Add(1)
	go c.run()
}

// free reports whether no cut is being committed, so that the next cut may start.
func (c *committer) free() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.savedAtLoop = c.savedAt
	return !c.busy && !c.shut
}

func (c *committer) wantsWhole() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole
}

// submit passes a cut to the goroutine, if it is running.
func (c *committer) submit(j job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.shut {
		c.busy = true
		c.jobs <- j // never blocks: the previous job is done
	}
}

// stop ends the goroutine after the running commit. If "now" is true, stop cancels that commit
// first.
func (c *committer) stop(now bool) {
	c.mu.Lock()
	was := c.shut
	c.shut = true
	c.mu.Unlock()
	if !was {
		close(c.jobs)
	}
	if now {
		c.cancel()
	}
	c.running.Wait()
	c.cancel()
}

// help makes the goroutine copy owners until the next Tick starts.
func (c *committer) help(copies snapshot.Maker) {
	select {
	case c.helps <- copies:
	default: // the goroutine has not received the previous request yet
	}
}

// run is the committer's goroutine. If a callback of the game ends it with runtime.Goexit, run
// starts another goroutine.
func (c *committer) run() {
	over := false
	defer func() {
		if !over {
			go c.run()
			return
		}
		c.running.Done()
	}()
	for {
		select {
		case copies := <-c.helps:
			c.helped.Add(int64(copies.Help()))
		case j, ok := <-c.jobs:
			if !ok {
				over = true
				return
			}
			c.do(&j)
		}
	}
}

// do commits one cut.
func (c *committer) do(j *job) {
	b := &j.batch
	refused, last := c.fill(j)
	b.Epoch, b.Since = c.epoch, c.since
	owners, bytes, older, lost := len(b.Owners), 0, len(b.Older), 0
	for k := range b.Owners {
		bytes += len(b.Owners[k].Blob) + len(b.Owners[k].Data)
	}
	for x := range j.copied.All() {
		lost += x.Lost
	}
	err := errGone
	defer func() {
		c.done(j, err)
		c.saver.notify(err, func(s *Stats) {
			// Deferred so that the Stats are up to date when the committer becomes free.
			defer c.release(j, err)
			s.Refused += uint64(refused)
			if refused > 0 {
				s.Last = last
			}
			if err == nil {
				s.Frame, s.Owners, s.Bytes, s.Older, s.Encode = b.Frame, owners, bytes, older, j.spent
				s.Lost, s.Total = lost, s.Total+uint64(bytes)
			}
		})
	}()
	err = c.commit(j.copies, b)
}

// errGone means that the goroutine of a commit ended with runtime.Goexit.
var errGone = errors.New("store: a commit ended its goroutine")

// done processes the result of a commit.
func (c *committer) done(j *job, err error) {
	if err == nil {
		c.since = j.batch.Frame
		c.acknowledged(&j.batch)
	} else {
		c.failed(&j.batch)
	}
}

// release allows the next cut to start.
func (c *committer) release(j *job, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	if err == nil {
		c.whole, c.savedAt = false, j.at
	} else if errors.Is(err, ErrLost) {
		c.whole = true
	}
}

// commit commits a batch. If the store panics, commit returns an error.
func (c *committer) commit(copies snapshot.Maker, b *Batch) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("store: a commit panicked: %v", v)
		}
	}()
	if c.broken {
		if err := c.reopen(); err != nil {
			return err
		}
		b.Epoch = c.epoch
	}
	err = c.store.Commit(snapshot.WithMaker(c.ctx, copies), b)
	c.broken = errors.Is(err, ErrBroken) && c.saver.opts.Reopen != nil
	return err
}

// fill fills the batch with the changes since the last acknowledged cut.
func (c *committer) fill(j *job) (refused int, last error) {
	b := &j.batch
	if b.Whole {
		c.forget()
	}
	c.holds = append(c.holds, j.copied)
	sorted, room := c.sorter.sort(j.copied, j.copies.GiveWay), 0
	for k := range sorted {
		room += areaRoom + len(sorted[k].copy.Data)
	}
	data := slices.Grow(c.data[:0], room)
	b.Owners = slices.Grow(c.list[:0], len(sorted)+len(j.parks)+len(c.owners))
	for k := range sorted {
		if k%giveWayEvery == 0 {
			j.copies.GiveWay()
		}
		x := sorted[k].copy
		from := len(data)
		data = appendData(data, uint64(x.Area), x.Data)
		o := Owner{ID: x.Owner, Blob: x.Blob, Data: data[from:len(data):len(data)]}
		if err := fits(x, &o); err != nil {
			refused, last = refused+1, err
			b.Older = append(b.Older, x.Owner)
			continue
		}
		b.Owners = append(b.Owners, o)
		delete(c.owners, o.ID)
		delete(c.deleted, o.ID)
	}
	b.Owners = append(b.Owners, j.parks...)
	c.data = data
	c.sorter.forget()
	slices.Sort(b.Older)
	b.Older = slices.Compact(b.Older)
	c.mergeUnacknowledged(j)
	return refused, last
}

// mergeUnacknowledged adds the contents of unacknowledged batches to the new batch, except for
// owners whose newer state the new batch contains.
func (c *committer) mergeUnacknowledged(j *job) {
	b := &j.batch
	kept := make(map[buff.OwnerID]bool, len(b.Moved)+len(j.parks))
	for k := range b.Moved {
		kept[b.Moved[k].Owner.ID] = true
	}
	for k := range j.parks {
		kept[j.parks[k].ID] = true
	}
	for id := range j.gone {
		delete(c.owners, id)
		delete(c.deleted, id)
		if !kept[id] {
			b.Deleted = append(b.Deleted, id)
		}
	}
	for _, o := range c.owners {
		b.Owners = append(b.Owners, o)
	}
	for id := range c.deleted {
		b.Deleted = append(b.Deleted, id)
	}
	b.Commands = append(c.commands, b.Commands...)
	b.Moved = append(c.moved, b.Moved...)
	c.selectArrivals(b)
	c.list = b.Owners
}

// giveWayEvery is the number of owners between two checks for a running Tick.
const giveWayEvery = 256

// fits returns an error if a copied owner cannot be part of a batch.
func fits(x *snapshot.Copy, o *Owner) error {
	if x.Err != nil {
		return x.Err
	}
	if n := max(len(o.Blob), len(o.Data)); n > MaxBytes {
		return fmt.Errorf("%w: %d bytes for owner %d, more than %d", ErrTooLarge, n, o.ID, MaxBytes)
	}
	return nil
}

// failed keeps the contents of a failed batch for the next batch.
func (c *committer) failed(b *Batch) {
	for _, o := range b.Owners {
		c.owners[o.ID] = o
	}
	for _, id := range b.Deleted {
		c.deleted[id] = struct{}{}
	}
	c.commands, c.moved, c.arrivals = b.Commands, b.Moved, append(b.Arrived, c.arrivals...)
	c.list, c.data = nil, nil // the store may still use this memory
}

// acknowledged records that the batch is on disk.
func (c *committer) acknowledged(b *Batch) {
	c.forget()
	c.moved = nil
	if len(b.Arrived) > 0 {
		c.mu.Lock()
		c.arrived = append(c.arrived, b.Arrived...)
		c.mu.Unlock()
	}
	for _, x := range c.holds {
		x.Free()
	}
	clear(c.holds)
	c.holds = c.holds[:0]
	clear(c.list) // release large blobs, which are allocated separately
	if cap(c.list) > keepFactor*max(len(c.list), 1024) {
		c.list, c.data = nil, nil // the buffers are from a much larger cut
	}
}

// keepFactor limits the buffer memory kept for the next batch, as a multiple of the memory that
// the last batch used.
const keepFactor = 64

func (c *committer) forget() {
	clear(c.owners)
	clear(c.deleted)
	c.commands = nil
}

// reopen replaces a broken store, and acquires the zone again. After an error, the next commit
// tries again.
func (c *committer) reopen() error {
	_ = c.store.Close()
	s, err := c.saver.opts.Reopen()
	if err != nil {
		return fmt.Errorf("store: Reopen: %w", err)
	}
	c.store = s
	cut, err := take(c.ctx, s, c.saver.zone)
	if err != nil {
		return err
	}
	c.epoch, c.broken = cut.Epoch, false
	return nil
}

// notify records the result of a commit and wakes its waiters.
func (v *Saver) notify(err error, note func(*Stats)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	note(&v.stats)
	v.stats.Err = err
	if err == nil {
		v.stats.Cuts++
	} else {
		v.stats.Failed++
	}
	if errors.Is(err, ErrFenced) || errors.Is(err, ErrClosed) {
		v.ended = err
	}
	close(v.changed)
	v.changed = make(chan struct{})
}
