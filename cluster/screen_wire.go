package cluster

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/bufftick/bufftick/buff"
)

// Messages between a subscription and its zone. The first byte is the version, as of a command;
// the second byte is the kind.
//
//	look     version, 'L', 8 bytes id, 8 bytes owner, uvarint join, uvarint number: alive, and has received up
//	         to that number
//	said     version, 'S', 8 bytes id, uvarint join, message of the player's client
//	missed   version, 'M', 8 bytes id, uvarint join: a packet was lost, perhaps the definitions
//	all      version, 'A', 8 bytes id, uvarint join: has read everything, and received no packet for a while
//	leave    version, 'Q', 8 bytes id
//	packet   version, 'P', uvarint epoch, uvarint join, uvarint number, the bytes; 'D' for definitions
//	part     version, 'C', uvarint epoch, uvarint join, uvarint number, uvarint index, uvarint count, the
//	         bytes: a part of a packet or definitions above the maximum size; the whole starts with 'P' or 'D'
//	refused  version, 'R', uvarint epoch, reason as text
//
// A join identifies one viewer: see policy.Joins. Messages of an older join refer to another
// state.

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

// mostSaid is the maximum size of a message of the player's client: a kind and a number.
const mostSaid = 64

// screenID identifies a subscription.
type screenID [8]byte

// look is a message from a subscription.
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

// shown is a message to a subscription.
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

// defines reports whether the message has definitions, or their first part.
func (s *shown) defines() bool {
	if s.kind == isPart {
		_, rest, err := cutNumber(s.bytes[:min(len(s.bytes), 1)]) // index 0
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

// mostParts is the maximum size of an assembled message.
const mostParts = 64 << 20

// add appends a part. whole is nil until the last part has arrived. A part with index 0 starts
// again; any other part out of sequence discards the message.
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

// screens returns the subject of the messages from a zone's subscriptions.
func screens(prefix, zone string) string { return subject(prefix, zone) + ".screens" }
