package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	most := flag.Int("most", 1_000_000, "maximum number of timers; a million needs 3 GB")
	rounds := flag.Int("rounds", 10, "number of rounds")
	timers := flag.Int("timers", 0, "print the table of real-time timers instead, with this many pending; 0 for none")
	rivals := flag.String("rivals", "timer,time,heap,otter,gozero", "with -timers: the rows to measure")
	table := flag.Bool("table", false, "print the output of go test -bench, read from standard input, as a table")
	flag.Parse()
	if *table {
		if err := benchTable(os.Stdout, os.Stdin, []string{"timer", "time", "heap"}); err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
			os.Exit(1)
		}
		return
	}
	if *timers > 0 {
		names := strings.Split(*rivals, ",")
		timerTable(os.Stdout, *timers, *rounds, names)
		if *timers == 1_000_000 {
			timeoutTable(os.Stdout, *rounds, names)
		}
		return
	}
	var all []turns
	for n := 10_000; n <= *most; n *= 10 {
		all = append(all, keepInTurn(n, *rounds)...)
	}
	all = append(all, poolsInTurn(*rounds)...)
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}
