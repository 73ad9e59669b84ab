package prom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bufftick/bufftick/store"
)

// Saver exports metrics about the saving of a zone. Use [NewSaver] to create one. Any number of
// goroutines may call Collect at once. Collect never waits for the loop or the disk.
type Saver struct {
	stats func() store.Stats
	plain []saved
}

// saved is one metric of a Saver.
type saved struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*store.Stats) float64
}

// NewSaver returns a collector for the statistics of a store.Saver, as in NewSaver(zone.Stats).
func NewSaver(stats func() store.Stats) *Saver {
	s := &Saver{stats: stats}
	gauge := func(name, help string, value func(*store.Stats) float64) {
		s.plain = append(s.plain, saved{desc(name, help), prometheus.GaugeValue, value})
	}
	counter := func(name, help string, value func(*store.Stats) uint64) {
		s.plain = append(s.plain, saved{desc(name, help), prometheus.CounterValue, func(x *store.Stats) float64 { return float64(value(x)) }})
	}
	gauge("cut_age_seconds", "Game time since the last cut on disk.", func(x *store.Stats) float64 { return x.Age.Seconds() })
	gauge("cut_alarm", "Whether cut_age_seconds exceeds Options.Alarm.", func(x *store.Stats) float64 { return truth(x.Alarm) })
	gauge("cut_failing", "Whether the last commit was not acknowledged.", func(x *store.Stats) float64 { return truth(x.Err != nil) })
	gauge("cut_owners", "Owners in the last commit.", func(x *store.Stats) float64 { return float64(x.Owners) })
	gauge("cut_bytes", "Bytes of the owners in the last commit.", func(x *store.Stats) float64 { return float64(x.Bytes) })
	gauge("cut_older_owners", "Busy owners in the last cut, saved in an earlier state.", func(x *store.Stats) float64 { return float64(x.Older) })
	gauge("cut_encode_seconds", "Loop time used by the last cut, by Options.Clock.", func(x *store.Stats) float64 { return x.Encode.Seconds() })
	gauge("changed_owners", "Owners changed since the last cut started.", func(x *store.Stats) float64 { return float64(x.Changed) })
	counter("cuts_total", "Acknowledged commits.", func(x *store.Stats) uint64 { return x.Cuts })
	counter("cuts_failed_total", "Failed commits.", func(x *store.Stats) uint64 { return x.Failed })
	counter("cut_bytes_total", "Bytes of all commits.", func(x *store.Stats) uint64 { return x.Total })
	counter("copies_refused_total", "Copies of owners refused by Marshal.", func(x *store.Stats) uint64 { return x.Refused })
	return s
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Describe sends the descriptions of all metrics.
func (s *Saver) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range s.plain {
		ch <- m.desc
	}
}

// Collect sends the current values.
func (s *Saver) Collect(ch chan<- prometheus.Metric) {
	x := s.stats()
	for _, m := range s.plain {
		ch <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(&x))
	}
}
