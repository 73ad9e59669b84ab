package page

import (
	"fmt"
	"io"

	"github.com/bufftick/bufftick/bench/load"
)

// Turns is the cost of one operation in our code and in other libraries, measured in alternating
// rounds. The command bench/peers prints a value of this type as JSON.
type Turns struct {
	Question string
	Size     int    // number of waiting timers or of messages
	Each     string // the unit to which the samples refer: a timer or a message
	Rows     []TurnsRow
}

// TurnsRow is the result of one library. The first row is our code.
type TurnsRow struct {
	Name    string
	Samples []float64 // one sample for each round, in ns
}

// against returns the mean cost of a row, and the mean of its ratios to the first row, over all
// rounds.
func (t *Turns) against(row int) (cost, times load.Spread) {
	var ratios []float64
	for i, ns := range t.Rows[row].Samples {
		ratios = append(ratios, ns/t.Rows[0].Samples[i])
	}
	return load.SpreadOf(t.Rows[row].Samples), load.SpreadOf(ratios)
}

// PrintTurns prints the results as a text table.
func PrintTurns(w io.Writer, all []Turns) {
	fmt.Fprintf(w, "\n%-30s %10s %-12s %18s %18s\n", "", "size", "by", "each", "ratio to ours")
	for i := range all {
		for k, row := range all[i].Rows {
			cost, times := all[i].against(k)
			fmt.Fprintf(w, "%-30s %10s %-12s %18s %18s\n", all[i].Question, count(all[i].Size), row.Name, spread(cost), ratio(times))
		}
	}
}

func (r *Report) peersPart(w *writer) {
	w.line("## Other libraries\n")
	w.line("%s\n", peersNote)
	if len(r.Peers) == 0 {
		w.line("The available libraries were not measured for this report.\n")
		return
	}
	w.line("Rounds alternate (A B A B); each ratio compares the same round. Times are wall-clock time, because some libraries use their own goroutines.\n")
	w.table("", "waiting, or messages", "by", "each", "ratio to ours")
	for i := range r.Peers {
		t := &r.Peers[i]
		for k, row := range t.Rows {
			cost, times := t.against(k)
			w.row(fmt.Sprintf("%s, a %s", t.Question, t.Each), count(t.Size), row.Name, spread(cost), ratio(times))
		}
	}
	w.line("")
}

const peersNote = `[bench/peers](../peers/doc.go), a separate module, describes each library and its limitations. In
short: otter is a cache, whose wheel includes a map and a lock and may fire one step late; go-zero's
wheel passes every call to its own goroutine and runs callbacks on another; btree is a tree, not a
wheel. Of the pools, only the mailboxes keep the messages of one player in order and never run two of
its handlers at the same time; with pond, conc and plain goroutines that would need a lock for each
player, without keeping the order. RussellLuo/timingwheel, antlabs/timer, thinkgos/timer,
ouqiang/timewheel and rfyiamcool/go-timewheel were not measured: the module proxy used to build this
project does not have them.`
