package inspect

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

const (
	maxLanes    = 400  // maximum number of lanes of one player
	maxSteps    = 8000 // maximum number of events in all lanes of one player; the newest are kept
	maxLookBack = int64(history.Span)
)

// pastJSON is the last minute of a player, with a lane for each buff. Times are in ms.
type pastJSON struct {
	pick
	Present bool       `json:"present"`
	Now     int64      `json:"now"`
	From    int64      `json:"from"`  // start of the lanes
	Since   int64      `json:"since"` // all events after this time are known
	Lanes   []laneJSON `json:"lanes"`
	Cut     bool       `json:"cut,omitempty"` // something was omitted

	Attributes []attributeHistoryJSON `json:"attributes,omitempty"` // history of each attribute
	// time since which the attributes are known
	Sheet int64 `json:"sheet"`
}

// laneJSON is the lane of one buff. A lane without a handle holds the denied and instant
// applications of one definition, or the events of the owner itself.
type laneJSON struct {
	Handle string     `json:"handle,omitempty"`
	Spec   string     `json:"spec,omitempty"`
	Name   string     `json:"name,omitempty"`
	Side   string     `json:"side,omitempty"`
	Source *pick      `json:"source,omitempty"`
	Whole  int64      `json:"whole,omitempty"` // duration in the definition
	Begin  *int64     `json:"begin"`           // null if the buff started before the recorded time
	End    *int64     `json:"end"`             // null if the buff is still active
	Runs   *int64     `json:"runs,omitempty"`  // expected end of an active buff
	Stacks int        `json:"stacks"`          // number of stacks now, or at the end
	Paused bool       `json:"paused,omitempty"`
	Hidden bool       `json:"hidden,omitempty"`
	Steps  []stepJSON `json:"steps"`

	Times []speedJSON `json:"times,omitempty"` // intervals in which time did not pass at normal speed
}

// stepJSON is an event on a lane.
type stepJSON struct {
	At     int64  `json:"at"`
	Kind   string `json:"kind"`
	Stacks int32  `json:"n,omitempty"`
	End    *int64 `json:"end,omitempty"`
	Why    string `json:"why,omitempty"`
	Source *pick  `json:"source,omitempty"` // only set in lanes without a source
	Text   string `json:"text,omitempty"`
	Late   int64  `json:"late,omitempty"`
}

// cut removes the older half of the events of the lane with the most events. If each lane has at
// most one event, it removes half of the lanes, and finally the attributes. It reports whether it
// has removed anything.
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

// laneKey identifies a lane.
type laneKey struct {
	handle buff.Handle
	spec   string // id of the definition, for lanes without a handle
}

// lanes groups the events of a player into lanes.
type lanes struct {
	in   *Inspector
	list []laneJSON
	at   map[laneKey]int
}

// laneOf returns the lane of an event. It creates the lane if necessary.
func (l *lanes) laneOf(e *buff.Event) *laneJSON { return &l.list[l.index(e)] }

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

// add adds an event to its lane.
func (l *lanes) add(e *buff.Event) {
	lane, at := l.laneOf(e), int64(e.At)
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
	if e.Why != reason.None {
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

// addActive adds the state and the expected end of an active buff to its lane. It creates the
// lane if necessary.
func (l *lanes) addActive(b buff.Instance, now int64) {
	lane := l.laneOf(&buff.Event{Handle: b.Handle, Spec: b.Spec, Source: b.Source})
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
			l.addActive(b, now)
		}
	}
	l.addSpeeds(clocksOf(o, r, o.Now-history.Span), p.From, now)
	slices.SortStableFunc(l.list, func(a, b laneJSON) int { return compareBegin(a.Begin, b.Begin) })
	if n := len(l.list) - maxLanes; n > 0 {
		p.Cut = true
		l.list = slices.DeleteFunc(l.list, func(lane laneJSON) bool { // drop the lanes of the oldest buffs, but keep denials
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
	in.addAttributes(p, o, r)
	return p
}

// compareBegin orders lanes by their starts. Lanes that started before the recorded time are
// first.
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

// pastRequest returns the requested player and the flight recorder. If it returns nil, it has
// sent the response.
func (in *Inspector) pastRequest(w http.ResponseWriter, r *http.Request, text string) (*view.Owner, *history.Recorder) {
	id, ok := parseID(text)
	if !ok {
		refuse(w, refusal{http.StatusBadRequest, "a player id has up to 20 digits"})
		return nil, nil
	}
	recorder := in.eng.History()
	if recorder == nil {
		refuse(w, refusal{http.StatusNotFound, "this engine keeps no history: set Options.Trace.History of the engine, for example to history.DefaultBytes"})
		return nil, nil
	}
	leave, ok := in.admitSearch(w, r)
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

// serveHistory responds with the last minute of a player.
func (in *Inspector) serveHistory(w http.ResponseWriter, r *http.Request, query url.Values) {
	if o, recorder := in.pastRequest(w, r, query.Get("history")); o != nil {
		serveJSON(w, in.pastOf(o, recorder))
	}
}
