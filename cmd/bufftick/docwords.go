package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// told returns the rules of a definition, a sentence or two for each. What is the
// default is left out where everybody would expect it.
func told(s *buff.Spec) []string {
	t := &teller{Spec: s}
	t.time()
	t.pulses()
	t.stacks()
	t.atLimit()
	t.changes()
	t.company()
	t.gates()
	t.dispels()
	t.pools()
	t.params()
	t.done()
	t.fates()
	return t.lines
}

// teller gathers sentences.
type teller struct {
	*buff.Spec
	lines []string
}

func (t *teller) say(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

// sayIf says something that is not so by default.
func (t *teller) sayIf(so bool, format string, args ...any) {
	if so {
		t.say(format, args...)
	}
}

// lives is how long a buff lives, in a word.
func lives(s *buff.Spec) string {
	if s.DurationBy != nil {
		return points(s.DurationBy) + ", in seconds"
	}
	if s.Kind == define.Timed {
		return shortSpan(s.Duration)
	}
	return s.Kind.String()
}

// shortSpan is a span without the zeros at its end: 36h, 1h30m.
func shortSpan(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func (t *teller) time() {
	switch t.Kind {
	case define.Instant:
		t.say("Works at once, and is never carried.")
	case define.Infinite:
		t.say("Lives until something removes it.")
	default:
		t.say("Lives for %s.", lives(t.Spec))
	}
	t.sayIf(t.DurationScale != nil, "Its duration is multiplied by %s.", scaleOf(t.DurationScale))
	t.sayIf(t.MinDuration > 0, "Never shorter than %s.", shortSpan(t.MinDuration))
	t.sayIf(t.MaxDuration > 0, "Never longer than %s.", shortSpan(t.MaxDuration))
	t.sayIf(t.Polarity != define.Neutral, "It is %v.", t.Polarity)
	t.sayIf(t.Clock == define.Uptime, "Its time goes on while its owner is away, as long as the server runs.")
	t.sayIf(t.Clock == define.Wall, "Its time goes on while its owner is away, and while the server is down.")
	t.sayIf(len(t.Grants) > 0, "Its owner has %s while it is in effect.", codes(t.Grants))
}

func (t *teller) pulses() {
	if t.Period == 0 && t.PeriodBy == nil {
		return
	}
	when := ""
	if t.Kind == define.Timed && t.Align == define.AlignStart && t.DurationBy == nil && t.PeriodBy == nil {
		when = ": " + t.instants()
	}
	t.say("Pulses every %s%s.", beat(t.Spec), when)
	t.sayIf(t.First == define.FirstStart, "The first pulse comes at once.")
	t.sayIf(t.First == define.FirstEvery, "A pulse comes at once, and again at each refresh.")
	t.sayIf(t.Tail == define.TailPartial, "The last part of a period pulses, with its fraction.")
	t.sayIf(t.Tail == define.TailFit, "Its duration is rounded to whole periods.")
	t.sayIf(t.Align == define.AlignOwner, "All such buffs of one owner pulse together.")
	t.sayIf(t.Haste == define.HasteNext, "Haste counts from the pulse after the next.")
	t.sayIf(t.Haste == define.HasteRescale, "Haste counts at once.")
	t.sayIf(t.HasteDuration, "Haste shortens what is left of it, too.")
	t.sayIf(t.Catchup == define.CatchupSkip, "Of the pulses of a late frame, only the last is made.")
	t.sayIf(t.Catchup == define.CatchupCoalesce && t.CatchupMax == 0, "The pulses of a late frame become one that counts for all.")
	t.sayIf(t.Catchup == define.CatchupCoalesce && t.CatchupMax > 0, "The pulses of a late frame become one that counts for %d at most.", t.CatchupMax)
}

// instants are the first pulses and the last, from the application on.
func (t *teller) instants() string {
	const most = 5
	duration := t.Duration
	if t.Tail == define.TailFit {
		duration = max(1, (duration+t.Period/2)/t.Period) * t.Period
	}
	var list []string
	if t.First != define.FirstNone {
		list = append(list, "0s")
	}
	for n := time.Duration(1); n*t.Period <= duration; n++ {
		if len(list) == most && (n+1)*t.Period <= duration {
			list = append(list, "…", shortSpan(duration/t.Period*t.Period))
			break
		}
		list = append(list, shortSpan(n*t.Period))
	}
	if rest := duration % t.Period; rest != 0 && t.Tail == define.TailPartial {
		list = append(list, shortSpan(duration))
	}
	if list == nil {
		return "never, as it lives no longer than " + shortSpan(duration)
	}
	return strings.Join(list, ", ")
}

func (t *teller) stacks() {
	if t.Kind == define.Instant {
		return
	}
	st := &t.Stack
	switch st.By {
	case define.ByNone:
		t.sayIf(st.Limit > 1, "Each application is a buff of its own, of up to %d stacks.", st.Limit)
		t.sayIf(st.Limit <= 1, "Each application is a buff of its own.")
	case define.BySource:
		t.say("Each source has one of its own on an owner%s.", t.upTo())
	case define.ByTarget:
		t.say("An owner has one, whoever applies it%s.", t.upTo())
	case define.ByKey:
		t.say("An owner has one for each key%s.", t.upTo())
	}
	t.sayIf(st.Initial > 1, "An application brings %d stacks.", st.Initial)
	t.refreshes()
	t.sayIf(st.Timers == define.TimersEach, "Each application's stacks have an end of their own.")
	t.sayIf(st.Timers == define.TimersQueue, "The strongest application runs, the others wait.")
	t.sayIf(st.Effective > 0, "Only the strongest %d count.", st.Effective)
	t.sayIf(st.Expire == define.ExpireOne, "Its end takes one stack, and the rest lives on for the whole duration.")
	t.sayIf(st.Expire == define.ExpireHalf, "Its end takes half of the stacks, and the rest lives on for the whole duration.")
	t.sayIf(st.Expire == define.ExpireCount, "Its end takes %d of the stacks, and the rest lives on for the whole duration.", st.ExpireN)
	for _, h := range st.Thresholds {
		what := []string{}
		if h.Apply != "" {
			what = append(what, "it applies "+link(h.Apply))
		}
		switch {
		case h.Consume == define.ConsumeAll:
			what = append(what, "all are used up")
		case h.Consume > 0:
			what = append(what, fmt.Sprintf("%d are used up", h.Consume))
		}
		t.say("At %s %s.", counted(h.At, "stack"), listed(what))
	}
}

func (t *teller) upTo() string {
	switch {
	case t.Stack.Limit == define.MaxStacks:
		return ", with any number of stacks"
	case t.Stack.Limit > 1:
		return fmt.Sprintf(", of up to %d stacks", t.Stack.Limit)
	}
	return ""
}

// refreshes tells what an application does to a buff that it joins.
func (t *teller) refreshes() {
	st := &t.Stack
	if st.By == define.ByNone {
		return
	}
	if t.Kind == define.Timed {
		t.refreshedEnd()
	}
	t.sayIf(st.Phase == define.PhaseReset, "Applied again, its beat begins anew.")
	t.sayIf(st.Phase == define.PhaseExecute, "Applied again, it pulses, and its beat begins anew.")
	t.sayIf(st.Level == define.LevelHigherWins, "An application of a lower level is refused.")
	t.sayIf(st.Level == define.LevelSegregate, "Each level is a buff of its own.")
	t.sayIf(st.Level == define.LevelSum, "Levels add up.")
}

func (t *teller) refreshedEnd() {
	st := &t.Stack
	pct := st.RefreshPct
	if pct == 0 {
		pct = 30
	}
	until := ""
	if st.RefreshCap > 0 {
		until = fmt.Sprintf(", but ends no later than %s from then", shortSpan(st.RefreshCap))
	}
	t.say("Applied again, it %s.", map[define.Refresh]string{
		define.RefreshRestart:  "lives for its whole duration from then",
		define.RefreshNone:     "ends when it would have",
		define.RefreshExtend:   "lives for its duration longer" + until,
		define.RefreshPandemic: fmt.Sprintf("lives for its whole duration from then, and for what was left of it, up to %d %%", pct),
		define.RefreshMax:      "lives for its whole duration from then, if that is longer",
		define.RefreshResidual: "lives for its whole duration from the next pulse",
	}[st.Refresh])
}

func (t *teller) atLimit() {
	st := &t.Stack
	at := map[define.Overflow]string{
		define.OverflowDeny: "a further application is refused", define.OverflowClear: "a further application is refused, and all of it goes",
		define.OverflowReplace: "the oldest stack gives way",
	}[st.Overflow]
	t.sayIf(at != "", "At the limit %s.", at)
	t.sayIf(len(st.OverflowApply) > 0, "An application at the limit applies %s.", links(st.OverflowApply))
}

func (t *teller) fates() {
	t.sayIf(t.OnDeath == define.FateKeep, "It outlives the death of its owner.")
	t.sayIf(t.OnDeath == define.FatePause, "It stands still while its owner is dead.")
	t.sayIf(t.OnSourceGone == define.FateRemove, "It goes when its source leaves.")
	t.sayIf(t.OnSourceGone == define.FateAdopt, "When its source leaves, its owner takes the source's place.")
	t.sayIf(t.OnZone == define.FateRemove, "It goes when its owner goes to another zone.")
	t.sayIf(t.Reload == define.ReloadMigrate, "A new version of it counts at once for those that run.")
	t.sayIf(t.Reload == define.ReloadEnd, "Those that run end when a new version of it is loaded.")
	t.sayIf(t.OnFault == define.FateRemove, "It goes when one of its handlers fails.")
	v := &t.Save
	t.sayIf(v.Compensate != "", "Time that was lost is given back to all of the class %s.", code(v.Compensate))
	t.sayIf(v.Mode == define.SaveNever, "It is gone when its owner leaves.")
	t.sayIf(v.Mode == define.SaveIfRemaining, "When its owner leaves it is kept only if at least %s are left.", shortSpan(v.IfRemaining))
	t.sayIf(v.Offline == define.OfflineCoalesce, "One pulse at the return stands for those of the time away.")
	t.sayIf(v.Offline == define.OfflineAll && v.OfflineCap > 0, "The pulses of the time away come at the return, at most %d.", v.OfflineCap)
	t.sayIf(v.Offline == define.OfflineAll && v.OfflineCap == 0, "The pulses of the time away come at the return, at most 100.")
	t.sayIf(v.OfflineExpire == define.OfflineSilent, "If it ended while its owner was away, nothing is said of it.")
	t.sayIf(v.OfflineExpire == define.OfflineRun, "If it ended while its owner was away, what its end does is done at the return.")
	t.client()
}
