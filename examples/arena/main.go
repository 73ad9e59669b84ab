// Command arena is a small game in the browser, in which two hundred heroes fight against one
// another and against the Hollow King. Every poison, shield, stun and cooldown runs on package
// engine. Package replicate sends the active buffs to the page.
//
//	go -C examples/arena run .              print the address of the page
//	go -C examples/arena run . -open        open the page in a browser
//	go -C examples/arena run . -buffs DIR   load definitions from a folder and reload them on changes
//	go -C examples/arena run . -addr :7070 -proxies 10.1.0.0/16
//	                                        serve the page to the internet, behind a proxy
//	go -C examples/arena run . -headless -bots 2000 -seconds 20
//	                                        serve no page; print frame times and bytes sent
//
// Each browser tab plays a different hero. Package game contains the game, package serve the
// server, and package page the web page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog/watch"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/examples/arena/game"
	"github.com/bufftick/bufftick/examples/arena/serve"
	"github.com/bufftick/bufftick/inspect"
)

type settings struct {
	bots, viewers int
	seconds       int
	seed          uint64
	addr, buffs   string
	proxies       []netip.Prefix
	headless      bool
	open          bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "arena:", err)
		os.Exit(1)
	}
}

// run runs the game until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	f := flag.NewFlagSet("arena", flag.ContinueOnError)
	f.IntVar(&s.bots, "bots", game.ArenaHeroes, "`number` of heroes, 200 per arena; the page shows the first arena")
	f.IntVar(&s.viewers, "viewers", 0, "`number` of viewers with -headless; 0: one per hero")
	f.IntVar(&s.seconds, "seconds", 20, "`number` of seconds to run with -headless")
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of all random choices")
	f.StringVar(&s.addr, "addr", "127.0.0.1:7070", "`address` of the page")
	f.StringVar(&s.buffs, "buffs", "", "`folder` of definitions, reloaded when they change (default: the embedded ones)")
	f.BoolVar(&s.headless, "headless", false, "no page: print bytes sent and frame times")
	f.Func("proxies", "`networks` of trusted proxies, in addition to this machine, separated by commas: 10.1.0.0/16,fd00::/8", s.parseProxies)
	f.BoolVar(&s.open, "open", false, "open the page in the browser")
	if err := f.Parse(args); err != nil {
		return err
	}
	w, err := game.New(game.Options{Heroes: s.bots, Seed: s.seed, Buffs: s.buffs})
	if err != nil {
		return err
	}
	play := s.serve
	if s.headless {
		play = s.load
	}
	return errors.Join(play(ctx, w, out), w.Close(context.WithoutCancel(ctx)))
}

// parseProxies parses -proxies.
func (s *settings) parseProxies(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		s.proxies = append(s.proxies, p)
	}
	return nil
}

// load runs the game with -headless.
func (s *settings) load(ctx context.Context, w *game.World, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.seconds)*time.Second)
	defer cancel()
	if s.viewers == 0 {
		s.viewers = s.bots
	}
	return serve.Load(ctx, w, s.viewers, out)
}

// serve runs the game with its page and the page of package inspect.
func (s *settings) serve(ctx context.Context, w *game.World, out io.Writer) error {
	at, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	look, err := inspect.New(w.Engine(), inspect.Options{Title: "arena", Budget: game.Frame, Name: func(id buff.OwnerID) string {
		if u := w.Unit(id); u != nil {
			return u.Name
		}
		return ""
	}})
	if err != nil {
		return errors.Join(err, at.Close())
	}
	sv := serve.New(w)
	sv.OnFrame(look.Frame)
	sv.Trust(s.proxies...)
	mux := sv.Handler()
	mux.Handle("/debug/buffs", look)
	srv := serve.NewServer(mux)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.follow(ctx, sv, w, look, out); err != nil {
		return errors.Join(err, at.Close())
	}
	go func() { _ = srv.Serve(at) }() // serves until Close
	defer srv.Close()
	url := "http://" + at.Addr().String() + "/"
	fmt.Fprintf(out, "arena: %s\ninspector: %sdebug/buffs\nCtrl-C ends the game\n", url, url)
	if s.open {
		open(url)
	}
	return sv.Run(ctx)
}

// follow watches the folder given by -buffs, if any, and reloads the definitions when files change.
func (s *settings) follow(ctx context.Context, sv *serve.Server, w *game.World, look *inspect.Inspector, out io.Writer) error {
	if s.buffs == "" {
		return nil
	}
	f, err := watch.Folder(s.buffs, w.Engine().Catalog())
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = f.Close() })
	go func() {
		for c := range f.Changes() {
			_ = sv.Ask(ctx, func(w *game.World) { // Ask fails only when the game is over
				var report view.ReloadReport
				if c.Err == nil {
					report, c.Err = w.Reload(c.Catalog)
				}
				look.Reloaded(report, c.Err)
				if c.Err != nil {
					fmt.Fprintln(out, "reload failed, the definitions are unchanged:", c.Err)
				} else {
					fmt.Fprintln(out, "definitions reloaded:", report)
				}
			})
		}
	}()
	return nil
}

// open tries to open a page in the browser.
func open(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	_ = exec.Command(name, args...).Start() // if this fails, the address is in the terminal
}
