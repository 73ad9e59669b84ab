package inspect

import (
	"slices"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// Time windows of recent statistics, on the clock of the inspector.
const (
	window    = 10 * time.Second
	minWindow = 3 * time.Second // in a shorter time, a single late frame would have too much weight
	markEvery = 500 * time.Millisecond
)

// course is the recent history of the game. The engine has no clock. From the times at which Views
// arrive, course computes the game's speed and the wall-clock time for which handlers have been
// running.
type course struct {
	mu     sync.Mutex
	marks  []mark // oldest first
	held   map[heldKey]held
	last   wheel.Time // game time of the previous View
	primed bool       // there was a previous View
}

// mark holds the parts of a View that are needed later.
type mark struct {
	at   time.Duration
	now  wheel.Time
	lost time.Duration

	since wheel.Time // start of the lateness statistics
	late  [len(view.LateBounds) + 1]uint64
}

// heldKey identifies one run of an owner's handlers.
type heldKey struct {
	owner   buff.OwnerID
	started wheel.Time
}

// held is a run of an owner's handlers that was still running at the end of a Tick.
type held struct {
	at        time.Duration // time at which the run was first seen
	unbounded bool          // the run started before the first client connected
}

// gameState is the state of the game according to recent Views.
type gameState struct {
	speed float64       // speed of game time; 0 if unknown
	lost  time.Duration // game time that was dropped recently, because of overload
	late  time.Duration // p99 of the lateness of events
	stuck []stuckFor
}

// stuckFor is a stuck owner, with the wall-clock time for which its handler has been running.
type stuckFor struct {
	view.Stuck
	wall      time.Duration
	unbounded bool // the true duration is longer than the field "wall"
}

// see adds a View and returns the state of the game. The parameter "at" is the time of arrival on
// the inspector's clock. Handlers that have been running for at least the given duration (after)
// are stuck.
func (c *course) see(v *view.View, at, after time.Duration) gameState {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.marks) > 1 && at-c.marks[1].at >= window {
		c.marks = slices.Delete(c.marks, 0, 1)
	}
	m := mark{at: at, now: v.Now, lost: v.Stats.Lost, since: v.Since, late: v.Late}
	var out gameState
	if len(c.marks) > 0 && at-c.marks[0].at >= minWindow {
		out = m.compare(&c.marks[0])
	}
	if len(c.marks) == 0 || at-c.marks[len(c.marks)-1].at >= markEvery {
		c.marks = append(c.marks, m)
	}
	out.stuck = c.stuck(v, at, after)
	c.last, c.primed = v.Now, true
	return out
}

// compare returns the state of the game between an earlier mark and this mark.
func (m *mark) compare(old *mark) (out gameState) {
	passed := m.at - old.at
	out.speed = float64((m.now-old.now)*wheel.Time(time.Millisecond)) / float64(passed)
	out.lost = m.lost - old.lost
	if m.since != old.since {
		return out // the counts were reset between the marks, because all clients had left
	}
	var all, above uint64
	for i := range m.late {
		all += m.late[i] - old.late[i]
	}
	for i := len(m.late) - 1; i > 0; i-- {
		above += m.late[i] - old.late[i]
		if float64(above) >= float64(all)/100 && above > 0 {
			out.late = view.LateBounds[i-1]
			break
		}
	}
	return out
}

// stuck returns the owners whose handlers have been running for at least the given duration
// (after). In an overloaded game, some handlers are always still running at the end of a Tick. They
// are not stuck, because each Tick ends with different handlers running.
func (c *course) stuck(v *view.View, at, after time.Duration) (out []stuckFor) {
	now := make(map[heldKey]held, len(v.Stuck))
	for _, s := range v.Stuck {
		key := heldKey{s.Owner, v.Now - wheel.Time(s.For/time.Millisecond)}
		h, known := c.held[key]
		if !known {
			h = held{at: at, unbounded: s.For > 0 && (!c.primed || key.started < c.last)}
		}
		now[key] = h
		if at-h.at >= after {
			out = append(out, stuckFor{s, at - h.at, h.unbounded})
		}
	}
	c.held = now
	return out
}
