package inspect

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// Levels of a verdict, worst last.
const (
	calm = iota
	watch
	alarm
)

var levels = [...]string{"calm", "watch", "alarm"}

// verdictJSON is the first line of the page: the state of the game in sentences, worst first.
type verdictJSON struct {
	Level string `json:"level"`
	// Topic identifies the problem. It does not change if only numbers in the sentences change.
	Topic string       `json:"topic"`
	Say   [][]partJSON `json:"say"`
}

// partJSON is a part of a sentence.
type partJSON struct {
	Text   string `json:"text,omitempty"`
	To     string `json:"to,omitempty"`     // link target: a route of the page
	Player *pick  `json:"player,omitempty"` // if not nil, the player's name is shown before Text
}

// maxSaid is the maximum number of findings that are shown in full. For further findings, only
// their number is shown.
const maxSaid = 3

// verdict is a list of findings. Among findings of the same level, a likely cause precedes its
// consequences.
type verdict []finding

type finding struct {
	level int
	topic string
	say   []partJSON
}

func (j *verdict) add(level int, topic string, parts ...partJSON) {
	*j = append(*j, finding{level, topic, parts})
}

func text(format string, args ...any) partJSON { return partJSON{Text: fmt.Sprintf(format, args...)} }

func (j verdict) json() verdictJSON {
	slices.SortStableFunc(j, func(a, b finding) int { return b.level - a.level })
	out := verdictJSON{Level: levels[j[0].level]}
	for i, f := range j {
		if out.Topic += " " + f.topic; i < maxSaid {
			out.Say = append(out.Say, f.say)
		}
	}
	out.Topic = out.Topic[1:]
	if more := len(j) - maxSaid; more > 0 {
		out.Say = append(out.Say, []partJSON{text("And %d more.", more)})
	}
	return out
}

func (in *Inspector) stuckAfter() time.Duration {
	if in.opts.StuckAfter > 0 {
		return in.opts.StuckAfter
	}
	return time.Second
}

func (in *Inspector) stuckOf(st stuckFor) stuckJSON {
	out := stuckJSON{pick: in.pick(st.Owner), Spec: "a timeout", For: st.wall.Milliseconds(), More: st.unbounded}
	if st.Spec != nil {
		out.Spec = line(st.Spec.ID)
	}
	return out
}

// judge returns the verdict. It checks the game's speed first, because a slow game also has
// waiting players and running handlers at the end of every Tick. Then it checks for stuck
// players, failed callbacks, the game's alarms, and actions of the operator.
func (in *Inspector) judge(v *view.View, now gameState, recent time.Duration) verdict {
	var j verdict
	budget := in.budget(v)
	in.judgeSpeed(&j, v, now, recent)
	in.judgeStuck(&j, v, now)
	for _, f := range in.faults() {
		j.add(alarm, "fault", text("A function of the game fails: %s %s (%s).", f.What, f.Last, plural(f.N, "time", "times")))
	}
	if said := in.alarm(); said != "" {
		j.add(alarm, "game", text("%s", said))
	}
	if s := &v.Stats; s.Inbox > v.InboxLimit/5*4 && s.Inbox > 0 {
		j.add(alarm, "inbox", text("The inbox is nearly full: %s of %s commands wait.", count(s.Inbox), count(v.InboxLimit)))
	}
	if r := in.reloads.newest(); r != nil && !r.OK {
		first, _, _ := strings.Cut(r.Text, "\n")
		j.add(watch, "reload", partJSON{Text: "The reload at " + r.At + " was refused", To: "#/definitions"}, text("; the old definitions remain in use: %s", strings.TrimSuffix(line(first), ".")+"."))
	}
	if len(j) == 0 {
		well := fmt.Sprintf("All is well: %s, %s", plural(count(v.Stats.Owners), "player", "players"), plural(count(v.Buffs), "buff", "buffs"))
		if recent > 0 {
			well += "; p99 frame time " + spoken(recent)
			if budget > 0 {
				well += " (budget " + spoken(budget) + ")"
			}
		}
		j.add(calm, "well", text("%s.", well))
	}
	return j
}

// slow and overloaded are the fractions of the intended speed below which a game is reported as
// slow or as overloaded.
const (
	slow       = 0.95
	overloaded = 0.8
)

// Lateness is reported if the 99th percentile of the lateness of events is at least tooLate.
const tooLate = 250 * time.Millisecond

func (in *Inspector) judgeSpeed(j *verdict, v *view.View, now gameState, recent time.Duration) {
	budget, meant := in.budget(v), in.opts.Speed
	if meant == 0 {
		meant = 1
	}
	long := ""
	if budget > 0 && recent > budget {
		long = fmt.Sprintf("the p99 frame time is %s, over the budget of %s", spoken(recent), spoken(budget))
	}
	waits := ""
	if v.Waiting > 0 {
		waits = plural(count(v.Waiting), "player is", "players are") + " waiting for a worker"
	}
	switch share := now.speed / meant; {
	case meant > 0 && now.speed > 0 && share < slow:
		pace := fmt.Sprintf("the game runs at %s × speed", digits(now.speed))
		if meant != 1 {
			pace += fmt.Sprintf(" instead of %s ×", digits(meant))
		}
		for _, more := range []string{long, waits} {
			if more != "" {
				pace += "; " + more
			}
		}
		if share < overloaded {
			j.add(alarm, "overload", text("Overload: %s.", pace))
		} else {
			j.add(watch, "slow", text("Slow: %s.", pace))
		}
	case long != "":
		if waits != "" {
			long += "; " + waits
		}
		j.add(watch, "frames", text("Frames are too long: %s.", long))
	case waits != "":
		j.add(watch, "waiting", text("%s: the frame's budget is exhausted.", strings.ToUpper(waits[:1])+waits[1:]))
	}
	if behind := v.Stats.Behind; behind > 0 {
		j.add(watch, "behind", text("The game is %s behind: a Tick added more time than it may process at once.", spoken(behind)))
	}
	if now.lost > 0 {
		j.add(watch, "lost", text("%s of game time was dropped recently: the game could not catch up.", spoken(now.lost)))
	}
	if now.late >= tooLate {
		j.add(watch, "late", text("One event in a hundred is more than %s late.", spoken(now.late)))
	}
}

func (in *Inspector) judgeStuck(j *verdict, v *view.View, now gameState) {
	n := len(now.stuck)
	if n == 0 {
		return
	}
	parts := []partJSON{text("A player is stuck: ")}
	if n > 1 {
		parts[0] = text("%s players are stuck: ", count(n))
	}
	for i, st := range now.stuck[:min(n, 3)] {
		s := in.stuckOf(st)
		if i > 0 {
			parts = append(parts, text(", "))
		}
		over := ""
		if s.More {
			over = "over "
		}
		parts = append(parts, partJSON{Player: &s.pick}, text(" in %s for %s%s", s.Spec, over, spoken(st.wall)))
	}
	if n > 3 {
		parts = append(parts, text(" and others"))
	}
	rest, topic := ". Other players are not affected.", "stuck"
	if n >= v.Workers {
		rest, topic = ". All workers are blocked: no player is served.", "halt"
	}
	j.add(alarm, topic, append(parts, text("%s", rest))...)
}

// stalledJSON is a message with the reason why there is no View.
type stalledJSON struct {
	Say string `json:"say"`
}

// stalled returns the message for an error of watch.Next. The parameter "since" is the time since
// the last View.
func stalled(err error, since time.Duration) stalledJSON {
	if errors.Is(err, engine.ErrClosed) {
		return stalledJSON{"The engine is closed."}
	}
	return stalledJSON{fmt.Sprintf("The loop has not ticked for %s: Tick is not being called, or a call is still running.", spoken(since.Truncate(time.Second)))}
}

// spoken formats a duration for use in a sentence, with two or three digits.
func spoken(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	case d < 10*time.Millisecond:
		return digits(math.Round(d.Seconds()*1e4)/10) + " ms"
	case d < time.Second:
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

// digits formats a number with up to two decimals.
func digits(f float64) string {
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}

// count formats an integer with thousands separators.
func count(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func plural(n, one, many string) string {
	if n == "1" {
		return n + " " + one
	}
	return n + " " + many
}
