package stat

import (
	"fmt"
	"iter"
)

// MaxAttributes is the maximum number of attributes of a [Schema].
const MaxAttributes = 1024

// Schema is a checked set of attributes, shared by all owners of a game. It is immutable and safe
// for concurrent use.
type Schema struct {
	attrs  []attribute // indexed by Attr; element 0 is unused
	byName map[string]Attr
}

// Attr identifies an attribute of a [Schema] by its position, from 1. The zero Attr identifies no
// attribute.
type Attr uint16

// Attribute defines one number that every owner has.
type Attribute struct {
	// Name is required. It is a single word, unique in the schema.
	Name string

	// Base is the base of a new owner. It must be within Min and Max.
	Base float64

	// Min and Max limit the value, and also the base when something is added to it (damage,
	// healing). The zero Limit means no limit. An attribute may limit a second attribute, which
	// limits a third, but attributes must not limit themselves in this way.
	Min, Max Limit

	// Aggregate selects the modifiers that count in the steps that add several modifiers. N, from 1
	// to MaxModifiers, is used only with Strongest.
	Aggregate Aggregate
	N         int
}

// Limit is a constant or the value of another attribute. The zero Limit means no limit.
type Limit struct {
	name  string
	value float64
	kind  limitKind
}

type limitKind uint8

const (
	unlimited limitKind = iota
	constant
	byAttribute
)

// At returns the constant limit v.
func At(v float64) Limit { return Limit{value: v, kind: constant} }

// By returns a limit that is the current value of the named attribute, such as max_health. The
// value includes the modifiers of that attribute.
func By(name string) Limit { return Limit{name: name, kind: byAttribute} }

// String returns the number, the name, or "none".
func (l Limit) String() string {
	switch l.kind {
	case constant:
		return fmt.Sprint(l.value)
	case byAttribute:
		return l.name
	}
	return "none"
}

// attribute is an Attribute with resolved limits.
type attribute struct {
	Attribute

	lo, hi     float64 // ±MaxValue if the limit is an attribute
	loBy, hiBy Attr    // 0 if the limit is not an attribute
}

// NewSchema checks the attributes and returns a Schema with copies of them, in the given order.
// If any are invalid, it returns all errors as [SchemaErrors] and a nil Schema.
func NewSchema(attributes ...Attribute) (*Schema, error) {
	s := &Schema{
		attrs:  make([]attribute, 1, len(attributes)+1),
		byName: make(map[string]Attr, len(attributes)),
	}
	k := checker{schema: s}
	if len(attributes) > MaxAttributes {
		// Do not check the attributes: an error for each of them would be useless.
		k.failf(MaxAttributes+1, "", "there are %d attributes, at most %d are possible", len(attributes), MaxAttributes)
		return nil, k.errs
	}
	for i, a := range attributes {
		s.attrs = append(s.attrs, attribute{Attribute: a, lo: -MaxValue, hi: MaxValue})
		k.name(Attr(i + 1))
	}
	for i := range attributes {
		k.attribute(Attr(i + 1))
	}
	k.rings()
	if len(k.errs) > 0 {
		return nil, k.errs
	}
	return s, nil
}

// Len returns the number of attributes.
func (s *Schema) Len() int { return len(s.attrs) - 1 }

// Attr returns the attribute with the given name, and reports whether it exists.
func (s *Schema) Attr(name string) (Attr, bool) {
	a, ok := s.byName[name]
	return a, ok
}

// At returns the definition of attribute a. It panics if a does not exist.
func (s *Schema) At(a Attr) Attribute {
	s.must(a)
	return s.attrs[a].Attribute
}

// Limits returns the limits of attribute a. If a limit is an attribute, `loBy` or `hiBy` is that
// attribute. Otherwise `loBy` or `hiBy` is 0, and the limit is the constant `lo` or `hi`, which is
// -[MaxValue] or [MaxValue] if there is no limit. Limits panics if a does not exist.
func (s *Schema) Limits(a Attr) (lo, hi float64, loBy, hiBy Attr) {
	s.must(a)
	d := &s.attrs[a]
	return d.lo, d.hi, d.loBy, d.hiBy
}

// All returns the attributes in their order.
func (s *Schema) All() iter.Seq2[Attr, Attribute] {
	return func(yield func(Attr, Attribute) bool) {
		for i := range s.attrs[1:] {
			if a := Attr(i + 1); !yield(a, s.attrs[a].Attribute) {
				return
			}
		}
	}
}

func (s *Schema) must(a Attr) {
	if a == 0 || int(a) >= len(s.attrs) {
		panic(fmt.Sprintf("stat: there is no attribute %d in a schema of %d", a, s.Len()))
	}
}
