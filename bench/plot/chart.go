package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// chart is a plot of lines, written as SVG. Its legend is beside the lines, never on them.
type chart struct {
	title string
	x, y  axis
	lines []line
}

type line struct {
	name   string
	points []point
}

// axis maps values to pixels.
type axis struct {
	name     string
	log      bool
	scale    float64 // of the values; 0 is 1
	tick     func(float64) string
	min, max float64 // of what is shown, in powers of ten if log
	from, to float64 // pixels
}

const (
	width, height                           = 840, 460
	left, right, top, bottom                = 80, 220, 46, 60
	plotRight, plotBottom                   = width - right, height - bottom
	grey, ink                               = "#dddddd", "#222222"
	legendStep, legendText, tickGap, xLabel = 24, 34, 8, 42
)

// colours that the colour-blind can tell apart; the first line is the thick one.
var colours = []string{"#0072b2", "#e69f00", "#d55e00", "#009e73", "#cc79a7", "#555555", "#56b4e9"}

func (c *chart) add(name string, points []point) {
	c.lines = append(c.lines, line{name, points})
}

func (c *chart) svg() (string, error) {
	if len(c.lines) > len(colours) {
		return "", fmt.Errorf("%d lines, and %d colours", len(c.lines), len(colours))
	}
	for _, l := range c.lines {
		if len(l.points) == 0 {
			return "", fmt.Errorf("%q was not measured", l.name)
		}
	}
	c.x.from, c.x.to, c.y.from, c.y.to = left, plotRight, plotBottom, top
	c.x.fit(c.lines, func(p point) float64 { return p.x })
	c.y.fit(c.lines, func(p point) float64 { return p.y })

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="DejaVu Sans, Verdana, sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	c.text(&b, left, 26, "start", `font-size="16" font-weight="bold"`, c.title)
	c.grid(&b)
	// The thick one comes last, to be on top.
	for i := len(c.lines) - 1; i >= 0; i-- {
		c.draw(&b, i)
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

func (c *chart) grid(b *strings.Builder) {
	for _, v := range c.x.ticks() {
		x := c.x.pixel(v)
		fmt.Fprintf(b, `<path d="M%.1f %d V%d" stroke="%s"/>`+"\n", x, top, plotBottom, grey)
		c.text(b, x, plotBottom+20, "middle", "", c.x.tick(v))
	}
	for _, v := range c.y.ticks() {
		y := c.y.pixel(v)
		fmt.Fprintf(b, `<path d="M%d %.1f H%d" stroke="%s"/>`+"\n", left, y, plotRight, grey)
		c.text(b, left-tickGap, y+4, "end", "", c.y.tick(v))
	}
	fmt.Fprintf(b, `<path d="M%d %d V%d H%d" stroke="%s" fill="none"/>`+"\n", left, top, plotBottom, plotRight, ink)
	c.text(b, (left+plotRight)/2, plotBottom+xLabel, "middle", "", c.x.name)
	turned := fmt.Sprintf(`transform="rotate(-90 16 %d)"`, (top+plotBottom)/2)
	c.text(b, 16, (top+plotBottom)/2, "middle", turned, c.y.name)
}

func (c *chart) draw(b *strings.Builder, i int) {
	stroke := 1.6
	if i == 0 {
		stroke = 3
	}
	var path strings.Builder
	for k, p := range c.lines[i].points {
		word := " L"
		if k == 0 {
			word = "M"
		}
		x, y := c.x.pixel(c.x.value(p.x)), c.y.pixel(c.y.value(p.y))
		fmt.Fprintf(&path, "%s%.1f %.1f", word, x, y)
		if len(c.lines[i].points) < 10 {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x, y, colours[i])
		}
	}
	fmt.Fprintf(b, `<path d="%s" stroke="%s" stroke-width="%.1f" stroke-linejoin="round" fill="none"/>`+"\n", path.String(), colours[i], stroke)
	y := top + 12 + i*legendStep
	fmt.Fprintf(b, `<path d="M%d %d h22" stroke="%s" stroke-width="%.1f"/>`+"\n", plotRight+14, y-4, colours[i], stroke+0.6)
	c.text(b, float64(plotRight+14+legendText-6), float64(y), "start", "", c.lines[i].name)
}

func (c *chart) text(b *strings.Builder, x, y float64, anchor, more, text string) {
	if more != "" {
		more = " " + more
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s"%s>%s</text>`+"\n", x, y, anchor, ink, more, html.EscapeString(text))
}

// value is what a measured one is on the axis.
func (a *axis) value(v float64) float64 {
	if a.scale != 0 {
		v *= a.scale
	}
	if a.log {
		return math.Log10(v)
	}
	return v
}

// fit makes the axis as long as the lines, to the next tick at both ends.
func (a *axis) fit(lines []line, of func(point) float64) {
	a.min, a.max = math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, p := range l.points {
			v := a.value(of(p))
			a.min, a.max = min(a.min, v), max(a.max, v)
		}
	}
	if !a.log {
		a.min, a.max = math.Floor(a.min), math.Ceil(a.max)
	} else {
		a.min, a.max = roundDown(a.min), -roundDown(-a.max)
	}
	if a.max == a.min {
		a.max++
	}
}

// roundDown goes to the next 1, 2 or 5 times a power of ten, all as exponents. Going up
// is going down below the line: 5 is as far from 10 as 1 from 2.
func roundDown(e float64) float64 {
	whole := math.Floor(e + 1e-9)
	for _, k := range []float64{math.Log10(5), math.Log10(2)} {
		if whole+k <= e+1e-9 {
			return whole + k
		}
	}
	return whole
}

// ticks returns where the labels are: at powers of ten, and at 2 and 5 times such if
// they are few.
func (a *axis) ticks() []float64 {
	var out []float64
	between := []float64{0}
	if a.log && a.max-a.min < 2.5 {
		between = []float64{0, math.Log10(2), math.Log10(5)}
	}
	for whole := math.Floor(a.min); whole <= a.max; whole++ {
		for _, k := range between {
			if v := whole + k; v >= a.min-1e-9 && v <= a.max+1e-9 {
				out = append(out, v)
			}
		}
	}
	return out
}

func (a *axis) pixel(v float64) float64 {
	return a.from + (v-a.min)/(a.max-a.min)*(a.to-a.from)
}

// The labels, of a value on the axis.

func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// power is 10⁴, of 4.
func power(v float64) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	if whole := math.Round(v); math.Abs(v-whole) < 1e-9 && whole >= 0 && whole < 10 {
		return "10" + string(digits[int(whole)])
	}
	return plain(math.Round(math.Pow(10, v)))
}

// duration is 200 ns, of the logarithm of 200.
func duration(v float64) string {
	ns := math.Pow(10, v)
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns*(1-1e-9) {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}
