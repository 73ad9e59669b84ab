package preview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Graph is an attribute of the owner that did not stay as it was.
type Graph struct {
	Name    string
	Values  []Value  // with what the buffs make of it, by time: one at 0, and one for each instant after which it was another
	Changes []Change // of its base, for good, in their order
}

// Value is what an attribute is from an instant on.
type Value struct {
	At    wheel.Time // the instant
	Value float64    // with what the buffs make of it
}

// Change is what was done to the base of an attribute.
type Change struct {
	At       wheel.Time
	Spec     *buff.Spec // the buff that did it
	By       float64
	Absorbed int64 // what shields took of it
}

// last returns what the attribute is at the end.
func (g *Graph) last() float64 { return g.Values[len(g.Values)-1].Value }

// shortly writes a number as short as it can be read.
func shortly(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// drawnGraphs returns the graphs that are drawn.
func (t *Timeline) drawnGraphs() []*Graph { return t.Graphs[:min(len(t.Graphs), MaxLanes)] }

// attributes notes what the attributes are like now, if that has changed.
func (r *recorder) attributes(now wheel.Time, c *buff.Catalog, set *buff.Set) {
	if c.Attributes() == nil {
		return
	}
	i := 0
	for a, law := range c.Attributes().All() {
		v := set.Attribute(c, a)
		if i == len(r.graphs) { // the first look is before all events
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

// change notes what was done to an attribute.
func (r *recorder) change(e *buff.Event) {
	for _, g := range r.graphs {
		if g.Name == e.Name {
			g.Changes = append(g.Changes, Change{At: e.At, Spec: e.Spec, By: e.Delta, Absorbed: e.Magnitude})
		}
	}
}

// finishGraphs keeps those of attributes to which something happened.
func (r *recorder) finishGraphs() {
	for _, g := range r.graphs {
		if len(g.Values) > 1 || len(g.Changes) > 0 {
			r.line.Graphs = append(r.line.Graphs, g)
		}
	}
}

// graph shows the values of an attribute, each from where it begins on.
func (x *text) graph(g *Graph) {
	r := x.row()
	for i, v := range g.Values {
		c, label := x.at(v.At), shortly(v.Value)
		switch last := i == len(g.Values)-1; {
		case !last && x.at(g.Values[i+1].At) == c: // nobody could see it
		case r.text(c, label):
		case last && r.text(len(r)-len(label), label): // it has no room to the right
		case r[c] == ' ':
			r[c] = '…'
		}
	}
	x.show(cleaned(g.Name), r)
}

func cleaned(name string) string { return strings.Map(harmless, name) }

// mostChanges is how many lines are written about one attribute.
const mostChanges = 12

// graphs says what became of each attribute: a line for each change, and its value at the
// end.
func (x *text) graphs(graphs []*Graph) {
	for _, g := range graphs {
		x.write("", "")
		label := cleaned(g.Name)
		lines := g.told()
		if more := len(lines) - mostChanges; more > 1 {
			lines = append(lines[:mostChanges], fmt.Sprintf("… and %d more", more))
		}
		x.write(label, shortly(g.Values[0].Value)+" at first")
		for _, l := range append(lines, shortly(g.last())+" at the end") {
			x.write(" ", l)
		}
	}
}

// told returns a line for each change of the base, and one for each other value, which
// buffs make of it as long as they are there.
func (g *Graph) told() (lines []string) {
	values, changes := g.Values[1:], g.Changes
	for len(values) > 0 || len(changes) > 0 {
		if len(changes) == 0 || len(values) > 0 && values[0].At < changes[0].At {
			lines = append(lines, fmt.Sprintf("%s: %s", span(int64(values[0].At)), shortly(values[0].Value)))
			values = values[1:]
			continue
		}
		c := changes[0]
		changes = changes[1:]
		line := fmt.Sprintf("%s: %s", span(int64(c.At)), c.told())
		last := len(changes) == 0 || changes[0].At > c.At
		if last && len(values) > 0 && values[0].At == c.At {
			line += ", now " + shortly(values[0].Value)
			values = values[1:]
		}
		lines = append(lines, line)
	}
	return lines
}

// told says what a change did.
func (c *Change) told() string {
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
