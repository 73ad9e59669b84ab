package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// streams counts the open streams of a world's server.
type streams struct {
	now, most atomic.Int64
	mu        sync.Mutex
	queries   []string
}

func (s *streams) handle(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	if _, is := r.URL.Query()["stream"]; !is {
		next.ServeHTTP(rw, r)
		return
	}
	s.mu.Lock()
	s.queries = append(s.queries, r.URL.RawQuery)
	s.mu.Unlock()
	for n := s.now.Add(1); ; {
		if most := s.most.Load(); n <= most || s.most.CompareAndSwap(most, n) {
			break
		}
	}
	defer s.now.Add(-1)
	next.ServeHTTP(rw, r)
}

// last returns the query of the last stream.
func (s *streams) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries[len(s.queries)-1]
}

// had reports whether there was a stream with the given query.
func (s *streams) had(query string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.queries, query)
}

// watchFrames is a script that records the frame of the last view that the page has read.
const watchFrames = `
	window.lastFrame = 0;
	const parse = JSON.parse;
	JSON.parse = (text) => {
		const v = parse(text);
		if (v && v.frame) window.lastFrame = Number(v.frame);
		return v;
	};`

// openTab opens a URL in another tab of a browser.
func openTab(t *testing.T, in context.Context, address string) *tab {
	t.Helper()
	return openIn(in, t, address, wide, tall, watchFrames)
}

// moves waits until a tab has read another view.
func (p *tab) moves() {
	p.t.Helper()
	p.until(fmt.Sprint("window.lastFrame > ", eval[int](p, "window.lastFrame")))
}

// noWorkers is a script that removes SharedWorker, which some browsers do not support.
const noWorkers = "delete window.SharedWorker"

// TestManyTabs checks that seven tabs of one browser, which opens at most six connections to a
// host, are all updated and can send further requests. They share one stream with everything that
// they show.
func TestManyTabs(t *testing.T) {
	w := newWorld(t, inspect.Options{Token: token})
	in := browser(t)
	var tabs []*tab
	for _, at := range []string{"#/nowhere", "#/nowhere", "#/nowhere", "#/player/7", "#/player/8", "#/definitions", "#/"} {
		tabs = append(tabs, openTab(t, in, w.url+at))
	}
	for _, p := range tabs {
		p.moves()
	}
	// a request in addition to the stream
	tabs[6].do(chromedp.SendKeys(chromedp.ID("query"), "Sigrun"))
	tabs[6].until(`document.querySelector("#found").textContent.includes("Sigrun Bold #7")`)
	for k, id := range map[int]string{3: "7", 4: "8"} {
		tabs[k].until(`document.querySelector("#p-id").textContent == "#` + id + `" && document.querySelectorAll("#buffs li").length > 0`)
	}
	tabs[5].until(`[...document.querySelectorAll("#specs td.rate")].some((n) => parseFloat(n.textContent) > 0)`)
	require.LessOrEqual(t, w.streams.most.Load(), int64(2), "a new stream starts before the old one ends")

	// When a tab shows another page or is closed, the shared stream changes.
	eval[any](tabs[3], `void (location.hash = "#/player/10")`)
	tabs[3].until(`document.querySelector("#p-id").textContent == "#10" && document.querySelectorAll("#buffs li").length > 0`)
	for _, p := range tabs[2:5] {
		p.do(chromedp.Navigate("about:blank"))
	}
	for w.streams.last() != "stream&catalog" {
		tabs[0].moves()
	}
	tabs[6].moves()
	require.True(t, w.streams.had("stream&player=7&player=8&catalog"))
}

// TestTabsWithoutWorkers checks that a browser without SharedWorker has a stream for each tab.
func TestTabsWithoutWorkers(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	in := browser(t)
	first := openTab(t, in, w.url)
	for _, at := range []string{"#/", "#/player/7", "#/definitions"} {
		openIn(in, t, w.url+at, wide, tall, watchFrames+noWorkers).moves()
	}
	first.moves()
	require.EqualValues(t, 4, w.streams.now.Load())
}

// TestTabsAndTheToken checks that a tab with the token does not share its stream with a tab
// without it.
func TestTabsAndTheToken(t *testing.T) {
	w := newWorld(t, inspect.Options{Token: token, Remote: true})
	in := browser(t)
	known := openTab(t, in, w.url)
	known.until(`document.querySelector("#unlock").offsetParent && document.querySelector("#verdict").textContent.includes("requires a token")`)
	known.do(chromedp.SendKeys(chromedp.ID("token"), token+"\r"))
	known.moves()
	other := openTab(t, in, w.url)
	other.until(`document.querySelector("#unlock").offsetParent && document.querySelector("#verdict").textContent.includes("requires a token")`)
	known.moves()
	require.False(t, eval[bool](other, "window.lastFrame > 0"))
	other.do(chromedp.SendKeys(chromedp.ID("token"), token+"\r"))
	other.moves()
	known.moves()
	require.LessOrEqual(t, w.streams.now.Load(), int64(2))
}

// TestFrozenTab checks that a tab that does not process messages for a while, like a frozen tab,
// does not delay other tabs, and then shows the latest state and how many views it has missed.
func TestFrozenTab(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{})
	in := browser(t)
	p := openTab(t, in, w.url)
	frozen := openTab(t, in, w.url)
	frozen.moves()
	frame := eval[int](frozen, `(() => {
		const until = performance.now() + 4000;
		while (performance.now() < until);
		return window.lastFrame;
	})()`)
	p.moves()
	frozen.until(fmt.Sprint("window.lastFrame > ", frame+20))
	frozen.until(`!document.querySelector("#gap").hidden`)
	require.Regexp(t, `\d+ views? (was|were) skipped`, eval[string](frozen, `document.querySelector("#gap").textContent`))
	frozen.moves()
}

// TestServerGone checks that each tab reports when the server has ended, and continues when there
// is a server again.
func TestServerGone(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	in := browser(t)
	p := openTab(t, in, w.url)
	other := openTab(t, in, w.url)
	p.moves()
	w.refuse.Store(true)
	w.server.CloseClientConnections()
	for _, tab := range []*tab{p, other} {
		tab.until(`document.querySelector("#verdict").textContent.startsWith("No connection: ")`)
	}
	w.refuse.Store(false)
	for _, tab := range []*tab{p, other} {
		tab.moves()
		tab.until(`!document.querySelector("#verdict").textContent.startsWith("No connection: ")`)
	}
}
