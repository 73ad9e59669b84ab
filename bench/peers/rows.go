package main

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/tidwall/btree"
	"github.com/zeromicro/go-zero/core/collection"

	"github.com/bufftick/bufftick/wheel"
)

const halfDay = 12 * 3600 // s

func within12h(rng *rand.Rand) int64 { return 1 + rng.Int64N(halfDay) }

// peer stores deadlines, in seconds, by timer number. A timer is never added while it is waiting.
type peer interface {
	add(timer int, due int64)
	move(timer int, due int64)
	remove(timer int)
	advance(now int64) (fired int) // number of timers known to have fired since the last call
	settle() (fired int)           // waits until all timers have fired; returns the number of timers that "advance" has not counted
	close()
}

// peers lists all peers. The first of them is our wheel.
var peers = []struct {
	name string
	make func(timers int) peer
}{{"wheel", newWheel}, {"otter", newOtter}, {"gozero", newGozero}, {"btree", newBtree}}

type wheelPeer struct {
	wheel   *wheel.Wheel
	handles []wheel.Handle
	fired   []wheel.Fired
}

func newWheel(timers int) peer {
	return &wheelPeer{wheel: wheel.New(0), handles: make([]wheel.Handle, timers)}
}

func (p *wheelPeer) add(timer int, due int64) {
	p.handles[timer] = p.wheel.Add(wheel.Time(due*1000), uint64(timer))
}

func (p *wheelPeer) move(timer int, due int64) {
	p.wheel.Move(p.handles[timer], wheel.Time(due*1000))
}

func (p *wheelPeer) remove(timer int) { p.wheel.Remove(p.handles[timer]) }

func (p *wheelPeer) advance(now int64) int {
	p.fired = p.wheel.Advance(wheel.Time(now*1000), p.fired[:0])
	return len(p.fired)
}

func (p *wheelPeer) settle() int { return 0 }
func (p *wheelPeer) close()      {}

type otterPeer struct {
	cache *otter.Cache[int, int64]
	now   int64 // current time in ns
	fired int
}

func newOtter(timers int) peer {
	p := &otterPeer{}
	p.cache = otter.Must(&otter.Options[int, int64]{
		InitialCapacity: timers,
		Clock:           p,
		Executor:        func(f func()) { f() },
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[int, int64]) time.Duration {
			return time.Duration(e.Value - p.now)
		}),
		OnDeletion: func(e otter.DeletionEvent[int, int64]) {
			if e.Cause == otter.CauseExpiration {
				p.fired++
			}
		},
	})
	return p
}

// NowNano and Tick implement the cache's clock.
func (p *otterPeer) NowNano() int64                      { return p.now }
func (p *otterPeer) Tick(time.Duration) <-chan time.Time { return nil }

func (p *otterPeer) add(timer int, due int64)  { p.cache.Set(timer, due*int64(time.Second)) }
func (p *otterPeer) move(timer int, due int64) { p.add(timer, due) }
func (p *otterPeer) remove(timer int)          { p.cache.Invalidate(timer) }

func (p *otterPeer) advance(now int64) int {
	p.now = now * int64(time.Second)
	was := p.fired
	p.cache.CleanUp()
	return p.fired - was
}

func (p *otterPeer) settle() int { return 0 }
func (p *otterPeer) close()      { p.cache.StopAllGoroutines() }

// gozeroPeer is the peer for go-zero's wheel, and also the ticker of this wheel. The channel
// "ticks" is unbuffered, so the wheel accepts a tick only after it has processed the previous tick.
type gozeroPeer struct {
	wheel *collection.TimingWheel
	ticks chan time.Time
	now   int64
	due   []int64 // deadline of each timer; 0 if the timer was removed
	wait  sync.WaitGroup
	added int
}

func newGozero(timers int) peer {
	p := &gozeroPeer{ticks: make(chan time.Time), due: make([]int64, timers)}
	fire := func(_, _ any) { p.wait.Done() }
	w, err := collection.NewTimingWheelWithTicker(time.Second, halfDay, fire, p)
	if err != nil {
		panic(err)
	}
	p.wheel = w
	return p
}

func (p *gozeroPeer) Chan() <-chan time.Time { return p.ticks }
func (p *gozeroPeer) Stop()                  {}

func (p *gozeroPeer) add(timer int, due int64) {
	p.wait.Add(1)
	p.added++
	p.due[timer] = due
	_ = p.wheel.SetTimer(timer, nil, time.Duration(due-p.now)*time.Second)
}

func (p *gozeroPeer) move(timer int, due int64) {
	p.due[timer] = due
	_ = p.wheel.MoveTimer(timer, time.Duration(due-p.now)*time.Second)
}

func (p *gozeroPeer) remove(timer int) {
	if p.due[timer] > p.now {
		p.wait.Done()
		p.added--
		_ = p.wheel.RemoveTimer(timer)
	}
	p.due[timer] = 0
}

func (p *gozeroPeer) advance(now int64) int {
	for ; p.now < now; p.now++ {
		p.ticks <- time.Time{}
	}
	return 0
}

func (p *gozeroPeer) settle() int {
	p.wait.Wait()
	fired := p.added
	p.added = 0
	return fired
}

func (p *gozeroPeer) close() { p.wheel.Stop() }

// btreePeer keeps deadlines in a tree. The field "due" has the deadline of each timer, which is
// part of the timer's key in the tree, or 0 if the timer is not waiting.
type btreePeer struct {
	tree  *btree.BTreeG[deadline]
	due   []int64
	fired []deadline
}

type deadline struct {
	due   int64
	timer int
}

func newBtree(timers int) peer {
	before := func(a, b deadline) bool { return a.due < b.due || a.due == b.due && a.timer < b.timer }
	return &btreePeer{
		tree: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true}),
		due:  make([]int64, timers),
	}
}

func (p *btreePeer) add(timer int, due int64) {
	p.due[timer] = due
	p.tree.Set(deadline{due, timer})
}

func (p *btreePeer) move(timer int, due int64) {
	p.remove(timer)
	p.add(timer, due)
}

func (p *btreePeer) remove(timer int) {
	if p.due[timer] != 0 {
		p.tree.Delete(deadline{p.due[timer], timer})
		p.due[timer] = 0
	}
}

func (p *btreePeer) advance(now int64) int {
	p.fired = p.fired[:0]
	for {
		first, ok := p.tree.Min()
		if !ok || first.due > now {
			return len(p.fired)
		}
		p.tree.PopMin()
		p.due[first.timer] = 0
		p.fired = append(p.fired, first)
	}
}

func (p *btreePeer) settle() int { return 0 }
func (p *btreePeer) close()      {}
