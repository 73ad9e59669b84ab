package e2e

import (
	"cmp"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/inspect"
)

const wide, tall = 1280, 900

// TestClockHands checks that the hands move at the speed of the game's clock, and that waiting
// players are shown.
func TestClockHands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{Title: "Northmarch"})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelectorAll(".hand").length == 4 && document.querySelector("#verdict").textContent.startsWith("All is well")`)
	require.Equal(t, "Northmarch", eval[string](p, "document.title"))
	p.until(`(() => {
		const hand = document.querySelector('.hand[data-face="Seconds"]').getAttribute("transform");
		window.hands = window.hands || new Set();
		window.hands.add(hand);
		return window.hands.size > 20;
	})()`)
	require.Greater(t, eval[int](p, `document.querySelectorAll(".face path.run").length`), 3)
	for _, face := range []string{"Hours", "Minutes", "Seconds"} {
		p.until(`[...document.querySelectorAll(".face")].some((f) => f.textContent.includes("` + face + `") && /[1-9][\d,]* waiting/.test(f.textContent) && [...f.querySelectorAll("path")].some((d) => d.getAttribute("d")))`)
	}
	p.until(`document.querySelectorAll("#most li").length == 10 && document.querySelectorAll("#slow li").length == 10`)
	p.until(`Number(document.querySelector("#rate").textContent.replace(/,/g, "")) > 100`)
	p.until(`document.querySelector("#frames .took") && document.querySelectorAll("#times rect").length > 0 && document.querySelector("#times .budget")`)
	p.until(`document.querySelector("#frames .took").getAttribute("d").split("L").length > 300`)
	p.picture("overview")
	p.crop("overview", "overview-top", 520) // image for the README
}

// TestStuckPlayer checks that a player whose handler does not return is named on the page.
func TestStuckPlayer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.startsWith("All is well")`)
	w.trap(t, hero)
	p.until(`document.querySelector("#verdict").className == "alarm" && document.querySelector("#verdict").textContent.includes("Sigrun Bold #7 in trap")`)
	// The first line is updated with each view, and the lists below it with every few views.
	p.until(`document.querySelector("#stuck").textContent.includes("Sigrun Bold") && document.querySelectorAll("#workers .held").length == 1`)
	p.until(`/for [3-9]\.\d s/.test(document.querySelector("#stuck").textContent)`)
	p.picture("stuck")
	close(w.gate)
	p.until(`document.querySelector("#verdict").className == "calm"`)
}

// TestAlarm checks that the first line shows the game's alarm until it is over.
func TestAlarm(t *testing.T) {
	var text atomic.Pointer[string]
	say := func(s string) { text.Store(&s) }
	say("")
	w := newWorld(t, inspect.Options{Alarm: func() string { return *text.Load() }})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.startsWith("All is well")`)
	say("The last cut on disk is 12s old.")
	p.until(`document.querySelector("#verdict").className == "alarm" && document.querySelector("#verdict").textContent == "The last cut on disk is 12s old."`)
	say("")
	p.until(`document.querySelector("#verdict").className == "calm"`)
}

// TestAnnouncements checks that a screen reader announces the first line when its topic changes,
// and then not again for five seconds. To control this time, the test intercepts timers of that
// length.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	var text atomic.Pointer[string]
	say := func(s string) { text.Store(&s) }
	say("")
	w := newWorld(t, inspect.Options{Alarm: func() string { return *text.Load() }})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.startsWith("All is well")`)
	eval[any](p, `void (() => {
		window.held = [];
		const real = window.setTimeout;
		window.setTimeout = (f, ms, ...rest) => ms === 5000 ? held.push(f) : real(f, ms, ...rest);
		window.heard = [];
		new MutationObserver(() => heard.push(document.querySelector("#aloud").textContent)).observe(document.querySelector("#aloud"), { childList: true, characterData: true, subtree: true });
	})()`)
	say("One.")
	// after the timer that was already running, which is not intercepted
	p.until(`heard.length == 1 && held.length == 1`)
	for _, text := range []string{"", "Two.", "", "Three."} {
		say(text)
		p.until(`document.querySelector("#verdict").textContent.includes("` + cmp.Or(text, "All is well") + `")`)
	}
	require.Equal(t, 1, eval[int](p, `heard.length`), "it has spoken already")
	// After that time, the present topic is announced if it is different.
	if !eval[bool](p, `heard[0].startsWith("All is well")`) {
		say("")
	}
	p.until(`(() => {
		const well = (text) => text.startsWith("All is well");
		if (held.length && well(document.querySelector("#verdict").textContent) != well(heard[0])) held.shift()();
		return heard.length > 1 && well(heard[1]) != well(heard[0]);
	})()`)
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll("[aria-live]")].filter((n) => n.id != "aloud").map((n) => n.id)`))
}

// TestPlayer checks that a buff's bar shrinks and that its pulses are counted.
func TestPlayer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url+"#/player/7", wide, tall)
	p.until(`document.querySelector("#p-name").textContent == "Sigrun Bold"`)
	venom := w.eng.Catalog().Spec("venom")
	for range 3 {
		require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: venom, Source: 8, Magnitude: 120}))
	}
	require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("champion"), Source: 9}))
	require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("hearty_stew"), Source: 11}))
	for range 2 {
		require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("shield_wall"), Source: 9}))
	}
	const row = `[...document.querySelectorAll("#buffs li")].find((n) => n.textContent.includes("Venom") && n.textContent.includes("×3"))`
	p.until(row + ` !== undefined`)
	long := `100 * ` + row + `.querySelector(".track i").getBoundingClientRect().width / ` + row + `.querySelector(".track").clientWidth`
	begin := eval[float64](p, long)
	p.until(long + ` < 70`)
	require.Greater(t, begin, 80.0)
	p.until(`Number((/(\d+) pulses? since you opened this page/.exec(document.querySelector("#p-sum").textContent) || [0, 0])[1]) >= 3`)
	p.until(`document.querySelector("#history").textContent.includes("limit: the stack limit is reached")`)
	const numbers = `document.querySelector("#attributes").textContent`
	require.Contains(t, eval[string](p, numbers), "+10 % · Hearty Stew of "+w.names[11])
	require.Contains(t, eval[string](p, numbers), "+15 % · Well Rested")
	require.Contains(t, eval[string](p, numbers), "250stamina")
	p.picture("player")
}

// TestCharts checks that the charts keep their data when the user goes to another page and
// returns, show a tip at the pointer, count every kind of event, and draw nothing outside of
// their area, even if all frames are on one side of the budget.
func TestCharts(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	const frames = `document.querySelector("#frames .took").getAttribute("d").split("L").length`
	p.until(frames + ` > 30`)
	before := eval[int](p, frames)
	eval[any](p, `void (location.hash = "#/player/7")`)
	p.until(`document.querySelectorAll("#buffs li").length > 0`)
	eval[any](p, `void (location.hash = "#/")`)
	p.until(`!document.querySelector("#overview").hidden`)
	for range 5 {
		p.until(frames + ` > 1`)
		require.GreaterOrEqual(t, eval[int](p, frames), min(before, 590), "what was there is there")
		p.until(`(() => { const d = document.querySelector("#frames .took").getAttribute("d"); const was = window.was; window.was = d; return was !== undefined && was !== d; })()`)
	}
	for chart, words := range map[string]string{"events": `ago: [\d,]+ per second`, "frames": `^frame [\d,]+: `, "times": `frames? took .+ to `} {
		p.until(`(() => {
			const box = document.querySelector("#` + chart + `"), r = box.getBoundingClientRect();
			const bar = box.querySelector("rect"), x = bar ? bar.getBoundingClientRect().x + 2 : r.right - 20;
			box.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: r.y + 20, bubbles: true }));
			const tip = box.querySelector(".tip");
			return !tip.hidden && /` + words + `/.test(tip.textContent);
		})()`)
	}
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll(".chart")].flatMap((box) => { const r = box.getBoundingClientRect(); return [...box.querySelectorAll("svg *")].filter((n) => { const q = n.getBoundingClientRect(); return q.left < r.left - 12 || q.right > r.right + 12; }).map((n) => box.id + ": " + n.outerHTML); })`))
}

// TestFocusStays checks that the focused element keeps the focus while the lists are updated.
func TestFocusStays(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelectorAll("#most li").length == 10`)
	eval[any](p, `void (() => {
		const a = document.querySelectorAll("#most a")[4];
		window.held = a;
		a.focus();
		window.order = () => [...document.querySelectorAll("#most a")].indexOf(a);
		window.at = order();
	})()`)
	// Buffs are added and removed. The focused item moves or is removed.
	p.until(`order() != at`)
	require.True(t, eval[bool](p, `!held.isConnected || document.activeElement === held`))
}

// slash presses the key that focuses the search field. It dispatches the event itself, because
// chromedp would also type the character into the newly focused field, which a browser does not
// do.
func (p *tab) slash() {
	p.t.Helper()
	eval[any](p, `void document.dispatchEvent(new KeyboardEvent("keydown", { key: "/", cancelable: true }))`)
}

func TestSearch(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.startsWith("All is well")`)
	p.slash()
	p.do(chromedp.KeyEvent("sigr"))
	p.until(`document.querySelector("#found a") && document.querySelector("#found a").textContent == "Sigrun Bold #7"`)
	p.do(chromedp.KeyEvent("\r"))
	p.until(`location.hash == "#/player/7" && !document.querySelector("#player").hidden && document.querySelectorAll("#buffs li").length > 0`)
	p.do(chromedp.KeyEvent("\x1b"))
	p.until(`!document.querySelector("#overview").hidden`)
	p.slash()
	p.do(chromedp.KeyEvent("11"))
	p.until(`document.querySelector("#found a") && document.querySelector("#found a").getAttribute("href") == "#/player/11"`)
	p.do(chromedp.KeyEvent("00000000000000000000000"))
	p.until(`document.querySelector("#found").textContent == "no players found"`)
	p.do(chromedp.KeyEvent("\x1b"), chromedp.KeyEvent("d"))
	p.until(`document.querySelectorAll("#specs tr").length == 10`)
}

// TestKeyboard checks that the whole page can be used with the keyboard alone, and that the
// focused element is visible.
func TestKeyboard(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelectorAll("#most li").length == 10`)
	focus := func(id string) {
		t.Helper()
		p.do(chromedp.KeyEvent("\t"))
		require.Equal(t, id, eval[string](p, `document.activeElement.id`))
		require.Equal(t, "solid 2px", eval[string](p, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle + " " + s.outlineWidth; })()`), id)
	}
	focus("to-overview")
	focus("to-definitions")
	p.do(chromedp.KeyEvent("\r"))
	p.until(`location.hash == "#/definitions" && document.querySelectorAll("#specs tr").length == 10`)
	eval[any](p, `void document.querySelector("#spec-heads .rate button").focus()`)
	p.do(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector("#spec-heads .rate").getAttribute("aria-sort") == "descending"`)
	eval[any](p, `void document.querySelector("#specs a").focus()`)
	p.do(chromedp.KeyEvent("\r"))
	p.until(`location.hash.startsWith("#/definition/") && document.querySelectorAll("#s-fields dt").length > 0`)
	p.do(chromedp.KeyEvent("o"))
	p.until(`!document.querySelector("#overview").hidden`)
	p.slash()
	p.do(chromedp.KeyEvent("greyc"))
	p.until(`document.querySelectorAll("#found a").length > 3`)
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	second := eval[string](p, `document.querySelectorAll("#found a")[1].getAttribute("href")`)
	require.Equal(t, second, eval[string](p, `document.activeElement.getAttribute("href")`))
	p.do(chromedp.KeyEvent("\r"))
	p.until(`location.hash == "` + second + `" && document.querySelectorAll("#buffs li").length > 0`)
	p.do(chromedp.KeyEvent("\x1b"))
	p.until(`!document.querySelector("#overview").hidden`)
	// Every element that reacts to a click is a link, a button, a field or a summary, and the Tab
	// key reaches all of these. It also reaches elements that scroll.
	require.Zero(t, eval[int](p, `document.querySelectorAll("[tabindex]:not(pre, .scroll), [onclick], [role=button]").length`))
}

// gapWriter inserts a gap event after the first events.
type gapWriter struct {
	http.ResponseWriter
	writes int
}

func (g *gapWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *gapWriter) Write(p []byte) (int, error) {
	if g.writes++; g.writes == 3 {
		if _, err := g.ResponseWriter.Write([]byte("event: gap\ndata: {\"skipped\":\"1\",\"sum\":\"1234\"}\n\n")); err != nil {
			return 0, err
		}
	}
	return g.ResponseWriter.Write(p)
}

// TestGap checks that a slow browser shows how many views it has skipped. TestStream_Gap of
// package inspect checks the server.
func TestGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{})
	w.wrap = func(rw http.ResponseWriter, r *http.Request) http.ResponseWriter {
		if r.URL.Query().Has("stream") {
			return &gapWriter{ResponseWriter: rw}
		}
		return rw
	}
	p := open(t, w.url, wide, tall)
	p.until(`!document.querySelector("#gap").hidden && document.querySelector("#gap").textContent.includes("1 view was skipped, 1,234 in total")`)
	p.until(`document.querySelector("#gap").hidden`)
}

// TestDark checks that the colours follow the system's setting and the key, and that all texts
// are readable.
func TestDark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{Title: "Northmarch"})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.startsWith("All is well")`)
	light := eval[string](p, `getComputedStyle(document.body).backgroundColor`)
	p.do(chromedp.KeyEvent("t"))
	require.NotEqual(t, light, eval[string](p, `getComputedStyle(document.body).backgroundColor`))
	p.until(`document.querySelectorAll("#slow li").length == 10 && document.querySelectorAll("#most li").length == 10 && document.querySelector("#frames .took").getAttribute("d").split("L").length > 200`)
	for _, theme := range []string{"dark", "light"} {
		require.Equal(t, theme, eval[string](p, `document.documentElement.dataset.theme`))
		require.Empty(t, eval[[]string](p, faint), "texts with a contrast below 4.5 in %s", theme)
		if theme == "dark" {
			p.picture("dark")
		}
		p.do(chromedp.KeyEvent("t"))
	}
}

// faint is an expression that returns texts that are hard to read according to the contrast rule
// of WCAG.
const faint = `(() => {
	const rgb = (c) => c.match(/[\d.]+/g).map(Number);
	const lum = (c) => { const [r, g, b] = c.map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ground = (n) => { for (; n; n = n.parentElement) { const c = rgb(getComputedStyle(n).backgroundColor); if (c.length < 4 || c[3] > 0.9) return c.slice(0, 3); } return [255, 255, 255]; };
	const out = [];
	for (const n of document.querySelectorAll("body *")) {
		if (!n.offsetParent || n.closest("svg") || ![...n.childNodes].some((k) => k.nodeType == 3 && k.textContent.trim())) continue;
		const a = lum(rgb(getComputedStyle(n).color).slice(0, 3)), b = lum(ground(n));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) out.push(n.tagName + " " + n.className + " " + contrast.toFixed(2) + ": " + n.textContent.slice(0, 30));
	}
	return out;
})()`

// TestNarrow checks that nothing is cut off on a small phone.
func TestNarrow(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, 375, 812)
	p.until(`document.querySelectorAll("#slow li").length == 10 && document.querySelectorAll("#most li").length == 10`)
	for _, route := range []string{"#/", "#/player/7", "#/definitions"} {
		eval[any](p, `void (location.hash = "`+route+`")`)
		p.until(`document.querySelectorAll("#buffs li, #overview:not([hidden]) li, #specs tr").length > 0`)
		require.LessOrEqual(t, eval[int](p, `document.documentElement.scrollWidth`), 375, route)
		require.Empty(t, eval[[]string](p, `[...document.querySelectorAll("main:not([hidden]) *")].filter((n) => n.offsetParent && !n.closest("svg, pre, .rank") && n.getBoundingClientRect().right > 376).map((n) => n.tagName + "#" + n.id + "." + n.className)`), route)
		if route == "#/" {
			p.picture("narrow")
		}
	}
}

// TestReload checks that the error of a reload appears on the page with its line, and denials
// with their reasons.
func TestReload(t *testing.T) {
	good := false
	w := newWorld(t, inspect.Options{Token: token, Reload: func() (any, error) {
		if good {
			return "10 definitions, 1 changed: venom", nil
		}
		return nil, errReload
	}})
	p := open(t, w.url+"#/definitions", wide, tall)
	p.until(`document.querySelectorAll("#specs tr").length == 10`)
	p.do(chromedp.SendKeys(chromedp.ID("token"), token+"\r"))
	p.until(`document.querySelector("#told").textContent.includes("is used")`)
	p.do(chromedp.Click(chromedp.ID("d-reload")))
	p.until(`document.querySelector("#d-said").textContent.startsWith("Refused, the old definitions remain in use: buffs/venom.yaml:6:12:")`) // beside the button
	p.until(`document.querySelector("#verdict").className == "watch" && document.querySelector("#verdict a").getAttribute("href") == "#/definitions"`)
	p.until(`document.querySelector("#reloads pre") && document.querySelector("#reloads pre").textContent.includes("venom.yaml:6:12") && document.querySelector("#reloads pre").textContent.includes("^")`)
	p.until(`[...document.querySelectorAll("#specs td.live")].some((n) => parseInt(n.textContent) > 0) && /\d limit/.test(document.querySelector("#specs").textContent)`)
	good = true
	p.do(chromedp.Click(chromedp.ID("d-reload")))
	p.until(`document.querySelector("#reloads li").textContent.includes("applied")`)
	p.until(`document.querySelector("#verdict").className == "calm"`)
	p.do(chromedp.SendKeys(chromedp.ID("d-filter"), "no such thing"))
	p.until(`document.querySelector("#d-none").textContent == "No definition matches “no such thing”." && document.querySelector("#d-none").offsetParent`)
	eval[any](p, `void (() => { const q = document.querySelector("#d-filter"); q.value = ""; q.dispatchEvent(new Event("input")); })()`)
	p.until(`document.querySelectorAll("#specs tr").length == 10`)
	p.until(`[...document.querySelectorAll("#specs td.rate")].some((n) => parseFloat(n.textContent) > 0) && [...document.querySelectorAll("#specs td.p99")].some((n) => n.textContent)`)
	p.picture("definitions")
	p.do(chromedp.Click(chromedp.CSS(`#specs a[href="#/definition/venom"]`)))
	p.until(`document.querySelector("#s-fields").textContent.includes("stack.by") && document.querySelector("#s-place").textContent == "buffs/world.yaml:1" && document.querySelectorAll("#holders li").length > 0`)
	p.until(`/pulse[\d,.]+ per second/.test(document.querySelector("#s-figures").textContent) && document.querySelector("#s-figures").textContent.includes("of total handler time")`)
	p.picture("definition")
	// Go to a player that has the buff, and back.
	p.do(chromedp.Click(chromedp.CSS("#holders a")))
	p.until(`location.hash.startsWith("#/player/") && document.querySelector("#buffs a.what[href='#/definition/venom']")`)
	p.do(chromedp.Click(chromedp.CSS("#buffs a.what[href='#/definition/venom']")))
	p.until(`location.hash == "#/definition/venom" && document.querySelectorAll("#holders li").length > 0`)
}

// TestActions checks that with the token, a buff can be removed and a player paused.
func TestActions(t *testing.T) {
	w := newWorld(t, inspect.Options{Token: token})
	p := open(t, w.url+"#/player/7", wide, tall)
	p.until(`document.querySelectorAll("#buffs li").length > 0`)
	p.do(chromedp.Click(chromedp.CSS("#p-pause")))
	p.until(`document.activeElement.id == "token"`)
	p.do(chromedp.SendKeys(chromedp.ID("token"), "this is not the token\r"))
	p.until(`document.querySelector("#told").textContent == "the token is missing or wrong" && document.querySelector("#token").offsetParent`)
	p.expect("401 (Unauthorized)")
	p.do(chromedp.SendKeys(chromedp.ID("token"), token+"\r"))
	p.until(`document.querySelector("#told").textContent.includes("Token accepted")`)
	p.do(chromedp.Click(chromedp.CSS("#p-pause")))
	p.until(`document.querySelector("#p-state").textContent == "is paused"`)
	// The player's buffs keep their bars and remaining times, which do not change.
	const bar = `[...document.querySelectorAll("#buffs li")].find((n) => n.textContent.includes("Well Rested"))`
	stood := eval[string](p, bar+`.querySelector(".left").textContent`)
	require.Regexp(t, `^\d:\d\d:\d\d$`, stood)
	require.Less(t, eval[float64](p, bar+`.querySelector(".track i").getBoundingClientRect().width / `+bar+`.querySelector(".track").clientWidth`), 1.0)
	require.Equal(t, stood, eval[string](p, bar+`.querySelector(".left").textContent`))
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll("[role=progressbar]")].filter((n) => !/^Time left of .+ from .+/.test(n.getAttribute("aria-label"))).map((n) => n.outerHTML)`))
	require.False(t, eval[bool](p, `document.querySelector("#token").offsetParent !== null`), "it is not asked for again")
	p.do(chromedp.Click(chromedp.CSS("#p-pause")))
	p.until(`document.querySelector("#p-state").textContent == ""`)
	p.do(chromedp.Click(chromedp.CSS("#buffs button")))
	p.until(`document.querySelector("#buffs button").textContent == "Really?"`)
	require.Contains(t, eval[string](p, `document.querySelector("#buffs").textContent`), "Well Rested", "the first click asks")
	p.do(chromedp.Click(chromedp.CSS("#buffs button")))
	p.until(`!document.querySelector("#buffs").textContent.includes("Well Rested") && document.querySelector("#history").textContent.includes("cancelled: removed by a command")`)
}

// TestLastMinute checks the history of a player's last minute. It has a lane for each buff, the
// state at an instant, reasons of denials, a second player for comparison, and a link to the
// instant.
func TestLastMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url+"#/player/7", wide, tall)
	// Other players also apply Venom to the player.
	const lane = `[...document.querySelectorAll("#past-lanes li")].find((n) => /^Venom from .* #8$/.test(n.querySelector(".lane")?.textContent))`
	venom := w.eng.Catalog().Spec("venom")
	for range 7 {
		require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: venom, Source: 8, Magnitude: 120}))
	}
	for range 2 {
		require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("charm"), Source: 8}))
		require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("shield_wall"), Source: 9}))
	}
	p.until(lane + ` && ` + lane + `.querySelectorAll("circle.pulse").length >= 3`)
	p.until(`document.querySelector("#past-lanes").textContent.includes("Well Rested")`)
	p.until(`[...document.querySelectorAll("#past-lanes text.deny title")].some((n) => n.textContent.includes("limit: the stack limit is reached"))`)
	p.until(lane + `.querySelector("rect title").textContent.includes("×")`)

	// Go back to before the third pulse. The bars show that instant, and do not change while the
	// game continues.
	eval[any](p, `void (() => {
		const at = `+lane+`.querySelectorAll("circle.pulse")[1].querySelector("title").textContent.slice(0, 12).split(":").reduce((s, x) => 60 * s + Number(x), 0) * 1000;
		const range = document.querySelector("#past-at");
		range.value = Math.round(at) + 20;
		range.dispatchEvent(new Event("input"));
	})()`)
	p.until(`!document.querySelector("#past-live").hidden && [...document.querySelectorAll(".then .bars li")].some((n) => n.textContent.startsWith("Venom ×5"))`)
	link := eval[string](p, `document.querySelector("#past-link").href`)
	require.Regexp(t, `#/player/7/at/\d+$`, link)
	eval[any](p, `void (document.querySelector("#past-filter").value = "denied", document.querySelector("#past-filter").dispatchEvent(new Event("input")))`)
	p.until(`document.querySelectorAll("#past-lanes li").length >= 1 && !document.querySelector("#past-lanes").textContent.includes("Well Rested")`)
	eval[any](p, `void (document.querySelector("#past-filter").value = "", document.querySelector("#past-filter").dispatchEvent(new Event("input")))`)
	p.picture("past")

	// While its time is paused, a buff keeps its remaining time, and the lane shows the pause.
	eval[any](p, `document.querySelector("#past-live").click()`)
	require.NoError(t, w.eng.Inbox().Do(buff.Pause(hero)))
	p.until(lane + ` && ` + lane + `.querySelector("rect.still") && ` + lane + `.querySelector("rect.still title").textContent.startsWith("paused")`)
	p.until(`[...document.querySelectorAll(".then .bars li")].some((n) => n.textContent.startsWith("Venom") && n.textContent.includes("paused"))`)
	const stood = `((n) => n.textContent.match(/[0-9:.]{12}/g).map((t) => Math.round(t.split(":").reduce((s, x) => 60 * s + Number(x), 0) * 1000)))(` + lane + `.querySelector("rect.still title"))`
	p.until(`((x) => x[1] - x[0] > 1000)(` + stood + `)`)
	require.NoError(t, w.eng.Inbox().Do(buff.Resume(hero)))
	p.until(`[...document.querySelectorAll("#past-lanes text.resume title")].some((n) => n.textContent.includes("the player"))`)
	then := eval[[]string](p, `(() => {
		const [from, to] = `+stood+`, range = document.querySelector("#past-at");
		return [from + 100, to - 100, to + 100].map((at) => {
			range.value = at;
			range.dispatchEvent(new Event("input"));
			return [...document.querySelectorAll(".then .bars li")].find((n) => n.textContent.startsWith("Venom ×5")).textContent;
		});
	})()`)
	require.Regexp(t, `^Venom ×5\d\.\d s, paused$`, then[0])
	require.Equal(t, then[0], then[1])
	require.NotContains(t, then[2], "paused")
	p.until(`[...document.querySelectorAll("#past-lanes text.pause title")].some((n) => n.textContent.includes("the player"))`)

	other := open(t, link, wide, tall)
	other.until(`!document.querySelector("#p-past").hidden && [...document.querySelectorAll(".then .bars li")].some((n) => n.textContent.startsWith("Venom ×5"))`)
	eval[any](other, `void (document.querySelector("#past-with").value = "9", document.querySelector("#past-beside").requestSubmit())`)
	other.until(`location.hash.startsWith("#/player/7/with/9/at/") && document.querySelectorAll("#past-lanes-2 li").length > 0 && document.querySelectorAll(".past h3")[1].textContent.includes("#9")`)
}
