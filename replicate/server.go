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

// Options of a [Server]. The zero value works.
type Options struct {
	// Pending is how many bytes wait for a viewer that takes no packets; then they are dropped,
	// and the owners that they are about come as a whole. If zero, 32 KB.
	Pending int

	// Packet is how long a packet may be, but that it holds one owner at least, and all who have left the
	// view of a client that has missed something. If zero, 64 KB. With datagrams it is what goes into one.
	Packet int

	// Viewers and Views are how many viewers there may be, and how many owners in the view of one,
	// up to MaxViews. If zero, 65,536 and 1,024.
	Viewers, Views int

	// Interest tells see each owner that a viewer sees, and whether it is of its party, for
	// [Viewer.Look]. It may be nil.
	Interest func(viewer buff.OwnerID, see func(owner buff.OwnerID, party bool))
}

// MaxViews is the most that Options.Views can be.
const MaxViews = 1 << 14

// Errors of a [Server] and its viewers.
var (
	ErrUnknownOwner   = errors.New("replicate: there is no such owner")
	ErrTooManyViewers = errors.New("replicate: too many viewers")
	ErrTooManyViews   = errors.New("replicate: too many owners in view")
	ErrMessage        = errors.New("replicate: not a message of a client")
	ErrLeft           = errors.New("replicate: the viewer has left")
)

// Server knows what changes in an engine, and who is to see it. Make one with [New].
//
// Only the loop goroutine may call its methods, and those of its viewers.
type Server struct {
	eng     *engine.Engine
	changes *engine.Changes
	opts    Options
	waiting int // of Pending, what goes into a packet
	now     wheel.Time
	round   uint64 // counts Updates

	entries []*entry // by owner number; nil: nobody
	ids     map[buff.OwnerID]uint32
	sights  []sight // of a Look
	look    func(buff.OwnerID, bool)

	viewers int
	seats   []*Viewer // nil: it is free
	empty   []uint32  // those

	// What an Update tells: owner by owner, then for each of the viewers that are told of anything. What is looked
	// at for each telling is small, and stays in the cache nearest to the processor.
	delta    block
	news     []news
	tellers  []*entry // of whom: by news
	mixes    []mix
	told     []uint32 // seats
	due      []due    // by seat
	tellings []telling
	packet   []byte // that Viewer.changes writes

	catalog     *buff.Catalog
	fingerprint uint64
	definitions []byte
}

// entry is an owner.
type entry struct {
	id       buff.OwnerID
	number   uint32
	dead     bool
	known    bool // told is what watchers have been told
	told     []told
	watchers []watcher

	// newer is what a full state since the last Update had in other slots than told says, or of
	// others: who got that knows it.
	newer []newer

	full   block // all of it, as it was in the round fullAt
	fullAt uint64
}

// told is who has been told of the buff in a slot.
type told struct {
	sync   define.Sync
	source buff.OwnerID
	any    bool // there is one
}

// newer is who has been told of a buff that no Update has seen.
type newer struct {
	told
	at int
}

// watcher is a viewer that has an owner in its view.
type watcher struct {
	seat  uint32
	local uint16
	party bool
}

// due is what of Server.tellings is a viewer's, and it has not taken yet.
type due struct{ from, end uint32 }

// news is what an Update tells of one owner: how many records, and those, in the bytes of Server.delta.
type news struct {
	from, to int32
	mix      int32 // not all of it is for everybody: in Server.mixes; else -1
}

// mix is who may see each record of news.
type mix struct {
	entry   *entry
	records []record
	bytes   []byte // of the records alone
}

// telling is that a viewer is told of it.
type telling struct {
	news  uint32
	local uint16
	party bool
}

type sight struct {
	owner buff.OwnerID
	party bool
}

// New returns a Server for an engine, of which it takes [engine.Engine.Changes]: there is one for
// each engine. It panics if an option is out of range.
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
	s := &Server{eng: eng, changes: eng.Changes(), opts: o, waiting: min(o.Pending, o.Packet-maxHead), ids: map[buff.OwnerID]uint32{}}
	s.look = func(id buff.OwnerID, party bool) {
		if len(s.sights) < s.opts.Views {
			s.sights = append(s.sights, sight{id, party})
		}
	}
	s.Update()
	return s
}

// Update takes in what has changed since the last one, and encodes it for those who see it. It
// belongs behind each Tick.
func (s *Server) Update() {
	for _, seat := range s.told { // those who have taken no packet since the last Update
		if d := s.due[seat]; d.from < d.end {
			s.seats[seat].take()
		}
		s.due[seat] = due{}
	}
	s.delta.reset()
	s.news, s.tellers, s.mixes, s.told = s.news[:0], s.tellers[:0], s.mixes[:0], s.told[:0]
	s.round++
	s.now = s.eng.Now()
	if c := s.eng.Catalog(); c != s.catalog {
		s.define(c)
	}
	for x := range s.changes.All() {
		switch {
		case x.Gone:
			s.gone(x.Number)
		case x.Came:
			s.came(x)
		default:
			s.changed(x)
		}
	}
	s.sort()
}

// came takes in a new owner. Nobody sees it yet.
func (s *Server) came(x *engine.OwnerChange) {
	for int(x.Number) >= len(s.entries) {
		s.entries = append(s.entries, nil)
	}
	s.entries[x.Number] = &entry{id: x.Owner, number: x.Number, dead: x.Dead}
	s.ids[x.Owner] = x.Number
}

// gone takes in that one has left: it leaves every view.
func (s *Server) gone(number uint32) {
	e := s.entries[number]
	for len(e.watchers) > 0 {
		w := e.watchers[len(e.watchers)-1]
		s.seats[w.seat].forget(w.local)
	}
	s.entries[number] = nil
	delete(s.ids, e.id)
}

// changed encodes what has changed of an owner, for those who see it.
func (s *Server) changed(x *engine.OwnerChange) {
	e := s.entries[x.Number]
	if len(e.watchers) == 0 {
		e.dead, e.newer = x.Dead, e.newer[:0]
		return
	}
	d := &s.delta
	from := d.open()
	if e.dead != x.Dead {
		e.dead = x.Dead
		d.life(e.dead)
	}
	for at, what := range x.Journal.Slots() {
		b, ok := x.Buffs.At(at)
		e.change(d, s.now, at, what, &b, ok)
	}
	e.newer = e.newer[:0]
	if !d.close(from) {
		return
	}
	n := news{int32(from), int32(len(d.bytes)), -1}
	if d.mixed {
		n.mix = int32(len(s.mixes))
		s.mixes = append(s.mixes, mix{e, d.records[d.first:], d.bytes[d.from:]})
	}
	s.news, s.tellers = append(s.news, n), append(s.tellers, e)
	for _, w := range e.watchers {
		if s.due[w.seat].end == 0 {
			s.told = append(s.told, w.seat)
		}
		s.due[w.seat].end++
	}
}

// sort sorts what has changed by the viewers that are told of it: what belongs to a viewer is in no cache, and is
// looked up once for all that it is told. It sorts by counting, and keeps the order of the owners.
func (s *Server) sort() {
	end := uint32(0)
	for _, seat := range s.told {
		d := &s.due[seat]
		d.from, end = end, end+d.end
		d.end = d.from
	}
	s.tellings = slices.Grow(s.tellings[:0], int(end))[:end]
	for k, e := range s.tellers {
		for _, w := range e.watchers {
			d := &s.due[w.seat]
			s.tellings[d.end] = telling{uint32(k), w.local, w.party}
			d.end++
		}
	}
	s.delta.bytes = slices.Grow(s.delta.bytes, short) // brief reads beyond the end
}

// change encodes what has changed in one slot.
func (e *entry) change(to *block, now wheel.Time, at int, what journal.Aspect, b *buff.Instance, ok bool) {
	for at >= len(e.told) {
		e.told = append(e.told, told{})
	}
	was, is := e.told[at], told{}
	if ok && b.Spec.Client.Sync != define.SyncNone {
		is = told{b.Spec.Client.Sync, b.Source, true}
	}
	e.told[at] = is
	anew := !was.equals(is) || what&(journal.Begun|journal.Source|journal.Spec) != 0
	if was.any && !was.equals(is) {
		to.gone(at, was)
	}
	for _, n := range e.newer {
		if n.at == at && !n.equals(is) {
			to.gone(at, n.told)
		}
	}
	if !is.any {
		return
	}
	if anew {
		to.whole(now, at, is, b)
	} else {
		to.part(now, at, is, b, what)
	}
}

// equals reports whether the same viewers are told.
func (t told) equals(o told) bool {
	return t.any == o.any && t.sync == o.sync && (t.sync != define.SyncSource || t.source == o.source)
}

// wholeOf returns the full state of an owner, and false if it cannot be looked at now.
func (s *Server) wholeOf(e *entry) (*block, bool) {
	if e.fullAt == s.round {
		e.known = true // told is from this round too
		return &e.full, true
	}
	buffs, err := s.eng.Buffs(e.id)
	if err != nil {
		return nil, false // busy, or it has left and the next Update says so
	}
	if !e.known {
		clear(e.told)
		e.newer = e.newer[:0]
	}
	e.full.reset()
	if e.dead {
		e.full.life(true)
	}
	for b := range buffs.All() {
		if b.Spec.Client.Sync == define.SyncNone {
			continue
		}
		is, at := told{b.Spec.Client.Sync, b.Source, true}, b.Handle.Slot()
		e.full.whole(s.now, at, is, &b)
		for at >= len(e.told) {
			e.told = append(e.told, told{})
		}
		if !e.known {
			e.told[at] = is
		} else if !e.told[at].equals(is) {
			e.newer = append(e.newer, newer{is, at})
		}
	}
	e.known, e.fullAt = true, s.round
	return &e.full, true
}
