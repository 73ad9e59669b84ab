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
	w.line("## Cost by size\n")
	w.chart(scaleFile)
	w.chart(workersFile)
	r.growthText(w)
	w.table("players", "buffs", "workers", "Tick per event", "CPU per event", "Tick", "B/buff, players included", "one random access in as much memory")
	for _, s := range r.Scale {
		w.row(count(s.Players), count(s.Buffs), workersWord(s.Workers), spread(s.Wall), spread(s.CPU), spread(s.Frame), fmt.Sprintf("%.0f", s.Bytes), spread(s.Access))
	}
	w.line("")
	if len(r.Calls) > 0 {
		w.line("Cost of one call from the loop, on random players with ten buffs each:\n")
		r.callsTable(w)
		w.line("")
	}
}

func (r *Report) callsTable(w *writer) {
	w.table("live buffs", "AddBuff, new", "AddBuff, refresh", "Remove")
	for _, c := range r.Calls {
		w.row(count(c.Buffs), spread(c.New), spread(c.Refresh), spread(c.Remove))
	}
}

// times formats a ratio. It includes the confidence interval (±) if there was more than one sample.
func times(s load.Spread) string {
	if s.PlusMinus == 0 {
		return fmt.Sprintf("%.2f", s.Mean)
	}
	return ratio(s)
}

// growthText describes how much the cost of an event grows, and how much of the growth is due to
// memory access.
func (r *Report) growthText(w *writer) {
	loop := r.byWorkers(0)
	buffs, players := grown(loop)
	if buffs.Mean == 0 {
		return
	}
	text := fmt.Sprintf("Target: an event costs at most 2 times as much at 10^6 as at 10^4. From 10^4 to 10^6 buffs (1,000 to 100,000 players) the processor time of an event on the loop grows by a factor of %s", times(buffs))
	if players.Mean > 0 {
		text += fmt.Sprintf("; from 10^4 to 10^6 players (10^5 to 10^7 buffs) it grows by a factor of %s", times(players))
	}
	text += "."
	if inTurn(loop) {
		text += fmt.Sprintf(" All sizes were measured in alternating rounds of one run, with at least %s events per round.", count(rival.ScaleEvents))
	}
	w.line("%s\n", text)
	first, last := loop[0], loop[len(loop)-1]
	grown, access := last.CPU.Mean-first.CPU.Mean, last.Access.Mean-first.Access.Mean
	if first.Access.Mean == 0 || grown <= 0 || access <= 0 {
		return
	}
	w.line("The growth is due to memory, not work: the engine does the same for an event at every size, but fewer accesses hit a cache. The last column shows the limit of the machine, measured in the same rounds: reading one word at an unpredictable address in as much memory as the world uses (%s to %s). From the smallest world to the largest it becomes %.0f times as expensive. An event costs %s more in the largest world, the cost of %.1f such accesses: it reads its owner, the owner's list, the buff, and the timer on the wheel, each once in 3 s.\n",
		bytes(int64(first.Bytes*float64(first.Buffs))), bytes(int64(last.Bytes*float64(last.Buffs))), last.Access.Mean/first.Access.Mean, nanos(grown), grown/access)
}

func (r *Report) rivalsPart(w *writer) {
	if len(r.Duels) == 0 {
		return
	}
	w.line("## Alternatives without the engine\n")
	w.line("Each implementation gets the same calls, in alternating rounds (A B A B). The benchmark fails unless all emit the same pulses and ends of the same buffs at the same millisecond. The [documentation](../rival/doc.go) lists the features that each one omits: only the engine has rules, handles, a defined order of simultaneous events, and events. In a fight, one buff in 140 is due in a frame; in a city, one in 800. Do not compare these numbers with those of the [benchmarks](../../docs/performance.md) for the same size, such as ants at 10^6: there the engine runs alone and sizes are players with ten buffs each; here sizes are buffs, all implementations share one process, and the mix of calls and pulses differs.\n")
	w.chart(rivalFile("fight"))
	w.chart(rivalFile("city"))
	w.table("load", "buffs", "by", "CPU per event", "ratio to the engine", "")
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
	w.line("\nAfterFunc cannot run in virtual time, so it was compared in real time, with an engine that sleeps between frames: two rounds, with a cold cache in each frame.\n")
}

func (r *Report) wheelPart(w *writer) {
	if len(r.Kept) == 0 {
		return
	}
	w.line("## The wheel alone\n")
	w.line("Timers of up to 12 h with a resolution of one second. In each round a tenth more are added, moved and removed, and at the end all fire; this repeats three times. Flat keeps no order within a second and does not support more than 12 h.\n")
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
	w.line("Ratios to the cost of an event with a heap, measured at the same time. Each sample is a separate process.\n")
	w.table("step", "mean", "minimum", "maximum", "samples")
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

const limitations = `## Limitations

Handlers here count a call and return. A game's own work adds to the cost, and makes more workers
worthwhile. Virtual time runs frames back to back, so caches stay warmer than on a server that sleeps
up to 50 ms between frames; ` + "`-realtime`" + ` shows the difference. There is no network, no storage, and no other
goroutine that writes to the Inbox. Players act at random, with the rates of a few public logs of
arena fights; none of them moves, dies or hunts.

The soak uses fewer raids than the hundred of profile B, because it would take hours; flags set its
size. The engine cancels 10^7 buffs, the wheel alone 10^8:
` + "`go -C bench run . run cancel -cancels 100000000`" + ` lets the engine cancel 10^8 as well, in about eight minutes; the
heap must stay flat there too. The effect of full minutes and hours is measured on the wheel alone,
where no other work hides it, as the fastest run of each frame. This excludes other work of the
machine; the longest frames of the other profiles include it.

The check of the engine shares memory and caches with it, which makes the engine a little slower. A
virtual machine also shares its hardware, so compare only numbers from the same table. The rivals
do less than the engine, as their names suggest. Other machines will give other results: the growth
depends on the caches, and with more processors, more workers help more.
`
