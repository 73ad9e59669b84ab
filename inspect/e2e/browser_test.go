package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var shots = flag.Bool("shots", false, "retake the pictures in shots/")

// chrome returns the path of the browser. If there is no browser, it skips the test, except in
// CI, where the test fails.
func chrome(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CHROME_BIN"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("there is no chromium, and in CI there must be")
	}
	t.Skip("there is no chromium in the PATH, nor a CHROME_BIN")
	return ""
}

// tab is a tab of the browser, with the errors that occurred in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu      sync.Mutex
	wrong   []string // console errors, exceptions
	foreign []string // requests to hosts other than the page's own
	host    string
}

// open starts a browser and opens a URL in it. At the end of the test, there must have been no
// error and no request to another host.
func open(t *testing.T, address string, width, height int64) *tab {
	t.Helper()
	return openIn(browser(t), t, address, width, height, "")
}

// browser starts a browser, which ends with the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := chrome(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience+*heapFor)
	t.Cleanup(cancel)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true))
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx) // an empty tab
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

// openIn opens a URL in a new tab of a browser, after a script has run in it.
func openIn(ctx context.Context, t *testing.T, address string, width, height int64, script string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	at, err := url.Parse(address)
	require.NoError(t, err)
	p := &tab{t: t, ctx: ctx, host: at.Host}
	require.NoError(t, chromedp.Do(ctx))
	if script != "" {
		call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	}
	require.NoError(t, chromedp.Listen(ctx, p.heard))
	require.NoError(t, chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tg, log.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, tg, network.Enable, network.EnableParams{})
		return err
	}), chromedp.EmulateViewport(width, height), chromedp.Navigate(address)))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Empty(t, p.wrong, "errors in the console")
		require.Empty(t, p.foreign, "requests to other hosts")
	})
	return p
}

// heard records errors and requests to other hosts.
func (p *tab) heard(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		p.wrong = append(p.wrong, fmt.Sprintf("console.%s", ev.Type))
	case *runtime.EventExceptionThrown:
		text := ev.ExceptionDetails.Text
		if x := ev.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		p.wrong = append(p.wrong, text)
	case *log.EventEntryAdded:
		p.wrong = append(p.wrong, ev.Entry.Text+" "+ev.Entry.URL)
	case *network.EventRequestWillBeSent:
		if at, err := url.Parse(ev.Request.URL); err == nil && at.Scheme != "data" && at.Host != p.host {
			p.foreign = append(p.foreign, ev.Request.URL)
		}
	}
}

// expect removes errors that the test has caused itself from the list of errors. The test fails
// if the list does not contain the text.
func (p *tab) expect(text string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(p.wrong), func(s string) bool { return strings.Contains(s, text) })
	require.Less(p.t, len(rest), len(p.wrong), "%s is not in the console: %q", text, p.wrong)
	p.wrong = rest
}

// cutOff removes errors about streams that the server has closed. It is for tests that block the
// page: while axe runs, the page does not read, and the server closes a stream if a write takes
// too long.
func (p *tab) cutOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = slices.DeleteFunc(p.wrong, func(s string) bool {
		return strings.Contains(s, "ERR_INCOMPLETE_CHUNKED_ENCODING") && strings.Contains(s, "?stream")
	})
}

// do runs steps in the tab.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, steps...))
}

// eval returns the value of an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	require.NoError(p.t, err, expression)
	return v
}

// patience is the time that a test waits for a condition. It is much more than is needed on a
// busy machine.
const patience = time.Minute

// until waits until an expression in the page is true.
func (p *tab) until(expression string) {
	p.t.Helper()
	if err := p.within(patience, expression); err != nil {
		p.shoot(filepath.Join(os.TempDir(), "see-it-failed.png"))
		text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		p.t.Fatalf("not within %v: %s: %v; the page:\n%s", patience, expression, err, strings.TrimSpace(text))
	}
}

// within waits at most d until an expression in the page is true.
func (p *tab) within(d time.Duration, expression string) error {
	// A TypeError means that an element does not exist yet, which is not an error. Other errors
	// are reported.
	there := "(() => { try { return (" + expression + "); } catch (e) { if (e instanceof TypeError) return false; throw e; } })()"
	_, err := chromedp.Run(p.ctx, chromedp.Poll[any](there, chromedp.WithPollingTimeout(d), chromedp.WithPollingInterval(20*time.Millisecond)))
	return err
}

// shoot takes a screenshot of the whole page.
func (p *tab) shoot(path string) {
	p.t.Helper()
	data, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(path, data, 0o644))
}

// picture takes a screenshot for the documentation, if the flag -shots is set.
func (p *tab) picture(name string) {
	p.t.Helper()
	if *shots {
		p.shoot(filepath.Join("shots", name+".png"))
	}
}

// crop saves the top of a screenshot as another image.
func (p *tab) crop(name, as string, height int) {
	p.t.Helper()
	if !*shots {
		return
	}
	data, err := os.ReadFile(filepath.Join("shots", name+".png"))
	require.NoError(p.t, err)
	m, err := png.Decode(bytes.NewReader(data))
	require.NoError(p.t, err)
	out := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), height))
	draw.Draw(out, out.Bounds(), m, m.Bounds().Min, draw.Src)
	var file bytes.Buffer
	require.NoError(p.t, png.Encode(&file, out))
	require.NoError(p.t, os.WriteFile(filepath.Join("shots", as+".png"), file.Bytes(), 0o644))
}
