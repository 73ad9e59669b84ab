package prom

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

const (
	patience  = 2 * time.Second // maximum duration of a scrape; longer than engine.DefaultBudget
	maxDenied = 500             // maximum number of pairs of definition and reason; the most frequent pairs are exported
	maxBuffs  = 100             // maximum number of definitions with their own series; see nameOf
)

// Labels of series that do not belong to a single definition.
const (
	others   = "(others)"   // all definitions without their own series
	timeouts = "(timeouts)" // timeouts
	ofGame   = "(game)"     // changes made by the game's commands
)

// Collector collects the metrics of one engine. Use [New] to create one. Any number of
// goroutines may collect at once.
type Collector struct {
	watch view.Watch
	close func()

	up, lateness, denied, frame, budget, events *prometheus.Desc

	live, happened, calls, took *prometheus.Desc // metrics by definition

	plain []metric

	mu    sync.Mutex
	named map[string]bool // the definitions with their own series
}

// metric is a metric with a single value.
type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*view.View) float64
}

// New returns a Collector. It keeps the engine's Watch open until Close is called.
func New(eng *engine.Engine) *Collector {
	start := time.Now()
	return newCollector(eng, func() time.Duration { return time.Since(start) })
}

func newCollector(eng *engine.Engine, clock func() time.Duration) *Collector {
	c := &Collector{
		watch:    eng.Watch(),
		up:       desc("up", "Whether the loop has answered within two seconds."),
		lateness: desc("event_lateness_seconds", "Delay between the time of an event and the end of its frame."),
		denied:   desc("denied_total", "Applications refused.", "buff", "reason"),
		frame:    desc("frame_seconds", "Duration of frames."),
		budget:   desc("frame_budget_seconds", "Maximum duration of a frame: Options.Trace.SlowFrame."),
		events:   desc("events_total", "Events by kind.", "kind"),
		live:     desc("buff_live", "Active instances by definition.", "buff"),
		happened: desc("buff_events_total", "Events by definition and kind.", "buff", "kind"),
		calls:    desc("buff_handlers_total", "Handlers that have returned, by definition, estimated from a sample.", "buff"),
		took:     desc("buff_handler_seconds_total", "Time in handlers by definition, estimated from a sample.", "buff"),
		named:    make(map[string]bool),
		plain:    plain(),
	}
	c.close = c.watch.Open(clock)
	return c
}

// Close stops the engine's counting, unless another watcher is attached. Unregister the
// Collector first.
func (c *Collector) Close() { c.close() }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("bufftick_"+name, help, labels, nil)
}

// plain returns the metrics with a single value.
func plain() []metric {
	var out []metric
	gauge := func(name, help string, value func(v *view.View) int) {
		out = append(out, metric{desc(name, help), prometheus.GaugeValue, func(v *view.View) float64 { return float64(value(v)) }})
	}
	counter := func(name, help string, value func(v *view.View) uint64) {
		out = append(out, metric{desc(name, help), prometheus.CounterValue, func(v *view.View) float64 { return float64(value(v)) }})
	}
	gauge("owners", "Owners.", func(v *view.View) int { return v.Stats.Owners })
	gauge("buffs", "Active buffs.", func(v *view.View) int { return v.Buffs })
	gauge("busy_owners", "Owners with an unfinished turn at the end of the frame.", func(v *view.View) int { return v.Stats.Busy })
	gauge("stuck_owners", "Owners whose handlers have occupied a worker for at least a second of game time.", stuck)
	gauge("waiting_owners", "Owners that were not served because no worker was free.", func(v *view.View) int { return v.Waiting })
	gauge("workers", "Handlers that can run at once.", func(v *view.View) int { return v.Workers })
	gauge("deadlines", "Owners and auras waiting on the wheel for their next deadline.", func(v *view.View) int { return v.Stats.Timers })
	gauge("inbox_commands", "Commands of other goroutines waiting for the next Tick.", func(v *view.View) int { return v.Stats.Inbox })
	gauge("inbox_limit", "Capacity of the inbox.", func(v *view.View) int { return v.InboxLimit })
	counter("inbox_refused_total", "Commands of other goroutines refused because the inbox, or their producer's share of it, was full.", func(v *view.View) uint64 { return v.Stats.InboxRefused })
	gauge("mailbox_messages", "Messages waiting in mailboxes.", func(v *view.View) int { return v.Mail })
	counter("frames_total", "Ticks.", func(v *view.View) uint64 { return v.Stats.Ticks })
	counter("deadlines_fired_total", "Timers of owners and auras that fired.", func(v *view.View) uint64 { return v.Stats.Fired })
	counter("refused_total", "Commands refused because the mailbox of their owner was full.", func(v *view.View) uint64 { return v.Stats.Refused })
	counter("undelivered_total", "Commands whose owner or buff did not exist, or that found no room.", func(v *view.View) uint64 { return v.Stats.Undelivered })
	counter("dropped_total", "Deadlines that were obsolete when they were to run.", func(v *view.View) uint64 { return v.Stats.Dropped })
	counter("despawn_dropped_total", "Timeouts and handlers removed with their owner.", func(v *view.View) uint64 { return v.Stats.DroppedOnDespawn })
	counter("pool_refused_total", "Times that the pool had no worker; the work is only delayed.", func(v *view.View) uint64 { return v.Stats.PoolRefused })
	counter("faults_total", "Panics, and ends by runtime.Goexit, of handlers and other functions of the game.", func(v *view.View) uint64 { return v.Stats.Faults })
	seconds := func(name, help string, kind prometheus.ValueType, value func(v *view.View) time.Duration) {
		out = append(out, metric{desc(name, help), kind, func(v *view.View) float64 { return value(v).Seconds() }})
	}
	seconds("handler_seconds_total", "Time of all turns, estimated from a sample.", prometheus.CounterValue, func(v *view.View) time.Duration { return v.Handled })
	seconds("behind_seconds", "Game time still to be processed.", prometheus.GaugeValue, func(v *view.View) time.Duration { return v.Stats.Behind })
	seconds("lost_seconds_total", "Game time dropped by Ticks.", prometheus.CounterValue, func(v *view.View) time.Duration { return v.Stats.Lost })
	return out
}

// stuckAfter is how long a handler must have occupied a worker to count as stuck. It distinguishes
// a stuck handler from a mere backlog. With a backlog, handlers are also running at the end of each
// Tick, but not the same handlers for long.
const stuckAfter = time.Second

func stuck(v *view.View) (n int) {
	for _, s := range v.Stuck {
		if s.For >= stuckAfter {
			n++
		}
	}
	return n
}

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.up, c.lateness, c.denied, c.frame, c.budget, c.events, c.live, c.happened, c.calls, c.took} {
		ch <- d
	}
	for _, m := range c.plain {
		ch <- m.desc
	}
}

// Collect requests the state from the loop and sends it. It waits for the next Tick, at most
// two seconds.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	v, err := c.watch.Next(ctx)
	if err != nil {
		ch <- prometheus.MustNewConstMetric(c.up, prometheus.GaugeValue, 0)
		return
	}
	ch <- prometheus.MustNewConstMetric(c.up, prometheus.GaugeValue, 1)
	for _, m := range c.plain {
		ch <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(v))
	}
	if v.SlowFrame > 0 {
		ch <- prometheus.MustNewConstMetric(c.budget, prometheus.GaugeValue, v.SlowFrame.Seconds())
	}
	for kind := buff.Applied; int(kind) < len(v.Counts); kind++ {
		ch <- prometheus.MustNewConstMetric(c.events, prometheus.CounterValue, float64(v.Counts[kind]), kind.String())
	}
	c.collectBuffs(ctx, ch)
	c.collectDenied(ch, v)
	c.collectTimes(ch, v)
}

func (c *Collector) collectDenied(ch chan<- prometheus.Metric, v *view.View) {
	// A counter must not appear twice, so the counts from earlier catalogs are added to the counts
	// of the current definitions with the same ids.
	type key struct{ buff, why string }
	sums := make(map[key]uint64)
	for _, d := range v.Denied {
		sums[key{strings.ToValidUTF8(d.Spec.ID, "\uFFFD"), d.Why.String()}] += d.Count
	}
	var keys []key
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.buff, b.buff), cmp.Compare(a.why, b.why))
	})
	for _, k := range keys[:min(len(keys), maxDenied)] {
		ch <- prometheus.MustNewConstMetric(c.denied, prometheus.CounterValue, float64(sums[k]), k.buff, k.why)
	}
}

func (c *Collector) collectTimes(ch chan<- prometheus.Metric, v *view.View) {
	late, n := make(map[float64]uint64), uint64(0)
	for i, count := range v.Late {
		n += count
		if i < len(view.LateBounds) {
			late[view.LateBounds[i].Seconds()] = n
		}
	}
	ch <- prometheus.MustNewConstHistogram(c.lateness, n, v.LateSum.Seconds(), late)

	// The engine has four buckets for each doubling of the duration; export every fourth bound.
	times, n := make(map[float64]uint64), uint64(0)
	for i, count := range v.Times {
		n += count
		if i%4 == 0 && i >= 4*5 && i < len(v.Times)-1 {
			times[v.Times.Bound(i).Seconds()] = n
		}
	}
	ch <- prometheus.MustNewConstHistogram(c.frame, n, v.Took.Seconds(), times)
}
