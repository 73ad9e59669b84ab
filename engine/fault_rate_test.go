package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// faultLog records the calls of OnFault: the time, the definition, and the number of suppressed
// faults.
type faultLog struct {
	mu       sync.Mutex
	lineages []string
}

func (x *faultLog) report(f view.Fault) {
	x.mu.Lock()
	defer x.mu.Unlock()
	of := "a timeout"
	if f.Event.Spec != nil {
		of = f.Event.Spec.ID
	}
	x.lineages = append(x.lineages, fmt.Sprintf("%d %s %v, %d more", f.Event.At, of, f.Value, f.Suppressed))
}

// TestP24_ReportsPerInterval checks that OnFault is called at most once per second of game time
// for each definition that fails at every pulse, with the number of suppressed faults. All faults
// are counted, and all are events. The number of workers makes no difference.
func TestP24_ReportsPerInterval(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			x := &faultLog{}
			fails := true
			o := engine.Options{
				Catalog: catalogOf(t,
					buff.Spec{ID: "rot", Kind: define.Infinite, Period: 100 * time.Millisecond, On: define.Hooks{Pulse: call("h")}},
					buff.Spec{ID: "chill", Kind: define.Infinite, Period: 400 * time.Millisecond, On: define.Hooks{Pulse: call("h")}}),
				Handlers: engine.Handlers{"h": func(_ *engine.Context, e buff.Event) {
					if fails {
						panic("no")
					}
				}},
				OnFault: x.report,
			}
			m.set(&o)
			e := open(t, o)
			const owners = 20
			for id := range buff.OwnerID(owners) {
				spawn(t, e, id)
				add(t, e, id, o.Catalog.Spec("rot"))
				add(t, e, id, o.Catalog.Spec("chill"))
			}
			second := func(ticks int) (faults int) {
				for range ticks {
					for ev := range e.Tick(100 * time.Millisecond).Events() {
						if ev.Kind == buff.Faulted {
							faults++
						}
					}
				}
				return faults
			}
			require.Equal(t, owners*(20+5), second(20))
			require.EqualValues(t, owners*(20+5), e.Stats().Faults)
			require.Equal(t, []string{
				"100 rot no, 0 more", "400 chill no, 0 more",
				"1100 rot no, 199 more", "1600 chill no, 59 more",
			}, x.lineages)

			fails = false
			require.Zero(t, second(100))
			fails = true
			// the first call reports the faults suppressed before
			require.Equal(t, owners*(10+2), second(10))
			require.Equal(t, []string{"12100 rot no, 199 more", "12400 chill no, 39 more"}, x.lineages[4:])
		})
	}
}

// TestP24_ReportsPerFunction checks that a function that fails all the time does not hide the
// faults of another one. Functions of timeouts are distinguished by their address, and a panic
// from a Goexit.
func TestP24_ReportsPerFunction(t *testing.T) {
	x := &faultLog{}
	e := open(t, engine.Options{Synchronous: true, OnFault: x.report})
	spawn(t, e, 1)
	one := func(*engine.Context) { panic("one") }
	two := func(*engine.Context) { panic("two") }
	for range 3 {
		for _, f := range []func(*engine.Context){one, two} {
			_, err := e.AddTimeout(1, 0, f)
			require.NoError(t, err)
		}
	}
	e.Tick(time.Millisecond)
	require.Equal(t, []string{"1 a timeout one, 0 more", "1 a timeout two, 0 more"}, x.lineages)
	require.EqualValues(t, 6, e.Stats().Faults)
}

// BenchmarkFaults measures the cost of a handler that panics at each pulse. The stack is only
// computed for faults that are reported.
func BenchmarkFaults(b *testing.B) {
	reports := 0
	cat := catalogOf(b, buff.Spec{ID: "rot", Kind: define.Infinite, Period: 50 * time.Millisecond, On: define.Hooks{Pulse: call("h")}})
	e := open(b, engine.Options{
		Catalog: cat, Synchronous: true, Limits: engine.Limits{Tick: 1 << 30},
		Handlers: engine.Handlers{"h": func(*engine.Context, buff.Event) { panic("no") }},
		OnFault:  func(f view.Fault) { reports += strings.Count(string(f.Stack), "goroutine ") },
	})
	spawn(b, e, 1)
	add(b, e, 1, cat.Spec("rot"))
	for b.Loop() {
		e.Tick(50 * time.Millisecond)
	}
	b.ReportMetric(float64(reports)/float64(b.N), "reports/op")
}
