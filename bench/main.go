package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/pkg/profile"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// cli is the command line.
type cli struct {
	Profile string `enum:",cpu,mem,mutex,trace" default:"" help:"write a profile of this command to the current folder: cpu, mem, mutex or trace"`

	Run     runCmd     `cmd:"" help:"Play simulated games, and check that nothing is lost, early or doubled"`
	Scale   scaleCmd   `cmd:"" help:"Cost of an event against the number of players, and of workers"`
	Rivals  rivalsCmd  `cmd:"" help:"The engine against what one would write without it, in turn"`
	Wheel   wheelCmd   `cmd:"" help:"The timing wheel alone against a heap, a flat wheel and AfterFunc, in turn"`
	Cuts    cutsCmd    `cmd:"" help:"What frames pay for being saved, and how long a zone takes to come back"`
	Viewers viewersCmd `cmd:"" help:"What it costs to show buffs to 4,000 players, in turn with other ways"`
	Flood   floodCmd   `cmd:"" help:"Frames beside goroutines that flood the Inbox, and what one full inbox costs"`
	Report  reportCmd  `cmd:"" help:"Do all of it, and write a report with tables and charts"`
	Compare compareCmd `cmd:"" help:"Say what differs between two reports, by benchstat"`
	Gate    gateCmd    `cmd:"" help:"Fail if something allocates or has become dearer against its yardstick"`
	Probe   probeCmd   `cmd:"" hidden:"" help:"One sample for the gate, as JSON"`
}

// errFailed is returned if a check has failed. The command has already printed the failure.
var errFailed = errors.New("a check did not hold")

// run runs the command and returns the exit code: 0 if all checks pass, 1 if a check fails, and 2
// if the command line is wrong or the command cannot run.
func run(args []string, out, diag io.Writer) int {
	c := newCLI()
	code := -1
	parser, err := kong.New(c,
		kong.Name("bench"), kong.Description(description), kong.UsageOnError(),
		profileHelp(), kong.Writers(out, diag), kong.Exit(func(n int) { code = n }),
		kong.PostBuild(takeDefaults), kong.Bind(&console{out, diag}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(diag, "bench:", err)
		return 2
	}
	if len(args) == 0 {
		args = []string{"-help"}
	}
	ctx, err := parser.Parse(twoDashes(args))
	if code >= 0 { // -help has been handled
		return code
	}
	if err != nil {
		fmt.Fprintln(diag, "bench:", err)
		return 2
	}
	defer profiled(c.Profile)()
	if strings.HasPrefix(ctx.Command(), "run ") {
		err = c.Run.play(ctx.Selected(), &console{out, diag})
	} else {
		err = ctx.Run()
	}
	switch {
	case errors.Is(err, errFailed):
		return 1
	case err != nil:
		fmt.Fprintln(diag, "bench:", err)
		return 2
	}
	return 0
}

// twoDashes changes flags such as -quick to --quick. The parser of this command requires two
// dashes, but all other commands of this module accept one.
func twoDashes(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 2 && a[0] == '-' && a[1] != '-' && (a[1] < '0' || a[1] > '9') {
			a = "-" + a
		}
		out = append(out, a)
	}
	return out
}

// takeDefaults uses the initial values of the structs as the defaults of the flags.
func takeDefaults(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok && f.Target.CanInterface() && !f.HasDefault && !f.Target.IsZero() {
			f.Default, f.HasDefault = fmt.Sprint(f.Target.Interface()), true
		}
		return next(nil)
	})
}

// profiled starts a profile and returns a function that ends it.
func profiled(kind string) func() {
	kinds := map[string]func(*profile.Profile){
		"cpu": profile.CPUProfile, "mem": profile.MemProfile, "mutex": profile.MutexProfile, "trace": profile.TraceProfile,
	}
	mode, ok := kinds[kind]
	if !ok {
		return func() {}
	}
	return profile.Start(mode, profile.ProfilePath("."), profile.NoShutdownHook).Stop
}

var description = strings.TrimSpace(`
Measures the engine, and proves while it does that nothing is lost, early or doubled.

Flags may have one dash or two. Everything is on virtual time, as fast as it goes, unless
-realtime is given. The documentation of the command says what each profile simulates.`)
