package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/bufftick/bufftick/bench/page"
	"github.com/bufftick/bufftick/bench/rival"
)

// scaleCmd measures the cost of an event and of a call in worlds of different sizes.
type scaleCmd struct {
	Most    int `default:"1000000" help:"the largest number of players, each with ten buffs; a million needs 7 GB"`
	Rounds  int `default:"10" help:"how often each size has its turn"`
	Threads int `help:"the largest number of workers; 0 is twice as many as processors"`
}

// Run prints a line for each world.
func (s *scaleCmd) Run(con *console) error {
	all, calls, err := s.measure(con)
	if err != nil {
		return err
	}
	page.PrintScale(con.out, all, calls)
	return nil
}

// workersAt is the number of players in the worlds that compare different numbers of workers.
const workersAt = 100_000

func (s *scaleCmd) measure(con *console) (all []rival.Scaled, calls []rival.Called, err error) {
	pooled := runtime.GOMAXPROCS(0)
	most := s.Threads
	if most == 0 {
		most = 2 * pooled
	}
	var sizes, alone []rival.Size
	for players := 1000; players <= s.Most; players *= 10 {
		switch {
		case players == workersAt:
			for n := range most + 1 {
				sizes = append(sizes, rival.Size{Players: players, Workers: n})
			}
		case players < workersAt:
			sizes = append(sizes, rival.Size{Players: players}, rival.Size{Players: players, Workers: pooled})
		default: // two worlds of this size at the same time need too much memory
			sizes = append(sizes, rival.Size{Players: players})
			alone = append(alone, rival.Size{Players: players, Workers: pooled})
		}
	}
	bar := newBar(con.diag, fmt.Sprintf("1,000 to %d players", s.Most))
	defer bar.clear()
	if all, err = rival.Scale(sizes, s.Rounds, rival.ScaleEvents, bar.show); err != nil {
		return nil, nil, err
	}
	for _, size := range alone {
		runtime.GC()
		one, err := rival.Scale([]rival.Size{size}, s.Rounds, rival.ScaleEvents, bar.show)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, one...)
	}
	for buffs := 10_000; buffs <= min(10*s.Most, 1_000_000); buffs *= 10 {
		c, err := rival.Calls(buffs, 2*s.Rounds, bar.show)
		if err != nil {
			return nil, nil, err
		}
		calls = append(calls, c)
	}
	return all, calls, nil
}

// rivalsCmd measures the engine and the rivals, one after the other in each round.
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

// wheelCmd measures the wheel without the engine.
type wheelCmd struct {
	Most   int `default:"1000000" help:"the largest number of timers"`
	Rounds int `default:"8" help:"how often each has its turn"`
}

// Run prints a line for each implementation and size.
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
