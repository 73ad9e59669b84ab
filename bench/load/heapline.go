package load

import (
	"github.com/bufftick/bufftick/bench/gauge"
)

// heapLine is the live heap during a run.
type heapLine struct {
	points []XY // hours of game time, MB
}

// read runs a garbage collection, between two frames.
func (h *heapLine) read(w *world) {
	h.note(float64(w.now())/3.6e6, heapOf(w))
}

func (h *heapLine) note(x float64, bytes int64) {
	h.points = append(h.points, XY{x, float64(bytes) / 1e6})
}

// heapTolerance is the allowed growth of the heap from the middle of the run to its end, for
// lists that meet their longest frame only then.
const (
	heapTolerance = 0.05
	heapGrain     = 0.05 // MB
)

// report compares the end with the middle of the run: a leak grows all the time.
func (h *heapLine) report(r *Result) {
	r.Series["heap"] = h.points
	middle, end := h.points[len(h.points)/2].Y, h.points[len(h.points)-1].Y
	r.figure("heap in the middle", middle, "MB")
	r.figure("heap at the end", end, "MB")
	r.check(end <= middle*(1+heapTolerance)+heapGrain, "the heap is flat: %.2f MB in the middle of the run, %.2f MB at its end", middle, end)
}

// heapOf returns the live heap, without the initial heap and without the flight recorder.
func heapOf(w *world) int64 {
	heap := gauge.LiveHeap() - w.bytes
	if r := w.eng.History(); r != nil { // a minute of events; their number varies
		heap -= int64(r.Stats().Bytes)
	}
	return heap
}
