package prom_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bufftick/bufftick/contrib/prom"
	"github.com/bufftick/bufftick/engine"
)

// The metrics of an engine are registered. The loop does not tick in this example, so bufftick_up
// is 0.
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

// The engines of several zones share a registry. Each needs a label of its own, otherwise the
// registry refuses the second one.
func Example_zones() {
	registry := prometheus.NewRegistry()
	for _, zone := range []string{"arena", "harbour"} {
		eng, err := engine.New(engine.Options{})
		if err != nil {
			panic(err)
		}
		defer eng.Close(context.Background())
		metrics := prom.New(eng)
		defer metrics.Close()
		prometheus.WrapRegistererWith(prometheus.Labels{"zone": zone}, registry).MustRegister(metrics)
	}
	families, err := registry.Gather()
	if err != nil {
		panic(err)
	}
	for _, m := range families[0].GetMetric() {
		fmt.Println(families[0].GetName(), m.GetLabel()[0].GetValue(), m.GetGauge().GetValue())
	}
	// Output:
	// bufftick_up arena 0
	// bufftick_up harbour 0
}
