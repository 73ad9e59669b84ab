package engine

import (
	"math"
	"reflect"

	"github.com/bufftick/bufftick/buff"
)

// fingerprint returns a number for what a catalog says: all exported fields of all its
// definitions. Catalogs that differ have the same with a chance of 1 in 2^64.
func fingerprint(c *buff.Catalog) uint64 {
	d := newDigest()
	for s := range c.All() {
		d.value(reflect.ValueOf(*s))
	}
	return uint64(d)
}

func (d *digest) value(v reflect.Value) {
	d.add(uint64(v.Kind()))
	switch {
	case v.CanInt():
		d.add(uint64(v.Int()))
	case v.CanUint():
		d.add(v.Uint())
	case v.CanFloat():
		d.add(math.Float64bits(v.Float()))
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			d.add(1)
		}
	case v.Kind() == reflect.String:
		d.text(v.String())
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		d.add(uint64(v.Len()))
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Name" && f.Name != "Note" || f.Anonymous && v.Field(i).CanInterface() {
				d.text(f.Name)
				d.value(v.Field(i))
			}
		}
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Interface:
		if !v.IsNil() {
			d.value(v.Elem())
		}
	}
}
