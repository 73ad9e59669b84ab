package studio

import (
	"maps"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/scenario"
	"github.com/bufftick/bufftick/wheel"
)

// Timeline is a played script. All times are in ms from its start.
type Timeline struct {
	Findings []Finding `json:"findings"` // errors; the timeline is then empty
	End      int64     `json:"end"`
	Owners   []*Owner  `json:"owners"`
	Log      []string  `json:"log"`
	Note     string    `json:"note,omitempty"`   // reason why the timeline is not complete
	Frames   bool      `json:"frames,omitempty"` // the scenario fixes the frames
}

// Owner is the part of a timeline about one owner.
type Owner struct {
	Name   string   `json:"name"`
	Lanes  []*Lane  `json:"lanes"`
	Curves []*Curve `json:"curves"`
	Marks  []Mark   `json:"marks"` // deaths, revivals and other events without a definition
}

// Lane is a row with the instances of one definition by one source that do not overlap.
type Lane struct {
	ID       string `json:"id"`
	Source   string `json:"source"`
	Polarity string `json:"polarity"`
	Period   int64  `json:"period"`
	Bars     []*Bar `json:"bars"`
	Marks    []Mark `json:"marks"`

	spec   *buff.Spec
	source buff.OwnerID
}

// Bar is one instance.
type Bar struct {
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Why    string  `json:"why,omitempty"` // reason of its end; "" if it is active at the end
	Levels []Level `json:"levels"`
	Pulses []Mark  `json:"pulses"`

	live bool
}

// Level is the state of an instance from an instant until the next Level.
type Level struct {
	At     int64 `json:"at"`
	N      int   `json:"n"` // stacks
	Hidden bool  `json:"hidden,omitempty"`
	Paused bool  `json:"paused,omitempty"`
	Shield int64 `json:"shield,omitempty"`
	End    int64 `json:"end,omitempty"` // when it will end; 0 if unknown
}

// Mark is an event at an instant.
type Mark struct {
	At   int64  `json:"at"`
	Kind string `json:"kind"`
	Text string `json:"text"`
	N    int    `json:"n,omitempty"`
}

// Curve is an attribute over time.
type Curve struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"` // time and value after each change
}

// recorder builds a Timeline.
type recorder struct {
	line   *Timeline
	cat    *buff.Catalog
	owners map[buff.OwnerID]*Owner
	names  map[buff.OwnerID]string
	bars   map[buff.Handle]*Bar
	lanes  map[buff.Handle]*Lane
	count  int
	before int64 // end of the previous frame
}

func newRecorder(line *Timeline, cat *buff.Catalog) *recorder {
	return &recorder{
		line: line, cat: cat, owners: map[buff.OwnerID]*Owner{}, names: map[buff.OwnerID]string{},
		bars: map[buff.Handle]*Bar{}, lanes: map[buff.Handle]*Lane{},
	}
}

// take adds the events and the state of one frame.
func (r *recorder) take(m scenario.Moment) {
	for name, id := range m.Owners {
		r.names[id] = name
	}
	now := int64(m.Frame.Now)
	last := map[buff.OwnerID]int64{}
	for e := range m.Frame.Events() {
		r.count++
		r.event(&e)
		last[e.Owner] = int64(e.At)
	}
	for id := range m.Engine.OwnerIDs() {
		at := now
		if r.line.Frames { // no frame ends at the events: a state begins with the last one
			at = r.before
			if t, ok := last[id]; ok {
				at = t
			}
		}
		r.state(at, id, m)
	}
	r.before = now
}

func (r *recorder) owner(id buff.OwnerID) *Owner {
	o := r.owners[id]
	if o == nil {
		o = &Owner{Name: r.names[id], Lanes: []*Lane{}, Curves: []*Curve{}, Marks: []Mark{}}
		r.owners[id] = o
	}
	return o
}

func (r *recorder) event(e *buff.Event) {
	o, mark := r.owner(e.Owner), Mark{int64(e.At), e.Kind.String(), text(e), int(e.Stacks)}
	if e.Spec == nil {
		if e.Kind != buff.Changed { // the curves show it
			o.Marks = append(o.Marks, mark)
		}
		return
	}
	bar := r.bars[e.Handle]
	switch e.Kind {
	case buff.Applied, buff.Restored:
		l := r.lane(o, e, true)
		bar = &Bar{From: int64(e.At), live: true, Pulses: []Mark{}, Levels: []Level{{At: int64(e.At), N: int(e.Stacks), End: endOf(e.End)}}}
		l.Bars = append(l.Bars, bar)
		r.bars[e.Handle], r.lanes[e.Handle] = bar, l
		return
	case buff.Changed, buff.Hidden, buff.Shown:
		return // part of the state
	case buff.Removed:
		if bar != nil {
			bar.To, bar.Why, bar.live = int64(e.At), e.Why.String(), false
		}
		return
	case buff.Pulsed, buff.Suppressed:
		if bar != nil {
			bar.Pulses = append(bar.Pulses, mark)
		}
		return
	}
	l := r.lanes[e.Handle]
	if l == nil {
		l = r.lane(o, e, false)
	}
	l.Marks = append(l.Marks, mark)
}

// lane returns a lane of the event's definition and source, or adds one. If free is set, the lane
// has no live bar.
func (r *recorder) lane(o *Owner, e *buff.Event, free bool) *Lane {
	at := len(o.Lanes)
	for i, l := range o.Lanes {
		if l.spec == e.Spec && l.source == e.Source {
			if n := len(l.Bars); !free || n == 0 || !l.Bars[n-1].live {
				return l
			}
		}
		if l.spec == e.Spec {
			at = i + 1
		}
	}
	l := &Lane{
		ID: e.Spec.ID, Source: r.names[e.Source], Polarity: e.Spec.Polarity.String(), Period: e.Spec.Period.Milliseconds(),
		Bars: []*Bar{}, Marks: []Mark{}, spec: e.Spec, source: e.Source,
	}
	o.Lanes = slices.Insert(o.Lanes, at, l)
	return l
}

// state records the state of an owner from an instant if it has changed.
func (r *recorder) state(now int64, id buff.OwnerID, m scenario.Moment) {
	list, err := m.Engine.Buffs(id)
	if err != nil {
		return
	}
	for b := range list.All() {
		bar := r.bars[b.Handle]
		if bar == nil {
			continue
		}
		is := Level{now, b.Stacks, b.Hidden, b.Paused, b.Shield, endOf(b.End)}
		was := &bar.Levels[len(bar.Levels)-1]
		is.At = was.At
		switch {
		case is == *was:
		case was.At == now:
			*was = is
		default:
			is.At = now
			bar.Levels = append(bar.Levels, is)
		}
	}
	if r.cat.Attributes() == nil {
		return
	}
	o, i := r.owner(id), 0
	for a, law := range r.cat.Attributes().All() {
		v, _ := m.Engine.Attribute(id, a) // the owner exists
		if i == len(o.Curves) {
			o.Curves = append(o.Curves, &Curve{Name: law.Name, Points: [][2]float64{{0, v}}})
		}
		c := o.Curves[i]
		i++
		switch last := &c.Points[len(c.Points)-1]; {
		case last[1] == v:
		case last[0] == float64(now) && len(c.Points) > 1:
			last[1] = v
		default:
			c.Points = append(c.Points, [2]float64{float64(now), v})
		}
	}
}

func endOf(t wheel.Time) int64 {
	if t == wheel.Never {
		return 0
	}
	return int64(t)
}

// finish ends the bars of active buffs and drops owners and curves without changes.
func (r *recorder) finish(end wheel.Time) {
	for _, id := range slices.Sorted(maps.Keys(r.owners)) {
		o := r.owners[id]
		o.Curves = slices.DeleteFunc(o.Curves, func(c *Curve) bool { return len(c.Points) == 1 })
		for _, l := range o.Lanes {
			for _, b := range l.Bars {
				if b.live {
					b.To = int64(end)
				}
			}
		}
		if len(o.Lanes)+len(o.Curves)+len(o.Marks) > 0 {
			r.line.Owners = append(r.line.Owners, o)
		}
	}
}
