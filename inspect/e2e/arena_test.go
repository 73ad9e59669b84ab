package e2e

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/examples/arena/buffs"
	"github.com/bufftick/bufftick/examples/arena/game"
	"github.com/bufftick/bufftick/examples/arena/serve"
)

// arena is the game of examples/arena in real time.
type arena struct {
	*serve.Server
	t      *testing.T
	url    string
	frames chan int // numbers of frames to be played; used by drive
}

func newArena(t *testing.T) *arena {
	t.Helper()
	return newArenaOf(t, func(a *arena, ctx context.Context) error { return a.Run(ctx) })
}

// drive is a loop that plays only the frames requested on the channel frames.
func (a *arena) drive(ctx context.Context) error {
	for {
		select {
		case n := <-a.frames:
			for range n {
				a.Frame()
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// newArenaOf returns an arena whose loop is the function run.
func newArenaOf(t *testing.T, run func(*arena, context.Context) error) *arena {
	t.Helper()
	w, err := game.New(game.Options{Seed: 3})
	require.NoError(t, err)
	a := &arena{Server: serve.New(w), t: t, frames: make(chan int)}
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = serve.NewServer(a.Handler())
	srv.Start()
	a.url = srv.URL + "/"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(a, ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
		srv.Close()
		require.NoError(t, w.Close(context.Background()))
	})
	return a
}

// ask calls f on the loop of the game.
func (a *arena) ask(f func(*game.World)) {
	a.t.Helper()
	require.NoError(a.t, a.Ask(a.t.Context(), f))
}

// pass plays frames immediately, without sending packets to browsers.
func (a *arena) pass(frames int) {
	a.ask(func(w *game.World) {
		for range frames {
			w.Step()
		}
	})
}

// in is a JavaScript function that returns a hero's buff of a definition. If source is given, it
// must be the source of the buff.
const in = `(id, of, source) => [...arena.client.owners.get(String(id))?.buffs.values() ?? []].find((b) => arena.client.specs.get(b.spec)?.id === of && (!source || b.source === String(source)))`

// playing waits until a tab has a hero, and returns its id.
func (p *tab) playing() int {
	p.t.Helper()
	p.until(`arena.world.you > 0 && arena.world.units.has(arena.world.you) && arena.client.known && arena.client.owners.has(String(arena.world.you))`)
	return eval[int](p, `arena.world.you`)
}

// right waits until the page has compared some more rings with the server's state, and checks
// that none of them was wrong.
func (p *tab) right() {
	p.t.Helper()
	eval[any](p, `Object.assign(arena.stats, {compared: 0, worst: 0}), 0`)
	p.until(`arena.stats.compared > 30`)
	require.Zero(p.t, eval[float64](p, `arena.stats.worst === Infinity ? 1e9 : arena.stats.worst`), "a ring is not as the server has it")
}

// TestArena lets two browsers fight. Each must show what the other does to its hero. Rings must
// be right on a bad connection, stand still while the arena is paused, and be right again after
// ten seconds without a connection and after a reload.
func TestArena(t *testing.T) {
	a := newArena(t)
	p := open(t, a.url+"#play", 1280, 800)
	q := open(t, a.url+"#play", 390, 844)
	anna, ben := p.playing(), q.playing()
	require.NotEqual(t, eval[string](p, `arena.world.people.get(arena.world.you).team`), eval[string](q, `arena.world.people.get(arena.world.you).team`))
	t.Run("fight", func(t *testing.T) { a.fight(p, q, anna, ben) })
	t.Run("bad line", func(t *testing.T) {
		for _, s := range []string{"lag", "loss"} {
			eval[any](p, `(() => { const s = document.querySelector("#`+s+`"); s.value = s.max; s.oninput({target: s}); })()`)
		}
		p.until(`arena.link.trip >= 400 && arena.link.gaps > 0`)
		p.right()
		for _, s := range []string{"lag", "loss"} {
			eval[any](p, `(() => { const s = document.querySelector("#`+s+`"); s.value = 0; s.oninput({target: s}); })()`)
		}
	})
	t.Run("pause", func(t *testing.T) { a.stands(p, q) })
	t.Run("return", func(t *testing.T) {
		eval[any](p, `arena.link.cut(true)`)
		p.until(`!arena.link.open`)
		was := eval[float64](p, `arena.client.now`)
		a.pass(200)
		eval[any](p, `arena.link.connect()`)
		p.until(fmt.Sprintf(`arena.link.open && arena.world.you === %d && arena.client.now > %f`, anna, was+10_000))
		p.right()
	})
	t.Run("reload", func(t *testing.T) {
		a.ask(func(w *game.World) {
			text, err := buffs.Files.ReadFile("abilities.yaml")
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, buffs.Files))
			text = []byte(strings.Replace(string(text), "duration: 12s\n    period: 2s", "duration: 31s\n    period: 2s", 1))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "abilities.yaml"), text, 0o600))
			c, err := catalog.Reload(w.Engine().Catalog(), dir)
			require.NoError(t, err)
			_, err = w.Reload(c)
			require.NoError(t, err)
		})
		for _, x := range []*tab{p, q} {
			x.until(`arena.client.known && [...arena.client.specs.values()].find((s) => s.id === "venom").duration === 31000`)
			x.right()
		}
	})
}

// sees makes the page record, under a name, that an expression was true at some time. The test
// cannot check the expression at intervals, because other heroes may remove a buff in between.
func (p *tab) sees(name, expression string) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`(window.%[1]s = false, window.setInterval(() => { if (%[2]s) window.%[1]s = true; }, 10), 0)`, name, expression))
}

// press presses a key until the expression done is true. The hero may not react at once, because
// other heroes may have stunned, silenced, killed or exhausted it.
func (p *tab) press(key, done string) {
	p.t.Helper()
	for range 30 {
		p.do(chromedp.KeyEvent(key))
		if p.within(2*time.Second, done) == nil {
			return
		}
	}
	p.until(done)
}

// fight lets the hero of p poison the hero of q.
func (a *arena) fight(p, q *tab, anna, ben int) {
	a.ask(func(w *game.World) { // move both heroes to a place without other heroes
		x, y := w.Unit(1), w.Unit(1)
		for k := range w.Units() {
			switch u := &w.Units()[k]; int(u.ID) {
			case anna:
				x = u
			case ben:
				y = u
			}
		}
		x.X, x.Y, y.X, y.Y = 44, 3, 47, 3
	})
	p.until(fmt.Sprintf(`Math.abs(arena.world.units.get(%d)?.x - 47) < 1`, ben))
	eval[any](p, fmt.Sprintf(`arena.link.aim(%d)`, ben))
	p.until(fmt.Sprintf(`arena.world.units.get(arena.world.you).target === %d && !document.querySelector("#target").hidden`, ben))
	p.sees("venomed", fmt.Sprintf(`(%s)(%d, "venom", %d)`, in, ben, anna))
	q.sees("venomed", fmt.Sprintf(`(%s)(%d, "venom", %d)`, in, ben, anna))
	p.sees("shielded", fmt.Sprintf(`(%s)(%d, "barrier")?.shield > 0`, in, ben))
	p.press("1", fmt.Sprintf(`(arena.link.aim(%d), (%s)(%d, "venom_cooldown"))`, ben, in, anna))
	p.until(`window.venomed`)
	q.until(`window.venomed`)
	q.press("4", fmt.Sprintf(`(%s)(%d, "barrier_cooldown")`, in, ben))
	p.until(`window.shielded`)
	require.False(a.t, eval[bool](p, fmt.Sprintf(`!!(%s)(%d, "barrier_cooldown")`, in, ben)), "a cooldown is its owner's own")
	p.right()
	q.right()
}

// stands pauses the game in one browser, and checks that the rings of both stand still. Buffs of
// auras are excluded, because they have no end.
func (a *arena) stands(p, q *tab) {
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	lefts := `new Map([...arena.client.owners.values()].flatMap((o) => [...o.buffs.values()].map((b) => [o.id + " " + b.slot, arena.left(b, arena.link.now)])))`
	for _, x := range []*tab{p, q} {
		x.until(`arena.world.still && [...arena.client.owners.values()].every((o) => [...o.buffs.values()].every((b) => b.held))`)
		eval[any](x, `window.stood = `+lefts+`, window.since = arena.link.now, 0`)
		x.until(`arena.link.now > since + 500`)
		moved := eval[[]string](x, `(() => { const now = `+lefts+`; return [...stood].filter(([k, v]) => v !== null && now.has(k) && now.get(k) !== v).map(([k, v]) => k + ": " + v + ", " + now.get(k)); })()`)
		require.Empty(a.t, moved, "rings that go on")
		x.right()
	}
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	p.until(`!arena.world.still`)
	q.until(`!arena.world.still`)
}

// theme sets the colour scheme of a tab to dark or light.
func (p *tab) theme(word string) {
	p.do(chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: word}},
		})
		return err
	}))
}

// TestArenaPictures takes the screenshots for the documentation.
func TestArenaPictures(t *testing.T) {
	if !*shots {
		t.Skip("only with -shots")
	}
	a := newArena(t)
	a.pass(300)
	p := open(t, a.url, 1440, 900)
	p.theme("dark")
	p.until(`arena.view.seen > 10`)
	eval[any](p, `document.querySelector("#play").click()`)
	you := p.playing()
	a.ask(func(w *game.World) { w.Unit(1).Facing = 0; u := w.Units(); u[you-1].X, u[you-1].Y = 40, 33 })
	eval[any](p, `arena.link.aim(arena.world.king)`)
	p.until(`arena.world.units.get(arena.world.you).target === arena.world.king`)
	for k, key := range []int{0, 3, 5, 4, 0, 0, 2} {
		eval[any](p, fmt.Sprintf(`window.at = arena.link.now, arena.link.cast(%d)`, key))
		p.until(fmt.Sprintf(`arena.link.now > at + %d`, 1000+100*k))
	}
	// The frame rate of the machine that takes the screenshot is irrelevant.
	eval[any](p, `document.querySelector("#fps").hidden = true`)
	p.shoot("shots/arena.png")
	p.theme("light")
	p.until(`arena.link.now > at + 2500`)
	p.picture("arena-light")
	m := open(t, a.url+"#play", 390, 844)
	m.theme("dark")
	m.playing()
	m.until(`arena.view.seen > 5 && arena.stats.compared > 20`)
	m.picture("arena-small")
}
