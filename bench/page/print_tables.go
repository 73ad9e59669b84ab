package page

import (
	"fmt"
	"io"

	"github.com/bufftick/bufftick/bench/rival"
)

// PrintScale prints the costs of events and calls in worlds of different sizes as text tables.
func PrintScale(w io.Writer, all []rival.Scaled, calls []rival.Called) {
	fmt.Fprintf(w, "\n%10s %11s %8s %18s %18s %12s %20s %8s\n", "players", "buffs", "workers", "Tick per event", "CPU per event", "Tick", "memory access", "B/buff")
	for _, s := range all {
		fmt.Fprintf(w, "%10s %11s %8s %18s %18s %12s %20s %8.0f\n", count(s.Players), count(s.Buffs), workersWord(s.Workers), spread(s.Wall), spread(s.CPU), nanos(s.Frame.Mean), spread(s.Access), s.Bytes)
	}
	fmt.Fprintf(w, "\n%11s %18s %18s %18s\n", "buffs", "AddBuff, new", "AddBuff, refresh", "Remove")
	for _, c := range calls {
		fmt.Fprintf(w, "%11s %18s %18s %18s\n", count(c.Buffs), spread(c.New), spread(c.Refresh), spread(c.Remove))
	}
}

func workersWord(n int) string {
	if n == 0 {
		return "loop"
	}
	return fmt.Sprint(n)
}

// PrintDuels prints the comparison with the rivals as a text table.
func PrintDuels(w io.Writer, duels []rival.Duel, after *rival.Duel) {
	fmt.Fprintf(w, "\n%-6s %10s %-10s %18s %20s\n", "load", "buffs", "by", "CPU per event", "ratio to the engine")
	if after != nil {
		duels = append(duels[:len(duels):len(duels)], *after)
	}
	for _, d := range duels {
		for _, r := range d.Rows {
			fmt.Fprintf(w, "%-6s %10s %-10s %18s %20s %s\n", d.Load, count(d.Buffs), r.Name, spread(r.CPU), ratio(r.Against), r.Note)
		}
	}
}

// PrintKept prints the costs of the wheel and its rivals as a text table.
func PrintKept(w io.Writer, all []rival.Kept) {
	fmt.Fprintf(w, "\n%10s %-20s %16s %16s %16s %16s\n", "timers", "by", "Add", "Move", "Remove", "fire")
	for _, k := range all {
		fmt.Fprintf(w, "%10s %-20s %16s %16s %16s %16s\n", count(k.Timers), k.Name, spread(k.Add), spread(k.Move), spread(k.Remove), spread(k.Fire))
	}
}
