package load

import (
	"github.com/bufftick/bufftick/bench/gauge"
)

// heapLine is the live heap over a run.
type heapLine struct {
	points []XY // hours of the game, MB
}

// read collects the garbage, which takes its time, between two frames.
func (h *heapLine) read(w *world) {
	h.note(float64(w.now())/3.6e6, heapOf(w))
}

func (h *heapLine) note(x float64, bytes int64) {
	h.points = append(h.points, XY{x, float64(bytes) / 1e6})
}

// heapTolerance is what the heap may differ by from the middle of the run to its end: lists
// that have met their longest frame only then.
const (
	heapTolerance = 0.05
	heapGrain     = 0.05 // MB
)

// report compares the end with the middle of the run: what leaks grows all the time.
func (h *heapLine) report(r *Result) {
	r.Series["heap"] = h.points
	middle, end := h.points[len(h.points)/2].Y, h.points[len(h.points)-1].Y
	r.figure("heap in the middle", middle, "MB")
	r.figure("heap at the end", end, "MB")
	r.check(end <= middle*(1+heapTolerance)+heapGrain, "the heap is flat: %.2f MB in the middle of the run, %.2f MB at its end", middle, end)
}

// heapOf returns what lives, without what was there before the players carried anything, and without the
// flight recorder.
func heapOf(w *world) int64 {
	heap := gauge.LiveHeap() - w.bytes
	if r := w.eng.History(); r != nil { // a minute of events, of which there are more from second to second
		heap -= int64(r.Stats().Bytes)
	}
	return heap
}
