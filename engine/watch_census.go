package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// census counts in pieces what is carried.
type census struct {
	at    int // the owner number that is next
	live  []int
	buffs int
	most  []Ranked
	began wheel.Time
	of    *buff.Catalog
	done  bool // and waits until a View has shown it, or it is too old
}

// What one frame looks at for the census.
const (
	censusOwners = 256
	censusBuffs  = 1024
)

// censusRest is how long a count that nobody has seen yet is good.
const censusRest = time.Second

func (c *census) restart(e *Engine) {
	*c = census{live: make([]int, e.Catalog().Len()), most: make([]Ranked, 0, ranks), began: e.now, of: e.Catalog()}
}

// step goes on with the count, unless it is through.
func (c *census) step(e *Engine, s *watching) {
	if c.of != e.Catalog() {
		c.restart(e)
	}
	if c.done {
		if e.now < s.appeared.Ended.After(censusRest) {
			return
		}
		c.restart(e)
	}
	seen := 0
	for range censusOwners {
		if c.at >= len(e.owners) || seen >= censusBuffs {
			break
		}
		o := e.owners[c.at]
		c.at++
		if o == nil || o.leaving || !e.idle(o) {
			continue
		}
		n := o.set.Len()
		c.buffs += n
		seen += n
		if n > 0 {
			c.most = rank(c.most, Ranked{o.id, int64(n)})
		}
		for b := range o.set.All() {
			if c.of.Has(b.Spec) {
				c.live[b.Spec.Index()]++
			}
		}
	}
	if c.at >= len(e.owners) {
		s.appeared = &Census{Catalog: c.of, Live: c.live, Buffs: c.buffs, Most: c.most, Began: c.began, Ended: e.now}
		c.done = true
	}
}
