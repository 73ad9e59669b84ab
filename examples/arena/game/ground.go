package game

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// ground is an index of heroes by position. Each cell is a square of three paces. The cells are
// refilled in each frame.
type ground struct {
	cells [cellsX * cellsY][]*Unit
}

const (
	cell   = 3.0
	cellsX = int(Width / cell)
	cellsY = int(Height / cell)
	room   = 1.3 // minimum distance between heroes
)

func cellOf(x, y float64) (int, int) {
	return min(max(int(x/cell), 0), cellsX-1), min(max(int(y/cell), 0), cellsY-1)
}

// fill adds every living hero to its cell.
func (g *ground) fill(a *arena) {
	for k := range g.cells {
		g.cells[k] = g.cells[k][:0]
	}
	for _, u := range a.heroes {
		if !u.Dead {
			x, y := cellOf(u.X, u.Y)
			g.cells[y*cellsX+x] = append(g.cells[y*cellsX+x], u)
		}
	}
}

// around calls the given function for all heroes in those cells that are at least partly within
// reach of a position.
func (g *ground) around(x, y, reach float64, see func(*Unit)) {
	x0, y0 := cellOf(x-reach, y-reach)
	x1, y1 := cellOf(x+reach, y+reach)
	for cy := y0; cy <= y1; cy++ {
		for cx := x0; cx <= x1; cx++ {
			for _, u := range g.cells[cy*cellsX+cx] {
				see(u)
			}
		}
	}
}

// nearest returns the hero that is nearest to a unit, or nil if no hero is within reach. It ignores
// heroes for which the given function returns false.
func (w *World) nearest(a *arena, to *Unit, reach float64, will func(*Unit) bool) (best *Unit) {
	a.ground.around(to.X, to.Y, reach, func(u *Unit) {
		if d := u.distance(to); d <= reach && u != to && will(u) {
			best, reach = u, d
		}
	})
	return best
}

// walk moves all heroes by the distance that they walk in one frame.
func (w *World) walk(a *arena) {
	for _, u := range a.heroes {
		if !u.Dead {
			u.nextX, u.nextY = w.stepOf(a, u)
		}
	}
	for _, u := range a.heroes {
		if !u.Dead {
			u.X, u.Y = min(max(u.nextX, 1), Width-1), min(max(u.nextY, 1), Height-1)
		}
	}
}

// stepOf returns the position of a hero at the end of the frame.
func (w *World) stepOf(a *arena, u *Unit) (x, y float64) {
	dx, dy := u.heading()
	u.Moving = false
	x, y = u.X, u.Y
	if dx != 0 || dy != 0 {
		if speed, err := w.eng.Attribute(u.ID, w.speed); err == nil && !w.has(u, w.stunned) {
			step := speed * Frame.Seconds()
			if u.going {
				step = min(step, math.Hypot(u.goX-u.X, u.goY-u.Y))
			}
			x, y = x+dx*step, y+dy*step
			u.Facing, u.Moving = math.Atan2(dy, dx), true
		}
	}
	// Bodies push each other apart.
	push := func(o *Unit, room float64) {
		ox, oy := x-o.X, y-o.Y
		d := math.Hypot(ox, oy)
		if o == u || d >= room {
			return
		}
		if d < 1e-6 { // both are at the same position, so choose a direction by the unit's id
			ox, oy, d = 1, float64(u.ID%7)-3, 4
		}
		x, y = x+ox/d*(room-d)*0.35, y+oy/d*(room-d)*0.35
	}
	a.ground.around(u.X, u.Y, room, func(o *Unit) { push(o, room) })
	if !a.king.Dead {
		push(a.king, 3.2)
	}
	return x, y
}

// heading returns the direction in which a unit wants to move, as a vector of length 1. If the unit
// does not want to move, "heading" returns (0, 0).
func (u *Unit) heading() (dx, dy float64) {
	dx, dy = u.dx, u.dy
	if u.going {
		if dx, dy = u.goX-u.X, u.goY-u.Y; math.Hypot(dx, dy) < 0.3 {
			u.going = false
			return 0, 0
		}
	}
	if d := math.Hypot(dx, dy); d > 0 {
		return dx / d, dy / d
	}
	return 0, 0
}

// around reports the units that an aura affects, which are heroes on its bearer's side within its
// radius.
func (w *World) around(q engine.AuraQuery, found func(buff.OwnerID)) {
	bearer := q.Data.(*Unit)
	reach := q.Buff.Spec.Aura.Radius
	w.arenas[bearer.Arena].ground.around(bearer.X, bearer.Y, reach, func(u *Unit) {
		if !u.foe(bearer) && u.distance(bearer) <= reach {
			found(u.ID)
		}
	})
}

// Near appends the n units that are nearest to a place in an arena, or all units if there are
// fewer. The King may be among these units.
func (w *World) Near(dst []*Unit, arena int, x, y float64, n int) []*Unit {
	a := &w.arenas[arena]
	start := len(dst)
	dst = append(append(dst, a.heroes...), a.king)
	near := dst[start:]
	far := func(u *Unit) float64 { return (u.X-x)*(u.X-x) + (u.Y-y)*(u.Y-y) }
	slices.SortStableFunc(near, func(a, b *Unit) int {
		switch da, db := far(a), far(b); {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return 0
	})
	return dst[:start+min(n, len(near))]
}
