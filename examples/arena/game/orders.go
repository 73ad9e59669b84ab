package game

import "github.com/bufftick/bufftick/buff"

// Take gives a player a hero that nobody has: of the side that fewer play, one that lives if there is
// one, in the arena. It returns nil if all are taken.
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

// Free takes back what Take gave: a bot plays the hero, and somebody else may have it.
func (w *World) Free(u *Unit) {
	u.Taken = false
	w.Play(u, false)
}

// Play says whether a person plays a hero. It stands still then until it is told where to go.
func (w *World) Play(u *Unit, played bool) {
	u.Played, u.going, u.dx, u.dy = played, false, 0, 0
}

// Walk has a hero walk in a direction until it is told otherwise: 0, 0 is to stand.
func (w *World) Walk(u *Unit, dx, dy float64) { u.dx, u.dy, u.going = dx, dy, false }

// Go has a hero walk to a place.
func (w *World) Go(u *Unit, x, y float64) {
	u.goX, u.goY, u.going = min(max(x, 1), Width-1), min(max(y, 1), Height-1), true
	u.dx, u.dy = 0, 0
}

// Aim has a hero look at somebody of its arena, or with 0 at nobody: whom its arm strikes, and its
// abilities go to.
func (w *World) Aim(u *Unit, at buff.OwnerID) {
	if to := w.Unit(at); to != nil && to.Arena == u.Arena {
		u.Target = at
	} else if at == 0 {
		u.Target = 0
	}
}

// Squad appends the squad of a hero, itself among them.
func (w *World) Squad(dst []*Unit, u *Unit) []*Unit {
	return append(dst, w.arenas[u.Arena].squads[u.Squad]...)
}
