package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/examples/arena/game"
)

// shownAs makes the page record the remaining time of a buff of the player's hero in each drawn
// frame, with the time of the frame by the server's clock and by the page's clock; a missing buff has
// the remaining time -1.
const shownAs = `(id) => {
	const seen = window.seen = [];
	const frame = () => {
		if (window.seen !== seen) return;
		const now = arena.link.now, b = arena.link.predictor.buffs(now).find((b) => arena.client.specs.get(b.spec)?.id === id);
		seen.push([now, b ? arena.left(b, now) : -1, performance.now()]);
		requestAnimationFrame(frame);
	};
	requestAnimationFrame(frame);
}`

// cast calls a function that casts an ability, and so shows the buff id on the player's hero. It
// returns the time in ms until the buff is shown, the number of frames until then, and the frames from
// then on, for two seconds or until it has disappeared.
func (p *tab) cast(id string, cast func()) (wait float64, frames int, shown [][3]float64) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`(%s)(%q), 0`, shownAs, id))
	p.until(`window.seen.length > 2`)
	eval[any](p, `window.send ??= arena.link.cast, arena.link.cast = (...about) => { window.pressed = [performance.now(), window.seen.length]; send.apply(arena.link, about); }, 0`)
	cast()
	p.until(`(() => { const first = seen.findIndex(([, left]) => left >= 0); return first >= 0 && (seen.at(-1)[0] > seen[first][0] + 2000 || seen.at(-1)[1] < 0); })()`)
	seen, pressed := eval[[][3]float64](p, `window.seen`), eval[[2]float64](p, `window.pressed`)
	for k, s := range seen {
		if s[1] >= 0 {
			return s[2] - pressed[0], k - int(pressed[1]), seen[k:]
		}
	}
	return 0, 0, nil
}

// jump returns the largest difference in ms between the remaining time in a frame and any
// remaining time that follows from the frame before: time passes or, before the start, does not.
func jump(shown [][3]float64) (most float64) {
	for k := 1; k < len(shown); k++ {
		before, after := shown[k-1], shown[k]
		most = max(most, after[1]-before[1], before[1]-(after[0]-before[0])-after[1])
	}
	return most
}

// TestArenaPrediction casts abilities with 0, 100 and 400 ms of lag. A predicted buff is shown in the
// next frame and its time does not jump when the server confirms it. A refused one disappears.
func TestArenaPrediction(t *testing.T) {
	a := newArena(t)
	lag := func(p *tab, ms int) {
		eval[any](p, fmt.Sprintf(`(() => { const s = document.querySelector("#lag"); s.value = %d; s.oninput({target: s}); })()`, ms))
		p.until(fmt.Sprintf(`arena.link.pings.length > 3 && arena.link.trip >= %d`, ms))
	}
	start := func(t *testing.T, ms int) *tab {
		p := open(t, a.url+"#play", 1280, 800)
		you := p.playing()
		a.ask(func(w *game.World) {
			control, ok := w.Engine().Catalog().Tag("debuff.control")
			require.True(t, ok)
			// away from all fights, and without the effects of the bot that played the hero
			u := &w.Units()[you-1]
			u.X, u.Y, u.Target = 3, 3, 0
			require.NoError(t, w.Engine().Do(buff.Immunize(u.ID, control, true)).Err)
			for _, id := range []string{"haste", "haste_cooldown", "banner", "banner_cooldown", "breath"} {
				require.NoError(t, w.Engine().Do(buff.RemoveSpec(u.ID, w.Engine().Catalog().Spec(id), 0, reason.Cancelled)).Err)
			}
		})
		p.until(fmt.Sprintf(`Math.abs(arena.world.units.get(%d)?.x - 3) < 1`, you))
		lag(p, ms)
		return p
	}
	for _, ms := range []int{0, 100, 400} {
		t.Run(fmt.Sprint(ms), func(t *testing.T) {
			p := start(t, ms)
			wait, frames, shown := p.cast("haste", func() { p.do(chromedp.KeyEvent("5")) })
			t.Logf("predicted: shown after %.0f ms, largest jump %.0f ms", wait, jump(shown))
			require.Contains(t, []int{0, 1}, frames)
			require.Less(t, jump(shown), 50.0)
			eval[any](p, `document.querySelector("#predict").click()`)
			wait, _, shown = p.cast("banner", func() { p.do(chromedp.KeyEvent("6")) })
			t.Logf("not predicted: shown after %.0f ms, with %.0f ms of 12,000 left", wait, shown[0][1])
			require.Greater(t, wait, float64(ms))
		})
	}
	t.Run("refused", func(t *testing.T) {
		p := start(t, 400)
		_, frames, shown := p.cast("haste", func() { // casts Hush, for which the hero has no target
			eval[any](p, `(() => {
				const [spec] = [...arena.client.specs].find(([, s]) => s.id === "haste"), { link } = arena;
				link.cast(6, link.predictor.predict(link.now, 200, [{ spec, by: "target" }]));
			})()`)
		})
		require.Contains(t, []int{0, 1}, frames)
		require.Negative(t, shown[len(shown)-1][1])
		p.until(`document.querySelector("#notice").textContent === "Select a target first" && arena.stats.mispredicted === 1`)
	})
}
