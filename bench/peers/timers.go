package main

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/zeromicro/go-zero/core/collection"

	"github.com/bufftick/bufftick/timer"
)

// This file has real-time timers that any goroutine may use: the timers of our package timer and of
// the standard package time, a heap with a lock, and the wheels of otter and go-zero.
//
//	row    is
//	timer  this module's timer.Clock; callbacks run on its driver
//	time   time.AfterFunc
//	heap   container/heap with a lock
//	otter  otter v2, a cache: adding sets a key that expires; includes its map and buffers
//	gozero go-zero's wheel, 7,200 slots of a second; each call is passed to its goroutine, so
//	       the measured cost is only that of passing the call

// realTime stores timers by number. Calls for the same number are never concurrent.
type realTime interface {
	add(k int, d time.Duration)
	stop(k int)
	reset(k int, d time.Duration)
	step() // called repeatedly while timers become due
	end()
}

var realTimes = []struct {
	name string
	make func(timers int, fired func()) realTime
}{{"timer", newOurs}, {"time", newStd}, {"heap", newLocked}, {"otter", newOtterReal}, {"gozero", newGozeroReal}}

type ours struct {
	c   *timer.Clock
	all []*timer.Timer
	f   func()
}

func newOurs(n int, fired func()) realTime {
	return &ours{timer.New(timer.Options{Run: timer.Inline}), make([]*timer.Timer, n), fired}
}
func (p *ours) add(k int, d time.Duration)   { p.all[k] = p.c.AfterFunc(d, p.f) }
func (p *ours) stop(k int)                   { p.all[k].Stop() }
func (p *ours) reset(k int, d time.Duration) { p.all[k].Reset(d) }
func (p *ours) step()                        {}
func (p *ours) end()                         { _ = p.c.Close(context.Background()) }

type std struct {
	all []*time.Timer
	f   func()
}

func newStd(n int, fired func()) realTime   { return &std{make([]*time.Timer, n), fired} }
func (p *std) add(k int, d time.Duration)   { p.all[k] = time.AfterFunc(d, p.f) }
func (p *std) stop(k int)                   { p.all[k].Stop() }
func (p *std) reset(k int, d time.Duration) { p.all[k].Reset(d) }
func (p *std) step()                        {}
func (p *std) end() {
	for _, t := range p.all {
		if t != nil {
			t.Stop()
		}
	}
}

// locked is a heap of deadlines with a lock. It has no goroutine of its own; instead, the code that
// waits for the timers calls "step". This makes the heap look faster than it would be in use.
type locked struct {
	mu  sync.Mutex
	h   byDue
	all []*node
	f   func()
}

type node struct {
	due time.Time
	at  int
}

type byDue []*node

func (h byDue) Len() int           { return len(h) }
func (h byDue) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h byDue) Swap(i, j int)      { h[i], h[j] = h[j], h[i]; h[i].at, h[j].at = i, j }

func (h *byDue) Push(x any) {
	n := x.(*node)
	n.at = len(*h)
	*h = append(*h, n)
}

func (h *byDue) Pop() any {
	n := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	n.at = -1
	return n
}

func newLocked(n int, fired func()) realTime { return &locked{all: make([]*node, n), f: fired} }

func (p *locked) add(k int, d time.Duration) {
	n := &node{due: time.Now().Add(d)}
	p.mu.Lock()
	heap.Push(&p.h, n)
	p.mu.Unlock()
	p.all[k] = n
}

func (p *locked) stop(k int) {
	p.mu.Lock()
	if at := p.all[k].at; at >= 0 {
		heap.Remove(&p.h, at)
	}
	p.mu.Unlock()
}

func (p *locked) reset(k int, d time.Duration) {
	due := time.Now().Add(d)
	p.mu.Lock()
	p.all[k].due = due
	heap.Fix(&p.h, p.all[k].at)
	p.mu.Unlock()
}

func (p *locked) step() {
	now := time.Now()
	p.mu.Lock()
	for len(p.h) > 0 && !p.h[0].due.After(now) {
		heap.Pop(&p.h)
		p.mu.Unlock()
		p.f()
		p.mu.Lock()
	}
	p.mu.Unlock()
}

func (p *locked) end() {}

type otterReal struct {
	c *otter.Cache[int, time.Duration]
}

func newOtterReal(n int, fired func()) realTime {
	return otterReal{otter.Must(&otter.Options[int, time.Duration]{
		InitialCapacity:  n,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[int, time.Duration]) time.Duration { return e.Value }),
		OnDeletion: func(e otter.DeletionEvent[int, time.Duration]) {
			if e.Cause == otter.CauseExpiration {
				fired()
			}
		},
	})}
}
func (p otterReal) add(k int, d time.Duration)   { p.c.Set(k, d) }
func (p otterReal) stop(k int)                   { p.c.Invalidate(k) }
func (p otterReal) reset(k int, d time.Duration) { p.c.Set(k, d) }
func (p otterReal) step()                        { p.c.CleanUp() }
func (p otterReal) end()                         { p.c.StopAllGoroutines() }

type gozeroReal struct{ w *collection.TimingWheel }

func newGozeroReal(_ int, fired func()) realTime {
	w, err := collection.NewTimingWheel(time.Second, 7200, func(_, _ any) { fired() })
	if err != nil {
		panic(err)
	}
	return gozeroReal{w}
}
func (p gozeroReal) add(k int, d time.Duration)   { _ = p.w.SetTimer(k, nil, d) }
func (p gozeroReal) stop(k int)                   { _ = p.w.RemoveTimer(k) }
func (p gozeroReal) reset(k int, d time.Duration) { _ = p.w.MoveTimer(k, d) }
func (p gozeroReal) step()                        {}
func (p gozeroReal) end()                         { p.w.Stop() }
