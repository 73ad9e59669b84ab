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
	patience  = 2 * time.Second // that a scrape waits for the loop: above the Budget that a stuck handler costs
	maxDenied = 500             // pairs of definition and reason, the most frequent ones
	maxBuffs  = 100             // definitions that have series of their own: the first that something came of
)

// The labels of what is not one definition: all definitions that have no series of their own; timeouts; and
// what commands of the game change.
const (
	others   = "(others)"
	timeouts = "(timeouts)"
	ofGame   = "(game)"
)

// Collector tells a registry about one engine. Make one with [New]. Any number of
// goroutines may collect at once.
type Collector struct {
	watch view.Watch
	close func()

	up, lateness, denied, frame, budget, events *prometheus.Desc

	live, happened, calls, took *prometheus.Desc // by definition

	plain []metric

	mu    sync.Mutex
	named map[string]bool // the definitions that have series of their own
}

// metric is one that is a single number.
type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*view.View) float64
}

// New returns a Collector, which keeps the engine's Watch open until it is closed.
func New(eng *engine.Engine) *Collector {
	start := time.Now()
	return newCollector(eng, func() time.Duration { return time.Since(start) })
}

func newCollector(eng *engine.Engine, clock func() time.Duration) *Collector {
	c := &Collector{
		watch:    eng.Watch(),
		up:       desc("up", "Whether the loop has answered within two seconds."),
		lateness: desc("event_lateness_seconds", "How long after they were due events were worked out."),
		denied:   desc("denied_total", "Applications that were refused.", "buff", "reason"),
		frame:    desc("frame_seconds", "How long frames took."),
		budget:   desc("frame_budget_seconds", "What a frame may take: Options.Trace.SlowFrame."),
		events:   desc("events_total", "What happened, by kind.", "kind"),
		live:     desc("buff_live", "Instances that run, by definition.", "buff"),
		happened: desc("buff_events_total", "What happened, by definition and kind.", "buff", "kind"),
		calls:    desc("buff_handlers_total", "Handlers that have returned, by definition, estimated from some.", "buff"),
		took:     desc("buff_handler_seconds_total", "Time in handlers, by definition, estimated from some.", "buff"),
		named:    make(map[string]bool),
		plain:    plain(),
	}
	c.close = c.watch.Open(clock)
	return c
}

// Close lets the engine count nothing any more, unless somebody else watches it. The
// Collector should be unregistered by then.
func (c *Collector) Close() { c.close() }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("bufftick_"+name, help, labels, nil)
}

// plain returns the metrics that are a single number.
func plain() []metric {
	var out []metric
	gauge := func(name, help string, value func(v *view.View) int) {
		out = append(out, metric{desc(name, help), prometheus.GaugeValue, func(v *view.View) float64 { return float64(value(v)) }})
	}
	counter := func(name, help string, value func(v *view.View) uint64) {
		out = append(out, metric{desc(name, help), prometheus.CounterValue, func(v *view.View) float64 { return float64(value(v)) }})
	}
	gauge("owners", "Owners that are there.", func(v *view.View) int { return v.Stats.Owners })
	gauge("buffs", "Buffs that are carried.", func(v *view.View) int { return v.Buffs })
	gauge("busy_owners", "Owners whose turn was not over at the frame's end.", func(v *view.View) int { return v.Stats.Busy })
	gauge("stuck_owners", "Owners whose handlers have held a worker for a second or more of the game.", stuck)
	gauge("waiting_owners", "Owners that were not served because no worker was free.", func(v *view.View) int { return v.Waiting })
	gauge("workers", "Handlers that can run at once.", func(v *view.View) int { return v.Workers })
	gauge("deadlines", "Owners and auras that wait on the wheel for their next deadline.", func(v *view.View) int { return v.Stats.Timers })
	gauge("inbox_commands", "Commands of other goroutines that wait for the next Tick.", func(v *view.View) int { return v.Stats.Inbox })
	gauge("inbox_limit", "Commands that the inbox has room for.", func(v *view.View) int { return v.InboxLimit })
	counter("inbox_refused_total", "Commands of other goroutines refused because the inbox, or their producer's share of it, was full.", func(v *view.View) uint64 { return v.Stats.InboxRefused })
	gauge("mailbox_messages", "Messages that wait in mailboxes.", func(v *view.View) int { return v.Mail })
	counter("frames_total", "Ticks.", func(v *view.View) uint64 { return v.Stats.Ticks })
	counter("deadlines_fired_total", "Timers of owners and auras that fired.", func(v *view.View) uint64 { return v.Stats.Fired })
	counter("refused_total", "Commands refused because too much waited for their owner.", func(v *view.View) uint64 { return v.Stats.Refused })
	counter("undelivered_total", "Commands that found nobody, nothing or no room.", func(v *view.View) uint64 { return v.Stats.Undelivered })
	counter("dropped_total", "What was due and no longer so when it was to run.", func(v *view.View) uint64 { return v.Stats.Dropped })
	counter("despawn_dropped_total", "Timeouts and handlers that went with their owner.", func(v *view.View) uint64 { return v.Stats.DroppedOnDespawn })
	counter("pool_refused_total", "Times that the pool had no worker; nothing is lost by that.", func(v *view.View) uint64 { return v.Stats.PoolRefused })
	counter("faults_total", "Panics, and ends by runtime.Goexit, of handlers and of what else the game has handed in.", func(v *view.View) uint64 { return v.Stats.Faults })
	seconds := func(name, help string, kind prometheus.ValueType, value func(v *view.View) time.Duration) {
		out = append(out, metric{desc(name, help), kind, func(v *view.View) float64 { return value(v).Seconds() }})
	}
	seconds("handler_seconds_total", "Time of all turns, estimated from some.", prometheus.CounterValue, func(v *view.View) time.Duration { return v.Handled })
	seconds("behind_seconds", "Time that is still to be worked off.", prometheus.GaugeValue, func(v *view.View) time.Duration { return v.Stats.Behind })
	seconds("lost_seconds_total", "Time that Ticks have dropped.", prometheus.CounterValue, func(v *view.View) time.Duration { return v.Stats.Lost })
	return out
}

// stuckAfter is how long a handler must have held a worker. At the end of a Tick that does not fit
// its budget some always do, others each time: that is a backlog.
const stuckAfter = time.Second

func stuck(v *view.View) (n int) {
	for _, s := range v.Stuck {
		if s.For >= stuckAfter {
			n++
		}
	}
	return n
}

// Describe tells a registry what there is.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.up, c.lateness, c.denied, c.frame, c.budget, c.events, c.live, c.happened, c.calls, c.took} {
		ch <- d
	}
	for _, m := range c.plain {
		ch <- m.desc
	}
}

// Collect asks the loop and tells what it has answered. It waits for the next Tick, a
// second at most.
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
	// Definitions of an earlier catalog count with those that have their id now: a counter
	// must not appear twice.
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

	// Of the classes of the engine every fourth is a doubling.
	times, n := make(map[float64]uint64), uint64(0)
	for i, count := range v.Times {
		n += count
		if i%4 == 0 && i >= 4*5 && i < len(v.Times)-1 {
			times[v.Times.Bound(i).Seconds()] = n
		}
	}
	ch <- prometheus.MustNewConstHistogram(c.frame, n, v.Took.Seconds(), times)
}
