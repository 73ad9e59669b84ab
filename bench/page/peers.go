package page

import (
	"fmt"
	"io"

	"github.com/bufftick/bufftick/bench/load"
)

// Turns is what one question has cost our own code and other libraries, in turn. It is what
// bench/peers prints.
type Turns struct {
	Question string
	Size     int    // timers that wait, or messages
	Each     string // what the ns are for
	Rows     []TurnsRow
}

// TurnsRow is one of those who had their turns; ours is the first.
type TurnsRow struct {
	Name    string
	Samples []float64 // ns, one for each round
}

// against returns the cost of a row, and how many times that of the first it is, round by
// round.
func (t *Turns) against(row int) (cost, times load.Spread) {
	var ratios []float64
	for i, ns := range t.Rows[row].Samples {
		ratios = append(ratios, ns/t.Rows[0].Samples[i])
	}
	return load.SpreadOf(t.Rows[row].Samples), load.SpreadOf(ratios)
}

// PrintTurns writes them as lines.
func PrintTurns(w io.Writer, all []Turns) {
	fmt.Fprintf(w, "\n%-30s %10s %-12s %18s %18s\n", "", "size", "by", "each", "times ours")
	for i := range all {
		for k, row := range all[i].Rows {
			cost, times := all[i].against(k)
			fmt.Fprintf(w, "%-30s %10s %-12s %18s %18s\n", all[i].Question, count(all[i].Size), row.Name, spread(cost), ratio(times))
		}
	}
}

func (r *Report) peersPart(w *writer) {
	w.line("## Other libraries\n")
	w.line("%s\n", notHad)
	if len(r.Peers) == 0 {
		w.line("Those that can be had were not measured for this report.\n")
		return
	}
	w.line("In turn, A B A B: the ratio is that of the same round. Time is that of the clock, for some of them have goroutines of their own.\n")
	w.table("", "waiting, or messages", "by", "each", "times ours")
	for i := range r.Peers {
		t := &r.Peers[i]
		for k, row := range t.Rows {
			cost, times := t.against(k)
			w.row(fmt.Sprintf("%s, a %s", t.Question, t.Each), count(t.Size), row.Name, spread(cost), ratio(times))
		}
	}
	w.line("")
}

const notHad = `What each of them is, and does not do, is said in [bench/peers](../peers/doc.go), a module of
its own. In short: otter is a cache, whose wheel comes with a map and a lock and may fire a step
late; go-zero's wheel hands every call to its own goroutine and calls from another; btree is no wheel
but a tree. Of the pools, only the mailboxes keep the order of one player's messages and never let
two of its handlers meet; with pond, conc and bare goroutines that would be a lock for each player and
no order. RussellLuo/timingwheel, antlabs/timer, thinkgos/timer, ouqiang/timewheel and
rfyiamcool/go-timewheel are not here: the module proxy that this project builds from does not have
them.`
