package cluster

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/bufftick/bufftick/buff"
)

// Messages between a subscription and its zone. The first byte is wireVersion, the second byte is
// the kind.
//
//	look     version, 'L', 8 bytes id, 8 bytes owner, uvarint join, uvarint number: the subscription is alive,
//	         and has received all packets up to that number
//	said     version, 'S', 8 bytes id, uvarint join, a message from the player's client
//	missed   version, 'M', 8 bytes id, uvarint join: a packet was lost, perhaps the definitions
//	all      version, 'A', 8 bytes id, uvarint join: the subscription has read everything, and has received no
//	         packet for a while
//	leave    version, 'Q', 8 bytes id
//	packet   version, 'P', uvarint epoch, uvarint join, uvarint number, the bytes; 'D' for definitions
//	part     version, 'C', uvarint epoch, uvarint join, uvarint number, uvarint index, uvarint count, the
//	         bytes: a part of a packet, or of definitions, above the maximum size of a message; the bytes of
//	         all parts together start with 'P' or 'D'
//	refused  version, 'R', uvarint epoch, reason as text
//
// A join is the number of a viewer, see policy.Joins. Messages with the number of an earlier
// viewer are ignored.

const (
	isLook    = 'L'
	isSaid    = 'S'
	isMissed  = 'M'
	isAll     = 'A'
	isLeave   = 'Q'
	isPacket  = 'P'
	isDefined = 'D'
	isPart    = 'C'
	isRefused = 'R'
)

// mostSaid is the maximum size of a message from the player's client, in bytes. Such a message
// consists of a kind and a number.
const mostSaid = 64

// screenID identifies a subscription.
type screenID [8]byte

// look is a message from a subscription to its zone. Its kind determines which fields are used.
type look struct {
	kind         byte
	id           screenID
	owner        buff.OwnerID
	join, number uint64
	said         []byte
}

func appendLook(dst []byte, l *look) []byte {
	dst = append(append(dst, wireVersion, l.kind), l.id[:]...)
	switch l.kind {
	case isLook:
		dst = binary.BigEndian.AppendUint64(dst, uint64(l.owner))
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, l.join), l.number)
	case isMissed, isAll:
		dst = binary.AppendUvarint(dst, l.join)
	case isSaid:
		dst = append(binary.AppendUvarint(dst, l.join), l.said...)
	}
	return dst
}

// parseLook decodes the result of appendLook. l.said aliases b.
func parseLook(b []byte) (l look, err error) {
	if len(b) < 2+len(l.id) || b[0] != wireVersion {
		return l, errWire
	}
	l.kind = b[1]
	b = b[2:]
	b = b[copy(l.id[:], b):]
	if l.kind == isLook {
		if len(b) < 8 {
			return l, errWire
		}
		l.owner, b = buff.OwnerID(binary.BigEndian.Uint64(b)), b[8:]
	}
	if l.kind == isLeave {
		return l, nil
	}
	if l.join, b, err = cutNumber(b); err != nil {
		return l, err
	}
	switch l.kind {
	case isLook:
		l.number, _, err = cutNumber(b)
	case isSaid:
		if l.said = b; len(b) > mostSaid {
			err = errWire
		}
	case isMissed, isAll:
	default:
		err = errWire
	}
	return l, err
}

// shown is a message from a zone to a subscription.
type shown struct {
	kind                byte
	epoch, join, number uint64
	bytes               []byte
}

// appendShown encodes s.
func appendShown(dst []byte, s *shown) []byte {
	dst = binary.AppendUvarint(append(dst, wireVersion, s.kind), s.epoch)
	if s.kind != isRefused {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, s.join), s.number)
	}
	return append(dst, s.bytes...)
}

// parseShown decodes the result of appendShown. s.bytes aliases b.
func parseShown(b []byte) (s shown, err error) {
	if len(b) < 2 || b[0] != wireVersion || bytes.IndexByte([]byte{isPacket, isDefined, isPart, isRefused}, b[1]) < 0 {
		return s, errWire
	}
	s.kind = b[1]
	if s.epoch, b, err = cutNumber(b[2:]); err != nil {
		return s, err
	}
	if s.kind != isRefused {
		if s.join, b, err = cutNumber(b); err != nil {
			return s, err
		}
		if s.number, b, err = cutNumber(b); err != nil {
			return s, err
		}
	}
	s.bytes = b
	return s, nil
}

// defines reports whether the message contains definitions, or the first part of definitions.
func (s *shown) defines() bool {
	if s.kind == isPart {
		_, rest, err := cutNumber(s.bytes[:min(len(s.bytes), 1)]) // the index is 0, which takes one byte
		if err == nil && s.bytes[0] == 0 {
			_, rest, err = cutNumber(s.bytes[1:])
		}
		return err == nil && len(rest) > 0 && rest[0] == isDefined
	}
	return s.kind == isDefined
}

// parts assembles a message that was sent in parts.
type parts struct {
	bytes []byte
	next  uint64 // index of the next part
}

// mostParts is the maximum size of an assembled message, in bytes.
const mostParts = 64 << 20

// add appends a part. The result is nil until the last part has arrived. A part with index 0
// starts a new message. If any other part is out of sequence, the message is discarded.
func (p *parts) add(b []byte) (whole []byte) {
	index, b, err := cutNumber(b)
	if err != nil {
		return nil
	}
	many, b, err := cutNumber(b)
	if index == 0 {
		p.bytes, p.next = p.bytes[:0], 0
	}
	if err != nil || index != p.next || index >= many || len(p.bytes)+len(b) > mostParts {
		*p = parts{next: math.MaxUint64}
		return nil
	}
	p.bytes, p.next = append(p.bytes, b...), p.next+1
	if p.next < many {
		return nil
	}
	whole = p.bytes
	*p = parts{}
	return whole
}

func cutNumber(b []byte) (n uint64, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, errWire
	}
	return n, b[size:], nil
}

// screens returns the subject to which the subscriptions of a zone send their messages.
func screens(prefix, zone string) string { return subject(prefix, zone) + ".screens" }
