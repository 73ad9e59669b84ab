package prom_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/metrics/prom"
)

// A registry gets the metrics of an engine. Here the loop does not tick, and that is
// what the scrape says.
func Example() {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	metrics := prom.New(eng)
	defer metrics.Close()

	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)
	families, err := registry.Gather()
	if err != nil {
		panic(err)
	}
	for _, f := range families {
		fmt.Println(f.GetName(), f.GetMetric()[0].GetGauge().GetValue())
	}
	// Output: bufftick_up 0
}
