package inspect

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

const (
	maxIncidents  = 100
	maxInvolved   = 10               // maximum number of players listed for one incident
	reopenWithin  = 10 * time.Second // a problem that recurs within this time is the same incident
	attendEvery   = time.Second
	maxPanicsRead = 1000 // maximum number of failed handlers read for one View
)

// incident is a problem that lasted for some time.
type incident struct {
	key   string
	order uint64

	kind, level string
	from, until time.Time // "until" is the time when the problem was last found
	over        bool
	at          wheel.Time // game time at which the incident started
	text        string     // latest description of the problem
	involved    []buff.OwnerID
	spec, place string
	stack       string
	times       int
}

// incidents holds the most recent incidents, oldest first. It is updated with every View.
type incidents struct {
	mu      sync.Mutex
	list    []*incident
	count   uint64
	changes uint64

	faults  uint64     // Stats.Faults of the previous View
	faulted wheel.Time // game time up to which failed handlers have been read
	primed  bool       // there was a previous View
}

// problem is a problem that was found in one View.
type problem struct {
	key, kind, level, text string
	involved               []buff.OwnerID
	spec, place            string
	at                     wheel.Time
	moment                 bool // the problem is an event without a duration
	times                  int
	lasted                 time.Duration // duration of the problem before this View
	stack                  func() string
}

// noteIncidents adds a View and its verdict. It returns the change counter and the number of
// open incidents.
func (in *Inspector) noteIncidents(v *view.View, found verdict, stuck []stuckFor) (changes string, open int) {
	var list []problem
	for _, f := range found {
		if f.level == calm || f.topic == "stuck" {
			continue // each stuck player is added as a separate incident below
		}
		list = append(list, problem{key: f.topic, kind: f.topic, level: levels[f.level], text: in.sentence(f.say), at: v.Now})
	}
	for _, st := range stuck[:min(len(stuck), maxInvolved)] {
		list = append(list, in.stuckProblem(v, st))
	}
	list = append(list, in.faultProblems(v)...)
	return in.log.see(time.Now(), list)
}

func (in *Inspector) stuckProblem(v *view.View, st stuckFor) problem {
	j := in.stuckOf(st)
	s := problem{
		key: "stuck " + j.ID + " " + j.Spec, kind: "stuck", level: levels[alarm], at: v.Now.After(-st.For),
		text:     in.title(st.Owner) + " is stuck in a handler of " + j.Spec + " for " + spoken(st.wall) + ".",
		involved: []buff.OwnerID{st.Owner}, spec: j.Spec, lasted: st.wall,
		stack: func() string {
			if in.watch == nil {
				return ""
			}
			return in.watch.Stack(st.Stuck)
		},
	}
	if st.Spec != nil {
		s.place = in.placeOf(v.Catalog, st.Spec)
	}
	return s
}

// placeOf returns the file and line of the current version of a definition.
func (in *Inspector) placeOf(c *buff.Catalog, s *buff.Spec) string {
	if c == nil {
		return ""
	}
	newest, _ := c.Newest(s)
	return lines(c.Place(newest))
}

// faultProblems returns the handlers that have failed since the previous View. It reads them from
// the engine's flight recorder.
func (in *Inspector) faultProblems(v *view.View) []problem {
	n, from := in.log.newFaults(v)
	if n == 0 || in.eng == nil || in.eng.History() == nil {
		return nil
	}
	list, at := []problem{}, map[string]int{}
	for e := range in.eng.History().Events(history.Query{From: from + 1, To: v.Now, Kinds: []buff.EventKind{buff.Faulted}}) {
		key, id, place := "panic of a timeout", "a timeout", ""
		if e.Spec != nil {
			id, place = line(e.Spec.ID), in.placeOf(v.Catalog, e.Spec)
			key = "panic " + id
		}
		k, known := at[key]
		if !known {
			k = len(list)
			at[key] = k
			list = append(list, problem{
				key: key, kind: e.Why.String(), level: levels[watch], at: e.At, spec: id, place: place, moment: true,
				text: "A handler of " + id + " failed: " + e.Why.String() + ".",
			})
		}
		s := &list[k]
		if s.times++; len(s.involved) < maxInvolved && !slices.Contains(s.involved, e.Owner) {
			s.involved = append(s.involved, e.Owner)
		}
		if s.times >= maxPanicsRead {
			break
		}
	}
	return list
}

// newFaults returns the number of faults since the previous View, and the game time of the
// previous View.
func (l *incidents) newFaults(v *view.View) (n uint64, from wheel.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.primed {
		n = v.Stats.Faults - l.faults
	}
	from = l.faulted
	l.faults, l.faulted, l.primed = v.Stats.Faults, v.Now, true
	return n, from
}

// sentence returns the text of a verdict without links.
func (in *Inspector) sentence(say []partJSON) string {
	var b strings.Builder
	for _, p := range say {
		if p.Player != nil {
			b.WriteString(p.Player.Name + " #" + p.Player.ID)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// see records the current problems, and marks every other incident as over.
func (l *incidents) see(now time.Time, list []problem) (changes string, open int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range list {
		l.note(now, &list[i])
	}
	for _, x := range l.list {
		switch {
		case x.over:
		case !x.until.Equal(now):
			x.over = true
			l.changes++
		default:
			open++
		}
	}
	return strconv.FormatUint(l.changes, 10), open
}

// note opens an incident or updates an existing incident. The caller holds the lock.
func (l *incidents) note(now time.Time, s *problem) {
	at := slices.IndexFunc(l.list, func(x *incident) bool { return x.key == s.key && (!x.over || now.Sub(x.until) < reopenWithin) })
	if at < 0 {
		l.count++
		l.changes++
		x := &incident{key: s.key, order: l.count, kind: s.kind, level: s.level, from: now.Add(-s.lasted), at: s.at, spec: s.spec, place: s.place}
		if s.stack != nil {
			x.stack = lines(s.stack())
		}
		if len(l.list) == maxIncidents {
			l.list = slices.Delete(l.list, 0, 1)
		}
		at = len(l.list)
		l.list = append(l.list, x)
	}
	x := l.list[at]
	if x.over && !s.moment {
		l.changes++
	}
	if x.until, x.over = now, s.moment; s.moment {
		l.changes++
	}
	x.text = s.text
	x.times += s.times
	for _, id := range s.involved {
		if len(x.involved) < maxInvolved && !slices.Contains(x.involved, id) {
			x.involved = append(x.involved, id)
		}
	}
}

// stalled records that the loop does not tick.
func (l *incidents) stalled(now time.Time, text string, closed bool) {
	kind := "stalled"
	if closed {
		kind = "closed"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(now, &problem{key: kind, kind: kind, level: levels[alarm], text: text})
}

// incidentJSON is an incident for the page and as a Grafana annotation. Times are Unix times
// in ms.
type incidentJSON struct {
	ID      string `json:"id"`
	Time    int64  `json:"time"`
	TimeEnd int64  `json:"timeEnd"` // time when the problem was last found
	Title   string `json:"title"`
	Text    string `json:"text"`
	Tags    string `json:"tags"` // "bufftick", the kind and the level, separated by commas as Grafana requires

	Kind    string `json:"kind"`
	Level   string `json:"level"`
	Over    bool   `json:"over"`
	At      int64  `json:"at"` // game time at which the incident started, in ms
	Players []pick `json:"players"`
	Spec    string `json:"spec,omitempty"`
	Place   string `json:"place,omitempty"` // file and line of the definition
	Stack   string `json:"stack,omitempty"` // the handler's stack when the incident started: each function, followed by its file and line
	Times   int    `json:"times,omitempty"` // number of occurrences of a problem without a duration
}

// serveIncidents responds with the most recent incidents, newest first. If the query contains
// "from" or "to" (Unix times in ms), only incidents that overlap this interval are returned.
func (in *Inspector) serveIncidents(w http.ResponseWriter, query url.Values) {
	from, to := time.Time{}, time.Now().Add(24*time.Hour)
	for name, at := range map[string]*time.Time{"from": &from, "to": &to} {
		if text := query.Get(name); text != "" {
			ms, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				refuse(w, refusal{http.StatusBadRequest, name + " must be a Unix time in ms"})
				return
			}
			*at = time.UnixMilli(ms)
		}
	}
	out := incidentsJSON{}
	for _, x := range slices.Backward(in.log.all()) {
		if (x.over && x.until.Before(from)) || x.from.After(to) {
			continue
		}
		out = append(out, in.incidentOf(&x))
	}
	serveJSON(w, &out)
}

// incidentsJSON is the response of serveIncidents.
type incidentsJSON []incidentJSON

// cut removes the older half of the list. It reports whether there was more than one incident.
func (l *incidentsJSON) cut() bool {
	more := len(*l) > 1
	*l = (*l)[:(len(*l)+1)/2]
	return more
}

// all returns copies of the incidents, oldest first.
func (l *incidents) all() []incident {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]incident, len(l.list))
	for i, x := range l.list {
		out[i] = *x
		out[i].involved = slices.Clone(x.involved)
	}
	return out
}

func (in *Inspector) incidentOf(x *incident) incidentJSON {
	out := incidentJSON{
		ID: strconv.FormatUint(x.order, 10), Time: x.from.UnixMilli(), TimeEnd: x.until.UnixMilli(), Title: line(in.opts.Title) + ": " + x.kind, Text: lines(x.text),
		Tags: "bufftick," + x.kind + "," + x.level, Kind: x.kind, Level: x.level, Over: x.over, At: int64(x.at),
		Players: []pick{}, Spec: x.spec, Place: x.place, Stack: x.stack, Times: x.times,
	}
	for _, id := range x.involved {
		out.Players = append(out.Players, in.pick(id))
	}
	return out
}

// Attend records incidents until ctx ends or the engine is closed, even while no client is
// connected. It checks for incidents once a second. The page and the query ?incidents show the
// last 100. docs/inspect.md gives the cost of a watched engine.
//
//	go page.Attend(ctx)
//
// Any goroutine may call it, but only once for each Inspector.
func (in *Inspector) Attend(ctx context.Context) {
	defer in.watch.Open(in.hub.since)()
	ticker := time.NewTicker(attendEvery)
	defer ticker.Stop()
	last := in.hub.since()
	for !in.attendOnce(ctx, &last) {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// attendOnce records the incidents of one View, on a separate goroutine like hub.round. It reports
// whether the engine is closed or ctx has ended. The parameter "last" is the time at which the last
// View arrived.
func (in *Inspector) attendOnce(ctx context.Context, last *time.Duration) (closed bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		v, err := in.hub.next(ctx)
		switch closed = errors.Is(err, engine.ErrClosed) || ctx.Err() != nil; {
		case ctx.Err() != nil:
		case err == nil:
			*last = in.hub.since()
			in.viewOf(v, *last)
		default:
			in.log.stalled(time.Now(), stalled(err, in.hub.since()-*last).Say, closed)
		}
	}()
	<-done
	return closed
}
