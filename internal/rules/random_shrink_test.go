package rules_test

import (
	"reflect"
	"slices"
)

// shrink returns a script that still fails but from which no step, no field of a definition and no
// field of a step can be removed.
func shrink(s *Script, seed uint64) *Script {
	fails := func(c *Script) bool {
		if c.build() != nil {
			return false
		}
		_, wrong := compare(c, seed)
		return wrong != ""
	}
	if quiet := s.copy(); true {
		if quiet.quiet = true; fails(quiet) {
			s = quiet
		}
	}
	for smaller := true; smaller; {
		smaller = false
		for n := max(len(s.steps)/2, 1); n > 0; n /= 2 {
			for i := 0; i+n <= len(s.steps); {
				c := s.copy()
				if c.steps = slices.Delete(c.steps, i, i+n); fails(c) {
					s, smaller = c, true
				} else {
					i += n
				}
			}
		}
		for i := range s.defs {
			for _, path := range fieldsOf(reflect.ValueOf(s.defs[i])) {
				c := s.copy()
				if f := reflect.ValueOf(&c.defs[i]).Elem().FieldByIndex(path); !f.IsZero() && path[0] != 0 {
					if f.SetZero(); fails(c) {
						s, smaller = c, true
					}
				}
			}
		}
	}
	_ = s.build()
	return s
}

func (s *Script) copy() *Script {
	c := *s
	c.steps = slices.Clone(s.steps)
	c.defs = slices.Clone(s.defs)
	return &c
}

// fieldsOf returns the paths of all fields of a definition, including fields of nested structs that
// can be removed separately.
func fieldsOf(v reflect.Value) (paths [][]int) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		paths = append(paths, []int{i})
		if whole := []string{"DR", "Slot", "Charges", "Shield"}; f.Type.Kind() == reflect.Struct && !slices.Contains(whole, f.Name) {
			for _, path := range fieldsOf(v.Field(i)) {
				paths = append(paths, append([]int{i}, path...))
			}
		}
	}
	return paths
}
