package replicate

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Viewer is one client, and what it sees. Make one with [Server.Join].
type Viewer struct {
	// What each change that is told looks at stands together: the viewers of an owner are in no cache.
	server *Server
	views  []view     // by local number
	out    []byte     // what waits: blocks
	at     wheel.Time // the time of the last of them
	number uint64     // of the last packet
	id     buff.OwnerID
	first  wheel.Time // the time of the first of what waits

	free  []uint16          // local numbers without an owner
	of    map[uint32]uint16 // local numbers by owner number
	wants []uint16          // local numbers whose full state is to be sent

	base        uint64 // the client has this one, and has missed a later one
	missed      bool
	left        bool
	fingerprint uint64 // of the catalog that the client has been told of
	toldAt      uint64 // by the packet of that number
	looked      uint32
}

// view is one owner in the view of a viewer.
type view struct {
	entry  *entry // nil: none has this local number
	last   uint64 // its sequence: the number of the packet that last told of it; 0: none did
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
	return &Viewer{server: s, id: id, of: map[uint32]uint16{}}, nil
}

// Leave ends it. Calling it again does nothing.
func (v *Viewer) Leave() {
	if v.left {
		return
	}
	for k := range v.views {
		if v.views[k].entry != nil {
			v.forget(uint16(k))
		}
	}
	v.left = true
	v.server.viewers--
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
	if local, ok := v.of[number]; ok {
		if w := &v.views[local]; w.party != party {
			w.party = party
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
		v.views = append(v.views, view{})
	}
	e := s.entries[number]
	w := &v.views[local]
	w.entry, w.place, w.party, w.looked = e, int32(len(e.watchers)), party, v.looked
	w.other = w.last > v.number
	e.watchers = append(e.watchers, watcher{v, local})
	v.of[number] = local
	v.want(local)
	return nil
}

// Unsee lets an owner go out of view.
func (v *Viewer) Unsee(owner buff.OwnerID) {
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
	moved.viewer.views[moved.local].place = w.place
	e.watchers[last] = watcher{}
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
	if w.last > 0 {
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
	v.room()
	v.views[local].last = v.number + 1
	v.out = binary.AppendUvarint(v.out, uint64(local)<<2|aboutLeave)
}

// tell tells what has changed of an owner, as far as the viewer may see it.
func (v *Viewer) tell(local uint16, k *block) {
	w := &v.views[local]
	if w.full {
		return
	}
	count := len(k.records)
	if k.mixed {
		count = 0
		for j := range k.records {
			if v.sees(w, &k.records[j].told) {
				count++
			}
		}
	}
	if count == 0 {
		return
	}
	if v.room(); w.full {
		return
	}
	w.last = v.number + 1
	v.out = v.copied(binary.AppendUvarint(v.out, uint64(local)<<2), w, k, count)
}

// copied appends those records of a block that the viewer may see.
func (v *Viewer) copied(p []byte, w *view, k *block, count int) []byte {
	p = binary.AppendUvarint(p, uint64(count))
	if count == len(k.records) {
		return append(p, k.bytes...)
	}
	from := int32(0)
	for j := range k.records {
		if r := &k.records[j]; v.sees(w, &r.told) {
			p = append(p, k.bytes[from:r.to]...)
		}
		from = k.records[j].to
	}
	return p
}

// sees reports whether the viewer may see a buff of an owner in its view.
func (v *Viewer) sees(w *view, t *told) bool {
	own := w.entry.id == v.id
	switch t.sync {
	case buff.SyncAll:
		return true
	case buff.SyncOwner:
		return own
	case buff.SyncParty:
		return own || w.party
	case buff.SyncSource:
		return t.source == v.id
	}
	return false
}

// room makes room for a change that happens now: if too much waits, it is dropped.
func (v *Viewer) room() {
	now := v.server.now
	if len(v.out) >= v.server.opts.Pending {
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
		if w.last <= number {
			continue
		}
		if w.entry != nil {
			v.want(uint16(k))
		}
		if w.entry == nil || w.other {
			w.last = v.number + 1
			v.out = binary.AppendUvarint(v.out, uint64(k)<<2|aboutLeave)
		}
	}
	if v.toldAt > number {
		v.fingerprint = 0
	}
}
