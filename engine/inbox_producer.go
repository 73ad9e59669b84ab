package engine

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/engine/view"
)

// maxProducers is the largest number of producers of an [Inbox], including the unnamed one.
const maxProducers = 64

// room says how many commands of a producer may wait, and has the error for further commands.
type room struct {
	limit int64
	full  error
}

// producers is the shared state of an engine's Inboxes.
type producers struct {
	limit     int64
	held      atomic.Int64 // commands of all producers, plus the flag `shut` after close
	replaying atomic.Bool  // posts are dropped without an error, during a replay.Run
	envelopes sync.Pool

	mu     sync.Mutex
	byName map[string]*Inbox
	all    atomic.Pointer[[]*Inbox] // in the order of creation

	// Only the loop accesses the fields below.
	turn     int // index of the producer to serve next
	gathered int // number of gathered envelopes
}

// shut is a flag in producers.held. It is larger than every possible number of commands.
const shut = 1 << 62

// init creates the unnamed producer.
func (p *producers) init(e *Engine, limit int) {
	e.inbox.engine = e
	p.limit = int64(limit)
	p.envelopes.New = func() any { return new(envelope) }
	p.byName = map[string]*Inbox{"": &e.inbox}
	p.share([]*Inbox{&e.inbox})
}

// share gives each producer an equal share of the room in the Inbox.
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

// waiting returns the number of commands accepted but not yet delivered.
func (p *producers) waiting() int { return int(p.held.Load() &^ shut) }

// isShut reports whether posting is closed.
func (p *producers) isShut() bool { return p.held.Load()&shut != 0 }

// close makes all later posts fail. Commands that were accepted before still count as waiting,
// even if they are not in a list yet.
func (p *producers) close() { p.held.Or(shut) }

// For returns the Inbox of a producer, and creates the producer on first use. A producer is a part
// of the program, or a group of untrusted clients, whose commands must not delay the commands of
// other producers. The empty name is the producer of [Engine.Inbox].
//
// All producers have an equal share of the room: with four producers, each may have a quarter of
// Options.Limits.Inbox waiting. When a producer is added, the shares of the others become smaller.
// A producer that then has more commands waiting than its new share allows is refused further
// commands until it is below its share. Until then, commands of the new producer may be refused
// too, because the total is used up.
//
// The loop serves the producers in turn, in the order of their creation, and takes commands from
// each until they have cost a small amount. Each producer thus also has an equal share of the
// Inbox's cost limit in a Tick. Producers that need less leave the rest of their share to the
// others.
//
// Producers exist as long as the engine. There can be at most 64 producers, and no more than
// Options.Limits.Inbox. For a further name, For returns an Inbox whose posts fail with
// [ErrTooManyProducers].
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

// Stats returns the current statistics of this producer.
//
// Any goroutine may call it.
func (in *Inbox) Stats() view.InboxStats {
	return view.InboxStats{Producer: in.name, Limit: int(in.room.Load().limit), Waiting: int(in.held.Load()), Refused: in.refused.Load()}
}

// refusals returns the number of refused commands of all producers.
func (p *producers) refusals() (n uint64) {
	for _, in := range *p.all.Load() {
		n += in.refused.Load()
	}
	return n
}
