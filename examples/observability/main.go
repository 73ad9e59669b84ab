// Command observability is the small MMO with all ways to observe an engine, on one address of
// this machine:
//
//	/debug/buffs       the inspector
//	/debug/statsviz/   the Go runtime live, with plots of the engine
//	/metrics           for Prometheus
//
// It takes the flags of examples/mmo, with -live set. It is a separate module, so that a game
// that imports the engine does not depend on the packages used here.
//
//	mount.go   the handlers of /debug/statsviz/ and /metrics, and their access check
//	plots.go   plots of the engine in statsviz
//	tags.go    a fix for the page of statsviz
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

// run runs the game with all handlers mounted.
func run(ctx context.Context, args []string, c game.Console) int {
	c.Mount = mount
	return game.Run(ctx, append([]string{"-live"}, args...), c)
}
