// Command tavern is a complete small game server. Players connect over TCP, use abilities on other
// players, see the active buffs on their screens, and find the world unchanged after a restart.
//
//	go run ./examples/tavern                 # serves, and keeps the world in world.db
//	go run ./examples/tavern -join anna      # plays: "use poison 1", "look"
//
// The loop is in main.go, the game in world.go, the network in conn.go, the client in client.go,
// and the rules in buffs.yaml. Chapters 8 to 10 of the guide explain world.go, conn.go and
// client.go.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/bufftick/bufftick/store/bolt"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:7777", "where players connect")
	file := flag.String("world", "world.db", "the file that the world is kept in")
	name := flag.String("join", "", "play under this name, instead of serving")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, *file, *name); err != nil {
		log.Fatal("tavern: ", err)
	}
}

func run(ctx context.Context, addr, file, name string) error {
	if name != "" {
		return play(addr, name, os.Stdin)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return serve(ctx, l, file)
}

// serve runs the game until ctx ends, and then saves the world.
func serve(ctx context.Context, l net.Listener, file string) error {
	defer l.Close()
	disk, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		return err
	}
	w, err := open(ctx, disk)
	if err != nil {
		return errors.Join(err, disk.Close())
	}
	log.Printf("%d known players, listening on %v", len(w.ids), l.Addr())
	go w.accept(ctx, l)
	ticker := time.NewTicker(frame)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case now := <-ticker.C:
			w.frame(now.Sub(last))
			last = now
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			return errors.Join(w.zone.Drain(end), disk.Close())
		}
	}
}
