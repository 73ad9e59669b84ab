package replicate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// Options configures a [Server]. The zero value is ready to use.
type Options struct {
	// Pending is the number of bytes that may be queued for a viewer that takes no packets. If the
	// queue would exceed this size, the queue is dropped, and the affected owners are later sent in
	// full. The default is 32 KB.
	Pending int

	// Packet is the maximum length of a packet in bytes. A packet may be longer if a single owner
	// does not fit, or if many owners have left the view of a client that missed packets. The
	// default is 64 KB. With datagrams, use the size of one datagram.
	Packet int

	// Viewers is the maximum number of viewers. Views is the maximum number of owners in a
	// viewer's view, at most MaxViews. The defaults are 65,536 and 1,024.
	Viewers, Views int

	// Attributes are the attributes that clients see, at most MaxAttributes. The default is none.
	Attributes []Attribute

	// Interest determines a viewer's view for [Viewer.Look]. It must add each owner that the viewer
	// can see to the sight once. It may be nil if Look is not used.
	Interest func(viewer buff.OwnerID, sight *Sight)

	// SeeAll makes Look show each viewer all owners of the engine, its own owner first, and
	// Interest is not used. Owners beyond Views are not shown.
	SeeAll bool
}

// MaxViews is the maximum of Options.Views.
const MaxViews = 1 << 14

// Errors returned by a [Server] and its viewers.
var (
	ErrUnknownOwner   = errors.New("replicate: unknown owner")
	ErrTooManyViewers = errors.New("replicate: too many viewers")
	ErrTooManyViews   = errors.New("replicate: too many owners in view")
	ErrMessage        = errors.New("replicate: invalid client message")
	ErrLeft           = errors.New("replicate: the viewer has left")
)

// Server tracks the changes in an engine and the viewers that see them. Create one with [New].
//
// Only the loop goroutine may call its methods and its viewers' methods.
type Server struct {
	eng      *engine.Engine
	changes  *engine.Changes
	opts     Options
	maxQueue int // size limit of Viewer.out: Pending, but not more than one packet
	now      wheel.Time
	round    uint64 // number of calls to Update

	entries []*entry // by owner number; nil if unused
	ids     map[buff.OwnerID]uint32
	sight   Sight // buffer of Viewer.Look

	viewers   int
	seats     []*Viewer // by seat number; nil if the seat is free
	freeSeats []uint32  // numbers of the free seats

	// Output of the last Update: the changes of each owner, and one delivery for each viewer of a
	// changed owner. Deliveries are small so that they stay in the first-level cache.
	delta      block
	deltas     []ownerDelta
	starts     []uint32 // lineages of new buffs
	changed    []*entry // the entry of each ownerDelta in deltas
	mixes      []mix
	dueSeats   []uint32 // numbers of the seats with deliveries from the last Update
	due        []span   // deliveries of each seat, by seat number
	deliveries []delivery
	packet     []byte // buffer of Viewer.changes

	attributes     []attribute
	attributeParts []byte // their names and steps, as parts of a packet

	catalog     *buff.Catalog
	edition     uint64       // number of catalogs so far
	specs       []definition // by lineage
	fingerprint uint64
	definitions []byte
}

// entry is the server's record of one owner.
type entry struct {
	id         buff.OwnerID
	number     uint32
	dead       bool
	slotsValid bool // the field "slots" matches the state last sent to the watchers
	slots      []audience
	watchers   []watcher
	values     []int64 // attributes, as last sent to the watchers
	// a full state since the last Update contained other values
	valuesStale bool

	// interim lists buffs that are not in the field "slots", but that some viewers know already,
	// because a full state sent since the last Update contained them.
	interim []interim

	full   block // the full state in round fullAt
	fullAt uint64
}

// audience determines which viewers know the buff in a slot.
type audience struct {
	sync   define.Sync
	source buff.OwnerID
	any    bool // the slot has a visible buff
}

// interim is the audience of a buff that was in a full state but in no Update yet.
type interim struct {
	audience
	at int
}

// watcher is a viewer that has the owner in its view.
type watcher struct {
	seat  uint32
	local uint16
	party bool
}

// span is the range of Server.deliveries that a viewer has not taken yet.
type span struct{ from, end uint32 }

// ownerDelta is the encoded changes of one owner in an Update: a range of Server.delta.bytes that
// contains the record count and the records.
type ownerDelta struct {
	from, to int32
	// index in Server.mixes if some viewers may see only some of the records; otherwise -1
	mix int32
	// a range of Server.starts: the definitions of the buffs that start
	starts, startsEnd int32
}

// mix belongs to an ownerDelta with records that some viewers must not see. It holds the audience
// of each record.
type mix struct {
	entry   *entry
	records []record
	bytes   []byte // the records, without their count
}

// delivery assigns an ownerDelta to one viewer. The field "delta" is the index in Server.deltas.
type delivery struct {
	delta uint32
	local uint16
	party bool
}

// Sight collects the owners that a viewer can see: see [Options.Interest]. Owners beyond
// Options.Views are ignored.
type Sight struct {
	seen []seen
	most int
}

type seen struct {
	owner buff.OwnerID
	party bool
}

// See adds an owner that is not in the viewer's party.
func (s *Sight) See(owner buff.OwnerID) { s.add(seen{owner, false}) }

// SeeParty adds an owner that is in the viewer's party.
func (s *Sight) SeeParty(owner buff.OwnerID) { s.add(seen{owner, true}) }

func (s *Sight) add(x seen) {
	if len(s.seen) < s.most {
		s.seen = append(s.seen, x)
	}
}

// New returns a Server for an engine. It uses the engine's [engine.Engine.Changes], so there can
// be only one Server for each engine. It panics if an option is out of range, or if the engine's
// catalog lacks one of Options.Attributes.
func New(eng *engine.Engine, o Options) *Server {
	set := func(name string, v *int, standard, most int) {
		if *v == 0 {
			*v = standard
		}
		if *v < 1 || *v > most {
			panic(fmt.Sprintf("replicate: Options.%s is %d, want from 1 to %d", name, *v, most))
		}
	}
	set("Pending", &o.Pending, 32<<10, 1<<30)
	set("Packet", &o.Packet, 64<<10, 1<<30)
	set("Viewers", &o.Viewers, 1<<16, 1<<30)
	set("Views", &o.Views, 1024, MaxViews)
	s := &Server{eng: eng, changes: eng.Changes(), opts: o, ids: map[buff.OwnerID]uint32{}}
	if o.SeeAll {
		s.opts.Interest = s.seeAll
	}
	s.sight.most = o.Views
	s.setAttributes(o.Attributes)
	s.maxQueue = min(o.Pending, o.Packet-maxHead-len(s.attributeParts))
	s.Update()
	return s
}

// seeAll is the Interest of [Options.SeeAll].
func (s *Server) seeAll(viewer buff.OwnerID, sight *Sight) {
	sight.See(viewer)
	for id := range s.eng.OwnerIDs() {
		if len(sight.seen) == sight.most {
			break
		}
		if id != viewer {
			sight.See(id)
		}
	}
}

// Update reads the changes in the engine since the last Update and encodes them for the viewers.
// Call it after each Tick.
func (s *Server) Update() {
	// Queue the remaining deliveries of the last Update for viewers that have not taken them.
	for _, seat := range s.dueSeats {
		if d := s.due[seat]; d.from < d.end {
			s.seats[seat].queuePending()
		}
		s.due[seat] = span{}
	}
	s.delta.reset()
	s.deltas, s.changed, s.mixes, s.dueSeats = s.deltas[:0], s.changed[:0], s.mixes[:0], s.dueSeats[:0]
	s.starts = s.starts[:0]
	s.round++
	s.now = s.eng.Now()
	if c := s.eng.Catalog(); c != s.catalog {
		s.define(c)
	}
	for x := range s.changes.All() {
		switch {
		case x.Gone:
			s.ownerLeft(x.Number)
		case x.Came:
			s.ownerJoined(x)
		default:
			s.ownerChanged(x)
		}
	}
	s.sort()
}

// ownerJoined adds a new owner, which no viewer sees yet.
func (s *Server) ownerJoined(x *engine.OwnerChange) {
	for int(x.Number) >= len(s.entries) {
		s.entries = append(s.entries, nil)
	}
	s.entries[x.Number] = &entry{id: x.Owner, number: x.Number, dead: x.Dead}
	s.ids[x.Owner] = x.Number
}

// ownerLeft removes an owner from every view.
func (s *Server) ownerLeft(number uint32) {
	e := s.entries[number]
	for len(e.watchers) > 0 {
		w := e.watchers[len(e.watchers)-1]
		s.seats[w.seat].remove(w.local)
	}
	s.entries[number] = nil
	delete(s.ids, e.id)
}

// ownerChanged encodes the changes of an owner for its watchers.
func (s *Server) ownerChanged(x *engine.OwnerChange) {
	e := s.entries[x.Number]
	if len(e.watchers) == 0 {
		e.dead, e.interim = x.Dead, e.interim[:0]
		return
	}
	d := &s.delta
	from := d.open()
	if e.dead != x.Dead {
		e.dead = x.Dead
		d.writeLife(e.dead)
	}
	if len(s.attributes) > 0 && x.Journal.Owner()&journal.Attributes != 0 {
		s.writeValues(d, e, e.valuesStale)
		e.valuesStale = false
	}
	for at, what := range x.Journal.Slots() {
		b, ok := x.Buffs.At(at)
		if ok {
			s.ensure(b.Spec)
		}
		e.change(d, s.now, at, what, &b, ok)
	}
	e.interim = e.interim[:0]
	if !d.close(from) {
		return
	}
	n := ownerDelta{from: int32(from), to: int32(len(d.bytes)), mix: -1, starts: int32(len(s.starts))}
	for k := range d.records[d.first:] {
		if lineage := d.records[d.first+k].starts; lineage > 0 {
			s.starts = append(s.starts, lineage)
		}
	}
	n.startsEnd = int32(len(s.starts))
	if d.mixed {
		n.mix = int32(len(s.mixes))
		s.mixes = append(s.mixes, mix{e, d.records[d.first:], d.bytes[d.from:]})
	}
	s.deltas, s.changed = append(s.deltas, n), append(s.changed, e)
	for _, w := range e.watchers {
		if s.due[w.seat].end == 0 {
			s.dueSeats = append(s.dueSeats, w.seat)
		}
		s.due[w.seat].end++
	}
}

// sort groups the deliveries by viewer. A viewer is rarely in the processor's cache, so it should
// be visited once for all of its deliveries. The counting sort keeps the order of the owners.
func (s *Server) sort() {
	end := uint32(0)
	for _, seat := range s.dueSeats {
		d := &s.due[seat]
		d.from, end = end, end+d.end
		d.end = d.from
	}
	s.deliveries = slices.Grow(s.deliveries[:0], int(end))[:end]
	for k, e := range s.changed {
		for _, w := range e.watchers {
			d := &s.due[w.seat]
			s.deliveries[d.end] = delivery{uint32(k), w.local, w.party}
			d.end++
		}
	}
	s.delta.bytes = slices.Grow(s.delta.bytes, short) // appendShort copies beyond the end
}

// change encodes the change of one slot.
func (e *entry) change(to *block, now wheel.Time, at int, what journal.Aspect, b *buff.Instance, ok bool) {
	for at >= len(e.slots) {
		e.slots = append(e.slots, audience{})
	}
	was, is := e.slots[at], audience{}
	if ok && b.Spec.Client.Sync != define.SyncNone {
		is = audience{b.Spec.Client.Sync, b.Source, true}
	}
	e.slots[at] = is
	isNew := !was.equals(is) || what&(journal.Begun|journal.Source|journal.Spec) != 0
	if was.any && !was.equals(is) {
		to.writeEnd(at, was)
	}
	for _, n := range e.interim {
		if n.at == at && !n.equals(is) {
			to.writeEnd(at, n.audience)
		}
	}
	if !is.any {
		return
	}
	if isNew {
		to.writeFull(now, at, is, b)
	} else {
		to.writePart(now, at, is, b, what)
	}
}

// equals reports whether two audiences include the same viewers.
func (t audience) equals(o audience) bool {
	return t.any == o.any && t.sync == o.sync && (t.sync != define.SyncSource || t.source == o.source)
}

// fullState returns the full state of an owner, or false if the owner cannot be read now.
func (s *Server) fullState(e *entry) (*block, bool) {
	if e.fullAt == s.round {
		e.slotsValid = true // e.slots was also set in this round
		return &e.full, true
	}
	buffs, err := s.eng.Buffs(e.id)
	if err != nil {
		return nil, false // the owner is busy, or was removed, which the next Update will report
	}
	if !e.slotsValid {
		clear(e.slots)
		e.interim = e.interim[:0]
	}
	e.full.reset()
	if e.dead {
		e.full.writeLife(true)
	}
	s.writeAllValues(e)
	for b := range buffs.All() {
		if b.Spec.Client.Sync == define.SyncNone {
			continue
		}
		s.ensure(b.Spec)
		is, at := audience{b.Spec.Client.Sync, b.Source, true}, b.Handle.Slot()
		e.full.writeFull(s.now, at, is, &b)
		for at >= len(e.slots) {
			e.slots = append(e.slots, audience{})
		}
		if !e.slotsValid {
			e.slots[at] = is
		} else if !e.slots[at].equals(is) {
			e.interim = append(e.interim, interim{is, at})
		}
	}
	e.slotsValid, e.fullAt = true, s.round
	return &e.full, true
}
