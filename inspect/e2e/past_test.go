package e2e

import (
	"fmt"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
	"github.com/stretchr/testify/require"
)

// TestAttributes_EarlierInstant checks that the slider shows the attributes at an earlier
// instant, with their bases and the effect of each buff with its stacks.
func TestAttributes_EarlierInstant(t *testing.T) {
	w := newWorld(t, inspect.Options{})
	luck, _ := w.eng.Catalog().Attr("luck")
	charm := w.eng.Catalog().Spec("charm")
	// do calls f on the loop, and returns the time. From that time on, the attribute luck has the
	// value that f causes.
	do := func(f func(e *engine.Engine)) (at int64) {
		require.NoError(t, w.eng.Inbox().Run(t.Context(), func(e *engine.Engine) {
			f(e)
			at = int64(e.Now())
		}))
		return at
	}
	add := func(e *engine.Engine) { e.AddBuff(hero, buff.Application{Spec: charm, Source: 8}) }
	none := do(func(*engine.Engine) {})
	one := do(add)
	two := do(func(e *engine.Engine) {
		add(e)
		e.Do(buff.SetBase(hero, luck, 4))
	})
	over := do(func(e *engine.Engine) { e.Do(buff.RemoveSpec(hero, charm, 0, reason.Cancelled)) })
	p := open(t, w.url+"#/player/7", wide, tall)
	p.until(`document.querySelectorAll(".then .sheet li").length == 3 && [...document.querySelectorAll("#past-lanes .lane")].some((n) => n.textContent.startsWith("Charm"))`)
	for _, c := range []struct {
		at   int64
		want string
	}{
		{none, `^3luckbase 3$`}, {one, `^5\.\d+luckbase 3\+2\.\d+ · Charm of Cassia Flint$`}, {two, `^8\.\d+luckbase 4\+4\.\d+ · Charm of Cassia Flint ×2$`}, {over, `^4luckbase 4$`},
	} {
		eval[any](p, fmt.Sprintf(`void (location.hash = "#/player/7/at/%d")`, c.at))
		p.until(fmt.Sprintf(`document.querySelector("#past-link").href.endsWith("/at/%d")`, c.at))
		require.Regexp(t, c.want, eval[string](p, `[...document.querySelectorAll(".then .sheet li")].find((n) => n.textContent.includes("luck")).textContent`))
	}
}
