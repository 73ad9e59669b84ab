package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// table is one of the page: a row for each who does it, a column for each number of
// timers.
type table struct {
	unit    string // the metric
	sources []source
}

// source is where rows come from. The last column is a row's cost over the wheel's in
// the same run, at a million timers.
type source struct {
	file, bench string
	rows        []row
}

type row struct{ by, name string }

var (
	own     = []row{{"wheel", "this wheel"}, {"flat", "flat, 43,200 slots"}, {"heap", "container/heap"}}
	foreign = []row{{"otter", "otter"}, {"gozero", "go-zero"}, {"btree", "tidwall/btree"}}
)

// tables are those that the page names between <!-- table: NAME --> and <!-- end -->.
var tables = map[string]table{
	"add":      {"ns/timer", []source{{benchFile, "WheelAdd", own}, {peersFile, "Add", foreign}, {benchFile, "WheelAfterFunc", []row{{"", "time.AfterFunc"}}}}},
	"remove":   {"ns/timer", []source{{benchFile, "WheelRemove", own}, {peersFile, "Remove", foreign}}},
	"later":    {"ns/timer", []source{{benchFile, "WheelLater", own}}},
	"earlier":  {"ns/timer", []source{{benchFile, "WheelEarlier", own}}},
	"move":     {"ns/timer", []source{{peersFile, "Move", append([]row{{"wheel", "this wheel"}}, foreign...)}}},
	"fire":     {"ns/firing", []source{{benchFile, "WheelFire/grid=1000ms", own}, {peersFile, "Fire", foreign}}},
	"fire-ms":  {"ns/firing", []source{{benchFile, "WheelFire/grid=1ms", own}}},
	"periodic": {"ns/firing", []source{{benchFile, "WheelPeriodic/phase=seconds", own}}},
	"memory":   {"B/timer", []source{{benchFile, "WheelMemory", []row{{"", "this wheel"}}}}},
	"collect":  {"GC-ms", []source{{benchFile, "WheelMemory", []row{{"", "this wheel"}}}}},
}

var sizes = []string{"10000", "100000", "1000000", "10000000"}

func (t table) markdown(runs map[string]*results) (string, error) {
	var b strings.Builder
	b.WriteString("| " + t.unit + " | 10⁴ | 10⁵ | 10⁶ | 10⁷ | × wheel |\n|---|---|---|---|---|---|\n")
	for _, s := range t.sources {
		r := runs[s.file]
		for _, w := range s.rows {
			pairs := func(n string) []string {
				if w.by == "" {
					return []string{"timers", n}
				}
				return []string{"timers", n, "by", w.by}
			}
			some := false
			b.WriteString("| " + w.name)
			for _, n := range sizes {
				v, ok := r.value(s.bench, t.unit, pairs(n)...)
				some = some || ok
				b.WriteString(" | " + figure(v, ok))
			}
			if !some {
				return "", fmt.Errorf("%s of %s was not measured", s.bench, w.name)
			}
			b.WriteString(" | " + t.ratio(r, s, pairs("1000000")) + " |\n")
		}
	}
	return b.String(), nil
}

// ratio compares with the wheel in the same run.
func (t table) ratio(r *results, s source, pairs []string) string {
	base := s.bench
	if base == "WheelAfterFunc" {
		base = "WheelAdd" // it has a benchmark of its own
	}
	ours, ok := r.value(base, t.unit, "timers", "1000000", "by", "wheel")
	theirs, too := r.value(s.bench, t.unit, pairs...)
	if !ok || !too || ours == 0 {
		return "–"
	}
	return strconv.FormatFloat(theirs/ours, 'f', 1, 64)
}

// figure has three digits that count, no more.
func figure(v float64, ok bool) string {
	switch {
	case !ok:
		return "–"
	case v == 0:
		return "0"
	case v >= 1000:
		digits := strconv.Itoa(int(math.Round(v)))
		return digits[:len(digits)-3] + "," + digits[len(digits)-3:]
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// The frames of a day have a table of their own.
func frames(r *results) (string, error) {
	metrics := []string{"median-ns", "longest-ns", "hour-ns", "hour-median-ns", "over-3x"}
	var b strings.Builder
	b.WriteString("| frame | " + strings.Join(metrics, " | ") + " |\n|---" + strings.Repeat("|---", len(metrics)) + "|\n")
	for _, frame := range []string{"50ms", "16ms"} {
		b.WriteString("| " + frame)
		for _, unit := range metrics {
			v, ok := r.value("WheelFrames", unit, "frame", frame)
			if !ok {
				return "", fmt.Errorf("WheelFrames at %s has no %s", frame, unit)
			}
			b.WriteString(" | " + strconv.Itoa(int(v)))
		}
		b.WriteString(" |\n")
	}
	return b.String(), nil
}

// border says of each way what the plot shows.
func border(r *results) (string, error) {
	var b strings.Builder
	b.WriteString("| | median frame | longest frame |\n|---|---|---|\n")
	for _, l := range borderChart(r).lines {
		if len(l.points) == 0 {
			return "", fmt.Errorf("%q was not measured", l.name)
		}
		all := &results{}
		longest := 0.0
		for _, p := range l.points {
			longest = max(longest, p.y)
			all.lines = append(all.lines, result{name: "Frame", values: map[string]float64{"ns": p.y}})
		}
		median, _ := all.value("Frame", "ns")
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.name, duration(math.Log10(median)), duration(math.Log10(longest)))
	}
	return b.String(), nil
}

// machine says where and when a file was measured.
func machine(r *results) string {
	c := r.config
	return fmt.Sprintf("%s, %s; %s; commit %s, %s.\n", c["cpu"], c["machine"], c["go"], c["commit"], c["date"])
}

// fillPage puts the tables where the page names them.
func fillPage(page string, runs map[string]*results) (string, error) {
	const begin, end = "<!-- table: ", "<!-- end -->"
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(page, begin)
		b.WriteString(before)
		if !more {
			return b.String(), nil
		}
		name, rest, ok := strings.Cut(rest, " -->\n")
		_, rest, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return "", fmt.Errorf("the table %.20q has no end", name)
		}
		text, err := fill(name, runs)
		if err != nil {
			return "", err
		}
		b.WriteString(begin + name + " -->\n\n" + text + "\n" + end)
		page = rest
	}
}

func fill(name string, runs map[string]*results) (string, error) {
	if t, ok := tables[name]; ok {
		return t.markdown(runs)
	}
	switch name {
	case "frames":
		return frames(runs[benchFile])
	case "border":
		return border(runs[borderFile])
	case "targets":
		return targetTable(runs)
	case "machine":
		return machine(runs[benchFile]), nil
	}
	return "", fmt.Errorf("no table is called %q", name)
}
