package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// slack is how much of a list was used at most since it was last looked at, so that one
// bad frame does not cost memory for ever.
type slack int

const (
	// watch is the number of frames after which the lists are looked at: some thirteen
	// seconds. It is odd, for two lists that take turns must both have theirs.
	watch = 255
	// keep is the number of elements for which a list has memory in any case.
	keep = 1024
)

// used notes how long a list was.
func (s *slack) used(n int) { *s = max(*s, slack(n)) }

// fits reports whether memory for n elements is not far too much.
func (s *slack) fits(n int) bool { return n <= keep || int(*s) >= n/4 }

// fit returns an empty list that has memory for twice what was used, in the place of one
// that has far more. A steady load does not make it allocate.
func fit[T any](list []T, s slack) []T {
	if s.fits(cap(list)) {
		return list
	}
	return make([]T, 0, max(keep, 2*int(s)))
}

// giveBack looks at the lists of the engine, now and then and between two frames.
func (e *Engine) giveBack(frame uint64) {
	if frame%watch != 0 || e.group.Stats().Away > 0 {
		return
	}
	s := &e.slack
	e.fired, e.home, e.cross = fit(e.fired[:0], s.fired), fit(e.home[:0], s.home), fit(e.cross, s.cross)
	if !s.wanted.fits(cap(e.wanted)) {
		e.wanted = append(make([]*owner, 0, max(keep, 2*int(s.wanted))), e.wanted...)
	}
	e.group.Shrink(max(keep, 2*int(max(s.home, s.visits))))
	e.visits.giveBack(s.visits)
	for i := range e.lanes {
		l := &e.lanes[i]
		l.turn.Events, l.cross, l.orders = fit(l.turn.Events, s.events), fit(l.cross, s.cross), fit(l.orders, s.events)
	}
	// The frame that was is not valid any more. Its head takes turns with the list that the
	// loop's calls fill now.
	f := &e.frame
	f.head, f.tail, f.turns = fit(f.head[:0], s.loop), fit(f.tail[:0], s.loop), fit(f.turns[:0], s.turns)
	e.inbox.fit()
	*s = slacks{}
}

// slacks are those of the engine's lists.
type slacks struct{ fired, home, cross, wanted, visits, events, loop, turns slack }

// renew gives back what the wheel, the ledger and the tables of owners have grown to when
// the last owner has gone, so that nobody has a handle of a timer. The numbers of owners
// begin anew, with generations above all that there have been, so that handles of buffs are
// stale for ever.
func (e *Engine) renew() {
	if e.wheel.Len() > 0 || len(e.ledger.auras.due) > 0 {
		return // an aura that has ended has members to see
	}
	e.lived = false
	e.wheel = wheel.New(e.now)
	e.byID = make(map[buff.OwnerID]*owner)
	e.zones[0].owners = nil
	yield := e.ledger.auras.yield
	e.ledger = newLedger(e.Catalog())
	e.ledger.auras.yield = yield
	// Where a number is used up, or half of the generations are, each number keeps its own:
	// one that has been used much must not use up the others.
	if top := slices.Max(e.bases); len(e.free) == len(e.bases) && top < 1<<31 {
		e.base = top
		e.owners, e.bases, e.free, e.visits.of = nil, nil, nil, nil
	}
}
