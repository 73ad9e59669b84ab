package page

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/bench/cuts"
	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/rival"
)

// Report holds all measurements. It is the content of run.json.
type Report struct {
	Machine  gauge.Machine
	Seed     uint64
	Quick    bool
	InParts  bool           // if set, the parts were measured in more than one run
	Others   []string       `json:",omitempty"` // commits of the older parts
	Profiles []*load.Result `json:",omitempty"`
	Scale    []rival.Scaled `json:",omitempty"`
	Calls    []rival.Called `json:",omitempty"`
	Duels    []rival.Duel   `json:",omitempty"`
	After    *rival.Duel    `json:",omitempty"`
	Kept     []rival.Kept   `json:",omitempty"`
	Peers    []Turns        `json:",omitempty"`
	Cuts     []cuts.Frames  `json:",omitempty"`
	Opens    []cuts.Opened  `json:",omitempty"`
	CutsBy   *gauge.Machine `json:",omitempty"` // machine that measured Cuts and Opens, if not Machine
	Probes   []rival.Probe  `json:",omitempty"`
}

// New returns an empty report of this machine.
func New(seed uint64, quick bool) *Report {
	return &Report{Machine: gauge.ThisMachine(), Seed: seed, Quick: quick}
}

// Put adds the result of a profile. A result that the report already has for this profile is
// replaced.
func (r *Report) Put(p *load.Result) {
	for i, old := range r.Profiles {
		if old.Letter == p.Letter {
			r.Profiles[i] = p
			return
		}
	}
	r.Profiles = append(r.Profiles, p)
	slices.SortFunc(r.Profiles, func(a, b *load.Result) int { return strings.Compare(a.Letter, b.Letter) })
}

// MeasuredCuts replaces the measurements of cuts, and records the machine that took them. The rest
// of the report does not change, and may come from another machine.
func (r *Report) MeasuredCuts(by gauge.Machine, frames []cuts.Frames, opens []cuts.Opened) {
	r.Cuts, r.Opens, r.CutsBy = frames, opens, &by
	if m := &r.Machine; m.Same(&by) && m.Commit == by.Commit && m.Command == by.Command {
		r.CutsBy = nil
	}
}

// Measured records that another run has replaced parts of the report. The page lists the commits
// of the older parts.
func (r *Report) Measured(by gauge.Machine, seed uint64, quick bool) {
	if r.Machine.Commit != by.Commit && !slices.Contains(r.Others, r.Machine.Commit) {
		r.Others = append(r.Others, r.Machine.Commit)
	}
	r.Others = slices.DeleteFunc(r.Others, func(c string) bool { return c == by.Commit })
	r.Machine, r.Seed, r.Quick, r.InParts = by, seed, r.Quick || quick, true
}

// Files of a report, in addition to its charts.
const (
	jsonFile  = "run.json"
	benchFile = "bench.txt"
	ticksFile = "ticks.csv"
	pageFile  = "README.md"
)

// Read reads the run.json of a report.
func Read(file string) (*Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// WriteData writes run.json, bench.txt and ticks.csv to the folder dir.
func (r *Report) WriteData(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, jsonFile), append(text, '\n'), 0o644); err != nil {
		return err
	}
	if err := r.writeBench(filepath.Join(dir, benchFile)); err != nil {
		return err
	}
	return r.writeTicks(filepath.Join(dir, ticksFile))
}

// create creates a file and calls f to write the contents.
func create(file string, f func(w *bufio.Writer) error) error {
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	if err := f(w); err != nil {
		to.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}

// writeTicks writes frame times over time. For profile F it writes each frame. For the other
// profiles it writes the median and the maximum of several consecutive frames.
func (r *Report) writeTicks(file string) error {
	return create(file, func(w *bufio.Writer) error {
		c := csv.NewWriter(w)
		if err := c.Write([]string{"profile", "at_ms", "frames", "median_ns", "max_ns", "events", "backlog", "buffs"}); err != nil {
			return err
		}
		for _, p := range r.Profiles {
			for _, t := range p.Rows {
				row := []string{p.Letter}
				for _, n := range []int64{t.At, int64(t.Frames), t.Median, t.Max, int64(t.Events), int64(t.Backlog), int64(t.Buffs)} {
					row = append(row, strconv.FormatInt(n, 10))
				}
				if err := c.Write(row); err != nil {
					return err
				}
			}
		}
		c.Flush()
		return c.Error()
	})
}

// writeBench writes the samples in the format of benchstat. The file has a line for each part of a
// run, for each round of a duel, and for each probe.
func (r *Report) writeBench(file string) error {
	return create(file, func(w *bufio.Writer) error {
		m := r.Machine
		fmt.Fprintf(w, "# commit %s, %s\ngoos: %s\ngoarch: %s\npkg: github.com/bufftick/bufftick/bench\ncpu: %s\n", m.Commit, m.Go, m.OS, m.Arch, m.CPU)
		for _, p := range r.Profiles {
			for _, s := range p.Samples {
				if s.Tick > 0 {
					fmt.Fprintf(w, "BenchmarkProfile/%s-%s/event-%d 1 %.2f ns/op\n", p.Letter, p.Name, m.Processors, s.Tick)
				}
				if s.Call > 0 {
					fmt.Fprintf(w, "BenchmarkProfile/%s-%s/call-%d 1 %.2f ns/op\n", p.Letter, p.Name, m.Processors, s.Call)
				}
			}
		}
		for _, s := range r.Scale {
			for _, ns := range s.Samples {
				fmt.Fprintf(w, "BenchmarkScale/players=%d/workers=%d-%d 1 %.2f ns/event\n", s.Players, s.Workers, m.Processors, ns)
			}
		}
		for _, d := range r.Duels {
			for _, row := range d.Rows {
				for i, ns := range row.Samples {
					fmt.Fprintf(w, "BenchmarkRival/load=%s/buffs=%d/by=%s-%d 1 %.2f ns/event %.4f times-the-engine\n", d.Load, d.Buffs, row.Name, m.Processors, ns, row.Ratios[i])
				}
			}
		}
		for _, t := range r.Peers {
			for _, row := range t.Rows {
				for i, ns := range row.Samples {
					fmt.Fprintf(w, "BenchmarkPeer/%s/size=%d/by=%s-%d 1 %.2f ns/%s %.4f times-ours\n", strings.ReplaceAll(t.Question, " ", "-"), t.Size, row.Name, m.Processors, ns, t.Each, ns/t.Rows[0].Samples[i])
				}
			}
		}
		for _, c := range r.Cuts {
			on := cmp.Or(r.CutsBy, &m)
			for i := range c.P99 {
				fmt.Fprintf(w, "BenchmarkCuts/world=%s/way=%s-%d 1 %.0f p50-ns %.0f p99-ns %.0f max-ns\n", c.World, strings.ReplaceAll(c.Way, " ", "-"), on.Processors, c.P50[i], c.P99[i], c.Max[i])
			}
		}
		for _, probe := range r.Probes {
			for _, name := range slices.Sorted(maps.Keys(probe)) {
				kind := "Step"
				if name == rival.PoolStep {
					kind = "Pool"
				}
				fmt.Fprintf(w, "Benchmark%s/%s-%d 1 %.4f times-the-heap\n", kind, name, m.Processors, probe[name])
			}
		}
		return nil
	})
}
