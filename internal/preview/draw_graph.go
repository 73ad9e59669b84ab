package preview

import (
	"fmt"

	"github.com/bufftick/bufftick/wheel"
)

// Sizes and colours of a graph.
const (
	graphHeight = 66.0
	graphTop    = 18.0 // distance from the upper edge to the largest value
	graphFoot   = 58.0 // distance from the upper edge to the smallest value, or to 0 if no value is below 0

	changeRadius = 2.6

	fillGraph Color = 0xe9def3
	lineGraph Color = 0x7a4ea0
)

// graph draws the values of an attribute as steps, in a lane whose upper edge is at `top`.
func (d *drawing) graph(g *Graph, top float64) {
	d.text(margin, top+graphFoot-6, cut(cleaned(g.Name), textSize, d.left-2*margin), Shape{Size: textSize, Fill: ink})
	// The axis includes 0, so that the filled area is proportional to the value.
	lo, hi := 0.0, 0.0
	for _, v := range g.Values {
		lo, hi = min(lo, v.Value), max(hi, v.Value)
	}
	y := func(v float64) float64 {
		if lo == hi {
			return top + (graphTop+graphFoot)/2
		}
		return top + graphFoot - (graphFoot-graphTop)*share(v, lo, hi)
	}
	var line []Point
	last := -1.0 // position of the last drawn value; values closer than the line width are skipped
	for i, v := range g.Values {
		to := d.line.Until
		if i+1 < len(g.Values) {
			to = g.Values[i+1].At
		}
		if d.x(to) < last+0.5 && i+1 < len(g.Values) {
			continue
		}
		last = d.x(to)
		line = append(line, Point{d.x(v.At), y(v.Value)}, Point{d.x(to), y(v.Value)})
	}
	ground := y(0)
	end := d.x(d.line.Until)
	d.add(Shape{Kind: Area, Points: append([]Point{{end, ground}, {d.left, ground}}, line...), Fill: fillGraph, Stroke: None})
	d.add(Shape{
		Kind: Line, Points: line, Fill: None, Stroke: lineGraph, Thick: 1.6,
		Tip: fmt.Sprintf("%s: %s at the start, %s at the end", cleaned(g.Name), shortly(g.Values[0].Value), shortly(g.last())),
	})
	d.values(g, y)
	d.changes(g, y)
	d.text(end+11, y(g.last())+4, shortly(g.last()), Shape{Size: smallSize, Bold: true, Fill: lineGraph})
}

// share returns the position of v between lo and hi, as a number from 0 to 1. It is correct even
// if hi - lo overflows.
func share(v, lo, hi float64) float64 { return (v/2 - lo/2) / (hi/2 - lo/2) }

// values writes each value above its step if there is enough space.
func (d *drawing) values(g *Graph, y func(float64) float64) {
	free := 0.0
	for i, v := range g.Values {
		x, text := d.x(v.At)+2, shortly(v.Value)
		to := d.x(d.line.Until)
		if i+1 < len(g.Values) {
			to = d.x(g.Values[i+1].At)
		}
		if x < free || x+wide(text, smallSize) > to {
			continue
		}
		free = x + wide(text, smallSize) + 4
		d.text(x, y(v.Value)-3, text, Shape{Size: smallSize, Fill: lineGraph})
	}
}

// changes draws a dot for each change of the base value. A change too close to the previous dot
// gets no dot.
func (d *drawing) changes(g *Graph, y func(float64) float64) {
	last := -crowded
	for i := range g.Changes {
		c := &g.Changes[i]
		x := d.x(c.At)
		if x-last < crowded/2 {
			continue
		}
		last = x
		d.used[signChange] = true
		d.add(Shape{
			Kind: Disc, Points: []Point{{x, y(g.at(c.At))}}, Radius: changeRadius, Fill: lineGraph, Stroke: None,
			Tip: fmt.Sprintf("%s: %s", span(int64(c.At)), c.describe()),
		})
	}
}

// at returns the value immediately after the instant t.
func (g *Graph) at(t wheel.Time) float64 {
	v := g.Values[0].Value
	for _, w := range g.Values {
		if w.At <= t {
			v = w.Value
		}
	}
	return v
}
