// Command mmo is a small online game that plays itself: bots in raids fight bosses with
// poisons, curses, shields and food, and every effect runs on package engine.
//
//	go run ./examples/mmo                        1,000 players, a minute of real time
//	go run ./examples/mmo -speed max -seed 7     as fast as the machine can
//	go run ./examples/mmo -live                  until Ctrl-C, with a page to watch it
//
// While the game runs, it prints a story: bosses appear, rage and die, and players die. The last
// line is a digest of all events. The same seed gives the same digest, with any number of workers
// and at any speed. If the game is stopped early, the last line says so. After an error the game
// prints no digest, and the exit code is 1.
//
// Package game contains the game, and package buffs the definitions of its buffs.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/bufftick/bufftick/examples/mmo/game"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := game.Run(ctx, os.Args[1:], game.Console{Keys: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(status)
}
