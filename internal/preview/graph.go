package preview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Graph shows an attribute of the owner over time. Only attributes that change have a Graph.
type Graph struct {
	Name    string
	Values  []Value  // the value at time 0 and after each change, sorted by time
	Changes []Change // permanent changes of the base value, in order
}

// Value is the value of an attribute from an instant until the next Value.
type Value struct {
	At    wheel.Time
	Value float64 // the value with all modifiers
}

// Change is a permanent change of an attribute's base value.
type Change struct {
	At       wheel.Time
	Spec     *buff.Spec // definition of the buff that made the change
	By       float64
	Absorbed int64 // amount absorbed by shields
}

// last returns the value at the end of the timeline.
func (g *Graph) last() float64 { return g.Values[len(g.Values)-1].Value }

// shortly formats a number with at most six digits.
func shortly(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// drawnGraphs returns the graphs to draw.
func (t *Timeline) drawnGraphs() []*Graph { return t.Graphs[:min(len(t.Graphs), MaxLanes)] }

// attributes records the values of attributes that have changed.
func (r *recorder) attributes(now wheel.Time, c *buff.Catalog, set *rules.Owner) {
	if c.Attributes() == nil {
		return
	}
	i := 0
	for a, law := range c.Attributes().All() {
		v := set.Attribute(c, a)
		if i == len(r.graphs) { // only in the first call, before all events
			r.graphs = append(r.graphs, &Graph{Name: law.Name, Values: []Value{{now, v}}})
		}
		g := r.graphs[i]
		i++
		switch last := &g.Values[len(g.Values)-1]; {
		case last.Value == v:
		case last.At == now && len(g.Values) > 1:
			last.Value = v
		default:
			g.Values = append(g.Values, Value{now, v})
		}
	}
}

// change records a change of a base value.
func (r *recorder) change(e *buff.Event) {
	for _, g := range r.graphs {
		if g.Name == e.Name {
			g.Changes = append(g.Changes, Change{At: e.At, Spec: e.Spec, By: e.Delta, Absorbed: e.Magnitude})
		}
	}
}

// finishGraphs adds to the timeline the graphs of the attributes that have changed.
func (r *recorder) finishGraphs() {
	for _, g := range r.graphs {
		if len(g.Values) > 1 || len(g.Changes) > 0 {
			r.line.Graphs = append(r.line.Graphs, g)
		}
	}
}

// graph writes the values of an attribute, each at the column of its instant.
func (x *text) graph(g *Graph) {
	r := x.row()
	for i, v := range g.Values {
		c, label := x.at(v.At), shortly(v.Value)
		switch last := i == len(g.Values)-1; {
		case !last && x.at(g.Values[i+1].At) == c: // another value has the same column
		case r.text(c, label):
		case last && r.text(len(r)-len(label), label): // right-align the last value
		case r[c] == ' ':
			r[c] = '…'
		}
	}
	x.show(cleaned(g.Name), r)
}

func cleaned(name string) string { return strings.Map(harmless, name) }

// mostChanges is the maximum number of lines about one attribute.
const mostChanges = 12

// graphs writes the values of each attribute at the start and at the end, and a line for each
// change in between.
func (x *text) graphs(graphs []*Graph) {
	for _, g := range graphs {
		x.write("", "")
		label := cleaned(g.Name)
		lines := g.describe()
		if more := len(lines) - mostChanges; more > 1 {
			lines = append(lines[:mostChanges], fmt.Sprintf("… and %d more", more))
		}
		x.write(label, shortly(g.Values[0].Value)+" at the start")
		for _, l := range append(lines, shortly(g.last())+" at the end") {
			x.write(" ", l)
		}
	}
}

// describe returns a line for each change of the base value and for each change by modifiers.
func (g *Graph) describe() (lines []string) {
	values, changes := g.Values[1:], g.Changes
	for len(values) > 0 || len(changes) > 0 {
		if len(changes) == 0 || len(values) > 0 && values[0].At < changes[0].At {
			lines = append(lines, fmt.Sprintf("%s: %s", span(int64(values[0].At)), shortly(values[0].Value)))
			values = values[1:]
			continue
		}
		c := changes[0]
		changes = changes[1:]
		line := fmt.Sprintf("%s: %s", span(int64(c.At)), c.describe())
		last := len(changes) == 0 || changes[0].At > c.At
		if last && len(values) > 0 && values[0].At == c.At {
			line += ", now " + shortly(values[0].Value)
			values = values[1:]
		}
		lines = append(lines, line)
	}
	return lines
}

// describe returns a change as text, such as "-12 by poison, 3 absorbed".
func (c *Change) describe() string {
	text := shortly(c.By)
	if c.By > 0 {
		text = "+" + text
	}
	if c.Spec != nil {
		text += " by " + cleaned(c.Spec.ID)
	}
	if c.Absorbed > 0 {
		text += fmt.Sprintf(", %d absorbed", c.Absorbed)
	}
	return text
}
