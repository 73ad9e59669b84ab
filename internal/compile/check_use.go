package compile

import (
	"math"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// charges checks the charges.
func (k *checker) charges(s *Program) {
	c := &s.Charges
	if c.N != 0 {
		k.within("charges.n", c.N, 1, define.MaxStacks)
		k.beat("charges.recharge", c.Recharge)
		return
	}
	if c.Recharge != 0 {
		k.failf("charges.recharge", "needs charges")
	}
	if len(c.ConsumeOn) > 0 {
		k.failf("charges.consume_on", "needs charges")
	}
	if c.Refresh != define.ChargesReset {
		k.failf("charges.on_refresh", "%v needs charges", c.Refresh)
	}
}

// shield checks and compiles the shield.
func (k *checker) shield(s *Program) {
	h := &s.Shield
	if h.Pool < 0 {
		k.failf("shield.pool", "must not be below zero, and is %d", h.Pool)
	}
	if !h.On && !noShield(h) {
		k.failf("shield", "is not On")
	}
	if h.Share != 0 {
		k.within("shield.share", h.Share, 1, 100)
	}
	if h.Floor < 0 {
		k.failf("shield.floor", "must not be below zero, and is %d", h.Floor)
	}
	if h.Cap < 0 {
		k.failf("shield.cap", "must not be below zero, and is %d", h.Cap)
	}
	if !noShield(h) {
		s.shield = &shielding{schools: k.tagList("shield.schools", &h.Schools), attrs: k.shieldAttrs(h)}
	}
}

// shieldAttrs returns the attributes that a shield protects. By default, these are all attributes
// with AtMinKill.
func (k *checker) shieldAttrs(h *define.Shield) (attrs []stat.Attr) {
	h.Attrs = slices.Clone(h.Attrs)
	for i, name := range h.Attrs {
		field := element("shield.attrs", i)
		if slices.Contains(h.Attrs[:i], name) {
			k.failf(field, "%q is in the list already", name)
		}
		attrs = append(attrs, k.attr(field, name))
	}
	if len(h.Attrs) == 0 {
		for i := range k.catalog.Attributes {
			if k.catalog.Attributes[i].AtMin == define.AtMinKill {
				attrs = append(attrs, stat.Attr(i+1))
			}
		}
	}
	return attrs
}

// aura checks the aura.
func (k *checker) aura(s *Program) {
	a := &s.Spec.Aura
	switch {
	case *a == define.Aura{}:
		return
	case a.Apply == "":
		k.failf("aura.apply", "missing")
	case a.Apply == s.ID:
		k.failf("aura.apply", "an aura may not apply its own definition")
	default:
		switch of := k.catalog.ByID[a.Apply]; { // compile reports a missing definition
		case of == nil:
		case of.Kind == define.Instant: // see Program.AuraCanApply
			k.failf("aura.apply", "%q is instant: there would be nothing to take away", a.Apply)
		case of.Stack.Timers != define.TimersShared:
			k.failf("aura.apply", "%q has timers %v, but a member of an aura has no end of its own", a.Apply, of.Stack.Timers)
		}
	}
	switch {
	case a.Radius == 0:
		k.failf("aura.radius", "missing: how far it reaches")
	case !(a.Radius > 0) || math.IsInf(a.Radius, 0):
		k.failf("aura.radius", "must be above zero and finite, not %v", a.Radius)
	}
	if a.Interval == 0 {
		k.failf("aura.interval", "missing: how often the area is looked at")
	}
	k.beat("aura.interval", a.Interval)
	if a.Linger < 0 {
		k.failf("aura.linger", "must not be below zero, and is %v", a.Linger)
		return
	}
	k.whole("aura.linger", a.Linger)
}

// params checks and compiles the parameters.
func (k *checker) params(s *Program) {
	if n := len(s.Params); n > define.MaxParams {
		k.failf("params", "%d are more than %d", n, define.MaxParams)
	}
	seen := make(map[string]bool, len(s.Params))
	for i, p := range s.Params {
		field := "params." + p.Name
		switch {
		case p.Name == "":
			field = element("params", i)
			k.failf(field, "the name is empty")
		case seen[p.Name]:
			k.failf(field, "there is one of that name already")
		}
		seen[p.Name] = true
		k.keep(field, k.named(p.Name), &p.Value)
	}
}

// save checks the rules for saving the buff when its owner leaves.
func (k *checker) save(s *Program) {
	v := &s.Save
	k.whole("save.if_remaining", v.IfRemaining)
	switch given := v.IfRemaining != 0; {
	case given && v.Mode != define.SaveIfRemaining:
		k.failf("save.if_remaining", "is for mode if_remaining, not %v", v.Mode)
	case !given && v.Mode == define.SaveIfRemaining:
		k.failf("save.if_remaining", "missing: mode if_remaining needs it")
	}
	if !isWord(v.Compensate) {
		k.failf("save.compensate", "the name of a class must not have spaces or control characters")
	}
	if s.Clock == define.Wall && v.Mode == define.SaveNever {
		k.failf("save.mode", "never means nothing with clock wall, which goes on while the owner is away")
	}
	if v.Offline != define.OfflineNone && !s.Pulses() {
		k.failf("save.offline_pulses", "%v needs a period", v.Offline)
	}
	switch {
	case v.OfflineCap == 0:
	case v.Offline != define.OfflineAll:
		k.failf("save.offline_pulses.all", "is the most that all gives, not %v", v.Offline)
	default:
		k.within("save.offline_pulses.all", v.OfflineCap, 1, maxCount)
	}
}

// links checks and compiles the links.
func (k *checker) links(s *Program) {
	if n := len(s.Spec.Links); n > define.MaxLinks {
		k.failf("links", "%d are more than %d", n, define.MaxLinks)
	}
	s.Spec.Links = slices.Clone(s.Spec.Links)
	for i, id := range s.Spec.Links[:min(len(s.Spec.Links), define.MaxLinks)] {
		field := element("links", i)
		of := k.ref(field, id)
		switch {
		case of == nil:
			continue
		case id == s.ID:
			k.failf(field, "a buff may not be its own link")
		case of.Kind == define.Instant:
			k.failf(field, "%q is instant: there would be nothing to take away; use on.apply", id)
		case slices.Contains(s.Spec.Links[:i], id):
			k.failf(field, "%q is in the list already", id)
		}
		s.Links = append(s.Links, of)
	}
}

// linkRings reports definitions that link to one another in a ring, each ring once. An application
// of one of them would never finish.
func (k *checker) linkRings() {
	const (
		fresh = iota
		onPath
		done
	)
	state := map[*Program]uint8{}
	var path []*Program
	var walk func(s *Program)
	walk = func(s *Program) {
		switch state[s] {
		case done:
			return
		case onPath:
			ring := path[slices.Index(path, s):]
			if len(ring) == 1 {
				return // [checker.links] has reported it
			}
			names := make([]string, 0, len(ring)+1)
			for _, r := range append(slices.Clone(ring), s) {
				names = append(names, r.ID)
			}
			k.current = s
			k.failf("links", "they form a cycle: %s", strings.Join(names, ", "))
			return
		}
		state[s] = onPath
		path = append(path, s)
		for _, l := range s.Links {
			walk(l)
		}
		path = path[:len(path)-1]
		state[s] = done
	}
	for _, s := range k.catalog.Programs {
		if len(s.Links) > 0 {
			walk(s)
		}
	}
}
