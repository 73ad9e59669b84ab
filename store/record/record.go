package record

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/internal/wire"
	"github.com/bufftick/bufftick/store"
)

// A record is the unit of storage:
//
//	kind       1 byte: a letter
//	version    1 byte, now 1
//	length     4 bytes, big-endian: length of the whole record
//	contents
//	check      4 bytes, big-endian: CRC-32C of all preceding bytes
//
// This framing is the same in all versions, so that an old program can distinguish a damaged
// record from a record in a newer version. Numbers in the contents are varints of minimal length,
// zigzag-encoded if signed; bytes and lists are preceded by their length.
const (
	kindHead     = 'H'
	kindOwner    = 'O'
	kindCommands = 'C'
	kindSum      = 'S'
	kindMark     = 'M'

	recordVersion = 1
	recordHead    = 1 + 1 + 4
	recordCheck   = 4
)

// begin appends the head of a record, and returns the offset of the record.
func begin(dst []byte, kind byte) (out []byte, start int) {
	return append(dst, kind, recordVersion, 0, 0, 0, 0), len(dst)
}

// seal sets the length of the record that starts at the given offset, and appends its checksum.
func seal(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start+2:], uint32(len(dst)-start+recordCheck))
	return binary.BigEndian.AppendUint32(dst, wire.Checksum(dst[start:]))
}

// Checksum returns the checksum of a record, which is its last four bytes. It returns 0 if the
// record is too short.
func Checksum(record []byte) uint32 {
	if len(record) < recordHead+recordCheck {
		return 0
	}
	return binary.BigEndian.Uint32(record[len(record)-recordCheck:])
}

// damaged returns a DamageError without a file.
func damaged(place, format string, args ...any) error {
	return &store.DamageError{Place: place, Problem: fmt.Sprintf(format, args...)}
}

// unseal returns the contents of a record of the given kind.
func unseal(record []byte, kind byte) (*reader, error) {
	n := len(record)
	if n < recordHead+recordCheck {
		return nil, damaged("", "the record has only %d bytes", n)
	}
	if said := binary.BigEndian.Uint32(record[2:]); uint64(said) != uint64(n) {
		return nil, damaged("bytes 2 to 5", "the record has %d bytes, but its length field is %d", n, said)
	}
	if got, want := Checksum(record), wire.Checksum(record[:n-recordCheck]); got != want {
		return nil, damaged(fmt.Sprintf("bytes 0 to %d", n-1), "the checksum of the record is %08x, want %08x", got, want)
	}
	if record[0] != kind {
		return nil, damaged("byte 0", "the record has kind %q, want %q", record[0], kind)
	}
	switch v := record[1]; {
	case v > recordVersion:
		return nil, fmt.Errorf("%w: a record of kind %q has version %d, this program supports %d", store.ErrFuture, kind, v, recordVersion)
	case v < 1:
		return nil, damaged("byte 1", "the record has version 0")
	}
	return &reader{rest: record[recordHead : n-recordCheck], at: recordHead}, nil
}

// reader decodes the contents of a record. After an error it returns only zero values.
type reader struct {
	rest []byte
	at   int // offset of the field "rest" in the record
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = damaged(fmt.Sprintf("byte %d", r.at), format, args...)
	}
	r.rest = nil
}

func (r *reader) take(n int) []byte {
	b := r.rest[:n:n]
	r.rest, r.at = r.rest[n:], r.at+n
	return b
}

func (r *reader) uint() uint64 {
	v, n := wire.Uint(r.rest)
	switch {
	case r.err != nil:
		return 0
	case n == 0:
		r.fail("unterminated number")
		return 0
	case n < 0:
		r.fail("number is not minimal")
		return 0
	}
	r.take(n)
	return v
}

func (r *reader) int() int64 {
	return wire.Signed(r.uint())
}

// upTo reads a number and fails if it exceeds the given limit.
func (r *reader) upTo(most uint64, what string) uint64 {
	v := r.uint()
	if v > most {
		r.fail("%s: %d, more than %d", what, v, most)
		return 0
	}
	return v
}

// count reads the length of a list and fails if it exceeds the given limit. The parameter "least"
// is the minimum size of an entry in bytes. A list that cannot fit into the remaining bytes is
// rejected, which bounds the memory that the caller allocates.
func (r *reader) count(most, least int, what string) int {
	n := r.upTo(uint64(most), what)
	if n > uint64(len(r.rest)/least) {
		r.fail("%s: %d entries, but only %d bytes are left", what, n, len(r.rest))
		return 0
	}
	return int(n)
}

// bytes reads a length followed by that number of bytes. The result aliases the record.
func (r *reader) bytes(most int, what string) []byte {
	n := r.count(most, 1, what)
	if n == 0 {
		return nil
	}
	return r.take(n)
}

func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d extra bytes", len(r.rest))
	}
	return r.err
}
