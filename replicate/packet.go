package replicate

import (
	"encoding/binary"
	"fmt"
)

// Append appends the viewer's next packet to dst. It returns dst unchanged if no packet is needed.
// Call it after [Server.Update], as soon as the connection can accept a packet. Until then changes
// are queued. If Options.Packet is small, the changes may need several packets, so call Append
// until it returns dst unchanged. Changes that did not fit stay queued.
func (v *Viewer) Append(dst []byte) []byte { return v.packet(dst, false) }

// Beat is like Append, but also appends a packet if there are no changes. A client notices that it
// missed a packet only when the next packet arrives, so on a lossy connection call Beat instead of
// Append about once a second.
func (v *Viewer) Beat(dst []byte) []byte { return v.packet(dst, true) }

func (v *Viewer) packet(dst []byte, anyway bool) []byte {
	s := v.server
	if v.left {
		return dst
	}
	if out, ok := v.changes(dst, anyway); ok {
		return out
	}
	v.queuePending()
	if v.edition != s.edition {
		v.renew()
	}
	if !anyway && len(v.out) == 0 && len(v.pendingFulls) == 0 && len(v.pendingSpecs) == 0 && !v.missed && v.fingerprint == s.fingerprint {
		return dst
	}
	if len(v.out) == 0 {
		v.first, v.at = s.now, s.now
	}
	start := len(dst)
	dst = v.head(dst)
	head := len(dst)
	if v.fingerprint != s.fingerprint {
		dst = binary.LittleEndian.AppendUint64(append(dst, moreCatalog), s.fingerprint)
		dst = append(dst, s.attributeParts...)
	}
	dst = append(dst, v.out...)
	dst = v.appendRenewed(dst, start)
	hasContent := len(dst) > head
	if v.at != s.now && len(v.pendingFulls) > 0 {
		dst = binary.AppendUvarint(append(dst, moreTime), uint64(s.now-v.at))
	}
	dst, full := v.fulls(dst, start, hasContent)
	if !hasContent && full == 0 && !v.missed && !anyway {
		return dst[:start]
	}
	v.number++
	if v.fingerprint != s.fingerprint {
		v.fingerprint, v.catalogAt = s.fingerprint, v.number
	}
	v.out, v.missed = v.out[:0], false
	return dst
}

// changes is the fast path of packet, for a packet that contains only deliveries of the last
// Update. The deliveries are not copied to v.out. If the packet also needs other contents, changes
// returns dst and false.
func (v *Viewer) changes(dst []byte, anyway bool) ([]byte, bool) {
	s := v.server
	if len(v.out) > 0 || len(v.pendingFulls) > 0 || len(v.pendingSpecs) > 0 || v.missed || v.fingerprint != s.fingerprint {
		return dst, false
	}
	d := &s.due[v.seat]
	if d.from == d.end && !anyway {
		return dst, true
	}
	p := binary.AppendUvarint(append(s.packet[:0], kindPacket), v.number+1)
	p = binary.AppendUvarint(p, uint64(s.now))
	head := len(p)
	for ; d.from < d.end; d.from++ {
		t := s.deliveries[d.from]
		n := s.deltas[t.delta]
		size, known := int(n.to-n.from), v.knowsAll(n)
		total := maxPrefix + size
		if !known {
			total += v.missing(t)
		}
		if len(p) > head && len(p)+total > s.opts.Packet {
			break // the remaining deliveries need another packet
		}
		if n.mix >= 0 || !known || size > short || cap(p)-len(p) < maxPrefix+short {
			p = v.appendDelta(p, t)
			continue
		}
		v.last[t.local] = v.number + 1
		p = s.appendShort(p, t.local, n)
	}
	s.packet = p
	if len(p) == head && !anyway {
		return dst, true
	}
	v.number++
	return append(dst, p...), true
}

// maxHead is the maximum length in bytes of a packet without its changes: the kind, two packet
// numbers, the time, a moreCatalog part, and a moreTime part. It assumes that packet numbers and
// times have realistic sizes.
const maxHead = 1 + 5 + 5 + 6 + 9 + maxLater

// head appends the packet header.
func (v *Viewer) head(dst []byte) []byte {
	if v.missed {
		dst = binary.AppendUvarint(append(dst, kindRepair), v.number+1)
		dst = binary.AppendUvarint(dst, v.base)
	} else {
		dst = binary.AppendUvarint(append(dst, kindPacket), v.number+1)
	}
	return binary.AppendUvarint(dst, uint64(v.first))
}

// fulls appends requested full states until the packet is full, and at least one full state if the
// packet is otherwise empty. Requests for owners that are busy or do not fit are kept. After a
// loss, the client's state of such an owner may be wrong, so the owner is removed from the client's
// view until its full state is sent. The parameter "start" is the offset of the packet in dst. The
// parameter "some" reports whether the packet already has contents.
func (v *Viewer) fulls(dst []byte, start int, some bool) (_ []byte, n int) {
	s, kept := v.server, 0
	for _, local := range v.pendingFulls {
		w := &v.views[local]
		before, defined := len(dst), len(v.defined)
		k, ok := (*block)(nil), len(dst)-start < s.opts.Packet
		if ok {
			k, ok = s.fullState(w.entry)
		}
		if ok {
			dst = v.full(dst, local, k)
			if len(dst)-start > s.opts.Packet && (some || n > 0) {
				v.forget(defined)
				dst, ok = dst[:before], false
			}
		}
		if !ok {
			if v.missed && v.last[local] > 0 {
				dst = binary.AppendUvarint(dst, uint64(local)<<2|aboutLeave)
				v.last[local] = v.number + 1
			}
			v.pendingFulls[kept] = local
			kept++
			continue
		}
		w.full, w.reused, v.last[local] = false, false, v.number+1
		n++
	}
	v.pendingFulls = v.pendingFulls[:kept]
	return dst, n
}

// full appends an owner's full state k, without the records that the viewer must not see.
func (v *Viewer) full(dst []byte, local uint16, k *block) []byte {
	w := &v.views[local]
	e := viewpoint{v.id, w.entry.id == v.id, w.party}
	dst = v.appendMissing(dst, e, k.records)
	dst = binary.AppendUvarint(dst, uint64(local)<<2|aboutFull)
	dst = binary.AppendUvarint(dst, uint64(w.entry.id))
	return e.append(binary.AppendUvarint(dst, uint64(e.count(k.records))), k.records, k.bytes)
}

// Receive accepts a message from the viewer's client. The client sends the message when it has
// missed a packet or has a new connection. Receive returns [ErrMessage] if the message is invalid;
// the server may then close the connection. If several messages arrive before the next packet,
// they are answered only once.
func (v *Viewer) Receive(message []byte) error {
	if len(message) < 2 || message[0] != kindLost {
		return fmt.Errorf("%w: %d bytes", ErrMessage, len(message))
	}
	had, n := binary.Uvarint(message[1:])
	switch {
	case n != len(message)-1:
		return fmt.Errorf("%w: %d bytes, want one packet number", ErrMessage, len(message))
	case had > v.number:
		return fmt.Errorf("%w: it names packet %d, but only %d were sent", ErrMessage, had, v.number)
	case had == v.number && had > 0, v.left:
		return nil // the client has all packets, or will get none
	}
	v.queuePending()
	if v.missed {
		had = min(had, v.base)
	}
	v.base, v.missed = had, true
	v.dropQueue(had)
	return nil
}
