package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	browserdomain "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cmd/bufftick/studio/web"
	"github.com/bufftick/bufftick/inspect"
)

// studioFile is the file of the tests of package studio, with a comment.
var studioFile = func() string {
	text, err := os.ReadFile("../../cmd/bufftick/studio/testdata/bleed.yaml")
	if err != nil {
		panic(err)
	}
	return "# Bleeds\n" + string(text)
}()

// newStudio serves a folder with one file, attached to games, and opens the page.
func newStudio(t *testing.T, width int64, attach ...string) (p *tab, dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bleed.yaml"), []byte(studioFile), 0o600))
	p = open(t, serveStudio(t, dir, attach...), width, tall)
	p.until(drawn)
	return p, dir
}

// drawn is the condition that the page has started and shows a timeline.
const drawn = `document.body.dataset.ready == "yes" && document.querySelectorAll("#line rect.bar").length > 0`

// serveStudio serves a folder and returns the link of its page.
func serveStudio(t *testing.T, dir string, attach ...string) string {
	t.Helper()
	s, err := web.NewServer(dir)
	require.NoError(t, err)
	for _, game := range attach {
		require.NoError(t, s.Attach(game, token))
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL + "/#token=" + s.Token
}

// typed puts the cursor after a text of the file and types.
func (p *tab) typed(after, keys string) {
	p.t.Helper()
	p.do(chromedp.Focus("#editor .cm-content"))
	eval[any](p, fmt.Sprintf(`void (() => {
		const want = %q, line = [...document.querySelectorAll("#editor .cm-line")].find((l) => l.textContent.includes(want));
		const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
		let left = line.textContent.indexOf(want) + want.length;
		for (let n; (n = walk.nextNode()); left -= n.length) if (left <= n.length) return getSelection().collapse(n, left);
		throw new Error("no " + want);
	})()`, after))
	p.do(chromedp.KeyEvent(keys))
}

// click clicks a button by its text.
func (p *tab) click(text string) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`void [...document.querySelectorAll("button")].find((b) => b.textContent.startsWith(%q)).click()`, text))
}

// TestStudio edits a definition, looks at its timeline and numbers, and keeps it as a test.
func TestStudio(t *testing.T) {
	t.Parallel()
	p, dir := newStudio(t, 1440)
	p.until(`document.querySelector("#buff").textContent == "bleed" && document.querySelectorAll("#line circle.pulse").length == 3`)

	// An error while typing, and completion from the schema.
	p.typed("9s", "x")
	p.until(`document.querySelector("#findings .error") && document.querySelectorAll("#editor .cm-lintRange-error").length == 1 && document.querySelector("#file").textContent.includes("not saved")`)
	p.do(chromedp.KeyEvent("\b"))
	p.until(`!document.querySelector("#findings .error")`)
	p.typed("by: source", ", ref")
	p.until(`[...document.querySelectorAll(".cm-tooltip-autocomplete li")].some((l) => l.textContent.startsWith("refresh"))`)
	p.until(`(() => { // the editor ignores a click on a completion that has just appeared
		const shown = [...document.querySelectorAll(".cm-tooltip-autocomplete li")].find((l) => l.textContent.startsWith("refresh"));
		if (shown) shown.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, cancelable: true }));
		return document.querySelector("#editor .cm-content").textContent.includes("refresh: ");
	})()`)
	p.do(chromedp.KeyEvent("extend"))
	p.until(`!document.querySelector("#findings .error") && document.querySelectorAll("#line circle.pulse").length == 3`)

	// Help for the field at the pointer.
	eval[any](p, `void (() => {
		const span = [...document.querySelectorAll("#editor .cm-line span")].find((n) => n.textContent == "period"), at = span.getBoundingClientRect();
		span.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: at.left + 8, clientY: at.top + 8 }));
	})()`)
	p.until(`document.querySelector(".hint code").textContent == "period" && document.querySelector(".hint div").textContent.length > 10`)

	// Two applications by clicking, and the comparison with the saved file.
	eval[any](p, `void (document.querySelector("#at").value = 4000, document.querySelector("#at").dispatchEvent(new Event("input")))`)
	p.click("Apply")
	p.until(`document.querySelector("#script .cm-content").textContent.includes("at: 4s") && document.querySelectorAll("#line circle.pulse").length == 6`)
	require.Equal(t, 10.0, eval[float64](p, `document.querySelector("#line text.refresh").x.baseVal[0].value - document.querySelector("#line text.stack").x.baseVal[0].value`))
	eval[any](p, `void (document.querySelector("#against").value = "saved", document.querySelector("#against").dispatchEvent(new Event("change")))`)
	p.until(`document.querySelectorAll("#line .diff .minus").length > 0`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until(`!document.querySelector(".cm-tooltip-autocomplete")`)
	p.picture("studio")

	// Saving keeps the comment, and does not overwrite another program's change.
	p.click("Save")
	p.until(`document.querySelector("#save").disabled`)
	text, err := os.ReadFile(filepath.Join(dir, "bleed.yaml"))
	require.NoError(t, err)
	require.Equal(t, strings.Replace(studioFile, "by: source", "by: source, refresh: extend", 1), string(text))
	p.typed("# Bleeds", "!")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bleed.yaml"), append(text, "# theirs\n"...), 0o600))
	p.click("Save")
	p.until(`!document.querySelector("#take").hidden`)
	after, err := os.ReadFile(filepath.Join(dir, "bleed.yaml"))
	require.NoError(t, err)
	require.Equal(t, string(text)+"# theirs\n", string(after))
	p.click("Load the other version")
	p.until(`document.querySelector("#editor .cm-content").textContent.includes("# theirs") && document.querySelector("#save").disabled`)
	p.expect("409")

	// Numbers.
	p.click("Numbers")
	eval[any](p, `void (document.querySelector("#runs").value = 50)`)
	p.click("Run")
	p.until(`document.querySelectorAll("#table tbody tr").length == 1 && document.querySelector("#told").textContent.startsWith("50 runs")`)
	p.typed("9s", "")
	eval[any](p, `void (document.querySelector("#from").value = "6s", document.querySelector("#to").value = "12s")`)
	p.click("Sweep")
	p.until(`document.querySelectorAll("#table tbody tr").length == 7`)

	// A kept test becomes red when the definition changes.
	p.click("Timeline")
	p.click("Keep as test")
	p.until(`document.querySelector("#ask").open`)
	p.click("OK")
	p.until(`document.querySelectorAll("#tests .passed").length == 1`)
	p.typed("by: 1", "5")
	p.until(`document.querySelectorAll("#tests .failed").length == 1 && document.querySelector("#t-tests").textContent == "Tests (1 red)"`)
	p.click("Tests")

	// A recipe.
	p.click("From a recipe")
	p.until(`document.querySelector("#recipes").open`)
	eval[any](p, `void (document.querySelector("#query").value = "stun", document.querySelector("#query").dispatchEvent(new Event("input")))`)
	p.until(`document.querySelectorAll("#found li").length > 0 && document.querySelectorAll("#found li").length < 10`)
	p.click("shared-stun-dr")
	p.until(`document.querySelector("#file").textContent.startsWith("shared-stun-dr.yaml")`)
	p.click("Timeline")
	p.until(`document.querySelectorAll("#line text.deny").length > 0`)
}

// choose sets the value of an input or a select.
func (p *tab) choose(id, value string) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`void (() => {
		const n = document.getElementById(%q);
		n.value = %q;
		n.dispatchEvent(new Event("input")), n.dispatchEvent(new Event("change"));
	})()`, id, value))
}

// TestStudio_Compare compares a text with the last commit and with version A, marks the differences in
// the lanes, plays with the sliders, and copies the table of numbers.
func TestStudio_Compare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "bleed.yaml")
	require.NoError(t, os.WriteFile(file, []byte(studioFile), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"}} {
		git := exec.Command("git", args...)
		git.Dir = dir
		out, err := git.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(studioFile, "duration: 9s", "duration: 6s", 1)), 0o600))
	p := open(t, serveStudio(t, dir), 1440, tall)
	p.until(drawn)

	// The last commit has a third pulse, another end and less health.
	p.choose("against", "commit")
	p.until(`document.querySelectorAll("#line circle.pulse").length == 5 && document.querySelectorAll("#line circle.pulse.only").length == 1`)
	p.until(`document.querySelectorAll("#line .bar.only").length == 2 && document.querySelectorAll("#line .end.only").length == 2 && document.querySelectorAll("#line .curve.other").length == 2`)
	require.Contains(t, eval[string](p, `document.querySelector("#line circle.pulse.only title").textContent`), "9s pulse, only in this version")
	p.until(`document.querySelector("#line .diff .minus").textContent.includes("9000")`)

	// Version A.
	p.click("Set A")
	p.typed("by: 10", ".5")
	p.until(`document.querySelectorAll("#line .curve.other").length == 2 && document.querySelectorAll("#line circle.pulse.only").length == 0`)
	p.choose("against", "")
	p.until(`document.querySelectorAll("#line circle.pulse").length == 2`)

	// The sliders: three stacks at twice the speed.
	p.choose("stacks", "3")
	p.choose("haste", "200")
	p.until(`document.querySelectorAll("#line circle.pulse").length == 4 && document.querySelector("#line .bar title").textContent.includes("×3") && document.querySelector("#sliders").textContent == "stacks 3, haste 2"`)
	p.choose("haste", "100")
	p.choose("stacks", "0")
	p.until(`document.querySelector("#sliders").textContent == "as in the script" && document.querySelectorAll("#line circle.pulse").length == 2`)

	// The table is copied with tabs, as a spreadsheet reads it.
	p.click("Numbers")
	p.choose("runs", "20")
	p.click("Run")
	p.until(`document.querySelectorAll("#table tbody tr").length == 1`)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		call(p, browserdomain.SetPermission, browserdomain.SetPermissionParams{Permission: &browserdomain.PermissionDescriptor{Name: name}, Setting: browserdomain.PermissionSettingGranted})
	}
	p.click("Copy table")
	eval[any](p, `void setTimeout(async () => { window.pasted = await navigator.clipboard.readText(); }, 100)`)
	p.until(`/^buff\ton\t.*\nbleed\tp1\t1\t0\t/.test(window.pasted)`)
}

// TestStudio_Explosion starts in an empty folder, finds the recipe of a shield that explodes, plays it
// with an enemy by clicking, and keeps that as a test.
func TestStudio_Explosion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := open(t, serveStudio(t, dir), 1440, tall)
	p.until(`document.body.dataset.ready == "yes"`)
	p.click("From a recipe")
	p.choose("query", "a shield that explodes")
	p.until(`document.querySelector("#found b").textContent == "exploding-shield"`)
	p.click("exploding-shield")
	p.until(`document.querySelector("#buff").textContent == "shell" && document.querySelector("#line").textContent.includes("burnt")`)

	// The buttons are for the player that carries the shield.
	p.click("Hit")
	p.until(`document.querySelector("#script .cm-content").textContent.includes("owner: knight, damage: health, by: 10, source: enemy")`)

	// Another script, by clicking: the enemy comes near and hits until the shield breaks.
	p.typed("duration: 15s", "")
	eval[any](p, `void document.querySelector("#script .cm-content").focus()`)
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)), chromedp.KeyEvent("- {at: 0, apply: shell}\r"))
	p.until(`document.querySelectorAll("#line rect.bar").length == 1`)
	p.choose("at", "1000")
	p.click("Enemy comes near")
	p.click("Hit")
	p.until(`document.querySelector("#script .cm-content").textContent.includes("source: enemy")`)
	p.until(`document.querySelector("#line .shield")`)
	eval[any](p, `void (() => {
		const line = [...document.querySelectorAll("#script .cm-line")].find((l) => l.textContent.includes("by: 10")), walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
		let left = line.textContent.indexOf("by: 10") + 6;
		for (let n; (n = walk.nextNode()); left -= n.length) if (left <= n.length) return getSelection().collapse(n, left);
	})()`)
	p.do(chromedp.KeyEvent("0"))
	p.until(`[...document.querySelectorAll("#line h3")].some((n) => n.textContent == "enemy") && document.querySelector("#line").textContent.includes("burnt")`)
	p.click("Keep as test")
	p.until(`document.querySelector("#ask").open`)
	p.click("OK")
	p.until(`document.querySelectorAll("#tests .passed").length == 1`)
	text, err := os.ReadFile(filepath.Join(dir, "scenarios", "shell.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), "frame: 500ms\nwant:\n")
	require.Contains(t, string(text), "change burnt health by=-60 value=240")

	// The message stays while the time moves.
	p.choose("at", "500")
	require.Equal(t, "Kept as scenarios/shell.yaml.", eval[string](p, `document.querySelector("#kept").textContent`))
}

// TestStudio_RedFirst checks that the page shows failed tests before the others.
func TestStudio_RedFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bleed.yaml"), []byte(studioFile+"  calm: {duration: 3s}\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "scenarios"), 0o755))
	const head = "load: ..\nscript: [{at: 0, apply: %s}]\nwant: [%s]\n"
	for name, text := range map[string]string{
		"a": fmt.Sprintf(head, "calm", "0 apply calm x1 end=3000, 3000 remove calm why=expired"),
		"b": fmt.Sprintf(head, "bleed", "0 apply bleed x1 end=1"),
		"c": "load: ..\nscript: [{at: 0, apply: none}]\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "scenarios", name+".yaml"), []byte(text), 0o600))
	}
	p := open(t, serveStudio(t, dir), 1440, tall)
	p.until(drawn)
	p.click("Tests")
	p.until(`[...document.querySelectorAll("#tests button")].map((n) => n.textContent[0]).join("") == "✗✗✓"`)
	p.until(`document.querySelector("#t-tests").textContent == "Tests (2 red)"`)
}

// TestStudio_Keyboard makes a buff with the keyboard in an empty folder: Enter after a key starts a
// deeper line, Ctrl+S saves once, and the errors of a long file stay in view.
func TestStudio_Keyboard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := open(t, serveStudio(t, dir), 1440, tall)
	p.until(`document.body.dataset.ready == "yes" && document.querySelector("#list").textContent.includes("no file") && document.querySelector("#problem").hidden`)
	p.click("New file")
	p.until(`document.querySelector("#ask").open`)
	p.do(chromedp.KeyEvent("fire\r"))
	p.until(`document.activeElement.closest("#editor") && document.querySelector("#file").textContent == "fire.yaml"`)
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)))
	enter := func(times int) { // without the text of the key, which chromedp sends in any case
		eval[any](p, fmt.Sprintf(`void (() => {
			for (let i = 0; i < %d; i++) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 13, bubbles: true, cancelable: true }));
		})()`, times))
	}
	for i, line := range []string{"buffs:", "burn:", "duration: 9s"} {
		if i > 0 {
			enter(1)
		}
		p.do(chromedp.KeyEvent(line + kb.Escape)) // Escape closes the completions, which Enter would accept
	}
	const text = "buffs:\n  burn:\n    duration: 9s"
	p.until(`document.querySelector("#buff").textContent == "burn" && document.querySelectorAll("#line rect.bar").length == 1`)
	p.do(chromedp.KeyEvent("s", chromedp.KeyModifiers(kb.ModifierCtrl)))
	p.until(`document.querySelector("#save").disabled`)
	enter(1)
	p.until(`!document.querySelector("#save").disabled`)
	eval[any](p, `void [1, 2].forEach(() => dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true })))`)
	p.until(`document.querySelector("#save").disabled`)
	require.True(t, eval[bool](p, `document.querySelector("#problem").hidden`))
	saved, err := os.ReadFile(filepath.Join(dir, "fire.yaml"))
	require.NoError(t, err)
	require.Equal(t, text, strings.TrimRight(string(saved), "\n "))

	enter(120)
	p.do(chromedp.KeyEvent("x"))
	p.until(`document.querySelector("#findings .error")`)
	require.True(t, eval[bool](p, `document.querySelector("#findings .error").getBoundingClientRect().bottom <= innerHeight`))
}

// TestStudio_KeyboardOnly reaches all parts of the page with the keyboard: it finds a recipe, plays it
// and keeps a test.
func TestStudio_KeyboardOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := open(t, serveStudio(t, dir), 1440, tall)
	p.until(`document.body.dataset.ready == "yes"`)
	// tab presses Tab until the focus is on an element.
	tab := func(what string) {
		t.Helper()
		for range 40 {
			p.do(chromedp.KeyEvent(kb.Tab))
			if eval[bool](p, `!!document.activeElement.closest(`+"`"+what+"`"+`)`) {
				return
			}
		}
		t.Fatalf("Tab does not reach %s: the focus is on %s", what, eval[string](p, "document.activeElement.outerHTML.slice(0, 100)"))
	}
	tab("#cookbook")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.activeElement.id == "query"`)
	p.do(chromedp.KeyEvent("a bleed that ramps"))
	p.until(`document.querySelector("#found b").textContent == "ramping-bleed"`)
	tab("#found")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelectorAll("#line rect.bar").length > 0 && document.activeElement.closest("#editor")`)

	// Tab indents in an editor; after Escape it leaves it.
	p.do(chromedp.KeyEvent(kb.Escape))
	tab("#findings")
	tab("#t-timeline")
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.until(`document.activeElement.id == "t-numbers" && !document.querySelector("#p-numbers").hidden`)
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.until(`document.activeElement.id == "t-timeline" && !document.querySelector("#p-timeline").hidden`)
	tab("#line")
	p.do(chromedp.KeyEvent(kb.ArrowRight + kb.ArrowRight))
	p.until(`Number(document.querySelector("#at").value) > 0`)
	tab("#clicks button")
	const steps = `document.querySelector("#script .cm-content").textContent.split("apply: bleed").length`
	was := eval[int](p, steps)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(fmt.Sprintf(`%s == %d`, steps, was+1))
	tab("#script")
	p.do(chromedp.KeyEvent(kb.Escape))
	tab("#keep")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.activeElement.id == "ask-value"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelectorAll("#tests .passed").length == 1`)
	p.do(chromedp.KeyEvent("3", chromedp.KeyModifiers(kb.ModifierAlt)))
	p.until(`!document.querySelector("#p-tests").hidden`)
}

// TestStudio_Windows edits files in two windows of a browser: both unsaved texts survive, and a removed
// file can be saved again.
func TestStudio_Windows(t *testing.T) {
	t.Parallel()
	dir, in := t.TempDir(), browser(t)
	for _, name := range []string{"a", "b"} {
		text := "buffs:\n  " + name + ":\n    duration: 9s\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600))
	}
	link := serveStudio(t, dir)
	a, b := openIn(in, t, link, 1440, tall, ""), openIn(in, t, link, 1440, tall, "")
	a.until(drawn)
	b.until(drawn)
	b.click("b.yaml")
	b.until(`document.querySelector("#buff").textContent == "b"`)
	a.typed("9s", " # from a")
	a.until(`document.querySelector("#file").textContent == "a.yaml — not saved"`)
	b.until(`document.querySelector("#list").textContent.includes("• a.yaml")`)
	b.typed("9s", " # from b")
	b.until(`document.querySelector("#file").textContent == "b.yaml — not saved"`)
	c := openIn(in, t, link, 1440, tall, "")
	c.until(`document.querySelector("#editor .cm-content").textContent.includes("from a") && document.querySelector("#list").textContent.includes("• b.yaml")`)

	at := filepath.Join(dir, "b.yaml")
	require.NoError(t, os.Remove(at))
	b.until(`document.querySelector("#problem").textContent.includes("b.yaml has been removed by another program") && !document.querySelector("#over").hidden`)
	c.until(`[...document.querySelectorAll("#list button")].some((n) => n.textContent == "• b.yaml !")`)
	b.click("Keep mine")
	b.until(`document.querySelector("#save").disabled && document.querySelector("#problem").hidden`)
	text, err := os.ReadFile(at)
	require.NoError(t, err)
	require.Equal(t, "buffs:\n  b:\n    duration: 9s # from b\n", string(text))
	c.until(`[...document.querySelectorAll("#list button")].some((n) => n.textContent == "b.yaml")`)
}

// TestStudio_Game watches a player of a running game and reloads its definitions.
func TestStudio_Game(t *testing.T) {
	t.Parallel()
	var reloads atomic.Int32
	w := newWorld(t, inspect.Options{Token: token, Reload: func() (any, error) { reloads.Add(1); return "1 changed", nil }})
	p, _ := newStudio(t, 1440, w.url)
	p.click("Game")
	require.NoError(t, w.eng.Inbox().AddBuff(hero, buff.Application{Spec: w.eng.Catalog().Spec("venom"), Source: 8, Magnitude: 120}))
	eval[any](p, `void (document.querySelector("#player").value = "7")`)
	p.click("Watch")
	p.until(`[...document.querySelectorAll("#carried li")].some((l) => /Venom|venom/.test(l.textContent) && l.textContent.includes("left"))`)
	p.typed("period: 3s", " # slow")
	p.until(`!document.querySelector("#save").disabled`)
	p.click("Save and reload")
	p.until(`document.querySelector("#reloaded").textContent == "The game uses the new definitions." && document.querySelector("#save").disabled`)
	require.EqualValues(t, 1, reloads.Load())
	eval[any](p, `void (document.querySelector("#player").value = "x")`)
	p.click("Watch")
	p.until(`document.querySelector("#gamed").textContent.includes("a player id has up to 20 digits")`)
	p.expect("422")
}

// TestStudio_Axe checks the page with axe, in both themes, from a phone to a wide screen.
func TestStudio_Axe(t *testing.T) {
	t.Parallel()
	text := axe(t)
	for _, width := range []int64{390, 1024, 1920} {
		p, _ := newStudio(t, width)
		eval[any](p, text+"; void 0")
		p.choose("against", "saved")
		p.typed("9s", "x")
		p.until(`document.querySelector("#findings .error")`)
		p.do(chromedp.KeyEvent("\b\b\b8s"))
		p.until(`document.querySelector("#findings .warning") && document.querySelectorAll("#line .only").length > 0`)
		p.click("Numbers")
		p.click("Run")
		p.until(`document.querySelectorAll("#table tbody tr").length == 1`)
		for _, theme := range []string{"light", "dark"} {
			if eval[string](p, "document.documentElement.dataset.theme") != theme {
				eval[any](p, `void document.querySelector("#theme").click()`)
			}
			for _, name := range []string{"Timeline", "Numbers", "Tests", "From a recipe"} {
				p.click(name)
				if name == "From a recipe" {
					p.until(`document.querySelectorAll("#found li").length > 0`)
				}
				for _, v := range p.violations() {
					t.Errorf("%s, %d px, %s: %s", name, width, theme, v)
				}
				require.LessOrEqual(t, eval[int64](p, "document.documentElement.scrollWidth"), width)
			}
			eval[any](p, `void document.querySelector("#recipes").close()`)
		}
		// A timeline that was drawn while another tab was open has the width of the page.
		p.click("Numbers")
		p.typed("8s", "\b\b6s")
		p.until(`document.querySelector("#findings ul").children.length == 0`)
		p.choose("at", "3000")
		p.click("Timeline")
		require.Greater(t, eval[float64](p, `document.querySelector("#line svg").viewBox.baseVal.width / document.querySelector("#line").clientWidth`), 0.99)
	}
}

// TestStudio_Playground checks the page without a server, which "make playground" builds.
func TestStudio_Playground(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the engine for the browser")
	}
	dir := t.TempDir()
	build := exec.Command("go", "run", "./cmd/bufftick/studio/playground", dir)
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Less(t, compressed(t, dir), 6<<20)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	p := open(t, server.URL+"/", 1440, tall)
	p.until(`document.querySelectorAll("#line circle.pulse").length > 0`)
	p.typed("duration: 6s", "x")
	p.until(`document.querySelector("#findings .error")`)
	p.do(chromedp.KeyEvent("\b"))
	p.until(`!document.querySelector("#findings .error")`)
	p.click("Copy link")
	p.until(`location.hash.startsWith("#d=")`)
	other := open(t, eval[string](p, "location.href"), 390, tall)
	other.until(`document.querySelectorAll("#line circle.pulse").length > 0 && document.querySelector("#script .cm-content").textContent.includes("3s")`)
}

// compressed returns the number of bytes of the files of a folder as a web server sends them.
func compressed(t *testing.T, dir string) int {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	sum := 0
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, err = z.Write(text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		sum += min(out.Len(), len(text))
	}
	return sum
}
