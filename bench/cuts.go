package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/bench/cuts"
	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/page"
)

// cutsCmd measures by how much saving lengthens the frames.
type cutsCmd struct {
	Owners  int      `default:"100000" help:"of the crowd; the raids are 4,000"`
	Frames  int      `default:"400" help:"of each way in each round"`
	Rounds  int      `default:"3" help:"how often each way has its turn"`
	Worlds  []string `name:"world" enum:"raids,crowd" default:"raids,crowd" help:"those that are measured: raids, crowd"`
	Dir     string   `placeholder:"DIR" help:"where the files are; the folder for temporary ones"`
	Virtual bool     `help:"one frame follows on the other, and none takes its 50 ms: the disk is then too slow for any game"`
}

// Run prints a line for each way of saving.
func (c *cutsCmd) Run(con *console) error {
	frames, opens, err := c.measure(1, con)
	if err == nil {
		page.PrintCuts(con.out, frames, opens)
	}
	return err
}

// into measures the cost of saving, and puts the results into the report.
func (c *cutsCmd) into(report *page.Report, seed uint64, con *console) error {
	by, begin := gauge.ThisMachine(), gauge.Busy()
	frames, opens, err := c.measure(seed, con)
	if err != nil {
		return err
	}
	if begin != "" {
		by.Busy = begin + " at the beginning, " + gauge.Busy() + " at the end"
	}
	report.MeasuredCuts(by, frames, opens)
	page.PrintCuts(con.out, frames, opens)
	return nil
}

func (c *cutsCmd) measure(seed uint64, con *console) (frames []cuts.Frames, opens []cuts.Opened, err error) {
	bar := newBar(con.diag, fmt.Sprintf("cuts of %d owners", c.Owners))
	defer bar.clear()
	frames, err = cuts.Measure(cuts.Options{Owners: c.Owners, Frames: c.Frames, Rounds: c.Rounds, Warm: time.Minute, Virtual: c.Virtual, Worlds: c.Worlds, Dir: c.Dir, Seed: seed}, bar.show)
	if err != nil || !slices.Contains(c.Worlds, "crowd") {
		return frames, nil, err
	}
	opens, err = cuts.Opens(c.Owners, 2*c.Rounds-1, c.Dir, bar.show)
	return frames, opens, err
}
