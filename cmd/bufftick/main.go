package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/scenario"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// cli is the command line.
type cli struct {
	Run     runCmd     `cmd:"" help:"Run scenario files and print their logs, or compare them with what they want."`
	Preview previewCmd `cmd:"" help:"Show the timeline of a buff: what it does when, as text or as a picture."`
	Replay  replayCmd  `cmd:"" help:"Replay a recorded trace of buffs and compare when the engine ends them."`

	Validate validateCmd `cmd:"" help:"Check files of definitions: all errors at once, and warnings."`
	Schema   schemaCmd   `cmd:"" help:"Print the JSON Schema of files of definitions, for editors."`
	Doc      docCmd      `cmd:"" help:"Print a page about the definitions, in Markdown."`
	New      newCmd      `cmd:"" help:"Copy a recipe: what a real game does with a buff, with its scenario."`
	Convert  convertCmd  `cmd:"" help:"Turn files of definitions into tables, YAML or JSON, and back."`

	Cut cutCmd `cmd:"" help:"Print what a store has of the zones of a game: owners, buffs, clocks, damage."`

	Completion completionCmd `cmd:"" help:"Print a script that makes a shell complete command lines."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Print what may stand at the end of a command line."`
}

// errFailed ends the program with 1 when all that is to be said has been said.
var errFailed = errors.New("failed")

// usageError is a mistake in the command line.
type usageError struct{ error }

// run is the program: it returns its exit code, 0, 1, or 2 for a command line that is
// wrong.
func run(args []string, stdout, stderr io.Writer) int {
	out := &sink{to: stdout}
	err := command(args, out, stderr)
	switch {
	case out.err != nil:
		fmt.Fprintln(stderr, "bufftick:", out.err)
	case err == nil:
		return 0
	case !errors.Is(err, errFailed):
		fmt.Fprintln(stderr, err)
	}
	if errors.As(err, new(usageError)) && out.err == nil {
		return 2
	}
	return 1
}

// sink is the standard output. It keeps its first error, which ends the program with
// 1 whatever the command makes of it.
type sink struct {
	to  io.Writer
	err error
}

func (s *sink) Write(b []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.to.Write(b)
	}
	return n, s.err
}

func command(args []string, stdout, stderr io.Writer) error {
	var c cli
	helped := false
	parser, err := kong.New(&c,
		kong.Name("bufftick"),
		kong.Description("Runs buffs on the tick engine, from files.\n\nLong flags may be written with one dash or two."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.Vars{
			"defaultFrame": defaultFrame.String(), "longestFrame": scenario.LongestFrame.String(),
			"checkFrame": definition.DefaultFrame.String(), "rules": strings.Join(definition.Rules(), ", "),
		},
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 80, NoExpandSubcommands: true}),
	)
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(args[1:len(args):len(args)], "--help")
	}
	ctx, err := parser.Parse(doubleDashes(args))
	switch {
	case helped: // it has been printed, and what else was on the line does not matter
		return nil
	case err != nil:
		return usage(err)
	}
	ctx.BindTo(stdout, (*output)(nil))
	ctx.BindTo(stderr, (*messages)(nil))
	return ctx.Run()
}

// usage says what is wrong with the command line, and where to read about it.
func usage(err error) error {
	command := "bufftick"
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		command += " " + wrong.Context.Selected().Name
	}
	return usageError{fmt.Errorf("bufftick: %w; see %s --help", err, command)}
}

// output and messages are where a command writes its result and what went wrong.
type (
	output   interface{ io.Writer }
	messages interface{ io.Writer }
)

// doubleDashes returns the arguments with "--" before each flag that has one dash. A
// number below 0 it joins to its flag: on its own it would be taken for a flag.
func doubleDashes(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		switch {
		case a == "--":
			return append(out, args[i:]...)
		case a == "-h":
			a = "--help"
		case len(a) < 2 || a[0] != '-' || a[1] == '-':
		case !strings.ContainsRune(".0123456789", rune(a[1])):
			a = "-" + a
		case i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "="):
			out[len(out)-1] += "=" + a
			continue
		}
		out = append(out, a)
	}
	return out
}

// poolFlags are the flags about workers; no output depends on them.
type poolFlags struct {
	Workers int  `placeholder:"N" help:"Workers for Go handlers. If not given, as many as the machine has processors."`
	Sync    bool `help:"Run everything on one goroutine, without workers."`
}

// options returns engine options in which a Tick waits for every handler: nothing
// then depends on how fast the machine is.
func (f poolFlags) options() engine.Options {
	// A scenario says how long its frames are, and none of them stops halfway.
	return engine.Options{Workers: f.Workers, Synchronous: f.Sync, Budget: -1, TickLimit: 1 << 30}
}

// mostWorkers is more than is of use on any machine.
const mostWorkers = 4096

func (f poolFlags) check() error {
	if f.Workers < 0 || f.Workers > mostWorkers {
		return fmt.Errorf("bufftick: -workers must be from 0 to %d, and is %d", mostWorkers, f.Workers)
	}
	return nil
}

func checkFrame(d time.Duration) error {
	if d < scenario.MinFrame {
		return fmt.Errorf("bufftick: -frame must be at least %v, and is %v", scenario.MinFrame, d)
	}
	return nil
}
