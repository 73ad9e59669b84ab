package gauge

import (
	"runtime"
	"runtime/metrics"
)

// LiveHeap runs a garbage collection and returns the size of the live heap in bytes.
func LiveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Runtime holds statistics of the Go runtime since the process started.
type Runtime struct {
	Objects    uint64  // number of objects allocated
	GC, All    float64 // processor seconds used by the garbage collector, and in total, including idle time
	Idle       float64 // idle processor seconds
	Collection uint64  // number of garbage collections
}

// ReadRuntime returns the current statistics. It takes a few µs.
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

// GCShare returns the garbage collector's fraction of the processor time that was used between the
// statistics "since" and the statistics r.
func (r Runtime) GCShare(since Runtime) float64 {
	used := (r.All - r.Idle) - (since.All - since.Idle)
	if used <= 0 {
		return 0
	}
	return (r.GC - since.GC) / used
}
