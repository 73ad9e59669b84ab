package definition

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
)

// definition holds the state while one definition of a file is read, and the positions of its
// fields. The other sections of a file, such as "attributes", are also read with this type; spec
// then has no ID.
type definition struct {
	loader *loader
	src    *source
	at     position // position of the ID
	spec   *buff.Spec
	places shortMap[place] // by field, as in buff.SpecError; the key "" means the whole definition

	isTemplate bool
	base       string   // ID of the definition or template that this one extends, or ""
	baseAt     position // position of that ID
	broken     bool     // the base is unknown
}

// place is the position of a field. Because there are many places, the struct's fields are in an
// order that saves 8 bytes per place.
type place struct {
	position
	ref   string // ID of the definition to which the value refers
	bad   bool   // an error was reported; errors that follow from it are suppressed
	attrs bool   // the value names attributes
}

// definitions reads a map from IDs to definitions. p is the position of the map.
func (l *loader) definitions(s *source, p position, node ast.Node) {
	fields, ok := Fields(node)
	if !ok {
		l.add(s, p, "", "buffs", "want a map from IDs to definitions, not %s", kindOf(node))
		l.blind = true
		return
	}
	for _, f := range fields {
		if !l.hasRoom(s, f) {
			return
		}
		l.definition(s, f, false)
	}
}

// hasRoom counts a definition or template. It reports an error if there are too many.
func (l *loader) hasRoom(s *source, f *ast.MappingValueNode) bool {
	if l.count < MaxDefinitions {
		l.count++
		return true
	}
	if !l.full {
		l.add(s, at(f.Key), "", "", "more than %d definitions in one catalog", MaxDefinitions)
	}
	l.full, l.blind = true, true
	return false
}

// definition reads one definition or template.
func (l *loader) definition(s *source, f *ast.MappingValueNode, isTemplate bool) {
	p := at(f.Key)
	id, ok := Text(f.Key)
	switch {
	case !ok:
		id = f.Key.GetToken().Value
		l.add(s, p, "", "", "an ID must be text, not %s: put it in quotes", kindOf(f.Key))
	case id == "":
		l.add(s, p, "", "", "the ID is empty")
	}
	list, _ := Fields(f.Value)
	d := &definition{loader: l, src: s, at: p, isTemplate: isTemplate, spec: &buff.Spec{ID: id}}
	// The capacity is an estimate, because some fields are maps of fields.
	d.places.list = make([]keyed[place], 0, 2*len(list)+1)
	d.places.set("", place{position: p})
	if first := l.defined(id); first != nil {
		l.add(s, p, id, "", "defined twice: it is already at %s:%d:%d", first.src.name, first.at.line, first.at.column)
	} else if id != "" && isTemplate {
		l.templates[id] = d
	} else if id != "" {
		l.byID[id] = d
		l.defs = append(l.defs, d)
	}
	if !d.extends(f.Value) {
		d.read(valueAt(f), f.Value)
	}
}

// isBad reports whether an error was reported for the given field itself. Errors in fields that
// contain the given field do not count.
func (d *definition) isBad(field string) bool {
	p, _ := d.places.get(field)
	return p.bad
}

// fail reports an error in a field. It also marks the field as bad, which suppresses errors that
// follow from this one.
func (d *definition) fail(field string, p position, format string, args ...any) {
	d.complain(field, p, format, args...)
	d.places.set(field, place{position: p, bad: true})
}

// complain is like fail, but does not mark the field as bad.
func (d *definition) complain(field string, p position, format string, args ...any) {
	d.loader.add(d.src, p, d.spec.ID, field, format, args...)
}

// fields reads the fields of a map.
func (d *definition) fields(path string, p position, n ast.Node, t table) {
	list, ok := Fields(n)
	if !ok {
		what := "a map of fields"
		if t.of == "action" {
			what = "an action such as {call: handler}"
		}
		d.fail(path, p, "want %s, not %s", what, kindOf(n))
		return
	}
	seen := repeats{list: list}
	strange := false
	for i, f := range list {
		name, isText := Text(f.Key)
		read := t.read[name]
		first, again := seen.before(i, name)
		switch p := at(f.Key); {
		case isText && again:
			d.complain(path, p, "the field %s is repeated: it is already in line %d", quote(name), first.line)
			continue
		case !isText || read == nil:
			d.unknown(path, p, f, t)
			strange = true
			continue
		}
		field := join(path, name)
		d.places.set(field, place{position: valueAt(f)})
		if kindOf(f.Value) == "nothing" {
			d.empty(field, valueAt(f))
			continue
		}
		read(d, field, f.Value)
	}
	for _, name := range t.needs {
		field := join(path, name)
		if _, ok := d.places.get(field); ok {
			continue
		}
		if !strange { // otherwise, an unknown field may be a misspelling of this required field
			d.complain(field, p, "missing")
		}
		d.places.set(field, place{position: p, bad: true})
	}
}

// empty reports a field without a value.
func (d *definition) empty(field string, p position) {
	if field == "duration" {
		d.fail(field, p, "empty: want instant, infinite or %s", spanForm)
		return
	}
	d.fail(field, p, "empty: give it a value, or leave it out")
}

// unknown reports a field that is not in the table.
func (d *definition) unknown(path string, p position, f *ast.MappingValueNode, t table) {
	name, ok := Text(f.Key)
	if ok && t.isPlanned(name) {
		d.complain(path, p, "field %s is not supported yet", quote(name))
		return
	}
	if former, is := formerFields[join(t.of, name)]; ok && is {
		d.complain(path, p, "%s is now %s: bufftick validate -fix rewrites files", quote(name), former.now)
		return
	}
	noun := "field"
	if t.of == "on.remove" {
		noun = "reason"
	}
	near, hint := t.instead(name)
	d.complain(path, p, "unknown %s %s%s", noun, Describe(f.Key), hint)
	if _, ok := d.places.get(join(path, near)); near != "" && !ok {
		d.places.set(join(path, near), place{position: p, bad: true})
	}
}

// join returns the path of the field with the given name within the field at the given path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// element returns the path of element i of the list at the given path.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// parent returns the path of the field that contains the given field, or "".
func parent(field string) string {
	return field[:max(strings.LastIndexAny(field, ".["), 0)]
}

// valueAt returns the position of the value of f, or the position of its key if f has no value.
func valueAt(f *ast.MappingValueNode) position {
	if n, ok := f.Value.(*ast.NullNode); ok || f.Value == nil {
		if !ok || n.Token == nil || n.Token.Type.String() == "ImplicitNull" {
			return at(f.Key)
		}
	}
	return at(f.Value)
}
