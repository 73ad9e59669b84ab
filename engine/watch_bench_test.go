package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/engine"
)

// BenchmarkWatchOff is what a frame pays for the Watch while nobody looks: its two hooks.
// The turns and owners of a frame pay one load and one comparison each, see
// BenchmarkWatchFrame.
func BenchmarkWatchOff(b *testing.B) {
	e := engine.NewWatchless(b)
	for b.Loop() {
		engine.WatchHooks(e)
	}
}

// BenchmarkWatchFrame is a frame in which 4,096 owners of 100,000 have a pulse, with
// nobody looking, somebody, and somebody who asks for a View in every frame.
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
