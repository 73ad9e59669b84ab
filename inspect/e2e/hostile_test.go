package e2e

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
	"github.com/stretchr/testify/require"
)

// hostile returns names that try to be interpreted as something other than text.
func hostile() []string {
	return []string{
		`<script>window.pwned=1</script>`,
		`<img src=x onerror="window.pwned=1">`,
		`" onmouseover="window.pwned=1" x="`,
		`' autofocus onfocus='window.pwned=1`,
		`javascript:window.pwned=1`,
		`</style><script>window.pwned=1</script>`,
		"x\n\nevent: view\ndata: {\"verdict\":1}\n\n",
		"x\r\ndata: <script>window.pwned=1</script>",
		`</script><svg onload=window.pwned=1>`,
		"\u202Eevil\u2066 \u200Bhidden\u2028line",
		`__proto__`, `constructor`, `toString`,
		"\xff\xfe bad utf-8",
		`${window.pwned=1}{{window.pwned=1}}`,
		strings.Repeat("A very long name ", 1<<20/17),
	}
}

// TestHostileNames checks that no part of a name is executed and that the page still works. The
// names are used for players, definitions, tags, attributes and the page itself, and in the error
// of a reload.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	names := hostile()
	specs := []buff.Spec{{ID: "trap", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "hang"}}}}}
	for i, name := range names {
		specs = append(specs, buff.Spec{
			ID: name, Name: name, Note: name, Tags: []string{fmt.Sprintf("tag%d", i)}, Duration: time.Hour, Period: time.Second,
			Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}, Params: []define.Param{{Name: fmt.Sprintf("p%d", i)}},
		})
	}
	var usable []buff.Spec
	for _, s := range specs {
		s.Params = nil
		if _, err := buff.NewCatalog(s); err == nil {
			usable = append(usable, s)
		}
	}
	t.Logf("%d of %d hostile names are definitions", len(usable)-1, len(names))
	require.Greater(t, len(usable), 1, "no hostile name got through the catalog: then this test shows nothing")
	cat, err := buff.NewCatalog(usable...)
	require.NoError(t, err)

	gate := make(chan struct{})
	eng, err := engine.New(engine.Options{Catalog: cat, Workers: 2, Budget: 5 * time.Millisecond, Handlers: engine.Handlers{
		"hang": func(*engine.Context, buff.Event) { <-gate },
	}})
	require.NoError(t, err)
	page, err := inspect.New(eng, inspect.Options{
		Title: names[0], Token: token, Budget: frame, Speed: -1,
		Name: func(id buff.OwnerID) string { return names[int(uint64(id)%uint64(len(names)))] },
		Attributes: func(any) (out []inspect.Attribute) {
			for _, name := range names {
				out = append(out, inspect.Attribute{Name: name, Base: math.NaN(), Value: math.Inf(1), Modifiers: []inspect.Modifier{{From: name, Text: name}}})
			}
			return out
		},
	})
	require.NoError(t, err)
	w := &world{eng: eng, page: page, gate: gate}
	const far = buff.OwnerID(math.MaxUint64) // an id that a JavaScript number cannot represent
	ids := []buff.OwnerID{far}
	for i := range names {
		ids = append(ids, buff.OwnerID(i))
	}
	for _, id := range ids {
		require.NoError(t, eng.Spawn(id, new(int)))
		for s := range cat.All() {
			if s.ID != "trap" {
				eng.AddBuff(id, buff.Application{Spec: s, Source: far, Magnitude: math.MaxInt64})
			}
		}
	}
	w.startQuiet(t)
	for _, name := range names {
		page.Reloaded(name, fmt.Errorf("%s", name))
	}

	p := open(t, w.url, wide, tall)
	p.until(`document.querySelector("#verdict").textContent.includes("was refused") && document.querySelectorAll("#most li").length > 5`)
	require.Equal(t, names[0], eval[string](p, `document.querySelector("#title").textContent`))
	eval[any](p, `void (location.hash = "#/player/18446744073709551615")`)
	p.until(`document.querySelectorAll("#buffs li").length > 5 && document.querySelectorAll("#attributes li").length > 5 && document.querySelectorAll("#history li").length > 5`)
	require.Contains(t, eval[string](p, `document.querySelector("#attributes").textContent`), "+Inf")
	require.Contains(t, eval[string](p, `document.querySelector("#attributes").textContent`), "NaN")
	require.Contains(t, eval[string](p, `document.querySelector("#buffs").textContent`), "9223372036854775807", "a whole number to its last digit")
	for s := range cat.All() {
		if s.ID == "trap" {
			continue
		}
		// refused, because the player already has such a buff
		require.NoError(t, eng.Inbox().AddBuff(far, buff.Application{Spec: s, Source: 1}))
	}
	eval[any](p, `void (location.hash = "#/definitions")`)
	p.until(`document.querySelectorAll("#specs tr").length > 5 && document.querySelectorAll("#reloads li").length > 5 && document.querySelector("#specs td.denied").textContent`)
	eval[any](p, `void document.querySelector("#specs a").click()`)
	p.until(`document.querySelectorAll("#s-fields dt").length > 0`)
	eval[any](p, `void (location.hash = "#/")`)
	require.NoError(t, eng.Inbox().AddBuff(0, buff.Application{Spec: cat.Spec("trap")}))
	p.until(`document.querySelector("#verdict").className == "alarm"`)
	for _, q := range []string{"<script>", "%", "__proto__", strings.Repeat("9", 20), "\\u0000", "\\u202e"} {
		eval[any](p, `void (() => { const q = document.querySelector("#query"); q.value = "`+q+`"; q.dispatchEvent(new Event("input")); document.querySelector("#found").hidden = true; })()`)
		p.until(`!document.querySelector("#found").hidden`)
	}
	for _, hash := range []string{"#/player/7<script>", "#/player/" + strings.Repeat("9", 400), "#javascript:window.pwned=1"} {
		eval[any](p, `void (location.hash = `+"`"+hash+"`"+`)`)
		p.until(`!document.querySelector("#nowhere").hidden`)
	}
	require.False(t, eval[bool](p, `"pwned" in window`), "a name was run")
	require.Equal(t, 1, eval[int](p, `document.scripts.length`))
	require.Zero(t, eval[int](p, `document.querySelectorAll("img, iframe, object, embed, [onerror], [onload], [onfocus], [onmouseover]").length`))
	require.Zero(t, eval[int](p, `[...document.querySelectorAll("a[href]")].filter((a) => !/^#\/(player\/\d+(\/with\/\d+)?(\/at\/\d+)?|definitions|definition\/[\w%.!~*'()-]+|incidents|)$/.test(a.getAttribute("href"))).length`))
	require.Zero(t, eval[int](p, `[...document.body.innerText].filter((c) => /[\u202A-\u202E\u2066-\u2069\u200B\u2028]/.test(c)).length`))
	require.Less(t, eval[int](p, `Math.max(...[...document.querySelectorAll("a")].map((a) => a.textContent.length))`), 600)
}
