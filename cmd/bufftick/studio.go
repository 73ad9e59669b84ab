package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/bufftick/bufftick/cmd/bufftick/studio/web"
	"github.com/bufftick/bufftick/inspect"
)

// studioCmd is "bufftick studio".
type studioCmd struct {
	Addr, Attach string
}

func (c *studioCmd) flags(f *flags) {
	f.StringVar(&c.Addr, "addr", "127.0.0.1:0", "`HOST:PORT` to listen on. The host must be this machine. Port 0 is any free port.")
	f.StringVar(&c.Attach, "attach", "", "`URL` of the live page of a running game, to reload its definitions and watch players. Its token is read from BUFFTICK_TOKEN.")
}

func (*studioCmd) help() string {
	return `The page edits the definitions of a folder: errors and completion while you type, the
timeline of the buff at the cursor, its numbers, and the scenarios of the folder as tests. Open
the printed link in a browser. It contains a token, without which no other page or user can
write files.

Examples:

    bufftick studio buffs/
    bufftick studio . -addr 127.0.0.1:7070
    bufftick studio buffs/ -attach http://127.0.0.1:8080/debug/buffs

The program runs until it is interrupted. The exit code is 1 if the folder or the address
cannot be used.`
}

// gcPercent is the value of GOGC for the studio. A check allocates about as much as the program
// holds: with the default of 100, the collector uses a third of the time of a check.
const gcPercent = 400

// run serves the page until an interrupt.
func (c *studioCmd) run(args []string, stdout, _ io.Writer) error {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	s, err := web.NewServer(args[0])
	if err != nil {
		return fmt.Errorf("bufftick: %w", err)
	}
	if c.Attach != "" {
		if err := s.Attach(c.Attach, os.Getenv("BUFFTICK_TOKEN")); err != nil {
			return fmt.Errorf("bufftick: -attach: %w", err)
		}
	}
	listener, err := listenLocal(c.Addr)
	if err != nil {
		return fmt.Errorf("bufftick: -addr: %w", err)
	}
	defer listener.Close()
	if _, err := fmt.Fprintf(stdout, "http://%s/#token=%s\n", listener.Addr(), s.Token); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	server := inspect.NewServer(s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err = server.Shutdown(ctx); err != nil {
			err = server.Close()
		}
		<-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// listenLocal listens on an address of this machine that other machines cannot reach.
func listenLocal(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%q is not an address of this machine alone, such as 127.0.0.1", host)
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}
