package game

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/inspect"
)

// live is the state of -live: the page, and the keys that cause incidents.
type live struct {
	page    *inspect.Inspector
	keys    chan byte
	srv     *http.Server
	mounted func()          // ends what Console.Mount has started
	rest    func()          // ends the call of page.Attend
	ended   <-chan struct{} // closed by Ctrl-C
}

// Site is the argument of Console.Mount. It gives access to the server of -live.
type Site struct {
	Engine *engine.Engine     // only its Watch may be used; the rest belongs to the loop
	Page   *inspect.Inspector // page at /debug/buffs; its Guard can also protect other handlers
	Mux    *http.ServeMux
	Notes  io.Writer // receives a line about the mounted pages
}

// goLive starts the page, prints its address and listens to the keys. It returns an error if other
// machines could reach the address.
func (l *loop) goLive(c Console) error {
	if err := local(l.addr); err != nil {
		return err
	}
	token := rand.Text()
	page, err := inspect.New(l.eng, inspect.Options{
		Title: fmt.Sprintf("A small MMO: %d raids, %d players", len(l.raids), len(l.players)),
		Token: token, Budget: l.at(1), Speed: cmp.Or(l.speed, -1),
		Name: newNames(l.players, l.raids).name, Attributes: l.sheet, Reload: l.reloader(), Alarm: l.problem, Do: l.execute,
	})
	if err != nil {
		return err
	}
	at, err := net.Listen("tcp", l.addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/buffs", page)
	mux.Handle("/{$}", page.Guard(http.RedirectHandler("/debug/buffs", http.StatusFound)))
	v := &live{page: page, keys: make(chan byte, 8), srv: inspect.NewServer(mux), mounted: func() {}}
	fmt.Fprintf(c.Err, "page: http://%s/debug/buffs, token for actions: %s\n", at.Addr(), token)
	if c.Mount != nil {
		stop, err := c.Mount(&Site{Engine: l.eng, Page: page, Mux: mux, Notes: c.Err})
		if err != nil {
			return errors.Join(err, at.Close())
		}
		v.mounted = stop
	} else {
		fmt.Fprintln(c.Err, "for metrics and the Go runtime too: cd examples/observability && go run .")
	}
	fmt.Fprintln(c.Err, "keys, each with Enter: s login storm, w raid wipe, h hanging handler; Ctrl-C ends the game")
	go func() { _ = v.srv.Serve(at) }() // until close
	ctx, cancel := context.WithCancel(context.Background())
	var attending sync.WaitGroup
	attending.Go(func() { page.Attend(ctx) }) // records incidents even without a viewer
	v.rest = func() {
		cancel()
		attending.Wait()
	}
	if c.Keys != nil {
		go v.listen(c.Keys)
	}
	l.watch = v
	return nil
}

// local returns an error if other machines could reach the given address. The page must be
// reachable only from this machine.
func local(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("-addr must be a loopback address, such as 127.0.0.1:6060, not %s", addr)
}

// listen sends the first letter of each line to the loop. It returns when the input ends.
func (v *live) listen(keys io.Reader) {
	for lines := bufio.NewScanner(keys); lines.Scan(); {
		if text := lines.Text(); text != "" {
			select {
			case v.keys <- text[0]:
			default: // drop the letter, because the loop has not read the previous letters yet
			}
		}
	}
}

// framed reports the duration of a frame to the page.
func (v *live) framed(took time.Duration) {
	if v != nil {
		v.page.Frame(took)
	}
}

// reloaded reports a reload of the definitions to the page.
func (v *live) reloaded(report view.ReloadReport, err error) {
	if v != nil {
		v.page.Reloaded(report, err)
	}
}

// unmount ends the handlers that Console.Mount has added. Only the first call has an effect.
func (v *live) unmount() {
	if v != nil {
		v.mounted()
	}
}

func (v *live) close() {
	if v != nil {
		v.rest()
		_ = v.srv.Close() // close at once, without waiting for viewers
	}
}

// obey executes the command of a key that was typed, if any.
func (l *loop) obey() {
	if l.watch == nil {
		return
	}
	select {
	case key := <-l.watch.keys:
		switch key {
		case 's':
			l.storm()
		case 'w':
			l.wipe()
		case 'h':
			l.hang()
		}
	default:
	}
}

// storm logs out all players. They log in again within two seconds.
func (w *world) storm() {
	for i := range w.players {
		if p := &w.players[i]; !p.away {
			w.logOut(p)
			p.returns = w.in(time.Second, time.Second)
		}
	}
}

// wipe makes every boss kill its whole raid in one frame. Each player gets two hits, because a
// death ward may save the player from the first hit.
func (w *world) wipe() {
	for i := range w.raids {
		r := &w.raids[i]
		for _, p := range r.members {
			for range 2 {
				if r.fights {
					w.hit(r, p, w.explosion, 2000)
				}
			}
		}
	}
}

// hang makes a handler of a random player block for eight seconds or until Ctrl-C, as if it
// waited for a database.
func (l *loop) hang() {
	p := &l.players[l.dice.IntN(len(l.players))]
	if p.away {
		return
	}
	ended := l.watch.ended
	_, err := l.eng.AddTimeout(p.id, 0, func(*engine.Context) {
		select {
		case <-time.After(8 * time.Second):
		case <-ended:
		}
	})
	l.expect(err)
}

// patient reports whether the error of a login can be ignored. In a live game, a player may log in
// again before a handler of the player's previous session has returned. In this case, "patient"
// makes the player try again after a second.
func (w *world) patient(p *player, err error) bool {
	if !w.live || !errors.Is(err, engine.ErrOwnerExists) {
		return false
	}
	p.away, p.returns = true, w.in(time.Second, 0)
	return true
}

// playLive plays the game and serves its page until ctx ends.
func (l *loop) playLive(ctx context.Context, c Console) error {
	if err := l.goLive(c); err != nil {
		return errors.Join(err, l.end(context.WithoutCancel(ctx)))
	}
	defer l.watch.close()
	l.watch.ended = ctx.Done()
	return l.game(ctx, c.Out)
}
