package rival

import (
	"sync"
	"sync/atomic"
	"time"
)

// after uses one time.AfterFunc for each buff. It runs in real time, so a frame takes 50 ms.
type after struct {
	game    *Game
	players []afterPlayer
	buffs   []afterBuff
	began   time.Time
	pulses  atomic.Uint64
	late    atomic.Int64 // total delay of all pulses and ends, in ns
	ended   chan int32
}

type afterPlayer struct {
	sync.Mutex
	health int64
}

type afterBuff struct {
	timer     *time.Timer
	live      bool
	next, end int64
}

func newAfter(g *Game) contender {
	return &after{
		game: g, players: make([]afterPlayer, g.buffs/each+1), buffs: make([]afterBuff, g.buffs),
		began: time.Now(),
		ended: make(chan int32, g.buffs), // room for all buffs: a buff ends at most once before it is added again
	}
}

func (a *after) wait(at int64) time.Duration {
	return time.Until(a.began.Add(time.Duration(at) * time.Millisecond))
}

func (a *after) add(slot int32, now, life int64) {
	b, p := &a.buffs[slot], &a.players[slot/each]
	p.Lock()
	defer p.Unlock()
	b.live, b.end, b.next = true, now+life, never
	if a.game.pulses(slot) {
		b.next = now + a.game.load.Period
	}
	if b.timer == nil {
		b.timer = time.AfterFunc(a.wait(min(b.next, b.end)), func() { a.fire(slot) })
	} else {
		b.timer.Reset(a.wait(min(b.next, b.end)))
	}
}

func (a *after) refresh(slot int32, now, life int64) {
	b, p := &a.buffs[slot], &a.players[slot/each]
	p.Lock()
	defer p.Unlock()
	if b.live {
		b.end = now + life
		b.timer.Reset(a.wait(min(b.next, b.end)))
	}
}

func (a *after) fire(slot int32) {
	b, p := &a.buffs[slot], &a.players[slot/each]
	p.Lock()
	defer p.Unlock()
	at := min(b.next, b.end)
	late := -a.wait(at)
	if !b.live || late < 0 {
		return // the buff was refreshed while fire waited for the lock
	}
	a.late.Add(int64(late))
	if b.next == at {
		p.health--
		b.next += a.game.load.Period
		a.pulses.Add(1)
	}
	if b.end == at {
		b.live = false
		a.ended <- slot
		return
	}
	b.timer.Reset(a.wait(min(b.next, b.end)))
}

func (a *after) tick(now int64) {
	time.Sleep(a.wait(now))
	a.game.totals.Pulses += a.pulses.Swap(0)
	for {
		select {
		case slot := <-a.ended:
			a.game.totals.Ends++
			a.game.ended = append(a.game.ended, slot)
		default:
			return
		}
	}
}

// stop stops all timers.
func (a *after) stop() {
	for i := range a.buffs {
		p := &a.players[i/each]
		p.Lock()
		a.buffs[i].live = false
		a.buffs[i].timer.Stop()
		p.Unlock()
	}
}
