package definition

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Edits of the fields of maps. Each returns false if the text is written in a way that it cannot
// change; the user then changes it, guided by the error of Load.

// fieldOf returns the field of a map with a name, or nil.
func fieldOf(n ast.Node, name string) *ast.MappingValueNode {
	list, _ := Fields(n)
	for _, f := range list {
		if keyOf(f) == name {
			return f
		}
	}
	return nil
}

func (f *fixer) edit(from, to int, with string) { f.edits = append(f.edits, edit{from, to, with}) }

// remove removes a field from a map that has other fields.
func (f *fixer) remove(m ast.Node, field *ast.MappingValueNode) bool {
	list, _ := Fields(m)
	i := slices.Index(list, field)
	from := f.offset(at(field.Key))
	to, ok := f.end(field.Value)
	if !ok || i < 0 || len(list) < 2 {
		return false
	}
	switch {
	case isFlow(m) && i+1 < len(list):
		to = f.offset(at(list[i+1].Key))
	case isFlow(m):
		from, ok = f.end(list[i-1].Value)
	default:
		from, to = f.lineOf(from), f.nextLine(to)
	}
	f.edit(from, to, f.comments(f.text[from:to], at(field.Key).column, isFlow(m)))
	return ok
}

// comments returns the comments of a text that is removed, one a line, for the column of the text.
func (f *fixer) comments(removed string, column int, inBrackets bool) string {
	pad, kept := strings.Repeat(" ", column-1), ""
	for line := range strings.Lines(removed) {
		if _, comment, found := strings.Cut(" "+line, " #"); found {
			kept += pad + "#" + strings.TrimRight(comment, "\r\n") + f.lineEnd()
		}
	}
	if inBrackets && kept != "" {
		kept = f.lineEnd() + kept + pad
	}
	return kept
}

// insert adds a field to a map, after another field.
func (f *fixer) insert(m ast.Node, after *ast.MappingValueNode, key, value string) bool {
	to, ok := f.end(after.Value)
	if isFlow(m) {
		f.edit(to, to, ", "+f.fieldLike(after, key, value))
		return ok
	}
	f.line(f.nextLine(to), at(after.Key).column, f.fieldLike(after, key, value))
	return ok
}

// hook adds actions at the start of a list of "on". If there is no "on", it adds one after the given
// field.
func (f *fixer) hook(def ast.Node, after *ast.MappingValueNode, name string, actions []string) bool {
	on := fieldOf(def, "on")
	all := "[" + strings.Join(actions, ", ") + "]"
	if on == nil {
		return f.insert(def, after, "on", "{"+inJSON(name)+": "+all+"}")
	}
	list, isMap := Fields(on.Value)
	if !isMap {
		return false
	}
	hook := fieldOf(on.Value, name)
	if hook == nil {
		switch {
		case len(list) == 0:
			p := f.offset(at(on.Value)) + 1
			f.edit(p, p, f.fieldLike(on, name, all))
		case isFlow(on.Value):
			p := f.offset(at(list[0].Key))
			f.edit(p, p, f.fieldLike(on, name, all)+", ")
		default:
			f.line(f.nextLine(f.offset(at(on.Key))), at(list[0].Key).column, f.fieldLike(on, name, all))
		}
		return true
	}
	old, isList := hook.Value.(*ast.SequenceNode)
	if !isList {
		return false
	}
	for _, a := range actions {
		text := f.valueLike(hook, a)
		switch p := f.offset(at(old)) + 1; {
		case len(old.Values) == 0:
			return false
		case old.IsFlowStyle:
			f.edit(p, p, text+", ")
		default:
			f.line(f.nextLine(f.offset(at(hook.Key))), at(old).column, "- "+text)
		}
	}
	return true
}

// line inserts a line at an offset where a line starts.
func (f *fixer) line(offset, column int, text string) {
	end := f.lineEnd()
	text = strings.Repeat(" ", column-1) + text
	if offset == len(f.text) && !strings.HasSuffix(f.text, "\n") {
		f.edit(offset, offset, end+text)
		return
	}
	f.edit(offset, offset, text+end)
}

func (f *fixer) lineEnd() string {
	if strings.Contains(f.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// fieldLike returns a field with a value that is given as JSON, in the style of another field.
func (f *fixer) fieldLike(like *ast.MappingValueNode, key, value string) string {
	if like.Key.GetToken().Type == token.DoubleQuoteType {
		key = inJSON(key)
	}
	return key + ": " + f.valueLike(like, value)
}

// valueLike returns a value that is given as JSON, in the style of a field.
func (f *fixer) valueLike(like *ast.MappingValueNode, value string) string {
	if like.Key.GetToken().Type == token.DoubleQuoteType {
		return value
	}
	n, _ := parse(value)
	return flowText(n)
}

// isFlow reports whether a map is written in brackets.
func isFlow(n ast.Node) bool {
	m, ok := n.(*ast.MappingNode)
	return ok && m.IsFlowStyle
}

// end returns the offset after a value.
func (f *fixer) end(n ast.Node) (int, bool) {
	switch n := n.(type) {
	case *ast.MappingValueNode:
		return f.end(n.Value)
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return f.offset(where(n.End)) + 1, true
		}
		return f.end(n.Values[len(n.Values)-1])
	case *ast.SequenceNode:
		if n.IsFlowStyle {
			return f.offset(where(n.End)) + 1, true
		}
		return f.end(n.Values[len(n.Values)-1])
	case *ast.LiteralNode, *ast.NullNode:
		return 0, false
	}
	p := f.offset(at(n))
	rest, value := f.text[p:], n.GetToken().Value
	if rest != "" && strings.Contains(`"'`, rest[:1]) {
		return p + quoted(rest), true
	}
	return p + len(value), strings.HasPrefix(rest, value)
}

// lineOf returns the offset of the start of the line with an offset.
func (f *fixer) lineOf(offset int) int {
	i, found := slices.BinarySearch(f.starts, offset)
	if !found {
		i--
	}
	return f.starts[i]
}

// nextLine returns the offset of the next line, or the length of the text.
func (f *fixer) nextLine(offset int) int {
	i, found := slices.BinarySearch(f.starts, offset)
	if found {
		i++
	}
	if i == len(f.starts) {
		return len(f.text)
	}
	return f.starts[i]
}
