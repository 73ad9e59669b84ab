package page

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/bench/load"
)

// Print prints a profile as text.
func Print(w io.Writer, r *load.Result, took time.Duration) {
	verdict := "ok"
	if !r.OK() {
		verdict = "FAILED"
	}
	fmt.Fprintf(w, "\n%s %-8s %s   %v of game time in %.1f s\n", r.Letter, r.Name, verdict, r.Simulated, took.Seconds())
	fmt.Fprintf(w, "  %-12s %s players, %s buffs, %s calls, %s events (%s pulses, %s ends, %s casts between owners)\n", "load",
		count(r.Players), count(r.Buffs), count(r.Calls), count(r.Events), count(r.Pulses), count(r.Ends), count(r.CrossCasts))
	fmt.Fprintf(w, "  %-12s call %s, Tick %s per event; CPU per event: loop %s, all threads %s; %s calls/s, %s events/s\n", "cost",
		spread(r.Call), spread(r.Tick), nanos(r.LoopCPU), nanos(r.TickCPU), count(int64(r.CallsPerSecond)), count(int64(r.EventsPerSecond)))
	fmt.Fprintf(w, "  %-12s p50 %s  p99 %s  p99.9 %s  max %s   of %s\n", "frame", nanos(float64(r.P50)), nanos(float64(r.P99)), nanos(float64(r.P999)), nanos(float64(r.Max)), count(r.Frames))
	fmt.Fprintf(w, "  %-12s p50 %d ms  p99 %d ms  max %d ms   backlog at most %d players\n", "lateness", r.Late50, r.Late99, r.LateMax, r.Backlog)
	fmt.Fprintf(w, "  %-12s %s, %.0f B per buff; %.3f allocations per operation; GC %.1f %% of CPU; processors %.0f %% busy in Tick\n", "memory",
		bytes(r.Heap), r.BytesPer, r.Allocs, 100*r.GCShare, 100*r.Utilisation)
	if r.Digest != "" {
		fmt.Fprintf(w, "  %-12s %s\n", "digest", r.Digest)
	}
	for _, f := range r.Figures {
		fmt.Fprintf(w, "  %-12s %s: %s\n", "", f.Name, value(f))
	}
	for _, c := range r.Checks {
		mark := "ok"
		if !c.OK {
			mark = "FAILED"
		}
		fmt.Fprintf(w, "  %-12s %s\n", mark, c.What)
	}
	if f := r.Faults; f.Lost+f.Early+f.Late+f.Doubled+f.Wrong > 0 {
		fmt.Fprintf(w, "  %-12s %s\n", "FAILED", f.String())
		for _, s := range f.Words {
			fmt.Fprintf(w, "  %-12s %s\n", "", s)
		}
	}
}

// count formats a number with commas, such as 1,234,567.
func count[N int | int64 | uint64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// nanos formats nanoseconds with a unit and three digits, such as 1.23 µs.
func nanos(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns {
			return three(ns/u.ns) + " " + u.name
		}
	}
	return three(ns) + " ns"
}

func bytes(n int64) string {
	switch {
	case n < 0:
		return "-" + bytes(-n)
	case n >= 1e9:
		return three(float64(n)/1e9) + " GB"
	case n >= 1e6:
		return three(float64(n)/1e6) + " MB"
	}
	return three(float64(n)/1e3) + " KB"
}

// three formats a number with three significant digits. A number with more than three digits before
// the point keeps all of them.
func three(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// spread formats a mean in ns, followed by its confidence interval (±) as a percentage.
func spread(s load.Spread) string {
	if s.Mean == 0 {
		return "–"
	}
	return fmt.Sprintf("%s ± %.0f %%", nanos(s.Mean), 100*s.PlusMinus/s.Mean)
}

func value(f load.Figure) string {
	switch {
	case f.Unit == "ns":
		return nanos(f.Value)
	case f.Unit == "":
		return count(int64(f.Value))
	}
	return three(f.Value) + " " + f.Unit
}

// ratio formats a mean ratio, followed by its confidence interval (±).
func ratio(s load.Spread) string { return fmt.Sprintf("%.2f ± %.2f", s.Mean, s.PlusMinus) }

// single formats a single measurement in ns. The value 0 means that there is no measurement.
func single(ns float64) string {
	if ns == 0 {
		return "–"
	}
	return nanos(ns)
}
