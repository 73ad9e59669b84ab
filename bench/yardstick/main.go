package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/bench/gauge"
)

var (
	only    = flag.String("worlds", "", "comma-separated worlds to compare; the first is the engine in most tables")
	rounds  = flag.Int("rounds", 5, "rounds of each measurement; values are medians")
	quick   = flag.Bool("quick", false, "worlds of at most 100,000 buffs, three rounds")
	uneven  = flag.Bool("uneven", false, "events: frames of 47 to 53 ms instead of 50")
	shuffle = flag.Bool("shuffle", false, "events: players get their buffs in random order")
	most    = flag.Int("most", 1_000_000, "maximum number of buffs")
)

// sizes are the numbers of buffs with which the worlds are measured.
var sizes []int

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: yardstick [flags] [table ...]\nTables:")
		for _, t := range tables {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-11s %s\n", t.name, t.title)
		}
		flag.PrintDefaults()
	}
	flag.Parse()
	if *quick {
		*most, *rounds = min(*most, 100_000), min(*rounds, 3)
	}
	for n := 10_000; n <= *most; n *= 10 {
		sizes = append(sizes, n)
	}
	for _, name := range flag.Args() {
		if !slices.ContainsFunc(tables, func(t table) bool { return t.name == name }) {
			fmt.Fprintf(os.Stderr, "yardstick: unknown table %q\n", name)
			flag.Usage()
			os.Exit(2)
		}
	}
	m := gauge.ThisMachine()
	fmt.Printf("%s, %d processors, %s, commit %s\n", m.CPU, m.Processors, m.Go, m.Commit)
	for _, t := range tables {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), t.name) {
			continue
		}
		worlds := t.worlds
		if *only != "" {
			worlds = strings.Split(*only, ",")
		}
		fmt.Printf("\n## %s\n\n%s. Medians of %d rounds.\n", t.name, t.title, *rounds)
		t.run(worlds)
	}
}
