package definition

import (
	"encoding/json"
	"iter"
	"maps"
	"strings"
	"sync"
)

// shape describes the possible values of a field. Cells are written without the quotes and brackets
// of YAML, so the shape decides how a cell is read, for example as a list.
type shape struct {
	kinds  map[string]bool   // schema types: string, number, array, object …
	fields map[string]*shape // shapes of the fields, for a map with fixed fields
	any    *shape            // shape of each value, for a map with arbitrary names
	items  *shape            // shape of each element, for a list
}

// isText reports whether the field is always text, even if the text looks like a number.
func (s *shape) isText() bool { return s != nil && s.kinds["string"] && len(s.kinds) == 1 }

// isList reports whether the field is always a list, even for a single element.
func (s *shape) isList() bool { return s != nil && s.kinds["array"] && len(s.kinds) == 1 }

// isMap reports whether the field is always a map, so that its fields can have columns.
func (s *shape) isMap() bool { return s != nil && s.kinds["object"] && len(s.kinds) == 1 }

// field returns the shape of the named field of a map, or nil if the shape is unknown.
func (s *shape) field(name string) *shape {
	switch {
	case s == nil:
		return nil
	case s.fields[name] != nil:
		return s.fields[name]
	}
	return s.any
}

// element returns the shape of the list's elements, or nil if the shape is unknown.
func (s *shape) element() *shape {
	if s == nil {
		return nil
	}
	return s.items
}

// names returns the names of the fields.
func (s *shape) names() iter.Seq[string] {
	if s == nil {
		return func(func(string) bool) {}
	}
	return maps.Keys(s.fields)
}

// shapeOf returns the shape of the field with the given path, or nil if the shape is unknown.
func shapeOf(path string) *shape {
	s := definitionShape()
	if path == "" {
		return s
	}
	for word := range strings.SplitSeq(path, ".") {
		s = s.field(word)
	}
	return s
}

// definitionShape returns the shape of a definition. It is derived from the JSON Schema, so that
// tables support every field that YAML files support.
var definitionShape = sync.OnceValue(func() *shape {
	var root struct {
		Definitions map[string]schemaNode `json:"definitions"`
	}
	if err := json.Unmarshal([]byte(schema), &root); err != nil {
		panic("catalog: the schema is no JSON: " + err.Error())
	}
	r := shapes{root.Definitions, map[string]*shape{}}
	return r.of(root.Definitions["buff"])
})

// schemaNode is the part of a schema node that determines a shape.
type schemaNode struct {
	Ref        string                `json:"$ref"`
	Type       any                   `json:"type"` // a string or a list
	Properties map[string]schemaNode `json:"properties"`
	Additional json.RawMessage       `json:"additionalProperties"`
	Items      *schemaNode           `json:"items"`
	AnyOf      []schemaNode          `json:"anyOf"`
}

// shapes converts the nodes of one schema to shapes.
type shapes struct {
	definitions map[string]schemaNode
	known       map[string]*shape // shapes of the schema's named definitions
}

func (r shapes) of(n schemaNode) *shape {
	s := &shape{kinds: map[string]bool{}, fields: map[string]*shape{}}
	r.add(s, n)
	return s
}

// add extends a shape with the values that n allows.
func (r shapes) add(to *shape, n schemaNode) {
	if name := strings.TrimPrefix(n.Ref, "#/definitions/"); n.Ref != "" {
		if r.known[name] == nil {
			r.known[name] = to // before the recursion, because the definition may refer to itself
			r.add(to, r.definitions[name])
			return
		}
		to.merge(r.known[name])
		return
	}
	switch t := n.Type.(type) {
	case string:
		to.kinds[t] = true
	case []any:
		for _, t := range t {
			to.kinds[t.(string)] = true
		}
	}
	for name, p := range n.Properties {
		to.fields[name] = r.of(p)
	}
	var each schemaNode
	if json.Unmarshal(n.Additional, &each) == nil { // n.Additional may also be the value false
		to.any = r.of(each)
	}
	if n.Items != nil {
		to.items = r.of(*n.Items)
	}
	for _, a := range n.AnyOf { // oneOf only restricts which properties are required
		r.add(to, a)
	}
}

// merge extends s with the values that the other shape allows.
func (s *shape) merge(o *shape) {
	for k := range o.kinds {
		s.kinds[k] = true
	}
	for name, f := range o.fields {
		s.fields[name] = f
	}
	if o.any != nil {
		s.any = o.any
	}
	if o.items != nil {
		s.items = o.items
	}
}
