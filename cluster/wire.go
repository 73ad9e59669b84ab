package cluster

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// Messages over NATS. The first byte is the version; other versions are not decoded.
//
//	message  version, 16 bytes id, uvarint since, 1 byte flags, 8 bytes life (if flagLife is set), the command
//	         as encoded by buff.Command, or a transfer
//	transfer 1 byte 255, 8 bytes owner, the name of the target zone
//	reply    version, 16 bytes id, uvarint epoch, uvarint total, 1 byte code, 8 bytes life (if codeLife is set),
//	         the result
//	result   1 byte kind, 1 byte reason, 1 byte queued, varint amount, 8 bytes handle, the error as text
//
// The result of a redirected command is the name of the zone that has the owner. A hello is a
// message that consists only of the version. The result in the reply to a hello is 8 bytes world,
// 8 bytes life, uvarint begun, and the TTL as uvarint milliseconds. Older programs omit this
// result.

const wireVersion = 1

var errWire = errors.New("cluster: malformed message")

func appendMessage(dst []byte, m *policy.Message) []byte {
	dst = append(dst, wireVersion)
	if m.ID == (policy.ID{}) {
		return dst
	}
	dst = append(dst, m.ID[:]...)
	dst = binary.AppendUvarint(dst, m.Since)
	flags := byte(0)
	if m.Sure {
		flags |= flagSure
	}
	if m.Life == 0 {
		return append(append(dst, flags), m.Body...)
	}
	dst = append(dst, flags|flagLife)
	return append(binary.LittleEndian.AppendUint64(dst, m.Life), m.Body...)
}

// parseMessage decodes a message. m.Body aliases b.
func parseMessage(b []byte) (m policy.Message, err error) {
	if len(b) < 1 || b[0] != wireVersion {
		return m, errWire
	}
	if b = b[1:]; len(b) == 0 {
		return m, nil
	}
	if len(b) < len(m.ID) {
		return m, errWire
	}
	b = b[copy(m.ID[:], b):]
	since, n := binary.Uvarint(b)
	if n <= 0 || len(b) < n+1 || b[n] > flagSure|flagLife {
		return m, errWire
	}
	flags := b[n]
	if b = b[n+1:]; flags&flagLife != 0 {
		if len(b) < 8 || binary.LittleEndian.Uint64(b) == 0 {
			return m, errWire
		}
		m.Life, b = binary.LittleEndian.Uint64(b), b[8:]
	}
	m.Since, m.Sure, m.Body = since, flags&flagSure != 0, b
	return m, nil
}

// Flags of a message.
const (
	flagSure = 1
	flagLife = 2
)

func appendGreeted(dst []byte, g *policy.Greeted) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, g.World)
	dst = binary.LittleEndian.AppendUint64(dst, g.Life)
	return binary.AppendUvarint(binary.AppendUvarint(dst, g.Begun), uint64(g.Lease/time.Millisecond))
}

// parseGreeted decodes the result of appendGreeted. It returns the zero Greeted if b is truncated
// or from an older program.
func parseGreeted(b []byte) (g policy.Greeted) {
	if len(b) < 16 {
		return g
	}
	world, life := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	begun, b, err := cutNumber(b[16:])
	if err != nil {
		return g
	}
	lease, _, err := cutNumber(b)
	if err != nil || lease > mostLease {
		return g
	}
	return policy.Greeted{World: world, Life: life, Begun: begun, Lease: time.Duration(lease) * time.Millisecond}
}

// mostLease is the maximum TTL in a reply, in milliseconds. It is one day.
const mostLease = 24 * 60 * 60 * 1000

func appendReply(dst []byte, p *policy.Reply) []byte {
	dst = append(append(dst, wireVersion), p.ID[:]...)
	dst = binary.AppendUvarint(dst, p.Epoch)
	dst = binary.AppendUvarint(dst, p.Total)
	if p.Life == 0 || p.Code == policy.Greeting {
		return append(append(dst, byte(p.Code)), p.Body...)
	}
	dst = binary.LittleEndian.AppendUint64(append(dst, byte(p.Code)|codeLife), p.Life)
	return append(dst, p.Body...)
}

// codeLife is a bit of the code that is set if a reply contains a life.
const codeLife = 0x80

func parseReply(b []byte) (p policy.Reply, err error) {
	if len(b) < 1+len(p.ID) || b[0] != wireVersion {
		return p, errWire
	}
	b = b[1:]
	b = b[copy(p.ID[:], b):]
	var n int
	if p.Epoch, n = binary.Uvarint(b); n <= 0 {
		return p, errWire
	}
	b = b[n:]
	if p.Total, n = binary.Uvarint(b); n <= 0 || len(b) == n {
		return p, errWire
	}
	p.Code, p.Body = policy.Code(b[n]&^codeLife), b[n+1:]
	if b[n]&codeLife != 0 {
		if len(p.Body) < 8 || binary.LittleEndian.Uint64(p.Body) == 0 || p.Code == policy.Greeting {
			return p, errWire
		}
		p.Life, p.Body = binary.LittleEndian.Uint64(p.Body), p.Body[8:]
	}
	if p.Code < policy.Applied || p.Code > policy.Moved {
		return p, errWire
	}
	return p, nil
}

func appendResult(dst []byte, r buff.Result) []byte {
	queued := byte(0)
	if r.Queued {
		queued = 1
	}
	dst = append(dst, byte(r.Kind), byte(r.Why), queued)
	dst = binary.AppendVarint(dst, r.Amount)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.Handle))
	if r.Failure != nil {
		text := r.Failure.Error()
		dst = append(dst, text[:min(len(text), mostText)]...)
	}
	return dst
}

// mostText is the maximum size of the error text in a reply, in bytes. It is small enough for any
// max_payload of NATS.
const mostText = 512

func parseResult(b []byte) (r buff.Result, err error) {
	if len(b) < 3 {
		return r, errWire
	}
	r.Kind, r.Why, r.Queued = buff.EventKind(b[0]), reason.Reason(b[1]), b[2] == 1
	amount, n := binary.Varint(b[3:])
	if n <= 0 || len(b) < 3+n+8 {
		return r, errWire
	}
	r.Amount, r.Handle = amount, buff.Handle(binary.LittleEndian.Uint64(b[3+n:]))
	if rest := b[3+n+8:]; len(rest) > 0 {
		r.Failure = errors.New(string(rest))
	}
	return r, nil
}

// subject returns the subject of a zone. If the name contains characters other than ASCII
// letters, digits, - and _, it is encoded as "=" followed by its bytes in hexadecimal.
func subject(prefix, zone string) string {
	for k := range len(zone) {
		c := zone[k]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return prefix + ".zone.=" + hex.EncodeToString([]byte(zone))
		}
	}
	return prefix + ".zone." + zone
}

// transferMark is the first byte of a transfer. It differs from the first byte of a buff.Command,
// which is a version and therefore a low number.
const transferMark = 0xff

func appendTransfer(dst []byte, owner buff.OwnerID, zone string) []byte {
	return append(binary.BigEndian.AppendUint64(append(dst, transferMark), uint64(owner)), zone...)
}

// parseTransfer decodes the result of appendTransfer. ok is false if b is not a transfer.
func parseTransfer(b []byte) (owner buff.OwnerID, zone string, ok bool) {
	if len(b) < 9 || b[0] != transferMark {
		return 0, "", false
	}
	return buff.OwnerID(binary.BigEndian.Uint64(b[1:])), string(b[9:]), true
}
