package record

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/store"
)

// FileMagic is the start of a file that holds one cut. It is followed by the records of the
// head, the owners, the commands, and the sum.
const FileMagic = "bufftick cut\n"

// AppendCut appends a cut in the format of a separate file, which can be archived, sent, and
// inspected with "bufftick cut". [ParseCut] decodes it.
func AppendCut(dst []byte, c *store.Cut) []byte {
	dst = AppendHead(append(dst, FileMagic...), &c.Head)
	sum := Sum{Owners: uint64(len(c.Owners)), Commands: uint64(len(c.Commands))}
	for k := range c.Owners {
		dst = AppendOwner(dst, c.Owners[k].Frame, &c.Owners[k])
		sum.Total += uint64(Checksum(dst))
	}
	dst = AppendCommands(dst, c.Frame, c.Commands)
	sum.Total += uint64(Checksum(dst))
	return AppendSum(dst, sum)
}

// ParseCut decodes the output of [AppendCut]. It returns [store.ErrForeign] if b does not start
// with FileMagic, [store.ErrFuture], or [store.ErrDamaged] with the byte offset of the record. The
// cut refers to the bytes of b.
func ParseCut(b []byte) (*store.Cut, error) {
	if !bytes.HasPrefix(b, []byte(FileMagic)) {
		return nil, fmt.Errorf("%w: bytes 0 to %d are not %q", store.ErrForeign, len(FileMagic)-1, FileMagic)
	}
	p := parser{b: b, at: len(FileMagic)}
	c, err := p.cut()
	if err != nil {
		return nil, At(err, "", fmt.Sprintf("the record at byte %d", p.last))
	}
	return c, nil
}

// parser iterates over the records of a file.
type parser struct {
	b        []byte
	at, last int // offsets of the next record and of the last record read
}

// next returns the next record and its kind.
func (p *parser) next() (record []byte, kind byte, err error) {
	rest := p.b[p.at:]
	p.last = p.at
	if len(rest) < recordHead {
		return nil, 0, damaged("", "the file ends inside it, at byte %d", len(p.b))
	}
	n := uint64(binary.BigEndian.Uint32(rest[2:]))
	if n > uint64(len(rest)) { // a length that is too small is detected when the record is decoded
		return nil, 0, damaged("", "its length is %d bytes, but only %d are left in the file", n, len(rest))
	}
	p.at += int(n)
	return rest[:n:n], rest[0], nil
}

func (p *parser) cut() (*store.Cut, error) {
	record, _, err := p.next()
	if err != nil {
		return nil, err
	}
	h, err := readHead(record)
	if err != nil {
		return nil, err
	}
	r := NewReader(h.Zone)
	if err := r.Head(record); err != nil {
		return nil, err
	}
	for {
		record, kind, err := p.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case kindOwner:
			o, err := readOwner(record)
			if err == nil {
				err = r.Owner(o.ID, record)
			}
			if err != nil {
				return nil, err
			}
		case kindCommands:
			if err := r.Commands(h.Frame, record); err != nil {
				return nil, err
			}
		default:
			return p.sum(r, record)
		}
	}
}

// sum decodes the last record, which must be a sum, checks that no record follows, and returns
// the cut.
func (p *parser) sum(r *Reader, record []byte) (*store.Cut, error) {
	want, err := ReadSum(record)
	if err != nil {
		return nil, err
	}
	if n := len(p.b) - p.at; n > 0 {
		return nil, damaged("", "%d bytes follow the last record", n)
	}
	return r.Cut(want)
}
