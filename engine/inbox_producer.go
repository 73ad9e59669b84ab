package engine

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/engine/view"
)

// maxProducers is how many producers an [Inbox] has at most, the unnamed one among them.
const maxProducers = 64

// room is how many commands a producer may have waiting, and what it is told when it wants more.
type room struct {
	limit int64
	full  error
}

// producers is what the Inboxes of an engine have together.
type producers struct {
	limit     int64
	held      atomic.Int64 // commands of all; with the bit shut, nobody may post
	deaf      atomic.Bool  // accepts and forgets, see Replay
	envelopes sync.Pool

	mu     sync.Mutex
	byName map[string]*Inbox
	all    atomic.Pointer[[]*Inbox] // in the order in which they were made

	// The loop's.
	turn     int // whose it is
	gathered int // envelopes that are in order
}

// shut is a bit of producers.held.
const shut = 1 << 62

// init makes the unnamed producer.
func (p *producers) init(e *Engine, limit int) {
	e.inbox.engine = e
	p.limit = int64(limit)
	p.envelopes.New = func() any { return new(envelope) }
	p.byName = map[string]*Inbox{"": &e.inbox}
	p.share([]*Inbox{&e.inbox})
}

// share gives each of them an equal part of the room.
func (p *producers) share(all []*Inbox) {
	for _, in := range all {
		r := &room{limit: p.limit / int64(len(all))}
		if r.full = fmt.Errorf("%w: limit %d", ErrInboxFull, r.limit); in.name != "" {
			r.full = fmt.Errorf("%w: producer %q, limit %d", ErrInboxFull, in.name, r.limit)
		}
		in.room.Store(r)
	}
	p.all.Store(&all)
}

// waiting returns how many commands have been accepted and not delivered.
func (p *producers) waiting() int { return int(p.held.Load() &^ shut) }

// isShut reports whether nobody may post any more.
func (p *producers) isShut() bool { return p.held.Load()&shut != 0 }

// close makes post fail. What was accepted before is counted in waiting, also while it is on
// its way.
func (p *producers) close() { p.held.Or(shut) }

// For returns the Inbox of a producer: a part of the program, or a group of strangers, whose
// commands must not keep those of others waiting. It is made if there is none of that name; the
// empty name is that of [Engine.Inbox]. All have an equal share of the room: of four, each one
// may have a quarter of Options.Limits.Inbox waiting. When another one comes, those that have more
// than their new share get nothing in until they have less; and it may find the whole full until
// then.
//
// The loop goes round the producers in the order in which they were made, and takes commands
// from each one until they have cost a small sum: of what a Tick does for the Inbox each has an
// equal share too, if it wants it, and what it leaves is for the others.
//
// Producers stay as long as the engine. There are at most 64, and no more than
// Options.Limits.Inbox: what is posted to one beyond that fails with [ErrTooManyProducers].
//
// Any goroutine may call it.
func (in *Inbox) For(name string) *Inbox {
	p := &in.engine.producers
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.byName[name]; known != nil {
		return known
	}
	n := &Inbox{engine: in.engine, name: name}
	all := *p.all.Load()
	if most := min(maxProducers, int(p.limit)); len(all) >= most {
		n.never = fmt.Errorf("%w: %q, the limit is %d", ErrTooManyProducers, name, most)
		n.room.Store(&room{full: n.never})
		return n
	}
	p.byName[name] = n
	p.share(append(slices.Clone(all), n))
	return n
}

// Stats returns the present figures of this producer.
//
// Any goroutine may call it.
func (in *Inbox) Stats() view.InboxStats {
	return view.InboxStats{Producer: in.name, Limit: int(in.room.Load().limit), Waiting: int(in.held.Load()), Refused: in.refused.Load()}
}

// refusals returns how many commands all producers were refused.
func (p *producers) refusals() (n uint64) {
	for _, in := range *p.all.Load() {
		n += in.refused.Load()
	}
	return n
}
