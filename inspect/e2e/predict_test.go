package e2e

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/examples/arena/game"
)

var jumps = flag.Bool("jumps", false, "count the jumps of buffs in the arena, with and without prediction, in six minutes")

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

// play opens a page that plays a hero, with some lag. No other hero acts, the hero is out of the
// King's reach, and it is without the effects of the bots.
func (a *arena) play(t *testing.T, lag int) *tab {
	p := open(t, a.url+"#play", 1280, 800)
	you := p.playing()
	a.ask(func(w *game.World) {
		for k := range w.Units() {
			w.Play(&w.Units()[k], true)
			w.Units()[k].Target = 0
		}
		u := &w.Units()[you-1]
		u.X, u.Y = 3, 3
		for _, id := range []string{"haste", "haste_cooldown", "banner", "banner_cooldown", "breath", "stun", "silence"} {
			require.NoError(t, w.Engine().Do(buff.RemoveSpec(u.ID, w.Engine().Catalog().Spec(id), 0, reason.Cancelled)).Err())
		}
	})
	p.until(fmt.Sprintf(`Math.abs(arena.world.units.get(%d)?.x - 3) < 1`, you))
	eval[any](p, fmt.Sprintf(`(() => { const s = document.querySelector("#lag"); s.value = %d; s.oninput({target: s}); })()`, lag))
	p.until(fmt.Sprintf(`arena.link.pings.length > 3 && arena.link.trip >= %d`, lag))
	return p
}

// TestArenaPrediction casts abilities with 0, 100 and 400 ms of lag. A predicted buff is shown in the
// next frame and its time does not jump when the server confirms it. A refused one disappears.
func TestArenaPrediction(t *testing.T) {
	a := newArena(t)
	for _, ms := range []int{0, 100, 400} {
		t.Run(fmt.Sprint(ms), func(t *testing.T) {
			p := a.play(t, ms)
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
		p := a.play(t, 400)
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

// counts casts the abilities 2, 4, 5 and 6 for a minute, and counts the jumps of their buffs and
// cooldowns as replicate/js/jumps.js does. The hero has no target, so it casts all at itself.
const counts = `(() => {
	const skills = {1: "renew", 3: "barrier", 4: "haste", 5: "banner"}, ids = new Set(["breath", ...Object.values(skills).flatMap((id) => [id, id + "_cooldown"])]);
	const out = window.counted = {casts: 0, jumps: 0, refused: 0}, start = performance.now();
	let seen = new Map(), at = start, pressed = start, jumped = false, next = start;
	const frame = () => {
		const t = performance.now(), now = arena.link.now, shown = new Map();
		for (const b of arena.link.predictor.buffs(now)) {
			const id = arena.client.specs.get(b.spec)?.id;
			if (ids.has(id)) shown.set(id, arena.left(b, now));
		}
		const step = t - at;
		const jumps = [...new Set([...seen.keys(), ...shown.keys()])].some((id) => {
			const before = seen.get(id) ?? 0, after = shown.get(id) ?? 0;
			return after > before + 50 || after < Math.max(before - step, 0) - 50;
		});
		const late = jumps && out.casts > 0 && t - pressed > 100 && at > pressed; // not in the first frame after a cast
		if (late && !jumped) out.jumps++, out.last = JSON.stringify([...seen, "", ...shown, step, t - pressed]);
		jumped = late;
		[seen, at] = [shown, t];
		if (t > start + 60_000) return (out.done = true);
		if (t > next) {
			next = t + 500 + Math.random() * 2500;
			const ready = Object.keys(skills).filter((k) => !(shown.get("breath") > 0) && !(shown.get(skills[k] + "_cooldown") > 0));
			if (ready.length) {
				document.querySelector("#skills").children[ready[Math.floor(Math.random() * ready.length)]].click();
				pressed = t;
				out.casts++;
			}
		}
		requestAnimationFrame(frame);
	};
	requestAnimationFrame(frame);
})()`

// TestArenaJumps measures jumps a minute with and without prediction.
func TestArenaJumps(t *testing.T) {
	if !*jumps {
		t.Skip("only with -jumps")
	}
	a := newArena(t)
	for _, ms := range []int{0, 100, 400} {
		for _, predicts := range []bool{false, true} {
			t.Run(fmt.Sprint(ms, predicts), func(t *testing.T) {
				p := a.play(t, ms)
				eval[any](p, fmt.Sprintf(`document.querySelector("#predict").checked = %t, %s`, predicts, counts))
				require.NoError(t, p.within(2*time.Minute, `window.counted.done`))
				t.Logf("%d casts, %d jumps, %d refused predictions; the last jump: %s", eval[int](p, `counted.casts`), eval[int](p, `counted.jumps`), eval[int](p, `arena.stats.mispredicted`), eval[string](p, `counted.last ?? "none"`))
			})
		}
	}
}
