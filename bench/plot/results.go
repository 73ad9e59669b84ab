package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// results is what one file of benchmark output says.
type results struct {
	config map[string]string // goos, cpu, commit, …
	lines  []result
}

// result is one line: BenchmarkFire/timers=10000/by=wheel-2  2  123 ns/op  4 ns/firing
type result struct {
	name   string            // what is before the first key: Fire, or Fire/grid=1ms
	keys   map[string]string // timers, by, …
	values map[string]float64
}

func readResults(path string) (*results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := parseResults(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func parseResults(text string) (*results, error) {
	r := &results{config: map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "Benchmark") {
			one, err := parseLine(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			r.lines = append(r.lines, one)
		} else if key, value, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, " ") && key == strings.ToLower(key) {
			r.config[key] = strings.TrimSpace(value)
		}
	}
	if len(r.lines) == 0 {
		return nil, fmt.Errorf("no benchmark in it")
	}
	return r, nil
}

func parseLine(line string) (result, error) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 {
		return result{}, fmt.Errorf("%d fields in %q", len(fields), line)
	}
	one := result{keys: map[string]string{}, values: map[string]float64{}}
	parts := strings.Split(strings.TrimPrefix(fields[0], "Benchmark"), "/")
	one.name = parts[0]
	for i, part := range parts {
		key, value, ok := strings.Cut(part, "=")
		if i == len(parts)-1 {
			value = withoutProcs(value)
			if !ok {
				one.name = withoutProcs(parts[0])
			}
		}
		if ok {
			one.keys[key] = value
		}
	}
	for i := 2; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return result{}, err
		}
		one.values[fields[i+1]] = v
	}
	return one, nil
}

// withoutProcs takes away what go test puts behind a name: -2 on two processors.
func withoutProcs(s string) string {
	if i := strings.LastIndexByte(s, '-'); i > 0 {
		if _, err := strconv.Atoi(s[i+1:]); err == nil {
			return s[:i]
		}
	}
	return s
}

// matches reports whether the line is of a benchmark, given as Name or as
// Name/key=value/…, and has all of the further keys and values.
func (l result) matches(bench string, pairs ...string) bool {
	parts := strings.Split(bench, "/")
	if l.name != parts[0] {
		return false
	}
	for _, p := range parts[1:] {
		key, value, _ := strings.Cut(p, "=")
		pairs = append(pairs, key, value)
	}
	for i := 0; i < len(pairs); i += 2 {
		if l.keys[pairs[i]] != pairs[i+1] {
			return false
		}
	}
	return true
}

// value returns the median of a metric over the lines that match, which are as many as
// -count says.
func (r *results) value(bench, unit string, pairs ...string) (float64, bool) {
	var all []float64
	for _, l := range r.lines {
		if v, ok := l.values[unit]; ok && l.matches(bench, pairs...) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}

// point is a place on a chart.
type point struct{ x, y float64 }

// points returns a metric against a key with numbers, 50 or -50ms, in their order.
func (r *results) points(bench, key, unit string, pairs ...string) []point {
	var out []point
	seen := map[string]bool{}
	for _, l := range r.lines {
		text := l.keys[key]
		if text == "" || seen[text] || !l.matches(bench, pairs...) {
			continue
		}
		seen[text] = true
		x, err := strconv.ParseFloat(strings.TrimSuffix(text, "ms"), 64)
		if err != nil {
			continue
		}
		if y, ok := r.value(bench, unit, append(slices.Clone(pairs), key, text)...); ok {
			out = append(out, point{x, y})
		}
	}
	slices.SortFunc(out, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	return out
}
