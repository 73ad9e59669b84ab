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
	f := form{catalog: catalog, writing: true, data: append(dst, commandVersion, byte(c.Verb))}
	f.fields(c)
	var mask [binary.MaxVarintLen64]byte
	if f.err == nil {
		f.data = slices.Insert(f.data, len(dst)+2, mask[:binary.PutUvarint(mask[:], f.mask)]...)
	}
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
	f := form{catalog: catalog, data: data[2:]}
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
	unsigned(f, &c.Area)
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

	f.stolen(c)
	f.share(&a.Origin.Share)
	f.flag(&q.Neutral)
	f.usesOfParts(stolen.Of(a.Origin.Stolen))
	f.flag(&c.Application.Origin.Quiet)
	f.spec(&a.Origin.Bears)
}

// form writes or reads the binary form. One list of fields does both, so that they cannot differ.
type form struct {
	catalog *Catalog
	writing bool
	mask    uint64 // the fields that are present
	bit     uint   // the bit of the next field
	data    []byte // when writing, the fields so far; when reading, the fields that follow
	err     error
}

func (f *form) failf(of error, format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", of, fmt.Sprintf(format, args...))
	}
	f.data = nil
}

// next reports whether the next field is present. When writing, the parameter "there" says whether
// the command has it.
func (f *form) next(there bool) bool {
	bit := uint64(1) << f.bit
	f.bit++
	if f.writing && there {
		f.mask |= bit
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
	if f.writing {
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
	if f.writing {
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
	if f.writing {
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

// number reads or writes a floating-point number that has no bit in the mask.
func (f *form) number(v *float64) {
	bits := math.Float64bits(*v)
	f.word(&bits)
	*v = math.Float64frombits(bits)
}

// fraction reads or writes a floating-point number. A positive zero is omitted.
func (f *form) fraction(v *float64) {
	if f.next(math.Float64bits(*v) != 0) {
		f.number(v)
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
	if f.writing {
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
	length(f, v, 9, "parameters")
	for i := range *v {
		f.name(&(*v)[i].Caller)
		f.number(&(*v)[i].Value)
	}
}

// length reads or writes the length of a list. When reading, it makes the list, unless the data is
// too short for its entries, each of which takes at least `size` bytes.
func length[E any](f *form, list *[]E, size int, what string) {
	if f.writing {
		f.data = binary.AppendUvarint(f.data, uint64(len(*list)))
		return
	}
	n := f.count()
	if n > uint64(len(f.data)/size) {
		f.failf(ErrCommand, "%d %s in %d bytes", n, what, len(f.data))
		n = 0
	}
	*list = make([]E, n)
}

func (f *form) spec(v **Spec) {
	if !f.next(*v != nil) {
		return
	}
	var id string
	if f.writing {
		id = (*v).ID
	}
	if f.name(&id); f.writing || f.err != nil {
		return
	}
	if *v = f.catalog.Spec(id); *v == nil {
		f.failf(ErrName, "definition %.100q", id)
	}
}

func (f *form) tag(v *Tag) { numbered(f, "tag", v, (*Catalog).TagName, (*Catalog).Tag) }
func (f *form) act(v *Act) { numbered(f, "act", v, (*Catalog).ActName, (*Catalog).Act) }

func (f *form) attr(v *stat.Attr) {
	numbered(f, "attribute", v, (*Catalog).attrName, (*Catalog).Attr)
}

// numbered reads or writes the number of a tag, act or attribute as its name.
func numbered[T ~uint8 | ~uint16](f *form, kind string, v *T, nameOf func(*Catalog, T) string, find func(*Catalog, string) (T, bool)) {
	if !f.next(*v != 0) {
		return
	}
	var name string
	if f.writing {
		if name = nameOf(f.catalog, *v); name == "" {
			f.failf(ErrName, "a number of %s", kind)
		}
	}
	if f.name(&name); f.writing || f.err != nil {
		return
	}
	var ok bool
	if *v, ok = find(f.catalog, name); !ok {
		f.failf(ErrName, "%s %.100q", kind, name)
	}
}

// The words of the polarities, grades and reasons.
var polarities, grades, reasons = wordlist.All(define.Negative), wordlist.All(define.GradeUndispellable), wordlist.All(reason.Last)

// rule reads or writes a value of an enumeration as its word.
func rule[E ~uint8](f *form, v *E, words []string) {
	if !f.next(*v != 0) {
		return
	}
	name := ""
	if f.writing {
		name = wordlist.Word(words, *v)
	}
	if f.name(&name); !f.writing && f.err == nil {
		n := slices.Index(words, name)
		if n < 0 {
			f.failf(ErrCommand, "there is no word %.100q", name)
			return
		}
		*v = E(n)
	}
}
