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

// heapTolerance is the allowed growth of the heap over half a run, for lists that grow with the
// longest frame so far.
const (
	heapTolerance = 0.05
	heapGrain     = 0.05 // MB
)

// report compares the last quarter of the run with the second: a leak grows all the time. One
// reading can be 0.1 MB above or below the next, so it compares averages.
func (h *heapLine) report(r *Result) {
	r.Series["heap"] = h.points
	n := len(h.points)
	r.figure("heap in the middle", h.points[n/2].Y, "MB")
	r.figure("heap at the end", h.points[n-1].Y, "MB")
	before, after := average(h.points[n/4:n/2]), average(h.points[3*n/4:])
	r.check(after <= before*(1+heapTolerance)+heapGrain, "the heap is flat: %.2f MB in the second quarter of the run, %.2f MB in the last", before, after)
}

// average returns the average of the Y values, NaN if there are none.
func average(points []XY) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.Y
	}
	return sum / float64(len(points))
}

// heapOf returns the live heap, without the initial heap and without the flight recorder.
func heapOf(w *world) int64 {
	heap := gauge.LiveHeap() - w.bytes
	if r := w.eng.History(); r != nil { // a minute of events; their number varies
		heap -= int64(r.Stats().Bytes)
	}
	return heap
}
