package main

import (
	"errors"
	"fmt"

	"github.com/arl/statsviz"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/bufftick/bufftick/contrib/prom"
	"github.com/bufftick/bufftick/examples/mmo/game"
)

// mount adds the metrics and the runtime plots to the inspector's server. Both show data about
// players, so they have the same access check as the inspector, which is Inspector.Guard.
func mount(s *game.Site) (stop func(), err error) {
	metrics := prom.New(s.Engine)
	registry := prometheus.NewRegistry()
	if err := errors.Join(registry.Register(metrics), registry.Register(collectors.NewGoCollector())); err != nil {
		metrics.Close()
		return nil, err
	}
	figures := newFigures(s.Engine.Watch())
	runtime, err := newStatsviz(figures)
	if err != nil {
		metrics.Close()
		figures.close()
		return nil, err
	}
	s.Mux.Handle("/metrics", s.Page.Guard(newScrape(registry)))
	s.Mux.Handle(statsvizRoot+"/", s.Page.Guard(tagged(runtime.Index())))
	s.Mux.Handle(statsvizRoot+"/ws", s.Page.Guard(runtime.Ws()))
	fmt.Fprintf(s.Notes, "at the same address: /metrics for Prometheus, %s/ for the Go runtime\n", statsvizRoot)
	return func() {
		figures.close() // close this first, because a plot may be waiting for the loop
		_ = runtime.Close()
		metrics.Close()
	}, nil
}

const statsvizRoot = "/debug/statsviz"

// newStatsviz returns a statsviz server. It shows the plots of the runtime, followed by the plots
// of the engine.
func newStatsviz(f *figures) (*statsviz.Server, error) {
	options := []statsviz.Option{statsviz.Root(statsvizRoot)}
	for _, c := range plots(f) {
		p, err := c.Build()
		if err != nil {
			return nil, fmt.Errorf("plot %s: %w", c.Name, err)
		}
		options = append(options, statsviz.TimeseriesPlot(p))
	}
	return statsviz.NewServer(options...)
}
