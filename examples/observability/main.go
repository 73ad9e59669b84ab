// Command observability is the small MMO with all that there is to see of an engine, on one
// address of this machine:
//
//	/debug/buffs       the inspector
//	/debug/statsviz/   the Go runtime live, with plots of the engine
//	/metrics           for Prometheus
//
// It takes the flags of examples/mmo, and -live is on. It is a module of its own, so that a
// game that imports the engine links none of this.
//
//	mount.go   what is mounted beside the inspector, and behind which door
//	plots.go   the engine in statsviz
//	tags.go    what its page needs for that
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/bufftick/bufftick/examples/mmo/game"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], game.Console{Keys: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(status)
}

// run plays the game with everything mounted.
func run(ctx context.Context, args []string, c game.Console) int {
	c.Mount = mount
	return game.Run(ctx, append([]string{"-live"}, args...), c)
}
