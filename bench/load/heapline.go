package load

import (
	"github.com/bufftick/bufftick/bench/gauge"
)

// heapLine holds the sizes of the live heap during a run.
type heapLine struct {
	points []XY // X in hours of game time, Y in MB
}

// read measures the live heap after a garbage collection. It is called between two frames.
func (h *heapLine) read(w *world) {
	h.note(float64(w.now())/3.6e6, heapOf(w))
}

func (h *heapLine) note(x float64, bytes int64) {
	h.points = append(h.points, XY{x, float64(bytes) / 1e6})
}

// Permitted growth of the heap over half a run, which is the sum of a fraction of the heap and a
// constant. Some growth is normal, because some lists grow with the longest frame so far.
const (
	heapTolerance = 0.05
	heapGrain     = 0.05 // MB
)

// report checks that the heap is not larger in the last quarter of the run than in the second
// quarter. A leak would grow throughout the run. The check compares averages, because single
// readings differ by up to 0.1 MB.
func (h *heapLine) report(r *Result) {
	r.Series["heap"] = h.points
	n := len(h.points)
	r.figure("heap in the middle", h.points[n/2].Y, "MB")
	r.figure("heap at the end", h.points[n-1].Y, "MB")
	before, after := average(h.points[n/4:n/2]), average(h.points[3*n/4:])
	r.check(after <= before*(1+heapTolerance)+heapGrain, "the heap is flat: %.2f MB in the second quarter of the run, %.2f MB in the last", before, after)
}

// average returns the average of the Y values, or NaN if there are no points.
func average(points []XY) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.Y
	}
	return sum / float64(len(points))
}

// heapOf returns the size of the live heap, minus the initial heap and the memory of the flight
// recorder.
func heapOf(w *world) int64 {
	heap := gauge.LiveHeap() - w.bytes
	if r := w.eng.History(); r != nil { // the recorder holds a varying number of events
		heap -= int64(r.Stats().Bytes)
	}
	return heap
}
