package store

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/internal/wire"
)

// A record is one thing that a store keeps:
//
//	kind       1 byte: a letter
//	version    1 byte, now 1
//	length     4 bytes, of the whole record, the highest first
//	contents
//	check      4 bytes, the highest first: CRC-32C of all before
//
// The frame of it is the same in every version, so that an old program can tell a record that is
// damaged from one that is too new. Numbers in the contents are varints of the least possible
// length, signed ones in zigzag; bytes and lists have their length before them.
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

// begin appends the head of a record and returns where it starts.
func begin(dst []byte, kind byte) (out []byte, start int) {
	return append(dst, kind, recordVersion, 0, 0, 0, 0), len(dst)
}

// seal writes the length of the record that starts there, and appends its check.
func seal(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start+2:], uint32(len(dst)-start+recordCheck))
	return binary.BigEndian.AppendUint32(dst, wire.Checksum(dst[start:]))
}

// Check returns the check of a record that [AppendOwner] or [AppendCommands] has made: its last
// four bytes.
func Check(record []byte) uint32 {
	if len(record) < recordHead+recordCheck {
		return 0
	}
	return binary.BigEndian.Uint32(record[len(record)-recordCheck:])
}

// damaged is a DamageError that knows no file yet.
func damaged(place, format string, args ...any) error {
	return &DamageError{Place: place, Problem: fmt.Sprintf(format, args...)}
}

// unseal returns the contents of a record of that kind.
func unseal(record []byte, kind byte) (*reader, error) {
	n := len(record)
	if n < recordHead+recordCheck {
		return nil, damaged("", "the record has %d bytes, too few for any", n)
	}
	if said := binary.BigEndian.Uint32(record[2:]); uint64(said) != uint64(n) {
		return nil, damaged("bytes 2 to 5", "the record has %d bytes and says %d", n, said)
	}
	if got, want := Check(record), wire.Checksum(record[:n-recordCheck]); got != want {
		return nil, damaged(fmt.Sprintf("bytes 0 to %d", n-1), "the check of the record is %08x and should be %08x", got, want)
	}
	if record[0] != kind {
		return nil, damaged("byte 0", "a record of kind %q, want %q", record[0], kind)
	}
	switch v := record[1]; {
	case v > recordVersion:
		return nil, fmt.Errorf("%w: a record of kind %q and version %d, this program knows %d", ErrFuture, kind, v, recordVersion)
	case v < 1:
		return nil, damaged("byte 1", "a record of version 0")
	}
	return &reader{rest: record[recordHead : n-recordCheck], at: recordHead}, nil
}

// reader takes a record's contents apart. After its first error all it reads is zero.
type reader struct {
	rest []byte
	at   int // of rest in the record
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
		r.fail("a number that does not end")
		return 0
	case n < 0:
		r.fail("a number that is longer than it need be")
		return 0
	}
	r.take(n)
	return v
}

func (r *reader) int() int64 {
	return wire.Signed(r.uint())
}

// upTo reads a number that has a limit.
func (r *reader) upTo(most uint64, what string) uint64 {
	v := r.uint()
	if v > most {
		r.fail("%s: %d, more than %d", what, v, most)
		return 0
	}
	return v
}

// count reads the length of a list whose entries have at least so many bytes: no more is made
// room for than what is there can fill.
func (r *reader) count(most, least int, what string) int {
	n := r.upTo(uint64(most), what)
	if n > uint64(len(r.rest)/least) {
		r.fail("%s: %d of them, and %d bytes are left", what, n, len(r.rest))
		return 0
	}
	return int(n)
}

// bytes reads what has its length before it. They are those of the record.
func (r *reader) bytes(most int, what string) []byte {
	n := r.count(most, 1, what)
	if n == 0 {
		return nil
	}
	return r.take(n)
}

func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes too many", len(r.rest))
	}
	return r.err
}
