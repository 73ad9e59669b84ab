package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/bufftick/bufftick/bench/page"
	"github.com/bufftick/bufftick/bench/rival"
)

// scaleCmd measures the cost of an event against the size.
type scaleCmd struct {
	Most    int `default:"1000000" help:"the largest number of players, each with ten buffs; a million needs 3 GB"`
	Turns   int `default:"10" help:"how often everything that pulses does so, at each size"`
	Threads int `help:"the largest number of workers; 0 is twice as many as processors"`
}

// Run prints a line for each size.
func (s *scaleCmd) Run(con *console) error {
	all, err := s.measure(con)
	if err != nil {
		return err
	}
	page.PrintScale(con.out, all)
	return nil
}

// workersAt is the size at which numbers of workers are compared.
const workersAt = 100_000

func (s *scaleCmd) measure(con *console) (all []rival.Scaled, err error) {
	most := s.Threads
	if most == 0 {
		most = 2 * runtime.GOMAXPROCS(0)
	}
	for players := 1000; players <= s.Most; players *= 10 {
		workers := []int{0, runtime.GOMAXPROCS(0)}
		if players == workersAt {
			for workers = []int{0}; len(workers) <= most; {
				workers = append(workers, len(workers))
			}
		}
		turns := s.Turns
		if players > workersAt {
			workers = workers[:2] // one after the other: two worlds of that size are too large
		}
		bar := newBar(con.diag, fmt.Sprintf("%d players", players))
		if players > workersAt {
			for _, n := range workers {
				one, err := rival.Scale(players, max(3, turns/2), []int{n}, bar.show)
				if err != nil {
					return nil, err
				}
				all = append(all, one...)
				runtime.GC()
			}
			bar.clear()
			continue
		}
		some, err := rival.Scale(players, turns, workers, bar.show)
		bar.clear()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// rivalsCmd lets the engine and the rivals play, in turn.
type rivalsCmd struct {
	Most   int           `default:"1000000" help:"the largest number of buffs"`
	Rounds int           `default:"12" help:"how often each has its turn"`
	After  time.Duration `default:"5s" help:"for how long AfterFunc plays, in real time; 0 leaves it out"`
}

// Run prints a line for each rival and size.
func (r *rivalsCmd) Run(con *console) error {
	duels, after, err := r.measure(con)
	if err != nil {
		return err
	}
	page.PrintDuels(con.out, duels, after)
	return nil
}

func (r *rivalsCmd) measure(con *console) (duels []rival.Duel, after *rival.Duel, err error) {
	for buffs := 10_000; buffs <= r.Most; buffs *= 10 {
		bar := newBar(con.diag, fmt.Sprintf("%d buffs", buffs))
		for _, load := range []rival.Load{rival.Fight, rival.City} {
			d, err := rival.Run(load, buffs, r.Rounds, bar.show)
			if err != nil {
				return nil, nil, err
			}
			duels = append(duels, d)
		}
		bar.clear()
	}
	if r.After > 0 {
		d := rival.RunAfter(rival.Fight, min(r.Most, 100_000), r.After)
		after = &d
	}
	return duels, after, nil
}

// wheelCmd measures the wheel alone.
type wheelCmd struct {
	Most   int `default:"1000000" help:"the largest number of timers"`
	Rounds int `default:"8" help:"how often each has its turn"`
}

// Run prints a line for each keeper and size.
func (w *wheelCmd) Run(con *console) error {
	page.PrintKept(con.out, w.measure(con))
	return nil
}

func (w *wheelCmd) measure(con *console) (all []rival.Kept) {
	for timers := 10_000; timers <= w.Most; timers *= 10 {
		bar := newBar(con.diag, fmt.Sprintf("%d timers", timers))
		all = append(all, rival.Keep(timers, w.Rounds, bar.show)...)
		bar.clear()
	}
	return all
}
