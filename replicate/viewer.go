package replicate

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Viewer is one client and its view. Create one with [Server.Join].
type Viewer struct {
	// The fields that Viewer.changes reads are adjacent, because a viewer is rarely in the
	// processor's cache.
	server      *Server
	number      uint64 // number of the last packet
	fingerprint uint64 // fingerprint of the catalog that was sent to the client
	id          buff.OwnerID
	seat        uint32 // index in Server.seats
	// the client has received the packet with the number "base", and missed a later packet
	missed bool
	left   bool
	last   []uint64 // number of the last packet about each owner, by local number; 0 if none

	out          []byte     // queued changes
	pendingFulls []uint16   // local numbers of owners whose full state must be sent
	pendingSpecs []uint32   // definitions that have changed since they were sent
	at           wheel.Time // time of the last queued change
	first        wheel.Time // time of the first queued change

	views   []view            // by local number
	free    []uint16          // free local numbers
	localOf map[uint32]uint16 // local numbers by owner number

	// Definitions that were sent to the client, oldest first. Those in lost packets are removed.
	defined []defined
	edition uint64 // edition of the catalog for which renew was last called

	base      uint64
	catalogAt uint64 // number of the packet that carried the fingerprint
	lookRound uint32
}

// view is one owner in the view of a viewer.
type view struct {
	entry     *entry // nil if the local number is free
	lookRound uint32
	place     int32 // index in entry.watchers
	party     bool
	full      bool // the full state must be sent before any change
	reused    bool // Viewer.out contains the unsent departure of the previous owner with this local number
}

// Message kinds, the first byte of a message. A client refuses unknown kinds.
const (
	kindPacket = 0x10 // a packet that follows the previous packet
	kindRepair = 0x11 // a packet after a loss; it contains the number of the packet that it follows
	kindDefine = 0x12 // definitions
	kindLost   = 0x20 // sent by a client: number of the last packet that it has received
)

// A packet consists of parts. The last two bits of a part's first number are the subject of the
// part. Zero means a change of an owner; the owner's local number is in the upper bits.
const (
	aboutFull  = 1
	aboutLeave = 2
	aboutMore  = 3 // the upper bits are the subject
)

// Parts that are not about an owner.
const (
	moreCatalog = aboutMore        // followed by a fingerprint of 8 bytes
	moreTime    = 1<<2 | aboutMore // followed by the milliseconds to add to the time
	// The following parts continue with their length in bytes. A client skips unknown ones.
	moreSpec      = 2<<2 | aboutMore // a definition
	moreAttribute = 3<<2 | aboutMore // the number, step and name of an attribute
)

// Join adds a viewer that plays the owner with the given id. The viewer's view is empty at first.
// Several viewers may play the same owner. It returns [ErrTooManyViewers] if there are already
// Options.Viewers viewers.
func (s *Server) Join(id buff.OwnerID) (*Viewer, error) {
	if s.viewers >= s.opts.Viewers {
		return nil, fmt.Errorf("%w: limit %d", ErrTooManyViewers, s.opts.Viewers)
	}
	s.viewers++
	v := &Viewer{server: s, id: id, edition: s.edition, localOf: map[uint32]uint16{}, seat: uint32(len(s.seats))}
	if last := len(s.freeSeats) - 1; last >= 0 {
		v.seat, s.freeSeats = s.freeSeats[last], s.freeSeats[:last]
		s.seats[v.seat] = v
	} else {
		s.seats, s.due = append(s.seats, v), append(s.due, span{})
	}
	return v, nil
}

// Leave removes the viewer from the server. A second call is a no-op.
func (v *Viewer) Leave() {
	if v.left {
		return
	}
	v.queuePending()
	for k := range v.views {
		if v.views[k].entry != nil {
			v.remove(uint16(k))
		}
	}
	v.forget(0)
	v.left = true
	v.server.viewers--
	v.server.seats[v.seat] = nil
	v.server.freeSeats = append(v.server.freeSeats, v.seat)
	v.out, v.pendingFulls, v.pendingSpecs = nil, nil, nil
}

// Owner returns the owner that the viewer plays.
func (v *Viewer) Owner() buff.OwnerID { return v.id }

// See adds an owner that is not in the viewer's party to the view. An owner in view leaves the
// party. See returns [ErrUnknownOwner] if the owner did not exist at the last Update,
// [ErrTooManyViews] if the view is full, or [ErrLeft].
func (v *Viewer) See(owner buff.OwnerID) error { return v.see(owner, false) }

// SeeParty is like See for an owner that is in the viewer's party. An owner in view joins the
// party.
func (v *Viewer) SeeParty(owner buff.OwnerID) error { return v.see(owner, true) }

func (v *Viewer) see(owner buff.OwnerID, party bool) error {
	s := v.server
	number, ok := s.ids[owner]
	switch {
	case v.left:
		return ErrLeft
	case !ok:
		return fmt.Errorf("%w: %d", ErrUnknownOwner, owner)
	}
	v.queuePending()
	if local, ok := v.localOf[number]; ok {
		if w := &v.views[local]; w.party != party {
			w.party, w.entry.watchers[w.place].party = party, party
			v.requestFull(local)
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
	w.entry, w.place, w.party, w.lookRound = e, int32(len(e.watchers)), party, v.lookRound
	w.reused = v.last[local] > v.number
	e.watchers = append(e.watchers, watcher{v.seat, local, party})
	v.localOf[number] = local
	v.requestFull(local)
	return nil
}

// Unsee removes an owner from the view.
func (v *Viewer) Unsee(owner buff.OwnerID) {
	v.queuePending()
	if number, ok := v.server.ids[owner]; ok {
		if local, ok := v.localOf[number]; ok {
			v.remove(local)
		}
	}
}

// Look replaces the view with the owners that Options.Interest reports, or with all owners if
// Options.SeeAll is set, up to Options.Views. It costs O(views), so call it when views change and
// not in every frame.
func (v *Viewer) Look() {
	s := v.server
	if v.left || s.opts.Interest == nil {
		return
	}
	v.queuePending()
	v.lookRound++
	s.sight.seen = s.sight.seen[:0]
	s.opts.Interest(v.id, &s.sight)
	for _, x := range s.sight.seen {
		if local, ok := v.localOf[s.ids[x.owner]]; ok && v.views[local].entry.id == x.owner {
			v.views[local].lookRound = v.lookRound
		}
	}
	for k := range v.views {
		if w := &v.views[k]; w.entry != nil && w.lookRound != v.lookRound {
			v.remove(uint16(k))
		}
	}
	for _, x := range s.sight.seen {
		_ = v.see(x.owner, x.party) // unknown owners are skipped
	}
}

// requestFull schedules the full state of an owner, which replaces its queued changes.
func (v *Viewer) requestFull(local uint16) {
	if w := &v.views[local]; !w.full {
		w.full = true
		v.pendingFulls = append(v.pendingFulls, local)
	}
}

// remove removes an owner from the view.
func (v *Viewer) remove(local uint16) {
	w := &v.views[local]
	e := w.entry
	last := len(e.watchers) - 1
	moved := e.watchers[last]
	e.watchers[w.place] = moved
	v.server.seats[moved.seat].views[moved.local].place = w.place
	if e.watchers = e.watchers[:last]; last == 0 {
		e.slotsValid = false
	}
	delete(v.localOf, e.number)
	w.entry, w.party = nil, false
	if w.full {
		w.full = false
		v.cancelFull(local)
	}
	v.free = append(v.free, local)
	if v.last[local] > 0 {
		v.writeLeave(local)
	}
}

func (v *Viewer) cancelFull(local uint16) {
	for k, l := range v.pendingFulls {
		if l == local {
			v.pendingFulls = append(v.pendingFulls[:k], v.pendingFulls[k+1:]...)
			return
		}
	}
}

// writeLeave queues a part that removes the owner with the given local number from the client's
// view.
func (v *Viewer) writeLeave(local uint16) {
	v.reserve(3)
	v.last[local] = v.number + 1
	v.out = binary.AppendUvarint(v.out, uint64(local)<<2|aboutLeave)
}

// queuePending moves the viewer's deliveries of the last Update into v.out. It must be called
// before the view or the field "last" is changed.
func (v *Viewer) queuePending() {
	s := v.server
	d := &s.due[v.seat]
	for ; d.from < d.end; d.from++ {
		t := s.deliveries[d.from]
		n := s.deltas[t.delta]
		if v.superseded(t) || !v.visible(n, t) {
			continue
		}
		if v.reserve(v.missing(t) + maxPrefix + int(n.to-n.from)); !v.superseded(t) {
			v.out = v.appendDelta(v.out, t)
		}
	}
}

// superseded reports whether a delivery can be skipped because the owner's full state will be
// sent.
func (v *Viewer) superseded(t delivery) bool { return len(v.pendingFulls) > 0 && v.views[t.local].full }

// visible reports whether the viewer may see any record of an ownerDelta.
func (v *Viewer) visible(n ownerDelta, t delivery) bool {
	if n.mix < 0 {
		return true
	}
	m := &v.server.mixes[n.mix]
	return v.viewpoint(m, t).count(m.records) > 0
}

func (v *Viewer) viewpoint(m *mix, t delivery) viewpoint {
	return viewpoint{v.id, m.entry.id == v.id, t.party}
}

// appendDelta appends a delivery, without the records that the viewer must not see.
func (v *Viewer) appendDelta(p []byte, t delivery) []byte {
	s := v.server
	n := s.deltas[t.delta]
	if n.mix < 0 {
		for _, lineage := range s.starts[n.starts:n.startsEnd] {
			if !v.knows(lineage) {
				p = v.appendSpec(p, lineage)
			}
		}
		v.last[t.local] = v.number + 1
		return append(binary.AppendUvarint(p, uint64(t.local)<<2), s.delta.bytes[n.from:n.to]...)
	}
	m := &s.mixes[n.mix]
	e := v.viewpoint(m, t)
	count := e.count(m.records)
	if count == 0 {
		return p
	}
	v.last[t.local] = v.number + 1
	p = v.appendMissing(p, e, m.records)
	p = binary.AppendUvarint(binary.AppendUvarint(p, uint64(t.local)<<2), uint64(count))
	return e.append(p, m.records, m.bytes)
}

// short is the number of bytes that appendShort always copies, because copying a constant number
// of bytes is faster. Most changes of an owner are not longer.
const short = 16

// appendShort is like appendDelta, for changes that every viewer may see and that take no more than
// 16 bytes (the constant "short"). The packet must have this number of bytes of spare capacity.
func (s *Server) appendShort(p []byte, local uint16, n ownerDelta) []byte {
	p = binary.AppendUvarint(p, uint64(local)<<2)
	at := len(p)
	*(*[short]byte)(p[at : at+short]) = *(*[short]byte)(s.delta.bytes[n.from : n.from+short])
	return p[:at+int(n.to-n.from)]
}

// viewpoint is a viewer's relation to one owner: the viewer may play the owner or be in the
// owner's party.
type viewpoint struct {
	viewer     buff.OwnerID
	own, party bool
}

// canSee reports whether the viewer may see a record.
func (e viewpoint) canSee(t *audience) bool {
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

// count returns the number of visible records.
func (e viewpoint) count(records []record) (n int) {
	for k := range records {
		if e.canSee(&records[k].audience) {
			n++
		}
	}
	return n
}

// append appends the visible records.
func (e viewpoint) append(p []byte, records []record, all []byte) []byte {
	from := int32(0)
	for k := range records {
		r := &records[k]
		if e.canSee(&r.audience) {
			p = append(p, all[from:r.to]...)
		}
		from = r.to
	}
	return p
}

// Maximum lengths in bytes of a local number and of a moreTime part.
const (
	maxPrefix = 3
	maxLater  = 6
)

// reserve prepares v.out for a change of the given number of bytes at the current time. If the
// queue would become too long, reserve drops it.
func (v *Viewer) reserve(size int) {
	now := v.server.now
	if len(v.out) > 0 && len(v.out)+maxLater+size > v.server.maxQueue {
		v.dropQueue(v.number)
	}
	if len(v.out) == 0 {
		v.first = now
	} else if v.at != now {
		v.out = binary.AppendUvarint(append(v.out, moreTime), uint64(now-v.at))
	}
	v.at = now
}

// dropQueue drops the queued changes. It requests the full state of every owner that has a queued
// change or was in a packet whose number is higher than the given number.
func (v *Viewer) dropQueue(number uint64) {
	v.forgetAfter(number)
	v.out = v.out[:0]
	v.first, v.at = v.server.now, v.server.now
	for k := range v.views {
		w := &v.views[k]
		if v.last[k] <= number {
			continue
		}
		if w.entry != nil {
			v.requestFull(uint16(k))
		}
		if w.entry == nil || w.reused {
			v.last[k] = v.number + 1
			v.out = binary.AppendUvarint(v.out, uint64(k)<<2|aboutLeave)
		}
	}
	if v.catalogAt > number {
		v.fingerprint = 0
	}
}
