package stat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// ErrSchema is matched by every error of [NewSchema].
var ErrSchema = errors.New("stat: bad schema")

// SchemaError is one error in one attribute.
type SchemaError struct {
	Index int // position among the arguments of NewSchema, from 0
	// Name of the attribute or, if it has no name, its position, such as "#3"; "" for the whole
	// schema
	Name  string
	Field string // name of the field in a file, such as "base"; "" for the whole attribute
	Text  string // the error and how to correct it
}

// Error returns one line.
func (e *SchemaError) Error() string {
	switch {
	case e.Name == "":
		return "schema: " + e.Text
	case e.Field == "":
		return fmt.Sprintf("attribute %q: %s", e.Name, e.Text)
	}
	return fmt.Sprintf("attribute %q: %s: %s", e.Name, e.Field, e.Text)
}

// SchemaErrors is the list of all errors of a schema.
type SchemaErrors []*SchemaError

// Error returns one line for each error.
func (es SchemaErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is [ErrSchema].
func (es SchemaErrors) Is(target error) bool { return target == ErrSchema }

// checker compiles attributes and collects all errors.
type checker struct {
	schema *Schema
	errs   SchemaErrors
}

func (k *checker) failf(i Attr, field, format string, args ...any) {
	name := ""
	if int(i) < len(k.schema.attrs) {
		name = k.schema.attrs[i].Name
		if name == "" {
			name = fmt.Sprintf("#%d", i)
		}
	}
	k.errs = append(k.errs, &SchemaError{Index: int(i) - 1, Name: name, Field: field, Text: fmt.Sprintf(format, args...)})
}

// name registers the attribute under its name.
func (k *checker) name(i Attr) {
	name := k.schema.attrs[i].Name
	first, twice := k.schema.byName[name]
	switch {
	case name == "":
		k.failf(i, "name", "missing")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		// The name is one word of a log line.
		k.failf(i, "name", "must not have spaces or control characters")
	case twice:
		k.failf(i, "name", "defined twice: it is also attribute %d", first)
	default:
		k.schema.byName[name] = i
	}
}

func (k *checker) attribute(i Attr) {
	a := &k.schema.attrs[i]
	a.Base = unsigned(a.Base)
	based := k.number(i, "base", a.Base)
	k.limit(i, "min", a.Min, &a.lo, &a.loBy)
	k.limit(i, "max", a.Max, &a.hi, &a.hiBy)
	switch lo, lower := k.atFirst(a.lo, a.loBy); {
	case a.lo > a.hi:
		k.failf(i, "min", "%v is above the max of %v", a.Min, a.Max)
	case based && lower && a.Base < lo:
		k.failf(i, "base", "%v is below the min, %s", a.Base, k.told(a.Min, lo))
	}
	if hi, upper := k.atFirst(a.hi, a.hiBy); based && upper && a.lo <= a.hi && a.Base > hi {
		k.failf(i, "base", "%v is above the max, %s", a.Base, k.told(a.Max, hi))
	}
	switch {
	case a.Aggregate > Strongest:
		k.failf(i, "aggregate", "%v is not one of the rules", a.Aggregate)
	case a.Aggregate == Strongest && (a.N < 1 || a.N > MaxModifiers):
		k.failf(i, "n", "must be from 1 to %d, not %d", MaxModifiers, a.N)
	case a.Aggregate != Strongest && a.N != 0:
		k.failf(i, "n", "is for strongest, not %v", a.Aggregate)
	}
}

// number reports whether v is a valid attribute value, and records an error if not.
func (k *checker) number(i Attr, field string, v float64) bool {
	reason := badNumber(v)
	if reason != "" {
		k.failf(i, field, "%s", reason)
	}
	return reason == ""
}

func (k *checker) limit(i Attr, field string, l Limit, to *float64, by *Attr) {
	switch l.kind {
	case constant:
		if k.number(i, field, l.value) {
			*to = unsigned(l.value)
		}
	case byAttribute:
		other, ok := k.schema.byName[l.name]
		if !ok {
			k.failf(i, field, "no attribute %q", l.name)
			return
		}
		*by = other
	}
}

// atFirst returns the value of a limit for a new owner. It reports false if the limit is an
// attribute with an invalid base; another error reports that base.
func (k *checker) atFirst(v float64, by Attr) (float64, bool) {
	if by == 0 {
		return v, true
	}
	base := k.schema.attrs[by].Base
	return base, badNumber(base) == ""
}

// told returns a description of a limit for the text of an error.
func (k *checker) told(l Limit, v float64) string {
	if l.kind == byAttribute {
		return fmt.Sprintf("%s, which is %v", l.name, v)
	}
	return fmt.Sprint(v)
}

// rings finds attributes that limit themselves through other attributes, and reports each such
// ring once, because the values in a ring would be undefined.
func (k *checker) rings() {
	const (
		fresh = iota
		onPath
		done
	)
	attrs := k.schema.attrs
	state := make([]uint8, len(attrs))
	var path []Attr
	var walk func(a Attr)
	walk = func(a Attr) {
		if a == 0 || state[a] == done {
			return
		}
		if state[a] == onPath {
			ring := path[slices.Index(path, a):]
			names := make([]string, 0, len(ring)+1)
			for _, r := range ring {
				names = append(names, attrs[r].Name)
			}
			k.failf(a, "", "limits itself: %s", strings.Join(append(names, attrs[a].Name), " by "))
			return
		}
		state[a] = onPath
		path = append(path, a)
		walk(attrs[a].loBy)
		if attrs[a].hiBy != attrs[a].loBy { // if both limits close the same ring, report it only once
			walk(attrs[a].hiBy)
		}
		path = path[:len(path)-1]
		state[a] = done
	}
	for i := range attrs {
		walk(Attr(i))
	}
}
