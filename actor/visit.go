package actor

import "sync/atomic"

// A visit is a turn of an owner who is home and has no message: what there is to do stands
// in the visit itself. The usual frame is nothing but visits. The loop writes them down in a
// row and does not look at the mailboxes at all, which are all over the memory; nor does it
// when they are over. Pumps claim them with one addition.
//
//	Visit ─▸ a b c d e f g │ closed by EndVisits
//	         ▴ ▴ ▴
//	         │ │ └ cursor: the next one to be claimed
//	         pumps
//
// Where something goes wrong the visit becomes what a message would have made of it, a
// mailbox that is away:
//
//	over   the usual end: the mailbox has never left home
//	moved  something is left, see [Mailbox.Keep]: it is in the ready list
//	held   the loop has waited long enough: a pump has it in hand
type visit[O, M any] struct {
	box   *Mailbox[O, M]
	arg   any
	state atomic.Uint32
	pump  atomic.Int32 // who has claimed it, plus one
}

// The states of a visit.
const (
	undone uint32 = iota
	over
	moved
	held
)

// round is the visits of one Start. When one did not end as usual, some pump may still look at
// it, and the next Start has another round.
type round[O, M any] struct {
	visits []visit[O, M] // while a pump may claim one, nobody changes the slice
	cursor atomic.Uint64 // their number in the upper half, the next one in the lower; grows beyond it
	opened bool          // handed over by a Start

	// Under the group's lock. A pump brings ended up to date in the moment in which it takes
	// something else in hand or gives its slot back: where all have ended, the loop finds the
	// slots as they are, and not as it happens.
	ended int
	moved bool // one was
}

// Visit has box handed over by the next Start for a turn without a message: Options.Visit is
// called with arg. The mailbox must be home, hold nothing and be visited once; nothing of it is
// looked at, that is what a visit is for. All the other mailboxes must be home too and nothing
// staged, or Visit panics: see [Group.Quiet]. It panics too between Start and EndVisits,
// where nothing may be sent to those who are visited.
//
// After Start and Wait comes [Group.EndVisits].
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Visit(box *Mailbox[O, M], arg any) {
	if len(g.staged)+len(g.away) > 0 {
		panic("actor: Visit while a mailbox is staged or away")
	}
	r := g.visiting
	if r.opened {
		panic("actor: Visit between Start and EndVisits")
	}
	r.visits = append(r.visits, visit[O, M]{box: box, arg: arg})
}

// openVisits lets the pumps claim. The caller holds the lock.
func (g *Group[O, M]) openVisits() {
	r := g.visiting
	if n := len(r.visits); n > 0 && !r.opened {
		r.opened, r.moved = true, false
		r.cursor.Store(uint64(n) << 32)
	}
}

// left returns how many visits nobody has claimed.
func (r *round[O, M]) left() int {
	c := r.cursor.Load()
	return max(0, int(c>>32)-int(uint32(c)))
}

// claim returns a visit that nobody else gets, or nil.
func (r *round[O, M]) claim() *visit[O, M] {
	if r.left() == 0 {
		return nil
	}
	c := r.cursor.Add(1) - 1
	if uint32(c) >= uint32(c>>32) {
		return nil
	}
	return &r.visits[uint32(c)]
}

// visits does, with pump i, all that are left.
func (g *Group[O, M]) visits(i int) {
	p, r := &g.pumps[i], g.round.Load()
	p.round = r
	for v := r.claim(); v != nil; v = r.claim() {
		p.visited++
		g.visit(i, r, v)
	}
}

// countVisits brings a round up to date with what pump i has done in it. The caller holds the
// lock, and is the pump.
func (g *Group[O, M]) countVisits(i int) {
	p := &g.pumps[i]
	if p.visited > 0 && p.round == g.visiting {
		p.round.ended += p.visited
		if p.round.ended == len(p.round.visits) {
			g.notify()
		}
	}
	p.round, p.visited = nil, 0
}

// visit calls Options.Visit once.
func (g *Group[O, M]) visit(i int, r *round[O, M], v *visit[O, M]) {
	box := v.box
	v.pump.Store(int32(i) + 1)
	returned := false
	defer func() {
		if !returned {
			var fault any = Goexit{}
			if p := recover(); p != nil {
				fault = p
			}
			g.fault(i, box.Owner, fault)
		}
		g.visited(i, r, v, box)
	}()
	box.turn = visiting
	g.visitor(i, box, v.arg)
	returned = true
}

// visited ends a visit. Where it is over as usual, the loop may have the mailbox from here on.
func (g *Group[O, M]) visited(i int, r *round[O, M], v *visit[O, M], box *Mailbox[O, M]) {
	box.turn, box.from = shut, box.head
	kept := len(box.batch) > 0
	if !kept && v.state.CompareAndSwap(undone, over) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pumps[i].box = nil
	if v.state.Swap(moved) == undone {
		g.pending++
		r.moved = true
	} else {
		g.counts.handled++
	}
	if kept {
		g.counts.kept++
	}
	g.finish(box)
}

// Keep says that a visit leaves something to do: the mailbox goes to the end of the ready
// list, with msg as its only message, and Options.Handle is called for it. One that rests
// goes home with msg instead, as after [Mailbox.Rest].
//
// Keep panics outside Options.Visit, and if it is called twice. Only inside the visit.
func (box *Mailbox[O, M]) Keep(msg M, rests bool) {
	if box.turn != visiting || len(box.batch) > 0 {
		panic("actor: Keep called twice, or outside Visit")
	}
	box.batch = append(box.batch, msg)
	box.rests = rests
}

// EndVisits ends the round after a Wait, whatever that reported, and returns how many of the
// visits have been begun: of those after them nothing will ever be done. It reports whether
// all are over as usual, with everybody at home. Otherwise some are away, as if a message
// had been sent to them, and come home by [Group.Collect]; those in the hands of a pump are not
// waited for by WaitOthers, and [Mailbox.Home] tells which are away.
//
// Only the loop goroutine may call it. It costs O(1) for each visit.
func (g *Group[O, M]) EndVisits() (begun int, whole bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.visiting
	n := len(r.visits)
	if r.ended == n && !r.moved {
		r.visits, r.opened, r.ended = r.visits[:0], false, 0
		return n, true
	}
	at := r.cursor.Swap(uint64(n)<<32 | uint64(n))
	begun = min(n, int(uint32(at)))
	for k := range begun {
		v := &r.visits[k]
		if v.state.CompareAndSwap(undone, held) {
			g.sent++
			g.pending++
			g.overdue++
			v.box.overdue, v.box.held = true, true
			if p := v.pump.Load(); p > 0 {
				g.pumps[p-1].box = v.box
			}
		} else if v.state.Load() == over {
			continue
		}
		v.box.place = away
		g.away = append(g.away, v.box)
	}
	g.visiting = &round[O, M]{visits: make([]visit[O, M], 0, n)}
	g.round.Store(g.visiting)
	return begun, false
}
