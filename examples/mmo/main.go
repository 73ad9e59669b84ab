// Command mmo is a small online game that plays itself: bots in raids fight bosses
// with poisons, curses, shields and food, and every effect runs on package engine.
//
//	go run ./examples/mmo                        1,000 players, 30 s of real time
//	go run ./examples/mmo -speed max -seed 7     as fast as the machine can
//	go run ./examples/mmo -live                  until Ctrl-C, with a page to look at it
//
// The last line is a digest of everything that happened. The same seed gives the
// same digest, with any number of workers and at any speed. A game that ends early
// says so in that line; where something went wrong there is none, and the exit code
// is 1.
//
//	flags.go     what can be set
//	loop.go      the game loop: frames, real time, status
//	world.go     who is there, and what the loop learns from a frame
//	raids.go     bosses, and what they do to their raids
//	bots.go      what players decide to do
//	spells.go    what there is to cast
//	handlers.go  what the buffs do: the code that the definitions call by name
//	book.go      the definitions, read from buffs/*.yaml
//	reload.go    and read anew while the game runs
//	live.go      with -live: a page in the browser, and keys
//	summary.go   what is told at the end; tally.go, pulses.go, digest.go count it
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run plays one game, until its end or that of ctx, and returns the exit status.
// The summary goes to stdout, everything else to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parseFlags(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = fmt.Fprint(stdout, usage())
	case err == nil:
		err = game(ctx, s, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "mmo:", err)
		return 1
	}
	return 0
}

// game builds a world, plays it and tells what came of it.
func game(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	defer startProfile(s.profile)()
	w, err := newWorld(s)
	if err != nil {
		return err
	}
	l := newLoop(w, newStatus(stderr))
	stop, err := l.follow()
	if err != nil {
		return cmp.Or(err, w.eng.Close(ctx))
	}
	if s.live {
		return cmp.Or(l.playLive(ctx, os.Stdin, stdout, stderr), stop())
	}
	return cmp.Or(l.game(ctx, stdout), stop())
}

// game plays the world of the loop, tells what came of it and closes the engine. The
// summary comes also when something is wrong; the error is the first such thing.
func (l *loop) game(ctx context.Context, stdout io.Writer) error {
	l.play(ctx)
	summary := l.summary()
	// What is still under way is waited for, Ctrl-C or not: it takes a moment.
	closed := l.eng.Close(context.WithoutCancel(ctx))
	_, printed := fmt.Fprint(stdout, summary)
	if l.watch != nil && l.tally.stuck > 0 {
		return cmp.Or(l.err, closed, printed) // who was not waited for has pulses to come
	}
	return cmp.Or(l.err, closed, printed, l.pulses.check())
}
