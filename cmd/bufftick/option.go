package main

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/stat"
)

// options reads each key that may stand beside a verb, but for "at", "to" and "by".
var options = map[string]func(*scenario, *step, ast.Node){
	"owner":  func(s *scenario, st *step, n ast.Node) { st.owner, _ = s.nameOf("owner", n) },
	"source": func(s *scenario, st *step, n ast.Node) { st.source, _ = s.nameOf("source", n) },
	"stacks": func(s *scenario, st *step, n ast.Node) { st.app.Stacks = s.stacksOf(st.verb, n) },
	"magnitude": func(s *scenario, st *step, n ast.Node) {
		st.app.Magnitude, _ = s.intOf("magnitude", n, math.MinInt64, math.MaxInt64)
	},
	"duration": func(s *scenario, st *step, n ast.Node) { st.app.Duration = buff.Lasting(s.spanOf("duration", n)) },
	"level": func(s *scenario, st *step, n ast.Node) {
		level, _ := s.intOf("level", n, math.MinInt32, math.MaxInt32) // the engine's to refuse
		st.app.Level = int(level)
	},
	"key": func(s *scenario, st *step, n ast.Node) {
		key, _ := s.intOf("key", n, 0, math.MaxInt64)
		st.app.Key = uint64(key)
	},
	"scale":   func(s *scenario, st *step, n ast.Node) { st.app.Scale = s.ratioOf("scale", n) },
	"params":  (*scenario).readParams,
	"after":   func(s *scenario, st *step, n ast.Node) { st.by = s.spanOf("after", n) },
	"at_most": func(s *scenario, st *step, n ast.Node) { st.atMost = s.positiveSpan("at_most", n) },
	"purge":   func(s *scenario, st *step, n ast.Node) { st.purge = s.boolOf("purge", n) },
	"charges": func(s *scenario, st *step, n ast.Node) {
		charges, _ := s.intOf("charges", n, 1, buff.MaxStacks)
		st.n = int(charges)
	},
	"target": func(s *scenario, st *step, n ast.Node) { st.to, _ = s.nameOf("target", n) },
	"amount": func(s *scenario, st *step, n ast.Node) {
		st.amount, _ = s.intOf("amount", n, math.MinInt64, math.MaxInt64)
	},
	"school": func(s *scenario, st *step, n ast.Node) { st.tag = s.tagOf("school", n) },
}

// readValue reads what stands behind a verb, or behind its "to".
func (s *scenario) readValue(st *step, what value, key string, n ast.Node) {
	switch what {
	case takesTrue:
		if b, ok := n.(*ast.BoolNode); !ok || !b.Value {
			s.fail(n, "%q can only be true, not %s", key, catalog.Describe(n))
		}
	case takesName:
		switch {
		case key == "to":
			st.to, _ = s.nameOf(key, n)
		case st.verb.tags:
			st.name = s.tagOf(key, n)
		default:
			st.name, _ = s.nameOf(key, n)
		}
	case takesQuery:
		if _, ok := catalog.Fields(n); ok {
			s.readQuery(st, key, n)
			return
		}
		fallthrough
	case takesBuff:
		st.app.Spec = s.buffOf(key, n)
	case takesRate:
		st.rate = s.ratioOf(key, n)
	case takesAttr:
		st.attr = s.attrOf(key, n)
	case takesNumber:
		st.value = s.numberOf(key, n)
	case takesAmount:
		st.amount, _ = s.intOf(key, n, 0, math.MaxInt64)
	case takesSpan:
		st.by = s.spanOf(key, n)
	}
}

// buffOf returns the definition of an ID; nil if there is none, or any is wrong.
func (s *scenario) buffOf(key string, n ast.Node) *buff.Spec {
	id, ok := s.nameOf(key, n)
	switch {
	case ok && !s.buffs[id]:
		s.fail(n, `there is no %q in "buffs"%s`, short(id), didYouMean(id, slices.Sorted(maps.Keys(s.buffs))))
	case ok && s.catalog != nil:
		return s.catalog.Spec(id)
	}
	return nil
}

// tagOf returns the name of a tag, which must be one of the list "tags" if there is one.
func (s *scenario) tagOf(key string, n ast.Node) string {
	name, ok := s.nameOf(key, n)
	if ok && s.listsTag && s.catalog != nil {
		if _, known := s.catalog.Tag(name); !known {
			s.fail(n, `there is no %q in "tags"`, short(name))
		}
	}
	return name
}

// attrOf returns the attribute of a name.
func (s *scenario) attrOf(key string, n ast.Node) stat.Attr {
	name, ok := s.nameOf(key, n)
	if !ok || s.catalog == nil {
		return 0
	}
	a, ok := s.catalog.Attr(name)
	if !ok {
		s.fail(n, `there is no %q in "attributes"%s`, short(name), didYouMean(name, attributeNames(s.catalog)))
	}
	return a
}

// queryKeys are the keys of a query.
var queryKeys = []string{"buff", "grade", "most", "newest", "polarity", "source", "tag", "type"}

// readQuery reads which buffs are meant.
func (s *scenario) readQuery(st *step, what string, n ast.Node) {
	st.query = &buff.Query{}
	fields, _ := s.fieldsOf("the query of "+strconv.Quote(what), n, queryKeys)
	for _, key := range queryKeys {
		if fields[key] == nil {
			continue
		}
		switch n := fields[key].Value; key {
		case "buff":
			st.query.Spec = s.buffOf(key, n)
		case "grade":
			s.wordOf(key, n, &st.query.Grade)
		case "most":
			most, _ := s.intOf(key, n, 1, buff.MaxStacks)
			st.query.Most = int(most)
		case "newest":
			st.query.Newest = s.boolOf(key, n)
		case "polarity":
			s.wordOf(key, n, &st.query.Polarity)
		case "source":
			st.from, _ = s.nameOf(key, n)
		case "tag":
			st.tag = s.tagOf(key, n)
		case "type":
			st.query.Type, _ = s.nameOf(key, n)
		}
	}
}

// wordOf reads one of the words of a rule.
func (s *scenario) wordOf(key string, n ast.Node, to interface{ UnmarshalText([]byte) error }) {
	text, ok := s.nameOf(key, n)
	if !ok {
		return
	}
	if err := to.UnmarshalText([]byte(text)); err != nil {
		s.fail(n, "%q: %v", key, err)
	}
}

// readParams reads the numbers that an application brings.
func (s *scenario) readParams(st *step, n ast.Node) {
	list, ok := catalog.Fields(n)
	if !ok {
		s.fail(n, `"params" must be a map from names to numbers, not %s`, catalog.Describe(n))
		return
	}
	for _, f := range list {
		name, ok := s.nameOf("params", f.Key)
		if !ok {
			continue
		}
		if slices.ContainsFunc(st.app.Params, func(a buff.Arg) bool { return a.Caller == name }) {
			s.fail(f.Key, "%s is repeated", catalog.Describe(f.Key))
			continue
		}
		st.app.Params = append(st.app.Params, buff.Arg{Caller: name, Value: s.numberOf(name, f.Value)})
	}
}

// numberOf returns any number.
func (s *scenario) numberOf(key string, n ast.Node) float64 {
	value, err := strconv.ParseFloat(n.GetToken().Value, 64)
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		if err != nil {
			s.fail(n, "%q is beyond what a number can be: %s", key, catalog.Describe(n))
		}
	default:
		s.fail(n, "%q must be a number, not %s", key, catalog.Describe(n))
	}
	return value
}

// ratioOf returns a fraction, in lowest terms.
func (s *scenario) ratioOf(key string, n ast.Node) buff.Ratio {
	text := n.GetToken().Value
	switch v := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
	case *ast.StringNode:
		text = v.Value
	default:
		text = ""
	}
	if num, den, ok := fraction(text); ok {
		return buff.Ratio{}.Times(buff.Ratio{Num: num, Den: den})
	}
	s.fail(n, `%q must be a ratio such as 2, 0.25 or "1/3", with parts up to %d, not %s`, key, buff.MaxRatio, catalog.Describe(n))
	return buff.Ratio{}
}

// fraction reads "2", "0.25" or "1/3", exactly.
func fraction(text string) (num, den uint32, ok bool) {
	top, bottom := text, "1"
	if whole, part, decimal := strings.Cut(text, "."); decimal {
		top, bottom = whole+part, "1"+strings.Repeat("0", len(part))
	} else if over, under, slash := strings.Cut(text, "/"); slash {
		top, bottom = over, under
	}
	n, err := strconv.ParseUint(top, 10, 32)
	d, err2 := strconv.ParseUint(bottom, 10, 32)
	ok = err == nil && err2 == nil && d > 0 && n <= buff.MaxRatio && d <= buff.MaxRatio
	return uint32(n), uint32(d), ok
}

// stacksOf reads a number of stacks. A negative one is the engine's to refuse; zero
// would mean "not given" to it, which is not what was written.
func (s *scenario) stacksOf(v *verb, n ast.Node) int {
	low := int64(math.MinInt32)
	if v.word == "dispel" {
		low = 1
	}
	i, ok := s.intOf("stacks", n, low, math.MaxInt32)
	if ok && i == 0 {
		s.fail(n, `"stacks" must not be 0: leave it out for what the definition says`)
	}
	return int(i)
}

// nameOf returns a text that is not empty, and reports whether it is one.
func (s *scenario) nameOf(key string, n ast.Node) (string, bool) {
	text, ok := s.textOf(key, n)
	if ok && text == "" {
		s.fail(n, "%q must not be empty", key)
	}
	return text, ok && text != ""
}

// spanOf returns a span of time.
func (s *scenario) spanOf(key string, n ast.Node) time.Duration {
	if text, ok := n.(*ast.StringNode); ok {
		if d, err := time.ParseDuration(text.Value); err == nil {
			return d
		}
	}
	s.fail(n, "%q must be a span such as 12s, 1500ms or 36h, not %s", key, catalog.Describe(n))
	return 0
}

// positiveSpan returns a span of time that is above zero.
func (s *scenario) positiveSpan(key string, n ast.Node) time.Duration {
	before := len(s.faults)
	d := s.spanOf(key, n)
	if len(s.faults) == before && d <= 0 {
		s.fail(n, "%q must be above 0, not %v", key, d)
	}
	return d
}

// attributeNames returns the names of a catalog's attributes.
func attributeNames(c *buff.Catalog) (names []string) {
	if schema := c.Attributes(); schema != nil {
		for _, a := range schema.All() {
			names = append(names, a.Name)
		}
	}
	return names
}
