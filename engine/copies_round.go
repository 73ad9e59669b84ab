package engine

import (
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// Begin starts a round: see [snapshot.Maker].
func (c *copies) Begin(all bool) snapshot.Round {
	e := c.engine
	e.enter("Copies.Begin")
	if c.running {
		panic("engine: Copies.Begin before Take")
	}
	c.running, c.word = true, 0
	r := snapshot.Round{Moment: e.moment(), Gone: c.gone}
	c.gone = map[buff.OwnerID]struct{}{}
	c.setLag()
	c.lockAll(func() {
		c.now, c.next = c.next, c.now
		if all {
			for o := range e.eachOwner {
				c.now.set(o.number)
			}
		}
		c.at = r.Moment
		e.interval.Store(max(e.interval.Load()+1, 1))
		c.excludeBusy(&r)
	})
	c.areas(&r)
	c.pending(&r)
	c.collectSoonDue()
	return r
}

// excludeBusy handles the owners that are busy at the start of the round. If their last complete
// state can still be read, it copies them. Otherwise it removes them from the round and, if there
// are older copies of them, adds these to the round.
func (c *copies) excludeBusy(r *snapshot.Round) {
	e := c.engine
	to := c.loopShard()
	for o := range e.eachBusy {
		switch {
		case !c.now.has(o.number):
		case o.leaving():
			c.now.clear(o.number)
		// No turn has started since the loop's last change, so the state can be read.
		case o.copied().changedIn != 0:
			c.copy(to, o, c.momentAt(o.copied().changedAt), true)
			o.copied().changedIn = 0
		default:
			c.now.clear(o.number)
			c.next.set(o.number)
			r.Older = append(r.Older, o.id())
			if x, ok := o.copied().shadow.of(o); ok {
				x = to.clone(c, &x)
				to.add(c, &x)
			}
		}
	}
}

// eachBusy yields the owners that are not idle. It may yield an owner more than once. The caller
// must not change the engine's lists of busy owners.
func (e *Engine) eachBusy(yield func(*owner) bool) {
	for _, list := range [...][]*mailbox{e.turns.group.Running(), e.turns.group.Staged()} {
		for _, box := range list {
			if !yield(box.Owner) {
				return
			}
		}
	}
	for _, d := range e.turns.waiting.list[e.turns.waiting.head:] {
		if e.turns.isWaiting(d.number()) && !yield(e.owners.at(d.number())) {
			return
		}
	}
}

// areas adds to the round the areas whose time is paused or has a rate other than 1.
func (c *copies) areas(r *snapshot.Round) {
	for id, z := range c.engine.areas.byID {
		if z.scale != (areaScale{}) {
			r.Areas = append(r.Areas, snapshot.AreaTime{Area: id, Rate: z.scale.rate, Paused: z.scale.held})
		}
	}
	slices.SortFunc(r.Areas, func(a, b snapshot.AreaTime) int { return int(a.Area) - int(b.Area) })
}

// pending adds to the round the commands that were accepted and still wait to be executed.
func (c *copies) pending(r *snapshot.Round) {
	e := c.engine
	add := func(cmd *buff.Command) {
		// Commands from an aura or an area are not saved, because the aura's next search, or the
		// area, issues them again.
		reissued := cmd.Verb == verb.Enter || cmd.Verb == verb.Leave || cmd.Whose == define.OfArea
		if cmd.Do == nil && !reissued {
			r.Waiting = append(r.Waiting, *cmd)
		}
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(r ref) bool {
		o := r.alive()
		if o == nil || len(c.waits[r]) == 0 {
			if o != nil {
				o.copied().queued = false
			}
			delete(c.waits, r)
			return true
		}
		for _, cmd := range c.waits[r] {
			add(cmd)
		}
		return false
	})
	for k := range e.outbox {
		x := &e.outbox[k]
		if of := x.why.Bearers(); of != nil {
			first := len(e.bearers)
			e.addBearers(x.cmd.Application.Source, of)
			for _, id := range e.bearers[first:] {
				cmd := x.cmd
				cmd.Owner, cmd.Application.Origin.Bears = id, of
				add(&cmd)
			}
			e.bearers = e.bearers[:first]
		} else if !x.own {
			add(&x.cmd)
		}
	}
}

// wait records a command that waits in the mailbox of a busy owner.
func (c *copies) wait(o *owner, cmd *buff.Command) {
	r := o.ref()
	c.waits[r] = append(c.waits[r], cmd)
	if x := o.copied(); !x.queued {
		x.queued = true
		c.waiting = append(c.waiting, r)
	}
}

// turnMerged records that the loop has merged a turn of an owner. The parameter `issued` says
// whether the turn has issued commands for other owners, and `executed` is the number of commands
// from the owner's mailbox that the turn has executed.
func (c *copies) turnMerged(o *owner, issued bool, executed int32) {
	if o.copied().queued && executed > 0 {
		r := o.ref()
		waits := c.waits[r]
		c.waits[r] = slices.Delete(waits, 0, min(int(executed), len(waits)))
	}
	if !issued && executed == 0 {
		return
	}
	at := c.engine.now
	if !c.engine.idle(o) {
		at = o.reached()
	}
	c.copyAtNextTurn(o)
	o.copied().changedAt = at
}

// copyAtNextTurn makes the next turn of an owner start with copyBeforeTurn.
func (c *copies) copyAtNextTurn(o *owner) {
	mu := c.lock(o)
	defer mu.Unlock()
	o.copied().changedIn, o.touched = c.engine.interval.Load(), 0
}

// arrive records a new owner.
func (c *copies) arrive(o *owner) {
	c.grow(c.engine.owners.len())
	delete(c.gone, o.id())
	mu := c.lock(o)
	defer mu.Unlock()
	c.table[o.number], o.needRare().copied = o, &copied{}
	c.next.set(o.number)
	o.copied().changedIn, o.copied().changedAt = c.engine.interval.Load(), c.engine.now
}

// depart records that an owner has left.
func (c *copies) depart(id buff.OwnerID) { c.gone[id] = struct{}{} }

// forget records that an owner's number is free again.
func (c *copies) forget(o *owner) {
	mu := c.lock(o)
	defer mu.Unlock()
	c.table[o.number] = nil
	c.now.clear(o.number)
	c.next.clear(o.number)
}

// Step copies at most `limit` owners of the round, in the order of their numbers, which is also
// their order in memory. It returns the number of owners that it has visited, and whether all
// owners of the round are done.
func (c *copies) Step(limit int) (n int, done bool) {
	c.engine.enter("Copies.Step")
	to := c.loopShard()
	for ; c.word < len(c.now.words); c.word++ {
		for {
			w := atomic.LoadUint64(&c.now.words[c.word])
			if w == 0 {
				break
			}
			if n >= limit {
				return n, false
			}
			o := c.engine.owners.at(uint32(c.word*64 + bits.TrailingZeros64(w)))
			mu := c.lock(o)
			c.copyNow(to, o, true)
			mu.Unlock()
			n++
		}
	}
	return n, true
}

// Left returns the number of owners of the round that are not copied yet.
func (c *copies) Left() int { return int(c.now.n.Load()) }

// Changed returns the number of owners of the next round so far.
func (c *copies) Changed() int { return int(c.next.n.Load()) }

// Busy reports whether any owner is busy or waits for its allowance.
func (c *copies) Busy() bool { return !c.engine.turns.group.Quiet() || c.engine.turns.waiting.n > 0 }

// Touch adds an owner to the next round. If the owner belongs to this round and is not copied yet,
// Touch first copies it.
func (c *copies) Touch(id buff.OwnerID) error {
	c.engine.enter("Copies.Touch")
	o, err := c.engine.present(id)
	if err == nil {
		c.engine.changeBusy(o, func() {})
	}
	return err
}

// Take ends the round and returns its copies.
func (c *copies) Take() snapshot.Copies {
	if !c.running || c.word < len(c.now.words) {
		panic("engine: Copies.Take before Step was done")
	}
	c.running = false
	out := &copiedRound{copies: c}
	for k := range c.shards {
		c.shards[k].empty(out)
	}
	return out
}

const (
	copyChunk  = 64 << 10 // bytes in a chunk of copies
	copyPiece  = 64       // number of copies in each slice of shard.lists
	copySpare  = 1024     // free chunks to keep
	pieceSpare = 8192     // free slices of copies to keep
)

// shard collects the copies made by one goroutine. It stores them in several slices and chunks
// that never grow, because moving them to a larger allocation would pause the goroutine for long.
type shard struct {
	list   []snapshot.Copy   // the slice that is being filled
	lists  [][]snapshot.Copy // the full slices
	chunk  []byte
	chunks [][]byte
	_      [64]byte // keeps the shards of two goroutines on different cache lines
}

// spares is memory of finished rounds, for reuse.
type spares struct {
	chunks [][]byte
	lists  [][]snapshot.Copy
}

// takeLast removes the last element and returns it with length 0. If there is no element, it
// returns nil.
func takeLast[T any](spare *[][]T) (one []T) {
	if last := len(*spare) - 1; last >= 0 {
		one = (*spare)[last][:0]
		(*spare)[last] = nil
		*spare = (*spare)[:last]
	}
	return one
}

// room returns memory in which a copy usually fits. The caller must then pass the size of the copy
// to [shard.used].
func (s *shard) room(c *copies) []byte {
	if cap(s.chunk)-len(s.chunk) < copyChunk/16 {
		s.chunk = c.newChunk()
		s.chunks = append(s.chunks, s.chunk)
	}
	return s.chunk[len(s.chunk):]
}

// used claims n bytes of the memory that [shard.room] returned. It does nothing if the copy did not
// fit there and was allocated separately.
func (s *shard) used(n int) {
	if n <= cap(s.chunk)-len(s.chunk) {
		s.chunk = s.chunk[:len(s.chunk)+n]
	}
}

func (c *copies) newChunk() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := takeLast(&c.spares.chunks); b != nil {
		return b
	}
	return make([]byte, 0, copyChunk)
}

func (s *shard) clone(c *copies, x *snapshot.Copy) snapshot.Copy {
	y, b := *x, s.room(c)
	b = append(append(b, x.Blob...), x.Data...)
	n := len(x.Blob)
	s.used(len(b))
	y.Blob, y.Data = b[:n:n], b[n:len(b):len(b)]
	return y
}

func (s *shard) add(c *copies, x *snapshot.Copy) {
	if len(s.list) == cap(s.list) {
		if s.list != nil {
			s.lists = append(s.lists, s.list)
		}
		s.list = c.newList()
	}
	s.list = append(s.list, *x)
}

func (c *copies) newList() []snapshot.Copy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := takeLast(&c.spares.lists); l != nil {
		return l
	}
	return make([]snapshot.Copy, 0, copyPiece)
}

// empty moves the copies to a copiedRound.
func (s *shard) empty(to *copiedRound) {
	to.lists = append(to.lists, s.lists...)
	to.chunks = append(to.chunks, s.chunks...)
	if s.list != nil {
		to.lists = append(to.lists, s.list)
	}
	clear(s.lists)
	clear(s.chunks)
	s.list, s.lists, s.chunk, s.chunks = nil, s.lists[:0], nil, s.chunks[:0]
}

// copiedRound is the result of a round.
type copiedRound struct {
	copies *copies
	lists  [][]snapshot.Copy
	chunks [][]byte
}

// All yields the copies, in no particular order.
func (x *copiedRound) All() iter.Seq[*snapshot.Copy] {
	return func(yield func(*snapshot.Copy) bool) {
		for _, list := range x.lists {
			for k := range list {
				if !yield(&list[k]) {
					return
				}
			}
		}
	}
}

// Len returns the number of copies.
func (x *copiedRound) Len() (n int) {
	for _, list := range x.lists {
		n += len(list)
	}
	return n
}

// Free gives the memory of the copies back to the engine, which keeps a limited amount.
func (x *copiedRound) Free() {
	for _, list := range x.lists {
		clear(list) // drops references to copies that were allocated separately
	}
	c := x.copies
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.spares
	s.chunks = append(s.chunks, x.chunks[:min(len(x.chunks), copySpare-len(s.chunks))]...)
	s.lists = append(s.lists, x.lists[:min(len(x.lists), pieceSpare-len(s.lists))]...)
	x.chunks, x.lists = nil, nil
}
