package game

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
)

// Icons are the names of icons. A [Fact] refers to an icon by its index in this list.
var Icons = [...]string{
	"", "venom", "renew", "rend", "hex", "doom", "slash", "shot", "bolt", "smite", "strike", "maul", "quake", "reckoning",
}

func (w *World) nameIcons() {
	w.icons = map[string]uint8{}
	for k, name := range Icons {
		w.icons[name] = uint8(k)
	}
}

// learn updates the world from the events of a frame, and records the visible events as facts.
func (w *World) learn(f *engine.Frame) {
	w.now = f.Now
	for e := range f.Events() {
		w.count(&e)
		u := w.Unit(e.Owner)
		switch {
		case e.Kind == buff.Changed && e.Attr == w.health && e.Name == "health":
			w.changed(u, &e)
		case e.Kind == buff.Removed && e.Why == reason.Death && is(e.Spec, w.life):
			w.fell(u)
		case e.Kind == buff.Removed && e.Why == reason.Expired && is(e.Spec, w.fallen):
			w.revive(u)
			w.tell(Fact{Kind: Rose, Target: u.ID})
		case e.Kind == buff.Removed && e.Why == reason.Expired && is(e.Spec, w.tremor):
			w.shake(&w.arenas[u.Arena])
		case e.Kind == buff.Denied && e.Why == reason.Diminished:
			w.tell(Fact{Kind: Resisted, What: 255, Source: e.Source, Target: e.Owner})
		}
	}
}

func (w *World) tell(f Fact) { w.facts = append(w.facts, f) }

// count adds an event to the digest.
func (w *World) count(e *buff.Event) {
	mix := func(v uint64) { w.digest = (w.digest ^ v) * 1099511628211 }
	mix(uint64(e.At))
	mix(uint64(e.Owner)<<8 | uint64(e.Kind))
	mix(uint64(e.Source))
	if e.Spec != nil {
		mix(uint64(e.Spec.Lineage()))
	}
	mix(math.Float64bits(e.Value))
}

// changed records a change of a unit's health, and reports the hit, heal or absorption to the
// viewers.
func (w *World) changed(u *Unit, e *buff.Event) {
	u.Health = e.Value
	if e.Spec == nil {
		return
	}
	what := w.icons[e.Spec.ID]
	by := func(v float64) uint16 { return uint16(min(math.Abs(v), math.MaxUint16)) }
	f := Fact{Kind: Hurt, What: what, Source: e.Source, Target: u.ID, Amount: by(e.Delta)}
	switch {
	case e.Delta > 0:
		f.Kind = Healed
	case e.Delta == 0 && e.Magnitude == 0:
		return // the heal has no effect, because the unit has full health
	default:
		for k, arm := range w.arms {
			if is(e.Spec, arm) {
				f.Kind, f.What = Struck, uint8(k)
			}
		}
	}
	if e.Delta != 0 {
		w.tell(f)
	}
	if e.Magnitude > 0 {
		f.Kind, f.Amount = Absorbed, by(float64(e.Magnitude))
		w.tell(f)
	}
}

// fell records the death of a unit.
func (w *World) fell(u *Unit) {
	u.Dead, u.Health, u.Moving, u.going, u.Target = true, 0, false, false, 0
	w.tell(Fact{Kind: Fell, Target: u.ID})
	if a := &w.arenas[u.Arena]; u.Hero() {
		w.add(u.ID, buff.Application{Spec: w.fallen, Source: u.ID})
	} else {
		a.risen, a.angry = a.clock+15*second, false
	}
}
