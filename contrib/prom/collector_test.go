package prom

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// Ignore the goroutines of the default pool that ants starts when it is imported.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// game is an engine with metrics of every kind, and a registry. Its loop ticks while a test
// gathers metrics.
type game struct {
	t        *testing.T
	eng      *engine.Engine
	metrics  *Collector
	registry *prometheus.Registry
	gate, in chan struct{}
}

func newGame(t *testing.T) *game {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second},
		buff.Spec{ID: "once", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}},
		buff.Spec{ID: "trap", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "hang"}}}},
	)
	require.NoError(t, err)
	g := &game{t: t, gate: make(chan struct{}), in: make(chan struct{}), registry: prometheus.NewPedanticRegistry()}
	g.eng, err = engine.New(engine.Options{Catalog: cat, Workers: 2, Budget: 5 * time.Millisecond, Trace: engine.Trace{SlowFrame: 50 * time.Millisecond}, Handlers: engine.Handlers{
		"hang": func(*engine.Context, buff.Event) { close(g.in); <-g.gate },
	}})
	require.NoError(t, err)
	var now atomic.Int64
	g.metrics = newCollector(g.eng, func() time.Duration { return time.Duration(now.Add(1)) * time.Millisecond })
	g.registry.MustRegister(g.metrics)
	t.Cleanup(func() {
		close(g.gate)
		g.metrics.Close()
		require.NoError(t, g.eng.Close(context.Background()))
	})
	g.eng.Tick(0)
	return g
}

// play creates ten owners with the periodic buff "venom", applies "once" twice to owner 3, where
// the second application is denied, and ticks for two seconds.
func (g *game) play() {
	for id := range buff.OwnerID(10) {
		require.NoError(g.t, g.eng.Spawn(id, nil))
		g.eng.AddBuff(id, buff.Application{Spec: g.eng.Catalog().Spec("venom")})
	}
	for range 2 {
		g.eng.AddBuff(3, buff.Application{Spec: g.eng.Catalog().Spec("once")})
	}
	g.eng.Tick(time.Second)
	g.eng.Tick(time.Second)
}

// gather scrapes the registry while the loop ticks, and returns the metrics by name.
func (g *game) gather() map[string]*dto.MetricFamily {
	g.t.Helper()
	var families []*dto.MetricFamily
	var err error
	var scrape sync.WaitGroup
	done := make(chan struct{})
	scrape.Go(func() { families, err = g.registry.Gather(); close(done) })
	for ticking := true; ticking; {
		select {
		case <-done:
			ticking = false
		default:
			g.eng.Tick(0)
		}
	}
	scrape.Wait()
	require.NoError(g.t, err)
	out := map[string]*dto.MetricFamily{}
	for _, f := range families {
		out[f.GetName()] = f
	}
	return out
}

func value(m *dto.Metric) float64 { return m.GetGauge().GetValue() + m.GetCounter().GetValue() }

// labelled returns the metric of f that has a label with the value want.
func labelled(t *testing.T, f *dto.MetricFamily, want string) *dto.Metric {
	t.Helper()
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetValue() == want {
				return m
			}
		}
	}
	t.Fatalf("%s has none with %q", f.GetName(), want)
	return nil
}

func TestCollect(t *testing.T) {
	g := newGame(t)
	g.play()
	g.gather()
	got := g.gather()
	one := func(name string) float64 {
		t.Helper()
		require.Contains(t, got, name)
		return value(got[name].GetMetric()[0])
	}
	require.Equal(t, 1.0, one("bufftick_up"))
	require.Equal(t, 10.0, one("bufftick_owners"))
	require.Equal(t, 11.0, one("bufftick_buffs"))
	require.Equal(t, 11.0, one("bufftick_deadlines"), "one for each buff")
	require.Equal(t, 2.0, one("bufftick_workers"))
	require.Equal(t, 65536.0, one("bufftick_inbox_limit"))
	require.Equal(t, 0.05, one("bufftick_frame_budget_seconds"))
	require.Equal(t, 20.0, one("bufftick_deadlines_fired_total"))
	require.Equal(t, 20.0, value(labelled(t, got["bufftick_events_total"], "pulse")))
	require.Equal(t, 1.0, value(labelled(t, got["bufftick_denied_total"], "limit")))
	late := got["bufftick_event_lateness_seconds"].GetMetric()[0].GetHistogram()
	require.EqualValues(t, 32, late.GetSampleCount())
	require.Zero(t, late.GetSampleSum())
	frames := got["bufftick_frame_seconds"].GetMetric()[0].GetHistogram()
	require.Positive(t, frames.GetSampleCount())
	require.InEpsilon(t, float64(frames.GetSampleCount())/1000, frames.GetSampleSum(), 0.5, "each frame took one or two ticks of the clock")
	for _, b := range frames.GetBucket() {
		require.LessOrEqual(t, b.GetCumulativeCount(), frames.GetSampleCount())
	}
}

// TestInboxRefused checks that commands refused by a full inbox are counted separately from
// commands refused by owners.
func TestInboxRefused(t *testing.T) {
	g := newGame(t)
	g.play()
	one := func(name string) float64 {
		t.Helper()
		f := g.gather()
		require.Contains(t, f, name)
		return value(f[name].GetMetric()[0])
	}
	require.Zero(t, one("bufftick_inbox_refused_total"))
	in := g.eng.Inbox()
	for range 3 { // without a Tick the inbox fills up
		for in.Do(buff.Revive(1)) == nil {
		}
	}
	require.Equal(t, 3.0, one("bufftick_inbox_refused_total"))
	require.Zero(t, one("bufftick_refused_total"))
}

// TestScrape_LoopStopped checks that a scrape returns when the loop does not tick, and reports
// only bufftick_up with value 0.
func TestScrape_LoopStopped(t *testing.T) {
	g := newGame(t)
	families, err := g.registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "bufftick_up", families[0].GetName())
	require.Zero(t, value(families[0].GetMetric()[0]))
}

func TestStuck(t *testing.T) {
	g := newGame(t)
	g.play()
	g.eng.AddBuff(3, buff.Application{Spec: g.eng.Catalog().Spec("trap")})
	g.eng.Tick(0)
	<-g.in
	// A handler that is still running at the end of its first Tick does not count as stuck yet.
	require.Zero(t, value(g.gather()["bufftick_stuck_owners"].GetMetric()[0]))
	g.eng.Tick(time.Second)
	got := g.gather()
	require.Equal(t, 1.0, value(got["bufftick_stuck_owners"].GetMetric()[0]))
	require.Equal(t, 1.0, value(got["bufftick_busy_owners"].GetMetric()[0]))
}

// TestLint checks that the names and units of the metrics follow the Prometheus conventions.
func TestLint(t *testing.T) {
	g := newGame(t)
	g.play()
	stop := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				g.eng.Tick(0)
			}
		}
	})
	problems, err := testutil.GatherAndLint(g.registry)
	close(stop)
	loop.Wait()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// TestCollect_EventsWithoutBuff checks that attribute changes made by the game without a buff are
// counted as "(game)" and not as "(timeouts)".
func TestCollect_EventsWithoutBuff(t *testing.T) {
	cat, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health", Base: 20, Min: stat.At(0)}, AtMin: define.AtMinKill}}})
	require.NoError(t, err)
	eng, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	g := &game{t: t, eng: eng, registry: prometheus.NewPedanticRegistry()}
	g.metrics = newCollector(eng, func() time.Duration { return 0 })
	defer g.metrics.Close()
	g.registry.MustRegister(g.metrics)
	eng.Tick(0)
	require.NoError(t, eng.Spawn(1, nil))
	eng.Do(buff.SetBase(1, 1, 10))
	eng.Damage(1, 1, 15, 0)
	eng.Do(buff.Revive(1))
	_, err = eng.AddTimeout(1, time.Second, func(*engine.Context) {})
	require.NoError(t, err)
	eng.Tick(time.Second)
	got := map[string]float64{}
	for _, m := range g.gather()["bufftick_buff_events_total"].GetMetric() {
		got[m.GetLabel()[0].GetValue()+" "+m.GetLabel()[1].GetValue()] = value(m)
	}
	require.Equal(t, map[string]float64{"(game) change": 2, "(game) die": 1, "(game) revive": 1, "(timeouts) timeout": 1}, got)
	require.NoError(t, eng.Close(context.Background()))
}

// TestBuffs checks the metrics per definition. Only maxBuffs definitions have a series each, the
// rest share "(others)".
func TestBuffs(t *testing.T) {
	g := newGame(t)
	g.play()
	got := g.gather()
	of := func(family string, labels ...string) float64 {
		t.Helper()
		for _, m := range got[family].GetMetric() {
			fits := len(m.GetLabel()) == len(labels)
			for i, l := range m.GetLabel() {
				fits = fits && l.GetValue() == labels[i]
			}
			if fits {
				return value(m)
			}
		}
		t.Fatalf("%s has none with %q", family, labels)
		return 0
	}
	require.Equal(t, 10.0, of("bufftick_buff_live", "venom"))
	require.Equal(t, 20.0, of("bufftick_buff_events_total", "venom", "pulse"))
	require.Equal(t, 1.0, of("bufftick_buff_events_total", "once", "deny"))
	require.Zero(t, of("bufftick_buff_handlers_total", "(others)"))
	require.Zero(t, of("bufftick_buff_live", "(timeouts)"))

	specs := []buff.Spec{{ID: "venom", Kind: define.Infinite, Period: time.Second}}
	for i := range 3 * maxBuffs {
		specs = append(specs, buff.Spec{ID: fmt.Sprintf("b%03d", i), Duration: time.Hour})
	}
	next, err := g.eng.Catalog().Next(specs...)
	require.NoError(t, err)
	_, err = g.eng.Reload(next)
	require.NoError(t, err)
	for s := range next.All() {
		g.eng.AddBuff(1, buff.Application{Spec: s})
	}
	got = g.gather()
	require.LessOrEqual(t, len(got["bufftick_buff_live"].GetMetric()), maxBuffs+2)
	require.Equal(t, 20.0, of("bufftick_buff_events_total", "venom", "pulse"))
	require.Equal(t, 1.0, of("bufftick_buff_live", "b000"))
	require.Equal(t, 300.0-98, of("bufftick_buff_live", "(others)"), "venom and once already have their own series")
}

// TestBuffs_InvalidUTF8 checks that the metrics remain valid when the ID of a definition is not
// valid UTF-8.
func TestBuffs_InvalidUTF8(t *testing.T) {
	g := newGame(t)
	cat, err := g.eng.Catalog().Next(buff.Spec{ID: "bad\xff\xfename", Kind: define.Infinite}, buff.Spec{ID: "日本", Kind: define.Infinite}, buff.Spec{ID: "quote\"\\", Kind: define.Infinite})
	require.NoError(t, err)
	_, err = g.eng.Reload(cat)
	require.NoError(t, err)
	require.NoError(t, g.eng.Spawn(1, nil))
	for s := range cat.All() {
		g.eng.AddBuff(1, buff.Application{Spec: s})
	}
	live := g.gather()["bufftick_buff_live"]
	require.Equal(t, 1.0, value(labelled(t, live, "日本")))
	require.Equal(t, 1.0, value(labelled(t, live, "quote\"\\")))
	for _, m := range live.GetMetric() {
		for _, l := range m.GetLabel() {
			require.True(t, utf8.ValidString(l.GetValue()), "%q", l.GetValue())
		}
	}
}
