package replicate

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Viewer is one client, and what it sees. Make one with [Server.Join].
type Viewer struct {
	// What a packet of changes alone looks at stands together: viewers are in no cache.
	server      *Server
	number      uint64 // of the last packet
	fingerprint uint64 // of the catalog that the client has been told of
	id          buff.OwnerID
	seat        uint32 // among Server.seats
	missed      bool   // the client has base, and has missed a later one
	left        bool
	last        []uint64 // sequences by local number: the packet that last told of it; 0: none did

	out   []byte     // what waits: blocks
	wants []uint16   // local numbers whose full state is to be sent
	at    wheel.Time // the time of the last of what waits
	first wheel.Time // the time of the first

	views []view            // by local number
	free  []uint16          // local numbers without an owner
	of    map[uint32]uint16 // local numbers by owner number

	base   uint64
	toldAt uint64 // by the packet of that number: the catalog
	looked uint32
}

// view is one owner in the view of a viewer.
type view struct {
	entry  *entry // nil: none has this local number
	looked uint32
	place  int32 // in entry.watchers
	party  bool
	full   bool // the full state is to be sent, and no change before it
	other  bool // until then: what waits tells that another owner has left under this local number
}

// Kinds of messages, their first byte: a version above, and what it is below.
const (
	kindPacket = 0x10 // behind the one before
	kindRepair = 0x11 // behind the one that it names
	kindDefine = 0x12 // definitions
	kindLost   = 0x20 // of a client: what it had last
)

// What a part of a packet is about: the last two bits of its number.
const (
	aboutFull  = 1 // nothing: a change
	aboutLeave = 2
	aboutMore  = 3 // by the bits above
)

// What else there may be.
const (
	moreCatalog = aboutMore        // a fingerprint of 8 bytes
	moreTime    = 1<<2 | aboutMore // so many ms later
)

// Join lets a viewer look on, whose own owner is id; it sees nobody yet. Several may have the same
// owner. It fails with [ErrTooManyViewers].
func (s *Server) Join(id buff.OwnerID) (*Viewer, error) {
	if s.viewers >= s.opts.Viewers {
		return nil, fmt.Errorf("%w: limit %d", ErrTooManyViewers, s.opts.Viewers)
	}
	s.viewers++
	v := &Viewer{server: s, id: id, of: map[uint32]uint16{}, seat: uint32(len(s.seats))}
	if last := len(s.empty) - 1; last >= 0 {
		v.seat, s.empty = s.empty[last], s.empty[:last]
		s.seats[v.seat] = v
	} else {
		s.seats, s.due = append(s.seats, v), append(s.due, due{})
	}
	return v, nil
}

// Leave ends it. Calling it again does nothing.
func (v *Viewer) Leave() {
	if v.left {
		return
	}
	v.take()
	for k := range v.views {
		if v.views[k].entry != nil {
			v.forget(uint16(k))
		}
	}
	v.left = true
	v.server.viewers--
	v.server.seats[v.seat] = nil
	v.server.empty = append(v.server.empty, v.seat)
	v.out, v.wants = nil, nil
}

// Owner returns the viewer's own owner.
func (v *Viewer) Owner() buff.OwnerID { return v.id }

// See lets an owner come into view, or be of the viewer's party or not any more. It fails with
// [ErrUnknownOwner] for one whom the last Update has not seen, [ErrTooManyViews] and [ErrLeft].
func (v *Viewer) See(owner buff.OwnerID, party bool) error {
	s := v.server
	number, ok := s.ids[owner]
	switch {
	case v.left:
		return ErrLeft
	case !ok:
		return fmt.Errorf("%w: %d", ErrUnknownOwner, owner)
	}
	v.take()
	if local, ok := v.of[number]; ok {
		if w := &v.views[local]; w.party != party {
			w.party, w.entry.watchers[w.place].party = party, party
			v.want(local)
		}
		return nil
	}
	local := uint16(len(v.views))
	if last := len(v.free) - 1; last >= 0 {
		local, v.free = v.free[last], v.free[:last]
	} else if int(local) >= s.opts.Views {
		return fmt.Errorf("%w: limit %d", ErrTooManyViews, s.opts.Views)
	} else {
		v.views, v.last = append(v.views, view{}), append(v.last, 0)
	}
	e := s.entries[number]
	w := &v.views[local]
	w.entry, w.place, w.party, w.looked = e, int32(len(e.watchers)), party, v.looked
	w.other = v.last[local] > v.number
	e.watchers = append(e.watchers, watcher{v.seat, local, party})
	v.of[number] = local
	v.want(local)
	return nil
}

// Unsee lets an owner go out of view.
func (v *Viewer) Unsee(owner buff.OwnerID) {
	v.take()
	if number, ok := v.server.ids[owner]; ok {
		if local, ok := v.of[number]; ok {
			v.forget(local)
		}
	}
}

// Look sees all those of whom Options.Interest tells, the first Options.Views of them, and nobody
// else. A game calls it as often as views change: not in each frame, for it costs O(views).
func (v *Viewer) Look() {
	s := v.server
	if v.left || s.opts.Interest == nil {
		return
	}
	v.take()
	v.looked++
	s.sights = s.sights[:0]
	s.opts.Interest(v.id, s.look)
	for _, x := range s.sights {
		if local, ok := v.of[s.ids[x.owner]]; ok && v.views[local].entry.id == x.owner {
			v.views[local].looked = v.looked
		}
	}
	for k := range v.views {
		if w := &v.views[k]; w.entry != nil && w.looked != v.looked {
			v.forget(uint16(k))
		}
	}
	for _, x := range s.sights {
		_ = v.See(x.owner, x.party) // who is not there is not seen
	}
}

// want has the full state of an owner sent, in place of what waits of it.
func (v *Viewer) want(local uint16) {
	if w := &v.views[local]; !w.full {
		w.full = true
		v.wants = append(v.wants, local)
	}
}

// forget takes an owner out of view.
func (v *Viewer) forget(local uint16) {
	w := &v.views[local]
	e := w.entry
	last := len(e.watchers) - 1
	moved := e.watchers[last]
	e.watchers[w.place] = moved
	v.server.seats[moved.seat].views[moved.local].place = w.place
	if e.watchers = e.watchers[:last]; last == 0 {
		e.known = false
	}
	delete(v.of, e.number)
	w.entry, w.party = nil, false
	if w.full {
		w.full = false
		v.unwant(local)
	}
	v.free = append(v.free, local)
	if v.last[local] > 0 {
		v.sayLeft(local)
	}
}

func (v *Viewer) unwant(local uint16) {
	for k, l := range v.wants {
		if l == local {
			v.wants = append(v.wants[:k], v.wants[k+1:]...)
			return
		}
	}
}

// sayLeft tells that nobody has a local number any more.
func (v *Viewer) sayLeft(local uint16) {
	v.room(3)
	v.last[local] = v.number + 1
	v.out = binary.AppendUvarint(v.out, uint64(local)<<2|aboutLeave)
}

// take has what the last Update tells the viewer wait in out. Whatever changes what the viewer sees, or
// has been told, calls it before.
func (v *Viewer) take() {
	s := v.server
	d := &s.due[v.seat]
	for ; d.from < d.end; d.from++ {
		t := s.tellings[d.from]
		n := s.news[t.news]
		if v.passes(t) || !v.sees(n, t) {
			continue
		}
		if v.room(maxPrefix + int(n.to-n.from)); !v.passes(t) {
			v.out = v.tell(v.out, t)
		}
	}
}

// passes reports whether a change is not told, because the full state is.
func (v *Viewer) passes(t telling) bool { return len(v.wants) > 0 && v.views[t.local].full }

// sees reports whether the viewer may see anything of it.
func (v *Viewer) sees(n news, t telling) bool {
	if n.mix < 0 {
		return true
	}
	m := &v.server.mixes[n.mix]
	return v.eyes(m, t).count(m.records) > 0
}

func (v *Viewer) eyes(m *mix, t telling) eyes { return eyes{v.id, m.entry.id == v.id, t.party} }

// tell appends what has changed of an owner, as far as the viewer may see it.
func (v *Viewer) tell(p []byte, t telling) []byte {
	s := v.server
	n := s.news[t.news]
	if n.mix < 0 {
		v.last[t.local] = v.number + 1
		return append(binary.AppendUvarint(p, uint64(t.local)<<2), s.delta.bytes[n.from:n.to]...)
	}
	m := &s.mixes[n.mix]
	e := v.eyes(m, t)
	count := e.count(m.records)
	if count == 0 {
		return p
	}
	v.last[t.local] = v.number + 1
	p = binary.AppendUvarint(binary.AppendUvarint(p, uint64(t.local)<<2), uint64(count))
	return e.append(p, m.records, m.bytes)
}

// short is how many bytes of news are copied at once: most have fewer.
const short = 16

// brief is tell for news that are short, and for everybody, into a packet with room for short bytes more than it
// is to have.
func (s *Server) brief(p []byte, local uint16, n news) []byte {
	p = binary.AppendUvarint(p, uint64(local)<<2)
	at := len(p)
	*(*[short]byte)(p[at : at+short]) = *(*[short]byte)(s.delta.bytes[n.from : n.from+short])
	return p[:at+int(n.to-n.from)]
}

// eyes are those of a viewer that looks at one owner: its own, or one of its party, or any.
type eyes struct {
	viewer     buff.OwnerID
	own, party bool
}

// see reports whether they may see a buff of that owner.
func (e eyes) see(t *told) bool {
	switch t.sync {
	case define.SyncAll:
		return true
	case define.SyncOwner:
		return e.own
	case define.SyncParty:
		return e.own || e.party
	case define.SyncSource:
		return t.source == e.viewer
	}
	return false
}

// count returns how many of the records they may see.
func (e eyes) count(records []record) (n int) {
	for k := range records {
		if e.see(&records[k].told) {
			n++
		}
	}
	return n
}

// append appends those.
func (e eyes) append(p []byte, records []record, all []byte) []byte {
	from := int32(0)
	for k := range records {
		r := &records[k]
		if e.see(&r.told) {
			p = append(p, all[from:r.to]...)
		}
		from = r.to
	}
	return p
}

// What a local number takes at most, in bytes; and the part that says how much later.
const (
	maxPrefix = 3
	maxLater  = 6
)

// room makes room for so many bytes about a change that happens now: if too much waits, it is dropped.
func (v *Viewer) room(size int) {
	now := v.server.now
	if len(v.out) > 0 && len(v.out)+maxLater+size > v.server.waiting {
		v.shed(v.number)
	}
	if len(v.out) == 0 {
		v.first = now
	} else if v.at != now {
		v.out = binary.AppendUvarint(append(v.out, moreTime), uint64(now-v.at))
	}
	v.at = now
}

// shed drops what waits, and has the full state sent of all of whom the packets after the one of that
// number have told, or what waits would have.
func (v *Viewer) shed(number uint64) {
	v.out = v.out[:0]
	v.first, v.at = v.server.now, v.server.now
	for k := range v.views {
		w := &v.views[k]
		if v.last[k] <= number {
			continue
		}
		if w.entry != nil {
			v.want(uint16(k))
		}
		if w.entry == nil || w.other {
			v.last[k] = v.number + 1
			v.out = binary.AppendUvarint(v.out, uint64(k)<<2|aboutLeave)
		}
	}
	if v.toldAt > number {
		v.fingerprint = 0
	}
}
