// Plot draws what the benchmarks of the wheel have measured. It reads their output, as
// go test prints it, and writes the plots and the tables of docs/wheel.md:
//
//	go -C bench run ./plot       from docs/wheel-*.txt
//	make wheel-plots             measures too; see bench/plot/run
//
// The same output gives the same files, to the byte; a test sees that they are those in
// docs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("docs", "../docs", "where wheel-*.txt and wheel.md are, and the plots go")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := render(dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// The measurements, and what they are of.
const (
	benchFile  = "wheel-bench.txt"  // package bench
	listsFile  = "wheel-lists.txt"  // the wheel of lists, by the benchmarks of package bench
	peersFile  = "wheel-peers.txt"  // module bench/peers
	borderFile = "wheel-border.txt" // bench/plot/border
	pageFile   = "wheel.md"
)

// render returns the files to be written, by name.
func render(dir string) (map[string]string, error) {
	runs := map[string]*results{}
	for _, name := range []string{benchFile, listsFile, peersFile, borderFile} {
		r, err := readResults(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		runs[name] = r
	}
	page, err := os.ReadFile(filepath.Join(dir, pageFile))
	if err != nil {
		return nil, err
	}
	text, err := fillPage(string(page), runs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pageFile, err)
	}
	fire, err := fireChart(runs).svg()
	if err != nil {
		return nil, fmt.Errorf("cost per firing: %w", err)
	}
	border, err := borderChart(runs[borderFile]).svg()
	if err != nil {
		return nil, fmt.Errorf("hour border: %w", err)
	}
	return map[string]string{pageFile: text, "wheel-fire.svg": fire, "wheel-border.svg": border}, nil
}

// fireChart is the cost of one firing against the number of timers. The wheel is in both
// runs, and drawn from the one in this module.
func fireChart(runs map[string]*results) *chart {
	c := &chart{
		title: "Cost of one firing, all that leads there included",
		x:     axis{name: "timers waiting, due within 12 h on a grid of 1 s", log: true, tick: power},
		y:     axis{name: "per firing", log: true, tick: duration},
	}
	for _, s := range []struct{ name, by, bench, file string }{
		{"this wheel", "wheel", "WheelFire/grid=1000ms", benchFile},
		{"flat, 43,200 slots", "flat", "WheelFire/grid=1000ms", benchFile},
		{"container/heap", "heap", "WheelFire/grid=1000ms", benchFile},
		{"otter", "otter", "Fire", peersFile},
		{"go-zero", "gozero", "Fire", peersFile},
		{"tidwall/btree", "btree", "Fire", peersFile},
		{"linked lists, before", "lists", "WheelFire/grid=1000ms", listsFile},
	} {
		c.add(s.name, runs[s.file].points(s.bench, "timers", "ns/firing", "by", s.by))
	}
	return c
}

// borderChart is the time of each frame, from some seconds before an hour to some after.
func borderChart(r *results) *chart {
	c := &chart{
		title: "Frames of 50 ms across an hour border, 10⁶ timers waiting",
		x:     axis{name: "seconds from the hour, where the frame ends", tick: plain, scale: 1e-3},
		y:     axis{name: "time of the frame", log: true, tick: duration},
	}
	for _, s := range []struct{ name, by string }{
		{"this wheel", "smoothed"},
		{"the same, not smoothed", "unsmoothed"},
		{"linked lists, before", "lists"},
	} {
		c.add(s.name, r.points("Border", "at", "ns/op", "by", s.by))
	}
	return c
}
