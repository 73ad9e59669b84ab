package definition

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// width is the line length above which a map or list is written on several lines.
const width = 100

// yamlText returns a tree as YAML. Definitions have one line for each field and are separated
// by empty lines.
func yamlText(root ast.Node) string {
	w := &yamlWriter{}
	w.block(root, 0, 1)
	return w.String()
}

type yamlWriter struct{ strings.Builder }

// block writes a node on separate lines, indented by the given number of columns. The parameter
// `open` is the number of outer levels in which each field of a map gets its own line, even if the
// whole map is short.
func (w *yamlWriter) block(n ast.Node, indent, open int) {
	pad := strings.Repeat(" ", indent)
	if list, ok := Fields(n); ok && len(list) > 0 {
		for i, f := range list {
			key := yamlKey(f.Key)
			deeper := open - 1
			if indent == 0 && key == "buffs" {
				deeper = 2
			}
			if i > 0 && open == 2 {
				w.WriteByte('\n')
			}
			w.WriteString(pad + key + ":")
			w.value(f.Value, indent, len(key)+1, deeper)
		}
		return
	}
	if seq, ok := n.(*ast.SequenceNode); ok && len(seq.Values) > 0 {
		for _, v := range seq.Values {
			w.WriteString(pad + "-")
			w.value(v, indent, 1, 0)
		}
		return
	}
	w.WriteString(pad + flowText(n) + "\n")
}

// value writes the value after a key or a dash; the key or dash ends in the given column.
func (w *yamlWriter) value(n ast.Node, indent, column, open int) {
	text := flowText(n)
	list, isMap := Fields(n)
	seq, isList := n.(*ast.SequenceNode)
	long := indent+column+1+utf8.RuneCountInString(text) > width
	if isMap && len(list) > 0 && (open > 0 || long) || isList && len(seq.Values) > 0 && long {
		w.WriteByte('\n')
		w.block(n, indent+2, open)
		return
	}
	w.WriteString(" " + text + "\n")
}

// flowText returns a node on one line, in flow style.
func flowText(n ast.Node) string {
	if list, ok := Fields(n); ok {
		items := make([]string, len(list))
		for i, f := range list {
			items[i] = yamlKey(f.Key) + ": " + flowText(f.Value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		items := make([]string, len(n.Values))
		for i, v := range n.Values {
			items[i] = flowText(v)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	}
	s, ok := Text(n)
	switch {
	case !ok:
		return "null"
	case isNumeral(n) || isPlain(s) && !token.IsNeedQuoted(s):
		return s
	}
	return inJSON(s)
}

// yamlKey returns the name of a field as YAML. It does not quote the name "on", which is a boolean
// in older versions of YAML but not for this parser.
func yamlKey(n ast.Node) string {
	s, ok := Text(n)
	if ok && isPlain(s) && token.New(s, s, nil).Type == token.StringType {
		return s
	}
	if !ok {
		return n.GetToken().Value
	}
	return inJSON(s)
}

// isPlain reports whether a text needs no quotes in YAML, even inside brackets.
func isPlain(s string) bool {
	if s == "" || strings.TrimSpace(s) != s || strings.Trim(s, numeral) == "" {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		case i > 0 && strings.ContainsRune(" .-/+*()<>=!?%&|'", r):
		default:
			return false
		}
	}
	return true
}

// inJSON returns a text in quotes with the escapes of JSON, which are also valid in YAML.
func inJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("catalog: a text that JSON does not have: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// jsonText returns a tree as JSON.
func jsonText(root ast.Node) string {
	var b strings.Builder
	writeJSON(&b, root, 0, 0)
	return b.String() + "\n"
}

// writeJSON writes a node. The first line starts in the given column; later lines are indented by
// the given number of levels.
func writeJSON(b *strings.Builder, n ast.Node, indent, column int) {
	pad := strings.Repeat("  ", indent)
	list, isMap := Fields(n)
	seq, isList := n.(*ast.SequenceNode)
	text := jsonLine(n)
	switch long := column+utf8.RuneCountInString(text) > width || indent == 0; {
	case long && isMap && len(list) > 0:
		b.WriteString("{")
		for i, f := range list {
			if i > 0 {
				b.WriteString(",")
			}
			begin := pad + "  " + inJSON(keyOf(f)) + ": "
			b.WriteString("\n" + begin)
			writeJSON(b, f.Value, indent+1, utf8.RuneCountInString(begin))
		}
		b.WriteString("\n" + pad + "}")
	case long && isList && len(seq.Values) > 0:
		b.WriteString("[")
		for i, v := range seq.Values {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n" + pad + "  ")
			writeJSON(b, v, indent+1, len(pad)+2)
		}
		b.WriteString("\n" + pad + "]")
	default:
		b.WriteString(text)
	}
}

// jsonLine returns a node on one line.
func jsonLine(n ast.Node) string {
	if list, ok := Fields(n); ok {
		items := make([]string, len(list))
		for i, f := range list {
			items[i] = inJSON(keyOf(f)) + ": " + jsonLine(f.Value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		items := make([]string, len(n.Values))
		for i, v := range n.Values {
			items[i] = jsonLine(v)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *ast.IntegerNode, *ast.FloatNode:
		return numberText(n)
	case *ast.BoolNode:
		if n.Value {
			return "true"
		}
		return "false"
	}
	s, ok := Text(n)
	switch {
	case !ok:
		return "null"
	case isNumeral(n):
		return s
	}
	return inJSON(s)
}
