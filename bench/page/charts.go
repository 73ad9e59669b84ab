package page

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/rival"
)

// File names of the charts.
const (
	scaleFile   = "cost-against-n.svg"
	workersFile = "workers.svg"
	hourFile    = "frames-across-the-hour.svg"
	raidsFile   = "frames-of-the-raids.svg"
	cdfFile     = "latency.svg"
	soakFile    = "memory-soak.svg"
	dayFile     = "frames-of-a-day.svg"
	cancelFile  = "memory-cancel.svg"
)

func rivalFile(load string) string { return "rivals-" + load + ".svg" }

// charts returns the charts for which there is data.
func (r *Report) charts() []*chart {
	all := []*chart{
		r.scaleChart(), r.workersChart(), r.hourChart(), r.raidsChart(), r.cdfChart(), r.dayChart(), r.soakChart(), r.cancelChart(),
		r.rivalChart(rival.Fight.Name), r.rivalChart(rival.City.Name),
		r.cutsChart("raids"), r.cutsChart("crowd"), r.opensChart(),
	}
	var out []*chart
	for _, c := range all {
		if c != nil && len(c.lines) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func (r *Report) profile(letter string) *load.Result {
	for _, p := range r.Profiles {
		if p.Letter == letter {
			return p
		}
	}
	return nil
}

// byWorkers returns the measured worlds with n workers.
func (r *Report) byWorkers(n int) (out []rival.Scaled) {
	for _, s := range r.Scale {
		if s.Workers == n {
			out = append(out, s)
		}
	}
	return out
}

// growth returns the processor time of an event in world b, divided by the processor time of an
// event in world a. If both worlds were measured in alternating rounds of one run, "growth" returns
// the mean of the ratios of all rounds.
func growth(a, b *rival.Scaled) load.Spread {
	if a == nil || b == nil || a.CPU.Mean == 0 {
		return load.Spread{}
	}
	if len(a.CPUs) != len(b.CPUs) || len(a.CPUs) == 0 {
		return load.Spread{Mean: b.CPU.Mean / a.CPU.Mean}
	}
	var all []float64
	for i := range a.CPUs {
		all = append(all, b.CPUs[i]/a.CPUs[i])
	}
	return load.SpreadOf(all)
}

// inTurn reports whether the worlds were measured in alternating rounds of one run.
func inTurn(all []rival.Scaled) bool {
	for i := range all {
		if len(all[i].CPUs) == 0 || len(all[i].CPUs) != len(all[0].CPUs) {
			return false
		}
	}
	return true
}

// ofPlayers returns the world with the given number of players, or nil if there is none.
func ofPlayers(all []rival.Scaled, players int) *rival.Scaled {
	for i := range all {
		if all[i].Players == players {
			return &all[i]
		}
	}
	return nil
}

// grown returns how much the cost of an event grows from 10^4 to 10^6 buffs, and from 10^4 to 10^6
// players. The second result is 0 if the report has no world with a million players.
func grown(loop []rival.Scaled) (buffs, players load.Spread) {
	return growth(ofPlayers(loop, 1000), ofPlayers(loop, 100_000)), growth(ofPlayers(loop, 10_000), ofPlayers(loop, 1_000_000))
}

func (r *Report) scaleChart() *chart {
	loop := r.byWorkers(0)
	if len(loop) == 0 {
		return nil
	}
	pooled := r.byWorkers(r.Machine.Processors)
	buffs, players := grown(loop)
	title := fmt.Sprintf("An event costs %.1f times as much with 1 M buffs as with 10,000", buffs.Mean)
	if players.Mean > 0 {
		title += fmt.Sprintf(", and %.1f times as much with 1 M players as with 10,000", players.Mean)
	}
	turns := ""
	if inTurn(loop) {
		turns = "; sizes alternate"
	}
	c := &chart{
		file: scaleFile, left: true, title: title,
		under: "ten buffs per player, two of which pulse every 3 s" + turns + "; mean and 95 % interval",
		x:     axis{name: "players (log)", log: true, label: short},
		y:     axis{name: "time in Tick per event", label: lean, min: 0, max: 1.25 * highest(loop, pooled)},
	}
	for _, l := range []struct {
		name string
		of   []rival.Scaled
	}{{"on the loop", loop}, {fmt.Sprintf("ants, %d workers", r.Machine.Processors), pooled}} {
		next := line{name: l.name}
		for _, s := range l.of {
			next.points = append(next.points, plotter.XY{X: float64(s.Players), Y: s.Wall.Mean})
			next.whiskers = append(next.whiskers, s.Wall.PlusMinus)
		}
		c.lines = append(c.lines, next)
	}
	floor := line{name: "machine limit: one random access in as much memory", dashed: true}
	for _, s := range loop {
		if s.Access.Mean > 0 {
			floor.points = append(floor.points, plotter.XY{X: float64(s.Players), Y: s.Access.Mean})
			floor.whiskers = append(floor.whiskers, s.Access.PlusMinus)
		}
	}
	if len(floor.points) > 0 {
		c.lines = append(c.lines, floor)
	}
	return c
}

func highest(lists ...[]rival.Scaled) (most float64) {
	for _, l := range lists {
		for _, s := range l {
			most = max(most, s.Wall.Mean+s.Wall.PlusMinus)
		}
	}
	return most
}

func (r *Report) workersChart() *chart {
	counts := map[int][]rival.Scaled{}
	var most []rival.Scaled
	for _, s := range r.Scale {
		l := append(counts[s.Players], s)
		counts[s.Players] = l
		if len(l) > len(most) {
			most = l
		}
	}
	if len(most) < 3 {
		return nil
	}
	wall, cpu := line{name: "Tick time"}, line{name: "processor time, all threads"}
	best := most[0]
	for _, s := range most {
		x := float64(s.Workers)
		wall.points, wall.whiskers = append(wall.points, plotter.XY{X: x, Y: s.Wall.Mean}), append(wall.whiskers, s.Wall.PlusMinus)
		cpu.points, cpu.whiskers = append(cpu.points, plotter.XY{X: x, Y: s.CPU.Mean}), append(cpu.whiskers, s.CPU.PlusMinus)
		if s.Wall.Mean < best.Wall.Mean {
			best = s
		}
	}
	title := fmt.Sprintf("%d processors: a Tick takes %.0f %% of the time of the loop alone with %d workers", r.Machine.Processors, 100*best.Wall.Mean/most[0].Wall.Mean, best.Workers)
	if best.Workers == 0 {
		title = fmt.Sprintf("%d processors: with trivial handlers the loop alone is fastest", r.Machine.Processors)
	}
	return &chart{
		file: workersFile, lines: []line{wall, cpu}, bottom: true, title: title,
		under: fmt.Sprintf("%s players; trivial handlers; mean and 95 %% interval", count(most[0].Players)),
		x:     axis{name: "workers (0: everything on the loop)", label: short, step: 1, min: -0.2, max: float64(len(most)) - 0.8},
		y:     axis{name: "time per event", label: lean, min: 0, max: 1.15 * highest(most) * max(1, best.CPU.Mean/best.Wall.Mean)},
	}
}

func (r *Report) hourChart() *chart {
	p := r.profile("F")
	if p == nil || len(p.Rows) == 0 {
		return nil
	}
	l := line{name: "frames of 50 ms, each the fastest of its runs", thin: true}
	for _, row := range p.Rows {
		l.points = append(l.points, plotter.XY{X: float64(row.At) / 1000, Y: float64(row.Max)})
	}
	first, last := l.points[0].X, l.points[len(l.points)-1].X
	median := line{name: "median " + lean(float64(p.P50)), points: plotter.XYs{{X: first, Y: float64(p.P50)}, {X: last, Y: float64(p.P50)}}}
	three := line{name: "three times the median", dashed: true, points: plotter.XYs{{X: first, Y: 3 * float64(p.P50)}, {X: last, Y: 3 * float64(p.P50)}}}
	c := &chart{
		file:  hourFile,
		title: fmt.Sprintf("The frame at the hour takes %.1f times the median, the worst frame at a minute %.1f times", figure(p, "frame at the hour, against the median"), figure(p, "longest frame at a minute, against the median")),
		under: fmt.Sprintf("profile F: %s timers of 1 s to 12 h, 1 %% longer, frames of 50 ms", count(p.Buffs)),
		x:     axis{name: "seconds before and after the hour", label: func(v float64) string { return fmt.Sprintf("%.0f", v) }, step: 30},
		y:     axis{name: "time in Advance", label: lean, min: 0, max: 1.25 * max(float64(p.Max), 3*float64(p.P50))},
		lines: []line{l, median, three},
	}
	for m := math.Floor(first/60) + 1; m < last/60; m++ {
		name, bold := fmt.Sprintf("%+.0f min", m), false
		if m == 0 {
			name, bold = "the hour", true
		}
		c.marks = append(c.marks, mark{60 * m, name, bold})
	}
	return c
}

// figure returns the value of a named figure of a profile, or 0.
func figure(p *load.Result, name string) float64 {
	for _, f := range p.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	return 0
}

func (r *Report) raidsChart() *chart {
	p := r.profile("B")
	if p == nil || len(p.Rows) < 2 {
		return nil
	}
	middle, longest := line{name: "median"}, line{name: "longest", dots: true}
	start := float64(p.Rows[0].At)
	for _, row := range p.Rows {
		x := (float64(row.At) - start) / 1000
		middle.points = append(middle.points, plotter.XY{X: x, Y: float64(max(1, row.Median))})
		longest.points = append(longest.points, plotter.XY{X: x, Y: float64(max(1, row.Max))})
	}
	c := &chart{
		file: raidsFile, lines: []line{longest, middle},
		title: fmt.Sprintf("Frame time in raids: half take less than %s, 99 %% less than %s", lean(above(p.P50)), lean(above(p.P99))),
		under: fmt.Sprintf("profile B: %s players, %s buffs; calls and Tick; each point is %d frames of 50 ms", count(p.Players), count(p.Buffs), p.Rows[0].Frames),
		x:     axis{name: "seconds of game time", label: short, step: 60},
		y:     axis{name: "frame time (log)", log: true, label: lean, min: float64(p.CDF[0].Ns) / 1.5, max: 6 * float64(p.Max)},
	}
	for x := 60.0; x <= middle.points[len(middle.points)-1].X; x += 60 {
		c.marks = append(c.marks, mark{x, fmt.Sprintf("%.0f min", x/60), false})
	}
	return c
}

// sig rounds a duration to two significant digits.
func sig(d time.Duration) float64 { return twoDigits(float64(d)) }

// above rounds a duration up to two significant digits. The result is never below the duration.
func above(d time.Duration) float64 {
	n := sig(d)
	if n < float64(d) {
		n = twoDigits(n + math.Pow(10, math.Floor(math.Log10(n))-1))
	}
	return n
}

func twoDigits(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(v/unit) * unit
}
