package inspect

import (
	"slices"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// What is said of the last while is said of so long a time, by the clock of the inspector.
const (
	window    = 10 * time.Second
	shortest  = 3 * time.Second // below it nothing is said: one late frame is no trend
	markEvery = 500 * time.Millisecond
)

// course is how the game has run of late. The engine has no clock: whether its time keeps up
// with ours, and for how long of ours a handler has not returned, is told by comparing its Views
// with the instants at which they came.
type course struct {
	mu    sync.Mutex
	marks []mark // the oldest first
	held  map[heldKey]held
	last  wheel.Time // the instant of the View before
	any   bool       // there was one
}

// mark is what one View has said.
type mark struct {
	at   time.Duration
	now  wheel.Time
	lost time.Duration

	since wheel.Time // from when late is counted
	late  [len(view.LateBounds) + 1]uint64
}

// heldKey tells one stay of an owner in its handlers from the next.
type heldKey struct {
	owner buff.OwnerID
	began wheel.Time
}

// held is one such stay.
type held struct {
	at     time.Duration // when it was first seen
	before bool          // it had begun before somebody looked
}

// standing is what a View means beside those before it.
type standing struct {
	speed float64       // how fast the game's time passes; 0: not known yet
	lost  time.Duration // what was dropped of it
	late  time.Duration // one event in a hundred came later than this
	stuck []stuckFor
}

// stuckFor is a stuck owner, with the time by our clock.
type stuckFor struct {
	view.Stuck
	wall   time.Duration
	before bool // it is longer than that
}

// see takes a View in that came at an instant of the inspector's clock.
func (c *course) see(v *view.View, at, after time.Duration) standing {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.marks) > 1 && at-c.marks[1].at >= window {
		c.marks = slices.Delete(c.marks, 0, 1)
	}
	m := mark{at: at, now: v.Now, lost: v.Stats.Lost, since: v.Since, late: v.Late}
	var out standing
	if len(c.marks) > 0 && at-c.marks[0].at >= shortest {
		out = m.against(&c.marks[0])
	}
	if len(c.marks) == 0 || at-c.marks[len(c.marks)-1].at >= markEvery {
		c.marks = append(c.marks, m)
	}
	out.stuck = c.stuck(v, at, after)
	c.last, c.any = v.Now, true
	return out
}

// against compares with an earlier mark.
func (m *mark) against(old *mark) (out standing) {
	passed := m.at - old.at
	out.speed = float64((m.now-old.now)*wheel.Time(time.Millisecond)) / float64(passed)
	out.lost = m.lost - old.lost
	if m.since != old.since {
		return out // nobody had looked for a while, and the counts have begun anew
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

// stuck returns the owners whose handlers have held a worker for longer than a limit. In a game
// that does not keep up, some are always at work when a Tick ends, and others each time: these
// are not stuck.
func (c *course) stuck(v *view.View, at, after time.Duration) (out []stuckFor) {
	now := make(map[heldKey]held, len(v.Stuck))
	for _, s := range v.Stuck {
		key := heldKey{s.Owner, v.Now - wheel.Time(s.For/time.Millisecond)}
		h, known := c.held[key]
		if !known {
			h = held{at: at, before: s.For > 0 && (!c.any || key.began < c.last)}
		}
		now[key] = h
		if at-h.at >= after {
			out = append(out, stuckFor{s, at - h.at, h.before})
		}
	}
	c.held = now
	return out
}
