package engine

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff"
)

// coder writes values into bytes or reads them from there; which of the two, the same code
// does both, so that they cannot differ. A struct is a mask of the fields that are not
// zero, and those fields.
type coder struct {
	specs map[string]*buff.Spec // for reading: of all catalogs so far, the newest of each ID
	mode  mode
	mask  uint64
	bit   uint
	data  []byte
	err   error
}

type mode uint8

const (
	measuring mode = iota // sets mask
	writing               // appends to data
	reading               // takes from data
)

// maxBytes bounds a string, a list and a blob of a recording.
const maxBytes = 1 << 26

func (c *coder) failf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrRecording, fmt.Sprintf(format, args...))
	}
	c.data = nil
}

// number codes one number without a mask.
func number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, v *T) {
	if c.mode == writing {
		c.data = binary.AppendVarint(c.data, int64(*v))
		return
	}
	n, size := binary.Varint(c.data)
	if *v = T(n); size <= 0 || int64(*v) != n {
		c.failf("a number is cut off or out of its range")
		return
	}
	c.data = c.data[size:]
}

// bytes codes a string or a blob without a mask.
func bytes[T ~string | ~[]byte](c *coder, v *T) {
	n := len(*v)
	number(c, &n)
	if c.mode == writing {
		c.data = append(c.data, *v...)
		return
	}
	if n < 0 || n > min(maxBytes, len(c.data)) {
		c.failf("%d bytes, of %d", n, len(c.data))
		return
	}
	*v = T(append([]byte(nil), c.data[:n]...))
	c.data = c.data[n:]
}

// next reports whether the field that comes is there; there says so for one that is
// measured.
func (c *coder) next(there bool) bool {
	bit := uint64(1) << c.bit
	c.bit++
	if c.mode == measuring {
		if there {
			c.mask |= bit
		}
		return false
	}
	return c.mask&bit != 0
}

// field codes one field of a struct.
func field[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, v *T) {
	if c.next(*v != 0) {
		number(c, v)
	}
}

// real codes one field that is a fraction; one of the bits of 0 counts as not there.
func real(c *coder, v *float64) {
	bits := math.Float64bits(*v)
	if c.next(bits != 0) {
		number(c, &bits)
		*v = math.Float64frombits(bits)
	}
}

// command codes a command, without what the engine finds out of the source's attributes: it
// does so again. Do is the game's own: reading leaves calls where it was, for
// whoever knows what to put there.
func (c *coder) command(v *buff.Command, calls *bool) {
	if c.mode == reading {
		c.mask = 0
		number(c, &c.mask)
		c.bit = 0
		c.fields(v, calls)
		return
	}
	c.mode, c.mask, c.bit = measuring, 0, 0
	c.fields(v, calls)
	c.mode, c.bit = writing, 0
	number(c, &c.mask)
	c.fields(v, calls)
}

func (c *coder) fields(v *buff.Command, calls *bool) {
	field(c, &v.Verb)
	c.application(&v.Application)
	field(c, &v.Handle)
	field(c, &v.Timeout)
	field(c, &v.By)
	field(c, &v.Amount)
	real(c, &v.Value)
	field(c, &v.Rate.Num)
	field(c, &v.Rate.Den)
	if c.next(v.Name != "") {
		bytes(c, &v.Name)
	}
	if c.next(v.Do != nil) {
		*calls = true
	}
	field(c, &v.Stacks)
	field(c, &v.Handler)
	field(c, &v.Tag)
	field(c, &v.Attr)
	field(c, &v.Act)
	field(c, &v.Reason)
	field(c, &v.Whose)
	if c.next(v.Purge) {
		v.Purge = true
	}
	has := c.next(v.Query != nil)
	if c.mode == reading && has {
		v.Query = &buff.Query{}
	}
	if c.mode == measuring && v.Query != nil || has {
		c.query(v.Query)
	}
}

func (c *coder) application(a *buff.Application) {
	c.spec(&a.Spec)
	field(c, &a.Source)
	field(c, &a.Stacks)
	field(c, &a.Level)
	field(c, &a.Key)
	d, given := a.Duration.Given()
	if c.next(given) {
		number(c, &d)
		a.Duration = buff.For(d)
	}
	field(c, &a.Scale.Num)
	field(c, &a.Scale.Den)
	field(c, &a.Magnitude)
	if c.next(len(a.Params) > 0) {
		n := len(a.Params)
		number(c, &n)
		if c.mode == reading {
			if n < 0 || n > len(c.data) {
				c.failf("%d parameters", n)
				return
			}
			a.Params = make([]buff.Arg, n)
		}
		for i := range a.Params {
			bytes(c, &a.Params[i].Caller)
			bits := math.Float64bits(a.Params[i].Value)
			number(c, &bits)
			a.Params[i].Value = math.Float64frombits(bits)
		}
	}
}

func (c *coder) query(q *buff.Query) {
	c.spec(&q.Spec)
	field(c, &q.Tag)
	if c.next(q.Type != "") {
		bytes(c, &q.Type)
	}
	field(c, &q.Polarity)
	field(c, &q.Source)
	field(c, &q.Grade)
	field(c, &q.Most)
	if c.next(q.Newest) {
		q.Newest = true
	}
	field(c, &q.To)
	if c.next(q.Compensate != "") {
		bytes(c, &q.Compensate)
	}
}

// know makes the definitions of a catalog known to spec. Those that it has no more stay
// known: what carries one may still be meant by it.
func (c *coder) know(catalog *buff.Catalog) {
	if c.specs == nil {
		c.specs = make(map[string]*buff.Spec, catalog.Len())
	}
	for s := range catalog.All() {
		c.specs[s.ID] = s
	}
}

// spec codes a definition by its ID.
func (c *coder) spec(s **buff.Spec) {
	if !c.next(*s != nil) {
		return
	}
	id := ""
	if *s != nil {
		id = (*s).ID
	}
	bytes(c, &id)
	if c.mode == reading {
		if *s = c.specs[id]; *s == nil {
			c.failf("no catalog so far has the definition %q", id)
		}
	}
}
