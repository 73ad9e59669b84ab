package game

import "github.com/bufftick/bufftick/buff"

// Take gives a player a free hero of the arena, if possible a living hero on the side with fewer
// players. It returns nil if all heroes are taken.
func (w *World) Take(arena int) *Unit {
	var taken [2]int
	var best [2]*Unit
	for _, u := range w.arenas[arena].heroes {
		if u.Taken {
			taken[u.Side]++
		} else if b := best[u.Side]; b == nil || b.Dead && !u.Dead {
			best[u.Side] = u
		}
	}
	side := Ember
	if taken[Tide] < taken[Ember] {
		side = Tide
	}
	u := best[side]
	if u == nil {
		u = best[1-side]
	}
	if u != nil {
		u.Taken = true
		w.Play(u, true)
	}
	return u
}

// Free returns a hero to the bots; another player may take it.
func (w *World) Free(u *Unit) {
	u.Taken = false
	w.Play(u, false)
}

// Play sets whether a person plays a hero, and clears the hero's order.
func (w *World) Play(u *Unit, played bool) {
	u.Played, u.going, u.dx, u.dy = played, false, 0, 0
}

// Walk makes a hero walk in a direction until the next order; 0, 0 stops it.
func (w *World) Walk(u *Unit, dx, dy float64) { u.dx, u.dy, u.going = dx, dy, false }

// Go makes a hero walk to a place.
func (w *World) Go(u *Unit, x, y float64) {
	u.goX, u.goY, u.going = min(max(x, 1), Width-1), min(max(y, 1), Height-1), true
	u.dx, u.dy = 0, 0
}

// Aim sets a hero's target in its arena, for its attacks and abilities; 0 clears it.
func (w *World) Aim(u *Unit, at buff.OwnerID) {
	if to := w.Unit(at); to != nil && to.Arena == u.Arena {
		u.Target = at
	} else if at == 0 {
		u.Target = 0
	}
}

// Squad appends the squad of a hero, including itself.
func (w *World) Squad(dst []*Unit, u *Unit) []*Unit {
	return append(dst, w.arenas[u.Arena].squads[u.Squad]...)
}
