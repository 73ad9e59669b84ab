package preview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

// NarrowestText is the minimum width of the chart that [Timeline.Text] draws, in columns.
const NarrowestText = 40

// widestLabel limits the width of lane names, which may take up 1/widestLabel of the total width.
const widestLabel = 3

// Text returns the timeline as text: a description, the axis, the lanes, a legend of the symbols
// used, and a summary. The chart is at most `width` columns wide, but never narrower than
// [NarrowestText]; the description and the summary may be wider. Each column covers the same span
// of time. A pulse is in the column of its instant. The end of a bar is drawn one column later, so
// that a pulse at the same instant stays visible.
func (t *Timeline) Text(width int) string {
	x := &text{line: t, signs: map[rune]bool{}}
	label := len("script")
	lanes, rest := t.drawn()
	for _, l := range lanes {
		label = max(label, columns(t.name(l)))
	}
	graphs := t.drawnGraphs()
	for _, g := range graphs {
		label = max(label, columns(cleaned(g.Name)))
	}
	width = max(width, NarrowestText)
	x.label = min(label, width/widestLabel)
	room := width - x.label - 3 // minus a space, the last instant, and the end of a bar
	x.unit = scaleFor(int64(t.Until), room)
	x.cells = int((int64(t.Until)+x.unit-1)/x.unit) + 2
	x.write("", fmt.Sprintf("%s: %s", t.Spec.ID, describe(t.Spec)))
	x.write("", "")
	x.axis()
	x.script()
	for _, l := range lanes {
		x.lane(l)
	}
	if rest != "" {
		x.write("", rest)
	}
	for _, g := range graphs {
		x.graph(g)
	}
	x.legend(width)
	x.summary(lanes)
	x.graphs(graphs)
	return x.out.String()
}

// text draws a timeline as characters.
type text struct {
	line  *Timeline
	out   strings.Builder
	label int   // columns for the lane names
	unit  int64 // ms per column
	cells int
	signs map[rune]bool // symbols used so far
}

// columns returns the width of a text in terminal columns.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd {
			n++ // ideographs, kana, Hangul, full-width forms and emoji are wide
		}
	}
	return n
}

func (x *text) write(label, rest string) {
	if label == "" {
		x.out.WriteString(strings.TrimRight(rest, " ") + "\n")
		return
	}
	if columns(label) > x.label {
		name := []rune(label)
		for columns(string(name)) >= x.label {
			name = name[:len(name)-1]
		}
		label = string(name) + "…"
	}
	line := label + strings.Repeat(" ", x.label-columns(label)+1) + rest
	x.out.WriteString(strings.TrimRight(line, " ") + "\n")
}

// row is one line of symbols.
type row []rune

func (x *text) row() row {
	return slices.Repeat(row{' '}, x.cells)
}

// at returns the column of an instant.
func (x *text) at(t wheel.Time) int { return min(int(int64(t)/x.unit), x.cells-2) }

// put sets the symbol of a column.
func (x *text) put(r row, column int, sign rune) { r[column] = sign }

// show writes a row and records its symbols for the legend.
func (x *text) show(label string, r row) {
	for _, sign := range r {
		x.signs[sign] = true
	}
	if label == "" {
		label = " "
	}
	x.write(label, string(r))
}

// text writes a text into a row if it fits into free columns, and reports whether it did.
func (r row) text(column int, s string) bool {
	letters := []rune(s)
	if column+len(letters) > len(r) {
		return false
	}
	if column > 0 && r[column-1] != ' ' {
		return false
	}
	for i := range letters {
		if r[column+i] != ' ' {
			return false
		}
	}
	copy(r[column:], letters)
	return true
}

func (x *text) axis() {
	end := int64(x.line.Until)
	step := labelled(x.unit, end, func(ms int64) int64 { return int64(columns(span(ms))+2) * x.unit })
	labels, ticks := x.row(), x.row()
	for at := int64(0); at <= end; at += step {
		column := x.at(wheel.Time(at))
		if text := span(at); !labels.text(column, text) {
			labels.text(len(labels)-columns(text), text) // right-align the last label
		}
		ticks[column] = '╵'
	}
	x.write(" ", string(labels))
	x.write(" ", string(ticks))
}

// script writes the row of the steps.
func (x *text) script() {
	r := x.row()
	for i := range x.line.Steps {
		st := &x.line.Steps[i]
		if st.At > x.line.Until {
			continue
		}
		sign, column := scriptSigns[st.Do], x.at(st.At)
		if r[column] != ' ' && r[column] != sign {
			sign = several
		}
		x.put(r, column, sign)
	}
	x.show("script", r)
}

// lane writes the marks, bars and stacks of a lane.
func (x *text) lane(l *Lane) {
	if marks := x.marks(l); strings.TrimSpace(string(marks)) != "" {
		x.show("", marks)
	}
	r := x.row()
	for _, b := range l.Bars {
		x.bar(r, b)
	}
	for _, m := range l.Marks {
		if m.Kind == buff.Executed {
			x.put(r, x.at(m.At), signExecuted)
		}
	}
	x.show(x.line.name(l), r)
	if l.counted() {
		x.show("", x.counts(l))
	}
}

func (x *text) bar(r row, b *Bar) {
	from, to := x.at(b.From), x.at(b.To)
	for c := from; c <= to; c++ {
		r[c] = signRuns
	}
	for _, ph := range b.Phases {
		sign := signHidden
		if ph.Kind == PhasePaused {
			sign = signPaused
		}
		last := x.at(ph.To)
		if ph.To < b.To && last > x.at(ph.From) {
			last-- // the last column belongs to the next phase
		}
		for c := x.at(ph.From); c <= last; c++ {
			r[c] = sign
		}
	}
	r[from] = signStart
	for i := range b.Pulses {
		c := x.at(b.Pulses[i].At)
		x.put(r, c, joined(r[c], b.Pulses[i].sign()))
	}
	end := signExpired
	switch b.Why {
	case reason.Expired:
	case reason.None:
		end = signGoesOn
	default:
		end = signRemoved
	}
	x.put(r, to+1, end)
}

func (p *Pulse) sign() rune {
	switch {
	case p.Suppressed:
		return signSuppressed
	case p.Period > 0:
		return signPartial
	}
	return signPulse
}

// joined returns the symbol for a column that has the symbol `was` and to which a pulse with the
// given symbol is added.
func joined(was, sign rune) rune {
	switch was {
	case signPulse, signPartial, signSuppressed, signPulses:
		return signPulses
	}
	return sign
}

// marks returns the row above the bars, which has symbols for changes of stacks and duration.
func (x *text) marks(l *Lane) row {
	r := x.row()
	for _, m := range l.Marks {
		sign, ok := markSigns[m.Kind]
		if !ok {
			continue
		}
		c := x.at(m.At)
		switch was := r[c]; {
		case was == signStacked && sign == signRefreshed || was == signBoth && sign == signRefreshed, was == signBoth && sign == signStacked:
			sign = signBoth
		case was != ' ' && was != sign:
			sign = several
		}
		x.put(r, c, sign)
	}
	return r
}

// counts returns the row below the bars, which shows each new number of stacks or, for a queue,
// the magnitude of the active application.
func (x *text) counts(l *Lane) row {
	r := x.row()
	for _, b := range l.Bars {
		for i, c := range b.Counts {
			label := fmt.Sprint(c.Stacks)
			if l.queues() {
				label = fmt.Sprintf("=%d", c.Magnitude)
				if c.Waiting > 0 {
					label += fmt.Sprintf("+%d", c.Waiting)
				}
			}
			if !r.text(x.at(c.At), label) && x.at(b.until(i)) > x.at(c.At) {
				r[x.at(c.At)] = '…'
			}
		}
	}
	return r
}

// summary writes a summary of each lane, and the notes.
func (x *text) summary(lanes []*Lane) {
	const most = 3
	x.write("", "")
	for _, l := range lanes {
		label := x.line.name(l)
		for _, s := range summaries(l, most) {
			x.write(label, s)
			label = " "
		}
	}
	for _, n := range x.line.Notes {
		x.write("", "note: "+n)
	}
}
