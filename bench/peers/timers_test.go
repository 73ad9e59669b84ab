package main

import (
	"strings"
	"testing"

	"github.com/bufftick/bufftick/internal/long"
)

// TestTimerTable checks that the table has a number for every row and rival.
func TestTimerTable(t *testing.T) {
	if !long.On() {
		t.Skip("half a minute: -long")
	}
	var out strings.Builder
	timerTable(&out, 1000, 1, []string{"timer", "time", "heap", "otter", "gozero"})
	if n := strings.Count(out.String(), "\n"); n != 4+15 || strings.Contains(out.String(), "–") {
		t.Errorf("%d lines of\n%s", n, out.String())
	}
}

// TestBenchTable checks that several runs are reduced to medians, and that other lines are ignored.
func TestBenchTable(t *testing.T) {
	var out strings.Builder
	in := "goos: linux\nBenchmarkA/pending=10/timer-2   100  12.5 ns/op  3.6 cpu-ns/op  0 B/op  0 allocs/op\n" +
		"BenchmarkA/pending=10/timer-2   100  12.5 ns/op  30 cpu-ns/op\nBenchmarkA/pending=10/timer-2   100  12.5 ns/op  1 cpu-ns/op\n" +
		"BenchmarkA/pending=10/heap-2   100  12.5 ns/op  50 cpu-ns/op\nBenchmarkLate/time   1  2 ns/op  1130 p99-µs\nPASS\n"
	if err := benchTable(&out, strings.NewReader(in), []string{"timer", "time", "heap"}); err != nil {
		t.Fatal(err)
	}
	want := "| | unit | timer | time | heap |\n|---|---|---:|---:|---:|\n" +
		"| A/10 | cpu-ns/op | 4 | – | 50 |\n| Late | p99-µs | – | 1130 | – |\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
