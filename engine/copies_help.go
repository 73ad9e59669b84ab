package engine

import (
	"math/bits"
	"runtime"
	"sync/atomic"
)

// helpYield is after how many owners Help lets others have its processor: so it is not stopped while it
// holds a lock that the loop wants.
const helpYield = 64

// Help copies owners of the round on its own goroutine, as Step does on the loop, in the time that a
// game has left between two Ticks: first those who are due in the next one. It returns when all are copied, or when a Tick begins, and says how
// many it has copied. The loop may do meanwhile what it likes; should it come to an owner that is being copied,
// it waits for that one.
//
// Any goroutine may call it; of two at once the second one waits.
func (c *Copies) Help() (n int) {
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

// leftIn returns the word of those who have not been copied.
func (c *Copies) leftIn(word uint32) (w uint64, ok bool) {
	c.locks[0].Lock()
	defer c.locks[0].Unlock()
	if int(word) >= len(c.now.words) {
		return 0, false
	}
	return atomic.LoadUint64(&c.now.words[word]), true
}

func (c *Copies) help(number uint32) bool {
	mu := &c.locks[number%copyLocks]
	mu.Lock()
	defer mu.Unlock()
	o := c.table[number]
	return o != nil && c.copyNow(c.helpShard(), o, false)
}
