package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/bufftick/bufftick/bench/cuts"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/page"
)

// reportCmd measures everything.
type reportCmd struct {
	game `embed:""`

	From   string   `placeholder:"FILE" help:"do not measure: regenerate the page and the charts from this run.json"`
	To     string   `default:"report" help:"directory of the report"`
	Pages  []string `default:"../README.md,../docs/performance.md" help:"pages whose marked parts are regenerated with it"`
	Parts  []string `placeholder:"PART" help:"measure only these parts, and keep the rest of the existing report: letters of profiles, scale, rivals, wheel, peers, cuts, steps"`
	Probes int      `default:"10" help:"number of processes that measure each step, for compare"`
	Most   int      `default:"1000000" help:"maximum number of players in the scaling"`
}

// Run measures and writes the report. It writes the report even if a profile fails, and then
// returns an error.
func (r *reportCmd) Run(con *console) error {
	if r.From != "" {
		report, err := page.Read(r.From)
		if err != nil {
			return err
		}
		return r.write(report)
	}
	report := page.New(r.Seed, r.Quick)
	if len(r.Parts) > 0 {
		old, err := page.Read(filepath.Join(r.To, "run.json"))
		switch {
		case errors.Is(err, fs.ErrNotExist): // there is no earlier report
			report.InParts = true
		case err != nil:
			return err
		case r.onlyCuts(): // the report names a separate machine for the cuts
			report = old
		case !old.Machine.Same(&report.Machine):
			return fmt.Errorf("the report in %s is from another machine (%s, %d processors): measure only cuts, or everything", r.To, old.Machine.CPU, old.Machine.Processors)
		default:
			old.Measured(report.Machine, r.Seed, r.Quick)
			report = old
		}
	}
	if err := r.measure(report, con); err != nil {
		return err
	}
	if err := report.WriteData(r.To); err != nil {
		return err
	}
	if err := r.write(report); err != nil {
		return err
	}
	return verdict(report.Profiles, con)
}

// write writes the page with its charts, and the generated parts of the README and of
// docs/performance.md.
func (r *reportCmd) write(report *page.Report) error {
	if err := report.WritePage(r.To); err != nil {
		return err
	}
	for _, file := range r.Pages {
		if err := report.WriteReadme(file, r.To); err != nil {
			return err
		}
	}
	return nil
}

func (r *reportCmd) onlyCuts() bool { return len(r.Parts) == 1 && r.Parts[0] == "cuts" }

// wants reports whether to measure a part.
func (r *reportCmd) wants(part string) bool {
	return len(r.Parts) == 0 || slices.Contains(r.Parts, part)
}

func (r *reportCmd) measure(report *page.Report, con *console) (err error) {
	for _, e := range load.Profiles {
		if !r.wants(e.Letter) {
			continue
		}
		p := e.New()
		if r.Quick {
			p.Quick()
		}
		res, err := r.one(e, p, con)
		if err != nil {
			return fmt.Errorf("profile %s: %w", e.Name, err)
		}
		report.Put(res)
	}
	most, turns := r.Most, 10
	if r.Quick {
		most, turns = min(most, workersAt), 4
	}
	if r.wants("scale") {
		if report.Scale, report.Calls, err = (&scaleCmd{Most: most, Rounds: turns}).measure(con); err != nil {
			return err
		}
		page.PrintScale(con.out, report.Scale, report.Calls)
	}
	if r.wants("rivals") {
		rivals := rivalsCmd{Most: min(most, 1_000_000), Rounds: turns + 2, After: 5 * time.Second}
		if report.Duels, report.After, err = rivals.measure(con); err != nil {
			return err
		}
		page.PrintDuels(con.out, report.Duels, report.After)
	}
	if r.wants("wheel") {
		report.Kept = (&wheelCmd{Most: min(most, 1_000_000), Rounds: turns}).measure(con)
		page.PrintKept(con.out, report.Kept)
	}
	if r.wants("peers") {
		if report.Peers, err = measurePeers(min(most, 1_000_000), turns, con); err != nil {
			return err
		}
		page.PrintTurns(con.out, report.Peers)
	}
	if r.wants("cuts") {
		c := cutsCmd{Owners: min(most, 100_000), Frames: 400, Rounds: 3, Worlds: cuts.Worlds}
		if r.Quick {
			c.Frames, c.Rounds = 60, 1
		}
		if err := c.into(report, r.Seed, con); err != nil {
			return err
		}
	}
	if r.wants("steps") {
		report.Probes, err = takeProbes(r.Probes, con)
	}
	return err
}
