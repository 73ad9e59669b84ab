// Command observability runs the game of examples/mmo. At one address on this machine, it serves
// everything that shows the state of the game's engine:
//
//	/debug/buffs       the inspector
//	/debug/statsviz/   live plots of the Go runtime and of the engine
//	/metrics           metrics for Prometheus
//
// The command accepts the flags of examples/mmo and sets -live. It is a separate module, so that a
// game that imports the engine does not depend on the packages used here.
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
