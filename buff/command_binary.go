package buff

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/stolen"
	"github.com/bufftick/bufftick/internal/wordlist"
)

// The binary form of a command is a byte for its version, a byte for the verb, a mask of the fields
// that are not zero, and these fields. The mask and counts are unsigned varints, signed numbers are
// zigzag varints, handles and fractions are 8 bytes, little-endian, and texts have a length prefix.
// Definitions, tags, acts, attributes and reasons are written as names, because their numbers are
// valid in one catalog only.
//
// form.fields lists the fields in the order of their bits. A field must never be moved. A new field
// must be added last; an older reader rejects a command that has the new field.

const commandVersion = 1

// MaxCommandBytes is the maximum length of the binary form of a command.
const MaxCommandBytes = 1 << 16

// AppendBinary appends the binary form of the command to dst and returns the extended slice. Names
// are taken from the catalog. AppendBinary fails with [ErrFunc] if the command holds a function,
// and with the errors of [Command.Check]; it then returns dst unchanged. The binary form does not
// contain the captured attributes of the source; the receiver captures them again.
func (c *Command) AppendBinary(dst []byte, catalog *Catalog) ([]byte, error) {
	switch a := &c.Application; {
	case c.Do != nil:
		return dst, ErrFunc
	case a.Origin.Aura || a.Origin.Rest:
		return dst, fmt.Errorf("%w: it is the engine's own", ErrCommand)
	}
	if err := c.Check(catalog); err != nil {
		return dst, err
	}
	f := form{catalog: catalog, mode: measuring}
	f.fields(c)
	f.mode, f.bit = writing, 0
	f.data = append(dst, commandVersion, byte(c.Verb))
	f.data = binary.AppendUvarint(f.data, f.mask)
	f.fields(c)
	if n := len(f.data) - len(dst); n > MaxCommandBytes && f.err == nil {
		f.failf(ErrCommand, "%d bytes, the limit is %d", n, MaxCommandBytes)
	}
	if f.err != nil {
		return dst, f.err
	}
	return f.data, nil
}

// UnmarshalBinary decodes exactly one command, with the names of the catalog. It fails with
// [ErrCommandVersion] if data has a later version, with [ErrName] if the catalog does not have a
// name in data, and with [ErrCommand] if data is not a command that a constructor could make. If
// it fails, the command must not be used. It does not retain data, and allocates at most the
// length of data.
func (c *Command) UnmarshalBinary(data []byte, catalog *Catalog) error {
	*c = Command{}
	switch {
	case len(data) < 2:
		return fmt.Errorf("%w: %d bytes", ErrCommand, len(data))
	case data[0] != commandVersion:
		return fmt.Errorf("%w: %d, and this one reads %d", ErrCommandVersion, data[0], commandVersion)
	case len(data) > MaxCommandBytes:
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrCommand, len(data), MaxCommandBytes)
	}
	f := form{catalog: catalog, mode: reading, data: data[2:]}
	c.Verb = verb.Verb(data[1])
	f.mask = f.count()
	f.fields(c)
	switch {
	case f.err != nil:
		return f.err
	case f.mask>>f.bit != 0:
		return fmt.Errorf("%w: a field that is not known", ErrCommandVersion)
	case len(f.data) > 0:
		return fmt.Errorf("%w: %d bytes behind it", ErrCommand, len(f.data))
	}
	if c.Verb == verb.Compensate { // earlier versions of Command.Check accepted these fields
		c.Query.Grade, c.Query.Stacks = 0, 0
	}
	return c.Check(catalog)
}

// fields reads or writes all fields, in the order of their bits.
func (f *form) fields(c *Command) {
	a, q := &c.Application, &c.Query
	unsigned(f, &c.Owner)
	fixed(f, &c.Handle)
	fixed(f, &c.Timeout)
	unsigned(f, &c.Zone)
	f.spec(&a.Spec)
	unsigned(f, &a.Source)
	signed(f, &a.Stacks)
	signed(f, &a.Level)
	unsigned(f, &a.Key)
	f.span(&a.Duration)
	f.ratio(&a.Scale)
	signed(f, &a.Magnitude)
	f.params(&a.Params)
	signed(f, &c.By)
	signed(f, &c.Amount)
	f.fraction(&c.Value)
	f.ratio(&c.Rate)
	signed(f, &c.Stacks)
	f.text(&c.Name)
	f.tag(&c.Tag)
	f.attr(&c.Attr)
	f.act(&c.Act)
	rule(f, &c.Reason, reasons)
	unsigned(f, &c.Whose)
	f.flag(&c.Purge)

	f.spec(&q.Spec)
	unsigned(f, &q.Source)
	unsigned(f, &q.To)
	signed(f, &q.Most)
	f.text(&q.Type)
	f.text(&q.Compensate)
	f.tag(&q.Tag)
	rule(f, &q.Polarity, polarities)
	rule(f, &q.Grade, grades)
	f.flag(&q.Newest)
	signed(f, &q.Stacks)

	f.taken(c)
	f.share(&a.Origin.Share)
	f.flag(&q.Neutral)
	f.ownOfParts(stolen.Of(a.Origin.Stolen))
	f.flag(&c.Application.Origin.Quiet)
}

// form writes or reads the binary form. One list of fields does both, so that they cannot differ.
type form struct {
	catalog *Catalog
	mode    mode
	mask    uint64
	bit     uint
	data    []byte
	err     error
}

type mode uint8

const (
	measuring mode = iota // sets mask
	writing               // appends to data
	reading               // takes from data
)

func (f *form) failf(of error, format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", of, fmt.Sprintf(format, args...))
	}
	f.data = nil
}

// next reports whether to read or write the next field. When measuring, the parameter "there" says
// whether the command has this field.
func (f *form) next(there bool) bool {
	bit := uint64(1) << f.bit
	f.bit++
	if f.mode == measuring {
		if there {
			f.mask |= bit
		}
		return false
	}
	return f.mask&bit != 0
}

// count reads an unsigned varint.
func (f *form) count() uint64 {
	n, size := binary.Uvarint(f.data)
	if size <= 0 {
		f.failf(ErrCommand, "a number is cut off or too long")
		return 0
	}
	f.data = f.data[size:]
	return n
}

// word reads or writes 8 bytes.
func (f *form) word(v *uint64) {
	if f.mode == writing {
		f.data = binary.LittleEndian.AppendUint64(f.data, *v)
		return
	}
	if len(f.data) < 8 {
		f.failf(ErrCommand, "a number is cut off")
		return
	}
	*v, f.data = binary.LittleEndian.Uint64(f.data), f.data[8:]
}

func unsigned[T ~uint8 | ~uint32 | ~uint64](f *form, v *T) {
	if !f.next(*v != 0) {
		return
	}
	if f.mode == writing {
		f.data = binary.AppendUvarint(f.data, uint64(*v))
		return
	}
	n := f.count()
	if *v = T(n); uint64(*v) != n {
		f.failf(ErrCommand, "the number %d is out of its range", n)
	}
}

func signed[T ~int | ~int64](f *form, v *T) {
	if f.next(*v != 0) {
		n := int64(*v)
		f.signed(&n)
		*v = T(n)
	}
}

func (f *form) signed(v *int64) {
	if f.mode == writing {
		f.data = binary.AppendVarint(f.data, *v)
		return
	}
	n, size := binary.Varint(f.data)
	if size <= 0 {
		f.failf(ErrCommand, "a number is cut off or too long")
		return
	}
	*v, f.data = n, f.data[size:]
}

func fixed[T ~uint64](f *form, v *T) {
	if f.next(*v != 0) {
		n := uint64(*v)
		f.word(&n)
		*v = T(n)
	}
}

// fraction reads or writes a floating-point number. A positive zero is omitted.
func (f *form) fraction(v *float64) {
	if bits := math.Float64bits(*v); f.next(bits != 0) {
		f.word(&bits)
		*v = math.Float64frombits(bits)
	}
}

// ratio reads or writes the numerator and the denominator as one field.
func (f *form) ratio(v *Ratio) {
	if !f.next(*v != Ratio{}) {
		return
	}
	parts := uint64(v.Num)<<32 | uint64(v.Den)
	f.word(&parts)
	*v = Ratio{Num: uint32(parts >> 32), Den: uint32(parts)}
}

func (f *form) span(v *Span) {
	if f.next(v.given) {
		n := int64(v.d)
		f.signed(&n)
		*v = Lasting(time.Duration(n))
	}
}

func (f *form) flag(v *bool) {
	if f.next(*v) {
		*v = true
	}
}

// name reads or writes a text that has no bit in the mask.
func (f *form) name(v *string) {
	if f.mode == writing {
		f.data = append(binary.AppendUvarint(f.data, uint64(len(*v))), *v...)
		return
	}
	n := f.count()
	if n > uint64(len(f.data)) {
		f.failf(ErrCommand, "a text of %d bytes, of which there are %d", n, len(f.data))
		return
	}
	*v, f.data = string(f.data[:n]), f.data[n:]
}

func (f *form) text(v *string) {
	if f.next(*v != "") {
		f.name(v)
	}
}

// params reads or writes Application.Params.
func (f *form) params(v *[]Arg) {
	if f.next(len(*v) > 0) {
		f.args(v)
	}
}

// args reads or writes numbers with their names.
func (f *form) args(v *[]Arg) {
	if f.mode == writing {
		f.data = binary.AppendUvarint(f.data, uint64(len(*v)))
	} else {
		n := f.count()
		if n > uint64(len(f.data)/9) {
			f.failf(ErrCommand, "%d parameters in %d bytes", n, len(f.data))
			return
		}
		*v = make([]Arg, n)
	}
	for i := range *v {
		a := &(*v)[i]
		f.name(&a.Caller)
		bits := math.Float64bits(a.Value)
		f.word(&bits)
		a.Value = math.Float64frombits(bits)
	}
}

// named reads or writes a reference to an entry of the catalog, by name. The parameter "there" says
// whether the command has the reference. The function "to" returns its name. The function "from"
// looks up a name and reports whether the catalog has it.
func (f *form) named(kind string, there bool, to func() string, from func(string) bool) {
	if !f.next(there) {
		return
	}
	var name string
	if f.mode == writing {
		if name = to(); name == "" {
			f.failf(ErrName, "a number of %s", kind)
		}
	}
	if f.name(&name); f.mode == reading && f.err == nil && !from(name) {
		f.failf(ErrName, "%s %.100q", kind, name)
	}
}

func (f *form) spec(v **Spec) {
	f.named("definition", *v != nil, func() string { return (*v).ID }, func(name string) bool {
		*v = f.catalog.Spec(name)
		return *v != nil
	})
}

func (f *form) tag(v *Tag) {
	f.named("tag", *v != 0, func() string { return f.catalog.TagName(*v) }, func(name string) (ok bool) {
		*v, ok = f.catalog.Tag(name)
		return ok
	})
}

func (f *form) act(v *Act) {
	f.named("act", *v != 0, func() string { return f.catalog.ActName(*v) }, func(name string) (ok bool) {
		*v, ok = f.catalog.Act(name)
		return ok
	})
}

func (f *form) attr(v *stat.Attr) {
	f.named("attribute", *v != 0, func() string {
		if s := f.catalog.Attributes(); s != nil && int(*v) <= s.Len() {
			return s.At(*v).Name
		}
		return ""
	}, func(name string) (ok bool) {
		*v, ok = f.catalog.Attr(name)
		return ok
	})
}

// The words of the polarities, grades and reasons.
var polarities, grades, reasons = wordlist.All(define.Negative), wordlist.All(define.GradeUndispellable), wordlist.All(reason.Goexit)

// rule reads or writes a value of an enumeration as its word.
func rule[E ~uint8](f *form, v *E, words []string) {
	if !f.next(*v != 0) {
		return
	}
	name := ""
	if f.mode == writing {
		name = wordlist.Word(words, *v)
	}
	if f.name(&name); f.mode == reading && f.err == nil {
		n := slices.Index(words, name)
		if n < 0 {
			f.failf(ErrCommand, "there is no word %.100q", name)
			return
		}
		*v = E(n)
	}
}
