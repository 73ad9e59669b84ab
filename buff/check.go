package buff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// checker compiles definitions and gathers everything that is wrong with them.
type checker struct {
	catalog *Catalog
	current *Spec
	errs    SpecErrors
}

func (k *checker) failf(field, format string, args ...any) {
	id := k.current.ID
	if id == "" {
		id = fmt.Sprintf("#%d", k.current.index+1)
	}
	k.errs = append(k.errs, &SpecError{ID: id, Field: field, Text: fmt.Sprintf(format, args...)})
}

// id registers the definition under its ID.
func (k *checker) id(s *Spec) {
	k.current = s
	switch {
	case s.ID == "":
		k.failf("id", "missing")
	case strings.ContainsFunc(s.ID, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		k.failf("id", "must not have spaces or control characters") // it is one word of a log line
	case k.catalog.byID[s.ID] != nil:
		k.failf("id", "defined twice")
	default:
		k.catalog.byID[s.ID] = s
	}
}

func (k *checker) spec(s *Spec) {
	k.current = s
	k.kind(s)
	k.words(s)
	s.period = k.period(s)
	if s.Kind != Instant {
		k.stack(s)
	} else if !s.Stack.isZero() {
		k.failf("stack", "an instant buff is never carried, so it cannot stack")
	}
	k.hooks(s)
	k.compile(s)
	for _, f := range []struct {
		field string
		fate  *Fate
		def   Fate
		more  Fate
	}{
		{"on_death", &s.OnDeath, FateRemove, FatePause},
		{"on_source_gone", &s.OnSourceGone, FateKeep, FateAdopt},
		{"on_fault", &s.OnFault, FateKeep, FateKeep},
	} {
		if *f.fate > FateKeep && *f.fate != f.more {
			k.failf(f.field, "%v is not a fate", *f.fate)
		}
		if *f.fate == FateDefault {
			*f.fate = f.def
		}
	}
}

func (k *checker) kind(s *Spec) {
	switch s.Kind {
	case Timed:
		s.duration = k.span("duration", s.Duration)
	case Instant, Infinite:
		if s.Duration != 0 {
			k.failf("duration", "%v has no duration, but %v was given", s.Kind, s.Duration)
		}
	default:
		k.failf("duration", "%v is not a kind", s.Kind)
	}
}

// words finds values that have no word.
func (k *checker) words(s *Spec) {
	for _, f := range []struct {
		field string
		value fmt.Stringer
		known bool
	}{
		{"first", s.First, s.First <= FirstEvery},
		{"tail", s.Tail, s.Tail <= TailFit},
		{"stack.by", s.Stack.By, s.Stack.By <= ByKey},
		{"stack.refresh", s.Stack.Refresh, s.Stack.Refresh <= RefreshResidual},
		{"stack.phase", s.Stack.Phase, s.Stack.Phase <= PhaseExecute},
		{"stack.overflow", s.Stack.Overflow, s.Stack.Overflow <= OverflowReplace},
		{"stack.expire", s.Stack.Expire, s.Stack.Expire <= ExpireCount},
	} {
		if !f.known {
			k.failf(f.field, "%v is not one of the rules", f.value)
		}
	}
}

// span checks a span that must be there and returns it in milliseconds.
func (k *checker) span(field string, d time.Duration) int64 {
	switch {
	case d == 0:
		k.failf(field, "must be above zero (instant and infinite are said by name)")
	case d < 0:
		k.failf(field, "must be above zero, not %v", d)
	case d%time.Millisecond != 0:
		k.failf(field, "must be whole milliseconds, not %v", d)
	case d > MaxDuration:
		k.failf(field, "%v is above the limit of %v", d, MaxDuration)
	}
	return d.Milliseconds()
}

func (k *checker) period(s *Spec) int64 {
	if s.Period == 0 {
		if s.First != FirstNone && s.First <= FirstEvery {
			k.failf("first", "%v needs a period", s.First)
		}
		if s.Tail != TailNone && s.Tail <= TailFit {
			k.failf("tail", "%v needs a period", s.Tail)
		}
		if len(s.On.Pulse) > 0 {
			k.failf("on.pulse", "needs a period")
		}
		return 0
	}
	if s.Kind == Instant {
		k.failf("period", "an instant buff is never carried, so it cannot pulse")
	}
	if s.Period > 0 && s.Period < MinPeriod {
		k.failf("period", "%v is below the floor of %v", s.Period, MinPeriod)
	}
	return k.span("period", s.Period)
}

func (s *Stacking) isZero() bool {
	return s.By == 0 && s.Limit == 0 && s.Initial == 0 && s.Refresh == 0 && s.RefreshPct == 0 && s.Phase == 0 &&
		s.Overflow == 0 && len(s.OverflowApply) == 0 && s.Expire == 0 && s.Timers == 0 && s.Effective == 0 && s.RefreshCap == 0 &&
		s.ExpireN == 0 && s.Level == 0 && len(s.Thresholds) == 0
}

func (k *checker) stack(s *Spec) {
	st := &s.Stack
	s.limit, s.initial = int32(min(max(st.Limit, 1), MaxStacks)), int32(min(max(st.Initial, 1), MaxStacks))
	if st.Timers == TimersQueue && st.Limit == 0 {
		s.limit = MaxLayers
	}
	if st.Limit < 0 || st.Limit > MaxStacks {
		k.failf("stack.limit", "must be from 1 to %d, not %d", MaxStacks, st.Limit)
	}
	if st.Initial < 0 || s.initial > s.limit {
		k.failf("stack.initial", "must be from 1 to the limit of %d, not %d", s.limit, st.Initial)
	}
	pct := st.RefreshPct
	switch {
	case pct < 0 || pct > 100:
		k.failf("stack.refresh_pct", "must be from 1 to 100, not %d", pct)
	case pct != 0 && st.Refresh != RefreshPandemic:
		k.failf("stack.refresh_pct", "is for refresh pandemic, not %v", st.Refresh)
	case pct == 0:
		pct = 30
	}
	s.carry = s.duration * int64(pct) / 100
	if s.Kind == Infinite && st.Refresh != RefreshRestart && st.Refresh != RefreshNone {
		k.failf("stack.refresh", "%v means nothing for an infinite buff", st.Refresh)
	}
	if s.Kind == Infinite && st.Expire != ExpireAll {
		k.failf("stack.expire", "%v means nothing for an infinite buff", st.Expire)
	}
	st.OverflowApply = slices.Clone(st.OverflowApply)
	for i, id := range st.OverflowApply {
		field := fmt.Sprintf("stack.overflow_apply[%d]", i)
		if id == s.ID {
			k.failf(field, "an overflow may not apply its own definition")
		}
		s.overflow = append(s.overflow, op{do: DoApply, spec: k.ref(field, id)})
	}
}

// ref returns the definition with that ID.
func (k *checker) ref(field, id string) *Spec {
	s := k.catalog.byID[id]
	if s == nil {
		k.failf(field, "no definition %q", id)
	}
	return s
}

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
		default:
			k.failf(at, "%v is not an action", a.Do)
		}
		ops = append(ops, o)
	}
	return ops
}
