package game

import "github.com/bufftick/bufftick/buff"

// Take gives a free hero of the arena to a player and returns it. If possible, this is a living
// hero on the side with fewer players. Take returns nil if all heroes are taken.
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

// Free gives a hero back to the bots. Another player may then take it.
func (w *World) Free(u *Unit) {
	u.Taken = false
	w.Play(u, false)
}

// Play sets whether a person or a bot plays a hero. It also clears the hero's order.
func (w *World) Play(u *Unit, played bool) {
	u.Played, u.going, u.dx, u.dy = played, false, 0, 0
}

// Walk makes a hero walk in a direction until its next order. The direction (0, 0) stops the hero.
func (w *World) Walk(u *Unit, dx, dy float64) { u.dx, u.dy, u.going = dx, dy, false }

// Go makes a hero walk to a place.
func (w *World) Go(u *Unit, x, y float64) {
	u.goX, u.goY, u.going = min(max(x, 1), Width-1), min(max(y, 1), Height-1), true
	u.dx, u.dy = 0, 0
}

// Aim sets the target of a hero's attacks and abilities. If the target is in another arena, Aim
// does nothing. The id 0 clears the target.
func (w *World) Aim(u *Unit, at buff.OwnerID) {
	if to := w.Unit(at); to != nil && to.Arena == u.Arena {
		u.Target = at
	} else if at == 0 {
		u.Target = 0
	}
}

// Squad appends all units of a hero's squad, including the hero.
func (w *World) Squad(dst []*Unit, u *Unit) []*Unit {
	return append(dst, w.arenas[u.Arena].squads[u.Squad]...)
}
