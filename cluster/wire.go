package cluster

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// What travels over NATS. The first byte is the version; one of a later version is not read.
//
//	message  version, 16 bytes id, uvarint since, 1 byte sure, the command as buff.Command has it
//	reply    version, 16 bytes id, uvarint epoch, uvarint total, 1 byte code, the result
//	transfer in the place of a command: 1 byte 255, 8 bytes owner, the name of a zone
//	result   1 byte kind, 1 byte why, 1 byte queued, varint amount, 8 bytes handle, the error as text
//
// The result of a command that is sent on is the name of the zone. A hello is a message whose id is zero, and has nothing behind the version.

const wireVersion = 1

var errWire = errors.New("cluster: what has come cannot be read")

func appendMessage(dst []byte, m *policy.Message) []byte {
	dst = append(dst, wireVersion)
	if m.ID == (policy.ID{}) {
		return dst
	}
	dst = append(dst, m.ID[:]...)
	dst = binary.AppendUvarint(dst, m.Since)
	sure := byte(0)
	if m.Sure {
		sure = 1
	}
	return append(append(dst, sure), m.Body...)
}

// parseMessage reads a message. Its Body is part of b.
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
	if n <= 0 || len(b) < n+1 || b[n] > 1 {
		return m, errWire
	}
	m.Since, m.Sure, m.Body = since, b[n] == 1, b[n+1:]
	return m, nil
}

func appendReply(dst []byte, p *policy.Reply) []byte {
	dst = append(append(dst, wireVersion), p.ID[:]...)
	dst = binary.AppendUvarint(dst, p.Epoch)
	dst = binary.AppendUvarint(dst, p.Total)
	return append(append(dst, byte(p.Code)), p.Body...)
}

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
	p.Code, p.Body = policy.Code(b[n]), b[n+1:]
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
	if r.Err != nil {
		text := r.Err.Error()
		dst = append(dst, text[:min(len(text), math.MaxUint16)]...)
	}
	return dst
}

func parseResult(b []byte) (r buff.Result, err error) {
	if len(b) < 3 {
		return r, errWire
	}
	r.Kind, r.Why, r.Queued = buff.EventKind(b[0]), buff.Reason(b[1]), b[2] == 1
	amount, n := binary.Varint(b[3:])
	if n <= 0 || len(b) < 3+n+8 {
		return r, errWire
	}
	r.Amount, r.Handle = amount, buff.Handle(binary.LittleEndian.Uint64(b[3+n:]))
	if rest := b[3+n+8:]; len(rest) > 0 {
		r.Err = errors.New(string(rest))
	}
	return r, nil
}

// subject returns the name of a zone as one word of a subject: as it is, or "=" and its bytes.
func subject(prefix, zone string) string {
	for k := range len(zone) {
		c := zone[k]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return prefix + ".zone.=" + hex.EncodeToString([]byte(zone))
		}
	}
	return prefix + ".zone." + zone
}

// transferMark begins what is no command of package buff: its versions are low numbers.
const transferMark = 0xff

func appendTransfer(dst []byte, owner buff.OwnerID, zone string) []byte {
	return append(binary.BigEndian.AppendUint64(append(dst, transferMark), uint64(owner)), zone...)
}

// parseTransfer reads what appendTransfer has written; ok is false if it is something else.
func parseTransfer(b []byte) (owner buff.OwnerID, zone string, ok bool) {
	if len(b) < 9 || b[0] != transferMark {
		return 0, "", false
	}
	return buff.OwnerID(binary.BigEndian.Uint64(b[1:])), string(b[9:]), true
}
