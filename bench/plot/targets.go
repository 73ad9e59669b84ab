package main

import (
	"fmt"
	"strings"
)

// figureOf names one figure: of a benchmark in a file, at so many timers.
type figureOf struct {
	file, bench, unit string
	pairs             []string
}

// target is what was asked for. The figure, divided by another one if that is named, must
// be at most the limit, or at least.
type target struct {
	text  string
	of    figureOf
	over  *figureOf
	limit float64
	least bool
	unit  string
}

func wheelAt(bench, unit, timers string) figureOf {
	return figureOf{benchFile, bench, unit, []string{"timers", timers, "by", "wheel"}}
}

// times says how many times as long a row takes as the wheel in the same run.
func times(text, file, bench, unit, by string, limit float64) target {
	const million = "1000000"
	wheel := figureOf{file, bench, unit, []string{"timers", million, "by", "wheel"}}
	return target{text, figureOf{file, bench, unit, []string{"timers", million, "by", by}}, &wheel, limit, true, "×"}
}

const secondGrid, msGrid = "WheelFire/grid=1000ms", "WheelFire/grid=1ms"

func targets() []target {
	addOne := wheelAt("WheelAdd", "ns/timer", "1000000")
	all := []target{
		{"Add", addOne, nil, 16, false, "ns"},
		{"Add against time.AfterFunc", figureOf{benchFile, "WheelAfterFunc", "ns/timer", []string{"timers", "1000000"}}, &addOne, 20, true, "×"},
		{"Move to later", wheelAt("WheelLater", "ns/timer", "1000000"), nil, 65, false, "ns"},
		{"Move to earlier", wheelAt("WheelEarlier", "ns/timer", "1000000"), nil, 130, false, "ns"},
		{"Remove", wheelAt("WheelRemove", "ns/timer", "1000000"), nil, 100, false, "ns"},
		{"firing, grid of 1 s", wheelAt(secondGrid, "ns/firing", "1000000"), nil, 120, false, "ns"},
		{"the same at 10⁷", wheelAt(secondGrid, "ns/firing", "10000000"), nil, 120, false, "ns"},
		{"firing, grid of 1 ms", wheelAt(msGrid, "ns/firing", "1000000"), nil, 120, false, "ns"},
		{"the same at 10⁷", wheelAt(msGrid, "ns/firing", "10000000"), nil, 120, false, "ns"},
		times("firing against otter", peersFile, "Fire", "ns/firing", "otter", 2.5),
		times("firing against container/heap", benchFile, secondGrid, "ns/firing", "heap", 6),
		times("firing against the flat wheel, grid of 1 s", benchFile, secondGrid, "ns/firing", "flat", 1),
		times("firing against the flat wheel, grid of 1 ms", benchFile, msGrid, "ns/firing", "flat", 1),
		{"periodic, each 3 s", wheelAt("WheelPeriodic/phase=seconds", "ns/firing", "1000000"), nil, 16, false, "ns"},
	}
	for _, frame := range []string{"50ms", "16ms"} {
		at := []string{"frame", frame}
		all = append(all,
			target{"longest frame at an hour over the median one of its second, frames of " + frame, figureOf{benchFile, "WheelFrames", "hour-times-its-second", at}, nil, 3, false, "×"},
			target{"frames of 24 h above three times the median of their second, " + frame, figureOf{benchFile, "WheelFrames", "over-3x-its-second", at}, nil, 0, false, ""})
	}
	alone := []string{"timers", "1000000"}
	return append(all,
		target{"heap for a waiting timer", figureOf{benchFile, "WheelMemory", "B/timer", alone}, nil, 48, false, "bytes"},
		target{"a collection", figureOf{benchFile, "WheelMemory", "GC-ms", alone}, nil, 2, false, "ms"})
}

func (f figureOf) value(runs map[string]*results) (float64, error) {
	v, ok := runs[f.file].value(f.bench, f.unit, f.pairs...)
	if !ok {
		return 0, fmt.Errorf("%s %v was not measured", f.bench, f.pairs)
	}
	return v, nil
}

// targetTable says of each target what was measured, and whether that is enough.
func targetTable(runs map[string]*results) (string, error) {
	var b strings.Builder
	b.WriteString("| target at 10⁶ | asked | measured | |\n|---|---|---|---|\n")
	for _, t := range targets() {
		v, err := t.of.value(runs)
		if err != nil {
			return "", err
		}
		if t.over != nil {
			under, err := t.over.value(runs)
			if err != nil {
				return "", err
			}
			v /= under
		}
		verdict, bound := "**missed**", "at most"
		if t.least {
			bound = "at least"
		}
		if v == t.limit || v > t.limit == t.least {
			verdict = "reached"
		}
		asked := strings.TrimSpace(fmt.Sprintf("%s %g %s", bound, t.limit, t.unit))
		measured := count(v) // of frames
		if t.unit != "" {
			measured = figure(v, true) + " " + t.unit
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.text, asked, measured, verdict)
	}
	return b.String(), nil
}
