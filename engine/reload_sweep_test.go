package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/stretchr/testify/require"
)

// library returns n definitions, of which the first pulses; edit changes the first.
func library(n int, edit func(s *buff.Spec)) []buff.Spec {
	specs := make([]buff.Spec, n)
	for i := range specs {
		specs[i] = buff.Spec{ID: fmt.Sprintf("d%04d", i), Duration: time.Hour, Tags: []string{fmt.Sprintf("kind.k%d", i%100)}}
		if i < 10 {
			specs[i].Kind, specs[i].Duration, specs[i].Period = define.Infinite, 0, time.Second
		}
		if i > 10 && i%10 == 1 {
			specs[i].On.Apply = []define.Action{{Do: define.DoRemove, Name: fmt.Sprintf("d%04d", i-1)}}
		}
	}
	edit(&specs[0])
	return specs
}

// populated returns an engine with the given number of owners, each with ten of the library's
// buffs, whose pulses are spread over the frames of a second.
func populated(tb testing.TB, cat *buff.Catalog, owners int) *engine.Engine {
	tb.Helper()
	e := open(tb, engine.Options{Catalog: cat, Synchronous: true})
	for i := range owners {
		spawn(tb, e, buff.OwnerID(i))
		for k := range 10 {
			add(tb, e, buff.OwnerID(i), cat.Spec(fmt.Sprintf("d%04d", k)))
		}
		if i%(owners/20) == owners/20-1 {
			e.Tick(50 * time.Millisecond)
		}
	}
	for range 40 {
		e.Tick(50 * time.Millisecond)
	}
	return e
}

// TestReloadInSlices checks that a Reload converts a limited number of buffs in each Tick, in the
// order of the owners, until all are converted.
func TestReloadInSlices(t *testing.T) {
	owners := long.Pick(4000, 20_000)
	first := catalogOf(t, library(100, func(*buff.Spec) {})...)
	e := populated(t, first, owners)
	edit := func(s *buff.Spec) { s.Name, s.Reload = s.Name+"!", define.ReloadMigrate }
	cat := next(t, first, library(100, edit)...)
	reload(t, e, cat)
	require.Equal(t, owners, e.Reloading())
	ticks, refreshed, last := 0, 0, buff.OwnerID(0)
	for e.Reloading() > 0 {
		if ticks == 2 { // another Reload in between: all owners are visited again
			cat = next(t, cat, library(100, func(s *buff.Spec) { edit(s); edit(s) })...)
			reload(t, e, cat)
			require.Equal(t, owners, e.Reloading())
			last, refreshed = 0, 0
		}
		left := e.Reloading()
		for ev := range e.Tick(0).Events() {
			require.Equal(t, buff.Refreshed, ev.Kind)
			if ev.Owner < last {
				require.Zero(t, ev.Owner, "round the corner")
			}
			last = ev.Owner
			refreshed++
		}
		looked, limit := engine.Looked(e)
		require.Less(t, looked, limit+10)
		require.Equal(t, 10*(left-e.Reloading()), looked)
		ticks++
	}
	require.Equal(t, owners, refreshed)
	require.Equal(t, 2+(10*owners+4099)/4100, ticks)
	e.Tick(0)
	looked, _ := engine.Looked(e)
	require.Zero(t, looked)
	for i := range owners {
		for b := range must(e.Buffs(buff.OwnerID(i))).All() {
			require.True(t, cat.Has(b.Spec), "also what says the same is of the new catalog: the old one can go")
		}
	}
}

// TestReload_VisitsPerTick checks that a Tick visits at most 1,024 owners without buffs.
func TestReload_VisitsPerTick(t *testing.T) {
	first := catalogOf(t, library(1, func(*buff.Spec) {})...)
	e := open(t, engine.Options{Catalog: first, Synchronous: true})
	for id := range buff.OwnerID(2500) {
		spawn(t, e, id)
	}
	e.Tick(0)
	reload(t, e, next(t, first, library(1, func(s *buff.Spec) { s.Name += "!" })...))
	var left []int
	for range 4 {
		left = append(left, e.Reloading())
		e.Tick(0)
	}
	require.Equal(t, []int{2500, 1476, 452, 0}, left)
}

// BenchmarkReload measures a Reload of 5,000 definitions with a million buffs on 100,000 owners,
// of which a twentieth have a due event in each frame of 50 ms. It reports the duration of the
// call, and the median of the Ticks before it and while owners are visited.
func BenchmarkReload(b *testing.B) {
	cat := catalogOf(b, library(5000, func(*buff.Spec) {})...)
	e := populated(b, cat, 100_000)
	var call, before, during []time.Duration
	since := func(list *[]time.Duration, start time.Time) { *list = append(*list, time.Since(start)) }
	for b.Loop() {
		for range 100 {
			start := time.Now()
			e.Tick(50 * time.Millisecond)
			since(&before, start)
		}
		cat = next(b, cat, library(5000, func(s *buff.Spec) { s.Note, s.Reload = fmt.Sprint(len(call)), define.ReloadMigrate })...)
		start := time.Now()
		reload(b, e, cat)
		since(&call, start)
		for e.Reloading() > 0 {
			start := time.Now()
			e.Tick(50 * time.Millisecond)
			since(&during, start)
		}
	}
	for unit, list := range map[string][]time.Duration{"ms/reload": call, "ms/Tick-before": before, "ms/Tick-during": during} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2].Seconds()*1000, unit)
	}
	b.ReportMetric(float64(len(during))/float64(len(call)), "Ticks")
}

// BenchmarkSpecCounters measures counting the events of a frame, most of which are pulses.
func BenchmarkSpecCounters(b *testing.B) {
	cat := catalogOf(b, library(100, func(*buff.Spec) {})...)
	e := populated(b, cat, 4000)
	count := engine.Counting(e, 4096)
	for b.Loop() {
		count()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/event")
}
