package engine

import (
	"context"

	"github.com/bufftick/bufftick/buff"
)

// Holder is an owner that carries a buff of one definition.
type Holder struct {
	Owner  buff.OwnerID
	Source buff.OwnerID // of the oldest of them
	Buffs  int          // how many it carries
	Stacks int          // of all of them
}

// Holders is a part of an answer of [Watch.Holders].
type Holders struct {
	List []Holder
	Busy int // owners of whom it is not known: their handlers run
	Next int // where the rest of the owners begins; 0: there is none
	All  int // owners that there are, for how far it has come
}

// What one Tick does for [Watch.Holders]: it ends with the owner that reaches one of them.
const (
	holdersOwners = 1024
	holdersBuffs  = 8192
	holdersFound  = 256
)

// Holders returns who carries a definition, in any of its versions, of the owners whom the loop looks
// at in one Tick from the place from on: 0, or Next of the answer before. It fails as [Watch.Next]
// does, and with [ErrUnknownSpec] for a definition that is not of this engine.
//
// Any goroutine may call it, but not the loop, which would wait for itself.
func (w *Watch) Holders(ctx context.Context, s *buff.Spec, from int) (Holders, error) {
	if _, ok := w.engine.Catalog().Newest(s); !ok {
		return Holders{}, ErrUnknownSpec
	}
	return lookUp(ctx, w, func(*watching) Holders { return w.engine.holdersOf(s.Lineage(), max(from, 0)) })
}

// holdersOf looks at some owners.
func (e *Engine) holdersOf(lineage, from int) (out Holders) {
	looked, n := 0, from
	out.All = len(e.owners)
	for end := min(from+holdersOwners, len(e.owners)); n < end && looked < holdersBuffs && len(out.List) < holdersFound; n++ {
		o := e.owners[n]
		switch {
		case o == nil || o.leaving:
			continue
		case !e.idle(o):
			out.Busy++
			continue
		}
		h := Holder{Owner: o.id}
		for b := range o.set.All() {
			if looked++; b.Spec.Lineage() != lineage {
				continue
			}
			if h.Buffs++; h.Buffs == 1 {
				h.Source = b.Source
			}
			h.Stacks += int(b.Stacks)
		}
		if h.Buffs > 0 {
			out.List = append(out.List, h)
		}
	}
	if n < len(e.owners) {
		out.Next = n
	}
	return out
}
