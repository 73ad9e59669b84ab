package engine

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// AuraQuery is the query to [Options].Members for the owners in the range of an aura.
type AuraQuery struct {
	Bearer buff.OwnerID  // the owner of the aura
	Data   any           // the data that was passed to Spawn for the bearer
	Buff   buff.Instance // the aura; its Spec.Aura describes the range
	Due    wheel.Time    // when the search was due; in a late frame, earlier than Engine.Now
}

// auras holds the running auras, and the searches that are due at the end of this frame.
type auras struct {
	catalog *buff.Catalog

	all  []aura
	free int32
	of   map[buff.Handle]int32 // index in the slice `all`, for each running aura
	same map[auraKey]int32     // index in `all` of the first aura with each key
	born uint64                // number of auras so far

	due      []search
	early    int             // number of searches in `due` that are left over from earlier frames
	now      []search        // searches of this frame
	captured []buff.Captured // captured attributes of the searching aura's bearer

	found    []buff.OwnerID        // result of the current query
	carried  []buff.OwnerID        // members to keep, because their Leave command was not accepted
	addFound func(id buff.OwnerID) // adds an owner to `found`
	searches uint64                // number of queries so far; see rareState.lastSearch
}

// aura is a running aura, or an aura that has ended and still has members.
type aura struct {
	handle  buff.Handle
	spec    *buff.Spec
	apply   *buff.Spec
	bearer  buff.OwnerID
	born    uint64 // serial number, in the order of creation; 0 if the entry is free
	start   wheel.Time
	ended   wheel.Time     // Never while the aura is running
	search  wheel.Time     // next search, for which there is an entry on the wheel
	members []buff.OwnerID // sorted
	next    int32          // index of the next aura with the same key, or of the next free entry
}

// auraKey identifies the buff that a member gets. Auras of the same bearer that apply the same
// definition share one buff on each member.
type auraKey struct {
	bearer buff.OwnerID
	apply  int // lineage of the applied definition
}

func (a *aura) key() auraKey { return auraKey{a.bearer, a.apply.Lineage()} }

// search is a due search of an aura. If the aura has ended, all its members are removed instead.
type search struct {
	due    wheel.Time
	bearer buff.OwnerID
	born   uint64
	at     int32
}

// auraTimer is a flag in the entries of the wheel that belong to auras. Places of buffs are
// smaller.
const auraTimer = 1 << 63

func newAuras(catalog *buff.Catalog) auras {
	return auras{catalog: catalog, free: noEntry, of: map[buff.Handle]int32{}, same: map[auraKey]int32{}}
}

// timerFired schedules the search of an aura for which an entry has come out of the wheel.
func (x *auras) timerFired(i int32, due wheel.Time) {
	if x.waits(i, due) {
		x.all[i].search = wheel.Never
		x.schedule(i)
	}
}

// waits reports whether a running aura is to be searched at the instant due.
func (x *auras) waits(i int32, due wheel.Time) bool {
	return int(i) < len(x.all) && x.all[i].born != 0 && x.all[i].ended == wheel.Never && x.all[i].search == due
}

// update updates the running auras after a change of a buff, and schedules their searches for the
// end of the frame.
func (x *auras) update(c *change) {
	i, known := x.of[c.handle]
	switch {
	case c.kind == buff.Removed && known:
		x.all[i].ended = c.at
		delete(x.of, c.handle)
		x.schedule(i)
	case c.kind == buff.Applied || c.kind == buff.Restored:
		x.start(c)
	case c.kind == revised:
		x.revise(c, i, known)
	}
}

// start adds an aura, unless the definition that it applies no longer exists.
func (x *auras) start(c *change) {
	if apply := x.catalog.Spec(c.spec.Aura.Apply); apply != nil {
		x.schedule(x.create(c, apply))
	}
}

// revise handles an instance that was converted to another version of its definition. In this
// version, the instance may become an aura, cease to be an aura, or apply another buff.
func (x *auras) revise(c *change, i int32, known bool) {
	apply := c.spec.Aura.Apply
	switch {
	case known && x.all[i].apply.ID == apply:
		x.all[i].spec = c.spec
		return
	case known:
		x.all[i].ended = c.at
		delete(x.of, c.handle)
		x.schedule(i)
	}
	if apply != "" {
		x.start(c)
	}
}

// create adds an aura. The aura searches for members at its start and after each interval.
func (x *auras) create(c *change, apply *buff.Spec) int32 {
	i := x.free
	if i == noEntry {
		i = int32(len(x.all))
		x.all = append(x.all, aura{})
	} else {
		x.free = x.all[i].next
	}
	key := auraKey{c.owner, apply.Lineage()}
	next, there := x.same[key]
	if !there {
		next = noEntry
	}
	x.same[key] = i
	x.of[c.handle] = i
	x.born++
	x.all[i] = aura{
		handle: c.handle, spec: c.spec, apply: apply, bearer: c.owner, born: x.born,
		start: c.at, ended: wheel.Never, search: wheel.Never, members: x.all[i].members[:0], next: next,
	}
	return i
}

// schedule plans work for an aura at the end of the frame.
func (x *auras) schedule(i int32) {
	x.due = append(x.due, search{bearer: x.all[i].bearer, born: x.all[i].born, at: i})
}

// forget frees an aura without members.
func (x *auras) forget(i int32) {
	a := &x.all[i]
	key := a.key()
	switch first := x.same[key]; {
	case first != i:
		for x.all[first].next != i {
			first = x.all[first].next
		}
		x.all[first].next = a.next
	case a.next == noEntry:
		delete(x.same, key)
	default:
		x.same[key] = a.next
	}
	*a = aura{members: a.members[:0], next: x.free}
	x.free = i
}

// isShared reports whether a member also belongs to another aura with the same key. The other aura
// may have ended too, but later than this one. The members of the other aura keep the buff until
// that aura's linger time is over.
func (x *auras) isShared(i int32, id buff.OwnerID) bool {
	a := &x.all[i]
	for k := x.same[a.key()]; k != noEntry; k = x.all[k].next {
		if b := &x.all[k]; k != i {
			if _, in := slices.BinarySearch(b.members, id); in {
				return true
			}
		}
	}
	return false
}

// searchAuras makes the scheduled searches at the end of a frame, sorted by time, then by bearer,
// then by the age of the aura. An aura with several due searches is searched once, because only
// the present positions of owners are known. An aura that starts during these searches is searched
// in the next frame. Searches that do not fit into their part of the Tick also wait for the next
// frame, and come before the searches that become due then.
func (e *Engine) searchAuras() {
	x := &e.index.auras
	x.now, x.due = x.due, x.now[:0]
	for k := range x.now {
		l := &x.now[k]
		if a := &x.all[l.at]; a.ended != wheel.Never {
			l.due = a.ended
		} else {
			interval := a.spec.Aura.Interval.Milliseconds()
			l.due = e.now - (e.now-a.start)%wheel.Time(interval)
		}
	}
	slices.SortFunc(x.now[x.early:], func(a, b search) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.bearer, b.bearer), cmp.Compare(a.born, b.born))
	})
	k := 0
	defer func() { // even if a callback calls runtime.Goexit
		x.early = len(x.now) - k
		x.due = slices.Insert(x.due, 0, x.now[k:]...)
	}()
	for most := e.costSoFar() + e.part(); k < len(x.now) && e.costSoFar() < most; {
		e.loopWork.commands++ // the query itself, even if it finds no owner
		l := x.now[k]
		k++
		switch a := &x.all[l.at]; {
		case a.born != l.born: // the aura ended in this frame and has been freed
		case a.ended != wheel.Never:
			e.endAura(l.at)
		default:
			e.searchAura(l.at, l.due)
		}
	}
}

// searchAura finds the owners in the range of an aura. It gives the aura's buff to new members, and
// again to members that have lost it. A member that is no longer in range loses the buff after
// the aura's linger time.
//
// If the bearer is busy, searchAura does not change the members, because it cannot read the
// bearer's buffs.
func (e *Engine) searchAura(i int32, due wheel.Time) {
	x := &e.index.auras
	a := &x.all[i]
	if next := min(due.After(a.spec.Aura.Interval), e.now.Add(wheel.Horizon)); next != a.search {
		a.search = next
		e.deadlines.wheel.Add(next, auraTimer|uint64(i))
	}
	o := e.at(a.handle.Number())
	if o == nil || !e.idle(o) {
		return
	}
	b, ok := o.set.Find(a.handle)
	if !ok {
		return
	}
	e.findMembers(o, b, due)
	members := a.members
	x.carried = x.carried[:0]
	for _, id := range members {
		if _, in := slices.BinarySearch(x.found, id); !in && !e.leaveAura(i, id, due) {
			x.carried = append(x.carried, id)
		}
	}
	apply := buff.Application{Spec: x.applied(a), Source: a.bearer, Magnitude: b.Magnitude, Level: b.Level}
	if apply.Spec != nil {
		e.captureMember(&apply, o, b)
	}
	for _, id := range x.found {
		m := e.ownerOf(id)
		if m == nil || apply.Spec == nil {
			continue // an effect on another member removed this member or the definition
		}
		if _, was := slices.BinarySearch(members, id); was && !e.idle(m) {
			continue // its Enter command is already queued; do not queue another one at each search
		}
		e.deliver(m, &buff.Command{Verb: verb.Enter, Application: apply})
	}
	members = append(append(members[:0], x.found...), x.carried...)
	slices.Sort(members)
	x.all[i].members = members
}

// applied returns the newest version of the definition that an aura applies. If a Reload has
// removed the definition or made it unsuitable for auras, it returns nil; the members then keep the
// buff until they leave the range.
func (x *auras) applied(a *aura) *buff.Spec {
	newest, _ := x.catalog.Newest(a.apply)
	if newest == nil || newest.Kind == define.Instant || newest.Stack.Timers != define.TimersShared {
		return nil
	}
	a.apply = newest
	return newest
}

// findMembers calls Options.Members for the aura b of the owner o, and stores the sorted result in
// auras.found. A hidden or paused aura has no members.
func (e *Engine) findMembers(o *owner, b buff.Instance, due wheel.Time) {
	x := &e.index.auras
	x.found = x.found[:0]
	if b.Hidden || b.Paused || o.set.Paused() {
		return
	}
	x.searches++
	fault := buff.Event{
		At: due, Seen: e.now, Owner: o.id(), Source: b.Source, Spec: b.Spec, Handle: b.Handle, End: wheel.Never, Next: wheel.Never,
		Stacks: int32(b.Stacks), Level: int16(b.Level), Magnitude: b.Magnitude, Kind: buff.Faulted, Why: reason.Panic,
	}
	e.inCallback = "Options.Members"
	defer func() { e.inCallback = "" }()
	failed := e.callGame(callMembers, true, &fault, func() {
		e.opts.Members(AuraQuery{Bearer: o.id(), Data: o.data, Buff: b, Due: due}, x.addFound)
	})
	if failed != nil {
		x.found = x.found[:0]
		fault.Seq = o.set.Count()
		e.loop.Events = append(e.loop.Events, fault)
	}
	slices.Sort(x.found)
}

// addMember adds an owner to the result of the query. Duplicates and unknown owners are ignored.
func (e *Engine) addMember(id buff.OwnerID) {
	x := &e.index.auras
	if o := e.ownerOf(id); o != nil && o.readRare().lastSearch != x.searches {
		o.needRare().lastSearch = x.searches
		x.found = append(x.found, id)
	}
}

// endAura removes all members of an aura that has ended, and frees it.
func (e *Engine) endAura(i int32) {
	x := &e.index.auras
	members, kept := x.all[i].members, 0
	for _, id := range members {
		if !e.leaveAura(i, id, x.all[i].ended) {
			members[kept] = id
			kept++
		}
	}
	x.all[i].members = members[:kept]
	if kept > 0 {
		x.schedule(i)
		return
	}
	x.forget(i)
}

// leaveAura sends the Leave command to a member that left the aura at the given instant. It returns
// false if the member's mailbox was full. The caller must then retry later; otherwise the owner
// would stay a member forever.
func (e *Engine) leaveAura(i int32, id buff.OwnerID, since wheel.Time) bool {
	x := &e.index.auras
	o := e.ownerOf(id)
	if o == nil || x.isShared(i, id) {
		return true
	}
	a := &x.all[i]
	left := time.Duration(max(since.After(a.spec.Aura.Linger)-e.now, 0)) * time.Millisecond
	r := e.deliver(o, &buff.Command{Verb: verb.Leave, By: left, Application: buff.Application{Spec: a.apply, Source: a.bearer}})
	return !errors.Is(r.Failure, ErrOverloaded)
}
