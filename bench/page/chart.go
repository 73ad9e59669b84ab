package page

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgsvg" // registers the SVG format
)

// chart is a line chart. Its title states the finding.
type chart struct {
	file, title, under string // "under" is the subtitle, which describes the data
	x, y               axis
	lines              []line
	marks              []mark
	left               bool // if set, the legend is on the left
	bottom             bool
}

type axis struct {
	name     string
	log      bool
	label    func(float64) string
	min, max float64   // range of the axis; if both are 0, the axis has the range of the data
	step     float64   // distance between labels; 0 means about six labels
	at       []float64 // positions of the labels; nil means a label at every step
}

type line struct {
	name     string
	points   plotter.XYs
	dots     bool // if set, only dots are drawn, without a line
	dashed   bool
	thin     bool
	whiskers []float64 // length of the whiskers of each point; nil means that none are drawn
}

// mark is a vertical line with a label.
type mark struct {
	x    float64
	name string
	bold bool
}

// colours are the colours of lines. Colour-blind readers can distinguish them.
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 255},
	color.RGBA{0xd5, 0x5e, 0x00, 255},
	color.RGBA{0x00, 0x9e, 0x73, 255},
	color.RGBA{0xcc, 0x79, 0xa7, 255},
	color.RGBA{0xe6, 0x9f, 0x00, 255},
	color.RGBA{0x55, 0x55, 0x55, 255},
	color.RGBA{0x56, 0xb4, 0xe9, 255},
}

var (
	gridColour = color.Gray{0xe0}
	markColour = color.Gray{0x99}
)

const (
	chartWidth  = 23 * vg.Centimeter
	chartHeight = 12 * vg.Centimeter
)

// write draws the chart into a file in the folder dir. For the same data, the file is always
// identical.
func (c *chart) write(dir string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = c.title
	p.Title.TextStyle.Font.Size = 14
	p.Title.TextStyle.XAlign = draw.XCenter
	p.Title.Padding = 11 * vg.Millimeter
	c.x.set(&p.X)
	c.y.set(&p.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridColour, gridColour
	p.Add(grid, marks(c.marks)) // draw these first, so that they are below the data
	for i, l := range c.lines {
		if err := l.add(p, colours[i%len(colours)]); err != nil {
			return fmt.Errorf("%s, %s: %w", c.file, l.name, err)
		}
	}
	p.Legend.Top, p.Legend.Left = !c.bottom, c.left
	p.Legend.TextStyle.Font.Size = 11
	p.Legend.Padding, p.Legend.XOffs = 1*vg.Millimeter, 0
	p.Legend.YOffs = -2 * vg.Millimeter
	if c.bottom {
		p.Legend.YOffs = 2 * vg.Millimeter
	}
	if c.left {
		p.Legend.XOffs = 3 * vg.Millimeter
	} else {
		p.Legend.XOffs = -3 * vg.Millimeter
	}
	svg, err := draw.NewFormattedCanvas(chartWidth, chartHeight, "svg")
	if err != nil {
		return err
	}
	page := draw.New(svg)
	p.Draw(draw.Crop(page, 2*vg.Millimeter, -4*vg.Millimeter, 1*vg.Millimeter, -2*vg.Millimeter))
	style := draw.TextStyle{Color: color.Gray{0x44}, Font: font.From(plot.DefaultFont, 11), XAlign: draw.XCenter, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
	page.FillText(style, vg.Point{X: page.Center().X, Y: page.Max.Y - 8*vg.Millimeter}, c.under)
	var b strings.Builder
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, c.file), []byte(b.String()), 0o644)
}

func (a *axis) set(to *plot.Axis) {
	to.Label.Text = a.name
	to.Label.TextStyle.Font.Size = 11
	to.Label.Padding = 2 * vg.Millimeter
	to.Tick.Label.Font.Size = 10
	if a.min != 0 || a.max != 0 {
		to.Min, to.Max = a.min, a.max
	}
	if a.log {
		to.Scale = plot.LogScale{}
		to.Tick.Marker = logTicks{a.label}
	} else if a.label != nil {
		to.Tick.Marker = plainTicks{a.label, a.step, a.at}
	}
}

func (l *line) add(p *plot.Plot, c color.Color) error {
	var legend []plot.Thumbnailer
	if !l.dots {
		drawn, err := plotter.NewLine(l.points)
		if err != nil {
			return err
		}
		drawn.Color, drawn.Width = c, 1.5
		if l.thin {
			drawn.Width = 0.5
		}
		if l.dashed {
			drawn.Dashes = []vg.Length{5, 4}
		}
		p.Add(drawn)
		legend = append(legend, drawn)
	}
	if l.dots || l.whiskers != nil || len(l.points) > 2 && len(l.points) <= 30 {
		dots, err := plotter.NewScatter(l.points)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 2.4, Shape: draw.CircleGlyph{}}
		if len(l.points) > 200 {
			dots.Radius = 1.3
		}
		p.Add(dots)
		legend = append(legend, dots)
	}
	if l.whiskers != nil {
		bars, err := plotter.NewYErrorBars(l)
		if err != nil {
			return err
		}
		bars.Color = c
		p.Add(bars)
	}
	p.Legend.Add(l.name, legend...)
	return nil
}

// Len and XY implement plotter.XYer.
func (l *line) Len() int { return len(l.points) }

// XY returns point i.
func (l *line) XY(i int) (x, y float64) { return l.points[i].X, l.points[i].Y }

// YError returns the length of the whiskers. The lower whisker always ends above zero, because a
// log axis cannot show zero.
func (l *line) YError(i int) (low, high float64) {
	return min(l.whiskers[i], 0.95*l.points[i].Y), l.whiskers[i]
}

// marks draws vertical lines with labels at the top.
type marks []mark

// Plot implements plot.Plotter.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	for _, k := range m {
		style := draw.LineStyle{Color: markColour, Width: 0.7, Dashes: []vg.Length{2, 3}}
		if k.bold {
			style = draw.LineStyle{Color: color.Gray{0x55}, Width: 1.2}
		}
		x := toX(k.x)
		c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		word := draw.TextStyle{Color: color.Gray{0x55}, Font: font.From(plot.DefaultFont, 9), XAlign: draw.XCenter, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
		c.FillText(word, vg.Point{X: x, Y: c.Max.Y + 1}, k.name)
	}
}

// logTicks labels the powers of ten. On a short axis it also labels twice and five times each power
// of ten.
type logTicks struct{ label func(float64) string }

// Ticks implements plot.Ticker.
func (t logTicks) Ticks(lo, hi float64) []plot.Tick {
	few := math.Log10(hi/lo) <= 4
	var out []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for k := 1.0; k < 10; k++ {
			v := k * math.Pow(10, e)
			if v < lo*0.999 || v > hi*1.001 {
				continue
			}
			tick := plot.Tick{Value: v}
			if k == 1 || few && (k == 2 || k == 5) {
				tick.Label = t.label(v)
			}
			out = append(out, tick)
		}
	}
	return out
}

// plainTicks places ticks at equal distances or, if positions are given, at these positions.
type plainTicks struct {
	label func(float64) string
	step  float64
	at    []float64
}

// Ticks implements plot.Ticker.
func (t plainTicks) Ticks(lo, hi float64) []plot.Tick {
	if len(t.at) > 0 {
		return t.ticks(t.at)
	}
	step := t.step
	if step == 0 {
		step = roundStep((hi - lo) / 6)
	}
	var at []float64
	for n := math.Ceil(lo / step); n*step <= hi; n++ {
		at = append(at, n*step+0) // adding 0 turns -0 into 0
	}
	return t.ticks(at)
}

func (t plainTicks) ticks(at []float64) (out []plot.Tick) {
	for _, v := range at {
		out = append(out, plot.Tick{Value: v, Label: t.label(v)})
	}
	return out
}

// roundStep returns the smallest number that is at least v and is 1, 2 or 5 times a power of ten.
func roundStep(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, k := range []float64{1, 2, 5} {
		if k*unit >= v {
			return k * unit
		}
	}
	return 10 * unit
}

// The following functions format the labels of axes.

// short formats a number like 10,000 or 1 M.
func short(v float64) string {
	if v == 0 {
		return "0"
	}
	if v >= 1e6 {
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " M"
	}
	if v >= 1 {
		return count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// lean formats nanoseconds like "nanos", but without trailing zeros.
func lean(ns float64) string {
	if ns == 0 {
		return "0"
	}
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns*0.999 {
			return strconv.FormatFloat(ns/u.ns, 'g', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(ns, 'g', 3, 64) + " ns"
}
