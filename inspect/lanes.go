package inspect

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

const (
	maxLanes    = 400  // of a player
	maxSteps    = 8000 // of all its lanes: the newest
	maxLookBack = int64(history.Span)
)

// pastJSON is the last minute of a player: a lane for each buff that it carried. Times are in ms.
type pastJSON struct {
	pick
	Present bool       `json:"present"`
	Now     int64      `json:"now"`
	From    int64      `json:"from"`  // where the lanes begin
	Since   int64      `json:"since"` // from here on nothing is left out
	Lanes   []laneJSON `json:"lanes"`
	Cut     bool       `json:"cut,omitempty"` // something was left out: it was too much

	Attributes []thenJSON `json:"attributes,omitempty"` // what they were
	Sheet      int64      `json:"sheet"`                // from here on
}

// laneJSON is one buff, or, without a handle, what was refused or done at once of one definition, or what
// befell the owner itself.
type laneJSON struct {
	Handle string     `json:"handle,omitempty"`
	Spec   string     `json:"spec,omitempty"`
	Name   string     `json:"name,omitempty"`
	Side   string     `json:"side,omitempty"`
	Source *pick      `json:"source,omitempty"`
	Whole  int64      `json:"whole,omitempty"` // as long as its definition says
	Begin  *int64     `json:"begin"`           // null: it was there before what is known
	End    *int64     `json:"end"`             // when it was over; null: it is there
	Runs   *int64     `json:"runs,omitempty"`  // of one that is there: until when
	Stacks int        `json:"stacks"`          // at the end
	Paused bool       `json:"paused,omitempty"`
	Hidden bool       `json:"hidden,omitempty"`
	Steps  []stepJSON `json:"steps"`

	Times []speedJSON `json:"times,omitempty"` // where time did not pass as that of the world
}

// stepJSON is something that happened on a lane.
type stepJSON struct {
	At     int64  `json:"at"`
	Kind   string `json:"kind"`
	Stacks int32  `json:"n,omitempty"`
	End    *int64 `json:"end,omitempty"`
	Why    string `json:"why,omitempty"`
	Source *pick  `json:"source,omitempty"` // where the lane has none
	Text   string `json:"text,omitempty"`
	Late   int64  `json:"late,omitempty"`
}

// cut leaves the older half of the longest lane out, or else half of the lanes, and reports whether there
// was anything.
func (p *pastJSON) cut() bool {
	p.Cut = true
	longest := -1
	for k := range p.Lanes {
		if longest < 0 || len(p.Lanes[k].Steps) > len(p.Lanes[longest].Steps) {
			longest = k
		}
	}
	switch {
	case longest < 0 && p.Attributes == nil:
		return false
	case longest < 0:
		p.Attributes = nil
	case len(p.Lanes[longest].Steps) > 1:
		steps := &p.Lanes[longest].Steps
		*steps = (*steps)[(len(*steps)+1)/2:]
	default:
		p.Lanes = p.Lanes[:len(p.Lanes)/2]
	}
	return true
}

// laneKey is what has a lane of its own.
type laneKey struct {
	handle buff.Handle
	spec   string // if there is no handle
}

// lanes puts the events of a player into lanes, in the order in which they begin.
type lanes struct {
	in   *Inspector
	list []laneJSON
	at   map[laneKey]int
}

// of returns the lane of an event, which may be a new one.
func (l *lanes) of(e *buff.Event) *laneJSON { return &l.list[l.index(e)] }

func (l *lanes) index(e *buff.Event) int {
	key := laneKey{handle: e.Handle}
	if e.Handle == 0 && e.Spec != nil {
		key.spec = e.Spec.ID
	}
	at, ok := l.at[key]
	if !ok {
		lane := laneJSON{Steps: []stepJSON{}}
		if e.Spec != nil {
			lane.describe(e.Spec)
		}
		if e.Handle != 0 {
			source := l.in.pick(e.Source)
			lane.Handle, lane.Source = strconv.FormatUint(uint64(e.Handle), 10), &source
		}
		at = len(l.list)
		l.at[key] = at
		l.list = append(l.list, lane)
	}
	return at
}

func (lane *laneJSON) describe(s *buff.Spec) {
	lane.Spec, lane.Name, lane.Side, lane.Whole = line(s.ID), line(s.Name), s.Polarity.String(), s.Duration.Milliseconds()
}

// add puts an event on its lane.
func (l *lanes) add(e *buff.Event) {
	lane, at := l.of(e), int64(e.At)
	switch {
	case e.Handle == 0:
	case e.Kind == buff.Applied || e.Kind == buff.Restored:
		lane.Begin = &at
	case e.Kind == buff.Removed:
		lane.End = &at
	}
	lane.Steps = append(lane.Steps, l.in.stepOf(e, lane.Source == nil))
}

func (in *Inspector) stepOf(e *buff.Event, sourced bool) stepJSON {
	step := stepJSON{At: int64(e.At), Kind: e.Kind.String(), Stacks: e.Stacks, Late: int64(e.Seen - e.At)}
	if e.End != wheel.Never && e.End != 0 {
		end := int64(e.End)
		step.End = &end
	}
	if e.Why != buff.NoReason {
		step.Why = e.Why.String()
	}
	if sourced && e.Spec != nil {
		source := in.pick(e.Source)
		step.Source = &source
	}
	switch step.Text = line(e.Name); {
	case e.Kind == buff.Changed && e.Spec != nil:
		step.Text = changeOf(e)
	case e.Kind == buff.Changed:
		step.Text += " " + changeOf(e)
	}
	return step
}

// carries makes sure that what a player carries has a lane, and says until when it runs.
func (l *lanes) carries(b buff.Instance, now int64) {
	lane := l.of(&buff.Event{Handle: b.Handle, Spec: b.Spec, Source: b.Source})
	lane.Stacks, lane.Paused, lane.Hidden = b.Stacks, b.Paused, b.Hidden
	if left := leftOf(b, 0); left != nil {
		end := *left
		if b.Paused {
			end += now
		}
		lane.Runs = &end
	}
}

// pastOf returns the last minute of a player.
func (in *Inspector) pastOf(o *view.Owner, r *history.Recorder) *pastJSON {
	now := int64(o.Now)
	p := &pastJSON{pick: in.pick(o.Owner), Present: o.Present, Now: now, From: max(0, now-maxLookBack)}
	l := lanes{in: in, at: make(map[laneKey]int)}
	events := slices.Collect(r.Events(history.Query{From: o.Now - history.Span, To: o.Now, Owners: []buff.OwnerID{o.Owner}}))
	p.Since = int64(r.Since())
	if n := len(events) - maxSteps; n > 0 {
		p.Cut, p.Since = true, max(p.Since, int64(events[n-1].Seen)+1)
		events = events[n:]
	}
	for k := range events {
		l.add(&events[k])
	}
	if !o.Busy && !o.Unseen {
		for _, b := range o.Buffs {
			l.carries(b, now)
		}
	}
	l.changes(clocksOf(o, r, o.Now-history.Span), p.From, now)
	slices.SortStableFunc(l.list, func(a, b laneJSON) int { return compareBegin(a.Begin, b.Begin) })
	if n := len(l.list) - maxLanes; n > 0 {
		p.Cut = true
		l.list = slices.DeleteFunc(l.list, func(lane laneJSON) bool { // the oldest buffs, and not what was denied
			oldest := lane.Handle != "" && n > 0
			if oldest {
				n--
			}
			return oldest
		})
	}
	p.Lanes = l.list
	if p.Lanes == nil {
		p.Lanes = []laneJSON{}
	}
	in.addThen(p, o, r)
	return p
}

// compareBegin orders lanes: those that were there before come first.
func compareBegin(a, b *int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return int(*a - *b)
}

// pastAsked returns the player of a question for its last minute, and where that is known; nil, if it has
// answered already.
func (in *Inspector) pastAsked(w http.ResponseWriter, r *http.Request, text string) (*view.Owner, *history.Recorder) {
	id, ok := parseID(text)
	if !ok {
		refuse(w, refusal{http.StatusBadRequest, "a player's id has up to 20 digits"})
		return nil, nil
	}
	recorder := in.eng.History()
	if recorder == nil {
		refuse(w, refusal{http.StatusNotFound, "this engine keeps no history: set Options.Trace.History of the engine, for example to history.DefaultBytes"})
		return nil, nil
	}
	leave, ok := in.admitLook(w, r)
	if !ok {
		return nil, nil
	}
	defer leave()
	o, err := in.find(r, id)
	if err != nil {
		refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
		return nil, nil
	}
	return o, recorder
}

// serveHistory answers with the last minute of a player.
func (in *Inspector) serveHistory(w http.ResponseWriter, r *http.Request, query url.Values) {
	if o, recorder := in.pastAsked(w, r, query.Get("history")); o != nil {
		serveJSON(w, in.pastOf(o, recorder))
	}
}
