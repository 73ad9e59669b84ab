package buff

import (
	"fmt"
	"maps"
	"slices"
)

// hooks checks and compiles the lists of actions.
func (k *checker) hooks(s *Spec) {
	h := &s.On
	if len(h.Exec) > 0 && s.Kind != Instant {
		k.failf("on.exec", "is for instant buffs, and this one is %v", s.Kind)
	}
	if s.Kind == Instant {
		for _, u := range []struct {
			field string
			used  bool
		}{
			{"on.apply", len(h.Apply) > 0},
			{"on.refresh", len(h.Refresh) > 0},
			{"on.overflow", len(h.Overflow) > 0},
			{"on.remove", len(h.Remove)+len(h.RemoveAny) > 0},
		} {
			if u.used {
				k.failf(u.field, "an instant buff is never carried: use on.exec")
			}
		}
	}
	s.apply = k.ops("on.apply", &h.Apply)
	s.refresh = k.ops("on.refresh", &h.Refresh)
	s.pulse = k.ops("on.pulse", &h.Pulse)
	s.exec = k.ops("on.exec", &h.Exec)
	s.overflow = append(s.overflow, k.ops("on.overflow", &h.Overflow)...)
	anyway := k.ops("on.remove.any", &h.RemoveAny)
	h.Remove = maps.Clone(h.Remove)
	for r := NoReason + 1; r <= lastRemoval; r++ {
		list, ok := h.Remove[r]
		s.remove[r] = append(k.ops("on.remove."+r.String(), &list), anyway...)
		if ok {
			h.Remove[r] = list
		}
	}
	for _, r := range slices.Sorted(maps.Keys(h.Remove)) {
		if !r.Removes() {
			k.failf("on.remove."+r.String(), "is not a reason that ends a buff")
		}
	}
}

// ops compiles a list and replaces it by a copy.
func (k *checker) ops(field string, list *[]Action) []op {
	*list = slices.Clone(*list)
	ops := make([]op, 0, len(*list))
	for i, a := range *list {
		o := op{do: a.Do}
		at := fmt.Sprintf("%s[%d].%v", field, i, a.Do)
		switch a.Do {
		case DoCall:
			if a.Name == "" {
				k.failf(at, "the handler's name is missing")
			}
			o.handler = k.catalog.handler(a.Name)
		case DoApply:
			o.spec = k.ref(at, a.Name)
		case DoRemove:
			o.spec = k.ref(at, a.Name)
			o.reason = a.Reason
			if a.Reason == NoReason {
				o.reason = Cancelled
			} else if !a.Reason.Removes() {
				k.failf(fmt.Sprintf("%s[%d].reason", field, i), "%v is not a reason that ends a buff", a.Reason)
			}
		case DoKill:
		case DoChange, DoDamage:
			o.change = k.change(at, field, &(*list)[i])
		default:
			k.failf(at, "%v is not an action", a.Do)
		}
		ops = append(ops, o)
	}
	return ops
}
