package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestContext_Queries checks that a handler can read when its event was due, in which frame the
// event is processed, and the current definitions, even after a Reload.
func TestContext_Queries(t *testing.T) {
	specs := []buff.Spec{{ID: "p", Duration: 10 * time.Second, Period: time.Second, On: define.Hooks{Pulse: call("look")}}}
	cat, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	type seen struct {
		now, frame wheel.Time
		catalog    *buff.Catalog
	}
	for _, workers := range []int{0, 1} {
		var got []seen
		var kept *engine.Context
		e := open(t, engine.Options{Catalog: cat, Synchronous: workers == 0, Workers: workers, Budget: patient, Handlers: engine.Handlers{
			"look": func(c *engine.Context, _ buff.Event) {
				kept = c
				got = append(got, seen{c.Now(), c.Seen(), c.Catalog()})
			},
		}})
		spawn(t, e, 1)
		add(t, e, 1, cat.Spec("p"))
		e.Tick(2500 * time.Millisecond)
		next, err := cat.Next(specs...)
		require.NoError(t, err)
		_, err = e.Reload(next)
		require.NoError(t, err)
		e.Tick(time.Second)
		require.Equal(t, []seen{{1000, 2500, cat}, {2000, 2500, cat}, {3000, 3500, next}}, got)
		require.Panics(t, func() { kept.Seen() })
		require.Panics(t, func() { kept.Catalog() })
	}
}
