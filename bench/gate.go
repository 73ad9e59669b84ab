package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/page"
	"github.com/bufftick/bufftick/bench/rival"
)

// gateCmd runs the checks of CI: no step may allocate, and no step may be much slower than its
// recorded ratio.
type gateCmd struct {
	Probes int    `default:"5" help:"processes that measure each step; the middle one counts"`
	Repeat int    `default:"1" help:"how often all of it is done, to see that the verdict is the same each time"`
	Out    string `placeholder:"DIR" help:"write bench.txt there, for compare, with all probes"`
}

// limits has the largest permitted ratio for each step: the time of the step, divided by the time
// of an event in the heap. The measured ratio is the median of several processes. Each limit is the
// recorded ratio, times a margin. The margin is needed because medians of five processes differ by
// a tenth on one machine, and because the ratios depend on the caches of the machine. The command
// "compare" finds smaller changes.
var limits = rival.Probe{
	"engine/game":   1.5 * 3.1,
	"engine/calls":  1.5 * 2.9,
	"engine/pulses": 1.5 * 1.45,
	"wheel/churn":   1.5 * 0.92,
	rival.PoolStep:  1.5 * 3.8,
}

// Run measures everything and then fails if a limit is exceeded.
func (g *gateCmd) Run(con *console) error {
	failed := 0
	var all []rival.Probe
	for n := range g.Repeat {
		bad, probes, err := g.once(con)
		if err != nil {
			return err
		}
		all = append(all, probes...)
		if len(bad) > 0 {
			failed++
		}
		if g.Repeat > 1 {
			fmt.Fprintf(con.out, "run %d: %s\n\n", n+1, gateVerdict(bad))
		}
	}
	if g.Repeat > 1 {
		fmt.Fprintf(con.out, "%d runs: %d passed, %d failed\n", g.Repeat, g.Repeat-failed, failed)
	}
	if g.Out != "" {
		report := &page.Report{Machine: gauge.ThisMachine(), Probes: all}
		if err := report.WriteData(g.Out); err != nil {
			return err
		}
	}
	if failed > 0 {
		return errFailed
	}
	return nil
}

func gateVerdict(bad []string) string {
	if len(bad) == 0 {
		return "passed"
	}
	return "failed at " + strings.Join(bad, ", ")
}

// once measures everything and returns the exceeded limits.
func (g *gateCmd) once(con *console) (bad []string, probes []rival.Probe, err error) {
	for _, a := range rival.Allocations() {
		mark := "ok"
		if a.Objects > 0 {
			mark = "FAILED"
			bad = append(bad, a.Step)
		}
		fmt.Fprintf(con.out, "%-7s %-34s %v allocations, at most 0\n", mark, a.Step, a.Objects)
	}
	if probes, err = takeProbes(g.Probes, con); err != nil {
		return nil, nil, err
	}
	for _, name := range steps(probes) {
		var all []float64
		for _, p := range probes {
			all = append(all, p[name])
		}
		slices.Sort(all)
		middle, mark := all[len(all)/2], "ok"
		if middle > limits[name] {
			mark = "FAILED"
			bad = append(bad, name)
		}
		fmt.Fprintf(con.out, "%-7s %-34s %.2f times the yardstick (%.2f to %.2f), at most %.2f\n", mark, name, middle, all[0], all[len(all)-1], limits[name])
	}
	return bad, probes, nil
}

// probeCmd takes one probe and prints it as JSON. It is a separate command because each probe runs
// in its own process.
type probeCmd struct{}

// Run takes the probe.
func (*probeCmd) Run(con *console) error {
	p, err := rival.RunProbe()
	if err != nil {
		return err
	}
	return json.NewEncoder(con.out).Encode(p)
}

// takeProbes takes n probes, each in its own process because memory layout affects the results.
func takeProbes(n int, con *console) ([]rival.Probe, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	bar := newBar(con.diag, "probes")
	defer bar.clear()
	var out []rival.Probe
	for i := range n {
		p, err := takeProbe(self)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		bar.show(float64(i+1) / float64(n))
	}
	return out, nil
}

func steps(probes []rival.Probe) []string {
	var names []string
	for name := range probes[0] {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
