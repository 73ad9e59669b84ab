package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// FileMagic is what a cut begins with in a file of its own, which then has the records of the head, of each
// owner, of the commands, and of the sum.
const FileMagic = "bufftick cut\n"

// AppendCut appends a cut as one piece, for a file of its own: a copy that can be kept, sent,
// and looked at by "bufftick cut". It is read by [ParseCut].
func AppendCut(dst []byte, c *Cut) []byte {
	dst = AppendHead(append(dst, FileMagic...), &c.Head)
	sum := Sum{Owners: uint64(len(c.Owners)), Commands: uint64(len(c.Commands))}
	for k := range c.Owners {
		dst = AppendOwner(dst, c.Owners[k].Frame, &c.Owners[k])
		sum.Total += uint64(Check(dst))
	}
	dst = AppendCommands(dst, c.Frame, c.Commands)
	sum.Total += uint64(Check(dst))
	return AppendSum(dst, sum)
}

// ParseCut reads what [AppendCut] has written. It fails with [ErrForeign] if the text at the
// beginning is another one, with [ErrFuture], or with [ErrDamaged] and the place of the record,
// in bytes of b. The bytes of the cut are those of b.
func ParseCut(b []byte) (*Cut, error) {
	if !bytes.HasPrefix(b, []byte(FileMagic)) {
		return nil, fmt.Errorf("%w: bytes 0 to %d are not %q", ErrForeign, len(FileMagic)-1, FileMagic)
	}
	p := parser{b: b, at: len(FileMagic)}
	c, err := p.cut()
	if err != nil {
		return nil, At(err, "", fmt.Sprintf("the record at byte %d", p.last))
	}
	return c, nil
}

// parser walks over the records of a file.
type parser struct {
	b        []byte
	at, last int // where the next record begins, and the one that was read last
}

// next returns the next record, and its kind.
func (p *parser) next() (record []byte, kind byte, err error) {
	rest := p.b[p.at:]
	p.last = p.at
	if len(rest) < recordHead {
		return nil, 0, damaged("", "the file ends within it: it has %d bytes", len(p.b))
	}
	n := uint64(binary.BigEndian.Uint32(rest[2:]))
	if n > uint64(len(rest)) { // one that is too short for any is refused by who reads it
		return nil, 0, damaged("", "it says %d bytes, and %d are left of the file", n, len(rest))
	}
	p.at += int(n)
	return rest[:n:n], rest[0], nil
}

func (p *parser) cut() (*Cut, error) {
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

// sum reads the last record: nothing follows it.
func (p *parser) sum(r *Reader, record []byte) (*Cut, error) {
	want, err := ReadSum(record)
	if err != nil {
		return nil, err
	}
	if n := len(p.b) - p.at; n > 0 {
		return nil, damaged("", "%d bytes follow the last record", n)
	}
	return r.Cut(want)
}
