package buff

import (
	"math"

	"github.com/bufftick/bufftick/buff/define"
)

// charges checks what may be used.
func (k *checker) charges(s *Spec) {
	c := &s.Charges
	if c.N != 0 {
		k.within("charges.n", c.N, 1, define.MaxStacks)
		return
	}
	if len(c.ConsumeOn) > 0 {
		k.failf("charges.consume_on", "needs charges")
	}
	if c.Refresh != define.ChargesReset {
		k.failf("charges.on_refresh", "%v needs charges", c.Refresh)
	}
}

// shield checks what absorbs.
func (k *checker) shield(s *Spec) {
	h := &s.Shield
	if h.Pool < 0 {
		k.failf("shield.pool", "must not be below zero, and is %d", h.Pool)
	}
	if !h.On && !noShield(h) {
		k.failf("shield", "is not On")
	}
}

// aura checks what is applied to those around the owner.
func (k *checker) aura(s *Spec) {
	a := &s.Aura
	switch {
	case *a == define.Aura{}:
		return
	case a.Apply == "":
		k.failf("aura.apply", "missing")
	case a.Apply == s.ID:
		k.failf("aura.apply", "an aura may not apply its own definition")
	default:
		switch of := k.catalog.byID[a.Apply]; { // that there is one, compile sees
		case of == nil:
		case of.Kind == define.Instant: // see Spec.joinable
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

// params checks the numbers that come with an application.
func (k *checker) params(s *Spec) {
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
		k.keep(field, p.Name, &p.Value)
	}
}
