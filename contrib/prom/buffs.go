package prom

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// sumOf holds the sums of the counters of all definitions that share one series.
type sumOf struct {
	live   int
	events [len(view.View{}.Counts)]uint64
	calls  uint64
	took   time.Duration
}

// collectBuffs collects the counters of each definition. It waits for one more Tick.
func (c *Collector) collectBuffs(ctx context.Context, ch chan<- prometheus.Metric) {
	specs, err := c.watch.Specs(ctx)
	if err != nil {
		return // bufftick_up shows that the loop does not answer
	}
	sums := make(map[string]*sumOf)
	of := func(name string) *sumOf {
		if sums[name] == nil {
			sums[name] = new(sumOf)
		}
		return sums[name]
	}
	for i := range specs {
		s := &specs[i]
		if s.Spec != nil {
			of(c.nameOf(s)).add(s)
			continue
		}
		// Timeouts and changes by the game itself have no definition.
		all := *s
		for _, kind := range []buff.EventKind{buff.Changed, buff.Died, buff.Revived} {
			of(ofGame).events[kind] += s.Events[kind]
			all.Events[kind] = 0
		}
		of(timeouts).add(&all)
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		s := sums[name]
		ch <- prometheus.MustNewConstMetric(c.live, prometheus.GaugeValue, float64(s.live), name)
		ch <- prometheus.MustNewConstMetric(c.calls, prometheus.CounterValue, float64(s.calls), name)
		ch <- prometheus.MustNewConstMetric(c.took, prometheus.CounterValue, s.took.Seconds(), name)
		for kind := buff.Applied; int(kind) < len(s.events); kind++ {
			if s.events[kind] > 0 {
				ch <- prometheus.MustNewConstMetric(c.happened, prometheus.CounterValue, float64(s.events[kind]), name, kind.String())
			}
		}
	}
}

// nameOf returns the label of the series to which a definition belongs. A definition keeps its
// own series forever, so that no counter decreases.
func (c *Collector) nameOf(s *view.SpecStats) string {
	name := strings.ToValidUTF8(s.Spec.ID, "\uFFFD")
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.named[name]:
	case len(c.named) >= maxBuffs, s.Live == 0 && s.Events == [len(view.View{}.Counts)]uint64{}:
		return others
	default:
		c.named[name] = true
	}
	return name
}

func (s *sumOf) add(x *view.SpecStats) {
	s.live += x.Live
	for kind, n := range x.Events {
		s.events[kind] += n
	}
	s.calls += x.Handlers
	s.took += x.Took
}
