package game

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Refusal is the reason why an ability was not cast.
type Refusal uint8

// The refusals.
const (
	Done Refusal = iota
	NotReady
	NotNow // the hero is stunned, silenced or dead, or the arena is paused
	NoTarget
	TooFar
	Immune // the target resisted, by diminishing returns or an immunity
	NothingToDo
)

// Cast makes a hero cast an ability at the hero's target. An ability for friends applies to the
// hero itself if the target is not a friend. Cast reads from the engine whether the hero can act;
// for example, a stunned hero has a tag.
func (w *World) Cast(u *Unit, what Ability) Refusal {
	if what >= Abilities || u.Dead || w.arenas[u.Arena].paused || w.has(u, w.stunned) || w.has(u, w.silenced) {
		return NotNow
	}
	if w.has(u, w.breathing) || w.has(u, w.cooling[what]) {
		return NotReady
	}
	s := &Skills[what]
	to, no := w.aim(u, s)
	if no != Done {
		return no
	}
	if what == Cleanse {
		no = w.cleanse(u, to)
	} else if !w.add(to.ID, buff.Application{Spec: w.skills[what], Source: u.ID}) {
		no = Immune
	}
	if no == NothingToDo {
		return no
	}
	w.add(u.ID, buff.Application{Spec: w.cooldown[what], Source: u.ID})
	w.add(u.ID, buff.Application{Spec: w.breath, Source: u.ID})
	u.face(to)
	w.tell(Fact{Kind: Cast, What: uint8(what), Source: u.ID, Target: to.ID})
	return no
}

// has reports whether a unit has a tag. It also returns true if the unit is busy, because the tags
// of a busy unit cannot be read.
func (w *World) has(u *Unit, tag buff.Tag) bool {
	has, err := w.eng.HasTag(u.ID, tag)
	return has || err != nil
}

// aim returns the target of an ability, or the reason why there is none.
func (w *World) aim(u *Unit, s *Skill) (*Unit, Refusal) {
	to := w.Unit(u.Target)
	switch {
	case s.Aim == AtSelf:
		return u, Done
	case to == nil || to.Dead || to.Arena != u.Arena:
		if to = u; s.Aim == AtFoe {
			return nil, NoTarget
		}
	case s.Aim == AtFriend && to.foe(u):
		to = u
	case s.Aim == AtFoe && !to.foe(u):
		return nil, NoTarget
	}
	if to != u && u.distance(to) > s.Range+to.girth() {
		return nil, TooFar
	}
	return to, Done
}

// cleanse removes buffs from a unit. Unlike the other abilities, it does not apply a buff but uses
// a command of the engine.
func (w *World) cleanse(u, to *Unit) Refusal {
	q := buff.Query{Polarity: define.Negative, Most: 2, Newest: true}
	if u.foe(to) {
		q.Polarity, q.Most = define.Positive, 1
	}
	if r := w.eng.Do(buff.Dispel(to.ID, q)); r.Failure != nil || r.Amount == 0 {
		return NothingToDo
	}
	return Done
}

// fight makes a unit attack its target, if it can.
func (w *World) fight(u *Unit) {
	to := w.Unit(u.Target)
	if to == nil || to.Dead || !u.foe(to) || w.arenas[u.Arena].clock < u.swing {
		return
	}
	arm := &arms[u.Class]
	if u.distance(to) > arm.reach+to.girth() || w.has(u, w.stunned) {
		return
	}
	u.swing = w.arenas[u.Arena].clock + wheel.Time(arm.every/time.Millisecond)
	u.face(to)
	w.add(to.ID, buff.Application{Spec: w.arms[u.Class], Source: u.ID})
}

func (u *Unit) distance(o *Unit) float64 { return math.Hypot(u.X-o.X, u.Y-o.Y) }

// girth returns the radius of a unit's body, which is 0 for a hero. Other units measure the
// distance to the edge of the body.
func (u *Unit) girth() float64 {
	if u.Hero() {
		return 0
	}
	return 2
}

func (u *Unit) face(o *Unit) {
	if o != u {
		u.Facing = math.Atan2(o.Y-u.Y, o.X-u.X)
	}
}
