package compile

import (
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/handle"
)

// stack checks and compiles the rules for further applications.
func (k *checker) stack(s *Program) {
	k.limit(s)
	k.refreshing(s)
	k.timers(s)
	k.expire(s)
	k.thresholds(s)
}

// limit checks and compiles the settings for numbers of stacks. The default limit is 1; for a
// queue, it is the maximum. The compiled limit is in range even for an invalid definition, because
// other checks use it.
func (k *checker) limit(s *Program) {
	st := &s.Stack
	s.Limit, s.Initial = int32(min(max(st.Limit, 1), define.MaxStacks)), int32(min(max(st.Initial, 1), define.MaxStacks))
	if st.Timers == define.TimersQueue && st.Limit == 0 {
		s.Limit = define.MaxAsyncStacks
	}
	switch {
	case st.Limit < 0 || st.Limit > define.MaxStacks:
		k.failf("stack.limit", "must be from 1 to %d, not %d", define.MaxStacks, st.Limit)
	case st.Timers == define.TimersQueue && st.Limit == 1:
		k.failf("stack.limit", "1 has no effect with timers queue: one application runs, and there is no room for another to wait; say 2 or more")
	case st.Timers != define.TimersShared && st.Limit > define.MaxAsyncStacks:
		k.failf("stack.limit", "must be from 1 to %d with timers %v, not %d", define.MaxAsyncStacks, st.Timers, st.Limit)
	}
	if st.Initial < 0 || s.Initial > s.Limit {
		k.failf("stack.initial", "must be from 1 to the limit of %d, not %d", s.Limit, st.Initial)
	}
	switch n := st.Effective; {
	case n == 0:
	case st.Timers == define.TimersEach && (n < 0 || n > int(s.Limit)):
		k.failf("stack.effective", "must be from 1 to the limit of %d, not %d", s.Limit, n)
	case st.Timers != define.TimersEach && (n < 0 || n > handle.MaxSlots):
		k.failf("stack.effective", "must be from 1 to %d, not %d", handle.MaxSlots, n)
	case st.Timers != define.TimersEach && st.By == define.ByTarget && st.Level != define.LevelSegregate:
		k.failf("stack.effective", "means nothing by target, where there is only one; with timers each it counts stacks, with level segregate levels")
	}
}

// refreshing checks and compiles the rules for a refresh. A cap below the duration is an error,
// because a refresh would shorten the buff.
func (k *checker) refreshing(s *Program) {
	st := &s.Stack
	pct := st.RefreshPct
	switch {
	case pct < 0 || pct > 100:
		k.failf("stack.refresh_share", "must be from 1 to 100, not %d", pct)
	case pct != 0 && st.Refresh != define.RefreshPandemic:
		k.failf("stack.refresh_share", "is for refresh pandemic, not %v", st.Refresh)
	case pct == 0:
		pct = 30
	}
	s.Carry = int64(pct)
	most := st.RefreshCap
	k.whole("stack.refresh_cap", most)
	switch {
	case most <= 0:
	case st.Refresh != define.RefreshExtend:
		k.failf("stack.refresh_cap", "is for refresh extend, not %v", st.Refresh)
	case most < s.longestDuration():
		k.failf("stack.refresh_cap", "%v is below the duration of %v", most, s.longestDuration())
	}
	switch {
	case s.Kind == define.Infinite && st.Refresh != define.RefreshRestart && st.Refresh != define.RefreshNone:
		k.failf("stack.refresh", "%v means nothing for an infinite buff", st.Refresh)
	case st.Refresh == define.RefreshResidual && !s.Pulses():
		k.failf("stack.refresh", "%v needs a period", st.Refresh)
	}
}

// timers reports settings that are not possible for stacks with separate timers.
func (k *checker) timers(s *Program) {
	st := &s.Stack
	if st.Timers == define.TimersShared {
		return
	}
	if s.Kind == define.Infinite {
		k.failf("stack.timers", "%v means nothing for an infinite buff", st.Timers)
	}
	if st.Expire != define.ExpireAll {
		k.failf("stack.expire", "%s is not possible with timers %v, where each application ends by itself", portion(st), st.Timers)
	}
	if st.Phase != define.PhaseKeep {
		k.failf("stack.phase", "%v is not possible with timers %v, which share one beat", st.Phase, st.Timers)
	}
	if st.Timers == define.TimersEach && s.Tail == define.TailPartial {
		k.failf("tail", "%v is not possible with timers %v", s.Tail, st.Timers)
	}
}

// expire checks how many stacks an expiry removes.
func (k *checker) expire(s *Program) {
	st := &s.Stack
	k.whole("stack.decay", st.Decay)
	if st.Decay > 0 && st.Expire == define.ExpireAll {
		k.failf("stack.decay", "has no effect with expire all, where no stack remains; say expire: one")
	}
	switch n, most := st.ExpireN, int(s.Limit)-1; {
	case s.Kind == define.Infinite && st.Expire != define.ExpireAll:
		k.failf("stack.expire", "%s means nothing for an infinite buff", portion(st))
	case st.Expire != define.ExpireCount:
		if n != 0 {
			k.failf("stack.expire", "a number of stacks (%d) is not for expire %v", n, st.Expire)
		}
	case most < 1:
		k.failf("stack.expire", "a number of stacks needs a limit above 1")
	case n < 1 || n > most:
		k.failf("stack.expire", "must be below the limit of %d and at least 1, not %d", s.Limit, n)
	}
}

// portion returns the value of stack.expire, as written in files.
func portion(st *define.Stacking) string {
	if st.Expire == define.ExpireCount {
		return strconv.Itoa(st.ExpireN)
	}
	return st.Expire.String()
}

// thresholds checks the thresholds.
func (k *checker) thresholds(s *Program) {
	seen := make(map[int]bool, len(s.Stack.Thresholds))
	for i, t := range s.Stack.Thresholds {
		field := element("stack.thresholds", i)
		switch {
		case t.At < 1 || t.At > int(s.Limit):
			k.failf(field+".at", "must be from 1 to the limit of %d, not %d", s.Limit, t.At)
		case seen[t.At]:
			k.failf(field+".at", "there is a threshold at %d already", t.At)
		case t.Consume < define.ConsumeAll || t.Consume > t.At:
			k.failf(field+".consume", "must be from 1 to the %d stacks that there are then, or all of them, not %d", t.At, t.Consume)
		}
		seen[t.At] = true
		switch {
		case t.Apply == "" && t.Consume == 0:
			k.failf(field, "does nothing: want apply or consume")
		case t.Apply == s.ID:
			k.failf(field+".apply", "a threshold may not apply its own definition")
		}
	}
}

// longestDuration returns the duration, or the highest point of its curve.
func (s *Program) longestDuration() time.Duration {
	d := s.Spec.Duration
	if s.DurationBy != nil {
		for _, p := range s.DurationBy.Points() {
			d = max(d, time.Duration(min(max(p.Value, 0), define.MaxDuration.Seconds())*float64(time.Second)))
		}
	}
	return d
}
