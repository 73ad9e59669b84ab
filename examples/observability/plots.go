package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/arl/statsviz"

	"github.com/bufftick/bufftick/engine/view"
)

// figures reads the state of the engine from the loop, with one request for all plots. If the loop
// does not answer, figures returns the previous values, because every call from a plot must return
// a number.
type figures struct {
	watch view.Watch
	leave func()
	ctx   context.Context
	stop  context.CancelFunc
	start time.Time

	mu     sync.Mutex
	asked  time.Duration
	view   *view.View
	viewed time.Duration
	rate   float64 // number of events per second of real time between the last two views
}

const (
	fresh    = 500 * time.Millisecond // how long the plots use one answer from the loop
	patience = 500 * time.Millisecond // maximum time that a plot waits for an answer from the loop
)

func newFigures(w view.Watch) *figures {
	f := &figures{watch: w, start: time.Now(), view: new(view.View), asked: -fresh}
	f.ctx, f.stop = context.WithCancel(context.Background())
	f.leave = w.Open(f.clock)
	return f
}

func (f *figures) clock() time.Duration { return time.Since(f.start) }

func (f *figures) close() {
	f.stop()
	f.leave()
}

// look returns the state of the engine and the number of events per second.
func (f *figures) look() (*view.View, float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.clock()-f.asked < fresh {
		return f.view, f.rate
	}
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	v, err := f.watch.Next(ctx)
	f.asked = f.clock()
	switch {
	case err != nil:
		f.rate = 0
	case f.viewed == 0:
		f.view, f.viewed = v, f.asked
	default:
		f.rate = float64(v.Stats.Events-f.view.Stats.Events) / (f.asked - f.viewed).Seconds()
		f.view, f.viewed = v, f.asked
	}
	return f.view, f.rate
}

// p99 returns the 99th percentile of frame times, in milliseconds.
func p99(frames []view.FrameTime) float64 {
	if len(frames) == 0 {
		return 0
	}
	took := make([]time.Duration, len(frames))
	for i, f := range frames {
		took[i] = f.Took
	}
	slices.Sort(took)
	return float64(took[len(took)*99/100]) / float64(time.Millisecond)
}

// plots returns the plots of the engine.
func plots(f *figures) []statsviz.TimeSeriesPlotConfig {
	series := func(name string, value func(v *view.View) float64) statsviz.TimeSeries {
		return statsviz.TimeSeries{Name: name, GetValue: func() float64 {
			v, _ := f.look()
			return value(v)
		}}
	}
	number := func(name string, value func(v *view.View) int) statsviz.TimeSeries {
		return series(name, func(v *view.View) float64 { return float64(value(v)) })
	}
	rate := statsviz.TimeSeries{Name: "events", GetValue: func() float64 { _, r := f.look(); return r }}
	return []statsviz.TimeSeriesPlotConfig{
		{
			Name: "bufftick-events", Title: "bufftick: events", YAxisTitle: "events a second",
			InfoText: "What happens to buffs, of all players, in a second of real time.",
			Series:   []statsviz.TimeSeries{rate},
		},
		{
			Name: "bufftick-players", Title: "bufftick: players who wait", YAxisTitle: "players",
			InfoText: "Whose turn was not over at the end of the frame; whose handler held a worker then; who had none.",
			Series: []statsviz.TimeSeries{
				number("busy", func(v *view.View) int { return v.Stats.Busy }),
				number("stuck", func(v *view.View) int { return len(v.Stuck) }),
				number("waiting", func(v *view.View) int { return v.Waiting }),
			},
		},
		{
			Name: "bufftick-backlog", Title: "bufftick: backlog", YAxisTitle: "messages",
			InfoText: "What waits in the mailboxes of players, and in the inbox for the next Tick.",
			Series: []statsviz.TimeSeries{
				number("mailboxes", func(v *view.View) int { return v.Mail }),
				number("inbox", func(v *view.View) int { return v.Stats.Inbox }),
			},
		},
		{
			Name: "bufftick-frame", Title: "bufftick: frames", YAxisTitle: "ms", YAxisTickSuffix: " ms",
			InfoText: "What 99 of 100 of the last 256 frames took at most, and what they may take.",
			Series: []statsviz.TimeSeries{
				series("p99", func(v *view.View) float64 { return p99(v.Frames) }),
				series("budget", func(v *view.View) float64 { return float64(v.SlowFrame) / float64(time.Millisecond) }),
			},
		},
	}
}
