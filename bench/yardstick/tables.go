package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
)

// table is one of the measured tables.
type table struct {
	name, title string
	worlds      []string // default of -worlds
	run         func(worlds []string)
}

var tables = []table{
	{"events", "Time of one event, ns: wall clock, processor time in parentheses", []string{
		"engine", "engine+quick", "engine+sync", "engine+history", "onelist+all", "onelist", "structs", "arrays", "heap",
	}, eventsTable},
	{"small", "Time of a small Tick, and of an event in an arena of 100 players, ns: wall clock, processor time in parentheses", []string{
		"engine", "engine+quick", "engine+data", "engine+sync", "onelist",
	}, smallTable},
	{"handlers", "Two workers by one, wall clock", []string{"engine+1", "engine+2"}, handlersTable},
	{"memory", "Bytes of a buff, players and wheel included; processor time of one garbage collection, ms", []string{
		"engine", "engine+history", "onelist+all", "onelist", "structs",
	}, memoryTable},
	{"calls", "Time of one call, ns", []string{"engine", "onelist"}, callsTable},
	{"mass", "300,000 buffs that end in one millisecond: frames of the next 20 s, µs, and the lateness of the last end", []string{"engine", "engine+sync", "onelist"}, massTable},
	{"collection", "Frames next to a running garbage collection, µs", []string{"engine", "engine+sync", "onelist"}, collectionTable},
}

// header prints the header of a Markdown table.
func header(first string, columns ...string) {
	fmt.Printf("\n| %s |", first)
	for _, c := range columns {
		fmt.Printf(" %s |", c)
	}
	fmt.Print("\n|---|")
	for range columns {
		fmt.Print("---:|")
	}
	fmt.Println()
}

func row(name string, cells []string) {
	fmt.Printf("| %s |", name)
	for _, c := range cells {
		fmt.Printf(" %s |", c)
	}
	fmt.Println()
}

func cell(t times) string {
	return fmt.Sprintf("%.0f (%.0f)", median(t.wall), median(t.processor))
}

func eventsTable(names []string) {
	var columns []string
	cells := make([][]string, len(names))
	for _, m := range []mix{fight, city} {
		for _, n := range sizes {
			columns = append(columns, fmt.Sprintf("%s %d", m, n))
			for i, t := range events(names, play{mix: m, uneven: *uneven, shuffle: *shuffle}, n) {
				cells[i] = append(cells[i], cell(t))
			}
		}
	}
	header("", columns...)
	for i, name := range names {
		row(name, cells[i])
	}
}

// events measures the time of an event in several worlds. In each round the worlds run one after
// the other.
func events(names []string, p play, buffs int) []times {
	worlds := make([]world, len(names))
	for i, name := range names {
		worlds[i] = build(name)
		p.fill(worlds[i], buffs)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	t := make([]times, len(names))
	for _, w := range worlds {
		p.periods(w, 1)
	}
	for range *rounds {
		for i, w := range worlds {
			t[i].lap(func() int { return p.periods(w, max(1, 100_000/buffs)) })
		}
	}
	for _, w := range worlds {
		w.close()
	}
	return t
}

func smallTable(names []string) {
	columns := []string{}
	cells := make([][]string, len(names))
	for _, due := range []int{0, 1, 4, 16} {
		columns = append(columns, fmt.Sprintf("%d due", due))
		for i, t := range ticks(names, due) {
			cells[i] = append(cells[i], cell(t))
		}
	}
	columns = append(columns, "arena event")
	for i, t := range arenas(names, 200) {
		cells[i] = append(cells[i], cell(t))
	}
	header("", columns...)
	for i, name := range names {
		row(name, cells[i])
	}
}

// ticks measures Ticks with the given number of due pulses. Each pulse is on a different player.
func ticks(names []string, due int) []times {
	worlds := make([]world, len(names))
	for i, name := range names {
		w := build(name)
		data := make([]int64, frames*max(due, 1))
		for k := range data {
			w.spawn(k+1, &data[k])
		}
		next := 1
		for range frames {
			for range due {
				w.add(next, dot, 1, 0)
				next++
			}
			w.tick(50)
		}
		play{}.periods(w, 3)
		worlds[i] = w
	}
	t := make([]times, len(names))
	for range *rounds {
		for i, w := range worlds {
			t[i].lap(func() int {
				play{}.periods(w, 40)
				return 40 * frames
			})
		}
	}
	for _, w := range worlds {
		w.close()
	}
	return t
}

// arenas measures the time of an event in n worlds, each with 100 players. Each player has ten
// buffs, all of which pulse.
func arenas(names []string, n int) []times {
	t := make([]times, len(names))
	for i, name := range names {
		worlds := make([]world, n)
		for k := range worlds {
			worlds[k] = build(name)
			play{mix: fight}.fill(worlds[k], 1000)
		}
		for range *rounds {
			t[i].lap(func() (events int) {
				for range frames {
					for _, w := range worlds {
						events += w.tick(50)
					}
				}
				return events
			})
		}
		for _, w := range worlds {
			w.close()
		}
	}
	return t
}

func handlersTable(names []string) {
	if len(names) != 2 {
		names = []string{"engine+1", "engine+2"}
	}
	lengths := []time.Duration{0, time.Microsecond, 5 * time.Microsecond, 20 * time.Microsecond}
	var columns []string
	for _, d := range lengths {
		columns = append(columns, fmt.Sprintf("handler of %v", d))
	}
	header(names[1]+" by "+names[0], columns...)
	for _, n := range sizes[:min(2, len(sizes))] {
		var cells []string
		for _, d := range lengths {
			work = calibrated(d)
			t := events(names, play{mix: fight}, n)
			cells = append(cells, fmt.Sprintf("%.2f", ratios(t[1].wall, t[0].wall)))
		}
		row(fmt.Sprintf("fight %d", n), cells)
	}
	work = func() {}
}

func memoryTable(names []string) {
	n := 100_000
	header("", fmt.Sprintf("fight %d: bytes of a buff", n), "collection, ms")
	for _, name := range names {
		before := gauge.LiveHeap()
		w := build(name)
		p := play{mix: fight}
		p.fill(w, n)
		p.periods(w, 4)
		live := gauge.LiveHeap() - before
		least := time.Hour
		for range 7 {
			c := gauge.CPU()
			runtime.GC()
			least = min(least, gauge.CPU()-c)
		}
		row(name, []string{fmt.Sprintf("%.0f", float64(live)/float64(n)), fmt.Sprintf("%.1f", float64(least)/1e6)})
		w.close()
	}
}

func callsTable(names []string) {
	n := sizes[len(sizes)-1]
	worlds := make([]world, len(names))
	for i, name := range names {
		worlds[i] = build(name)
		play{mix: city}.fill(worlds[i], n)
	}
	header(fmt.Sprintf("among %d buffs", n), "new", "refresh", "remove")
	random := rand.New(rand.NewPCG(1, 2))
	for _, where := range []string{"a raid of 20 players", "any player"} {
		single := make([][3]times, len(names))
		batch := make([][3]times, len(names))
		for range *rounds {
			players := make([]int, 1000)
			for k := range players {
				players[k] = 1 + k%20
				if where == "any player" {
					players[k] = 1 + random.IntN(n/10)
				}
			}
			for i, w := range worlds {
				calls(w, players, &single[i])
				if e, ok := w.(*engineWorld); ok {
					e.batch(players, &batch[i])
				}
			}
		}
		for i, name := range names {
			row(name+", "+where, callCells(single[i]))
			if len(batch[i][0].wall) > 0 {
				row(name+" DoAll, "+where, callCells(batch[i]))
			}
		}
	}
	for _, w := range worlds {
		w.close()
	}
}

func callCells(t [3]times) (cells []string) {
	for k := range t {
		cells = append(cells, fmt.Sprintf("%.0f", median(t[k].wall)))
	}
	return cells
}

// sourceOf returns a source of which no player has a buff yet.
func sourceOf(k int) int { return 100 + k/20%20 + k%3*100 }

// calls adds a new buff to each player, refreshes an existing buff of each player, and removes the
// new buffs. Each array element of t measures one of these steps.
func calls(w world, players []int, t *[3]times) {
	handles := make([]uint64, len(players))
	t[0].lap(func() int {
		for k, p := range players {
			handles[k] = w.add(p, plain, sourceOf(k), 0)
		}
		return len(players)
	})
	t[1].lap(func() int {
		for k, p := range players {
			w.add(p, plain, 1+k%9, 3_600_000)
		}
		return len(players)
	})
	t[2].lap(func() int {
		for _, h := range handles {
			w.remove(h)
		}
		return len(players)
	})
	w.tick(50)
}

// batch is like "calls", but uses DoAll. The times include the creation of the commands.
func (w *engineWorld) batch(players []int, t *[3]times) {
	commands := make([]buff.Command, len(players))
	results := make([]buff.Result, 0, len(players))
	handles := make([]buff.Handle, len(players))
	do := func(k int, command func(k, player int) buff.Command) {
		t[k].lap(func() int {
			for k, p := range players {
				commands[k] = command(k, p)
			}
			results = w.engine.DoAll(results[:0], commands)
			return len(players)
		})
	}
	do(0, func(k, p int) buff.Command {
		return buff.Apply(buff.OwnerID(p), buff.Application{Spec: w.specs[plain], Source: buff.OwnerID(sourceOf(k))})
	})
	for k := range results {
		handles[k] = results[k].Handle
	}
	do(1, func(k, p int) buff.Command {
		return buff.Apply(buff.OwnerID(p), buff.Application{Spec: w.specs[plain], Source: buff.OwnerID(1 + k%9), Duration: buff.Lasting(time.Hour)})
	})
	do(2, func(k, _ int) buff.Command { return buff.Remove(handles[k]) })
	w.tick(50)
}

func massTable(names []string) {
	n, many := 1_000_000, 300_000
	header("", "p50", "p99", "longest", "events", "last end late by, ms")
	for _, name := range names {
		w := build(name)
		play{mix: city}.fill(w, n)
		for k := range many {
			w.add(1+k%(n/10), plain, 200+k/(n/10), 10_000)
		}
		var took []float64
		total, last := 0, 0
		for f := range 400 {
			began := time.Now()
			events := w.tick(50)
			took = append(took, float64(time.Since(began))/1e3)
			if total += events; events > 2000 { // more events than the pulses of the city
				last = f
			}
		}
		row(name, []string{
			fmt.Sprintf("%.0f", quantile(took, 0.5)), fmt.Sprintf("%.0f", quantile(took, 0.99)), fmt.Sprintf("%.0f", quantile(took, 1)),
			fmt.Sprint(total), fmt.Sprint((last+1)*50 - 10_000),
		})
		w.close()
	}
}

func collectionTable(names []string) {
	n := sizes[len(sizes)-1]
	header(fmt.Sprintf("fight %d", n), "without, p50", "p99", "next to it, p50", "p99", "ratio")
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, name := range names {
		w := build(name)
		play{mix: fight}.fill(w, n)
		runtime.GC()
		var without, next []float64
		period := func(to *[]float64) {
			for range frames {
				began := time.Now()
				w.tick(50)
				*to = append(*to, float64(time.Since(began))/1e3)
			}
		}
		for range *rounds {
			period(&without)
			stop, stopped := make(chan bool), make(chan bool)
			go func() {
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					default:
						runtime.GC()
					}
				}
			}()
			period(&next)
			close(stop)
			<-stopped
		}
		row(name, []string{
			fmt.Sprintf("%.0f", quantile(without, 0.5)), fmt.Sprintf("%.0f", quantile(without, 0.99)),
			fmt.Sprintf("%.0f", quantile(next, 0.5)), fmt.Sprintf("%.0f", quantile(next, 0.99)),
			fmt.Sprintf("%.2f", quantile(next, 0.5)/quantile(without, 0.5)),
		})
		w.close()
	}
}
