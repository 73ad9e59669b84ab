package judge

import (
	"cmp"
	"math/big"
	"slices"
)

// §1.5, area auras: "aura {radius, interval: 500ms, linger}; engine asks a user-supplied query; members get a linked instance, removed
// linger after leaving". And §1.1, zones: "per-buff, per-owner and per-zone pause and rate".

// aura is what a buff gives those around its owner. Here the steps near and far say who is there, whatever the radius.
type aura struct {
	Apply            string
	Radius           float64
	Interval, Linger span
}

// hold is one bearer who gives an owner a buff by an aura.
type hold struct {
	bearer  *owner
	by      []*instance // his auras that have found this owner
	stacks  int         // that he has brought
	leaving bool
	ends    int64 // then, in the buff's own time
}

// departure is an aura that has ended: those who have something of it leave.
type departure struct {
	bearer *owner
	aura   *instance
	at     int64
}

// auraEnds notes that the aura of a buff is over, if it has one.
func (o *owner) auraEnds(b *instance) {
	if b.def.Aura != nil {
		o.all.left = append(o.all.left, departure{o, b, o.stamp})
	}
}

// look is what auras do at the end of a frame: "engine asks a user-supplied query", every interval from the aura's beginning on; of several
// looks that were due in a frame there is the last. Those in the area get the buff, and whoever is not there any more loses it, a linger after
// the look at which he was missed.
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
	slices.SortStableFunc(all, func(a, b sight) int { // "cause time, causing owner, issue number"
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Index(w.owners, a.bearer)-slices.Index(w.owners, b.bearer), cmp.Compare(a.aura.born, b.aura.born))
	})
	for _, s := range all {
		s.in = s.in && s.aura.works() && !s.aura.standing() && !s.bearer.clock.held
		if s.aura.gone { // if it wanted to look, it went with an aura before it
			s.in = false
			w.left = slices.DeleteFunc(w.left, func(d departure) bool {
				if d.aura == s.aura {
					s.at = d.at
				}
				return d.aura == s.aura
			})
		}
		for _, enter := range []bool{false, true} {
			for _, o := range w.owners {
				if in := s.in && w.near[[2]string{s.bearer.name, o.name}]; o.away || in != enter {
					continue
				}
				if enter {
					o.entersAura(s.bearer, s.aura)
				} else {
					o.leavesAura(s.bearer, s.aura, now-s.at)
				}
				o.settle()
				o.rounds()
				w.deliver()
			}
		}
	}
}

// birth counts the auras.
func (w *world) birth() int64 {
	w.births++
	return w.births
}

// lingers says whether nobody gives the buff any more who gave it by an aura, and when it will end.
func (b *instance) lingers() (end int64, yes bool) {
	for _, h := range b.holds {
		if !h.leaving {
			return 0, false
		}
		end = max(end, h.ends)
	}
	return end, len(b.holds) > 0
}

// heldBy is what an owner has of a bearer's auras that give a definition.
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

// entersAura gives an owner what an aura gives, unless he has it of that bearer.
func (o *owner) entersAura(bearer *owner, b *instance) {
	if _, h := o.heldBy(bearer, b.def.Aura.Apply); h != nil {
		if h.leaving = false; !slices.Contains(h.by, b) {
			h.by = append(h.by, b)
		}
		return
	}
	o.apply(application{
		id: b.def.Aura.Apply, source: bearer.name, magnitude: b.magnitude, level: b.level, chain: chain{known: b.known}, hold: &hold{bearer: bearer, by: []*instance{b}},
	})
}

// leavesAura lets a linger begin, which has lasted for a while, unless another aura of that bearer gives the same.
func (o *owner) leavesAura(bearer *owner, a *instance, since int64) {
	b, h := o.heldBy(bearer, a.def.Aura.Apply)
	if h == nil || h.leaving {
		return
	}
	if h.by = without(h.by, a); len(h.by) > 0 {
		return
	}
	h.leaving = true
	now := b.clock(o.own)
	if h.ends = now + int64(a.def.Aura.Linger) - since; h.ends <= now {
		o.lets(b, h)
	}
}

// letsGo ends a buff with the last linger, and with all that end in that instant.
func (o *owner) letsGo(b *instance) {
	b.holds = nil
	o.remove(b, "out_of_aura", "")
}

// lets takes away what a bearer has brought; the buff goes with the last of them.
func (o *owner) lets(b *instance, h *hold) {
	b.holds = slices.DeleteFunc(b.holds, func(other *hold) bool { return other == h })
	if len(b.holds) == 0 {
		o.letsGo(b)
	} else if n := min(h.stacks, b.count()-1); n > 0 { // the last one goes with the last bearer
		o.take(b, n, "out_of_aura")
	}
}

// held notes who gives a buff.
func (b *instance) held(h *hold, stacks int) {
	if h != nil {
		h.stacks = stacks
		b.holds = append(b.holds, h)
	}
}

// pace is how fast a time passes beside another one.
type pace struct {
	rate *big.Rat
	held bool
}

func newPace() *pace { return &pace{rate: big.NewRat(1, 1)} }

// repace lets an owner's time pass as he himself and his zone have it: rates are multiplied, and each pause stops it.
func (o *owner) repace() {
	z := o.all.paceOf(o.zone)
	o.clock.change(o.world, new(big.Rat).Mul(o.mine.rate, z.rate), o.mine.held || z.held)
}

func (w *world) paceOf(zone int64) *pace {
	if w.zones[zone] == nil {
		w.zones[zone] = newPace()
	}
	return w.zones[zone]
}

// place is a step that says where somebody is, or what a zone does to the time of those in it. It reports whether it was one.
func (w *world) place(o *owner, st step) bool {
	switch {
	case st.Near != "":
		w.near[[2]string{st.Near, o.name}] = true
	case st.Far != "":
		delete(w.near, [2]string{st.Far, o.name})
	case st.PauseZone != nil:
		w.repace(*st.PauseZone, func(p *pace) { p.held = true })
	case st.ResumeZone != nil:
		w.repace(*st.ResumeZone, func(p *pace) { p.held = false })
	case st.RateZone != nil:
		var to ratio
		if err := to.UnmarshalJSON(st.To); err != nil {
			panic(err)
		}
		w.repace(*st.RateZone, func(p *pace) { p.rate = to.Rat })
	default:
		return false
	}
	return true
}

func (w *world) repace(zone int64, change func(*pace)) {
	change(w.paceOf(zone))
	for _, o := range w.owners {
		if !o.away && o.zone == zone {
			o.repace()
		}
	}
}

// enters: "on_zone: keep (default) / remove", of those who go elsewhere.
func (o *owner) enters(zone int64) {
	if zone == o.zone {
		if zone != 0 {
			o.all.mark(markZoneSame)
		}
		return
	}
	o.zone = zone
	o.repace()
	o.own = o.clock.now(o.world)
	for _, b := range o.carried() {
		if b.def.OnZone == "remove" {
			o.remove(b, "interrupt", "")
		}
	}
}
