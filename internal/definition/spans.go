package definition

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// duration reads the duration, which also determines the kind of the buff.
func (d *definition) duration(field string, n ast.Node) {
	s, _ := Text(n)
	near := misspelt.Near(s, []string{define.Instant.String(), define.Infinite.String()})
	span, why := spanOf(n, "instant, infinite or "+spanForm)
	_, isMap := Fields(n)
	switch {
	case s == define.Instant.String():
		d.spec.Kind = define.Instant
	case s == define.Infinite.String():
		d.spec.Kind = define.Infinite
	case isMap:
		d.spanByCurve(field, n, &d.spec.DurationBy)
	case near != "":
		d.fail(field, at(n), "unknown word %s%s", quote(s), didYouMean(near))
	case why != "":
		d.fail(field, at(n), "%s", why)
	default:
		d.spec.Duration = span
	}
}

// period reads the time between two pulses.
func (d *definition) period(field string, n ast.Node) {
	fields, isMap := Fields(n)
	if !isMap {
		d.span(field, n, &d.spec.Period)
		return
	}
	if len(fields) == 1 {
		if name, _ := Text(fields[0].Key); name == "curve" {
			d.spanByCurve(field, n, &d.spec.PeriodBy)
			return
		}
	}
	d.spec.PeriodFrom = &define.Number{}
	d.numberIn(field, n, d.spec.PeriodFrom, periodFields, "")
}

// durationScale reads the factor of the duration.
func (d *definition) durationScale(field string, n ast.Node) {
	d.spec.DurationScale = &define.Number{}
	d.magnitude(field, n, d.spec.DurationScale)
}

// span reads an optional span. Zero is an error, because a Spec uses 0 for no span.
func (d *definition) span(field string, n ast.Node, to *time.Duration) {
	span, why := spanOf(n, spanForm)
	if why == "" && span == 0 {
		why = "must be above zero"
		if hint := withoutSpan[field]; hint != "" {
			why += ": leave it out for " + hint
		}
	}
	if why != "" {
		d.fail(field, at(n), "%s", why)
		return
	}
	*to = span
}

// withoutSpan says, for each field, what it means to omit the span.
var withoutSpan = map[string]string{
	"period":            "a buff that does not pulse",
	"min_duration":      "no bound",
	"max_duration":      "no bound",
	"stack.refresh_cap": "no cap",
	"charges.recharge":  "charges that do not come back",
	"stack.decay":       "a full duration",
}

// spanOf returns the span in a node, or the reason why the node is not a span. The parameter form
// describes the expected form.
func spanOf(n ast.Node, form string) (time.Duration, string) {
	s, ok := Text(n)
	if v, isInt := n.(*ast.IntegerNode); isInt {
		s, ok = v.Token.Value, true
	}
	if !ok {
		return 0, fmt.Sprintf("want %s, not %s", form, Describe(n))
	}
	if span, err := time.ParseDuration(s); err == nil {
		return span, "" // package time accepts 0 without a unit, which the caller rejects
	}
	return 0, badSpan(s, form)
}

const spanForm = "a span such as 12s, 1500ms, 30m or 36h"

// badSpan describes the error in a span. A span consists of alternating numbers and units.
func badSpan(s, form string) string {
	const digits = "0123456789."
	if short := strings.ReplaceAll(s, " ", ""); short != s {
		if _, err := time.ParseDuration(short); err == nil {
			return fmt.Sprintf("%s has a space in it: write %s", quote(s), brief(short))
		}
	}
	rest := strings.TrimLeft(s, "+-")
	if rest == "" || strings.Count(s, "+")+strings.Count(s, "-") > 1 {
		return fmt.Sprintf("%s is not a span: want %s", quote(s), form)
	}
	for rest != "" {
		unit := strings.TrimLeft(rest, digits)
		number := rest[:len(rest)-len(unit)]
		if strings.Trim(number, ".") == "" || strings.Count(number, ".") > 1 {
			return fmt.Sprintf("%s is not a span: want %s", quote(s), form)
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
