package engine

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// AuraQuery asks [Options].Members who is within an aura.
type AuraQuery struct {
	Bearer buff.OwnerID  // whose buff it is
	Data   any           // what Spawn was given for the bearer
	Buff   buff.Instance // the aura; its Spec.Aura says what the area is
	Due    wheel.Time    // the instant that is looked for; in a late frame it is before now
}

// auras are the running auras, and the searches that they want at the end of this frame.
type auras struct {
	catalog *buff.Catalog

	all  []aura
	free int32
	of   map[buff.Handle]int32
	same map[auraKey]int32 // the first of those that may apply the same instance
	born uint64

	due      []search
	early    int             // of due, from earlier frames
	now      []search        // while they are worked off
	captured []buff.Captured // of the bearer of the aura that searches

	found    []buff.OwnerID        // by the query that runs
	carried  []buff.OwnerID        // members that could not be told to leave
	yield    func(id buff.OwnerID) // adds to found
	searches uint64
}

// aura is one of them.
type aura struct {
	handle  buff.Handle
	spec    *buff.Spec
	apply   *buff.Spec
	bearer  buff.OwnerID
	born    uint64 // its number: older ones have lower ones; 0: free
	start   wheel.Time
	ended   wheel.Time // Never while it runs
	timer   wheel.Handle
	members []buff.OwnerID // sorted
	next    int32          // of the same key; in a free one, the next free
}

// auraKey is what a member's instance is known by: auras of one bearer that apply the same
// definition share it.
type auraKey struct {
	bearer buff.OwnerID
	apply  int // its lineage
}

func (a *aura) key() auraKey { return auraKey{a.bearer, a.apply.Lineage()} }

// search is an aura that wants to look for members, or has ended and wants them to leave.
type search struct {
	due    wheel.Time
	bearer buff.OwnerID
	born   uint64
	at     int32
}

// auraTimer marks the timers of auras on the wheel: those of owners are below it.
const auraTimer = 1 << 63

func newAuras(catalog *buff.Catalog) auras {
	return auras{catalog: catalog, free: nobody, of: map[buff.Handle]int32{}, same: map[auraKey]int32{}}
}

// fired says that the time for the next search has come.
func (x *auras) fired(i int32) {
	if a := &x.all[i]; a.ended == wheel.Never {
		x.want(i)
	}
}

// book lets an aura begin or end. Either way it has something to do at the frame's end.
func (x *auras) book(c *change) {
	i, known := x.of[c.handle]
	switch {
	case c.kind == buff.Removed && known:
		x.all[i].ended = c.at
		delete(x.of, c.handle)
		x.want(i)
	case c.kind == buff.Applied || c.kind == buff.Restored:
		x.start(c)
	case c.kind == revised:
		x.revise(c, i, known)
	}
}

// start lets an aura begin, unless what it applies is not there any more.
func (x *auras) start(c *change) {
	if apply := x.catalog.Spec(c.spec.Aura.Apply); apply != nil {
		x.want(x.begin(c, apply))
	}
}

// revise follows an instance into another version of its definition, which may be an aura
// where the old one was none, the other way round, or one that applies something else.
func (x *auras) revise(c *change, i int32, known bool) {
	apply := c.spec.Aura.Apply
	switch {
	case known && x.all[i].apply.ID == apply:
		x.all[i].spec = c.spec
		return
	case known:
		x.all[i].ended = c.at
		delete(x.of, c.handle)
		x.want(i)
	}
	if apply != "" {
		x.start(c)
	}
}

// begin takes an aura in. Its searches are at its start and every interval after it.
func (x *auras) begin(c *change, apply *buff.Spec) int32 {
	i := x.free
	if i == nobody {
		i = int32(len(x.all))
		x.all = append(x.all, aura{})
	} else {
		x.free = x.all[i].next
	}
	key := auraKey{c.owner, apply.Lineage()}
	next, there := x.same[key]
	if !there {
		next = nobody
	}
	x.same[key] = i
	x.of[c.handle] = i
	x.born++
	x.all[i] = aura{
		handle: c.handle, spec: c.spec, apply: apply, bearer: c.owner, born: x.born,
		start: c.at, ended: wheel.Never, members: x.all[i].members[:0], next: next,
	}
	return i
}

// want has an aura looked after at the frame's end.
func (x *auras) want(i int32) {
	x.due = append(x.due, search{bearer: x.all[i].bearer, born: x.all[i].born, at: i})
}

// forget frees an aura that has no members left.
func (x *auras) forget(i int32) {
	a := &x.all[i]
	key := a.key()
	switch first := x.same[key]; {
	case first != i:
		for x.all[first].next != i {
			first = x.all[first].next
		}
		x.all[first].next = a.next
	case a.next == nobody:
		delete(x.same, key)
	default:
		x.same[key] = a.next
	}
	*a = aura{members: a.members[:0], next: x.free}
	x.free = i
}

// shares reports whether another aura of the bearer holds the same instance of a member. So does
// one that has ended after this one and whose turn has not come: its linger is its own.
func (x *auras) shares(i int32, id buff.OwnerID) bool {
	a := &x.all[i]
	for k := x.same[a.key()]; k != nobody; k = x.all[k].next {
		if b := &x.all[k]; k != i {
			if _, in := slices.BinarySearch(b.members, id); in {
				return true
			}
		}
	}
	return false
}

// searchAuras does what the auras want at the end of a frame: by time, then bearer, then age.
// Several searches of one aura that are due together are one: only the present is known. An
// aura that begins through them looks in the next frame, and so does one for which there is no
// time left in this part of the Tick, before those that come to be due then.
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
	defer func() { // also if the game ends this goroutine
		x.early = len(x.now) - k
		x.due = slices.Insert(x.due, 0, x.now[k:]...)
	}()
	for most := e.spent() + e.part(); k < len(x.now) && e.spent() < most; {
		e.did.commands++ // the game is asked, also if it finds nobody
		l := x.now[k]
		k++
		switch a := &x.all[l.at]; {
		case a.born != l.born: // it ended in this frame, and has been forgotten
		case a.ended != wheel.Never:
			e.disband(l.at)
		default:
			e.search(l.at, l.due)
		}
	}
}

// search finds the owners within an aura. Those that were not there at the last search, or have lost what
// the aura applies, are given it; those that are not there any more lose it after the linger.
//
// While the bearer is busy nobody may look at it, and whoever is a member stays one.
func (e *Engine) search(i int32, due wheel.Time) {
	x := &e.index.auras
	a := &x.all[i]
	if next := due.After(a.spec.Aura.Interval); a.timer == 0 || !e.wheel.Move(a.timer, next) {
		a.timer = e.wheel.Add(next, auraTimer|uint64(i)) // one that has fired rests until it is moved
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
			continue // what the aura did to another one has taken it away
		}
		if _, was := slices.BinarySearch(members, id); was && !e.idle(m) {
			continue // it has been told, and must not be told at every search
		}
		e.deliver(m, &buff.Command{Verb: verb.Enter, Application: apply})
	}
	members = append(append(members[:0], x.found...), x.carried...)
	slices.Sort(members)
	x.all[i].members = members
}

// applied returns what an aura applies, nil if since a Reload there is no such definition, or
// one that no aura may apply: those who have it keep it until they leave.
func (x *auras) applied(a *aura) *buff.Spec {
	newest, _ := x.catalog.Newest(a.apply)
	if newest == nil || newest.Kind == define.Instant || newest.Stack.Timers != define.TimersShared {
		return nil
	}
	a.apply = newest
	return newest
}

// findMembers asks the game who is within the aura b of the owner o, and leaves the answer,
// sorted, in found. A hidden aura, and one whose time stands still, finds nobody.
func (e *Engine) findMembers(o *owner, b buff.Instance, due wheel.Time) {
	x := &e.index.auras
	x.found = x.found[:0]
	if b.Hidden || b.Paused || o.set.Paused() {
		return
	}
	x.searches++
	fault := buff.Event{
		At: due, Seen: e.now, Owner: o.id(), Source: b.Source, Spec: b.Spec, Handle: b.Handle, End: wheel.Never, Next: wheel.Never,
		Stacks: int32(b.Stacks), Level: int16(b.Level), Magnitude: b.Magnitude, Kind: buff.Faulted, Why: buff.Panic,
	}
	e.asking = "Options.Members"
	defer func() { e.asking = "" }()
	failed := e.foreign(callMembers, true, &fault, func() {
		e.opts.Members(AuraQuery{Bearer: o.id(), Data: o.data, Buff: b, Due: due}, x.yield)
	})
	if failed != nil {
		x.found = x.found[:0]
		fault.Seq = o.set.Count()
		e.loop.Events = append(e.loop.Events, fault)
	}
	slices.Sort(x.found)
}

// member takes an answer of the game down: each owner once, and nobody who is not there.
func (e *Engine) member(id buff.OwnerID) {
	x := &e.index.auras
	if o := e.ownerOf(id); o != nil && o.noted().looked != x.searches {
		o.note().looked = x.searches
		x.found = append(x.found, id)
	}
}

// disband lets the members of an aura that has ended leave.
func (e *Engine) disband(i int32) {
	x := &e.index.auras
	e.wheel.Remove(x.all[i].timer)
	x.all[i].timer = 0
	members, kept := x.all[i].members, 0
	for _, id := range members {
		if !e.leaveAura(i, id, x.all[i].ended) {
			members[kept] = id
			kept++
		}
	}
	x.all[i].members = members[:kept]
	if kept > 0 {
		x.want(i)
		return
	}
	x.forget(i)
}

// leaveAura tells a member that it is not within the aura any more since an instant, and
// reports whether it has been told, or need not be. Without room in its mailbox it must be
// told again: it would stay a member for ever.
func (e *Engine) leaveAura(i int32, id buff.OwnerID, since wheel.Time) bool {
	x := &e.index.auras
	o := e.ownerOf(id)
	if o == nil || x.shares(i, id) {
		return true
	}
	a := &x.all[i]
	left := time.Duration(max(since.After(a.spec.Aura.Linger)-e.now, 0)) * time.Millisecond
	r := e.deliver(o, &buff.Command{Verb: verb.Leave, By: left, Application: buff.Application{Spec: a.apply, Source: a.bearer}})
	return !errors.Is(r.Err, ErrOverloaded)
}
