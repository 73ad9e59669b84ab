package definition

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// sections are the top-level fields of a file, in the order of the documentation.
var sections = map[string]func(w *definition, f *ast.MappingValueNode){
	"$schema":    func(*definition, *ast.MappingValueNode) {}, // for editors
	"version":    (*definition).version,
	"attributes": (*definition).attributes,
	"curves":     (*definition).curves,
	"tags":       func(w *definition, f *ast.MappingValueNode) { w.declares("tags", f) },
	"groups":     func(w *definition, f *ast.MappingValueNode) { w.declares("groups", f) },
	"handlers":   func(w *definition, f *ast.MappingValueNode) { w.declares("handlers", f) },
	"acts":       func(w *definition, f *ast.MappingValueNode) { w.declares("acts", f) },
	"icons":      func(w *definition, f *ast.MappingValueNode) { w.declares("icons", f) },
	"slots":      (*definition).slots,
	"dr":         (*definition).returns,
	"dead":       (*definition).dead,
	"templates":  (*definition).templates,
	"buffs":      func(w *definition, f *ast.MappingValueNode) { w.loader.definitions(w.src, valueAt(f), f.Value) },
}

// root reads a whole file.
func (l *loader) root(s *source, root ast.Node) {
	fields, ok := Fields(root)
	if !ok {
		l.add(s, at(root), "", "", `want a map with "buffs:", not %s`, kindOf(root))
		l.blind = true
		return
	}
	if !l.sections(s, fields) {
		l.add(s, at(root), "", "", `the field "buffs" with the definitions is missing`)
		l.blind = true
	}
}

// sections reads the top-level fields of a file, and reports whether any of them has content.
func (l *loader) sections(s *source, fields []*ast.MappingValueNode) bool {
	w := &definition{loader: l, src: s, at: start, spec: &buff.Spec{}}
	seen := map[string]position{}
	for _, f := range fields {
		p := at(f.Key)
		name, _ := Text(f.Key)
		read := sections[name]
		first, again := seen[name]
		switch {
		case read == nil:
			l.add(s, p, "", "", "unknown field %s%s", Describe(f.Key), didYouMean(misspelt.Near(name, slices.Sorted(maps.Keys(sections)))))
		case again:
			l.add(s, p, "", name, "repeated: it is already in line %d", first.line)
		default:
			read(w, f)
			seen[name] = p
		}
	}
	delete(seen, "$schema")
	delete(seen, "version")
	return len(seen) > 0
}

// version reads the version of the format.
func (w *definition) version(f *ast.MappingValueNode) {
	if v, ok := f.Value.(*ast.IntegerNode); !ok || v.Token.Value != "1" {
		w.complain("version", valueAt(f), "only version 1 is supported, not %s", Describe(f.Value))
	}
}

// dead reads the default rule for dead owners.
func (w *definition) dead(f *ast.MappingValueNode) {
	l, was := w.loader, w.loader.dead
	w.word("dead", f.Value, &l.dead)
	if was != define.DeadDefault && l.dead != was {
		w.complain("dead", valueAt(f), "another file sets it to %v", was)
	}
}

// entries reads a map from names to values and calls read for each valid name. If the section is
// not a map, it suppresses errors that follow from that.
func (w *definition) entries(section, of string, f *ast.MappingValueNode, read func(name, field string, f *ast.MappingValueNode)) {
	list, ok := Fields(f.Value)
	if !ok {
		w.complain(section, valueAt(f), "want a map from names to %s, not %s", of, kindOf(f.Value))
		w.loader.blind = true
		return
	}
	seen := map[string]position{}
	for _, f := range list {
		name, isText := Text(f.Key)
		p := at(f.Key)
		first, again := seen[name]
		switch {
		case !isText:
			w.complain(section, p, "a name must be text, not %s: put it in quotes", Describe(f.Key))
		case name == "":
			w.complain(section, p, "the name is empty")
		case again:
			w.complain(section, p, "%s is repeated: it is already in line %d", quote(name), first.line)
		default:
			seen[name] = p
			field := join(section, name)
			w.places.set(field, place{position: valueAt(f)})
			read(name, field, f)
		}
	}
}

// afterwards schedules a function to be called when all files have been read.
func (d *definition) afterwards(do func(l *loader)) { d.loader.later = append(d.loader.later, do) }

// failRef reports an error in a field that refers to a name, after all files have been read. Errors
// in the field that contains this field are suppressed, because they may follow from this error.
func (d *definition) failRef(field string, p position, format string, args ...any) {
	d.fail(field, p, format, args...)
	d.spoil(field)
}

// spoil marks as bad the field that contains the given field.
func (d *definition) spoil(field string) {
	up := parent(field)
	d.places.set(up, place{position: d.place(up).position, bad: true})
}
