package rules_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestOwner_Adopt_Queue checks that a new version of a queue moves the end of the running
// application, and the remaining times of the waiting ones, by the difference of the durations. A
// waiting application without remaining time is removed. A running application without remaining
// time ends, and the next one runs. Then the new limit is applied, and the weakest applications are
// removed first.
func TestOwner_Adopt_Queue(t *testing.T) {
	spec := func(seconds, limit int) buff.Spec {
		return buff.Spec{
			ID: "p", Duration: time.Duration(seconds) * time.Second, Reload: define.ReloadMigrate,
			Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue, Limit: limit},
		}
	}
	for name, c := range map[string]struct {
		lasts   []int // durations in s of applications at 0 with the magnitudes 9, 8, …
		at      int64 // time of the reload in ms
		seconds int
		limit   int
		ends    []int64 // ends in ms of the applications, in the order in which they run
	}{
		"longer":                          {[]int{10, 10, 10}, 1000, 12, 9, []int64{12_000, 24_000, 36_000}},
		"shorter":                         {[]int{10, 10, 10}, 1000, 7, 9, []int64{7000, 14_000, 21_000}},
		"who has nothing left":            {[]int{10, 3, 4, 2}, 1000, 7, 9, []int64{7000, 8000}},
		"one waits with nothing left":     {[]int{10, 3}, 1000, 7, 9, []int64{7000}},
		"what runs is over":               {[]int{10, 10}, 8000, 7, 9, []int64{15_000}},
		"what runs is over at the reload": {[]int{10, 10}, 7000, 7, 9, []int64{14_000}},
		"nobody waits, and it is over":    {[]int{10}, 8000, 7, 9, nil},
		"nobody has anything left":        {[]int{10, 3}, 8000, 7, 9, nil},
		"a lower limit":                   {[]int{10, 10, 5, 7}, 1000, 10, 2, []int64{10_000, 20_000}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, spec(10, 9))
			for k, s := range c.lasts {
				r.do(0, buff.Command{Verb: verb.Apply, Application: buff.Application{
					Spec: r.catalog.Spec("p"), Magnitude: int64(9 - k), Duration: buff.Lasting(time.Duration(s) * time.Second),
				}})
			}
			next, err := r.catalog.Next(spec(c.seconds, c.limit))
			require.NoError(t, err)
			r.turn.Catalog, r.turn.Now = next, wheel.Time(c.at)
			r.set.Adopt(&r.turn, wheel.Time(c.at))
			require.Empty(t, r.set.Counters(next))
			var ends []int64
			for at := c.at; ; {
				end := wheel.Never
				for b := range r.set.All() {
					end = b.End
				}
				if end == wheel.Never {
					break
				}
				require.Greater(t, int64(end), at)
				at = int64(end)
				ends = append(ends, at)
				r.run(end)
			}
			require.Equal(t, c.ends, ends, "%q", r.log())
		})
	}
}
