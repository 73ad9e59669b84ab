package studio

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/scenario"
	"github.com/bufftick/bufftick/wheel"
)

// Limits of the numbers.
const (
	maxRuns     = 10_000
	maxVariants = 60
	numbersTime = 10 * time.Second // after this time, the remaining runs are left out
)

// NumbersRequest requests the numbers of many runs of a script. The runs differ in their seeds.
type NumbersRequest struct {
	PlayRequest
	Runs int `json:"runs"`

	// Variants are the texts of the file to compare, such as those with another duration.
	Variants []Variant `json:"variants"`
}

// Variant is a text of a file.
type Variant struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Numbers are the results of one variant.
type Numbers struct {
	Label    string    `json:"label"`
	Findings []Finding `json:"findings"`
	Runs     int       `json:"runs"`
	Seconds  float64   `json:"seconds"` // length of the longest run
	Damage   Spread    `json:"damage"`  // of all definitions, in a run
	Bins     []int     `json:"bins"`    // number of runs by damage, in equal steps from Damage.Min to Damage.Max
	Rows     []Row     `json:"rows"`
}

// Spread describes the values of many runs.
type Spread struct {
	Min  float64 `json:"min"`
	P5   float64 `json:"p5"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// Row is a definition on an owner. Its numbers are means of the runs.
type Row struct {
	Owner   string  `json:"owner"`
	ID      string  `json:"id"`
	Applied float64 `json:"applied"` // applications, including refreshes and instant ones
	Refused float64 `json:"refused"`
	Pulses  float64 `json:"pulses"`
	Uptime  float64 `json:"uptime"` // ms with at least one instance
	Damage  float64 `json:"damage"` // sum of the reductions of attributes
	Healing float64 `json:"healing"`
	Blocked float64 `json:"blocked"` // absorbed by shields
}

// bins is the number of bars of a histogram.
const bins = 24

func (s *Studio) numbers(ctx context.Context, r NumbersRequest) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, numbersTime)
	defer cancel()
	files, err := s.now(r.Open)
	if err != nil {
		return nil, err
	}
	list := []*Numbers{}
	for _, v := range r.Variants[:min(len(r.Variants), maxVariants)] {
		edited := slices.Clone(files)
		for i := range edited {
			if edited[i].Name == r.Name {
				edited[i].Text, edited[i].Version = []byte(v.Text), VersionOf([]byte(v.Text))
			}
		}
		n := &Numbers{Label: v.Label}
		var sc *scenario.Scenario
		if sc, n.Findings = s.scenarioOf(edited, &r.PlayRequest); len(n.Findings) == 0 {
			n.run(ctx, sc, wheel.Time(r.Until), r.Seed, min(max(r.Runs, 1), maxRuns))
		}
		list = append(list, n)
	}
	return list, nil
}

// sum is the result of one run.
type sum struct {
	damage float64
	end    wheel.Time
	rows   map[rowKey]*Row
}

type rowKey struct {
	owner buff.OwnerID
	id    string
}

// run runs a scenario with many seeds and fills in the numbers.
func (n *Numbers) run(ctx context.Context, sc *scenario.Scenario, until wheel.Time, seed uint64, runs int) {
	sums := make([]*sum, runs)
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), runs) {
		work.Go(func() {
			for i := int(next.Add(1)) - 1; i < runs && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if c, err := collect(ctx, sc, seed+uint64(i), until); err == nil {
					sums[i] = c.sum()
				}
			}
		})
	}
	work.Wait()
	sums = slices.DeleteFunc(sums, func(s *sum) bool { return s == nil })
	if n.Runs = len(sums); n.Runs == 0 {
		return
	}
	rows, totals := map[rowKey]*Row{}, make([]float64, 0, len(sums))
	for _, s := range sums {
		totals = append(totals, s.damage)
		n.Seconds = max(n.Seconds, float64(s.end)/1000)
		for k, r := range s.rows {
			if rows[k] == nil {
				rows[k] = &Row{Owner: r.Owner, ID: r.ID}
			}
			rows[k].add(r)
		}
	}
	n.spread(totals)
	keys := slices.SortedFunc(maps.Keys(rows), func(a, b rowKey) int {
		if a.owner != b.owner {
			return int(a.owner) - int(b.owner)
		}
		return strings.Compare(a.id, b.id)
	})
	n.Rows = []Row{}
	for _, k := range keys {
		n.Rows = append(n.Rows, rows[k].dividedBy(float64(n.Runs)))
	}
}

// spread sets the spread and the histogram of the damage.
func (n *Numbers) spread(totals []float64) {
	slices.Sort(totals)
	at := func(part float64) float64 { return totals[int(part*float64(len(totals)-1)+0.5)] }
	mean := 0.0
	for _, v := range totals {
		mean += v / float64(len(totals))
	}
	n.Damage = Spread{totals[0], at(0.05), at(0.5), at(0.95), totals[len(totals)-1], mean}
	n.Bins = make([]int, bins)
	width := (n.Damage.Max - n.Damage.Min) / bins
	for _, v := range totals {
		i := 0
		if width > 0 {
			i = min(int((v-n.Damage.Min)/width), bins-1)
		}
		n.Bins[i]++
	}
}

// sum adds up the events of one run.
func (c *collector) sum() *sum {
	names := map[buff.OwnerID]string{}
	for name, id := range c.owners {
		names[id] = name
	}
	s := &sum{end: c.end, rows: map[rowKey]*Row{}}
	live, since := map[rowKey]int{}, map[rowKey]wheel.Time{}
	for i := range c.events {
		e := &c.events[i]
		if e.At > c.end || e.Spec == nil && e.Kind != buff.Changed {
			continue
		}
		k := rowKey{e.Owner, "(script)"}
		if e.Spec != nil {
			k.id = e.Spec.ID
		}
		r := s.rows[k]
		if r == nil {
			r = &Row{Owner: names[k.owner], ID: k.id}
			s.rows[k] = r
		}
		switch e.Kind {
		case buff.Applied:
			r.Applied++
			if live[k]++; live[k] == 1 {
				since[k] = e.At
			}
		case buff.Refreshed, buff.Stacked, buff.Executed, buff.Queued:
			r.Applied++
		case buff.Denied:
			r.Refused++
		case buff.Pulsed:
			r.Pulses++
		case buff.Removed:
			if live[k]--; live[k] == 0 {
				r.Uptime += float64(e.At - since[k])
			}
		case buff.Changed:
			r.Blocked += float64(e.Magnitude)
			if e.Delta < 0 {
				r.Damage -= e.Delta
				s.damage -= e.Delta
			} else {
				r.Healing += e.Delta
			}
		}
	}
	for k, n := range live {
		if n > 0 {
			s.rows[k].Uptime += float64(c.end - since[k])
		}
	}
	return s
}

func (r *Row) add(o *Row) {
	r.Applied += o.Applied
	r.Refused += o.Refused
	r.Pulses += o.Pulses
	r.Uptime += o.Uptime
	r.Damage += o.Damage
	r.Healing += o.Healing
	r.Blocked += o.Blocked
}

func (r *Row) dividedBy(n float64) Row {
	return Row{r.Owner, r.ID, r.Applied / n, r.Refused / n, r.Pulses / n, r.Uptime / n, r.Damage / n, r.Healing / n, r.Blocked / n}
}
