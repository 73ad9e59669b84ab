package replicate

import (
	"encoding/binary"
	"fmt"
)

// Append appends the viewer's next packet, and nothing if there is nothing to tell: then no packet
// is to be sent. It belongs behind [Server.Update], once the connection can take a packet; what
// comes meanwhile waits. Where Options.Packet is short there may be more than one packet: it is called
// again until it appends nothing, or what is left waits for the next time.
func (v *Viewer) Append(dst []byte) []byte { return v.packet(dst, false) }

// Beat is Append, but appends a packet also if there is nothing to tell: a client finds that it has
// missed the last packet when the next one comes. On a line that loses packets it belongs in the place
// of Append about once a second.
func (v *Viewer) Beat(dst []byte) []byte { return v.packet(dst, true) }

func (v *Viewer) packet(dst []byte, anyway bool) []byte {
	s := v.server
	if v.left {
		return dst
	}
	if out, ok := v.changes(dst, anyway); ok {
		return out
	}
	v.take()
	if !anyway && len(v.out) == 0 && len(v.wants) == 0 && !v.missed && v.fingerprint == s.fingerprint {
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
	}
	dst = append(dst, v.out...)
	if v.at != s.now && len(v.wants) > 0 {
		dst = binary.AppendUvarint(append(dst, moreTime), uint64(s.now-v.at))
	}
	told := len(dst) > head && (len(v.out) > 0 || v.fingerprint != s.fingerprint)
	dst, full := v.fulls(dst, start, told)
	if !told && full == 0 && !v.missed && !anyway {
		return dst[:start]
	}
	v.number++
	if v.fingerprint != s.fingerprint {
		v.fingerprint, v.toldAt = s.fingerprint, v.number
	}
	v.out, v.missed = v.out[:0], false
	return dst
}

// changes appends a packet of what the last Update tells, and of nothing else, without a stop in out. If
// there is more to say it appends nothing, and says so.
func (v *Viewer) changes(dst []byte, anyway bool) ([]byte, bool) {
	s := v.server
	if len(v.out) > 0 || len(v.wants) > 0 || v.missed || v.fingerprint != s.fingerprint {
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
		t := s.tellings[d.from]
		n := s.news[t.news]
		size := int(n.to - n.from)
		if len(p) > head && len(p)+maxPrefix+size > s.opts.Packet {
			break // there is another packet
		}
		if n.mix >= 0 || size > short || cap(p)-len(p) < maxPrefix+short {
			p = v.tell(p, t)
			continue
		}
		v.last[t.local] = v.number + 1
		p = s.brief(p, t.local, n)
	}
	s.packet = p
	if len(p) == head && !anyway {
		return dst, true
	}
	v.number++
	return append(dst, p...), true
}

// maxHead is what is before the changes of a packet at most, but for numbers that no game comes to: its kind, two
// numbers of packets, the time, and a fingerprint; and how much later it is behind them.
const maxHead = 1 + 5 + 5 + 6 + 9 + maxLater

// head appends what a packet begins with.
func (v *Viewer) head(dst []byte) []byte {
	if v.missed {
		dst = binary.AppendUvarint(append(dst, kindRepair), v.number+1)
		dst = binary.AppendUvarint(dst, v.base)
	} else {
		dst = binary.AppendUvarint(append(dst, kindPacket), v.number+1)
	}
	return binary.AppendUvarint(dst, uint64(v.first))
}

// fulls appends the full state of those who wait for it, as far as the packet goes: some of them if
// there is nothing else in it. A busy owner goes on waiting. A client that has missed something forgets the owners
// for which there is no room.
func (v *Viewer) fulls(dst []byte, start int, some bool) (_ []byte, n int) {
	s, kept := v.server, 0
	for _, local := range v.wants {
		w := &v.views[local]
		before := len(dst)
		k, ok := (*block)(nil), len(dst)-start < s.opts.Packet
		if ok {
			k, ok = s.wholeOf(w.entry)
		}
		if ok {
			dst = v.full(dst, local, k)
			if len(dst)-start > s.opts.Packet && (some || n > 0) {
				dst, ok = dst[:before], false
			}
		}
		if !ok {
			if v.missed && v.last[local] > 0 {
				dst = binary.AppendUvarint(dst, uint64(local)<<2|aboutLeave)
				v.last[local] = v.number + 1
			}
			v.wants[kept] = local
			kept++
			continue
		}
		w.full, w.other, v.last[local] = false, false, v.number+1
		n++
	}
	v.wants = v.wants[:kept]
	return dst, n
}

// full appends the full state of an owner, as far as the viewer may see it.
func (v *Viewer) full(dst []byte, local uint16, k *block) []byte {
	w := &v.views[local]
	dst = binary.AppendUvarint(dst, uint64(local)<<2|aboutFull)
	dst = binary.AppendUvarint(dst, uint64(w.entry.id))
	e := eyes{v.id, w.entry.id == v.id, w.party}
	return e.append(binary.AppendUvarint(dst, uint64(e.count(k.records))), k.records, k.bytes)
}

// Receive takes in a message of the viewer's client, which has missed something, or begins anew. It
// fails with [ErrMessage]; a server may end the connection then. However many there are, there is
// one answer in each packet.
func (v *Viewer) Receive(message []byte) error {
	if len(message) < 2 || message[0] != kindLost {
		return fmt.Errorf("%w: %d bytes", ErrMessage, len(message))
	}
	had, n := binary.Uvarint(message[1:])
	switch {
	case n != len(message)-1:
		return fmt.Errorf("%w: %d bytes of a number that is too long or too short", ErrMessage, len(message))
	case had > v.number:
		return fmt.Errorf("%w: it has packet %d of %d", ErrMessage, had, v.number)
	case had == v.number && had > 0, v.left:
		return nil // it is on the way
	}
	v.take()
	if v.missed {
		had = min(had, v.base)
	}
	v.base, v.missed = had, true
	v.shed(had)
	return nil
}
