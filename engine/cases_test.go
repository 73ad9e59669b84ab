package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// TestW09_Steal steals a buff with 1,800 s left, with a cap of 120 s: the victim loses the buff
// with the reason stolen, and the thief has it for 120 s, both at the same instant.
func TestW09_Steal(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		o := engine.Options{Catalog: catalogOf(t, buff.Spec{ID: "might", Duration: 30 * time.Minute, Polarity: define.Positive})}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1, 2)
		add(t, e, 1, o.Catalog.Spec("might"))
		r := e.Do(buff.Steal(1, 2, buff.Query{Polarity: define.Positive}, 2*time.Minute))
		require.NoError(t, r.Failure)
		require.Equal(t, int64(1), r.Amount)
		require.Equal(t, []string{
			"1: 0 apply might x1 end=1800000", "1: 0 remove might why=stolen", "2: 0 apply might x1 end=120000", "2: 120000 remove might why=expired",
		}, m.pass(e, 2*time.Minute))
	})
}

// TestW16_Panic checks that a panic in a pulse's handler is reported, that the buff stays if its
// definition says so, and that later pulses of the owner are on time.
func TestW16_Panic(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		o := engine.Options{
			Catalog: catalogOf(t, buff.Spec{ID: "p", Duration: 3 * time.Second, Period: time.Second, OnFault: define.FateKeep, On: define.Hooks{Pulse: call("h")}}),
			Handlers: engine.Handlers{"h": func(c *engine.Context, _ buff.Event) {
				if c.Now() == 1000 {
					panic("a bad script")
				}
			}},
			OnFault: func(view.Fault) {},
		}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		add(t, e, 1, o.Catalog.Spec("p"))
		require.Equal(t, []string{
			"1: 0 apply p x1 end=3000", "1: 1000 pulse p x1", "1: 1000 error p why=panic",
			"1: 2000 pulse p x1", "1: 3000 pulse p x1", "1: 3000 remove p why=expired",
		}, m.pass(e, 4*time.Second))
	})
}

// TestUndeliveredWhileIdle checks that a command of a handler for its own owner that finds no
// target has no event and is counted, on any worker.
func TestUndeliveredWhileIdle(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		var gone buff.Handle
		o := engine.Options{
			Catalog:  catalogOf(t, buff.Spec{ID: "p", Duration: time.Second, On: define.Hooks{Apply: call("h")}}),
			Handlers: engine.Handlers{"h": func(c *engine.Context, _ buff.Event) { c.Remove(gone) }},
		}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		gone = add(t, e, 1, o.Catalog.Spec("p"))
		require.NoError(t, e.Remove(gone).Failure)
		add(t, e, 1, o.Catalog.Spec("p"))
		m.pass(e, 500*time.Millisecond)
		require.Equal(t, uint64(1), e.Stats().Undelivered)
	})
}
