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
// the same run, at a million timers; for the lists, over that in the run before.
type source struct {
	file, bench string
	rows        []row
}

type row struct{ by, name string }

var (
	ours    = row{"wheel", "this wheel"}
	own     = []row{ours, {"flat", "flat, 43,200 slots"}, {"heap", "container/heap"}}
	floor   = []row{{"floor", "floor"}}
	linked  = []row{{"lists", "linked lists, before"}}
	foreign = []row{{"otter", "otter"}, {"gozero", "go-zero"}, {"btree", "tidwall/btree"}}
)

// tables are those that the page names between <!-- table: NAME --> and <!-- end -->.
var tables = map[string]table{
	"add":      {"ns/timer", append(called("WheelAdd"), source{peersFile, "Add", foreign}, source{benchFile, "WheelAfterFunc", []row{{"", "time.AfterFunc"}}})},
	"remove":   {"ns/timer", append(called("WheelRemove"), source{peersFile, "Remove", foreign})},
	"later":    {"ns/timer", called("WheelLater")},
	"earlier":  {"ns/timer", called("WheelEarlier")},
	"move":     {"ns/timer", []source{{peersFile, "Move", append([]row{ours}, foreign...)}}},
	"fire":     {"ns/firing", append(passed("WheelFire/grid=1000ms"), source{peersFile, "Fire", foreign})},
	"fire-ms":  {"ns/firing", passed("WheelFire/grid=1ms")},
	"periodic": {"ns/firing", passed("WheelPeriodic/phase=seconds")},
	"mix":      {"ns/call", passed("WheelMix")},
	"memory":   {"B/timer", []source{{benchFile, "WheelMemory", []row{{"", "this wheel"}}}, {listsFile, "WheelMemory", []row{{"", "linked lists, before"}}}}},
	"collect":  {"GC-ms", []source{{benchFile, "WheelMemory", []row{{"", "this wheel"}}}, {listsFile, "WheelMemory", []row{{"", "linked lists, before"}}}}},
}

// called are the rows of a benchmark in which nothing fires: the floor is one of them.
func called(bench string) []source { return append(passed(bench), source{benchFile, bench, floor}) }

func passed(bench string) []source {
	return []source{{benchFile, bench, own}, {listsFile, bench, linked}}
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
			b.WriteString(" | " + t.ratio(runs, s, pairs("1000000")) + " |\n")
		}
	}
	return b.String(), nil
}

// ratio compares with the wheel in the same run.
func (t table) ratio(runs map[string]*results, s source, pairs []string) string {
	base, r := s.bench, runs[s.file]
	if base == "WheelAfterFunc" {
		base = "WheelAdd" // it has a benchmark of its own
	}
	if s.file == listsFile {
		r = runs[benchFile]
	}
	wheel := []string{"timers", "1000000", "by", "wheel"}
	if base == "WheelMemory" {
		wheel = wheel[:2]
	}
	ours, ok := r.value(base, t.unit, wheel...)
	theirs, too := runs[s.file].value(s.bench, t.unit, pairs...)
	if !ok || !too || ours == 0 {
		return "–"
	}
	if ratio := theirs / ours; ratio >= 0.1 {
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return strconv.FormatFloat(theirs/ours, 'f', 2, 64)
}

// figure has three digits that count, no more.
func figure(v float64, ok bool) string {
	switch {
	case !ok:
		return "–"
	case v == 0:
		return "0"
	case v >= 999.5:
		return count(math.Round(v))
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// frames is a table of its own: a column for each way to turn a day.
func frames(runs map[string]*results) (string, error) {
	var b strings.Builder
	b.WriteString("| frames of 24 h | this wheel, 50 ms | 16 ms | linked lists, 50 ms | 16 ms |\n|---|---|---|---|---|\n")
	for _, m := range []struct{ unit, name string }{
		{"median-ns", "median, ns"},
		{"longest-ns", "longest, ns"},
		{"longest-fired", "timers that the longest one fires"},
		{"hour-ns", "longest in a second that begins an hour, ns"},
		{"hour-times-its-second", "× the median of its second"},
		{"hour-times-its-kind", "× the median of its kind"},
		{"over-3x-its-second", "frames above 3 × the median of their second"},
		{"over-3x-its-kind", "frames above 3 × the median of their kind"},
	} {
		b.WriteString("| " + m.name)
		for _, file := range []string{benchFile, listsFile} {
			for _, frame := range []string{"50ms", "16ms"} {
				v, ok := runs[file].value("WheelFrames", m.unit, "frame", frame)
				if !ok {
					return "", fmt.Errorf("WheelFrames at %s has no %s in %s", frame, m.unit, file)
				}
				b.WriteString(" | " + count(v))
			}
		}
		b.WriteString(" |\n")
	}
	return b.String(), nil
}

// count has no more digits than it needs, and commas.
func count(v float64) string {
	if v < 1000 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.Itoa(int(math.Round(v)))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
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
		return frames(runs)
	case "border":
		return border(runs[borderFile])
	case "targets":
		return targetTable(runs)
	case "machine":
		return machine(runs[benchFile]), nil
	}
	return "", fmt.Errorf("no table is called %q", name)
}
