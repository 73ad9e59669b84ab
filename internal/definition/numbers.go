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

// share reads a share of 1, such as 0.25, as a number of parts: 100 for percent, 1000 for per mille.
func (d *definition) share(field string, n ast.Node, parts int, to *int) {
	text, isText := Text(n)
	if number, ok := strings.CutSuffix(strings.TrimSpace(text), "%"); isText && ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && f >= 0 && f <= 100 {
			d.fail(field, at(n), "want a share from 0 to 1: for %s write %v", brief(text), f/100)
			return
		}
	}
	f, why := realOf(n)
	scaled := f * float64(parts)
	_, isInt := n.(*ast.IntegerNode)
	switch {
	case why != "":
		d.fail(field, at(n), "want a share from 0 to 1, such as 0.25, not %s", Describe(n))
	case isInt && f > 1 && f <= float64(parts):
		d.fail(field, at(n), "want a share from 0 to 1: for %s of %d write %v; bufftick validate -fix rewrites files", Describe(n), parts, f/float64(parts))
	case f < 0 || f > 1:
		d.fail(field, at(n), "must be from 0 to 1, not %s", Describe(n))
	case math.Abs(scaled-math.Round(scaled)) > 1e-9:
		d.fail(field, at(n), "has more than %d decimals: %s", len(strconv.Itoa(parts))-1, Describe(n))
	default:
		*to = int(math.Round(scaled))
	}
}

// shareAboveZero reads a share in percent. Zero is an error, because a Spec uses 0 for the default.
func (d *definition) shareAboveZero(field string, n ast.Node, to *int) {
	if d.share(field, n, 100, to); !d.isBad(field) && *to == 0 {
		d.fail(field, at(n), "must be above zero")
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
