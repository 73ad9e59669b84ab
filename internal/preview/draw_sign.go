package preview

import (
	"math"

	"github.com/bufftick/bufftick/buff"
)

// sign identifies a symbol of a picture.
type sign uint8

// The symbols, in the order of the legend.
const (
	signBeat sign = iota
	signDense
	signPart
	signNoPulse
	signDone
	signMore
	signAgain
	signFewer
	signRefused
	signQueue
	signPeriod
	signFault
	signNoEffect
	signStill
	signEarly
	signGoing
	signChange
	signs
)

var signWords = [signs]string{
	"pulse", "pulses, close together", "partial pulse", "pulse without effect", "executed",
	"more stacks", "refreshed", "fewer stacks", "refused", "queue changed", "period changed", "fault",
	"without effect", "paused", "ended early", "still active", "base value changed",
}

// String returns the meaning of the symbol, as in the legend.
func (s sign) String() string { return signWords[s] }

// pictureSigns are the symbols of marks, by the kind of event.
var pictureSigns = map[buff.EventKind]sign{
	buff.Executed:   signDone,
	buff.Stacked:    signMore,
	buff.Refreshed:  signAgain,
	buff.StackEnded: signFewer,
	buff.Denied:     signRefused,
	buff.Queued:     signQueue,
	buff.Hastened:   signPeriod,
	buff.Faulted:    signFault,
}

// sign draws the symbol of a mark, centred on a point.
func (d *drawing) sign(s sign, x, y float64, tip string) {
	solid := func(c Color, points ...Point) {
		for i := range points {
			points[i].X, points[i].Y = points[i].X+x, points[i].Y+y
		}
		d.add(Shape{Kind: Area, Points: points, Fill: c, Stroke: None, Tip: tip})
	}
	switch s {
	case signDone:
		solid(linePlain, Point{0, -6}, Point{5, 0}, Point{0, 6}, Point{-5, 0})
	case signMore:
		solid(ink, Point{0, -4}, Point{4, 3}, Point{-4, 3})
	case signFewer:
		solid(ink, Point{0, 4}, Point{4, -3}, Point{-4, -3})
	case signAgain:
		solid(stepInk, Point{-3, -4}, Point{5, 0}, Point{-3, 4})
	case signQueue:
		solid(amber, Point{-4, -4}, Point{4, -4}, Point{4, -1}, Point{-4, -1})
		solid(amber, Point{-4, 1}, Point{4, 1}, Point{4, 4}, Point{-4, 4})
	case signPeriod:
		solid(amber, Point{-4, -4}, Point{0, 0}, Point{-4, 4})
		solid(amber, Point{1, -4}, Point{5, 0}, Point{1, 4})
	case signRefused, signFault:
		d.add(Shape{Kind: Line, Points: []Point{{x - 4, y - 4}, {x + 4, y + 4}}, Fill: None, Stroke: red, Thick: 2, Tip: tip})
		d.add(Shape{Kind: Line, Points: []Point{{x - 4, y + 4}, {x + 4, y - 4}}, Fill: None, Stroke: red, Thick: 2, Tip: tip})
	}
}

// sample draws the symbol of a legend entry.
func (d *drawing) sample(s sign, x, y float64) {
	switch s {
	case signBeat:
		d.pulse(&Pulse{Stacks: 1}, x, y, linePlain)
	case signPart:
		d.pulse(&Pulse{Stacks: 1, Elapsed: 1, Period: 2}, x, y, linePlain)
	case signNoPulse:
		d.pulse(&Pulse{Suppressed: true}, x, y, linePlain)
	case signDense:
		for _, dx := range []float64{-3, 0, 3} {
			d.stroke(linePlain, 1.2, Point{x + dx, y - 5}, Point{x + dx, y + 5})
		}
	case signNoEffect, signStill:
		kind := PhaseHidden
		if s == signStill {
			kind = PhasePaused
		}
		d.add(Shape{Kind: Area, Points: box(x-7, y-6, x+7, y+6), Fill: fillDull, Stroke: None})
		d.hatch(kind, x-7, y-6, x+7, y+6)
	case signChange:
		d.add(Shape{Kind: Disc, Points: []Point{{x, y}}, Radius: changeRadius, Fill: lineGraph, Stroke: None})
	case signEarly:
		d.stroke(red, 3, Point{x, y - 7}, Point{x, y + 7})
	case signGoing:
		d.add(Shape{Kind: Area, Points: []Point{{x - 4, y - 6}, {x + 4, y}, {x - 4, y + 6}}, Fill: linePlain, Stroke: None})
	default:
		d.sign(s, x, y, "")
	}
}

// legend draws the symbols that the picture uses, with their meaning. It starts at `top`, and
// returns the bottom of the last line.
func (d *drawing) legend(top float64) float64 {
	x, y := margin+8, top
	for s := range signs {
		if !d.used[s] {
			continue
		}
		need := 14 + wide(s.String(), smallSize) + 24
		if x+need > pictureWidth-margin && x > margin+8 {
			x, y = margin+8, y+20
		}
		d.sample(s, x, y)
		d.text(x+13, y+4, s.String(), Shape{Size: smallSize, Fill: faint})
		x += need
	}
	return y + 4
}

// segment returns the part of a disc that is below the given level.
func segment(x, y, radius, level float64) []Point {
	const corners = 24
	var out []Point
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out = append(out, Point{x + radius*cos, max(y+radius*sin, level)})
	}
	return out
}
