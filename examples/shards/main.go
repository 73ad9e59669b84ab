// Command shards runs a world of several zones in one process and on all cores. Each zone has its
// own engine. A plague spreads through all zones: when it ends on an owner, it jumps to an owner in
// the next zone.
//
//	go run ./examples/shards                     8 zones, one goroutine for each processor
//	go run ./examples/shards -goroutines 1       the same world on one core, with the same digest
//
// The last line is a digest of all events, which is the same for any number of goroutines and
// workers.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shards:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	s := setup{}
	f := flag.NewFlagSet("shards", flag.ContinueOnError)
	f.IntVar(&s.zones, "zones", 8, "zones, each an engine")
	f.IntVar(&s.owners, "owners", 500, "owners in each zone")
	f.IntVar(&s.goroutines, "goroutines", runtime.GOMAXPROCS(0), "goroutines that tick zones at once")
	f.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that run handlers, for all zones together")
	frames := f.Int("frames", 600, "frames of 50 ms")
	if err := f.Parse(args); err != nil {
		return err
	}
	w, err := newWorld(s)
	if err != nil {
		return err
	}
	defer func() {
		if closed := w.close(context.Background()); err == nil {
			err = closed
		}
	}()
	for range *frames {
		w.frame(50 * time.Millisecond)
	}
	fmt.Fprintf(out, "%d zones, %d owners, %d frames: %d events, %d jumps between zones\n",
		s.zones, s.zones*s.owners, *frames, w.events(), w.jumps)
	fmt.Fprintf(out, "digest: %016x\n", w.digest())
	return nil
}
