package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/bench/viewers"
)

// viewersCmd measures the cost of showing buffs to players.
type viewersCmd struct {
	Seconds  int           `default:"60" help:"of the game, in each way"`
	Warm     time.Duration `default:"60s" help:"of the game before there are viewers"`
	Seed     uint64        `default:"1" help:"of the game"`
	Crowd    bool          `help:"each viewer sees 40 players anywhere, and not those of its raid"`
	Colyseus int           `default:"400" help:"viewers of the Colyseus server, which npm gets; 0 leaves it out"`
}

// Run prints a line for each way of showing buffs.
func (c *viewersCmd) Run(con *console) error {
	o := viewers.Options{Seconds: c.Seconds, Warm: c.Warm, Seed: c.Seed, Crowd: c.Crowd, Rival: "colyseus", RivalViewers: c.Colyseus}
	bar := newBar(con.diag, "4,000 viewers")
	costs, err := viewers.Measure(o, bar.show)
	bar.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, "\n%-14s %8s %28s %28s %16s %10s %10s %13s\n", "", "viewers", "more of a processor", "of that, behind the Tick", "µs/s a viewer", "bytes/s", "packets/s", "allocs/frame")
	for i := range costs {
		c.row(con, &costs[i])
	}
	if c.Colyseus > 0 {
		if err := c.rival(con, o); err != nil {
			return err
		}
	}
	fmt.Fprintf(con.out, "\nThe game itself: %s of a processor. Bytes and packets are those of one viewer.\n", percent(costs[0].Game))
	return nil
}

func (c *viewersCmd) row(con *console, w *viewers.Cost) {
	fmt.Fprintf(con.out, "%-14s %8d %28s %28s %16.1f %10.0f %10.1f %13.1f\n", w.Way, w.Viewers, percent(w.Share), percent(w.After),
		w.Share.Middle/float64(w.Viewers)*1e6, w.Bytes, w.Packets, w.Mallocs)
}

// rival prints a line for Colyseus, or the reason why it was not measured.
func (c *viewersCmd) rival(con *console, o viewers.Options) error {
	r, err := viewers.Colyseus(context.Background(), o)
	if errors.Is(err, viewers.ErrNoRival) {
		fmt.Fprintf(con.out, "Colyseus is left out: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	c.row(con, &r.Cost)
	fmt.Fprintf(con.out, "\nColyseus: %s. Its share is that of its own work alone; %.2f %% of a processor are for noting changes in the room's state,\n", r.Versions, 100*r.Setting)
	fmt.Fprintf(con.out, "which is in it. The first patch took %.1f s of a processor, and the process has %d MB.\n", r.First, r.Memory>>20)
	return nil
}

// percent formats a fraction as a percentage.
func percent(s viewers.Spread) string {
	return fmt.Sprintf("%.2f %% (%.2f to %.2f)", 100*s.Middle, 100*s.Low, 100*s.High)
}
