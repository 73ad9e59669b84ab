package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/bufftick/bufftick/inspect"
)

// TestCommandLine checks that with Options.Unsafe, a player's page has a command line with
// completions, which shows the result of a command.
func TestCommandLine(t *testing.T) {
	w := newWorld(t, inspect.Options{Token: token, Unsafe: true})
	p := open(t, w.url+"#/player/7", wide, tall)
	p.until(`!document.querySelector("#p-command").hidden && document.querySelectorAll("#buffs li").length > 0`)
	p.do(chromedp.SendKeys(chromedp.ID("token"), token+"\r"))
	p.until(`document.querySelector("#told").textContent.includes("Token accepted")`)
	p.do(chromedp.SendKeys(chromedp.ID("command"), "apply cham"))
	p.until(`[...document.querySelectorAll("#completions option")].some((o) => o.value == "apply champion")`)
	p.do(chromedp.SendKeys(chromedp.ID("command"), "pion source=9\r"))
	p.until(`/^apply champion source=9: apply 7\/\d+\/\d+/.test(document.querySelector("#commanded").textContent)`)
	p.until(`document.querySelector("#buffs").textContent.includes("Champion")`)
	p.do(chromedp.SendKeys(chromedp.ID("command"), "extnd well_rested by=1h\r"))
	p.until(`document.querySelector("#commanded").className == "failed" && document.querySelector("#commanded").textContent.includes('did you mean "extend"?')`)
	p.expect("400 (Bad Request)")
	p.picture("command")
	eval[any](p, `void (document.querySelector("#command").value = "")`)
	p.do(chromedp.SendKeys(chromedp.ID("command"), "kill\r"))
	p.until(`document.querySelector("#commanded").textContent.startsWith("kill: ") && !document.querySelector("#buffs").textContent.includes("Champion")`)
}
