package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// most ranks the owners by what they carry. It sees each owner whose turn was measured, and
// goes round all of them in pieces, for those who have none. Those in the list are counted
// anew for each View, so that it is right about them; somebody who should be in it since
// another has fallen out of it is found at its next turn, or on the next round.
type most struct {
	list  []Ranked
	at    int  // the owner number that is next
	round bool // all have been looked at
}

// sweptAtOnce is how many owners one frame looks at. One whose data is not in the cache
// costs some 100 ns.
const sweptAtOnce = 32

// see is told how many buffs an owner carries.
func (m *most) see(id buff.OwnerID, n int) {
	if n > 0 && (len(m.list) < ranks || int64(n) > m.list[len(m.list)-1].N) {
		m.list = rank(m.list, Ranked{id, int64(n)})
	}
}

// sweep goes on with the round.
func (m *most) sweep(e *Engine) {
	for range min(sweptAtOnce, len(e.owners)) {
		if m.at >= len(e.owners) {
			m.at, m.round = 0, true
		}
		if o := e.owners[m.at]; o != nil && !o.leaving && e.idle(o) {
			m.see(o.id, o.set.Len())
		}
		m.at++
	}
	m.round = m.round || m.at >= len(e.owners)
}

// view returns the list as it is now.
func (m *most) view(e *Engine) []Ranked {
	m.list = slices.DeleteFunc(m.list, func(r Ranked) bool {
		o := e.byID[r.Owner]
		return o == nil || o.leaving || e.idle(o) && o.set.Len() == 0
	})
	for i := range m.list {
		if o := e.byID[m.list[i].Owner]; e.idle(o) {
			m.list[i].N = int64(o.set.Len())
		}
	}
	slices.SortStableFunc(m.list, func(a, b Ranked) int { return int(b.N - a.N) })
	return slices.Clone(m.list)
}

// swept returns the share of the owners that the first round has seen.
func (m *most) swept(e *Engine) float64 {
	if m.round || len(e.owners) == 0 {
		return 1
	}
	return float64(m.at) / float64(len(e.owners))
}
