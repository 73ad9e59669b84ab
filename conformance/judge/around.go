package judge

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// Section 1.5 of the rules: an area aura searches for owners at each interval. It gives nearby
// owners a buff, and removes the buff when the linger time after they left has passed. Section 1.1:
// areas have a pause and a rate.

// aura is the field `aura` of a definition. The radius has no effect here, because the steps "near"
// and "far" decide which owners are in range.
type aura struct {
	Apply            string
	Radius           float64
	Interval, Linger span
}

// hold ties a buff to one bearer of the aura that has applied the buff.
type hold struct {
	bearer  *owner
	stacks  int   // number of stacks that the bearer's aura has added
	leaving bool  // the owner has left the bearer's aura
	ends    int64 // if leaving is true: the end of the linger time, in the buff's own time
}

// member is an owner that the last search of an aura has found.
type member struct {
	o, bearer *owner
	aura      *instance
}

// departure is the end of an aura. Its members then leave the aura.
type departure struct {
	bearer *owner
	aura   *instance
	at     int64
}

// auraEnds records that a buff with an aura has ended.
func (o *owner) auraEnds(b *instance) {
	if b.def.Aura != nil {
		o.all.left = append(o.all.left, departure{o, b, o.stamp})
	}
}

// look runs the due searches of all auras at the end of a frame. An aura searches at regular
// intervals after its start. If several searches of an aura are due in one frame, only the last
// search runs. Owners in range get the buff. An owner that is out of range loses the buff when the
// linger time has passed since the first search that did not find the owner. Each result is a
// command for the owner, even if the owner already has the buff or has refused it.
func (w *world) look(now int64) {
	type sight struct {
		departure
		in bool
	}
	var all []sight
	for _, o := range w.owners {
		for _, b := range o.buffs {
			a := b.def.Aura
			if a == nil || b.look > now {
				continue
			}
			due := b.look + (now-b.look)/int64(a.Interval)*int64(a.Interval)
			b.look = due + int64(a.Interval)
			all = append(all, sight{departure{o, b, due}, true})
		}
	}
	for len(w.left) > 0 {
		d := w.left[0]
		w.left = w.left[1:]
		all = append(all, sight{d, false})
	}
	// Sort by the time of the search or departure, then by the bearer, then by the age of the aura.
	slices.SortStableFunc(all, func(a, b sight) int {
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Index(w.owners, a.bearer)-slices.Index(w.owners, b.bearer), cmp.Compare(a.aura.born, b.aura.born))
	})
	for _, s := range all {
		s.in = s.in && s.aura.works() && !s.aura.standing() && !s.bearer.clock.held
		if s.aura.gone { // an earlier command has removed this aura
			s.in = false
			w.left = slices.DeleteFunc(w.left, func(d departure) bool {
				if d.aura == s.aura {
					s.at = d.at
				}
				return d.aura == s.aura
			})
		}
		for _, enter := range []bool{false, true} {
			seen := s.bearer.values()
			for _, o := range w.owners {
				m := member{o, s.bearer, s.aura}
				in, was := s.in && !o.away && w.near[[2]string{s.bearer.name, o.name}], w.members[m]
				switch {
				case in != enter:
					continue
				case in:
					w.members[m] = true
					w.of(o, func() { o.entersAura(s.bearer, s.aura, maps.Clone(seen)) })()
				case was:
					delete(w.members, m)
					if !w.inAnother(m) {
						w.of(o, func() { o.leavesAura(s.bearer, s.aura, now-s.at) })()
					}
				}
				w.deliver()
			}
		}
	}
}

// inAnother reports whether the owner is also a member of another aura of the same bearer that
// applies the same definition.
func (w *world) inAnother(m member) bool {
	for other := range w.members {
		if other.o == m.o && other.bearer == m.bearer && other.aura.def.Aura.Apply == m.aura.def.Aura.Apply {
			return true
		}
	}
	return false
}

// birth returns a number for an aura that starts. The numbers increase in the order in which auras
// start.
func (w *world) birth() int64 {
	w.births++
	return w.births
}

// lingers reports whether the owner has left every aura that holds the buff. If so, end is the time
// at which the buff ends.
func (b *instance) lingers() (end int64, yes bool) {
	for _, h := range b.holds {
		if !h.leaving {
			return 0, false
		}
		end = max(end, h.ends)
	}
	return end, len(b.holds) > 0
}

// heldBy returns the owner's instance of a definition that an aura of the bearer has applied, and
// the bearer's hold on this instance. It returns nil if there is no such instance.
func (o *owner) heldBy(bearer *owner, id string) (*instance, *hold) {
	for _, b := range o.buffs {
		if b.def.ID != id {
			continue
		}
		for _, h := range b.holds {
			if h.bearer == bearer {
				return b, h
			}
		}
	}
	return nil, nil
}

// entersAura applies the definition of aura b to an owner, unless the owner already has the buff
// from this bearer. The application uses the given attributes of the bearer, which were read before
// the first owner entered.
func (o *owner) entersAura(bearer *owner, b *instance, seen map[string]float64) {
	if _, h := o.heldBy(bearer, b.def.Aura.Apply); h != nil {
		h.leaving = false
		return
	}
	known := &knowledge{last: seen, look: true}
	if b.known != nil {
		known.cast = b.known.cast
	}
	if known.cast == nil && b.source == bearer.name { // the bearer has adopted the buff
		known.cast = seen
	}
	o.apply(application{
		id: b.def.Aura.Apply, source: bearer.name, magnitude: b.magnitude, level: b.level, chain: chain{known: known}, hold: &hold{bearer: bearer},
	})
}

// leavesAura starts the linger time of a buff. The parameter "since" is the part of the linger time
// that has already passed, in ms.
func (o *owner) leavesAura(bearer *owner, a *instance, since int64) {
	b, h := o.heldBy(bearer, a.def.Aura.Apply)
	if h == nil || h.leaving {
		return
	}
	h.leaving = true
	now := b.clock(o.own)
	if h.ends = now + int64(a.def.Aura.Linger) - since; h.ends <= now {
		o.lets(b, h)
	}
}

// endLinger ends a buff whose last linger time has ended.
func (o *owner) endLinger(b *instance) {
	b.holds = nil
	o.remove(b, "out_of_aura", "")
}

// lets releases a buff from the aura of one bearer. It removes the stacks that this aura has
// added. If no other bearer holds the buff, it removes the buff.
func (o *owner) lets(b *instance, h *hold) {
	b.holds = slices.DeleteFunc(b.holds, func(other *hold) bool { return other == h })
	if len(b.holds) == 0 {
		o.endLinger(b)
	} else if n := min(h.stacks, b.count()-1); n > 0 { // the last stack ends with the last bearer
		o.take(b, n, "out_of_aura")
	}
}

// held adds a bearer's hold to the buff. A nil h has no effect.
func (b *instance) held(h *hold, stacks int) {
	if h != nil {
		h.stacks = stacks
		b.holds = append(b.holds, h)
	}
}

// pace is the rate and the pause of an owner or an area.
type pace struct {
	rate *big.Rat
	held bool
}

func newPace() *pace { return &pace{rate: big.NewRat(1, 1)} }

// repace applies the paces of an owner and of its area to the owner's clock. The rate of the clock
// is the product of both rates, and a pause of either stops the clock.
func (o *owner) repace() {
	z := o.all.paceOf(o.area)
	o.clock.change(o.world, new(big.Rat).Mul(o.mine.rate, z.rate), o.mine.held || z.held)
}

func (w *world) paceOf(area int64) *pace {
	if w.areas[area] == nil {
		w.areas[area] = newPace()
	}
	return w.areas[area]
}

// place runs a step about positions or about the pace of an area, and returns true. For any other
// step it has no effect and returns false.
func (w *world) place(o *owner, st step) bool {
	switch {
	case st.Near != "":
		w.near[[2]string{st.Near, o.name}] = true
	case st.Far != "":
		delete(w.near, [2]string{st.Far, o.name})
	case st.PauseArea != nil:
		w.repace(*st.PauseArea, func(p *pace) { p.held = true })
	case st.ResumeArea != nil:
		w.repace(*st.ResumeArea, func(p *pace) { p.held = false })
	case st.RateArea != nil:
		var to ratio
		if err := to.UnmarshalJSON(st.To); err != nil {
			panic(err)
		}
		w.repace(*st.RateArea, func(p *pace) { p.rate = to.Rat })
	default:
		return false
	}
	return true
}

func (w *world) repace(area int64, change func(*pace)) {
	change(w.paceOf(area))
	for _, o := range w.owners {
		if !o.away && o.area == area {
			o.reread()
			o.repace()
		}
	}
}

// enters moves the owner to an area and ends the buffs with `on_area: remove`. It has no effect if
// the owner is already in this area.
func (o *owner) enters(area int64) {
	if area == o.area {
		if area != 0 {
			o.all.mark(markAreaSame)
		}
		return
	}
	o.area = area
	o.repace()
	o.own = o.clock.now(o.world)
	for _, b := range o.carried() {
		if b.def.OnArea == "remove" {
			o.remove(b, "interrupt", "")
		}
	}
}
