package stat

import (
	"fmt"
	"iter"
)

// MaxAttributes is the greatest number of attributes of a [Schema].
const MaxAttributes = 1024

// Schema is a checked set of attributes. It never changes, so that any goroutine may read
// it, and one Schema serves all the owners of a game.
type Schema struct {
	attrs  []attribute // by Attr; that of 0 is none
	byName map[string]Attr
}

// Attr names an attribute of a [Schema]: its place in it, from 1. The zero Attr names none.
type Attr uint16

// Attribute defines one number that every owner has.
type Attribute struct {
	// Name is one word, and no two attributes have the same. Required.
	Name string

	// Base is what a new owner has. It lies within Min and Max.
	Base float64

	// Min and Max limit the value, and the base where it is added to (damage, healing). The
	// zero Limit is none. Attributes may limit each other in chains, but not in a ring.
	Min, Max Limit

	// Aggregate says which modifiers count where several are added together. N, from 1
	// to MaxModifiers, goes with Strongest alone.
	Aggregate Aggregate
	N         int
}

// Limit is a constant, the value of another attribute, or, as the zero Limit, none.
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

// By returns the limit that is the value of the attribute with that name, as it is at the
// time: at most max_health, however many buffs lie on it.
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

// attribute is an Attribute with its limits looked up.
type attribute struct {
	Attribute

	lo, hi     float64 // where the limit is an attribute, what can never be passed anyway
	loBy, hiBy Attr    // or 0
}

// NewSchema checks the attributes and returns a Schema of copies of them, in their order.
// If anything is wrong it returns all that is wrong as [SchemaErrors], and no Schema.
func NewSchema(attributes ...Attribute) (*Schema, error) {
	s := &Schema{
		attrs:  make([]attribute, 1, len(attributes)+1),
		byName: make(map[string]Attr, len(attributes)),
	}
	k := checker{schema: s}
	if len(attributes) > MaxAttributes {
		// Not looked at: a message for each of too many helps nobody.
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

// Attr returns the attribute with that name, 0 if there is none, and reports whether there is one.
func (s *Schema) Attr(name string) (Attr, bool) {
	a, ok := s.byName[name]
	return a, ok
}

// At returns the definition of attribute a. It panics if there is none.
func (s *Schema) At(a Attr) Attribute {
	s.must(a)
	return s.attrs[a].Attribute
}

// Limits returns the limits of attribute a with their names looked up: loBy and hiBy are the attributes that
// limit it, or 0 where the limit is a constant, in lo or hi. No limit is [MaxValue] or its negative. It panics
// if there is no such attribute.
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
