package timer

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"github.com/bufftick/bufftick/wheel"
)

// Close stops all timers, ends the driver and waits for the callbacks that have started. It
// returns nil when the last callback has ended, even if Close was called before. If ctx ends
// earlier, it returns an error that wraps the cause of ctx. Timers that had not fired are dropped:
// their functions do not start, and Stop and Reset return false.
//
// If a callback calls Close, Close also waits for that callback, so the callback must pass a ctx
// that has already ended.
func (c *Clock) Close(ctx context.Context) error {
	if c.closed.CompareAndSwap(false, true) {
		for i := range c.shards {
			c.shards[i].close()
		}
		close(c.done)
	}
	select {
	case <-c.finished:
		return nil
	default:
	}
	select {
	case <-c.finished:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("timer: Close: %d callbacks are still running: %w", c.Stats().Running, context.Cause(ctx))
	}
}

func (s *shard) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.wheel, s.fns = true, nil, nil
	s.next.Store(int64(wheel.Never))
}

// checkFinished lets Close return if no callback is running.
func (c *Clock) checkFinished() {
	if !c.driven.Load() {
		return
	}
	for i := range c.shards {
		if c.shards[i].running.Load() > 0 {
			return
		}
	}
	c.finish.Do(func() { close(c.finished) })
}

// Stats holds the statistics of a Clock.
type Stats struct {
	Pending int    // timers that wait for their deadline or for their function to start
	Running int    // functions that have started and not ended
	Started uint64 // functions started since New
	Stopped uint64 // timers stopped by Stop
	Refused uint64 // refusals by Options.Run; a refused task is submitted again
	Wakes   uint64 // number of times the driver has woken from sleep
	// longest delay between a deadline and the submission of its functions
	Late time.Duration
	// memory of the wheels and tables; the functions and Timers are not included
	Bytes uint64
}

// Stats returns the statistics. It locks one shard after another, so while other goroutines add
// and stop timers, the sums are estimates.
func (c *Clock) Stats() Stats {
	st := Stats{Refused: c.refused.Load(), Wakes: c.wakes.Load(), Late: time.Duration(c.late.Load())}
	for i := range c.shards {
		c.shards[i].addTo(&st)
	}
	return st
}

func (s *shard) addTo(st *Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Started += s.started
	st.Stopped += s.stopped
	st.Running += int(s.running.Load())
	if s.wheel == nil {
		return
	}
	w := s.wheel.Stats()
	st.Pending += w.Waiting + w.Resting
	if s.spare != 0 {
		st.Pending--
	}
	st.Bytes += w.Bytes + uint64(len(s.fns))*uint64(unsafe.Sizeof([fnPage]func(){})) + uint64(cap(s.fns))*8
}
