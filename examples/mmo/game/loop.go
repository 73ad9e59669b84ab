package game

import (
	"context"
	"io"
	"time"

	"github.com/bufftick/bufftick/buff/catalog/watch"
)

// loop plays a world frame by frame and measures the time of each frame.
type loop struct {
	*world
	status  *status
	changes <-chan watch.Change // changes of the definitions; nil if the definitions do not change
	orders  chan order          // changes and commands; the sender of an order waits for its result
	over    chan struct{}       // closed when no more orders are accepted
	watch   *live               // page and keys; nil without -live

	played      int
	late        int           // number of frames that started after the next frame was due
	took        time.Duration // total time of all frames
	frame, tick times         // durations of whole frames, and of the engine's Tick in each frame
}

func newLoop(w *world, s *status, out io.Writer) *loop {
	w.story = newStory(w, func(lines ...string) { s.above(out, lines...) }, coloured(out))
	return &loop{
		world: w, status: s, orders: make(chan order), over: make(chan struct{}),
	}
}

// play runs the frames, each at its time, until all frames are played or ctx ends. If the loop is
// late, it runs frames without a pause. Every frame advances the game by the same time, however
// long the frame takes. This makes the game independent of the speed of the machine.
func (l *loop) play(ctx context.Context) {
	start := time.Now()
	for l.played < l.frames && l.err == nil && l.wait(ctx, start) {
		began := time.Now()
		l.reload()
		l.obey()
		l.act()
		tick := time.Now()
		frame := l.eng.Tick(l.at(l.played+1) - l.at(l.played))
		l.tick.add(time.Since(tick))
		l.see(frame)
		if l.keep != nil {
			l.keep.zone.After(frame)
		}
		took := time.Since(began)
		l.frame.add(took)
		l.watch.framed(took)
		l.played++
		l.status.show(l, took)
	}
	l.story.end()
	close(l.over)
	l.took = time.Since(start)
	l.status.clear()
}

// framesOf returns the number of frames in d at the given rate.
func framesOf(d time.Duration, rate int) int {
	return int((int64(d)*int64(rate) + int64(time.Second) - 1) / int64(time.Second))
}

// at returns the game time of the n-th frame. A second has exactly as many frames as the field
// "rate" says, even if a frame is not a whole number of nanoseconds.
func (w *world) at(n int) time.Duration {
	return time.Duration(int64(n) * int64(time.Second) / int64(w.rate))
}

// wait waits for the time of the next frame. It returns false when ctx has ended.
func (l *loop) wait(ctx context.Context, start time.Time) bool {
	if l.speed == 0 {
		return ctx.Err() == nil
	}
	due := time.Duration(float64(l.at(l.played)) / l.speed)
	left := due - time.Since(start)
	if left <= 0 {
		if -left >= time.Duration(float64(l.at(1))/l.speed) {
			l.late++
		}
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(left):
		return true
	}
}
