package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/page"
)

// console is the output of a command: results, and diagnostics.
type console struct{ out, diag io.Writer }

// runCmd runs profiles. Each profile is a subcommand, and its parameters are flags.
type runCmd struct {
	game `embed:""`
	Out  string `placeholder:"DIR" help:"also write run.json, bench.txt and ticks.csv there"`

	All     struct{}     `cmd:"" default:"1" help:"all of them, one after the other (also without a name)"`
	City    load.City    `cmd:"" aliases:"A,a" help:"${city}"`
	Raids   load.Raids   `cmd:"" aliases:"B,b" help:"${raids}"`
	Siege   load.Siege   `cmd:"" aliases:"C,c" help:"${siege}"`
	Storm   load.Storm   `cmd:"" aliases:"D,d" help:"${storm}"`
	Boss    load.Boss    `cmd:"" aliases:"E,e" help:"${boss}"`
	Cascade load.Cascade `cmd:"" aliases:"F,f" help:"${cascade}"`
	Cancel  load.Cancel  `cmd:"" aliases:"G,g" help:"${cancel}"`
	Stall   load.Stall   `cmd:"" aliases:"H,h" help:"${stall}"`
	Empty   load.Empty   `cmd:"" aliases:"I,i" help:"${empty}"`
	Soak    load.Soak    `cmd:"" aliases:"J,j" help:"${soak}"`
	Slow    load.Slow    `cmd:"" aliases:"K,k" help:"${slow}"`
	Crowd   load.Crowd   `cmd:"" aliases:"L,l" help:"${crowd}"`
}

// game holds the options that all profiles share.
type game struct {
	Seed     uint64 `default:"1" help:"what chance depends on"`
	Workers  int    `help:"how many handlers run at once; 0 is as many as processors"`
	Realtime bool   `help:"a frame of 50 ms takes 50 ms, and not as little as it needs"`
	Quick    bool   `help:"all profiles, much shorter, within a minute"`
}

// newCLI returns the command line. The defaults of the profiles' flags are the parameters of the
// full runs.
func newCLI() *cli {
	c := &cli{}
	runs := reflect.ValueOf(&c.Run).Elem()
	for _, e := range load.Profiles {
		for i := range runs.NumField() {
			if p := reflect.ValueOf(e.New()).Elem(); runs.Field(i).Type() == p.Type() {
				runs.Field(i).Set(p)
			}
		}
	}
	return c
}

// profileHelp returns the help text of each profile, by name.
func profileHelp() kong.Vars {
	vars := kong.Vars{}
	for _, e := range load.Profiles {
		vars[e.Name] = fmt.Sprintf("%s. %s. Proves %s", e.Letter, e.Simulates, e.Proves)
	}
	return vars
}

// play runs the profile that the command names, or all profiles.
func (r *runCmd) play(node *kong.Node, con *console) error {
	chosen, ok := node.Target.Addr().Interface().(load.Profile)
	machine := gauge.ThisMachine()
	var results []*load.Result
	for _, e := range load.Profiles {
		p := e.New()
		if ok && reflect.TypeOf(p) != reflect.TypeOf(chosen) {
			continue
		}
		if ok {
			if r.Quick {
				quick := e.New()
				quick.Quick()
				shorten(chosen, p, quick)
			}
			p = chosen
		} else if r.Quick {
			p.Quick()
		}
		res, err := r.one(e, p, con)
		if err != nil {
			return fmt.Errorf("profile %s: %w", e.Name, err)
		}
		results = append(results, res)
	}
	if r.Out != "" {
		report := &page.Report{Machine: machine, Quick: r.Quick, Seed: r.Seed, Profiles: results}
		if err := report.WriteData(r.Out); err != nil {
			return err
		}
	}
	return verdict(results, con)
}

// shorten replaces values in p with the values in "quick". It replaces only the fields that no flag
// has set, that is, the fields that are equal in p and "full". All three arguments point to
// profiles of the same type.
func shorten(p, full, quick any) {
	shortenFields(reflect.ValueOf(p).Elem(), reflect.ValueOf(full).Elem(), reflect.ValueOf(quick).Elem())
}

func shortenFields(p, full, quick reflect.Value) {
	for i := range p.NumField() {
		if p.Field(i).Kind() == reflect.Struct {
			shortenFields(p.Field(i), full.Field(i), quick.Field(i))
		} else if p.Field(i).Equal(full.Field(i)) {
			p.Field(i).Set(quick.Field(i))
		}
	}
}

// one runs one profile and prints its result.
func (g *game) one(e load.Entry, p load.Profile, con *console) (*load.Result, error) {
	bar := newBar(con.diag, e.Letter+" "+e.Name)
	began := time.Now()
	res, err := p.Run(&load.Env{Seed: g.Seed, Workers: g.Workers, Realtime: g.Realtime, Progress: bar.show})
	bar.clear()
	if err != nil {
		return nil, err
	}
	page.Print(con.out, res, time.Since(began))
	return res, nil
}

// verdict returns an error if a check of any result has failed.
func verdict(results []*load.Result, con *console) error {
	bad := 0
	for _, r := range results {
		if !r.OK() {
			bad++
		}
	}
	if bad > 0 {
		fmt.Fprintf(con.out, "\n%d of %d profiles FAILED\n", bad, len(results))
		return errFailed
	}
	fmt.Fprintf(con.out, "\n%d of %d profiles: nothing lost, early or doubled, and all checks hold\n", len(results), len(results))
	return nil
}

// bar is a progress bar on a terminal.
type bar struct{ *progressbar.ProgressBar }

const barSteps = 1000

func newBar(w io.Writer, what string) bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		w = io.Discard
	}
	return bar{progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true))}
}

// show draws the progress "done", which is from 0 to 1. It ignores errors.
func (b bar) show(done float64) { _ = b.Set(int(done * barSteps)) }

func (b bar) clear() { _ = b.Finish() }
