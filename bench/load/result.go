package load

import (
	"fmt"
	"time"
)

// Result holds the measurements of a profile and the results of its checks.
type Result struct {
	Letter, Name, Proves string

	Players, Buffs    int
	Simulated, Wall   time.Duration
	Frames            uint64
	Calls, Events     uint64
	Pulses, Ends      uint64 // number of events seen, each in the correct millisecond
	CrossCasts        uint64
	CallsPerSecond    float64 // number of calls, per second spent in calls
	EventsPerSecond   float64 // number of events, per second spent in calls and Ticks
	Call, Tick        Spread  // duration of a call, and of Tick per event, in ns
	Samples           []Sample
	LoopCPU, TickCPU  float64 // processor time of the loop's thread, and of the process, in Tick per event, in ns
	PartLoop, PartAll Spread  // LoopCPU and TickCPU, with the spread over the parts of the run
	Utilisation       float64 // fraction of all processors used during Tick
	Workers           int

	P50, P99, P999, Max time.Duration // quantiles of the duration of a frame (calls and Tick)
	PartP50, PartP99    Spread        // P50 and P99 in ns, with the spread over the parts of the run
	Late50, Late99      int64         // quantiles of the delay between an event's time and its frame, in ms
	LateMax             int64
	Backlog             int

	Heap        int64 // size of the live heap at the end, minus the initial heap, in bytes
	BytesPer    float64
	Allocs      float64 // number of objects allocated per call or event, including those of the books
	GCShare     float64
	Collections uint64

	Digest string // digest of all events; "" if the events depend on the duration of handlers

	Rows    []Row            // durations of frames over time
	CDF     []Quantile       // distribution of the durations of frames
	Figures []Figure         // values that only this profile has
	Checks  []Check          // conditions that were checked
	Faults  faults           // errors found by the books
	Series  map[string][]XY  // points for charts, by name of the series
	Counts  map[string]int64 `json:",omitempty"`
}

// Figure is one number with its unit.
type Figure struct {
	Name  string
	Value float64
	Unit  string
}

// Check is one check and its result.
type Check struct {
	What string
	OK   bool
}

// Quantile is a quantile of the frame times.
type Quantile struct {
	Share float64
	Ns    int64
}

// XY is a point of a chart.
type XY struct{ X, Y float64 }

// OK reports whether all checks passed and no event was lost, early, late, duplicated or wrong.
func (r *Result) OK() bool {
	for _, c := range r.Checks {
		if !c.OK {
			return false
		}
	}
	return r.Faults.none()
}

func (r *Result) check(ok bool, format string, args ...any) {
	r.Checks = append(r.Checks, Check{fmt.Sprintf(format, args...), ok})
}

func (r *Result) figure(name string, value float64, unit string) {
	r.Figures = append(r.Figures, Figure{name, value, unit})
}

// fill copies the measurements of the world into r. The number of live buffs and the size of the
// heap are the given values.
func (r *Result) fill(w *world, live int, heap int64) {
	m, b := &w.meter, w.books
	r.Players, r.Buffs = len(b.players), live
	r.Wall, r.Frames, r.Calls, r.Events = m.wall, m.ticks, m.calls, m.events
	r.Pulses, r.Ends, r.CrossCasts = b.pulses, b.ends, b.crosses
	r.Samples = m.samples
	r.Call, r.Tick = spreadOf(m.samples, func(s Sample) float64 { return s.Call }), spreadOf(m.samples, func(s Sample) float64 { return s.Tick })
	r.PartLoop, r.PartAll = spreadOf(m.samples, func(s Sample) float64 { return s.Loop }), spreadOf(m.samples, func(s Sample) float64 { return s.CPU })
	r.PartP50, r.PartP99 = spreadOf(m.samples, func(s Sample) float64 { return s.P50 }), spreadOf(m.samples, func(s Sample) float64 { return s.P99 })
	if m.callTime > 0 {
		r.CallsPerSecond = float64(m.calls) / m.callTime.Seconds()
	}
	if all := m.callTime + m.tickTime; all > 0 {
		r.EventsPerSecond = float64(m.events) / all.Seconds()
	}
	if m.events > 0 {
		r.TickCPU = float64(m.cpu) / float64(m.events)
	}
	if m.loopEvents > 0 {
		r.LoopCPU = float64(m.loopCPU) / float64(m.loopEvents)
	}
	r.Workers = workers(w.env)
	if m.tickTime > 0 {
		r.Utilisation = float64(m.cpu) / float64(m.tickTime) / float64(processors())
	}
	r.P50, r.P99 = quantile(m, 50), quantile(m, 99)
	r.P999, r.Max = quantile(m, 99.9), time.Duration(m.frames.Max())
	r.Late50, r.Late99, r.LateMax, r.Backlog = b.late.at(0.5), b.late.at(0.99), b.late.most, m.backlog
	r.Heap, r.Allocs, r.GCShare = heap, m.allocs(), m.gcShare()
	r.Collections = m.done.Collection - m.runtime.Collection
	if live > 0 {
		r.BytesPer = float64(heap) / float64(live)
	}
	if !b.loose {
		r.Digest = fmt.Sprintf("%016x", b.digest)
	}
	r.Rows, r.CDF, r.Faults = m.rows, cdf(m), b.faults
}

func spreadOf(samples []Sample, of func(Sample) float64) Spread {
	var all []float64
	for _, s := range samples {
		all = append(all, of(s))
	}
	return SpreadOf(all)
}

func quantile(m *meter, q float64) time.Duration { return time.Duration(m.frames.ValueAtQuantile(q)) }

// cdf returns points of the distribution of frame times. The points are closer together near the
// longest frames.
func cdf(m *meter) []Quantile {
	var out []Quantile
	for _, q := range []float64{0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99, 100} {
		out = append(out, Quantile{q / 100, m.frames.ValueAtQuantile(q)})
	}
	return out
}
