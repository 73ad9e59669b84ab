package engine

import (
	"context"
	"runtime/trace"
)

// Regions of an execution trace (go tool trace): one for each Tick, and in it one for each
// turn of the wheel, each wait for the workers and the end of the frame; and on the workers
// one for each turn of an owner. While nobody traces, a region is a look at a flag.
const (
	regionTick    = "bufftick.Tick"
	regionAdvance = "bufftick.advance"
	regionWork    = "bufftick.work"
	regionMerge   = "bufftick.merge"
	regionTurn    = "bufftick.turn"
)

var untold = context.Background()

// region begins a part of a trace if one is being made.
func region(name string) *trace.Region {
	if !trace.IsEnabled() {
		return nil
	}
	return trace.StartRegion(untold, name)
}

// endRegion ends it.
func endRegion(r *trace.Region) {
	if r != nil {
		r.End()
	}
}
