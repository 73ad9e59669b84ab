package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/rival"
)

// cdfChart plots the distribution of frame times. Each step on the y axis adds a nine to the
// percentage, for example from 99 % to 99.9 %.
func (r *Report) cdfChart() *chart {
	c := &chart{
		file: cdfFile, bottom: true,
		under: "share of all 50 ms frames that took no longer; calls and Tick, virtual time",
		x:     axis{name: "frame time (log)", log: true, label: lean},
		y:     axis{name: "share of frames (log of the remainder)", min: 0, max: 3.4, label: nines, at: []float64{0, math.Log10(2), 1, 2, 3}},
	}
	var worst *load.Result
	for _, letter := range []string{"A", "B", "C", "D", "E", "H", "K"} {
		p := r.profile(letter)
		if p == nil || len(p.CDF) == 0 {
			continue
		}
		l := line{name: p.Letter + " " + p.Name}
		for _, q := range p.CDF {
			if q.Share < 1 {
				l.points = append(l.points, plotter.XY{X: float64(max(1, q.Ns)), Y: -math.Log10(1 - min(q.Share, 0.9996))})
			}
		}
		c.lines = append(c.lines, l)
		if letter != "H" && (worst == nil || p.P99 > worst.P99) {
			worst = p
		}
	}
	if worst == nil {
		return nil
	}
	c.title = fmt.Sprintf("p99 frame time below %s in all profiles except the stall; %s is the slowest", lean(above(worst.P99)), worst.Name)
	return c
}

// nines formats a value on the axis as a percentage. The value is a number of nines, such as 3 for
// 99.9 %.
func nines(v float64) string {
	return strconv.FormatFloat(100-100*math.Pow(10, -v), 'g', 4, 64) + " %"
}

func (r *Report) soakChart() *chart {
	p := r.profile("J")
	if p == nil {
		return nil
	}
	c := &chart{
		file:  soakFile,
		title: fmt.Sprintf("Live heap: %.2f MB after 24 hours, %.2f MB after 12 hours", figure(p, "heap at the end"), figure(p, "heap in the middle")),
		under: fmt.Sprintf("profile J: %s players, %s buffs, %s events; after a garbage collection", count(p.Players), count(p.Buffs), count(p.Events)),
		x:     axis{name: "hours of game time", label: short, step: 4},
		y:     axis{name: "live heap, MB", label: short, min: 0, max: 1},
	}
	if p.Simulated.Hours() < 23 {
		c.x.step = 0
		c.title = fmt.Sprintf("Live heap: %.2f MB at the end, %.2f MB in the middle", figure(p, "heap at the end"), figure(p, "heap in the middle"))
	}
	c.lines = []line{series(p, "heap", "the engine with all its data", c)}
	return c
}

// dayChart plots the frame times of the soak, with a line at each hour.
func (r *Report) dayChart() *chart {
	p := r.profile("J")
	if p == nil || len(p.Rows) < 2 {
		return nil
	}
	const anHour = 3.6e6 // ms
	middle, longest := line{name: "median"}, line{name: "longest", dots: true}
	least := math.Inf(1)
	for _, row := range p.Rows {
		x := float64(row.At) / anHour
		middle.points = append(middle.points, plotter.XY{X: x, Y: float64(max(1, row.Median))})
		longest.points = append(longest.points, plotter.XY{X: x, Y: float64(max(1, row.Max))})
		least = min(least, float64(max(1, row.Median)))
	}
	c := &chart{
		file: dayFile, lines: []line{longest, middle},
		title: fmt.Sprintf("Median frame time: %s in the first quarter of %s, %s in the last", lean(twoDigits(middleOf(p.Rows[:len(p.Rows)/4+1]))), span(p.Simulated), lean(twoDigits(middleOf(p.Rows[3*len(p.Rows)/4:])))),
		under: fmt.Sprintf("profile J: %s players, %s buffs; calls and Tick; each point is %s frames of 50 ms", count(p.Players), count(p.Buffs), count(p.Rows[0].Frames)),
		x:     axis{name: "hours of game time; vertical lines mark full hours of the wheel", label: short, step: 2},
		y:     axis{name: "frame time (log)", log: true, label: lean, min: least / 2, max: 6 * float64(max(1, p.Max))},
	}
	if p.Simulated.Hours() < 12 {
		c.x.step = 0
	}
	for h := math.Ceil(middle.points[0].X); h <= middle.points[len(middle.points)-1].X; h++ {
		c.marks = append(c.marks, mark{x: h})
	}
	return c
}

// middleOf returns the median of the medians of the rows.
func middleOf(rows []load.Row) float64 {
	var all []int64
	for _, row := range rows {
		all = append(all, row.Median)
	}
	slices.Sort(all)
	return float64(all[len(all)/2])
}

func (r *Report) cancelChart() *chart {
	p := r.profile("G")
	if p == nil || len(p.Series["heap"]) == 0 {
		return nil
	}
	c := &chart{
		file:  cancelFile,
		title: fmt.Sprintf("The heap has not grown after %s cancelled timers and %s cancelled buffs", count(int64(figure(p, "cancelled and added on the wheel alone"))), count(int64(figure(p, "cancelled")))),
		under: "profile G: 200,000 live; after a garbage collection",
		x:     axis{name: "millions cancelled (log)", log: true, label: short},
		y:     axis{name: "live heap, MB", label: short, min: 0, max: 1},
	}
	c.lines = []line{
		series(p, "heap", "the engine, with its players", c),
		series(p, "heap of the wheel", "the wheel alone, with its handles", c),
	}
	return c
}

// series returns the line for a series of the profile. It extends the y axis of the chart c so that
// the line fits.
func series(p *load.Result, name, title string, c *chart) line {
	l := line{name: title}
	for _, v := range p.Series[name] {
		if v.X > 0 {
			l.points = append(l.points, plotter.XY{X: v.X, Y: v.Y})
			c.y.max = max(c.y.max, 1.3*v.Y)
		}
	}
	return l
}

// rivalLegend maps the names of rivals to labels in the legend.
var rivalLegend = map[string]string{
	rival.Engine: "the engine, on the loop",
	"ants":       "the engine, handlers on ants",
	"scan":       "a scan of all buffs",
	"lists":      "43,200 lists",
	"heap":       "container/heap",
}

// rivalChart plots the cost of an event for every rival and size.
func (r *Report) rivalChart(load string) *chart {
	lines := map[string]*line{}
	var names []string
	least, most := math.Inf(1), 0.0
	engine, scan := 0.0, 0.0
	for _, d := range r.Duels {
		if d.Load != load {
			continue
		}
		for _, row := range d.Rows {
			if lines[row.Name] == nil {
				lines[row.Name] = &line{name: rivalLegend[row.Name]}
				names = append(names, row.Name)
			}
			l := lines[row.Name]
			l.points = append(l.points, plotter.XY{X: float64(d.Buffs), Y: row.CPU.Mean})
			l.whiskers = append(l.whiskers, row.CPU.PlusMinus)
			least, most = min(least, row.CPU.Mean), max(most, row.CPU.Mean)
			switch row.Name {
			case "engine":
				engine = row.CPU.Mean
			case "scan":
				scan = row.CPU.Mean
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	c := &chart{
		file: rivalFile(load), left: true,
		title: map[bool]string{
			true:  fmt.Sprintf("With few due buffs, scanning all buffs costs %.1f times as much as the engine", scan/engine),
			false: fmt.Sprintf("With many due buffs, scanning all buffs costs %.0f %% of the engine, without its rules", 100*scan/engine),
		}[scan > engine],
		under: fmt.Sprintf("load %q; processor time per pulse, end and call, in alternating rounds; mean and 95 %% interval", load),
		x:     axis{name: "buffs (log)", log: true, label: short},
		y:     axis{name: "time per event (log)", log: true, label: lean, min: least / 1.5, max: most * 8},
	}
	for _, name := range names {
		c.lines = append(c.lines, *lines[name])
	}
	return c
}
