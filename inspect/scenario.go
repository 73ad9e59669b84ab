package inspect

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// This file exports the last minute of a player as a scenario for "bufftick run". The flight
// recorder has only the results of commands, not the commands. So each buff becomes a separate
// definition, with its times but without its rules and actions, and each event becomes a step.
// Denials, instant applications and changes of attributes become comments.

// scenario builds a scenario file from the events of a player.
type scenario struct {
	from  wheel.Time // time 0 of the scenario
	known wheel.Time // start of the recorded time
	times *clocks
	lanes []*scenarioBuff
	at    map[buff.Handle]*scenarioBuff
	steps []scenarioStep
}

// scenarioBuff is one buff of the scenario.
type scenarioBuff struct {
	id         string // id of its definition in the scenario
	spec       *buff.Spec
	handle     buff.Handle
	source     buff.OwnerID
	begins     bool // whether the buff started within the recorded time
	begin      wheel.Time
	ends       bool       // whether the end is known
	left       int64      // what remains of the buff at leftAt, in ms of the buff's own time
	leftAt     wheel.Time // see left
	period     time.Duration
	stacks     int32
	most       int32      // maximum number of stacks so far
	firstPulse wheel.Time // time of the first known pulse; 0 if none
}

// scenarioStep is a line of the script, or a comment.
type scenarioStep struct {
	at   wheel.Time
	text string
}

// scenarioOf returns the text of a scenario file with the player's last minute.
func (in *Inspector) scenarioOf(o *view.Owner, r *history.Recorder) string {
	from := max(o.Now-history.Span, r.Since())
	events := slices.Collect(r.Events(history.Query{From: from, To: o.Now, Owners: []buff.OwnerID{o.Owner}}))
	s := scenario{from: from, known: from, times: clocksOf(o, r, from), at: make(map[buff.Handle]*scenarioBuff)}
	for i := range events {
		s.noteBuff(&events[i])
	}
	if !o.Busy && !o.Unseen {
		for _, b := range o.Buffs {
			s.addActive(&b, o.Now)
		}
	}
	s.begin()
	s.addTimeSteps(o)
	for i := range events {
		s.addEvent(&events[i])
	}
	return s.text(in.title(o.Owner), o)
}

// noteBuff records the buff of an event, which may be the first event of this buff.
func (s *scenario) noteBuff(e *buff.Event) {
	if e.Handle == 0 || e.Spec == nil {
		return
	}
	x := s.at[e.Handle]
	if x == nil {
		x = s.add(e.Spec, e.Handle, e.Source)
		x.stacks, x.begin = max(e.Stacks, 1), s.from
		switch {
		case e.Kind == buff.Applied:
			x.begins, x.begin = true, e.At
		case e.Kind == buff.Stacked: // before this event the buff had at least one stack less
			x.stacks = max(e.Stacks-1, 1)
		}
		if left := s.left(e); left > 0 {
			x.ends, x.left, x.leftAt = true, left, e.At
		}
	}
	x.most = max(x.most, e.Stacks)
	if e.Kind == buff.Pulsed && x.firstPulse == 0 {
		x.firstPulse = e.At
	}
	if !x.ends && e.Kind == buff.Removed && e.Why == reason.Expired {
		x.ends, x.left, x.leftAt = true, 0, e.At
	}
}

func (s *scenario) add(spec *buff.Spec, handle buff.Handle, source buff.OwnerID) *scenarioBuff {
	x := &scenarioBuff{spec: spec, handle: handle, source: source, id: spec.ID, period: spec.Period}
	n := 1
	for slices.ContainsFunc(s.lanes, func(y *scenarioBuff) bool { return y.id == x.id }) {
		n++
		x.id = fmt.Sprintf("%s_%d", spec.ID, n)
	}
	s.at[handle], s.lanes = x, append(s.lanes, x)
	return x
}

// addActive adds an active buff, which may have no events, and its expected end.
func (s *scenario) addActive(b *buff.Instance, now wheel.Time) {
	x := s.at[b.Handle]
	if x == nil {
		x = s.add(b.Spec, b.Handle, b.Source)
		x.begin, x.stacks = s.from, int32(max(b.Stacks, 1))
	}
	if left := b.Own(now); left != math.MaxInt64 && !x.ends {
		x.ends, x.left, x.leftAt = true, left.Milliseconds(), now
	}
}

// begin adds the application of each buff that started before the recorded time. It chooses a
// start at which the buff's pulses happen at the recorded times.
func (s *scenario) begin() {
	first := s.from
	for _, x := range s.lanes {
		period := wheel.Time(x.period / time.Millisecond)
		switch {
		case x.begins || period == 0:
		case x.firstPulse == 0:
			x.period = 0 // the buff did not pulse within the last minute
		default:
			// Before the recorded time, the scenario runs at normal speed.
			own := wheel.Time(math.Round(s.times.speedsOf(x.handle).passed(s.known, x.firstPulse)))
			x.begin = s.known - (period-own%period)%period
		}
		first = min(first, x.begin)
	}
	s.from = first
	for _, x := range s.lanes {
		if !x.begins {
			s.apply(x.begin, x, x.stacks, s.duration(x))
		}
	}
}

func (s *scenario) step(at wheel.Time, format string, args ...any) {
	s.steps = append(s.steps, scenarioStep{at, fmt.Sprintf("  - {at: %d, ", at-s.from) + fmt.Sprintf(format, args...) + "}"})
}

// apply adds a step that applies a buff. The parameter "lasts" is the duration in ms of the buff's
// own time, or 0 for the duration in the definition.
func (s *scenario) apply(at wheel.Time, x *scenarioBuff, stacks int32, lasts int64) {
	text := fmt.Sprintf("apply: %s, source: %s", quoted(x.id), quoted(idText(x.source)))
	if stacks > 1 {
		text += fmt.Sprintf(", stacks: %d", stacks)
	}
	if lasts > 0 {
		text += fmt.Sprintf(", duration: %dms", lasts)
	}
	s.step(at, "%s", text)
}

// addEvent adds the steps of an event.
func (s *scenario) addEvent(e *buff.Event) {
	x := s.at[e.Handle]
	if x == nil || e.Handle == 0 {
		s.comment(e)
		return
	}
	id := quoted(x.id)
	switch e.Kind {
	case buff.Applied:
		s.apply(e.At, x, e.Stacks, s.left(e))
	case buff.Refreshed:
		s.apply(e.At, x, max(e.Stacks-x.stacks, 0), s.left(e))
	case buff.Stacked:
		return // if the end has changed, a Refreshed event with the new number of stacks follows
	case buff.StackEnded:
		s.step(e.At, "dispel: %s, stacks: %d", id, max(x.stacks-e.Stacks, 1))
	case buff.Removed:
		if e.Why != reason.Expired || !x.ends {
			s.step(e.At, "remove: %s", id)
		}
	case buff.Hidden:
		s.step(e.At, "inhibit: %s", id)
	case buff.Shown:
		s.step(e.At, "release: %s", id)
	case buff.Hastened:
		s.step(e.At, "set_period: %s, to: %dms", id, e.Period)
	case buff.Pulsed, buff.Suppressed:
		return
	default:
		s.comment(e)
		return
	}
	if e.Stacks > 0 {
		x.stacks = e.Stacks
	}
}

// comment adds a comment for an event that cannot be a step of the scenario.
func (s *scenario) comment(e *buff.Event) {
	text := e.Kind.String()
	if e.Spec != nil {
		text += " " + e.Spec.ID + " from " + idText(e.Source)
	}
	switch {
	case e.Kind == buff.Changed && e.Spec != nil:
		text += " " + changeOf(e)
	case e.Kind == buff.Changed:
		text += " " + e.Name + " " + changeOf(e)
	}
	if e.Why != reason.None {
		text += ", " + e.Why.String()
	}
	s.steps = append(s.steps, scenarioStep{e.At, fmt.Sprintf("  # %d %s", e.At-s.from, line(text))})
}

// text returns the scenario.
func (s *scenario) text(who string, o *view.Owner) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The last minute of %s (#%s) up to game time %v. Play it with: bufftick run FILE\n", line(who), idText(o.Owner), o.Now)
	fmt.Fprintf(&b, "# Time 0 is %v. Each buff is a separate definition, with its times but without its rules and\n# actions: their results are in the script.\n", s.from)
	fmt.Fprintf(&b, "id: %s\nbuffs:\n", quoted("minute of "+idText(o.Owner)))
	for _, x := range s.lanes {
		b.WriteString(x.definition(s.duration(x)))
	}
	if len(s.lanes) == 0 {
		b.WriteString("  nothing: {duration: infinite}\n")
	}
	b.WriteString("script:\n")
	slices.SortStableFunc(s.steps, func(a, b scenarioStep) int { return int(a.at - b.at) })
	for _, step := range s.steps {
		b.WriteString(step.text + "\n")
	}
	fmt.Fprintf(&b, "  - {at: %d, tick: true}\n", o.Now-s.from)
	return b.String()
}

// definition returns the definition of one buff in YAML.
func (x *scenarioBuff) definition(lasts int64) string {
	fields := []string{"duration: infinite"}
	if x.ends {
		fields[0] = fmt.Sprintf("duration: %dms", max(lasts, 1))
	}
	if x.period > 0 {
		fields = append(fields, fmt.Sprintf("period: %dms", x.period.Milliseconds()))
		if x.spec.First != 0 && x.begins {
			fields = append(fields, "first: "+x.spec.First.String())
		}
		if x.spec.Tail != 0 && x.ends {
			fields = append(fields, "tail: "+x.spec.Tail.String())
		}
	}
	stack := []string{"by: target", fmt.Sprintf("limit: %d", max(1, x.spec.Stack.Limit, int(x.most), int(x.stacks)))}
	if x.period > 0 && x.spec.Stack.Phase != 0 {
		stack = append(stack, "phase: "+x.spec.Stack.Phase.String())
	}
	fields = append(fields, "stack: {"+strings.Join(stack, ", ")+"}")
	return fmt.Sprintf("  %s: {%s}\n", quoted(x.id), strings.Join(fields, ", "))
}

// quoted formats a string for YAML.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic("inspect: " + err.Error()) // a string can always be encoded
	}
	return string(data)
}

// serveScenario responds with the last minute of a player as a scenario file.
func (in *Inspector) serveScenario(w http.ResponseWriter, r *http.Request, query url.Values) {
	o, recorder := in.pastRequest(w, r, query.Get("scenario"))
	if o == nil {
		return
	}
	w.Header().Set("Content-Type", "text/yaml; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="player-`+idText(o.Owner)+`.yaml"`)
	_, _ = w.Write([]byte(in.scenarioOf(o, recorder))) // the client may have left
}
