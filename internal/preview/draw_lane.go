package preview

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

// crowded is the smallest distance at which pulses are drawn as discs. Closer pulses are drawn as
// strokes.
const crowded = 9.0

// lane draws a lane whose upper edge is at `top`.
func (d *drawing) lane(l *Lane, top float64) {
	foot := top + barBelow
	d.text(margin, foot-4, cut(d.line.name(l), textSize, d.left-2*margin), Shape{Size: textSize, Bold: l.Spec == d.line.Spec, Fill: ink, Tip: describe(l.Spec)})
	most := 1
	for _, b := range l.Bars {
		for _, c := range b.Counts {
			most = max(most, c.Stacks)
		}
	}
	drawn := -1.0 // right edge of the bars so far; a bar thinner than a line is skipped
	for i, b := range l.Bars {
		if i+1 < len(l.Bars) && d.x(b.To) < drawn+0.5 {
			continue
		}
		drawn = d.x(b.To)
		room := pictureWidth - margin
		if i+1 < len(l.Bars) {
			room = d.x(l.Bars[i+1].From)
		}
		d.bar(l, b, foot, most, room)
	}
	d.marks(l, top, foot)
}

// tall returns the height of a bar with the given number of stacks. The parameter `most` is the
// largest number of stacks in the lane.
func tall(stacks, most int) float64 {
	if most <= 1 {
		return barLeast
	}
	return barLeast + (barMost-barLeast)*float64(max(stacks, 1)-1)/float64(most-1)
}

// bar draws one instance. The height of its outline changes with the number of stacks.
func (d *drawing) bar(l *Lane, b *Bar, foot float64, most int, room float64) {
	fill, line := d.colours(l)
	outline := []Point{{d.x(b.To), foot}, {d.x(b.From), foot}}
	for i, c := range b.Counts {
		y := foot - tall(c.Stacks, most)
		outline = append(outline, Point{d.x(c.At), y}, Point{d.x(b.until(i)), y})
	}
	d.add(Shape{Kind: Area, Points: outline, Fill: fill, Stroke: None})
	for i, c := range b.Counts {
		d.phases(b, c.At, b.until(i), foot-tall(c.Stacks, most), foot)
	}
	if b.Why != reason.None { // a bar that is still active has no right edge
		outline = append(outline, outline[0])
	}
	tip := d.line.name(l) + ": " + b.summary()
	d.add(Shape{Kind: Line, Points: outline, Fill: None, Stroke: line, Thick: 1.2, Tip: tip})
	d.numbers(l, b, foot, most, line)
	d.end(b, foot, room, line)
	d.pulses(b, foot, line)
}

// until returns the instant up to which b.Counts[i] applies.
func (b *Bar) until(i int) wheel.Time {
	if i+1 < len(b.Counts) {
		return b.Counts[i+1].At
	}
	return b.To
}

// phases draws the parts of a bar in which the buff has no effect or is paused, in a pale colour.
func (d *drawing) phases(b *Bar, from, to wheel.Time, top, foot float64) {
	for _, ph := range b.Phases {
		a, z := max(ph.From, from), min(ph.To, to)
		if a >= z {
			continue
		}
		shape := Shape{Kind: Area, Points: box(d.x(a), top, d.x(z), foot), Fill: fillDull, Stroke: None}
		what := signNoEffect
		if ph.Kind == PhasePaused {
			what = signStill
		}
		d.used[what] = true
		shape.Tip = fmt.Sprintf("%s from %s to %s", what, span(int64(ph.From)), span(int64(ph.To)))
		d.add(shape)
		d.hatch(ph.Kind, d.x(a), top, d.x(z), foot)
	}
}

// hatch fills a box with lines, which are slanted if the buff has no effect, and vertical if it is
// paused.
func (d *drawing) hatch(kind PhaseKind, left, top, right, foot float64) {
	const gap = 6.0
	slant := foot - top
	if kind == PhasePaused {
		slant = 0
	}
	for x := left - slant + gap; x < right; x += gap {
		lower, upper := Point{x, foot}, Point{x + slant, top}
		if lower.X < left {
			lower = Point{left, foot - (left - x)}
		}
		if upper.X > right {
			upper = Point{right, foot - (right - x)}
		}
		d.stroke(dullLine, 0.8, lower, upper)
	}
}

// numbers writes the number of stacks above each step of the outline.
func (d *drawing) numbers(l *Lane, b *Bar, foot float64, most int, line Color) {
	if !l.counted() {
		return
	}
	free := 0.0
	for i, c := range b.Counts {
		text := fmt.Sprintf("x%d", c.Stacks)
		if l.queues() {
			text = fmt.Sprintf("=%d", c.Magnitude)
			if c.Waiting > 0 {
				text += fmt.Sprintf(", %d waiting", c.Waiting)
			}
		}
		x := d.x(c.At) + 3
		need := x + wide(text, smallSize)
		if x < free || i+1 < len(b.Counts) && need > d.x(b.until(i)) {
			continue
		}
		free = need + 4
		d.text(x, foot-tall(c.Stacks, most)-3, text, Shape{Size: smallSize, Fill: line})
	}
}

// pulses draws the pulses of a bar, as strokes if they are close together.
func (d *drawing) pulses(b *Bar, foot float64, line Color) {
	y, last := foot-barLeast/2, -crowded
	for i := range b.Pulses {
		p := &b.Pulses[i]
		x := d.x(p.At)
		near := x - last
		if i+1 < len(b.Pulses) {
			near = min(near, d.x(b.Pulses[i+1].At)-x)
		}
		// This pulse is so close to the previous one that one stroke is enough for both.
		if near < 1 && x-last < 1 {
			continue
		}
		last = x
		if near < crowded {
			c := line
			if p.Suppressed {
				c = faint
			}
			d.used[signDense] = true
			d.add(Shape{Kind: Line, Points: []Point{{x, y - 5}, {x, y + 5}}, Fill: None, Stroke: c, Thick: 1.2, Tip: p.tip()})
			continue
		}
		d.used[p.kind()] = true
		d.pulse(p, x, y, line)
	}
}

func (p *Pulse) kind() sign {
	switch {
	case p.Suppressed:
		return signNoPulse
	case p.Period > 0:
		return signPart
	}
	return signBeat
}

func (p *Pulse) tip() string {
	text := fmt.Sprintf("%s: pulse x%d", span(int64(p.At)), p.Stacks)
	if p.Period > 0 {
		text += fmt.Sprintf(", %s of %s", span(p.Elapsed), span(p.Period))
	}
	if p.Suppressed {
		text += ", without effect"
	}
	return text
}

const pulseRadius = 4.0

func (d *drawing) pulse(p *Pulse, x, y float64, line Color) {
	disc := Shape{Kind: Disc, Points: []Point{{x, y}}, Radius: pulseRadius, Fill: line, Stroke: line, Thick: 1.4, Tip: p.tip()}
	switch p.kind() {
	case signNoPulse:
		disc.Fill, disc.Stroke = white, faint
	case signPart:
		disc.Fill = white
	}
	d.add(disc)
	// The disc is filled from the bottom, in proportion to the elapsed part of the period.
	if p.kind() == signPart {
		level := y + pulseRadius - 2*pulseRadius*float64(p.Elapsed)/float64(p.Period)
		d.add(Shape{Kind: Area, Points: segment(x, y, pulseRadius, level), Fill: line, Stroke: None, Tip: p.tip()})
	}
}

// end draws the end of a bar, and its reason if there is space for the text before the next bar.
func (d *drawing) end(b *Bar, foot, room float64, line Color) {
	x, y := d.x(b.To), foot-barLeast/2
	label := b.why()
	switch b.Why {
	case reason.None:
		d.used[signGoing] = true
		d.add(Shape{Kind: Area, Points: []Point{{x, foot - barLeast}, {x + 9, y}, {x, foot}}, Fill: line, Stroke: None})
	case reason.Expired:
		d.stroke(line, 3, Point{x, foot - barLeast - 2}, Point{x, foot + 2})
	default:
		d.used[signEarly] = true
		d.stroke(red, 3, Point{x, foot - barLeast - 2}, Point{x, foot + 2})
	}
	if x+12+wide(label, smallSize) < room {
		c := faint
		if b.Why != reason.None && b.Why != reason.Expired {
			c = red
		}
		d.text(x+11, y+4, label, Shape{Size: smallSize, Fill: c})
	}
}

// marks draws the marks of a lane, on and below its bars.
func (d *drawing) marks(l *Lane, top, foot float64) {
	free := map[wheel.Time]float64{} // marks at the same instant are drawn next to each other
	labelled := 0.0
	var last [signs]float64 // the last position of each sign
	for i := range l.Marks {
		m := &l.Marks[i]
		s, ok := pictureSigns[m.Kind]
		if !ok {
			continue
		}
		d.used[s] = true
		x := d.x(m.At)
		if x < last[s]+0.5 {
			continue
		}
		last[s] = x
		if s == signDone {
			d.sign(s, x, foot-barLeast/2, m.tip())
			continue
		}
		x += free[m.At]
		free[m.At] += 11
		d.sign(s, x, foot+9, m.tip())
		if s == signRefused && x > labelled {
			text := m.Why.String()
			d.text(x+8, foot+13, text, Shape{Size: smallSize, Fill: red})
			labelled = x + 12 + wide(text, smallSize)
		}
	}
	if len(l.Bars) > 0 || slices.ContainsFunc(l.Marks, func(m Mark) bool { return m.Kind == buff.Executed }) {
		return
	}
	d.text(d.left+4, top+18, "never applied", Shape{Size: smallSize, Fill: faint})
}

func (m *Mark) tip() string {
	text := fmt.Sprintf("%s: %s", span(int64(m.At)), pictureSigns[m.Kind])
	if m.Why != reason.None {
		text += ", " + m.Why.String()
	}
	if m.End != wheel.Never {
		text += ", ends at " + span(int64(m.End))
	}
	return text
}
