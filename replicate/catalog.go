package replicate

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// definition is a definition as it is sent to clients.
type definition struct {
	part    []byte // a complete part of a packet
	changed uint64 // the edition in which the part was last changed
	// A bit for each seat whose client has the definition, or will have it with the next packet. The
	// bits are here and not in the Viewer, which is rarely in the processor's cache.
	known []uint64
}

// defined is a definition in a packet to a viewer.
type defined struct {
	lineage uint32
	again   bool   // the client already knew an earlier version
	packet  uint64 // number of the packet
}

// Definitions returns a message with all definitions, except those with "sync: none". The caller
// must not modify it. A viewer sends each definition that its client needs, so most games never
// use this message. A client that predicts buffs needs the definitions of buffs that it has never
// seen; send it the message when it connects, and again when the Fingerprint has changed.
func (s *Server) Definitions() []byte { return s.definitions }

// Fingerprint returns the fingerprint of the Definitions message. After the engine reloads its
// catalog, the next Update changes it.
func (s *Server) Fingerprint() uint64 { return s.fingerprint }

// define encodes the definitions of a catalog.
func (s *Server) define(c *buff.Catalog) {
	s.catalog = c
	s.edition++
	var all []byte
	n, h := 0, fnv.New64a()
	for spec := range c.All() {
		if spec.Kind == define.Instant {
			continue // never on an owner
		}
		part := s.encode(spec)
		if spec.Client.Sync != define.SyncNone {
			n++
			all = append(all, part[1:]...)
		}
		h.Write(part)
	}
	all = append(binary.AppendUvarint(nil, uint64(n)), all...)
	h.Write(all)
	s.fingerprint = max(h.Sum64(), 1)
	s.definitions = binary.LittleEndian.AppendUint64([]byte{kindDefine}, s.fingerprint)
	s.definitions = append(s.definitions, all...)
}

// encode encodes a definition and returns its part of a packet.
func (s *Server) encode(spec *buff.Spec) []byte {
	body := appendSpec(nil, spec)
	part := append(binary.AppendUvarint([]byte{moreSpec}, uint64(len(body))), body...)
	for spec.Lineage() >= len(s.specs) {
		s.specs = append(s.specs, definition{})
	}
	if d := &s.specs[spec.Lineage()]; !bytes.Equal(part, d.part) {
		d.part, d.changed = part, s.edition
	}
	return part
}

// ensure encodes the definition of a buff if define has not seen it, because it was added and removed
// by two reloads between two Updates.
func (s *Server) ensure(spec *buff.Spec) {
	if lineage := spec.Lineage(); lineage >= len(s.specs) || s.specs[lineage].part == nil {
		s.encode(spec)
	}
}

func appendSpec(p []byte, s *buff.Spec) []byte {
	p = binary.AppendUvarint(p, uint64(s.Lineage()))
	p = appendString(appendString(appendString(p, s.ID), s.Name), s.Client.Icon)
	flags := byte(s.Polarity)<<1 | byte(s.Stack.By)<<3
	if s.Client.Hide {
		flags |= 1
	}
	p = append(p, flags)
	p = binary.AppendVarint(p, int64(s.Client.Priority))
	p = binary.AppendUvarint(p, uint64(s.Duration.Milliseconds()))
	p = binary.AppendUvarint(p, uint64(max(s.Stack.Limit, 1)))
	p = binary.AppendUvarint(p, uint64(len(s.Params)))
	for _, x := range s.Params {
		v := math.NaN() // the number varies between buffs
		if x.Value.From == define.FromConst {
			v = x.Value.Const
		}
		p = binary.LittleEndian.AppendUint64(appendString(p, x.Name), math.Float64bits(v))
	}
	return p
}

func appendString(p []byte, s string) []byte {
	return append(binary.AppendUvarint(p, uint64(len(s))), s...)
}

// knows reports whether the client has a definition, or will have it with the next packet.
func (v *Viewer) knows(lineage uint32) bool {
	known, word := v.server.specs[lineage].known, v.seat/64
	return int(word) < len(known) && known[word]>>(v.seat%64)&1 != 0
}

// knowsAll reports whether the client has all definitions of the buffs that an ownerDelta starts.
func (v *Viewer) knowsAll(n ownerDelta) bool {
	for _, lineage := range v.server.starts[n.starts:n.startsEnd] {
		if !v.knows(lineage) {
			return false
		}
	}
	return true
}

// appendSpec appends a definition to the next packet. The client may know an earlier version.
func (v *Viewer) appendSpec(p []byte, lineage uint32) []byte {
	d, again := &v.server.specs[lineage], v.knows(lineage)
	if !again {
		for int(v.seat/64) >= len(d.known) {
			d.known = append(d.known, 0)
		}
		d.known[v.seat/64] |= 1 << (v.seat % 64)
	}
	v.defined = append(v.defined, defined{lineage, again, v.number + 1})
	return append(p, d.part...)
}

// appendMissing appends the definitions that the client lacks for the records that it may see.
func (v *Viewer) appendMissing(p []byte, e viewpoint, records []record) []byte {
	for k := range records {
		if r := &records[k]; r.starts > 0 && !v.knows(r.starts) && e.canSee(&r.audience) {
			p = v.appendSpec(p, r.starts)
		}
	}
	return p
}

// missing returns the number of bytes that appendDelta needs for definitions.
func (v *Viewer) missing(t delivery) (size int) {
	s := v.server
	n := s.deltas[t.delta]
	if v.knowsAll(n) {
		return 0
	}
	if n.mix < 0 {
		for _, lineage := range s.starts[n.starts:n.startsEnd] {
			if !v.knows(lineage) {
				size += len(s.specs[lineage].part)
			}
		}
		return size
	}
	m := &s.mixes[n.mix]
	e := v.viewpoint(m, t)
	for k := range m.records {
		if r := &m.records[k]; r.starts > 0 && !v.knows(r.starts) && e.canSee(&r.audience) {
			size += len(s.specs[r.starts].part)
		}
	}
	return size
}

// forget undoes appendSpec for the newest definitions, down to the given number. An earlier version
// that the client knows is sent again.
func (v *Viewer) forget(length int) {
	for _, d := range v.defined[length:] {
		if d.again {
			v.pendingSpecs = append(v.pendingSpecs, d.lineage)
		} else {
			v.server.specs[d.lineage].known[v.seat/64] &^= 1 << (v.seat % 64)
		}
	}
	v.defined = v.defined[:length]
}

// forgetAfter forgets the definitions in packets after the one with the given number.
func (v *Viewer) forgetAfter(number uint64) {
	length := len(v.defined)
	for length > 0 && v.defined[length-1].packet > number {
		length--
	}
	v.forget(length)
}

// renew schedules those definitions that have changed since they were sent to the client.
func (v *Viewer) renew() {
	s := v.server
	for _, d := range v.defined {
		if !d.again && s.specs[d.lineage].changed > v.edition {
			v.pendingSpecs = append(v.pendingSpecs, d.lineage)
		}
	}
	v.edition = s.edition
}

// appendRenewed appends scheduled definitions until the packet is full.
func (v *Viewer) appendRenewed(dst []byte, start int) []byte {
	k := 0
	for ; k < len(v.pendingSpecs) && (k == 0 || len(dst)-start+len(v.server.specs[v.pendingSpecs[k]].part) <= v.server.opts.Packet); k++ {
		dst = v.appendSpec(dst, v.pendingSpecs[k])
	}
	v.pendingSpecs = append(v.pendingSpecs[:0], v.pendingSpecs[k:]...)
	return dst
}
