package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// pasted replaces the text of an editor of the studio, as a user who pastes.
func (p *tab) pasted(editor, text string) {
	p.t.Helper()
	p.do(chromedp.Focus(editor+" .cm-content"), chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)))
	eval[any](p, fmt.Sprintf(`void (() => {
		const data = new DataTransfer();
		data.setData("text/plain", %q);
		document.querySelector(%q).dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	})()`, text, editor+" .cm-content"))
}

// TestStudio_BadInput checks that the page stays usable and keeps its text after bad input.
func TestStudio_BadInput(t *testing.T) {
	t.Parallel()
	p, dir := newStudio(t, 1440)

	// Broken YAML: the timeline of the last good text stays.
	p.typed("limit: 5", "}}")
	p.until(`document.querySelector("#findings .error")`)
	require.Equal(t, 3, eval[int](p, `document.querySelectorAll("#line circle.pulse").length`))
	p.do(chromedp.KeyEvent("\b\b"))
	p.until(`!document.querySelector("#findings .error")`)

	// A script with a million events: the timeline ends early and says so.
	p.pasted("#editor", studioFile+"  fast: {duration: infinite, period: 50ms}\n")
	p.until(`document.querySelector("#buff").textContent == "fast"`)
	p.pasted("#script", "- {at: 0, apply: fast}\n- {at: 50000s, tick: true}\n")
	p.until(`document.querySelector("#line .note").textContent.startsWith("The timeline ends after 50")`)

	// A definition that applies itself, and a formula without an end.
	p.pasted("#editor", studioFile+"  again: {duration: instant, on: {exec: [{apply: again}]}}\n")
	p.until(`document.querySelector("#buff").textContent == "again"`)
	p.pasted("#script", "- {at: 0, apply: again}\n")
	p.until(`[...document.querySelectorAll("#line svg")].some((n) => n.getAttribute("aria-label").includes("again"))`)
	p.pasted("#editor", strings.Replace(studioFile, "by: 10", `by: {formula: "`+strings.Repeat("(", 50_000)+`1"}`, 1))
	p.until(`document.querySelector("#findings .error")`)
	p.pasted("#editor", studioFile)
	p.until(`!document.querySelector("#findings .error") && document.querySelector("#buff").textContent == "bleed"`)
	p.until(`document.querySelectorAll("#line circle.pulse").length == 3`)

	// A file that cannot be written: the text stays, also in a new window.
	at := filepath.Join(dir, "bleed.yaml")
	require.NoError(t, os.Chmod(at, 0o444))
	p.typed("# Bleeds", " mine")
	p.click("Save")
	p.until(`document.querySelector("#problem").textContent.includes("bleed.yaml is read-only")`)
	p.expect("422")
	p.do(chromedp.Reload())
	p.until(`document.querySelector("#editor .cm-content").textContent.includes("# Bleeds mine") && document.querySelector("#file").textContent.endsWith("not saved")`)
	require.NoError(t, os.Chmod(at, 0o644))
	p.click("Save")
	p.until(`document.querySelector("#save").disabled`)

	// A file of 10 MB is named as the problem, and cannot be edited. Without it all is as before.
	big := filepath.Join(dir, "big.yaml")
	require.NoError(t, os.WriteFile(big, bytes.Repeat([]byte("# big\n"), 10<<20/6), 0o600))
	p.until(`[...document.querySelectorAll("#list button")].some((n) => n.textContent == "big.yaml !" && n.title.includes("larger than"))`)
	p.click("big.yaml")
	p.until(`document.querySelector("#file").textContent == "big.yaml (cannot be edited)" && document.querySelector("#problem").textContent.includes("larger than")`)
	p.expect("422")
	p.click("bleed.yaml")
	p.until(`document.querySelector("#findings").textContent.includes("big.yaml")`)
	require.NoError(t, os.Remove(big))
	p.typed("# Bleeds mine", "!")
	p.until(`!document.querySelector("#findings .error") && document.querySelectorAll("#line circle.pulse").length == 3`)

	// 10,000 definitions are too many with those of the file, and 9,900 are not.
	for _, n := range []int{10_000, 9900} {
		var text strings.Builder
		text.WriteString("buffs:\n")
		for i := range n {
			fmt.Fprintf(&text, "  b%d: {duration: 3s}\n", i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "many.yaml"), []byte(text.String()), 0o600))
		p.typed("# Bleeds mine", "!")
		if n == 10_000 {
			p.until(`document.querySelector("#findings .error") && document.querySelector("#findings").textContent.includes("10000")`)
		}
	}
	p.until(`!document.querySelector("#findings .error") && document.querySelectorAll("#line circle.pulse").length == 3`)
}
