package definition

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Format is a format of definition files.
type Format uint8

// Formats.
const (
	YAML Format = iota + 1
	JSON
	CSV // a table, which can contain only definitions
)

// String returns "YAML", "JSON" or "CSV", and "unknown format" for any other value.
func (f Format) String() string {
	switch f {
	case YAML:
		return "YAML"
	case JSON:
		return "JSON"
	case CSV:
		return "CSV"
	}
	return "unknown format"
}

// ErrWrite is wrapped by all errors of [Write].
var ErrWrite = errors.New("catalog: cannot be written")

// Write returns the text of a file that has the given tree, which must be a result of [Tree]. The
// text contains all fields and values, but no comments. Write reads its output again and compares
// it with the tree, so that no loss goes unnoticed. It does not check the definitions: if Load
// rejects the input, it also rejects the output.
//
// The columns of a table have a fixed order, so the order of the fields of a definition may change.
// To be written as a table, the root must have no fields except "version" and "buffs". The error
// wraps [ErrWrite]. Write is safe for concurrent use.
func Write(root ast.Node, f Format) (string, error) {
	var text, name string
	var err error
	switch f {
	case YAML:
		text, name = yamlText(root), "x.yaml"
	case JSON:
		text, name = jsonText(root), "x.json"
	case CSV:
		name = "x.csv"
		text, err = csvText(root)
	default:
		err = errors.New("unknown format")
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrWrite, err)
	}
	back, err := Tree(name, []byte(text))
	if err != nil {
		return "", fmt.Errorf("%w as %v: %w", ErrWrite, f, err)
	}
	if f == CSV {
		root = onlyBuffs(root)
	}
	if a, b := canon(root), canon(back); a != b {
		return "", fmt.Errorf("%w as %v: it would be read differently, at %s", ErrWrite, f, differsAt(a, b))
	}
	return text, nil
}

// onlyBuffs returns a root with only the field "buffs".
func onlyBuffs(root ast.Node) ast.Node {
	list, _ := Fields(root)
	list = slices.DeleteFunc(slices.Clone(list), func(f *ast.MappingValueNode) bool { return keyOf(f) != "buffs" })
	return ast.Mapping(tokenAt("{", start), true, list...)
}

// keyOf returns the name of a field. A name that is not a text is returned as it is written.
func keyOf(f *ast.MappingValueNode) string {
	if s, ok := Text(f.Key); ok {
		return s
	}
	return f.Key.GetToken().Value
}

// canon returns a text that is the same for equivalent trees. The order of the fields of a map does
// not matter.
func canon(n ast.Node) string {
	if list, ok := Fields(n); ok {
		items := make([]string, len(list))
		for i, f := range list {
			// A key such as 1 must equal the key "1", because JSON has only text keys.
			items[i] = strconv.Quote(keyOf(f)) + ": " + canon(f.Value)
		}
		slices.Sort(items)
		return "{" + strings.Join(items, ", ") + "}"
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		items := make([]string, len(n.Values))
		for i, v := range n.Values {
			items[i] = canon(v)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *ast.IntegerNode, *ast.FloatNode:
		return numberText(n)
	}
	if s, ok := Text(n); ok && !isNumeral(n) {
		return strconv.Quote(s)
	}
	if kindOf(n) == "nothing" {
		return "null"
	}
	return n.GetToken().Value
}

// numberText returns the text of a number, in the form of JSON if possible.
func numberText(n ast.Node) string {
	text := n.GetToken().Value
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	if _, isFloat := n.(*ast.FloatNode); !isFloat || strings.Trim(text, numeral) != "" {
		return text
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !isJSONNumber(text) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return text
}

// isJSONNumber reports whether a numeral starts and ends like a JSON number.
func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, _, _ := strings.Cut(s, ".")
	return whole != "" && whole[0] != '+' && (whole == "0" || whole[0] != '0') && s[len(s)-1] != '.'
}

// isNumeral reports whether a node is a number with an exponent, which the parser treats as
// text.
func isNumeral(n ast.Node) bool {
	s, ok := n.(*ast.StringNode)
	if !ok || s.Token.Type != token.StringType || strings.Trim(s.Value, numeral) != "" ||
		token.New(s.Value, s.Value, nil).Type != token.StringType {
		return false
	}
	_, err := strconv.ParseFloat(s.Value, 64)
	return err == nil && isJSONNumber(s.Value)
}

// differsAt returns a short excerpt of the text a, from just before the first difference from b.
func differsAt(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	begin := max(0, i-30)
	return quote(strings.ToValidUTF8(a[begin:], ""))
}
