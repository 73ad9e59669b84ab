package engine

import (
	"iter"
	"math/bits"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/journal"
)

// Changes tells which owners have changed, and in what: all that a client's screen may show, also what no
// event tells. It is for code that sends the state of owners to clients, such as package replicate. Make one
// with [Engine.Changes].
//
// Only the loop goroutine may call its methods.
type Changes struct {
	engine  *Engine
	now     marks              // by owner number: it has changed, or come
	came    marks              // it has come
	told    marks              // All has told of one, by the id in ids
	left    marks              // and that one has left
	ids     []buff.OwnerID     // by owner number
	journal []*journal.Journal // by owner number
	change  OwnerChange        // that All is at
}

// OwnerChange is what has changed of one owner. It is good until the loop over Changes.All goes on.
type OwnerChange struct {
	Owner  buff.OwnerID
	Number uint32 // below Options.Limits.Owners: no two owners have the same at once
	Gone   bool   // it has left; there is nothing else to tell
	Came   bool   // it is told of for the first time: all of it is new
	Dead   bool   // it has been killed, and not revived since

	// Journal has what has changed since All last told of it, and Buffs what there is now.
	Journal *journal.Journal
	Buffs   Carried
}

// Changes returns what tells which owners have changed, for their clients. There is one for each engine; the
// second call panics. From here on the engine notes them, which costs some 5 ns for each, and memory: 150
// bytes for each owner, and 4 for each of its buffs. All owners are new at first.
//
// Only the loop goroutine may call it.
func (e *Engine) Changes() *Changes {
	e.enter("Changes")
	if e.changes != nil {
		panic("engine: Changes called twice")
	}
	c := &Changes{engine: e}
	for _, m := range [...]*marks{&c.now, &c.came, &c.told, &c.left} {
		m.words = make([]uint64, (e.opts.Limits.Owners+63)/64) // they cannot grow: workers mark
	}
	e.changes = c
	for o := range e.all {
		c.arrive(o)
	}
	return c
}

// arrive takes in a new owner. Its Journal begins when All tells of it.
func (c *Changes) arrive(o *owner) {
	c.came.set(o.number)
	c.now.set(o.number)
}

// depart takes in that an owner has left.
func (c *Changes) depart(o *owner) {
	c.came.clear(o.number)
	if c.told.has(o.number) {
		c.left.set(o.number)
	}
}

// mark notes that an owner has changed. The loop or the worker that has the owner in hand calls it.
func (c *Changes) mark(number uint32) { c.now.set(number) }

// All returns the owners that have changed since the last loop over it, and what has changed: first those
// that have left, then the others, both by their numbers. Between two Ticks, and nothing may be asked of the
// engine that changes something before the loop is over. What the loop has come by is forgotten. Owners that
// are busy wait for a later loop: what has changed of them is not known to the end. It costs O(owners that
// have changed), and 1 ns for 64 others, and allocates nothing.
func (c *Changes) All() iter.Seq[*OwnerChange] {
	return func(yield func(*OwnerChange) bool) { c.all(yield) }
}

func (c *Changes) all(yield func(*OwnerChange) bool) {
	c.engine.enter("Changes.All")
	for n, ok := c.left.next(0, len(c.ids)); ok; n, ok = c.left.next(n+1, len(c.ids)) {
		c.left.clear(n)
		c.told.clear(n)
		c.change = OwnerChange{Owner: c.ids[n], Number: n, Gone: true, Buffs: Carried{nothing}}
		if !yield(&c.change) {
			return
		}
	}
	owners := c.engine.owners.len()
	for n, ok := c.now.next(0, owners); ok; n, ok = c.now.next(n+1, owners) {
		if o := c.engine.at(n); o == nil {
			c.now.clear(n)
		} else if c.engine.idle(o) && !c.tell(o, yield) {
			return
		}
	}
}

// tell tells of one owner.
func (c *Changes) tell(o *owner, yield func(*OwnerChange) bool) bool {
	n := o.number
	came := c.came.has(n)
	if came {
		for int(n) >= len(c.ids) {
			c.ids, c.journal = append(c.ids, 0), append(c.journal, nil)
		}
		if c.journal[n] == nil {
			c.journal[n] = journal.New(c.mark)
		}
		c.ids[n] = o.id()
		c.journal[n].Empty()
		o.set.SetJournal(c.journal[n])
		c.came.clear(n)
		c.told.set(n)
	}
	c.now.clear(n)
	c.change = OwnerChange{Owner: o.id(), Number: n, Came: came, Dead: o.set.Dead(), Journal: c.journal[n], Buffs: Carried{&o.set}}
	more := yield(&c.change)
	c.journal[n].Empty()
	return more
}

// next returns the first number of the set from n on that is below limit, and whether there is one.
func (m *marks) next(n uint32, limit int) (uint32, bool) {
	for w := int(n / 64); w*64 < limit; w++ {
		word := atomic.LoadUint64(&m.words[w])
		if w == int(n/64) {
			word = word >> (n % 64) << (n % 64)
		}
		if word != 0 {
			at := w*64 + bits.TrailingZeros64(word)
			return uint32(at), at < limit
		}
	}
	return 0, false
}
