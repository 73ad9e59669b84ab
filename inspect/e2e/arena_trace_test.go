package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/examples/arena/game"
)

var traced = flag.Bool("frames", false, "measure the arena's frames by the browser's own trace, on a machine with nothing else to do")

// traceEvent contains the relevant fields of an event of a trace. Times are in µs.
type traceEvent struct {
	Name   string  `json:"name"`
	At     float64 `json:"ts"`
	Took   float64 `json:"dur"`
	CPU    float64 `json:"tdur"` // processor time of the thread
	Thread int     `json:"tid"`
}

// trace records a trace of the browser for some time.
func (p *tab) trace(ms int) (all []traceEvent) {
	p.t.Helper()
	var mu sync.Mutex
	done := make(chan struct{})
	require.NoError(p.t, chromedp.Listen(p.ctx, func(ev any) {
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, v := range ev.Value {
				var e traceEvent
				if json.Unmarshal(v, &e) == nil {
					all = append(all, e)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	}))
	call := func(f func(context.Context, *chromedp.Target) error) { p.do(chromedp.Func(f)) }
	call(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
			IncludedCategories: []string{"devtools.timeline", "disabled-by-default-devtools.timeline.frame", "disabled-by-default-devtools.timeline"},
		}})
		return err
	})
	eval[any](p, `window.since = arena.link.now, 0`)
	p.until(`arena.link.now > since + ` + string(must(json.Marshal(ms))))
	call(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, tracing.End, cdp.Empty{})
		return err
	})
	<-done
	mu.Lock()
	defer mu.Unlock()
	return all
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestArenaFrames measures the frame rate of the browser with forty heroes in view, without a
// graphics card, and the processor time of the page's thread for each frame. This must be less
// than a sixtieth of a second, so that 60 frames a second are drawn if the processor is otherwise
// idle.
func TestArenaFrames(t *testing.T) {
	if !*traced {
		t.Skip("only with -frames")
	}
	for _, as := range []string{"watch", "play"} {
		for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
			t.Run(fmt.Sprintf("%s %d", as, size[0]), func(t *testing.T) {
				a := newArena(t)
				a.pass(300)
				p := open(t, a.url+"#"+as, size[0], size[1])
				p.theme("dark")
				if as == "play" { // move to where most heroes are
					you := p.playing()
					a.ask(func(w *game.World) { w.Units()[you-1].X, w.Units()[you-1].Y = 42, 32 })
				}
				p.until(`arena.view.seen > 12 && arena.stats.compared > 50`)
				require.Less(t, a.draw(p), 1000.0/60)
			})
		}
	}
}

// draw lets a page draw for eight seconds, and returns the processor time for each frame, in ms.
func (a *arena) draw(p *tab) float64 {
	var drawn, script []float64
	page, busy := 0, map[int]float64{} // processor time by thread
	for _, e := range p.trace(8000) {
		switch e.Name {
		case "DrawFrame":
			drawn = append(drawn, e.At/1000)
		case "FireAnimationFrame":
			script, page = append(script, e.CPU/1000), e.Thread
		case "RunTask":
			busy[e.Thread] += e.CPU / 1000
		}
	}
	require.NotEmpty(a.t, drawn)
	require.NotEmpty(a.t, script)
	slices.Sort(drawn)
	slices.Sort(script)
	var gaps []float64
	for k := 1; k < len(drawn); k++ {
		gaps = append(gaps, drawn[k]-drawn[k-1])
	}
	slices.Sort(gaps)
	span := (drawn[len(drawn)-1] - drawn[0]) / 1000
	at := func(of []float64, q float64) float64 { return of[int(q*float64(len(of)-1))] }
	frame := busy[page] / float64(len(script))
	p.t.Logf("in view %d, frames drawn %.1f a second, between two of them p50 %.1f ms, p99 %.1f ms; of a processor %.1f ms a frame, its script p50 %.1f ms, p99 %.1f ms",
		eval[int](p, `arena.view.seen`), float64(len(drawn)-1)/span, at(gaps, 0.5), at(gaps, 0.99), frame, at(script, 0.5), at(script, 0.99))
	return frame
}
