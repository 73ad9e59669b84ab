package engine

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/internal/snapshot"
)

// ticks shows other goroutines whether a Tick is running.
type ticks struct {
	run  atomic.Bool // a Tick is running
	mu   sync.Mutex
	over sync.Cond
	n    uint64        // number of Ticks that have ended
	span time.Duration // length of the last Tick, except Tick(0); only the loop uses it

	inARow int // successive calls of GiveWay during a Tick; only the caller of GiveWay uses it
}

// start records the start of a Tick.
func (t *ticks) start(span time.Duration) {
	if span > 0 {
		t.span = span
	}
	t.run.Store(true)
}

// end records the end of a Tick.
func (t *ticks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run.Store(false)
	t.n++
	t.over.Broadcast()
}

// mostInARow is the number of consecutive Ticks for which GiveWay waits. It matters only if the
// loop calls Tick without a pause.
const mostInARow = 8

// GiveWay waits for the end of the running Tick, if there is one. After [mostInARow] successive
// calls that found a Tick running, it returns at once.
func (c *copies) GiveWay() {
	t := &c.ticks
	if !t.run.Load() {
		t.inARow = 0
		return
	}
	if t.inARow++; t.inARow > mostInARow {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := t.n; t.run.Load() && t.n == n; {
		t.over.Wait()
	}
}

// mostSoon is the largest number of timers that collectSoonDue visits. Visiting that many takes 0.1
// ms.
const mostSoon = 8192

// collectSoonDue collects the owners that are not copied yet and are due in the next Tick, so that
// Help can copy them first. It does nothing if Help is not in use. It assumes that the next Tick is
// as long as the last one.
func (c *copies) collectSoonDue() {
	if !c.running || !c.helped.Load() || c.now.n.Load() == 0 {
		return
	}
	list, left := c.takeSoonSpare(), mostSoon
	for id := range c.engine.deadlines.wheel.Soon(c.engine.now.After(c.ticks.span)) {
		if number := placeOf(id).Number(); id&auraTimer == 0 && c.now.has(number) {
			list = append(list, number)
		}
		if left--; left == 0 {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.soon = list
}

// takeSoonSpare returns an empty list for collectSoonDue, with memory from earlier calls.
func (c *copies) takeSoonSpare() (list []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.soon != nil { // Help has not taken the last list
		list, c.soon = c.soon, nil
	} else {
		list, c.soonSpare = c.soonSpare, nil
	}
	return list[:0]
}

func (c *copies) takeSoon() (list []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, c.soon = c.soon, nil
	return list
}

func (c *copies) giveSoon(list []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.soonSpare = list
}

// helpYield is the number of owners copied between two runtime.Gosched calls, so that Help is not
// preempted while holding a lock that the loop needs.
const helpYield = 64

// Help copies owners until the next Tick starts or all owners are copied. It returns the number of
// owners that it has copied. Concurrent calls run one after the other, because they share a shard.
func (c *copies) Help() (n int) {
	c.helps.Lock()
	defer c.helps.Unlock()
	c.helped.Store(true)
	soon := c.takeSoon()
	defer c.giveSoon(soon)
	for _, number := range soon {
		if c.ticks.run.Load() {
			return n
		}
		if c.help(number) {
			n++
		}
	}
	for word := uint32(0); ; word++ {
		w, ok := c.leftIn(word)
		if !ok {
			return n
		}
		for ; w != 0; w &= w - 1 {
			if c.ticks.run.Load() {
				return n
			}
			if c.help(word*64 + uint32(bits.TrailingZeros64(w))) {
				if n++; n%helpYield == 0 {
					runtime.Gosched()
				}
			}
		}
	}
}

// leftIn returns the given word of the bit set that marks the owners not copied yet. It returns
// false if the set is shorter.
func (c *copies) leftIn(word uint32) (w uint64, ok bool) {
	c.locks[0].Lock()
	defer c.locks[0].Unlock()
	if int(word) >= len(c.now.words) {
		return 0, false
	}
	return atomic.LoadUint64(&c.now.words[word]), true
}

func (c *copies) help(number uint32) bool {
	mu := &c.locks[number%copyLocks]
	mu.Lock()
	defer mu.Unlock()
	o := c.table[number]
	return o != nil && c.copyNow(c.helpShard(), o, false)
}

// marks is a set of owner numbers. Workers may change it concurrently, but only the loop may grow
// it.
type marks struct {
	words []uint64
	n     atomic.Int64
}

func (m *marks) has(number uint32) bool {
	return atomic.LoadUint64(&m.words[number/64])&(1<<(number%64)) != 0
}

func (m *marks) set(number uint32) {
	if m.has(number) { // the usual case: reading is cheaper than a contended write
		return
	}
	if bit := uint64(1) << (number % 64); atomic.OrUint64(&m.words[number/64], bit)&bit == 0 {
		m.n.Add(1)
	}
}

func (m *marks) clear(number uint32) {
	if bit := uint64(1) << (number % 64); atomic.AndUint64(&m.words[number/64], ^bit)&bit != 0 {
		m.n.Add(-1)
	}
}

// grow makes room for the given number of owners.
func (c *copies) grow(owners int) {
	n := (owners + 63) / 64
	if n <= len(c.now.words) {
		return
	}
	c.lockAll(func() {
		for _, m := range [...]*marks{c.now, c.next} {
			m.words = append(m.words, make([]uint64, max(16, 2*n)-len(m.words))...)
		}
		c.table = append(c.table, make([]*owner, 64*len(c.now.words)-len(c.table))...)
	})
}

// shadow is the last complete state of an owner that may become busy: its area, the number of lost
// buffs, the length of its blob, the blob, and the game's data. All of this is one allocation,
// because most owners are not in cache, and each further allocation would be another cache miss.
// The shadow is empty if the last copy of the owner is newer.
type shadow []byte

const shadowHead = 4 + 4 + 4 // bytes of the three numbers

// keepShadow saves the state of an owner before a worker changes the owner. The caller must hold
// the owner's lock. The state is encoded into the worker's buffer, which is in cache, and then
// copied in one step; encoding it directly into memory that is not in cache takes twice as long.
func (c *copies) keepShadow(by *shard, o *owner) {
	o.copied().shadow.drop()
	x, b := c.make(o, c.momentAt(o.copied().changedAt), by.room(c), false)
	if x.Err != nil {
		return
	}
	var head [shadowHead]byte
	binary.LittleEndian.PutUint32(head[:], x.Area)
	binary.LittleEndian.PutUint32(head[4:], uint32(x.Lost))
	binary.LittleEndian.PutUint32(head[8:], uint32(len(x.Blob)))
	o.copied().shadow = append(append(o.copied().shadow, head[:]...), b...)
}

// drop empties the shadow when a newer state exists.
func (s *shadow) drop() { *s = (*s)[:0] }

// of returns a copy of the owner made from the shadow, or false if the shadow is empty. The copy is
// valid until the shadow changes.
func (s shadow) of(o *owner) (x snapshot.Copy, ok bool) {
	if len(s) == 0 {
		return x, false
	}
	b := s[shadowHead:]
	n := binary.LittleEndian.Uint32(s[8:])
	return snapshot.Copy{
		Owner: o.id(), Area: binary.LittleEndian.Uint32(s), Lost: int(binary.LittleEndian.Uint32(s[4:])),
		Blob: b[:n:n], Data: b[n:len(b):len(b)],
	}, true
}
