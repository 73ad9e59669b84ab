package engine

import (
	"iter"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// sources indexes the instances that depend on their source: each one is in the chain of its
// source if it ends or is adopted with the source, and in the chain of source and definition if
// the number per source is limited.
type sources struct {
	all    []holding
	free   int32
	at     map[buff.Handle]int32
	chains map[chainKey]chain
}

// chainKey identifies a chain. Without a definition it is the chain of all instances that depend
// on the source.
type chainKey struct {
	source buff.OwnerID
	spec   string // its ID, which is the same for all versions
}

// chain is a list of holdings, the oldest first.
type chain struct{ oldest, newest, n int32 }

// holding is one instance.
type holding struct {
	handle buff.Handle
	source buff.OwnerID
	spec   *buff.Spec
	needs  needs
	links  [2]link // in the chain of the source; in the chain of source and definition
}

// link is the position of an instance in a chain. In a free holding, newer of the first link is
// the next free one.
type link struct{ older, newer int32 }

const noEntry = -1

func newSources() sources {
	return sources{free: noEntry, at: map[buff.Handle]int32{}, chains: map[chainKey]chain{}}
}

// applySource updates the sources. If an instance exceeds the limit of its source, the oldest one
// is to be evicted. Instances restored with their owner are older than all others.
func (l *crossIndex) applySource(c *change, wants needs) {
	x := &l.sources
	i, known := x.at[c.handle]
	switch {
	case c.kind == buff.Removed:
		if known {
			x.drop(i)
		}
		return
	case !known && c.kind == buff.Queued: // it is to be evicted but not removed yet
		return
	case known && x.all[i].needs != wants: // it has another version
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
		l.evictions = append(l.evictions, outgoing{
			at: c.at, from: c.owner, own: true,
			cmd: buff.Command{Verb: verb.Remove, Handle: h, Reason: buff.Replaced},
		})
	}
}

// put adds an instance.
func (x *sources) put(c *change, wants needs) {
	i := x.free
	if i == noEntry {
		i = int32(len(x.all))
		x.all = append(x.all, holding{})
	} else {
		x.free = x.all[i].links[0].newer
	}
	x.all[i] = holding{handle: c.handle, source: c.source, spec: c.spec, needs: wants}
	x.at[c.handle] = i
	x.join(i, c.kind == buff.Restored)
}

// drop removes an instance.
func (x *sources) drop(i int32) {
	x.leave(i)
	delete(x.at, x.all[i].handle)
	x.all[i] = holding{links: [2]link{{newer: x.free}}}
	x.free = i
}

// move gives an instance another source. It becomes the newest one of that source.
func (x *sources) move(i int32, source buff.OwnerID) {
	x.leave(i)
	x.all[i].source = source
	x.join(i, false)
}

// key returns the key of the k-th chain of an instance, and whether the instance belongs to that
// chain.
func (h *holding) key(k int) (chainKey, bool) {
	if k == 0 {
		return chainKey{h.source, ""}, h.needs&forSource != 0
	}
	return chainKey{h.source, h.spec.ID}, h.needs&forShare != 0
}

// join adds an instance to its chains, as the oldest if first is set, otherwise as the newest.
func (x *sources) join(i int32, first bool) {
	for k := range 2 {
		key, in := x.all[i].key(k)
		if !in {
			continue
		}
		c, there := x.chains[key]
		if !there {
			c = chain{oldest: noEntry, newest: noEntry}
		}
		at := link{older: c.newest, newer: noEntry}
		if first {
			at = link{older: noEntry, newer: c.oldest}
		}
		x.all[i].links[k] = at
		x.connect(&c, k, at.older, i)
		x.connect(&c, k, i, at.newer)
		c.n++
		x.chains[key] = c
	}
}

// leave removes an instance from its chains.
func (x *sources) leave(i int32) {
	for k := range 2 {
		key, in := x.all[i].key(k)
		if !in {
			continue
		}
		c, at := x.chains[key], x.all[i].links[k]
		x.connect(&c, k, at.older, at.newer)
		if c.n--; c.n == 0 {
			delete(x.chains, key)
		} else {
			x.chains[key] = c
		}
	}
}

// connect makes two instances neighbors in the chain. noEntry marks its ends.
func (x *sources) connect(c *chain, k int, older, newer int32) {
	if older == noEntry {
		c.oldest = newer
	} else {
		x.all[older].links[k].newer = newer
	}
	if newer == noEntry {
		c.newest = older
	} else {
		x.all[newer].links[k].older = older
	}
}

// loseSource reports to all holders that a source has left. If the events do not fit into
// Options.Limits.Events of this frame, or a command into the mailbox of a busy owner, it fails
// without any change. It costs O(instances that depend on the source) plus O(buffs) of their
// owners; while an owner is busy, also O(owners).
func (e *Engine) loseSource(source buff.OwnerID) (all buff.Result) {
	l := &e.index
	if l.needed&forSource == 0 {
		return all
	}
	l.gone = e.holders(l.gone[:0], source)
	n := int(l.sources.chains[chainKey{source, ""}].n)
	if err := e.checkRoomForAll(n, "source", uint64(source), e.numbered(l.gone)); err != nil {
		return buff.Result{Err: err}
	}
	for _, n := range l.gone {
		o := e.at(n)
		if o == nil {
			continue // removed by a consequence for another owner
		}
		r := e.deliver(o, &buff.Command{Verb: verb.LoseSource, Application: buff.Application{Source: source}})
		mergeResults(&all, r)
		if r.Err == nil && l.needed&forAdopt != 0 {
			o.adopts = true
			e.indexAdoptions(o)
		}
	}
	e.indexLoopEvents()
	return all
}

// numbered yields the present owners among the given numbers.
func (e *Engine) numbered(numbers []uint32) iter.Seq[*owner] {
	return func(yield func(*owner) bool) {
		for _, n := range numbers {
			if o := e.at(n); o != nil && !yield(o) {
				return
			}
		}
	}
}

// holders appends the numbers of the owners that may have buffs that depend on the source, sorted
// and without duplicates. Busy owners are included, because their present buffs are not known.
func (e *Engine) holders(dst []uint32, source buff.OwnerID) []uint32 {
	x := &e.index.sources
	if c, ok := x.chains[chainKey{source, ""}]; ok {
		for i := c.oldest; i != noEntry; i = x.all[i].links[0].newer {
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

// indexAdoptions updates the sources of an owner's buffs once it is idle after a LoseSource, since
// adoptions emit no events.
func (e *Engine) indexAdoptions(o *owner) {
	if !o.adopts || !e.idle(o) {
		return
	}
	o.adopts = false
	l := &e.index
	for b := range o.set.All() {
		if needsOf(b.Spec)&forAdopt != 0 {
			l.changes = append(l.changes, change{at: e.now, owner: o.id(), source: b.Source, spec: b.Spec, handle: b.Handle, kind: buff.Queued})
		}
	}
}

// Attributes of a source are read where they cannot change concurrently: by the loop while the
// source is idle, and by a handler of the source itself.

// capture reads, for an application about to be delivered, those attributes of its source that
// are not captured yet. They are valid until the next capture. A source that is not in the engine
// has none; if the owner is its own source, they are read when the application is executed.
//
// A busy source cannot be read and is returned: the application must go through its mailbox, see
// queueAtSource.
func (e *Engine) capture(to buff.OwnerID, a *buff.Application) (busy *owner) {
	if newest, _ := e.Catalog().Newest(a.Spec); newest != nil {
		a.Spec = newest // it may have been waiting since before a Reload
	}
	if !a.Spec.Captures() || a.Source == to {
		return nil
	}
	var set *buff.Set // nil if the source is not in the engine
	if o := e.ownerOf(a.Source); o != nil {
		if !e.idle(o) && a.Unknown() {
			return o
		}
		set = &o.set
	}
	e.captured = a.Capture(e.captured[:0], set, e.Catalog(), define.SnapshotApply)
	return nil
}

// refreshSources updates the attributes of sources that the buffs of an idle owner have captured,
// before a turn or a command of the owner. In a slice all sources are read before any turn starts,
// so that the order of the turns and the number of workers make no difference.
func (e *Engine) refreshSources(o *owner) {
	if e.readsSources {
		o.set.Reread(&e.loop)
	}
}

// idleSet returns the buffs of an owner, nil if it is unknown or a worker may be running it.
func (e *Engine) idleSet(id buff.OwnerID) *buff.Set {
	if o := e.ownerOf(id); o != nil && o.quiet() {
		return &o.set
	}
	return nil
}

// queueAtSource queues an application in the mailbox of its busy source, after the events due by
// now. The source's worker then reads the attributes and sends the application on, as if a handler
// of the source had issued it.
func (e *Engine) queueAtSource(source *owner, c *buff.Command) buff.Result {
	if e.closed {
		return buff.Result{Err: ErrClosed}
	}
	return e.queue(source, c, true)
}

// sendFromSource is the worker's side of queueAtSource.
func (l *workerState) sendFromSource(o *owner, m *message) {
	c := outgoing{at: m.at, from: o.id(), cmd: *m.cmd}
	a := &c.cmd.Application
	if newest, _ := l.turn.Catalog.Newest(a.Spec); newest != nil {
		a.Spec = newest
	}
	l.commandData.captured = a.Capture(l.commandData.captured, &o.set, l.turn.Catalog, define.SnapshotApply)
	l.flushOutbox()
	l.outbox = append(l.outbox, c)
}

// captureMember reads attributes for an application of an aura to its members. With SnapshotCast
// they are those that the aura has captured from its own source, with SnapshotApply the present
// ones of the bearer, which must be idle.
func (e *Engine) captureMember(a *buff.Application, bearer *owner, b buff.Instance) {
	if !a.Spec.Captures() {
		return
	}
	x := &e.index.auras
	x.captured = a.Inherit(x.captured[:0], &bearer.set, e.Catalog(), b.Handle)
	if b.Source == bearer.id() {
		x.captured = a.Capture(x.captured, &bearer.set, e.Catalog(), define.SnapshotApply)
	}
}

// capture is capture for an application by a handler. It reports whether the loop must deliver
// the application, even to the handler's own owner, because only the loop can read the source.
func (l *workerState) capture(to buff.OwnerID, a *buff.Application) (byLoop bool) {
	switch {
	case !a.Spec.Captures():
		return false
	case a.Source != l.owner.id():
		return true
	case to != l.owner.id():
		l.commandData.captured = a.Capture(l.commandData.captured, &l.owner.set, l.turn.Catalog, define.SnapshotCast)
	}
	return false
}
