package catalog

import (
	"encoding"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
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

// texts reads a list of texts, which are the IDs of definitions if refs is set.
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

// name reads a text that may not be empty, the ID of a definition if ref is set.
func (d *definition) name(field string, n ast.Node, ref bool, to *string) {
	d.places[field] = place{position: at(n)}
	if kindOf(n) == "nothing" {
		d.fail(field, at(n), "empty: give it a value, or leave it out")
		return
	}
	if d.text(field, n, to); d.places[field].bad {
		return
	}
	if *to == "" {
		d.fail(field, at(n), "empty: want a name")
		return
	}
	if ref {
		d.places[field] = place{position: at(n), ref: *to}
	}
}

// word reads one of the words of a rule.
func (d *definition) word(field string, n ast.Node, to encoding.TextUnmarshaler) {
	s, ok := Text(n)
	if !ok {
		if !isScalar(n) {
			d.fail(field, at(n), "want a word, not %s", kindOf(n))
			return
		}
		s = n.GetToken().Value
	}
	if d.later(field, at(n), s) {
		return
	}
	if err := to.UnmarshalText([]byte(s)); err != nil {
		d.fail(field, at(n), "%s", strings.Replace(err.Error(), fmt.Sprintf("%q", s), quote(s), 1))
	}
}

// only reads a word that is the only one of its kind so far, and the default.
func (d *definition) only(field string, n ast.Node, want string) {
	s, ok := Text(n)
	switch {
	case !ok:
		d.fail(field, at(n), "want a word, not %s", kindOf(n))
	case !d.later(field, at(n), s) && s != want:
		d.fail(field, at(n), "unknown word %s: want %s", quote(s), want)
	}
}

// later refuses a word that is still to come.
func (d *definition) later(field string, p position, word string) bool {
	if !slices.Contains(laterWords[field], word) {
		return false
	}
	d.fail(field, p, "%s is not supported yet", quote(word))
	return true
}

// count reads a whole number from 1. Zero would stand for the default in a Spec, so
// that it has to be refused here.
func (d *definition) count(field string, n ast.Node, to *int) {
	if s, ok := Text(n); ok && d.later(field, at(n), s) {
		return
	}
	v, ok := n.(*ast.IntegerNode)
	if !ok {
		d.fail(field, at(n), "want a whole number, not %s", Describe(n))
		return
	}
	text := v.Token.Value
	i, err := strconv.Atoi(text)
	switch {
	case err == nil && i < 1:
		d.fail(field, at(n), "must be at least 1, not %s", text)
	case err == nil && i > math.MaxInt32 || err != nil && strings.Trim(text, "0123456789") == "":
		d.fail(field, at(n), "%s is too large", brief(text))
	case err != nil || strconv.Itoa(i) != text:
		d.fail(field, at(n), "want a whole number in plain digits, not %s", brief(text))
	default:
		*to = i
	}
}

// duration reads the duration, which says the kind too.
func (d *definition) duration(field string, n ast.Node) {
	s, _ := Text(n)
	near := nearest(s, []string{buff.Instant.String(), buff.Infinite.String()})
	span, why := spanOf(n, "instant, infinite or "+spanForm)
	_, isMap := Fields(n)
	switch {
	case s == buff.Instant.String():
		d.spec.Kind = buff.Instant
	case s == buff.Infinite.String():
		d.spec.Kind = buff.Infinite
	case isMap:
		d.fail(field, at(n), "a duration from a map, such as a curve, is not supported yet")
	case near != "":
		d.fail(field, at(n), "unknown word %s%s", quote(s), didYouMean(near))
	case why != "":
		d.fail(field, at(n), "%s", why)
	default:
		d.spec.Duration = span
	}
}

// period reads the period.
func (d *definition) period(field string, n ast.Node) {
	span, why := spanOf(n, spanForm)
	if why == "" && span == 0 {
		why = "must be above zero: leave it out for a buff that does not pulse"
	}
	if why != "" {
		d.fail(field, at(n), "%s", why)
		return
	}
	d.spec.Period = span
}

// spanOf returns the span that a node says, or why it says none of the form that is
// wanted.
func spanOf(n ast.Node, form string) (time.Duration, string) {
	s, ok := Text(n)
	if v, isInt := n.(*ast.IntegerNode); isInt {
		s, ok = v.Token.Value, true
	}
	if !ok {
		return 0, fmt.Sprintf("want %s, not %s", form, Describe(n))
	}
	if span, err := time.ParseDuration(s); err == nil {
		return span, "" // time takes 0 without a unit, and it is refused as zero
	}
	return 0, badSpan(s, form)
}

const spanForm = "a span such as 12s, 1500ms, 30m or 36h"

// badSpan says what is wrong with a span. Its parts are numbers and units in turn.
func badSpan(s, form string) string {
	const digits = "0123456789."
	if short := strings.ReplaceAll(s, " ", ""); short != s {
		if _, err := time.ParseDuration(short); err == nil {
			return fmt.Sprintf("%s has a space in it: write %s", quote(s), brief(short))
		}
	}
	rest := strings.TrimLeft(s, "+-")
	if rest == "" || strings.Count(s, "+")+strings.Count(s, "-") > 1 {
		return fmt.Sprintf("%s is no span: want %s", quote(s), form)
	}
	for rest != "" {
		unit := strings.TrimLeft(rest, digits)
		number := rest[:len(rest)-len(unit)]
		if strings.Trim(number, ".") == "" || strings.Count(number, ".") > 1 {
			return fmt.Sprintf("%s is no span: want %s", quote(s), form)
		}
		if unit == "" {
			return fmt.Sprintf("%s has no unit: want %s", quote(s), form)
		}
		rest = strings.TrimLeftFunc(unit, func(r rune) bool { return !strings.ContainsRune(digits, r) })
		switch unit = strings.TrimSpace(unit[:len(unit)-len(rest)]); unit {
		case "ns", "us", "µs", "μs", "ms", "s", "m", "h":
		default:
			return fmt.Sprintf("unknown unit %s in %s: want ms, s, m or h", quote(unit), quote(s))
		}
	}
	return fmt.Sprintf("%s is too long", quote(s))
}

// isScalar reports whether n is a single value.
func isScalar(n ast.Node) bool {
	switch kindOf(n) {
	case "text", "a number", "true or false":
		return true
	}
	return false
}
