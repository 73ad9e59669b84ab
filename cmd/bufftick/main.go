package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/scenario"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// errFailed makes the program exit with code 1. The command has already printed the errors.
var errFailed = errors.New("failed")

// usageError is a mistake in the command line.
type usageError struct{ error }

// run is the program. It returns the exit code: 0 for success, 1 for an error or a difference, or 2
// for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	out := &sink{to: stdout}
	err := execute(args, out, stderr)
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

// sink is the standard output. It keeps the first write error, so that in every command a failed
// write ends the program with exit code 1.
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

// poolFlags are the flags that configure the workers of the engine. They do not change any output.
type poolFlags struct {
	Workers int
	Sync    bool
}

func (p *poolFlags) flags(f *flags) {
	f.IntVar(&p.Workers, "workers", 0, "`N` workers for Go handlers. Default: the number of processors.")
	f.BoolVar(&p.Sync, "sync", false, "Run everything on one goroutine, without workers.")
}

// options returns engine options with which a Tick waits for every handler and runs all due
// events, so that the result does not depend on the speed of the machine.
func (p poolFlags) options() engine.Options {
	return engine.Options{Workers: p.Workers, Synchronous: p.Sync, Budget: -1, Limits: engine.Limits{Tick: 1 << 30}}
}

// mostWorkers is the maximum value of -workers.
const mostWorkers = 4096

func (p poolFlags) check() error {
	if p.Workers < 0 || p.Workers > mostWorkers {
		return fmt.Errorf("bufftick: -workers must be from 0 to %d, and is %d", mostWorkers, p.Workers)
	}
	return nil
}

// checkFrame rejects frames that are shorter than scenario.MinFrame. With such a frame, which is
// probably a typing error such as "5us", the program would run for hours.
func checkFrame(d time.Duration) error {
	if d < scenario.MinFrame {
		return fmt.Errorf("bufftick: -frame must be at least %v, and is %v", scenario.MinFrame, d)
	}
	return nil
}
