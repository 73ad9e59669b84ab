package game

import (
	"github.com/bufftick/bufftick/buff"
)

// Intervals between the King's abilities, in engine time, and the reach of the King's quake.
const (
	quakeEvery = 18 * second
	doomEvery  = 5 * second
	quakeReach = 11.0 // paces
)

// reign runs the actions of the King of an arena.
func (w *World) reign(a *arena) {
	k := a.king
	if k.Dead {
		if a.risen > 0 && a.clock >= a.risen {
			a.risen = 0
			w.revive(k)
			w.tell(Fact{Kind: Rose, Target: k.ID})
		}
		return
	}
	if t := w.Unit(k.Target); t == nil || t.Dead || k.distance(t) > arms[King].reach {
		k.Target = 0
		if near := w.nearest(a, k, arms[King].reach, func(u *Unit) bool { return u.Hero() && !u.Dead }); near != nil {
			k.Target = near.ID
		}
	}
	w.fight(k)
	if a.clock >= a.quaked+quakeEvery {
		a.quaked = a.clock
		w.add(k.ID, buff.Application{Spec: w.tremor, Source: k.ID})
	}
	if a.clock >= a.doomed+doomEvery {
		a.doomed = a.clock
		w.doomSome(a)
	}
	if !a.angry && k.Health < k.Most/3 {
		a.angry = true
		w.add(k.ID, buff.Application{Spec: w.fury, Source: k.ID})
		w.add(k.ID, buff.Application{Spec: w.stoneskin, Source: k.ID})
	}
}

// shake hits all heroes near the King.
func (w *World) shake(a *arena) {
	w.tell(Fact{Kind: Shook, Target: a.king.ID})
	for _, u := range a.heroes {
		if !u.Dead && u.distance(a.king) <= quakeReach {
			w.add(u.ID, buff.Application{Spec: w.quake, Source: a.king.ID})
		}
	}
}

// doomSome applies the buff "doom" to a random hero near the King.
func (w *World) doomSome(a *arena) {
	first := w.dice.IntN(len(a.heroes))
	for k := range a.heroes {
		if u := a.heroes[(first+k)%len(a.heroes)]; !u.Dead && u.distance(a.king) <= 18 {
			w.add(u.ID, buff.Application{Spec: w.doom, Source: a.king.ID})
			return
		}
	}
}
