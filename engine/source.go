package engine

import (
	"iter"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
)

// sources is an index of the instances that depend on their source. Each source has a chain of the
// instances that end or are adopted when the source leaves. If a definition limits the number of
// instances from one source, or an action is for its bearers, each pair of source and definition
// also has a chain.
type sources struct {
	all    []holding             // entries, used and free
	free   int32                 // first free entry, or noEntry
	at     map[buff.Handle]int32 // index in the slice `all`
	chains map[chainKey]chain
}

// chainKey identifies a chain. If `spec` is empty, the chain has all instances of the source that
// end or are adopted when it leaves.
type chainKey struct {
	source buff.OwnerID
	spec   string // ID of the definition, which is the same for all versions
}

// chain is a linked list of holdings, from the oldest to the newest; n is its length.
type chain struct{ oldest, newest, n int32 }

// holding is the entry of one instance.
type holding struct {
	handle buff.Handle
	source buff.OwnerID
	spec   *buff.Spec
	needs  needs
	links  [2]link // by k; see the method key
}

// link is the position of an instance in a chain. In a free entry, links[0].newer is the index of
// the next free entry.
type link struct{ older, newer int32 }

const noEntry = -1 // an index that means no entry

func newSources() sources {
	return sources{free: noEntry, at: map[buff.Handle]int32{}, chains: map[chainKey]chain{}}
}

// applySource updates the index after a change of an instance. If the source then has more
// instances than the definition allows, applySource schedules the oldest instances for removal.
// Instances that were restored with their owner count as older than all other instances.
func (l *crossIndex) applySource(c *change, wants needs) {
	x := &l.sources
	i, known := x.at[c.handle]
	switch {
	case c.kind == buff.Removed:
		if known {
			x.drop(i)
		}
		return
	case !known && c.kind == buff.Queued: // dropped from the index, and soon removed from its owner
		return
	case known && x.all[i].needs != wants: // it has another version, which needs different index entries
		x.drop(i)
		fallthrough
	case !known:
		if wants&inSources == 0 {
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
			cmd: buff.Command{Verb: verb.Remove, Handle: h, Reason: reason.Replaced},
		})
	}
}

// put adds an instance to the index.
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

// drop removes an instance from the index.
func (x *sources) drop(i int32) {
	x.leave(i)
	delete(x.at, x.all[i].handle)
	x.all[i] = holding{links: [2]link{{newer: x.free}}}
	x.free = i
}

// move gives an instance another source. The instance becomes the newest one of that source.
func (x *sources) move(i int32, source buff.OwnerID) {
	x.leave(i)
	x.all[i].source = source
	x.join(i, false)
}

// key returns the key of the k-th chain of an instance: k is 0 for the chain of its source, and 1
// for the chain of its source and definition. key also reports whether the instance belongs to that
// chain.
func (h *holding) key(k int) (chainKey, bool) {
	if k == 0 {
		return chainKey{h.source, ""}, h.needs&forSource != 0
	}
	return chainKey{h.source, h.spec.ID}, h.needs&(forShare|forBearers) != 0
}

// join adds an instance to its chains: at the oldest end if `first` is set, otherwise at the newest
// end.
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

// connect makes two instances neighbors in a chain. If one of them is noEntry, the other becomes
// the end of the chain.
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

// loseSource handles a source that has left. It notifies the owners of all buffs of that source. It
// fails without any change if the events do not fit into Options.Limits.Events of this frame, or if
// a command does not fit into the mailbox of a busy owner. It costs O(instances that depend on the
// source), plus O(buffs) for each of their owners, plus O(owners) if any owner is busy.
func (e *Engine) loseSource(source buff.OwnerID) (all buff.Result) {
	l := &e.index
	if l.needed&forSource == 0 {
		return all
	}
	l.gone = e.holders(l.gone[:0], source)
	n := int(l.sources.chains[chainKey{source, ""}].n)
	if err := e.checkRoomForAll(n, "source", uint64(source), e.numbered(l.gone)); err != nil {
		return buff.Result{Failure: err}
	}
	for _, n := range l.gone {
		o := e.at(n)
		if o == nil {
			continue // removed by a command for another owner
		}
		r := e.deliver(o, &buff.Command{Verb: verb.LoseSource, Application: buff.Application{Source: source}})
		mergeResults(&all, r)
		if r.Failure == nil && l.needed&forAdopt != 0 {
			o.adopts = true
			e.indexAdoptions(o)
		}
	}
	e.indexLoopEvents()
	return all
}

// numbered yields the owners that have the given numbers. It skips numbers that are not in use.
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
// and without duplicates. All busy owners are included, because their present buffs are not known.
func (e *Engine) holders(dst []uint32, source buff.OwnerID) []uint32 {
	x := &e.index.sources
	if c, ok := x.chains[chainKey{source, ""}]; ok {
		for i := c.oldest; i != noEntry; i = x.all[i].links[0].newer {
			dst = append(dst, x.all[i].handle.Number())
		}
	}
	for o := range e.busyOwners {
		dst = append(dst, o.number)
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// busyOwners yields the present owners whose buffs are not known, because workers may be running
// them.
func (e *Engine) busyOwners(yield func(*owner) bool) {
	if s := e.turns.group.Stats(); s.Running+s.Staged+e.turns.waiting.n > 0 {
		for o := range e.eachOwner {
			if !e.idle(o) && !yield(o) {
				return
			}
		}
	}
}

// deliverToBearers executes the command of an action for all owners that have a buff of the
// definition from the source of the action, in the order of their IDs. Each owner checks again that
// it has the buff, because commands for earlier owners may have ended it, and because the present
// buffs of busy owners are not known.
func (e *Engine) deliverToBearers(c *buff.Command, of *buff.Spec) {
	e.loopWork.commands++
	first := len(e.bearers)
	e.addBearers(c.Application.Source, of)
	last, original := len(e.bearers), *c
	for k := first; k < last; k++ {
		*c = original
		c.Owner, c.Application.Origin.Bears = e.bearers[k], of
		if e.targetOf(c) != nil {
			e.forward(c)
		}
	}
	e.bearers = e.bearers[:first]
}

// addBearers appends the IDs of the owners that may have a buff of the definition from the source to
// Engine.bearers. If versions of the definition need different index entries, these are all owners.
func (e *Engine) addBearers(source buff.OwnerID, of *buff.Spec) {
	first := len(e.bearers)
	if e.index.versionsDiffer(of) {
		for o := range e.eachOwner {
			e.bearers = append(e.bearers, o.id())
		}
	} else {
		x := &e.index.sources
		if c, ok := x.chains[chainKey{source, of.ID}]; ok {
			for i := c.oldest; i != noEntry; i = x.all[i].links[1].newer {
				if o := e.at(x.all[i].handle.Number()); o != nil {
					e.bearers = append(e.bearers, o.id())
				}
			}
		}
		for o := range e.busyOwners {
			e.bearers = append(e.bearers, o.id())
		}
	}
	slices.Sort(e.bearers[first:])
	e.bearers = e.bearers[:first+len(slices.Compact(e.bearers[first:]))]
}

// indexAdoptions updates the index with the new sources of an owner's buffs, if the owner is idle
// after a LoseSource. It is needed because adoptions emit no events.
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

// The attributes of a source are only read where they cannot change at the same time: by the loop
// while the source is idle, or by a handler of the source itself.

// capture reads the attributes of the source for an application that is about to be delivered,
// unless they are captured already. The captured attributes are valid until the next call of
// capture. A source that is not in the engine has no attributes. If the owner is its own source,
// the attributes are read when the application is executed.
//
// If the source is busy, it cannot be read, and capture returns it. The application must then go
// through the mailbox of the source: see queueAtSource.
func (e *Engine) capture(to buff.OwnerID, a *buff.Application) (busy *owner) {
	if newest, _ := e.Catalog().Newest(a.Spec); newest != nil {
		a.Spec = newest // the application may have been waiting since before a Reload
	}
	if !rules.Captures(a.Spec) || a.Source == to {
		return nil
	}
	var set *rules.Owner // nil if there is no such source
	if o := e.ownerOf(a.Source); o != nil {
		if !e.idle(o) && rules.Unknown(a) {
			return o
		}
		set = &o.set
	}
	e.captured = rules.Capture(a, e.captured[:0], set, e.Catalog(), define.SnapshotApply)
	return nil
}

// refreshSources updates the attributes that the buffs of an idle owner have captured from their
// sources. It is called before a turn or a command of the owner. All sources are read before any
// turn of a slice starts, so that the order of the turns and the number of workers make no
// difference.
func (e *Engine) refreshSources(o *owner) {
	if e.readsSources {
		o.set.Reread(&e.loop)
	}
}

// idleSet returns the [rules.Owner] of an owner, or nil if the owner is unknown or a worker may be
// running it.
func (e *Engine) idleSet(id buff.OwnerID) *rules.Owner {
	if o := e.ownerOf(id); o != nil && o.quiet() {
		return &o.set
	}
	return nil
}

// queueAtSource queues an application in the mailbox of its busy source, after the events that are
// due now. The worker that runs the source then reads the attributes and sends the application on
// to its target, like an application by a handler of the source.
func (e *Engine) queueAtSource(source *owner, c *buff.Command) buff.Result {
	if e.closed {
		return buff.Result{Failure: ErrClosed}
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
	l.commandData.captured = rules.Capture(a, l.commandData.captured, &o.set, l.turn.Catalog, define.SnapshotApply)
	l.flushOutbox()
	l.outbox = append(l.outbox, c)
}

// captureMember reads the attributes for the buff that an aura applies to a member. With
// SnapshotCast, they are the attributes that the aura has captured from its own source. With
// SnapshotApply, they are the present attributes of the bearer, which must be idle.
func (e *Engine) captureMember(a *buff.Application, bearer *owner, b buff.Instance) {
	if !rules.Captures(a.Spec) {
		return
	}
	x := &e.index.auras
	x.captured = rules.Inherit(a, x.captured[:0], &bearer.set, e.Catalog(), b.Handle)
	if b.Source == bearer.id() {
		x.captured = rules.Capture(a, x.captured, &bearer.set, e.Catalog(), define.SnapshotApply)
	}
}

// capture is Engine.capture for an application by a handler. It reports whether the loop must
// deliver the application, because only the loop can read the source. This may be the case even if
// the application is for the handler's own owner.
func (l *workerState) capture(to buff.OwnerID, a *buff.Application) (byLoop bool) {
	switch {
	case !rules.Captures(a.Spec):
		return false
	case a.Source != l.owner.id():
		return true
	case to != l.owner.id():
		l.commandData.captured = rules.Capture(a, l.commandData.captured, &l.owner.set, l.turn.Catalog, define.SnapshotCast)
	}
	return false
}
