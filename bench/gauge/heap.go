package gauge

import (
	"runtime"
	"runtime/metrics"
)

// LiveHeap collects the garbage and returns the bytes that live.
func LiveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Runtime is what the Go runtime has done since the process began.
type Runtime struct {
	Objects    uint64  // allocated
	GC, All    float64 // processor seconds of the collector, and of everything, idle time included
	Idle       float64 // of those, the idle ones
	Collection uint64  // how often it collected
}

// ReadRuntime returns the present figures. It costs some µs.
func ReadRuntime() Runtime {
	s := []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s)
	return Runtime{s[0].Value.Uint64(), s[1].Value.Float64(), s[2].Value.Float64(), s[3].Value.Float64(), s[4].Value.Uint64()}
}

// GCShare returns which part of the processor time that was used since then went into the
// collector.
func (r Runtime) GCShare(since Runtime) float64 {
	used := (r.All - r.Idle) - (since.All - since.Idle)
	if used <= 0 {
		return 0
	}
	return (r.GC - since.GC) / used
}
