package rival

import (
	"fmt"
	"runtime"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
)

// Duel is the comparison of all contenders with one load and size.
type Duel struct {
	Load   string
	Buffs  int
	Rounds int
	Rows   []Row
}

// Row is the result of one contender.
type Row struct {
	Name    string
	CPU     load.Spread // ns of processor time per event, including garbage collection
	Against load.Spread // ratio of CPU to the CPU of the engine in the same round
	Samples []float64   // values of CPU by round
	Ratios  []float64
	Note    string
}

// Engine is the name of the contender with which the other contenders are compared.
const Engine = "engine"

// roundFrames returns the number of frames that a contender plays in a round. They take about 10 ms
// in total.
func roundFrames(buffs int) int { return max(20, 2_000_000/buffs) }

type row struct {
	name string
	game *Game
	ours *ours
}

// Run runs all contenders except AfterFunc, one after the other in each round. It fails if the
// contenders have different events.
func Run(load Load, buffs, rounds int, progress func(float64)) (Duel, error) {
	rows := contenders(load, buffs)
	d := Duel{Load: load.Name, Buffs: buffs, Rounds: rounds, Rows: make([]Row, len(rows))}
	for round := range rounds + 1 { // the first round is not counted
		var engine float64
		for i, r := range rows {
			cost := r.play()
			if i == 0 {
				engine = cost
			}
			if round > 0 {
				d.Rows[i].Samples = append(d.Rows[i].Samples, cost)
				d.Rows[i].Ratios = append(d.Rows[i].Ratios, cost/engine)
			}
			if r.game.totals != rows[0].game.totals {
				return d, fmt.Errorf("%d buffs, round %d: %s has seen %+v, and %s %+v", buffs, round, r.name, r.game.totals, rows[0].name, rows[0].game.totals)
			}
		}
		progress(float64(round+1) / float64(rounds+1))
	}
	for i, r := range rows {
		d.Rows[i].finish(r.name)
		if r.ours != nil {
			r.ours.close()
		}
	}
	return d, nil
}

func (r *Row) finish(name string) {
	r.Name, r.CPU, r.Against = name, load.SpreadOf(r.Samples), load.SpreadOf(r.Ratios)
}

func contenders(load Load, buffs int) []row {
	engine := func(name string, workers int) row {
		r := row{name: name}
		r.game = newGame(load, buffs, settled, func(g *Game) contender { r.ours = newOurs(g, workers); return r.ours })
		return r
	}
	return []row{
		engine(Engine, 0),
		engine("ants", runtime.GOMAXPROCS(0)),
		{name: "scan", game: newGame(load, buffs, settled, newScan)},
		{name: "lists", game: newGame(load, buffs, settled, newServed(newLists))},
		{name: "heap", game: newGame(load, buffs, settled, newServed(newHeap))},
	}
}

// play runs one round and returns the processor time per event in ns.
func (r *row) play() float64 {
	before := r.game.totals
	start := gauge.CPU()
	for range roundFrames(r.game.buffs) {
		r.game.play()
	}
	cost := gauge.CPU() - start
	return float64(cost) / (r.game.totals.events() - before.events())
}

// RunAfter runs AfterFunc and the engine in real time, in two rounds, one after the other in each
// round. The engine sleeps between frames, like in a real game.
func RunAfter(load Load, buffs int, span time.Duration) Duel {
	d := Duel{Load: load.Name, Buffs: buffs, Rounds: 2, Rows: make([]Row, 2)}
	count := max(1, int(span/(frame*time.Millisecond)))
	var late float64
	for range d.Rounds {
		o := row{}
		o.game = newGame(load, buffs, realtimeSettled, func(g *Game) contender { o.ours = newOurs(g, 0); return o.ours })
		engine := realtime(o.game, count)
		o.ours.close()

		var a *after
		game := newGame(load, buffs, realtimeSettled, func(g *Game) contender { a = newAfter(g).(*after); return a })
		cost := realtime(game, count)
		a.stop()
		late = float64(a.late.Load()) / float64(game.totals.Pulses+game.totals.Ends)
		for i, c := range []float64{engine, cost} {
			d.Rows[i].Samples = append(d.Rows[i].Samples, c)
			d.Rows[i].Ratios = append(d.Rows[i].Ratios, c/engine)
		}
	}
	d.Rows[0].finish(Engine)
	d.Rows[1].finish("AfterFunc")
	d.Rows[1].Note = fmt.Sprintf("late by %.2f ms on average", late/1e6)
	return d
}

// realtimeSettled replaces the constant "settled" in games in real time.
const realtimeSettled = 20

// realtime runs frames in real time and returns the processor time per event in ns.
func realtime(g *Game, count int) float64 {
	before, start := g.totals, gauge.CPU()
	next := time.Now()
	for range count {
		g.play()
		next = next.Add(frame * time.Millisecond)
		time.Sleep(time.Until(next))
	}
	return float64(gauge.CPU()-start) / (g.totals.events() - before.events())
}
