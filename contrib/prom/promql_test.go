package prom

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// This file is a small checker for the part of PromQL that the dashboard and the rules use. It
// reports everything else as an error. It determines the type and labels of each expression and
// so detects a rate of a gauge, a counter without a rate, a quantile without buckets, and a label
// that the metric does not have.

// kind is the type of an expression.
type kind string

const (
	scalar kind = "a scalar"
	vector kind = "a vector"
	matrix kind = "a range"
)

// meaning is the information that the checker has about an expression.
type meaning struct {
	kind   kind
	labels []string // of its series
	raw    string   // name of the counter or histogram if no rate or increase was applied to it
	bucket bool     // whether the series are buckets of a histogram
}

var token = regexp.MustCompile(`^(?:\s+|#.*)|^([a-zA-Z_:][a-zA-Z0-9_:]*)|^(\d+(?:\.\d+)?)([smhd]?)|^("(?:[^"\\]|\\.)*")|^(=~|!~|!=|==|>=|<=|[-+*/(){}\[\],=<>])`)

// reader parses and checks one query.
type reader struct {
	have map[string]*dto.MetricFamily
	toks []string
	at   int
}

// check returns the first error of a query, or nil.
func check(q string, have map[string]*dto.MetricFamily) (err error) {
	defer func() {
		if x := recover(); x != nil {
			wrong, ok := x.(mistake)
			if !ok {
				panic(x)
			}
			err = fmt.Errorf("%s", wrong)
		}
	}()
	r := &reader{have: have}
	for rest := q; rest != ""; {
		m := token.FindString(rest)
		if m == "" {
			fail("what is %q?", rest)
		}
		if strings.TrimSpace(m) != "" {
			r.toks = append(r.toks, m)
		}
		rest = rest[len(m):]
	}
	v := r.expression(0)
	if r.peek() != "" {
		fail("%s is not expected", r.peek())
	}
	if v.kind != vector {
		fail("the query is %s", v.kind)
	}
	if v.raw != "" {
		fail("%s only grows: a rate or an increase is wanted", v.raw)
	}
	return nil
}

type mistake string

func fail(format string, args ...any) { panic(mistake(fmt.Sprintf(format, args...))) }

func (r *reader) peek() string {
	if r.at < len(r.toks) {
		return r.toks[r.at]
	}
	return ""
}

func (r *reader) next() string {
	t := r.peek()
	if t == "" {
		fail("the query ends too early")
	}
	r.at++
	return t
}

func (r *reader) want(t string) {
	if got := r.next(); got != t {
		fail("%s where %s is wanted", got, t)
	}
}

// operators maps each operator to its precedence.
var operators = map[string]int{"or": 1, "and": 2, "unless": 2, "==": 3, "!=": 3, ">": 3, "<": 3, ">=": 3, "<=": 3, "+": 4, "-": 4, "*": 5, "/": 5}

func (r *reader) expression(above int) meaning {
	left := r.operand()
	for {
		op := r.peek()
		rank := operators[op]
		if rank <= above {
			return left
		}
		r.next()
		on := []string(nil)
		if r.peek() == "on" {
			r.next()
			on = r.names()
		}
		left = both(op, on, left, r.expression(rank))
	}
}

// both checks a binary operation and returns the meaning of its result.
func both(op string, on []string, a, b meaning) meaning {
	for _, v := range []meaning{a, b} {
		if v.kind == matrix {
			fail("%s of a range", op)
		}
		if v.raw != "" {
			fail("%s only grows: a rate or an increase is wanted", v.raw)
		}
		if v.kind == vector {
			for _, l := range on {
				if !slices.Contains(v.labels, l) {
					fail("%s is no label of both sides", l)
				}
			}
		}
	}
	switch {
	case a.kind == scalar && b.kind == scalar:
		return a
	case a.kind == scalar:
		return meaning{kind: vector, labels: b.labels}
	case b.kind == scalar:
		return meaning{kind: vector, labels: a.labels}
	case on == nil && op != "or" && !same(a.labels, b.labels):
		fail("the sides of %s have the labels %v and %v: nothing would match", op, a.labels, b.labels)
	}
	return meaning{kind: vector, labels: a.labels}
}

func same(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func (r *reader) operand() meaning {
	t := r.next()
	switch {
	case t == "(":
		v := r.expression(0)
		r.want(")")
		return v
	case t[0] >= '0' && t[0] <= '9':
		if strings.Trim(t, "0123456789.") != "" {
			fail("%s is a time where a number is wanted", t)
		}
		return meaning{kind: scalar}
	case r.peek() == "(" || r.peek() == "by":
		return r.call(t)
	}
	return r.selector(t)
}

// call parses and checks a function call or an aggregation.
func (r *reader) call(name string) meaning {
	var by []string
	if r.peek() == "by" {
		r.next()
		by = r.names()
		if by == nil {
			by = []string{}
		}
	}
	r.want("(")
	args := []meaning{r.expression(0)}
	for r.peek() == "," {
		r.next()
		args = append(args, r.expression(0))
	}
	r.want(")")
	kinds := map[string][]kind{
		"sum": {vector}, "min": {vector}, "max": {vector}, "topk": {scalar, vector},
		"rate": {matrix}, "increase": {matrix}, "last_over_time": {matrix}, "absent": {vector}, "histogram_quantile": {scalar, vector},
	}[name]
	if kinds == nil {
		fail("%s is no function that this reader knows", name)
	}
	if len(args) != len(kinds) {
		fail("%s takes %d arguments", name, len(kinds))
	}
	for i, k := range kinds {
		if args[i].kind != k {
			fail("%s takes %s, not %s", name, k, args[i].kind)
		}
	}
	return apply(name, by, args[len(args)-1])
}

func apply(name string, by []string, of meaning) meaning {
	switch name {
	case "rate", "increase":
		if of.raw == "" {
			fail("%s of a gauge", name)
		}
		return meaning{kind: vector, labels: of.labels, bucket: of.bucket}
	case "last_over_time":
		if of.raw != "" {
			fail("%s only grows: a rate or an increase is wanted", of.raw)
		}
		return meaning{kind: vector, labels: of.labels}
	case "absent":
		return meaning{kind: vector}
	case "histogram_quantile":
		if !of.bucket || !slices.Contains(of.labels, "le") {
			fail("histogram_quantile without buckets by le")
		}
		return meaning{kind: vector, labels: slices.DeleteFunc(slices.Clone(of.labels), func(l string) bool { return l == "le" })}
	}
	if of.raw != "" {
		fail("%s only grows: a rate or an increase is wanted", of.raw)
	}
	for _, l := range by {
		if !slices.Contains(of.labels, l) {
			fail("%s is no label of its metrics", l)
		}
	}
	if name == "topk" {
		by = of.labels
	}
	return meaning{kind: vector, labels: by, bucket: of.bucket}
}

// names parses a list of labels in parentheses.
func (r *reader) names() (out []string) {
	r.want("(")
	for r.peek() != ")" {
		if len(out) > 0 {
			r.want(",")
		}
		out = append(out, r.next())
	}
	r.want(")")
	return out
}

// selector parses a metric with optional label conditions and an optional range.
func (r *reader) selector(name string) meaning {
	v := r.metric(name)
	if r.peek() == "{" {
		r.next()
		for r.peek() != "}" {
			label := r.next()
			if !slices.Contains(v.labels, label) {
				fail("%s is no label of its metrics", label)
			}
			if op := r.next(); !slices.Contains([]string{"=", "!=", "=~", "!~"}, op) {
				fail("%s where a condition is wanted", op)
			}
			if text := r.next(); text[0] != '"' {
				fail("%s where a text is wanted", text)
			}
			if r.peek() == "," {
				r.next()
			}
		}
		r.want("}")
	}
	if r.peek() == "[" {
		r.next()
		if t := r.next(); !regexp.MustCompile(`^\d+[smhd]$`).MatchString(t) {
			fail("%s where a time is wanted", t)
		}
		r.want("]")
		v.kind = matrix
	}
	return v
}

func (r *reader) metric(name string) meaning {
	base, part := name, ""
	for _, p := range []string{"_bucket", "_sum", "_count"} {
		if cut, ok := strings.CutSuffix(name, p); ok && r.have[cut].GetType() == dto.MetricType_HISTOGRAM {
			base, part = cut, p
		}
	}
	f := r.have[base]
	if f == nil {
		fail("%s is no metric", name)
	}
	v := meaning{kind: vector, labels: []string{"instance", "job"}, bucket: part == "_bucket"}
	for _, l := range f.GetMetric()[0].GetLabel() {
		v.labels = append(v.labels, l.GetName())
	}
	switch f.GetType() {
	case dto.MetricType_HISTOGRAM:
		if part == "" {
			fail("%s is a histogram: which part of it?", name)
		}
		if v.bucket {
			v.labels = append(v.labels, "le")
		}
		v.raw = name
	case dto.MetricType_COUNTER:
		v.raw = name
	}
	return v
}
