package page

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/bufftick/bufftick/bench/cuts"
	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
)

const opensFile = "zone-comes-back.svg"

func cutsFile(world string) string { return "frames-of-cuts-" + world + ".svg" }

// cutsRow compares one way of saving with the game without saving.
type cutsRow struct {
	*cuts.Frames
	p99, max load.Spread // P99 and Max of each round, divided by their values without saving

	least        []int64 // Frames.Least, sorted
	leastAgainst float64 // p99 of the shortest durations, divided by the p99 without saving
	// longer is the largest increase, in ns, of the shortest duration of a frame over the shortest
	// duration of the same frame without saving.
	longer float64
}

// cutsRows returns a row for each way of saving a world. The first row is without saving.
func cutsRows(all []cuts.Frames, world string) (out []cutsRow) {
	for i := range all {
		if all[i].World == world {
			r := cutsRow{Frames: &all[i], least: slices.Sorted(slices.Values(all[i].Least))}
			out = append(out, r)
		}
	}
	for i := range out {
		r, first := &out[i], &out[0]
		r.p99, r.max = eachOver(r.P99, first.P99), eachOver(r.Max, first.Max)
		r.leastAgainst = quantile(r.least, 0.99) / quantile(first.least, 0.99)
		for k, ns := range r.Least {
			r.longer = max(r.longer, float64(ns-first.Least[k]))
		}
	}
	return out
}

func eachOver(a, b []float64) load.Spread {
	var ratios []float64
	for i := range a {
		ratios = append(ratios, a[i]/b[i])
	}
	return load.SpreadOf(ratios)
}

func quantile(sorted []int64, q float64) float64 {
	return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))])
}

// PrintCuts prints the results as a text table.
func PrintCuts(w io.Writer, all []cuts.Frames, opens []cuts.Opened) {
	fmt.Fprintf(w, "\n%-6s %-28s %9s %9s %9s %14s %10s %10s %10s %8s %11s %8s %9s\n", "world", "", "p50", "p99", "longest", "p99, ratio", "best: p50", "p99", "longest", "ratio", "longer by", "cuts/s", "to disk")
	for _, world := range cuts.Worlds {
		for _, r := range cutsRows(all, world) {
			fmt.Fprintf(w, "%-6s %-28s %9s %9s %9s %14s %10s %10s %10s %8.2f %11s %8.1f %7s/s\n", world, r.Way, nanos(load.SpreadOf(r.P50).Mean), nanos(load.SpreadOf(r.P99).Mean), nanos(load.SpreadOf(r.Max).Mean), ratio(r.p99),
				nanos(quantile(r.least, 0.5)), nanos(quantile(r.least, 0.99)), nanos(quantile(r.least, 1)), r.leastAgainst, nanos(r.longer), r.Commits, bytes(int64(r.Bytes)))
		}
	}
	fmt.Fprintf(w, "\n%10s %10s %18s %18s\n", "buffs", "file", "loaded in", "per buff")
	for i := range opens {
		o := &opens[i]
		s := load.SpreadOf(o.Took)
		fmt.Fprintf(w, "%10s %10s %18s %18s\n", count(o.Buffs), bytes(o.Bytes), spread(s), nanos(s.Mean/float64(o.Buffs)))
	}
}

func (r *Report) cutsPart(w *writer) {
	if len(r.Cuts) == 0 {
		return
	}
	w.line("## Frame time while a zone is saved\n")
	w.line("Calls, Tick and `Saver.After`, with a store/bolt file. Frames run in real time, one every 50 ms, so the writer works between them. The crowd has %s owners with ten buffs each; one of the ten pulses each second, so that every owner changes within a second. The raids are profile B. Each way of saving plays the same game of %d frames, %d times. *Best* is the fastest of these runs for each frame, which excludes other work of the machine. Target: a p99 of at most 1.25 times the p99 without a store, and no frame more than 2 ms longer. The last way is the simple solution without the package: it saves all owners in one frame.\n",
		count(r.crowd()), len(r.Cuts[0].Least), len(r.Cuts[0].P99))
	if m := r.CutsBy; m != nil {
		w.line("Measured separately with `%s`: %s, %d processors, %s, %s/%s, %s, commit `%s`, %s%s.\n",
			m.Command, m.CPU, m.Processors, m.Memory, m.OS, m.Arch, m.Go, m.Commit, m.Date, busy(m))
	}
	for _, world := range cuts.Worlds {
		w.chart(cutsFile(world))
	}
	w.table("world", "", "p50", "p99", "longest", "p99, ratio", "longest, ratio", "best: p50", "p99", "longest", "p99, ratio", "longer by at most", "cuts/s", "to disk", "oldest")
	for _, world := range cuts.Worlds {
		for _, c := range cutsRows(r.Cuts, world) {
			w.row(world, c.Way, spread(load.SpreadOf(c.P50)), spread(load.SpreadOf(c.P99)), spread(load.SpreadOf(c.Max)), ratio(c.p99), ratio(c.max),
				nanos(quantile(c.least, 0.5)), nanos(quantile(c.least, 0.99)), nanos(quantile(c.least, 1)), fmt.Sprintf("%.2f", c.leastAgainst), nanos(c.longer), fmt.Sprintf("%.1f", c.Commits), bytes(int64(c.Bytes))+"/s", oldest(c.Oldest))
		}
	}
	w.line("\nA cut starts when the previous one is on disk. With too many owners to write in the interval, there are fewer cuts.\n")
	w.chart(opensFile)
	w.table("owners", "buffs", "file", "all loaded after", "per buff")
	for i := range r.Opens {
		o := &r.Opens[i]
		s := load.SpreadOf(o.Took)
		w.row(count(o.Owners), count(o.Buffs), bytes(o.Bytes), spread(s), nanos(s.Mean/float64(o.Buffs)))
	}
	w.line("\nTime to open the file, check all its pages and restore all owners into the engine. The file was in the page cache.\n")
}

// oldest formats the largest age that the newest cut on disk has reached. The duration 0 means
// unknown.
func oldest(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return d.Round(10 * time.Millisecond).String()
}

// busy describes the load of the machine.
func busy(m *gauge.Machine) string {
	if m.Busy == "" {
		return ""
	}
	return "; " + m.Busy
}

func (r *Report) crowd() int {
	for i := range r.Cuts {
		if r.Cuts[i].World == "crowd" {
			return r.Cuts[i].Owners
		}
	}
	return 0
}

// cutsChart plots the distribution of frame times of a world for each way of saving.
func (r *Report) cutsChart(world string) *chart {
	rows := cutsRows(r.Cuts, world)
	if len(rows) < 2 {
		return nil
	}
	c := &chart{
		file: cutsFile(world), bottom: true,
		title: fmt.Sprintf("p99 frame time %s with %s, %s without a store", lean(twoDigits(quantile(rows[1].least, 0.99))), rows[1].Way, lean(twoDigits(quantile(rows[0].least, 0.99)))),
		under: fmt.Sprintf("%s of %s owners with %s buffs; calls, Tick and After; for each frame the fastest of %d runs", world, count(rows[0].Owners), count(rows[0].Buffs), len(rows[0].P99)),
		x:     axis{name: "frame time (log)", log: true, label: lean},
		y:     axis{name: "share of frames (log of the remainder)", min: 0, max: 2.7, label: nines, at: []float64{0, math.Log10(2), 1, 2}},
	}
	for _, row := range rows {
		l := line{name: row.Way}
		for k, ns := range row.least {
			l.points = append(l.points, plotter.XY{X: float64(max(1, ns)), Y: -math.Log10(1 - (float64(k)+0.5)/float64(len(row.least)))})
		}
		c.lines = append(c.lines, l)
	}
	return c
}

// opensChart plots the time to restore a zone against the size of the zone.
func (r *Report) opensChart() *chart {
	if len(r.Opens) < 2 {
		return nil
	}
	l, last := line{name: "file opened and checked, all owners restored"}, &r.Opens[len(r.Opens)-1]
	least, most := math.Inf(1), 0.0
	for i := range r.Opens {
		o := &r.Opens[i]
		s := load.SpreadOf(o.Took)
		l.points, l.whiskers = append(l.points, plotter.XY{X: float64(o.Buffs), Y: s.Mean}), append(l.whiskers, s.PlusMinus)
		least, most = min(least, s.Mean), max(most, s.Mean)
	}
	return &chart{
		file: opensFile, left: true, lines: []line{l},
		title: fmt.Sprintf("%s buffs are restored in %s", count(last.Buffs), lean(twoDigits(load.SpreadOf(last.Took).Mean))),
		under: "ten buffs per owner, store/bolt; mean and 95 % interval",
		x:     axis{name: "buffs (log)", log: true, label: short},
		y:     axis{name: "time until all are restored (log)", log: true, label: lean, min: least / 2, max: most * 3},
	}
}
