package e2e

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// axe returns the source of axe-core, see testdata/axe.
func axe(t *testing.T) string {
	t.Helper()
	f, err := os.Open("testdata/axe/axe.min.js.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// violation is a violation of a rule of axe.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML           string
		FailureSummary string
	}
}

// violations checks the page with all rules of axe and returns the violations.
func (p *tab) violations() (out []string) {
	p.t.Helper()
	eval[any](p, `void (window.axed = null, axe.run(document, { resultTypes: ["violations"] }).then((r) => { window.axed = JSON.stringify(r.violations); }, (e) => { window.axed = JSON.stringify([{ id: "axe failed", help: String(e), nodes: [] }]); }))`)
	p.until(`window.axed !== null`)
	var list []violation
	require.NoError(p.t, json.Unmarshal([]byte(eval[string](p, `window.axed`)), &list))
	for _, v := range list {
		text := v.ID + ": " + v.Help
		for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
			text += fmt.Sprintf("\n    %.200s\n    %s", n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", " "))
		}
		out = append(out, text)
	}
	return out
}

// TestAxe checks that no page violates a rule of axe. It tests both themes, a phone and a wide
// screen, with a stuck player, incidents, a refused reload and the field for the token.
func TestAxe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspect.Options{Token: token, Reload: func() (any, error) { return nil, errReload }})
	w.page.Reloaded(nil, errReload)
	w.trap(t, 30)
	text := axe(t)
	for _, width := range []int64{390, 1440} {
		p := open(t, w.url, width, tall)
		p.until(`document.querySelectorAll("#slow li").length == 10 && document.querySelectorAll("#most li").length == 10`)
		eval[any](p, text+"; void 0")
		for _, theme := range []string{"light", "dark"} {
			for _, route := range routes {
				eval[any](p, `void (location.hash = "`+route+`")`)
				p.until(`document.querySelector("main:not([hidden]) h2").textContent && document.querySelector("#verdict").className == "alarm"`)
				switch route {
				case "#/player/7":
					p.until(`document.querySelectorAll("#buffs li").length > 0 && !document.querySelector("#p-past").hidden && document.querySelectorAll("#past-lanes li").length > 0`)
				case "#/definitions":
					p.until(`document.querySelectorAll("#specs tr").length == 10 && document.querySelectorAll("#reloads li").length > 0`)
				case "#/definition/venom":
					p.until(`document.querySelectorAll("#holders li").length > 0`)
				case "#/incidents":
					p.until(`document.querySelector("#incident-list summary")`)
					eval[any](p, `void (document.querySelector("#incident-list details").open = true)`)
				}
				if route == "#/player/7" {
					eval[any](p, `void (document.querySelector("#past-at").value -= 1500, document.querySelector("#past-at").dispatchEvent(new Event("input")))`)
					p.until(`document.querySelectorAll(".then .sheet li").length == 3`)
				}
				for _, v := range p.violations() {
					t.Errorf("%s, %s, %d px: %s", route, theme, width, v)
				}
				if route == "#/incidents" && theme == "dark" {
					p.picture(fmt.Sprintf("incidents-%d", width))
				}
			}
			p.do(chromedp.KeyEvent("t"))
		}
		p.cutOff()
	}
}
