package definition

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// count reads an integer of at least 1. Zero is an error, because a Spec uses 0 for the default.
func (d *definition) count(field string, n ast.Node, to *int) {
	if i, ok := d.whole(field, n, 1, math.MaxInt32); ok {
		*to = int(i)
	}
}

// integer reads an integer, which may be negative.
func (d *definition) integer(field string, n ast.Node, to *int) {
	if i, ok := d.whole(field, n, math.MinInt32, math.MaxInt32); ok {
		*to = int(i)
	}
}

// isFraction checks whether a number that must be in percent or per mille is written as a fraction
// of 1 or with a percent sign. If so, it adds an error with the correct form and returns true.
func (d *definition) isFraction(field string, n ast.Node, of int, unit string) bool {
	text, isText := Text(n)
	if _, isFloat := n.(*ast.FloatNode); isFloat {
		text = n.GetToken().Value
	} else if !isText {
		return false
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err != nil || isText && !percent || share < 0 || share > 1 {
		return false
	}
	d.fail(field, at(n), "want %s: for %s write %d, and %d for all of it", unit, brief(text), int(math.Round(share*float64(of))), of)
	return true
}

// perMille reads a chance.
func (d *definition) perMille(field string, n ast.Node, to *int) {
	if d.isFraction(field, n, 1000, "per mille") {
		return
	}
	if _, ok := n.(*ast.IntegerNode); !ok {
		d.fail(field, at(n), "want a chance in per mille, from 0 to 1000, not %s", Describe(n))
		return
	}
	if i, ok := d.whole(field, n, 0, 1000); ok {
		*to = int(i)
	}
}

// whole reads an integer from `least` to `most`, and reports whether it succeeded. If the value has
// no meaningful upper bound, `most` is the maximum of an integer type.
func (d *definition) whole(field string, n ast.Node, least, most int64) (int64, bool) {
	v, ok := n.(*ast.IntegerNode)
	if !ok {
		d.fail(field, at(n), "want a whole number, not %s", Describe(n))
		return 0, false
	}
	text := v.Token.Value
	i, err := strconv.ParseInt(text, 10, 64)
	known := most < math.MaxInt32
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || err == nil && strconv.FormatInt(i, 10) != text:
		d.fail(field, at(n), "want a whole number in plain digits, not %s", brief(text))
	case known && (i < least || i > most):
		d.fail(field, at(n), "must be from %d to %d, not %s", least, most, brief(text))
	case i < least:
		d.fail(field, at(n), "must be at least %d, not %s", least, brief(text))
	case i > most || err != nil:
		d.fail(field, at(n), "%s is too large", brief(text))
	default:
		return i, true
	}
	return 0, false
}

// real reads a number.
func (d *definition) real(field string, n ast.Node, to *float64) {
	f, why := realOf(n)
	if why != "" {
		d.fail(field, at(n), "%s", why)
		return
	}
	*to = f
}

// realOf returns the number in a node, or the reason why the node is not a number. It accepts
// numbers with an exponent but without a point, such as 1e3, because JSON allows them, although the
// parser treats them as text.
func realOf(n ast.Node) (float64, string) {
	text, isNumber := "", false
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		text, isNumber = n.GetToken().Value, true
	case *ast.StringNode:
		text = n.Value
		isNumber = n.Token.Type == token.StringType && strings.ContainsAny(text, "eE") && strings.Trim(text, numeral) == ""
	case *ast.InfinityNode, *ast.NanNode:
		return 0, "must be finite, not " + Describe(n)
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case !isNumber:
		return 0, "want a number, not " + Describe(n)
	case strings.Trim(text, numeral) != "" || errors.Is(err, strconv.ErrSyntax):
		return 0, fmt.Sprintf("want a number such as 12, -0.5 or 1e6, not %s", brief(text))
	case err != nil:
		return 0, brief(text) + " is too large"
	}
	return f, ""
}

// numeral is the set of characters that a number may contain. ParseFloat alone would also accept
// other characters.
const numeral = "0123456789+-.eE"
