package recording

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// Fingerprint returns a hash of a catalog: its attributes, and all exported fields of its
// definitions except fields meant only for people. The probability that different catalogs have the
// same Fingerprint is 2^-64.
func Fingerprint(c *buff.Catalog) uint64 {
	d := NewDigest()
	for s := range c.All() {
		d.value(reflect.ValueOf(*s))
	}
	if schema := c.Attributes(); schema != nil {
		for _, a := range schema.All() {
			d.Text(fmt.Sprint(a))
		}
	}
	return uint64(d)
}

func (d *Digest) value(v reflect.Value) {
	d.Add(uint64(v.Kind()))
	switch {
	case v.CanInt():
		d.Add(uint64(v.Int()))
	case v.CanUint():
		d.Add(v.Uint())
	case v.CanFloat():
		d.Add(math.Float64bits(v.Float()))
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			d.Add(1)
		}
	case v.Kind() == reflect.String:
		d.Text(v.String())
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		d.Add(uint64(v.Len()))
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			visible := f.IsExported() || f.Anonymous && v.Field(i).CanInterface()
			// Only the Name and Note of a Spec are texts for people. In other types, an ID or name
			// is a reference, for example to the buff of an action or to a group.
			if read := v.Type() == reflect.TypeFor[buff.Spec]() && (f.Name == "Name" || f.Name == "Note"); visible && !read {
				d.Text(f.Name)
				d.value(v.Field(i))
			}
		}
	case v.Kind() == reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) })
		for _, key := range keys {
			d.value(key)
			d.value(v.MapIndex(key))
		}
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Interface:
		switch {
		case v.IsNil():
		case v.Type() == reflect.TypeFor[*define.Curve]():
			d.value(reflect.ValueOf(v.Interface().(*define.Curve).Points()))
		case v.Type() == reflect.TypeFor[define.Formula]():
			d.Text(v.Interface().(define.Formula).String())
		default:
			d.value(v.Elem())
		}
	}
}
