package preview

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Timeline is the recorded run of a script. It starts at time 0.
type Timeline struct {
	Spec   *buff.Spec   // the previewed definition
	Until  wheel.Time   // end of the timeline
	Steps  []Step       // steps of the script, sorted by time, with all IDs filled in
	Lanes  []*Lane      // the lanes of Spec, followed by the lanes of other definitions
	Graphs []*Graph     // attributes that changed, in catalog order
	Events []buff.Event // all events, in order
	Notes  []string     // remarks, such as a step that had no effect
}

// Lane is one row of a Timeline. It contains buffs of one definition and one source that do not
// overlap.
type Lane struct {
	Spec   *buff.Spec
	Source string // "" for the unnamed source
	Bars   []*Bar // sorted by time
	Marks  []Mark // all events except pulses, starts and ends, sorted by time
}

// Bar is one instance.
type Bar struct {
	From, To wheel.Time
	Why      reason.Reason // reason why the buff ended; reason.None if it is active at the end
	Counts   []Count       // number of stacks at From and after each change, sorted by time
	Phases   []Phase       // sorted by end
	Pulses   []Pulse       // sorted by time
}

// Count is the number of stacks from an instant until the next Count.
type Count struct {
	At        wheel.Time
	Stacks    int
	Waiting   int   // number of waiting applications, for a buff with "timers: queue"
	Magnitude int64 // magnitude of the active application, for a buff with "timers: queue"
}

// PhaseKind is the state of a buff during a [Phase].
type PhaseKind uint8

// The kinds of a [Phase].
const (
	PhaseHidden PhaseKind = iota // the buff has no effect
	PhasePaused                  // the buff is paused
	phaseKinds
)

// Phase is a part of a bar in which the buff has no effect or is paused.
type Phase struct {
	Kind     PhaseKind
	From, To wheel.Time // within the bar; From is before To
}

// Pulse is one periodic effect.
type Pulse struct {
	At     wheel.Time
	Stacks int // number of stacks that pulsed
	// For a partial pulse, Elapsed is the elapsed part of the period, and Period is the whole
	// period, both in ms. For other pulses, both are 0.
	Elapsed, Period int64
	Suppressed      bool // the pulse had no effect
}

// Mark is an event of a lane that is neither a pulse nor a start or end.
type Mark struct {
	At     wheel.Time
	Kind   buff.EventKind // kind of the event
	Why    reason.Reason  // for Denied, StackEnded and Faulted
	End    wheel.Time     // the new end, or wheel.Never
	Stacks int            // number of stacks after the event
}

// last returns the newest bar, or nil.
func (l *Lane) last() *Bar {
	if len(l.Bars) == 0 {
		return nil
	}
	return l.Bars[len(l.Bars)-1]
}

// counted reports whether the numbers of stacks are shown, which is the case for a queue, and for
// a lane with more than one stack.
func (l *Lane) counted() bool {
	if l.queues() {
		return true
	}
	return slices.ContainsFunc(l.Bars, func(b *Bar) bool {
		return slices.ContainsFunc(b.Counts, func(c Count) bool { return c.Stacks > 1 })
	})
}

func (l *Lane) queues() bool { return l.Spec.Stack.Timers == define.TimersQueue }

// MaxLanes is the largest number of lanes that are drawn. Further lanes are only counted.
const MaxLanes = 40

// drawn returns the lanes to draw. If there are more, it also returns a line with their number.
func (t *Timeline) drawn() (lanes []*Lane, rest string) {
	if n := len(t.Lanes) - MaxLanes; n > 0 {
		return t.Lanes[:MaxLanes], fmt.Sprintf("… and %s", times(n, "more row"))
	}
	return t.Lanes, ""
}

// sources reports whether the lanes have more than one source.
func (t *Timeline) sources() bool {
	for _, l := range t.Lanes {
		if l.Source != t.Lanes[0].Source {
			return true
		}
	}
	return false
}

// name returns the label of a lane.
func (t *Timeline) name(l *Lane) string {
	name := l.Spec.ID
	if l.Source != "" && t.sources() {
		name += " by " + l.Source
	}
	return strings.Map(harmless, name)
}

// harmless replaces control characters, which a terminal might interpret.
func harmless(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}

// recorder builds a timeline from the events of a running owner.
type recorder struct {
	line   *Timeline
	live   map[buff.Handle]*Bar
	lanes  map[buff.Handle]*Lane
	names  map[buff.OwnerID]string
	paused bool // whether the owner is paused
	opened map[*Bar]*[phaseKinds]wheel.Time
	taken  int // number of events already in the lanes
	graphs []*Graph
}

func newRecorder(t *Timeline) *recorder {
	return &recorder{
		line: t, live: map[buff.Handle]*Bar{}, lanes: map[buff.Handle]*Lane{},
		names: map[buff.OwnerID]string{}, opened: map[*Bar]*[phaseKinds]wheel.Time{},
	}
}

// take adds the new events to the lanes, then records the state of the active buffs.
func (r *recorder) take(now wheel.Time, set *rules.Owner) {
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
		r.line.Notes = append(r.line.Notes, "at "+span(int64(e.At))+" the cascade limit stopped further effects")
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
		return // [recorder.look] records this as a phase
	}
	l := r.lanes[e.Handle]
	if l == nil {
		l = r.lane(e)
	}
	l.Marks = append(l.Marks, Mark{At: e.At, Kind: e.Kind, Why: e.Why, End: e.End, Stacks: int(e.Stacks)})
}

// lane returns the first lane of the event's definition and source. If there is no such lane, it
// adds one.
func (r *recorder) lane(e *buff.Event) *Lane {
	for _, l := range r.line.Lanes {
		if l.Spec == e.Spec && l.Source == r.names[e.Source] {
			return l
		}
	}
	return r.add(e)
}

// free returns a lane of the event's definition and source that has no active bar. If there is no
// such lane, it adds one.
func (r *recorder) free(e *buff.Event) *Lane {
	for _, l := range r.line.Lanes {
		if b := l.last(); l.Spec == e.Spec && l.Source == r.names[e.Source] && (b == nil || b.Why != reason.None) {
			return l
		}
	}
	return r.add(e)
}

// add adds a lane for the event, after the other lanes of the same definition, or at the end. The
// lanes of the previewed definition stay first.
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

// look records the stacks and phases of an instance if they have changed.
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

// phase starts or ends a phase of a bar.
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

// finish ends the timeline at an instant. Buffs that are still active get bars up to that instant.
func (r *recorder) finish(at wheel.Time) {
	r.line.Until = at
	r.finishGraphs()
	for _, l := range r.line.Lanes {
		for _, b := range l.Bars {
			if b.Why == reason.None {
				b.To = at
				r.closeAll(b)
			}
		}
	}
}
