package game

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// Console is the environment of a game.
type Console struct {
	// Keys is the input for -live; each key is a letter followed by Enter. It may be nil.
	Keys io.Reader

	// Out receives the summary, and Err all other output.
	Out, Err io.Writer

	// Mount, if not nil, adds handlers to the server of -live before the first request is served.
	// The returned function is called when the game is over, while the engine still exists.
	Mount func(*Site) (stop func(), err error)
}

// Run plays one game until the game ends or ctx is done. It returns the exit status, which is 0, or
// 1 after an error. It prints the error to Err. The parameter "args" has the arguments of the
// command mmo.
func Run(ctx context.Context, args []string, c Console) int {
	s, err := parseFlags(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = fmt.Fprint(c.Out, usage())
	case err == nil:
		err = run(ctx, s, c)
	}
	if err != nil {
		fmt.Fprintln(c.Err, "mmo:", err)
		return 1
	}
	return 0
}

// run builds a world, plays it and prints the summary.
func run(ctx context.Context, s settings, c Console) (err error) {
	profiled, err := startProfile(s.profile)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, profiled()) }()
	w, err := newWorld(s)
	if err != nil {
		return err
	}
	l := newLoop(w, newStatus(c.Err), c.Out)
	stop, err := l.follow()
	if err != nil {
		return cmp.Or(err, w.abandon(ctx))
	}
	if s.live {
		return cmp.Or(l.playLive(ctx, c), stop())
	}
	return cmp.Or(l.game(ctx, c.Out), stop())
}

// game plays the world of the loop, prints the summary and closes the engine. It prints the
// summary even after an error, and returns the first error.
func (l *loop) game(ctx context.Context, stdout io.Writer) error {
	l.play(ctx)
	lines, digest := l.summary()
	if l.story.told {
		lines = "\n" + lines
	}
	l.watch.unmount()
	// Wait for running handlers even after Ctrl-C, because that takes only a moment.
	closed := l.end(context.WithoutCancel(ctx))
	_, printed := fmt.Fprint(stdout, lines, l.savedLine(), digest)
	if l.watch != nil && l.totals.stuck > 0 || l.old() {
		// Do not check the pulses here, because some due pulses may not have run: pulses of players
		// whose handlers exceeded the budget, and of players that were logged out when the world
		// was saved.
		return cmp.Or(l.err, closed, printed)
	}
	return cmp.Or(l.err, closed, printed, l.pulses.check())
}
