package definition

import (
	"encoding"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// text reads a text.
func (d *definition) text(field string, n ast.Node, to *string) {
	s, ok := Text(n)
	if !ok {
		hint := ""
		if isScalar(n) {
			hint = ": put it in quotes"
		}
		d.fail(field, at(n), "want text, not %s%s", kindOf(n), hint)
		return
	}
	*to = s
}

// texts reads a list of texts. If `refs` is set, the texts are IDs of definitions.
func (d *definition) texts(field string, n ast.Node, refs bool, to *[]string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(field, at(n), "want a list, not %s: write [a, b]", kindOf(n))
		return
	}
	for i, v := range list.Values {
		var s string
		d.name(element(field, i), v, refs, &s)
		*to = append(*to, s)
	}
}

// name reads a text that must not be empty. If `ref` is set, the text is the ID of a definition.
func (d *definition) name(field string, n ast.Node, ref bool, to *string) {
	d.places.set(field, place{position: at(n)})
	if kindOf(n) == "nothing" {
		d.fail(field, at(n), "empty: give it a value, or leave it out")
		return
	}
	if d.text(field, n, to); d.isBad(field) {
		return
	}
	if *to == "" {
		d.fail(field, at(n), "empty: want a name")
		return
	}
	if ref {
		d.places.set(field, place{position: at(n), ref: *to})
	}
}

// word reads one of the words of an enumeration.
func (d *definition) word(field string, n ast.Node, to encoding.TextUnmarshaler) {
	s, ok := Text(n)
	if !ok {
		if !isScalar(n) {
			d.fail(field, at(n), "want a word, not %s", kindOf(n))
			return
		}
		s = n.GetToken().Value
	}
	if d.isPlannedWord(field, at(n), s) || d.isFormerWord(field, at(n), s) {
		return
	}
	if err := to.UnmarshalText([]byte(s)); err != nil {
		d.fail(field, at(n), "%s", strings.Replace(err.Error(), fmt.Sprintf("%q", s), quote(s), 1))
	}
}

// oneOf reads one of the given words, and reports whether it succeeded.
func (d *definition) oneOf(field string, n ast.Node, words ...string) bool {
	s, ok := Text(n)
	switch {
	case !ok:
		d.fail(field, at(n), "want a word, not %s", kindOf(n))
	case !slices.Contains(words, s):
		d.fail(field, at(n), "unknown word %s: want %s%s", quote(s), orList(words), didYouMean(misspelt.Near(s, words)))
	default:
		return true
	}
	return false
}

// fate reads the fate of a buff: "remove", "keep", or the given fate `more`, which only some fields
// allow.
func (d *definition) fate(field string, n ast.Node, more define.Fate, to *define.Fate) {
	words := slices.Compact([]string{define.FateRemove.String(), define.FateKeep.String(), more.String()})
	if d.oneOf(field, n, words...) {
		d.word(field, n, to)
	}
}

// truth reads true or false.
func (d *definition) truth(field string, n ast.Node, to *bool) {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		d.fail(field, at(n), "want true or false, not %s", Describe(n))
		return
	}
	*to = b.Value
}

// list reads a list.
func (d *definition) list(field string, n ast.Node, of string, read func(field string, n ast.Node)) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(field, at(n), "want a list of %s, not %s", of, kindOf(n))
		return
	}
	for i, v := range list.Values {
		d.places.set(element(field, i), place{position: at(v)})
		read(element(field, i), v)
	}
}

// isPlannedWord reports whether a word is not supported yet. If so, it adds an error.
func (d *definition) isPlannedWord(field string, p position, word string) bool {
	if !slices.Contains(plannedWords[field], word) {
		return false
	}
	d.fail(field, p, "%s is not supported yet", quote(word))
	return true
}

// isScalar reports whether n is a single value, and not a map or a list.
func isScalar(n ast.Node) bool {
	switch kindOf(n) {
	case "text", "a number", "true or false":
		return true
	}
	return false
}
