package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// highWater is how much of a list was used at most since it was last looked at, so that one
// bad frame does not cost memory for ever.
type highWater int

const (
	// watch is the number of frames after which the lists are looked at: some thirteen
	// seconds. It is odd, for two lists that take turns must both have theirs.
	watch = 255
	// keep is the number of elements for which a list has memory in any case; events are so long
	// that a small game would mostly consist of their lists.
	keep       = 1024
	keepEvents = 16
)

// settled reports whether the lists are looked at after a frame: also soon after the first ones,
// which fill a world. There the lists take turns, too.
func settled(frame uint64) bool { return frame%watch == 0 || frame == 14 || frame == 15 }

// used notes how long a list was.
func (s *highWater) used(n int) { *s = max(*s, highWater(n)) }

// fits reports whether memory for n elements is not far too much.
func (s *highWater) fits(n int) bool { return s.fitsBut(n, keep) }

func (s *highWater) fitsBut(n, keep int) bool { return n <= keep || int(*s) >= n/4 }

// fit returns an empty list that has memory for twice what was used, in the place of one
// that has far more. A steady load does not make it allocate.
func fit[T any](list []T, s highWater) []T {
	if s.fits(cap(list)) {
		return list
	}
	return make([]T, 0, max(keep, 2*int(s)))
}

// fitEvents is fit for a list of events.
func fitEvents(list []buff.Event, s highWater) []buff.Event {
	if s.fitsBut(cap(list), keepEvents) {
		return list
	}
	return make([]buff.Event, 0, max(keepEvents, 2*int(s)))
}

// giveBack looks at the lists of the engine, now and then and between two frames.
func (e *Engine) giveBack(frame uint64) {
	if !settled(frame) || e.group.Stats().Running > 0 {
		return
	}
	s := &e.high
	e.fired, e.collected = fit(e.fired[:0], s.fired), fit(e.collected[:0], s.collected)
	if len(e.outbox) == 0 {
		e.outbox = fit(e.outbox, s.outbox)
	}
	if !s.wanted.fits(cap(e.wanted)) {
		e.wanted = append(make([]*owner, 0, max(keep, 2*int(s.wanted))), e.wanted...)
	}
	if b := &e.backlog; b.n == 0 {
		b.queue, b.rings = fit(b.queue, s.backlog), fit(b.rings, s.backlog)
	}
	e.group.Shrink(max(keep, 2*int(max(s.collected, s.batch))))
	e.batch.giveBack(s.batch)
	for i := range e.workers {
		e.workers[i].giveBack(s)
	}
	// The frame that was is not valid any more. Its head takes turns with the list that the
	// loop's calls fill now.
	f := &e.frame
	f.head, f.tail, f.turns = fitEvents(f.head[:0], s.loop), fitEvents(f.tail[:0], s.loop), fit(f.turns[:0], s.turns)
	if len(e.loop.Events) == 0 {
		e.loop.Events = fitEvents(e.loop.Events, s.loop)
	}
	*s = highWaters{}
}

// highWaters are those of the engine's lists.
type highWaters struct{ fired, collected, outbox, wanted, batch, events, chunks, loop, turns, backlog highWater }

// renew gives back what the wheel, the cross-owner index and the tables of owners have grown to when
// the last owner has gone, so that nobody has a handle of a timer. The numbers of owners
// begin anew, with generations above all that there have been, so that handles of buffs are
// stale for ever.
func (e *Engine) renew() {
	if e.wheel.Len() > 0 || len(e.index.auras.due) > 0 {
		return // an aura that has ended has members to see
	}
	e.lived = false
	e.wheel = wheel.New(e.now)
	e.byID = make(map[buff.OwnerID]*owner)
	e.zones[0].owners = nil
	yield := e.index.auras.yield
	e.index = newCrossIndex(e.Catalog())
	e.index.auras.yield = yield
	// Where a number is used up, or half of the generations are, each number keeps its own:
	// one that has been used much must not use up the others.
	if top := slices.Max(e.bases); len(e.free) == len(e.bases) && top < 1<<31 {
		e.base = top
		e.owners, e.bases, e.free, e.batch.of = nil, nil, nil, nil
	}
}
