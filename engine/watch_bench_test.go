package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// BenchmarkWatchOff measures the cost of the Watch for a frame without watchers: its two hooks.
// Each turn and each owner of a frame additionally costs a load and a comparison, see
// BenchmarkWatchFrame.
func BenchmarkWatchOff(b *testing.B) {
	e := engine.NewWatchless(b)
	for b.Loop() {
		engine.WatchHooks(e)
	}
}

// BenchmarkWatchFrame measures a frame in which 4,096 of 100,000 owners have a pulse: without
// watchers, with an open Watch, and with a View in every frame.
func BenchmarkWatchFrame(b *testing.B) {
	for _, how := range []string{"off", "open", "asking"} {
		b.Run(how, func(b *testing.B) {
			e, _ := steady(b, 100_000, 0)
			start := time.Now()
			if how != "off" {
				defer e.Watch().Open(func() time.Duration { return time.Since(start) })()
			}
			for b.Loop() {
				if how == "asking" {
					engine.Asked(e)
				}
				e.Tick(41 * time.Millisecond)
			}
		})
	}
}
