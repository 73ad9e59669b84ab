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

// Levels of a verdict, the worst last.
const (
	calm = iota
	watch
	alarm
)

var levels = [...]string{"calm", "watch", "alarm"}

// verdictJSON is the first line of the page: how things stand, in sentences, the worst first.
type verdictJSON struct {
	Level string       `json:"level"`
	Topic string       `json:"topic"` // what the sentences are about: it stays while figures in them change
	Say   [][]partJSON `json:"say"`
}

// partJSON is a part of a sentence.
type partJSON struct {
	Text   string `json:"text,omitempty"`
	To     string `json:"to,omitempty"`     // where the text leads: a route of the page
	Player *pick  `json:"player,omitempty"` // in place of a text
}

// maxSaid is how many sentences a verdict has; the rest is counted.
const maxSaid = 3

// verdict collects what is wrong. Of what is equally bad that is added first from which the rest
// may follow.
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
	out := stuckJSON{pick: in.pick(st.Owner), Spec: "a timeout", For: st.wall.Milliseconds(), More: st.before}
	if st.Spec != nil {
		out.Spec = line(st.Spec.ID)
	}
	return out
}

// judge says how things stand: whether the game keeps up first, since one that does not has
// players who wait and handlers that are at work at the end of every Tick, then who is stuck, what
// the game says, and what the operator has done.
func (in *Inspector) judge(v *view.View, now standing, recent time.Duration) verdict {
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
		j.add(watch, "reload", partJSON{Text: "The reload of " + r.At + " was refused", To: "#/definitions"}, text(", and the old definitions stay: %s", strings.TrimSuffix(line(first), ".")+"."))
	}
	if len(j) == 0 {
		well := fmt.Sprintf("All is well: %s with %s", plural(count(v.Stats.Owners), "player", "players"), plural(count(v.Buffs), "buff", "buffs"))
		if recent > 0 {
			well += ", and 99 of 100 frames take at most " + spoken(recent)
			if budget > 0 {
				well += " of " + spoken(budget)
			}
		}
		j.add(calm, "well", text("%s.", well))
	}
	return j
}

// slow and slower are the shares of the speed that is meant below which a game is worth a look,
// and overloaded.
const (
	slow   = 0.95
	slower = 0.8
)

// tooLate is how late one event in a hundred must be for the page to say so.
const tooLate = 250 * time.Millisecond

func (in *Inspector) judgeSpeed(j *verdict, v *view.View, now standing, recent time.Duration) {
	budget, meant := in.budget(v), in.opts.Speed
	if meant == 0 {
		meant = 1
	}
	long := ""
	if budget > 0 && recent > budget {
		long = fmt.Sprintf("one frame in a hundred takes %s or more, and the budget is %s", spoken(recent), spoken(budget))
	}
	waits := ""
	if v.Waiting > 0 {
		waits = plural(count(v.Waiting), "player waits", "players wait") + " for a worker"
	}
	switch share := now.speed / meant; {
	case meant > 0 && now.speed > 0 && share < slow:
		pace := fmt.Sprintf("the game runs at %s × speed", digits(now.speed))
		if meant != 1 {
			pace += fmt.Sprintf(" where %s × is meant", digits(meant))
		}
		for _, more := range []string{long, waits} {
			if more != "" {
				pace += "; " + more
			}
		}
		if share < slower {
			j.add(alarm, "overload", text("Overload: %s.", pace))
		} else {
			j.add(watch, "slow", text("It does not quite keep up: %s.", pace))
		}
	case long != "":
		if waits != "" {
			long += "; " + waits
		}
		j.add(watch, "frames", text("Frames are too long: %s.", long))
	case waits != "":
		j.add(watch, "waiting", text("%s: the frame's budget was used up.", strings.ToUpper(waits[:1])+waits[1:]))
	}
	if behind := v.Stats.Behind; behind > 0 {
		j.add(watch, "behind", text("The game is %s behind: a Tick brought more than it may work off at once.", spoken(behind)))
	}
	if now.lost > 0 {
		j.add(watch, "lost", text("%s of the game's time were dropped of late: it could not catch up.", spoken(now.lost)))
	}
	if now.late >= tooLate {
		j.add(watch, "late", text("One event in a hundred comes more than %s late.", spoken(now.late)))
	}
}

func (in *Inspector) judgeStuck(j *verdict, v *view.View, now standing) {
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
	rest, topic := ". Everybody else goes on.", "stuck"
	if n >= v.Workers {
		rest, topic = ". No worker is left: nobody is served.", "halt"
	}
	j.add(alarm, topic, append(parts, text("%s", rest))...)
}

// stalledJSON says why there is no View.
type stalledJSON struct {
	Say string `json:"say"`
}

// stalled says how long the loop has not ticked, as far as somebody has looked.
func stalled(err error, since time.Duration) stalledJSON {
	if errors.Is(err, engine.ErrClosed) {
		return stalledJSON{"The engine is closed."}
	}
	return stalledJSON{fmt.Sprintf("The loop has not ticked for %s: either nobody calls Tick, or one takes that long.", spoken(since.Truncate(time.Second)))}
}

// spoken writes a span for people: two or three digits of it.
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

// digits writes a number with two digits behind the point at most.
func digits(f float64) string {
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}

// count writes a whole number with a comma between each three digits.
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
