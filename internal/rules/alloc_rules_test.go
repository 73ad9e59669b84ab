package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// TestAllocations_Rules checks that buffs that are not plain reuse memory.
func TestAllocations_Rules(t *testing.T) {
	for _, c := range []struct {
		name string
		spec buff.Spec
		then func(w *work, h buff.Handle)
	}{
		{"each", buff.Spec{ID: "p", Duration: time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 9, Timers: define.TimersEach}}, func(w *work, _ buff.Handle) {
			w.apply()
			w.pass(1000)
		}},
		{"queue", buff.Spec{ID: "p", Duration: time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}}, func(w *work, _ buff.Handle) {
			w.apply()
			w.pass(1000)
			w.pass(1000)
		}},
		{"charges", buff.Spec{ID: "p", Duration: time.Second, Charges: define.Charges{N: 2, ConsumeOn: []string{"hit"}}}, func(w *work, _ buff.Handle) {
			w.do(buff.Command{Verb: verb.Consume, Act: 1})
			w.do(buff.Command{Verb: verb.Consume, Act: 1})
		}},
		{"recharge", buff.Spec{ID: "p", Duration: 9 * time.Second, Charges: define.Charges{N: 2, ConsumeOn: []string{"hit"}, Recharge: time.Second}}, func(w *work, h buff.Handle) {
			w.do(buff.Command{Verb: verb.Consume, Act: 1})
			w.do(buff.Command{Verb: verb.Consume, Act: 1})
			w.pass(2000)
			w.do(buff.Command{Verb: verb.Remove, Handle: h})
		}},
		{"decay", buff.Spec{ID: "p", Duration: time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 3, Initial: 3, Expire: define.ExpireOne, Decay: 100 * time.Millisecond}}, func(w *work, _ buff.Handle) {
			w.pass(2000)
		}},
		{"shield", buff.Spec{ID: "p", Duration: time.Second, Shield: define.Shield{On: true, Pool: 10}}, func(w *work, _ buff.Handle) {
			w.do(buff.Command{Verb: verb.Absorb, Amount: 10})
		}},
		{"tags", buff.Spec{ID: "p", Duration: time.Second, Grants: []string{"a.b"}, Require: define.Requirements{Ongoing: define.TagTest{None: []string{"c"}}}}, func(w *work, h buff.Handle) {
			w.do(buff.Command{Verb: verb.Remove, Handle: h})
		}},
		{"group", buff.Spec{ID: "p", Duration: time.Second, Group: define.Group{Name: "g", Rule: define.GroupAlways}}, func(w *work, _ buff.Handle) {
			w.do(buff.Command{Verb: verb.Remove, Handle: w.apply()})
		}},
		{"hide", buff.Spec{ID: "p", Duration: time.Second, Group: define.Group{Name: "g", Rule: define.GroupHide}}, func(w *work, h buff.Handle) {
			w.do(buff.Command{Verb: verb.Remove, Handle: w.apply()})
			w.do(buff.Command{Verb: verb.Remove, Handle: h})
		}},
		{"slot", buff.Spec{ID: "p", Duration: time.Second, Slot: define.Slot{Class: "s", Limit: 1, Evict: define.EvictOldest}}, func(w *work, _ buff.Handle) {
			w.do(buff.Command{Verb: verb.Remove, Handle: w.apply()})
		}},
		{"dr", buff.Spec{ID: "p", Duration: time.Second, DR: define.DR{Group: "d", Steps: []int{100, 50}, Reset: time.Second}}, func(w *work, h buff.Handle) {
			w.do(buff.Command{Verb: verb.Remove, Handle: h})
		}},
		{"pause", buff.Spec{ID: "p", Duration: time.Second}, func(w *work, h buff.Handle) {
			w.do(buff.Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: h})
			w.do(buff.Command{Verb: verb.Resume, Whose: define.OfBuff, Handle: h})
			w.do(buff.Command{Verb: verb.Remove, Handle: h})
		}},
		{"catchup", buff.Spec{ID: "p", Duration: time.Second, Period: 100 * time.Millisecond, Catchup: define.CatchupCoalesce}, func(w *work, _ buff.Handle) {
			w.pass(1000)
		}},
	} {
		w := newWork(t, c.spec)
		round := func() {
			h := w.apply()
			if h == 0 { // calling require here would allocate
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
