package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	most := flag.Int("most", 1_000_000, "the largest number of timers; a million needs 3 GB")
	rounds := flag.Int("rounds", 10, "how often each has its turn")
	flag.Parse()
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
