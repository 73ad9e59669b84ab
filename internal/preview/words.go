package preview

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// describe summarizes the timing and stacking of a definition in one line.
func describe(s *buff.Spec) string {
	var out []string
	switch {
	case s.Kind == define.Instant:
		return "instant"
	case s.Kind == define.Infinite:
		out = append(out, "infinite")
	case s.DurationBy != nil:
		out = append(out, "lasts by level ("+s.DurationBy.Name()+")")
	default:
		out = append(out, "lasts "+span(s.Duration.Milliseconds()))
	}
	if s.PeriodFrom != nil {
		out = append(out, "pulses by a number")
	}
	if s.Period > 0 || s.PeriodBy != nil {
		if s.PeriodBy != nil {
			out = append(out, "pulses by level ("+s.PeriodBy.Name()+")")
		} else {
			out = append(out, "pulses every "+span(s.Period.Milliseconds()))
		}
		out = words(out, "first", s.First != define.FirstNone, s.First)
		out = words(out, "tail", s.Tail != define.TailNone, s.Tail)
		out = words(out, "align", s.Align != define.AlignStart, s.Align)
		out = words(out, "haste", s.Haste != define.HasteSnapshot, s.Haste)
		if s.HasteDuration {
			out = append(out, "haste_duration")
		}
	}
	out = append(out, stacking(&s.Stack)...)
	if g := s.Group; g.Name != "" {
		out = append(out, fmt.Sprintf("group %s %d %v", g.Name, g.Priority, g.Rule))
	}
	return strings.Join(out, ", ")
}

func words(out []string, field string, unusual bool, word fmt.Stringer) []string {
	if unusual {
		out = append(out, field+" "+word.String())
	}
	return out
}

func stacking(s *define.Stacking) []string {
	if s.By == define.ByNone {
		return nil
	}
	limit := fmt.Sprintf("%d stacks", s.Limit)
	switch s.Limit {
	case 0, 1:
		limit = "one stack"
	case define.MaxStacks:
		limit = "unlimited stacks"
	}
	if s.Timers == define.TimersQueue {
		limit = "a queue"
	}
	out := []string{fmt.Sprintf("%s by %v", limit, s.By)}
	out = words(out, "timers", s.Timers == define.TimersEach, s.Timers)
	if s.Timers == define.TimersShared {
		refresh := s.Refresh.String()
		if s.Refresh == define.RefreshPandemic {
			pct := s.RefreshPct
			if pct == 0 {
				pct = 30
			}
			refresh += fmt.Sprintf(" %d %%", pct)
		}
		out = append(out, "refresh "+refresh)
	}
	out = words(out, "phase", s.Phase != define.PhaseKeep, s.Phase)
	out = words(out, "overflow", s.Overflow != define.OverflowAllow, s.Overflow)
	out = words(out, "expire", s.Expire != define.ExpireAll, s.Expire)
	out = words(out, "decay", s.Decay != 0, s.Decay)
	for _, t := range s.Thresholds {
		out = append(out, fmt.Sprintf("at %d stacks %s", t.At, t.Apply))
	}
	return out
}

// summaries returns a line for each bar of a lane, and lines with the numbers of instant executions
// and refused applications. If there are more than `most` bars, the further bars are only counted.
func summaries(l *Lane, most int) []string {
	var out []string
	for i, b := range l.Bars {
		if i == most && len(l.Bars) > most+1 {
			out = append(out, fmt.Sprintf("… and %d more", len(l.Bars)-most))
			break
		}
		out = append(out, b.summary())
	}
	done, denied := 0, map[reason.Reason]int{}
	for _, m := range l.Marks {
		switch m.Kind {
		case buff.Executed:
			done++
		case buff.Denied:
			denied[m.Why]++
		}
	}
	if done > 0 {
		out = append(out, fmt.Sprintf("executed %s, first at %s", times(done, "time"), span(firstOf(l, buff.Executed))))
	}
	for why := reason.None; why <= reason.Last; why++ {
		if n := denied[why]; n > 0 {
			out = append(out, fmt.Sprintf("refused %s: %v", times(n, "time"), why))
		}
	}
	return out
}

func firstOf(l *Lane, kind buff.EventKind) int64 {
	for _, m := range l.Marks {
		if m.Kind == kind {
			return int64(m.At)
		}
	}
	return 0
}

// summary describes one instance: when it ran, how it ended, and its pulses.
func (b *Bar) summary() string {
	text := fmt.Sprintf("%s to %s", span(int64(b.From)), span(int64(b.To)))
	if b.Why == reason.None {
		text += ", still active"
	} else {
		text += ", " + b.Why.String()
	}
	pulses, stacks, suppressed := 0, 0, 0
	for _, p := range b.Pulses {
		if p.Suppressed {
			suppressed++
			continue
		}
		pulses++
		stacks += p.Stacks
	}
	if pulses > 0 {
		text += ": " + times(pulses, "pulse")
	}
	if stacks > pulses {
		text += fmt.Sprintf(", %d stacks in total", stacks)
	}
	switch {
	case suppressed > 0 && pulses > 0:
		text += fmt.Sprintf(", %d without effect", suppressed)
	case suppressed > 0:
		text += ": " + times(suppressed, "pulse") + ", without effect"
	}
	return text
}

// times formats a number with its noun, such as "1 pulse" or "2 pulses".
func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
