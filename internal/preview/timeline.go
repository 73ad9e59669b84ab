package preview

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Timeline is what happened when a script was played. It begins at 0.
type Timeline struct {
	Spec   *buff.Spec   // the previewed definition
	Until  wheel.Time   // where it ends
	Steps  []Step       // of the script, by time, with all IDs
	Lanes  []*Lane      // those of Spec first
	Graphs []*Graph     // the attributes that changed, in the order of the catalog
	Events []buff.Event // everything, in its order
	Notes  []string     // what a reader should know, such as a step that found nothing
}

// Lane is one row: the buffs of one definition by one source, as long as no two of
// them run at once.
type Lane struct {
	Spec   *buff.Spec
	Source string // "": the one without a name
	Bars   []*Bar // by time
	Marks  []Mark // what happened to them beside pulses, by time
}

// Bar is one instance.
type Bar struct {
	From, To wheel.Time
	Why      buff.Reason // of its end; NoReason: it goes on where the timeline ends
	Counts   []Count     // how strong it was, by time: one at From, and one for each change
	Phases   []Phase     // by the end
	Pulses   []Pulse     // by time
}

// Count is how much of a buff there is from an instant on.
type Count struct {
	At        wheel.Time
	Stacks    int
	Waiting   int   // with timers: queue, applications that wait
	Magnitude int64 // with timers: queue, of the one that runs
}

// PhaseKind says in what state a buff was for a time.
type PhaseKind uint8

// The kinds of a [Phase].
const (
	PhaseHidden PhaseKind = iota // it had no effect
	PhasePaused                  // its time stood still
	phaseKinds
)

// Phase is a part of a bar.
type Phase struct {
	Kind     PhaseKind
	From, To wheel.Time // within those of the bar, From before To
}

// Pulse is one periodic effect.
type Pulse struct {
	At              wheel.Time
	Stacks          int   // that counted in it
	Elapsed, Period int64 // ms, for a pulse of less than a period: its share; otherwise 0
	Suppressed      bool  // it had no effect
}

// Mark is something that happened at an instant.
type Mark struct {
	At     wheel.Time
	Kind   buff.EventKind // neither a pulse nor an end
	Why    buff.Reason    // of a Denied, a StackEnded and a Faulted
	End    wheel.Time     // the new end that it set, or wheel.Never
	Stacks int            // after it
}

// last returns the newest bar, or nil.
func (l *Lane) last() *Bar {
	if len(l.Bars) == 0 {
		return nil
	}
	return l.Bars[len(l.Bars)-1]
}

// counted reports whether it is worth showing how many stacks there were.
func (l *Lane) counted() bool {
	if l.queues() {
		return true
	}
	return slices.ContainsFunc(l.Bars, func(b *Bar) bool {
		return slices.ContainsFunc(b.Counts, func(c Count) bool { return c.Stacks > 1 })
	})
}

func (l *Lane) queues() bool { return l.Spec.Stack.Timers == define.TimersQueue }

// MaxLanes is how many lanes are drawn; the others are only counted.
const MaxLanes = 40

// drawn returns the lanes that are drawn, and what is to be said of the others.
func (t *Timeline) drawn() (lanes []*Lane, rest string) {
	if n := len(t.Lanes) - MaxLanes; n > 0 {
		return t.Lanes[:MaxLanes], fmt.Sprintf("… and %s", times(n, "more row"))
	}
	return t.Lanes, ""
}

// sources reports whether the sources must be told apart.
func (t *Timeline) sources() bool {
	for _, l := range t.Lanes {
		if l.Source != t.Lanes[0].Source {
			return true
		}
	}
	return false
}

// name is what a lane is called.
func (t *Timeline) name(l *Lane) string {
	name := l.Spec.ID
	if l.Source != "" && t.sources() {
		name += " by " + l.Source
	}
	return strings.Map(harmless, name)
}

// harmless replaces a letter that a terminal might obey.
func harmless(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}

// recorder writes a timeline while a Set runs.
type recorder struct {
	line   *Timeline
	live   map[buff.Handle]*Bar
	lanes  map[buff.Handle]*Lane
	names  map[buff.OwnerID]string
	paused bool // the owner's time stands still
	opened map[*Bar]*[phaseKinds]wheel.Time
	taken  int // events that are in the lanes
	graphs []*Graph
}

func newRecorder(t *Timeline) *recorder {
	return &recorder{
		line: t, live: map[buff.Handle]*Bar{}, lanes: map[buff.Handle]*Lane{},
		names: map[buff.OwnerID]string{}, opened: map[*Bar]*[phaseKinds]wheel.Time{},
	}
}

// take puts the new events into the lanes, then looks at what the owner carries.
func (r *recorder) take(now wheel.Time, set *buff.Set) {
	for ; r.taken < len(r.line.Events); r.taken++ {
		r.event(&r.line.Events[r.taken])
	}
	for i := range set.All() {
		if b := r.live[i.Handle]; b != nil {
			r.look(now, b, i)
		}
	}
}

func (r *recorder) event(e *buff.Event) {
	if e.Kind == buff.Changed {
		r.change(e)
		return
	}
	if e.Spec == nil {
		r.line.Notes = append(r.line.Notes, "at "+span(int64(e.At))+" the rules stopped a cascade of effects")
		return
	}
	bar := r.live[e.Handle]
	switch e.Kind {
	case buff.Applied:
		bar = &Bar{From: e.At, Counts: []Count{{At: e.At, Stacks: int(e.Stacks), Magnitude: e.Magnitude}}}
		l := r.free(e)
		l.Bars = append(l.Bars, bar)
		r.live[e.Handle], r.lanes[e.Handle] = bar, l
		return
	case buff.Removed:
		bar.To, bar.Why = e.At, e.Why
		r.closeAll(bar)
		delete(r.live, e.Handle)
		return
	case buff.Pulsed, buff.Suppressed:
		bar.Pulses = append(bar.Pulses, Pulse{
			At: e.At, Stacks: int(e.Stacks), Elapsed: e.Elapsed, Period: e.Period, Suppressed: e.Kind == buff.Suppressed,
		})
		return
	case buff.Hidden, buff.Shown:
		return // a phase tells it
	}
	l := r.lanes[e.Handle]
	if l == nil {
		l = r.lane(e)
	}
	l.Marks = append(l.Marks, Mark{At: e.At, Kind: e.Kind, Why: e.Why, End: e.End, Stacks: int(e.Stacks)})
}

// lane returns the first lane of the event's definition and source, made if there is
// none.
func (r *recorder) lane(e *buff.Event) *Lane {
	for _, l := range r.line.Lanes {
		if l.Spec == e.Spec && l.Source == r.names[e.Source] {
			return l
		}
	}
	return r.add(e)
}

// free returns a lane in which no bar runs.
func (r *recorder) free(e *buff.Event) *Lane {
	for _, l := range r.line.Lanes {
		if b := l.last(); l.Spec == e.Spec && l.Source == r.names[e.Source] && (b == nil || b.Why != buff.NoReason) {
			return l
		}
	}
	return r.add(e)
}

// add makes a lane, behind those of the same definition, or else behind all; the
// previewed definition comes before all others.
func (r *recorder) add(e *buff.Event) *Lane {
	l := &Lane{Spec: e.Spec, Source: r.names[e.Source]}
	at := len(r.line.Lanes)
	if e.Spec == r.line.Spec {
		at = 0
	}
	for i, o := range r.line.Lanes {
		if o.Spec == e.Spec {
			at = i + 1
		}
	}
	r.line.Lanes = slices.Insert(r.line.Lanes, at, l)
	return l
}

// look notes what an instance is like now, if that has changed.
func (r *recorder) look(now wheel.Time, b *Bar, i buff.Instance) {
	c := Count{At: now, Stacks: i.Stacks, Waiting: i.Waiting, Magnitude: i.Magnitude}
	last := &b.Counts[len(b.Counts)-1]
	switch changed := c.Stacks != last.Stacks || c.Waiting != last.Waiting || c.Magnitude != last.Magnitude; {
	case changed && last.At == now:
		*last = c
	case changed:
		b.Counts = append(b.Counts, c)
	}
	r.phase(now, b, PhaseHidden, i.Hidden)
	r.phase(now, b, PhasePaused, r.paused || i.Paused)
}

const notOpen wheel.Time = -1

// phase opens or closes a phase of a bar.
func (r *recorder) phase(now wheel.Time, b *Bar, kind PhaseKind, on bool) {
	open := r.opened[b]
	if open == nil {
		open = &[phaseKinds]wheel.Time{notOpen, notOpen}
		r.opened[b] = open
	}
	switch from := open[kind]; {
	case on && from == notOpen:
		open[kind] = now
	case !on && from != notOpen:
		open[kind] = notOpen
		if from < now {
			b.Phases = append(b.Phases, Phase{kind, from, now})
		}
	}
}

func (r *recorder) closeAll(b *Bar) {
	for kind := range phaseKinds {
		r.phase(b.To, b, kind, false)
	}
	delete(r.opened, b)
}

// finish ends the timeline at an instant: what runs goes on there.
func (r *recorder) finish(at wheel.Time) {
	r.line.Until = at
	r.finishGraphs()
	for _, l := range r.line.Lanes {
		for _, b := range l.Bars {
			if b.Why == buff.NoReason {
				b.To = at
				r.closeAll(b)
			}
		}
	}
}
