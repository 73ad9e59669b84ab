package game

import "math"

// stones are the positions of the four stones. A squad fights either the King or at a stone.
var stones = [4][2]float64{{22, 15}, {68, 15}, {22, 45}, {68, 45}}

// goal returns the place where a unit's squad fights, and whether the squad fights the King.
func (a *arena) goal(u *Unit) (x, y float64, king bool) {
	squad := u.Squad / 2 // number of the squad within its side
	if squad%20 < 3 && !a.king.Dead {
		return a.king.X, a.king.Y, true
	}
	at := stones[squad%len(stones)]
	return at[0], at[1], false
}

// scatter returns a random position near the goal of a hero's squad.
func (w *World) scatter(a *arena, u *Unit) (x, y float64) {
	x, y, king := a.goal(u)
	reach := 3 + 5*w.dice.Float64()
	if king {
		reach = 4 + 6*w.dice.Float64()
	}
	angle := math.Pi*(float64(1-u.Side)+0.5) + (w.dice.Float64()-0.5)*math.Pi*0.95
	return x + reach*math.Cos(angle), y + reach*math.Sin(angle)
}

// decide chooses a bot's target, ability and destination.
func (w *World) decide(a *arena, u *Unit) {
	gx, gy, king := a.goal(u)
	w.choose(a, u, king)
	w.useSome(a, u)
	to := w.Unit(u.Target)
	reach := arms[u.Class].reach
	switch {
	case to != nil && u.foe(to):
		d := u.distance(to) - to.girth()
		switch {
		case d > reach*0.9:
			w.Go(u, to.X, to.Y)
		case reach > 5 && d < reach*0.35 && w.dice.IntN(3) == 0: // too near, so step back
			w.Go(u, u.X+(u.X-to.X), u.Y+(u.Y-to.Y))
		case w.dice.IntN(6) == 0: // move a little
			w.Go(u, u.X+w.dice.Float64()*4-2, u.Y+w.dice.Float64()*4-2)
		default:
			u.going = false
		}
	case math.Hypot(gx-u.X, gy-u.Y) > 4:
		w.Go(u, gx+w.dice.Float64()*6-3, gy+w.dice.Float64()*6-3)
	}
}

// choose sets a bot's target.
func (w *World) choose(a *arena, u *Unit, king bool) {
	if to := w.Unit(u.Target); to != nil && !to.Dead && u.foe(to) && u.distance(to) < 18 && w.dice.IntN(12) != 0 {
		return
	}
	u.Target = 0
	if king && !a.king.Dead && w.dice.IntN(8) != 0 {
		u.Target = a.king.ID
		return
	}
	foe := func(o *Unit) bool { return o.foe(u) && !o.Dead }
	// Consider the targets of squad members first, so that a squad concentrates on one foe.
	for _, f := range a.squads[u.Squad] {
		if t := w.Unit(f.Target); f != u && t != nil && foe(t) && t.Hero() && u.distance(t) < 14 && w.dice.IntN(2) == 0 {
			u.Target = t.ID
			return
		}
	}
	if near := w.nearest(a, u, 16, foe); near != nil {
		u.Target = near.ID
	}
}

// useSome makes a bot cast one of its abilities, if one is useful now.
func (w *World) useSome(a *arena, u *Unit) {
	if w.has(u, w.breathing) || w.dice.IntN(3) == 0 {
		return
	}
	if weak := w.weakest(a, u); weak != nil && (u.Class == Cleric || weak == u || w.dice.IntN(4) == 0) && w.help(u, weak) {
		return
	}
	to := w.Unit(u.Target)
	if to == nil || !u.foe(to) {
		return
	}
	switch roll := w.dice.IntN(100); {
	case (u.Class == Hexer || u.Class == Ranger) && roll < 30:
		w.Cast(u, Venom)
	case (u.Class == Blade || u.Class == Warden) && to.Hero() && roll < 30:
		w.Cast(u, Stun)
	case u.Class == Warden && roll < 36:
		w.Cast(u, Banner)
	case to.Class == Cleric && roll < 40 || to.Class == Hexer && roll < 15:
		w.Cast(u, Silence)
	case u.distance(to) > arms[u.Class].reach+2 && roll < 60:
		w.Cast(u, Haste)
	case to.Hero() && roll > 96:
		w.Cast(u, Cleanse)
	case roll > 90:
		w.Cast(u, Venom)
	}
}

// weakest returns the living unit with the lowest health in a bot's squad, or nil if no unit needs
// help. If the bot is a cleric, "weakest" also considers other friends nearby.
func (w *World) weakest(a *arena, u *Unit) (weak *Unit) {
	least := 0.8
	see := func(o *Unit) {
		if part := o.Health / o.Most; !o.Dead && !o.foe(u) && part < least && u.distance(o) < Skills[Renew].Range {
			weak, least = o, part
		}
	}
	for _, o := range a.squads[u.Squad] {
		see(o)
	}
	if u.Class == Cleric {
		a.ground.around(u.X, u.Y, 9, see)
	}
	return weak
}

// help makes a unit cast a helpful ability on a weak friend, and reports whether it has cast an
// ability.
func (w *World) help(u, weak *Unit) bool {
	was := u.Target
	u.Target = weak.ID
	defer func() { u.Target = was }()
	if weak.Health < weak.Most/2 && w.Cast(u, Barrier) == Done {
		return true
	}
	if u.Class == Cleric && w.dice.IntN(3) == 0 && w.Cast(u, Cleanse) == Done {
		return true
	}
	return w.Cast(u, Renew) == Done
}

var (
	firstNames = [...]string{"Asa", "Bran", "Cyra", "Dag", "Edda", "Finn", "Gudrun", "Hal", "Isolde", "Jory", "Kaja", "Leif", "Mira", "Nils", "Orla", "Perrin", "Runa", "Sten", "Tove", "Ulf", "Vigdis", "Wren", "Yrsa", "Zora", "Alrik"}
	lastNames  = [...]string{"Ash", "Bright", "Coldwater", "Dusk", "Elm", "Fell", "Grim", "Hollow", "Iron", "Jay", "Kestrel", "Lark", "Moss", "North", "Oak", "Pike", "Quill", "Reed", "Storm", "Thorn", "Vale", "Wolf", "Yew"}
)

// heroName returns the name of the k-th hero.
func heroName(k int) string {
	k *= 7919 // 7919 is a prime, so neighbours get different names
	return firstNames[k%len(firstNames)] + " " + lastNames[k/len(firstNames)%len(lastNames)]
}
