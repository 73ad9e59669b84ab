package engine

import (
	"iter"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// sources finds the instances that care for their source by that source: each one in the
// chain of its source if it may go with it, and in the chain of source and definition if
// its source has a share.
type sources struct {
	all    []holding
	free   int32
	at     map[buff.Handle]int32
	chains map[chainKey]chain
}

// chainKey names a chain; without a definition, that of all that go with their source.
type chainKey struct {
	source buff.OwnerID
	spec   string // its ID, which all its versions have in common
}

// chain is a list of holdings, the oldest first.
type chain struct{ oldest, newest, n int32 }

// holding is one instance.
type holding struct {
	handle buff.Handle
	source buff.OwnerID
	spec   *buff.Spec
	wants  cares
	links  [2]link // in the chain of the source; in that of source and definition
}

// link is a place in a chain. In a free holding, the first one's newer is the next free.
type link struct{ older, newer int32 }

const nobody = -1

func newSources() sources {
	return sources{free: nobody, at: map[buff.Handle]int32{}, chains: map[chainKey]chain{}}
}

// bookSource keeps the sources up to date. An instance beyond the share of its source dooms
// the oldest. What has come back with its owner is older than all that is there.
func (l *crossIndex) bookSource(c *change, wants cares) {
	x := &l.sources
	i, known := x.at[c.handle]
	switch {
	case c.kind == buff.Removed:
		if known {
			x.drop(i)
		}
		return
	case !known && c.kind == buff.Queued: // it is doomed, and not gone yet
		return
	case known && x.all[i].wants != wants: // another version
		x.drop(i)
		fallthrough
	case !known:
		if wants&(forSource|forShare) == 0 {
			return
		}
		x.put(c, wants)
	case x.all[i].source == c.source:
		return
	default:
		x.move(i, c.source)
	}
	if wants&forShare == 0 {
		return
	}
	key := chainKey{c.source, c.spec.ID}
	for limit := int32(c.spec.PerSource.Limit); x.chains[key].n > limit; {
		h := x.all[x.chains[key].oldest].handle
		x.drop(x.chains[key].oldest)
		l.doomed = append(l.doomed, outgoing{
			at: c.at, from: c.owner, own: true,
			cmd: buff.Command{Verb: verb.Remove, Handle: h, Reason: buff.Replaced},
		})
	}
}

// put takes an instance in.
func (x *sources) put(c *change, wants cares) {
	i := x.free
	if i == nobody {
		i = int32(len(x.all))
		x.all = append(x.all, holding{})
	} else {
		x.free = x.all[i].links[0].newer
	}
	x.all[i] = holding{handle: c.handle, source: c.source, spec: c.spec, wants: wants}
	x.at[c.handle] = i
	x.join(i, c.kind == buff.Restored)
}

// drop forgets an instance.
func (x *sources) drop(i int32) {
	x.leave(i)
	delete(x.at, x.all[i].handle)
	x.all[i] = holding{links: [2]link{{newer: x.free}}}
	x.free = i
}

// move gives an instance another source, of whom it is the newest.
func (x *sources) move(i int32, source buff.OwnerID) {
	x.leave(i)
	x.all[i].source = source
	x.join(i, false)
}

// key returns the key of one of the chains of an instance, and whether it is in it.
func (h *holding) key(k int) (chainKey, bool) {
	if k == 0 {
		return chainKey{h.source, ""}, h.wants&forSource != 0
	}
	return chainKey{h.source, h.spec.ID}, h.wants&forShare != 0
}

// join puts an instance into its chains.
func (x *sources) join(i int32, first bool) {
	for k := range 2 {
		key, in := x.all[i].key(k)
		if !in {
			continue
		}
		c, there := x.chains[key]
		if !there {
			c = chain{oldest: nobody, newest: nobody}
		}
		at := link{older: c.newest, newer: nobody}
		if first {
			at = link{older: nobody, newer: c.oldest}
		}
		x.all[i].links[k] = at
		x.tie(&c, k, at.older, i)
		x.tie(&c, k, i, at.newer)
		c.n++
		x.chains[key] = c
	}
}

// leave takes an instance out of its chains.
func (x *sources) leave(i int32) {
	for k := range 2 {
		key, in := x.all[i].key(k)
		if !in {
			continue
		}
		c, at := x.chains[key], x.all[i].links[k]
		x.tie(&c, k, at.older, at.newer)
		if c.n--; c.n == 0 {
			delete(x.chains, key)
		} else {
			x.chains[key] = c
		}
	}
}

// tie makes two instances neighbours; nobody is the end of the chain.
func (x *sources) tie(c *chain, k int, older, newer int32) {
	if older == nobody {
		c.oldest = newer
	} else {
		x.all[older].links[k].newer = newer
	}
	if newer == nobody {
		c.newest = older
	} else {
		x.all[newer].links[k].older = older
	}
}

// loseSource says that whoever applied buffs has left. It fails if that has no room in
// Options.Limits.Events beside what has happened in this frame, or in the mailbox of one who is busy;
// nothing has happened then. It costs O(buffs of the source that want to know) and O(buffs) of the
// owners that have them; while somebody is busy, O(owners) besides.
func (e *Engine) loseSource(source buff.OwnerID) (all buff.Result) {
	l := &e.index
	if l.all&forSource == 0 {
		return all
	}
	l.gone = e.holders(l.gone[:0], source)
	n := int(l.sources.chains[chainKey{source, ""}].n)
	if err := e.roomForAll(n, "source", uint64(source), e.numbered(l.gone)); err != nil {
		return buff.Result{Err: err}
	}
	for _, n := range l.gone {
		o := e.at(n)
		if o == nil {
			continue // what followed from the loss for another one may have taken it away
		}
		r := e.deliver(o, &buff.Command{Verb: verb.LoseSource, Application: buff.Application{Source: source}})
		and(&all, r)
		if r.Err == nil && l.all&forAdopt != 0 {
			o.adopts = true
			e.adopted(o)
		}
	}
	e.noteLoop()
	return all
}

// numbered returns the owners of those numbers that are there.
func (e *Engine) numbered(numbers []uint32) iter.Seq[*owner] {
	return func(yield func(*owner) bool) {
		for _, n := range numbers {
			if o := e.at(n); o != nil && !yield(o) {
				return
			}
		}
	}
}

// holders appends the numbers of the owners that may carry what goes with the source, each
// once and sorted: also those that are busy, since nobody knows what they carry now.
func (e *Engine) holders(dst []uint32, source buff.OwnerID) []uint32 {
	x := &e.index.sources
	if c, ok := x.chains[chainKey{source, ""}]; ok {
		for i := c.oldest; i != nobody; i = x.all[i].links[0].newer {
			dst = append(dst, x.all[i].handle.Number())
		}
	}
	if s := e.group.Stats(); s.Running+s.Staged+e.backlog.n > 0 {
		for n := range e.owners.len() {
			o := e.owners.at(uint32(n))
			if o != nil && !o.leaving() && !e.idle(o) {
				dst = append(dst, uint32(n))
			}
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// adopted notes who is the source of what an owner carries, once it is idle and has lost
// one: no event says that it has adopted something.
func (e *Engine) adopted(o *owner) {
	if !o.adopts || !e.idle(o) {
		return
	}
	o.adopts = false
	l := &e.index
	for b := range o.set.All() {
		if caresOf(b.Spec)&forAdopt != 0 {
			l.changes = append(l.changes, change{at: e.now, owner: o.id(), source: b.Source, spec: b.Spec, handle: b.Handle, kind: buff.Queued})
		}
	}
}

// Attributes of a source are read where nobody can be changing them: by the loop while the
// source is idle, and by a handler of the source itself.

// capture reads, for an application that is about to go to its owner, what is not known yet
// of the attributes of its source. They are good until the next capture. A source that is not
// there has none; the owner itself is asked where the application is carried out.
//
// A source that is busy cannot be asked and is returned: the application goes by way of its
// mailbox, see viaSource.
func (e *Engine) capture(to buff.OwnerID, a *buff.Application) (busy *owner) {
	if newest, _ := e.Catalog().Newest(a.Spec); newest != nil {
		a.Spec = newest // it may have waited since before a Reload
	}
	if !a.Spec.Captures() || a.Source == to {
		return nil
	}
	var set *buff.Set // nil: there is nobody to be asked
	if o := e.ownerOf(a.Source); o != nil {
		if !e.idle(o) && a.Unknown() {
			return o
		}
		set = &o.set
	}
	e.captured = a.Capture(e.captured[:0], set, e.Catalog(), define.SnapshotApply)
	return nil
}

// viaSource lets an application wait for its source, which is busy: as a command in the
// mailbox of the source, behind what is due for it by now. Its worker then reads what the
// application wants, and it goes on from there as if a handler of the source had sent it.
func (e *Engine) viaSource(source *owner, c *buff.Command) buff.Result {
	if e.closed {
		return buff.Result{Err: ErrClosed}
	}
	return e.queue(source, c, true)
}

// fromSource is the worker's side of viaSource.
func (l *workerState) fromSource(o *owner, m *message) {
	c := outgoing{at: m.at, from: o.id(), cmd: *m.cmd}
	a := &c.cmd.Application
	if newest, _ := l.turn.Catalog.Newest(a.Spec); newest != nil {
		a.Spec = newest
	}
	l.lent.captured = a.Capture(l.lent.captured, &o.set, l.turn.Catalog, define.SnapshotApply)
	l.passOn()
	l.outbox = append(l.outbox, c)
}

// captureMember is capture for those within an aura, which go by what the aura knows of its
// own source: that is what reads an aura's numbers too. The bearer is idle.
func (e *Engine) captureMember(a *buff.Application, bearer *owner, b buff.Instance) {
	if !a.Spec.Captures() {
		return
	}
	x := &e.index.auras
	x.captured = a.Inherit(x.captured[:0], &bearer.set, b.Handle)
	if b.Source == bearer.id() {
		x.captured = a.Capture(x.captured, &bearer.set, e.Catalog(), define.SnapshotApply)
	}
}

// capture is the same for a handler that applies something. It reports whether the loop must
// deliver the application, even to the handler's own owner: nobody else can ask the source.
func (l *workerState) capture(to buff.OwnerID, a *buff.Application) (byLoop bool) {
	switch {
	case !a.Spec.Captures():
		return false
	case a.Source != l.owner.id():
		return true
	case to != l.owner.id():
		l.lent.captured = a.Capture(l.lent.captured, &l.owner.set, l.turn.Catalog, define.SnapshotCast)
	}
	return false
}
