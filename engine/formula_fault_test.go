package engine_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// failing is a formula of the game that does not return for level 7.
type failing struct{ end func() }

func (*failing) String() string { return "failing" }

func (*failing) Reads() []define.Read { return nil }

func (f *failing) Eval(in define.Inputs) (float64, error) {
	if in.Level == 7 {
		f.end()
	}
	return 1, nil
}

// TestP24_Formula checks that a formula of the game that panics counts as one that returns an
// error: the application is refused, the fault is counted and reported, and the Tick continues. It
// is tested on the loop, in a handler, in a command for another owner and in the Inbox; on a
// worker the formula may also end its goroutine.
func TestP24_Formula(t *testing.T) {
	for _, end := range ends {
		for _, m := range modes[:4] {
			exits := end.Name == "Goexit"
			if exits && m.workers == 0 {
				continue // it would end the loop
			}
			t.Run(end.Name+"/"+m.name, func(t *testing.T) {
				var mu sync.Mutex
				var faults []view.Fault
				fails := true
				cat := catalogOf(t,
					buff.Spec{ID: "sum", Duration: time.Minute, Params: []define.Param{
						{Name: "n", Value: define.Number{From: define.FromFormula, Formula: &failing{end.Do}}},
					}},
					buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("h")}})
				bad := buff.Application{Spec: cat.Spec("sum"), Level: 7}
				o := engine.Options{
					Catalog: cat,
					Handlers: engine.Handlers{"h": func(c *engine.Context, _ buff.Event) {
						if fails {
							c.AddBuff(1, bad)
						}
						if fails && !exits {
							c.AddBuff(2, bad) // delivered by the loop
						}
					}},
					OnFault: func(f view.Fault) { mu.Lock(); defer mu.Unlock(); faults = append(faults, f) },
				}
				m.set(&o)
				e := open(t, o)
				spawn(t, e, 1, 2)
				add(t, e, 1, cat.Spec("beat"))
				e.Tick(0)
				want := []string{"1: 1000 pulse beat x1"}
				if !exits {
					r := e.AddBuff(1, bad)
					require.Equal(t, reason.BadValue, r.Why)
					require.NoError(t, e.Inbox().AddBuff(2, bad))
					want = append([]string{"1: 0 deny sum why=value"}, append(want, "1: 1000 deny sum why=value",
						"2: 1000 deny sum why=value", "2: 1000 deny sum why=value")...)
				}
				require.Equal(t, want, lines(e.Tick(time.Second)))
				fails = false
				require.Equal(t, []string{"1: 2000 pulse beat x1"}, lines(e.Tick(time.Second)))
				require.NotEmpty(t, faults)
				for _, f := range faults {
					require.Equal(t, "Formula", f.Call)
					require.Equal(t, "sum", f.Event.Spec.ID)
					require.NotZero(t, f.Event.Owner)
					require.Equal(t, exits, f.Value == nil)
					require.Equal(t, !exits, strings.Contains(string(f.Stack), "Eval"))
				}
				require.Equal(t, uint64(strings.Count(strings.Join(want, " "), "value"))+map[bool]uint64{true: 1}[exits], e.Stats().Faults)
				require.NoError(t, e.Close(t.Context()))
				require.Zero(t, engine.Escaped(e))
			})
		}
	}
}
