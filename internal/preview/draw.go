package preview

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

// Sizes of a picture.
const (
	pictureWidth = 960.0
	margin       = 16.0
	rightMargin  = 84.0 // space for the reason why the last bar ended
	mostLabel    = 220.0

	titleSize = 17.0
	textSize  = 12.0
	smallSize = 11.0

	laneHeight = 62.0
	stepHeight = 16.0 // height of one line of step labels
	barLeast   = 16.0 // height of a bar with one stack
	barMost    = 30.0 // height of a bar with the largest number of stacks in its lane
	barBelow   = 46.0 // distance from the top of the lane to the bottom of its bars
)

// Colours of a picture.
const (
	ink       Color = 0x1f2933
	faint     Color = 0x66727f
	grid      Color = 0xe4e7eb
	gridMain  Color = 0xcbd2d9
	laneShade Color = 0xf7f9fa
	pauseBand Color = 0xeceff2
	stepInk   Color = 0x2457a6
	stepLine  Color = 0x9db4d8
	fillHelp  Color = 0x8fc3a8 // positive buffs
	fillHarm  Color = 0xe6a99a // negative buffs
	fillPlain Color = 0xa9bfe0 // neutral buffs
	fillDull  Color = 0xe6e9ed // buffs without effect, and paused buffs
	dullLine  Color = 0xaab4bf
	lineHelp  Color = 0x2f7d57
	lineHarm  Color = 0xa5402a
	linePlain Color = 0x44689e
	white     Color = 0xffffff
	red       Color = 0xc0392b
	amber     Color = 0xb7791f
)

// Picture returns the timeline as a drawing. The drawing is 960 units wide. Its height depends on
// the number of lanes and graphs.
func (t *Timeline) Picture() *Picture {
	d := &drawing{line: t, pic: &Picture{Width: pictureWidth}, used: map[sign]bool{}}
	d.pic.Title = fmt.Sprintf("Timeline of %s: %s", t.Spec.ID, describe(t.Spec))
	d.left = margin + wide("script", textSize)
	lanes, rest := t.drawn()
	for _, l := range lanes {
		d.left = max(d.left, margin+wide(t.name(l), textSize))
	}
	graphs := t.drawnGraphs()
	for _, g := range graphs {
		d.left = max(d.left, margin+wide(cleaned(g.Name), textSize))
	}
	d.left = min(d.left, mostLabel) + margin
	d.scale = (pictureWidth - d.left - rightMargin) / float64(t.Until)

	d.text(margin, 28, t.Spec.ID, Shape{Size: titleSize, Bold: true, Fill: ink})
	d.text(margin, 47, cut(describe(t.Spec), textSize, pictureWidth-2*margin), Shape{Size: textSize, Fill: faint})

	const axisTop = 74.0
	labels := d.placeSteps()
	stepsTop := axisTop + 12
	top := stepsTop + float64(max(labels.levels, 1))*stepHeight + 8
	foot := top + float64(len(lanes))*laneHeight
	bottom := foot + float64(len(graphs))*graphHeight
	d.axis(len(lanes), axisTop, top, bottom)
	d.steps(labels, stepsTop, bottom)
	for i, l := range lanes {
		d.lane(l, top+float64(i)*laneHeight)
	}
	for i, g := range graphs {
		d.graph(g, foot+float64(i)*graphHeight)
	}
	if rest != "" {
		bottom += 20
		d.text(margin, bottom, rest, Shape{Size: textSize, Fill: faint})
	}
	d.pic.Height = d.legend(bottom+26) + margin
	return d.pic
}

// drawing is the state while a picture is drawn.
type drawing struct {
	line  *Timeline
	pic   *Picture
	left  float64 // x of time 0
	scale float64 // width of one ms
	used  map[sign]bool
}

// x returns the horizontal position of an instant.
func (d *drawing) x(at wheel.Time) float64 { return d.left + float64(at)*d.scale }

func (d *drawing) add(s Shape) { d.pic.Shapes = append(d.pic.Shapes, s) }

func (d *drawing) text(x, y float64, text string, s Shape) {
	s.Kind, s.Text, s.Points, s.Stroke = Text, text, []Point{{x, y}}, None
	d.add(s)
}

func (d *drawing) stroke(c Color, thick float64, points ...Point) {
	d.add(Shape{Kind: Line, Points: points, Fill: None, Stroke: c, Thick: thick})
}

// box returns the corners of a rectangle.
func box(x1, y1, x2, y2 float64) []Point {
	return []Point{{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}}
}

// cut shortens a text to the given width.
func cut(s string, size, width float64) string {
	if wide(s, size) <= width {
		return s
	}
	letters := []rune(s)
	for len(letters) > 0 && wide(string(letters), size)+size > width {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}

// axis draws the time axis, the grid lines and the background of the lanes.
func (d *drawing) axis(lanes int, y, top, bottom float64) {
	end := int64(d.line.Until)
	const apart = 16.0 // the minimum distance between grid lines
	step := labelled(1, end, func(ms int64) int64 {
		return int64((wide(span(ms), smallSize) + 14) / d.scale)
	})
	for i := range lanes {
		if i%2 == 0 {
			y := top + float64(i)*laneHeight
			d.add(Shape{Kind: Area, Points: box(margin, y, pictureWidth-margin, y+laneHeight), Fill: laneShade, Stroke: None})
		}
	}
	for at := int64(0); at <= end; at += step {
		x := d.x(wheel.Time(at))
		d.stroke(gridMain, 1, Point{x, y + 4}, Point{x, bottom})
		d.text(x, y, span(at), Shape{Size: smallSize, Fill: faint, Anchor: Middle})
		for _, parts := range []int64{5, 4, 2} {
			if step%parts != 0 || float64(step/parts)*d.scale < apart {
				continue
			}
			for k := int64(1); k < parts && at+k*step/parts <= end; k++ {
				x := d.x(wheel.Time(at + k*step/parts))
				d.stroke(grid, 1, Point{x, y + 8}, Point{x, bottom})
			}
			break
		}
	}
	d.stroke(faint, 1, Point{d.left, y + 6}, Point{d.x(d.line.Until), y + 6})
}

// stepLabels holds the positions of the step labels.
type stepLabels struct {
	level  []int // the line of each step's label; negative if the label is not shown
	levels int
}

// mostLevels is the largest number of lines of labels. If the label of a step does not fit into
// these lines, it is not shown.
const mostLevels = 8

// placeSteps puts each label into the highest line in which it fits.
func (d *drawing) placeSteps() stepLabels {
	var p stepLabels
	var ends [mostLevels]float64
	for i := range d.line.Steps {
		st := &d.line.Steps[i]
		p.level = append(p.level, -1)
		if st.At > d.line.Until {
			continue
		}
		from := d.x(st.At)
		for level := range ends {
			if from < ends[level] {
				continue
			}
			ends[level] = from + wide(st.label(d.line.Spec.ID), smallSize) + 14
			p.level[i], p.levels = level, max(p.levels, level+1)
			break
		}
	}
	return p
}

// steps draws the steps of the script, across all lanes.
func (d *drawing) steps(p stepLabels, top, bottom float64) {
	d.text(margin, top+11, "script", Shape{Size: textSize, Fill: faint})
	d.pauses(top, bottom)
	for i := range d.line.Steps {
		st := &d.line.Steps[i]
		if st.At > d.line.Until {
			continue
		}
		x, y := d.x(st.At), top+float64(max(p.level[i], 0))*stepHeight
		d.add(Shape{
			Kind: Line, Points: []Point{{x, y}, {x, bottom}}, Fill: None, Stroke: stepLine, Thick: 1, Dashed: true,
			Tip: fmt.Sprintf("%s: %s", span(int64(st.At)), st.label(d.line.Spec.ID)),
		})
	}
	for i := range d.line.Steps { // drawn last, so that labels are above all lines
		if p.level[i] < 0 {
			continue
		}
		st := &d.line.Steps[i]
		x, y := d.x(st.At), top+float64(p.level[i])*stepHeight
		text := st.label(d.line.Spec.ID)
		d.add(Shape{Kind: Area, Points: box(x+1, y, x+wide(text, smallSize)+8, y+stepHeight-2), Fill: white, Stroke: None})
		d.add(Shape{Kind: Area, Points: []Point{{x, y + 2}, {x + 5, y + 6}, {x, y + 10}}, Fill: stepInk, Stroke: None})
		d.text(x+8, y+10, text, Shape{Size: smallSize, Fill: stepInk})
	}
}

// pauses draws a shade over each span in which the owner is paused.
func (d *drawing) pauses(top, bottom float64) {
	var from wheel.Time = notOpen
	shade := func(to wheel.Time) {
		d.add(Shape{Kind: Area, Points: box(d.x(from), top, d.x(min(to, d.line.Until)), bottom), Fill: pauseBand, Stroke: None})
		from = notOpen
	}
	for i := range d.line.Steps {
		switch st := &d.line.Steps[i]; {
		case st.At > d.line.Until:
		case st.Do == Pause && from == notOpen:
			from = st.At
		case st.Do == Resume && from != notOpen:
			shade(st.At)
		}
	}
	if from != notOpen {
		shade(d.line.Until)
	}
}

// colours returns the fill and line colours of a lane.
func (d *drawing) colours(l *Lane) (fill, line Color) {
	switch l.Spec.Polarity {
	case define.Positive:
		return fillHelp, lineHelp
	case define.Negative:
		return fillHarm, lineHarm
	}
	return fillPlain, linePlain
}

// why returns the reason why a bar ends, for its label.
func (b *Bar) why() string {
	if b.Why == reason.None {
		return "still active"
	}
	return b.Why.String()
}
