package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// redefine reloads the definitions, as after a designer's change. From then on, venom calls
// another handler.
func (w *world) redefine(t *testing.T) {
	t.Helper()
	specs := definitions()
	specs[0].On.Pulse = []define.Action{{Do: define.DoCall, Name: "drain"}}
	next, err := w.eng.Catalog().Rebuild(buff.Definitions{Attributes: attributes, Specs: specs, Places: places()})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, w.eng.Inbox().Run(ctx, func(e *engine.Engine) {
		report, err := e.Reload(next)
		w.page.Reloaded(report, err)
	}))
}

// TestMinuteOfClicks breaks a handler for one player by a reload in a running game. With clicks
// alone, an operator who does not know this can find the player, the buff, its file and line, the
// line of the handler that hangs, and the reload that has caused it.
func TestMinuteOfClicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{Title: "Northmarch"})
	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.startsWith("All is well")`)
	w.redefine(t)
	for range 2 {
		require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("venom"), Source: 8, Magnitude: 120}))
	}
	p.until(`document.querySelector("#verdict").className == "alarm" && document.querySelector("#verdict a")`)
	began := time.Now()
	clicks := 0
	click := func(selector string) {
		t.Helper()
		clicks++
		p.do(chromedp.Click(chromedp.CSS(selector)))
	}
	p.picture("clicks-1")

	// The first line names the player. Open the player's page.
	click(`#verdict a[href="#/player/7"]`)
	p.until(`document.querySelector("#p-name").textContent == "Sigrun Bold" && document.querySelector("#p-state").textContent.startsWith("is stuck in venom")`)
	p.until(`document.querySelector('#past-lanes a[href="#/definition/venom"]')`)
	p.picture("clicks-2")

	// The incident contains the position of the handler.
	click("#to-incidents")
	const stuck = `[...document.querySelectorAll("#incident-list li")].find((n) => n.textContent.includes("stuck handler"))`
	p.until(stuck + ` && ` + stuck + `.textContent.includes("buffs/world.yaml:1")`)
	click("#incident-list summary")
	p.until(stuck + `.querySelector("pre").offsetParent && /world\.\(?.*askTheCaster|askTheCaster/.test(` + stuck + `.querySelector("pre").textContent) && /world_test\.go:\d+/.test(` + stuck + `.querySelector("pre").textContent)`)
	require.NotContains(t, eval[string](p, stuck+`.querySelector("pre").textContent`), "workerState")
	p.picture("clicks-3")

	// The page of the definition shows its file and line, the handler that it calls, and the
	// players that have it.
	click(`#incident-list a[href="#/definition/venom"]`)
	p.until(`document.querySelector("#s-place").textContent == "buffs/world.yaml:1" && document.querySelector("#s-fields").textContent.includes("call drain")`)
	p.until(`/pulse[\d,.]+ per second/.test(document.querySelector("#s-figures").textContent)`)
	p.until(`document.querySelectorAll("#holders li").length > 0 || document.querySelector("#h-note").textContent.includes("unknown for")`)
	p.picture("clicks-4")

	// The list of reloads shows that it was changed a moment before.
	click("#to-definitions")
	p.until(`document.querySelector("#reloads li .ok") && document.querySelector("#reloads").textContent.includes("venom")`)
	took := time.Since(began)
	t.Logf("%d clicks in %v", clicks, took.Round(time.Millisecond))
	require.LessOrEqual(t, clicks, 6)
	require.Less(t, took, time.Minute)

	// The incident is still listed when it is over.
	close(w.gate)
	click("#to-incidents")
	p.until(stuck + ` && !` + stuck + `.classList.contains("open") && / s$|ms$/.test(` + stuck + `.querySelectorAll(".soft")[1].textContent)`)
	p.picture("incidents")
}
