package definition

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

var stackFields = table{"stack", nil, map[string]readFunc{
	"by":            func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.By) },
	"limit":         (*definition).limit,
	"initial":       func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Stack.Initial) },
	"timers":        func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Timers) },
	"effective":     func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Stack.Effective) },
	"refresh":       func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Refresh) },
	"refresh_share": func(d *definition, f string, n ast.Node) { d.shareAboveZero(f, n, &d.spec.Stack.RefreshPct) },
	"refresh_cap":   func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Stack.RefreshCap) },
	"phase":         func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Phase) },
	"overflow":      func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Overflow) },
	"expire":        (*definition).expire,
	"decay":         func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Stack.Decay) },
	"thresholds":    (*definition).thresholds,
	"level":         func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Level) },
}}

// limit reads the stack limit.
func (d *definition) limit(field string, n ast.Node) {
	switch s, isText := Text(n); {
	case isText && s == "unlimited":
		d.spec.Stack.Limit = define.MaxStacks
	case isText:
		d.fail(field, at(n), "want a whole number or unlimited, not %s", quote(s))
	default:
		d.count(field, n, &d.spec.Stack.Limit)
	}
}

// expire reads how many stacks are removed when the buff expires. The value is a word or a number.
func (d *definition) expire(field string, n ast.Node) {
	const want = "want all, one, half or a number of stacks"
	st := &d.spec.Stack
	s, isText := Text(n)
	_, isInt := n.(*ast.IntegerNode)
	switch {
	case isInt:
		st.Expire = define.ExpireCount
		d.count(field, n, &st.ExpireN)
	case !isText:
		d.fail(field, at(n), want+", not %s", Describe(n))
	case d.isPlannedWord(field, at(n), s):
	case st.Expire.UnmarshalText([]byte(s)) != nil || st.Expire == define.ExpireCount:
		d.fail(field, at(n), "unknown word %s: "+want+"%s", quote(s), didYouMean(misspelt.Near(s, []string{"all", "one", "half"})))
	}
}

// thresholds reads the list of thresholds.
func (d *definition) thresholds(field string, n ast.Node) {
	d.list(field, n, "thresholds, such as [{at: 5, apply: stun}]", func(field string, n ast.Node) {
		t, before := define.Threshold{}, d.loader.failed
		d.fields(field, at(n), n, table{"threshold", []string{"at"}, map[string]readFunc{
			"at":      func(d *definition, f string, n ast.Node) { d.count(f, n, &t.At) },
			"apply":   func(d *definition, f string, n ast.Node) { d.name(f, n, true, &t.Apply) },
			"consume": func(d *definition, f string, n ast.Node) { d.consume(f, n, &t.Consume) },
		}})
		d.spec.Stack.Thresholds = append(d.spec.Stack.Thresholds, t)
		if d.loader.failed > before {
			d.places.set(field, place{position: at(n), bad: true})
		}
	})
}

// consume reads the number of stacks that a threshold removes.
func (d *definition) consume(field string, n ast.Node, to *int) {
	s, _ := Text(n)
	b, isBool := n.(*ast.BoolNode)
	_, isInt := n.(*ast.IntegerNode)
	switch {
	case s == "all", isBool && b.Value:
		*to = define.ConsumeAll
	case isInt:
		d.count(field, n, to)
	default:
		d.fail(field, at(n), "want all, true or a number of stacks, not %s", Describe(n))
	}
}
