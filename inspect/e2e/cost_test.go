package e2e

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
	"github.com/bufftick/bufftick/internal/long"
)

var (
	costFor = flag.Duration("cost.for", 2*time.Second, "how long TestMainThread looks at each page")
	heapFor = flag.Duration("heap.for", 12*time.Second, "how long TestHeap looks at all of them")
)

// call sends a command of the DevTools protocol to the tab.
func call[P, R any](p *tab, method cdp.Command[P, R], params P) (out R) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, tg *chromedp.Target) (err error) {
		out, err = cdp.Call(ctx, tg, method, params)
		return err
	}))
	return out
}

// spent returns the processor time of the page's main thread, in seconds since it was opened.
func (p *tab) spent() (busy, script, layout, style float64) {
	for _, m := range call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		switch m.Name {
		case "TaskDuration":
			busy = m.Value
		case "ScriptDuration":
			script = m.Value
		case "LayoutDuration":
			layout = m.Value
		case "RecalcStyleDuration":
			style = m.Value
		}
	}
	return busy, script, layout, style
}

// routes lists all routes of the page.
var routes = []string{"#/", "#/player/7", "#/definitions", "#/definition/venom", "#/incidents", "#/nowhere"}

// mainThreadMost is the share of a processor that the page's main thread may use.
const mainThreadMost = 0.08

// TestMainThread checks that the page's main thread uses little processor time during a game of
// 1,200 players. It measures the processor time of the thread, so that other processes do not
// matter.
func TestMainThread(t *testing.T) {
	if !long.On() {
		t.Skip("it measures for seconds: -long")
	}
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelectorAll("#slow li").length == 10`)
	call(p, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
	for _, route := range routes {
		eval[any](p, `void (location.hash = "`+route+`")`)
		<-time.After(500 * time.Millisecond) // skip the initial work
		began := time.Now()
		busy, script, layout, style := p.spent()
		<-time.After(*costFor)
		busy2, script2, layout2, style2 := p.spent()
		took := time.Since(began).Seconds()
		share := (busy2 - busy) / took
		t.Logf("%-20s main thread %4.1f %%: script %.1f, layout %.1f, style %.1f", route, 100*share, 100*(script2-script)/took, 100*(layout2-layout)/took, 100*(style2-style)/took)
		require.Less(t, share, mainThreadMost, route)
	}
}

// TestHeap checks that the page's heap does not grow, whatever it shows.
func TestHeap(t *testing.T) {
	if !long.On() {
		t.Skip("it measures for seconds: -long")
	}
	w := newWorld(t, inspect.Options{})
	p := open(t, w.url, wide, tall)
	var first, last float64
	began, n := time.Now(), 0
	for round := 0; time.Since(began) < *heapFor || round < 3; round++ {
		for _, route := range routes {
			eval[any](p, `void (location.hash = "`+route+`")`)
			<-time.After(700 * time.Millisecond) // as long as a user would stay on the page
		}
		call(p, heapprofiler.CollectGarbage, cdp.Empty{})
		u := call(p, runtime.GetHeapUsage, cdp.Empty{})
		nodes := eval[int](p, `document.querySelectorAll("*").length`)
		if n++; n == 2 {
			first = u.UsedSize // compare with the second round, after the initial allocations
		}
		if last = u.UsedSize; n%10 == 2 || *heapFor < time.Minute {
			t.Logf("%8v: heap %.2f MB, %d elements", time.Since(began).Round(time.Second), last/1e6, nodes)
		}
	}
	require.Less(t, last, first+2e6)
}
