package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/scenario"
)

// runCmd is "bufftick run".
type runCmd struct {
	Files []string
	Frame time.Duration
	Check bool
	poolFlags
}

func (c *runCmd) flags(f *flags) {
	f.spanVar(&c.Frame, "frame", scenario.LongestFrame, "`SPAN` of a frame, such as 50ms. Scenarios with \"frame\" or \"seen: true\" ignore it.")
	f.BoolVar(&c.Check, "check", false, "Compare each log with \"want\" of the scenario and print the difference.")
	c.poolFlags.flags(f)
}

func (*runCmd) help() string {
	return `A scenario contains definitions of buffs, a script of steps, and the expected log, "want".
Neither -frame nor -workers changes the log. A file has at most 1 MiB, also if it is a pipe
or /dev/stdin, and a log at most 1000000 events.

A step has "at" (whole ms, or a span such as 5s), "owner" (default p1), and one of these verbs
with its options. "show" prints attributes and tags, one or a list:
5000 value speed=210 state.stunned=false

` + scenario.StepHelp() + `

Examples:

    bufftick run fight.yaml
    bufftick run -frame 50ms -workers 8 fight.yaml duel.json
    bufftick run -check scenarios.json

The exit code is 1 if a scenario cannot be run or, with -check, has another log.`
}

// run reads all files, then runs their scenarios in order. If a file cannot be parsed, no scenario
// is run. A scenario with errors does not stop the other scenarios.
func (c *runCmd) run(args []string, stdout, stderr io.Writer) error {
	c.Files = args
	if err := c.check(); err != nil {
		return err
	}
	var list []*scenario.Scenario
	bad := false
	for _, name := range c.Files {
		more, err := readScenarios(name)
		if err != nil {
			fmt.Fprintln(stderr, err)
			bad = true
		}
		list = append(list, more...)
	}
	if bad {
		for _, s := range list { // print the errors of all scenarios at once
			if len(s.Faults) > 0 {
				fmt.Fprintln(stderr, s.Faults)
			}
		}
		return errFailed
	}
	if c.Check {
		return c.compare(list, stdout)
	}
	return c.print(list, stdout, stderr)
}

func (c *runCmd) check() error {
	if err := checkFrame(c.Frame); err != nil {
		return err
	}
	return c.poolFlags.check()
}

// readScenarios reads one file. It returns an error only if the file as a whole cannot be read or
// parsed. The field Faults of a scenario has the errors in this scenario.
func readScenarios(name string) ([]*scenario.Scenario, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, unread(name, err)
	}
	defer f.Close()
	// Read one byte more than is allowed, so that the parser reports that the file is too large.
	src, err := io.ReadAll(io.LimitReader(f, definition.MaxFileSize+1))
	if err != nil {
		return nil, unread(name, err)
	}
	return scenario.Parse(name, src)
}

// log runs one scenario and returns its log.
func (c *runCmd) log(s *scenario.Scenario) ([]string, error) {
	if len(s.Faults) > 0 {
		return nil, s.Faults
	}
	return s.Play(c.options(), c.Frame)
}

// mostOfFailed is the maximum number of log lines that are printed for a failed scenario. The last
// lines of the log are printed.
const mostOfFailed = 100

// print prints the logs.
func (c *runCmd) print(list []*scenario.Scenario, stdout, stderr io.Writer) error {
	var failed error
	for _, s := range list {
		if s.Listed || len(c.Files) > 1 {
			fmt.Fprintf(stdout, "== %s\n", s.Title())
		}
		lines, err := c.log(s)
		var text bytes.Buffer
		if left := len(lines) - mostOfFailed; err != nil && left > 0 {
			fmt.Fprintf(&text, "… %d lines before these\n", left)
			lines = lines[left:]
		}
		for _, l := range lines {
			text.WriteString(l)
			text.WriteByte('\n')
		}
		if _, err := stdout.Write(text.Bytes()); err != nil {
			return err
		}
		if err != nil {
			fmt.Fprintln(stderr, err)
			failed = errFailed
		}
	}
	return failed
}

// compare prints for each scenario whether its log equals the expected log.
func (c *runCmd) compare(list []*scenario.Scenario, stdout io.Writer) error {
	agree := 0
	for _, s := range list {
		lines, err := c.log(s)
		if err == nil && s.Want == nil {
			err = s.Errorf(`no "want" to compare with`)
		}
		switch {
		case err != nil:
			fmt.Fprintf(stdout, "FAIL %s\n%s", s.Title(), indented(strings.Split(err.Error(), "\n")))
		case !slices.Equal(lines, s.Want):
			fmt.Fprintf(stdout, "FAIL %s\n%s", s.Title(), indented(scenario.Diff(s.Want, lines)))
		default:
			agree++
			if _, err := fmt.Fprintf(stdout, "ok   %s\n", s.Title()); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(stdout, "%d of %d agree\n", agree, len(list))
	if agree < len(list) {
		return errFailed
	}
	return nil
}

// indented returns the lines as a block to be printed below a line with FAIL.
func indented(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "     %s\n", l)
	}
	return b.String()
}
