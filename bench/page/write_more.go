package page

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/rival"
)

func (r *Report) scalePart(w *writer) {
	if len(r.Scale) == 0 {
		return
	}
	w.line("## Cost against size\n")
	w.chart(scaleFile)
	w.chart(workersFile)
	r.growthText(w)
	w.table("players", "buffs", "workers", "Tick, an event", "CPU, an event", "a Tick", "B a buff, players included", "one access to as much memory")
	for _, s := range r.Scale {
		w.row(count(s.Players), count(s.Buffs), workersWord(s.Workers), spread(s.Wall), spread(s.CPU), spread(s.Frame), fmt.Sprintf("%.0f", s.Bytes), spread(s.Access))
	}
	w.line("")
	if len(r.Calls) > 0 {
		w.line("What one call of the loop costs, on random players with ten buffs each:\n")
		r.callsTable(w)
		w.line("")
	}
}

func (r *Report) callsTable(w *writer) {
	w.table("buffs live", "AddBuff, a new one", "AddBuff, a refresh", "Remove")
	for _, c := range r.Calls {
		w.row(count(c.Buffs), spread(c.New), spread(c.Refresh), spread(c.Remove))
	}
}

// times is a ratio, with its ± if more than one was taken.
func times(s load.Spread) string {
	if s.PlusMinus == 0 {
		return fmt.Sprintf("%.2f", s.Mean)
	}
	return ratio(s)
}

// growthText says how an event's cost grows, and what of it is the machine's.
func (r *Report) growthText(w *writer) {
	loop := r.byWorkers(0)
	buffs, players := grown(loop)
	if buffs.Mean == 0 {
		return
	}
	text := fmt.Sprintf("The aim was that an event costs at most 2 times as much at 10^6 as at 10^4. On the loop the processor time of one is %s times as much from 10^4 to 10^6 buffs, which is from 1,000 to 100,000 players", times(buffs))
	if players.Mean > 0 {
		text += fmt.Sprintf("; counted in players, from 10^4 to 10^6 of them, who carry 10^5 to 10^7 buffs, it is %s times", times(players))
	}
	text += "."
	if inTurn(loop) {
		text += fmt.Sprintf(" All sizes had their turns in one run, each with at least %s events in a turn.", count(rival.ScaleEvents))
	}
	w.line("%s\n", text)
	first, last := loop[0], loop[len(loop)-1]
	grown, access := last.CPU.Mean-first.CPU.Mean, last.Access.Mean-first.Access.Mean
	if first.Access.Mean == 0 || grown <= 0 || access <= 0 {
		return
	}
	w.line("What grows is memory, not work: the engine does the same for an event at every size, but finds less and less of it in a cache. The last column is the floor of the machine, in the same turns: to read one word at a place that cannot be foreseen, in as much memory as the world takes (%s to %s). From the smallest world to the largest that becomes %.0f times as dear. An event costs %s more there, which is %.1f such accesses: it finds its owner, the owner's list, the buff, and the timer on the wheel, each once in 3 s.\n",
		bytes(int64(first.Bytes*float64(first.Buffs))), bytes(int64(last.Bytes*float64(last.Buffs))), last.Access.Mean/first.Access.Mean, nanos(grown), grown/access)
}

func (r *Report) rivalsPart(w *writer) {
	if len(r.Duels) == 0 {
		return
	}
	w.line("## What one would write without it\n")
	w.line("The same calls to everybody, in turn, A B A B; all have seen the same pulses and ends of the same buffs at the same millisecond, or there would be no table. What each leaves out is said in the [documentation](../rival/doc.go): none but the engine has rules, handles, an order among equals, or events. In a fight one buff in 140 has something to do in a frame, in a city one in 800. Figures of the same size are not those of the [benchmarks](../../docs/performance.md), for ants at 10^6 among them: there the engine is alone and sizes are players with ten buffs each; here sizes are buffs, all who are compared take turns in one process, and the mix of calls and pulses is another.\n")
	w.chart(rivalFile("fight"))
	w.chart(rivalFile("city"))
	w.table("load", "buffs", "by", "CPU, an event", "times the engine", "")
	for _, d := range r.Duels {
		for _, row := range d.Rows {
			w.row(d.Load, count(d.Buffs), row.Name, spread(row.CPU), ratio(row.Against), row.Note)
		}
	}
	if r.After != nil {
		for _, row := range r.After.Rows {
			w.row(r.After.Load+", real time", count(r.After.Buffs), row.Name, spread(row.CPU), ratio(row.Against), row.Note)
		}
	}
	w.line("\nAfterFunc cannot be hurried, so it and an engine that sleeps between its frames have played in real time; two rounds, and a cold cache in each frame.\n")
}

func (r *Report) wheelPart(w *writer) {
	if len(r.Kept) == 0 {
		return
	}
	w.line("## The wheel alone\n")
	w.line("Timers of up to 12 h on a grid of a second; a tenth more are added, moved and removed in turn, and in the end all fire, three times. Flat keeps no order within its second and knows nothing beyond 12 h.\n")
	w.table("timers", "by", "Add", "Move", "Remove", "fire")
	for _, k := range r.Kept {
		w.row(count(k.Timers), k.Name, spread(k.Add), spread(k.Move), spread(k.Remove), spread(k.Fire))
	}
	w.line("")
}

func (r *Report) stepsPart(w *writer) {
	if len(r.Probes) == 0 {
		return
	}
	w.line("## For `compare` and for CI\n")
	w.line("Times the heap's event, measured in the same moments; each sample is a process of its own.\n")
	w.table("step", "mean", "least", "most", "samples")
	var names []string
	for name := range r.Probes[0] {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var all []float64
		for _, p := range r.Probes {
			all = append(all, p[name])
		}
		slices.Sort(all)
		w.row(name, ratio(load.SpreadOf(all)), fmt.Sprintf("%.2f", all[0]), fmt.Sprintf("%.2f", all[len(all)-1]), fmt.Sprint(len(all)))
	}
	w.line("")
}

const notShown = `## What the figures do not show

Handlers here count a call and return: a game's own work comes on top, and with it the use of
more workers. Virtual time runs one frame after the other, so caches stay warmer than on a server
that sleeps 50 ms between two; ` + "`-realtime`" + ` shows the difference. There is no network, no
storage, and no other goroutine that fills the Inbox. The players are drawn by chance with the
rates of a few public logs of arena fights; nobody moves, dies or hunts in them.

The soak is fewer raids than the hundred of profile B, or it would take hours; its numbers are flags.
The engine cancels 10^7 buffs, the wheel alone 10^8: ` + "`go -C bench run . run cancel -cancels 100000000`" + `
lets the engine cancel as many, in some eight minutes, and must end with a flat heap too. The borders
of minutes and the hour are shown on the wheel alone, where nothing else hides them, and of each of
those frames the shortest of its runs: what the machine does beside is not in it, and is in the longest frames
of the other profiles.

The books share the memory and the caches with what they check, which makes the engine a little
slower, and a virtual machine is shared with others: where two figures are to be compared, compare
those of one table. The rivals do less than the engine, by as much as their names say. One machine is
not all machines: with other caches the growth is another, and with more processors more workers
bring more.
`
