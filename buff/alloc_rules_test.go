package buff

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAllocationsOfRules: what is not plain about a buff uses memory again too.
func TestAllocationsOfRules(t *testing.T) {
	for _, c := range []struct {
		name string
		spec Spec
		then func(w *work, h Handle)
	}{
		{"each", Spec{ID: "p", Duration: time.Second, Stack: Stacking{By: ByTarget, Limit: 9, Timers: TimersEach}}, func(w *work, _ Handle) {
			w.apply()
			w.pass(1000)
		}},
		{"queue", Spec{ID: "p", Duration: time.Second, Stack: Stacking{By: ByTarget, Timers: TimersQueue}}, func(w *work, _ Handle) {
			w.apply()
			w.pass(1000)
			w.pass(1000)
		}},
		{"charges", Spec{ID: "p", Duration: time.Second, Charges: Charges{N: 2, ConsumeOn: []string{"hit"}}}, func(w *work, _ Handle) {
			w.do(Command{Verb: VerbConsume, Act: 1})
			w.do(Command{Verb: VerbConsume, Act: 1})
		}},
		{"shield", Spec{ID: "p", Duration: time.Second, Shield: Shield{On: true, Pool: 10}}, func(w *work, _ Handle) {
			w.do(Command{Verb: VerbAbsorb, Amount: 10})
		}},
		{"tags", Spec{ID: "p", Duration: time.Second, Grants: []string{"a.b"}, Require: Requirements{Ongoing: TagTest{None: []string{"c"}}}}, func(w *work, h Handle) {
			w.do(Command{Verb: VerbRemove, Handle: h})
		}},
		{"group", Spec{ID: "p", Duration: time.Second, Group: Group{Name: "g", Rule: GroupAlways}}, func(w *work, _ Handle) {
			w.do(Command{Verb: VerbRemove, Handle: w.apply()})
		}},
		{"hide", Spec{ID: "p", Duration: time.Second, Group: Group{Name: "g", Rule: GroupHide}}, func(w *work, h Handle) {
			w.do(Command{Verb: VerbRemove, Handle: w.apply()})
			w.do(Command{Verb: VerbRemove, Handle: h})
		}},
		{"slot", Spec{ID: "p", Duration: time.Second, Slot: Slot{Class: "s", Limit: 1, Evict: EvictOldest}}, func(w *work, _ Handle) {
			w.do(Command{Verb: VerbRemove, Handle: w.apply()})
		}},
		{"dr", Spec{ID: "p", Duration: time.Second, DR: DR{Group: "d", Steps: []int{100, 50}, Reset: time.Second}}, func(w *work, h Handle) {
			w.do(Command{Verb: VerbRemove, Handle: h})
		}},
		{"pause", Spec{ID: "p", Duration: time.Second}, func(w *work, h Handle) {
			w.do(Command{Verb: VerbPause, Whose: OfBuff, Handle: h})
			w.do(Command{Verb: VerbResume, Whose: OfBuff, Handle: h})
			w.do(Command{Verb: VerbRemove, Handle: h})
		}},
		{"catchup", Spec{ID: "p", Duration: time.Second, Period: 100 * time.Millisecond, Catchup: CatchupCoalesce}, func(w *work, _ Handle) {
			w.pass(1000)
		}},
	} {
		w := newWork(t, c.spec)
		round := func() {
			h := w.apply()
			if h == 0 { // require would allocate
				t.Fatal(c.name, "was not applied")
			}
			c.then(w, h)
			w.pass(0)
		}
		round()
		require.Zero(t, testing.AllocsPerRun(200, round), c.name)
		require.Zero(t, w.set.Len(), c.name)
	}
}
