package rules

import (
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// The benchmarks measure one Owner with n buffs, without a wheel and without an engine loop.

func benchmark(b *testing.B, by define.By, run func(b *testing.B, w *work)) {
	for _, n := range []int{1, 20, 100} {
		b.Run(fmt.Sprintf("buffs=%d", n), func(b *testing.B) {
			w := newWork(b, buff.Spec{
				ID: "p", Duration: 24 * time.Hour, Period: 100 * time.Millisecond, Stack: define.Stacking{By: by, Limit: 2},
				On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "h"}}},
			})
			for i := range n {
				w.do(buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: w.spec, Source: buff.OwnerID(i)}})
			}
			b.ReportAllocs()
			run(b, w)
		})
	}
}

// BenchmarkApplyRemove starts a new instance and removes it.
func BenchmarkApplyRemove(b *testing.B) {
	benchmark(b, define.ByNone, func(b *testing.B, w *work) {
		for b.Loop() {
			w.do(buff.Command{Verb: verb.Remove, Handle: w.apply()})
		}
	})
}

// BenchmarkRefresh finds the youngest instance, which is the last one in the search, and refreshes
// it.
func BenchmarkRefresh(b *testing.B) {
	benchmark(b, define.BySource, func(b *testing.B, w *work) {
		last := buff.OwnerID(w.set.Len() - 1)
		for b.Loop() {
			w.do(buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: w.spec, Source: last}})
		}
	})
}

// BenchmarkPulse runs a turn with one due pulse, whose handler does nothing. The other buffs are
// not visited.
func BenchmarkPulse(b *testing.B) {
	benchmark(b, define.ByNone, func(b *testing.B, w *work) {
		for b.Loop() {
			if w.now += 100; w.set.slot(0).end < clock.BuffTime(w.now+100) {
				w.do(buff.Command{Verb: verb.Extend, Handle: w.set.slot(0).handle(), By: 24 * time.Hour})
			}
			w.turn.Now = w.now
			w.set.Run(&w.turn, w.now, 1<<30)
			w.done()
		}
	})
}
