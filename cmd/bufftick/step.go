package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/wheel"
)

// lastInstant is where a script must end: ten years, in ms.
const lastInstant = 10 * 365 * 24 * 3600 * 1000

// firstOwner and firstSource are who is meant where a step does not say.
const (
	firstOwner  = "p1"
	firstSource = "a"
)

// step is one line of a script.
type step struct {
	node      ast.Node
	verb      *verb
	at        wheel.Time
	owner     string
	spec      *buff.Spec // of a verb that takes an ID
	name      string     // of one that takes a name
	source    string
	stacks    int
	duration  buff.Span
	by        time.Duration // "by" or "after"
	magnitude int64
}

// verb is what a step can do.
type verb struct {
	word    string
	takes   value
	options []string
	needs   string // one of the options that must be there
	do      func(*play, *step) error
	later   bool // the engine cannot do it yet
}

// value is what stands behind the verb.
type value uint8

const (
	takesTrue value = iota
	takesBuff
	takesName
)

var verbs = func() map[string]*verb {
	m := map[string]*verb{}
	for _, v := range []*verb{
		{word: "tick", do: func(*play, *step) error { return nil }},
		{word: "apply", takes: takesBuff, options: []string{"source", "stacks", "duration", "magnitude"}, do: (*play).apply},
		{word: "remove", takes: takesBuff, do: (*play).remove},
		{word: "dispel", takes: takesBuff, options: []string{"stacks"}, do: (*play).dispel},
		{word: "extend", takes: takesBuff, options: []string{"by"}, needs: "by", do: (*play).extend},
		{word: "kill", do: (*play).kill},
		{word: "source_gone", takes: takesName, do: (*play).sourceGone},
		{word: "timeout", takes: takesName, options: []string{"after"}, needs: "after", do: (*play).timeout},
		{word: "set_period", takes: takesBuff, later: true},
		{word: "inhibit", takes: takesBuff, later: true},
		{word: "release", takes: takesBuff, later: true},
		{word: "pause", later: true},
		{word: "resume", later: true},
		{word: "save", later: true},
		{word: "load", later: true},
		{word: "immune", takes: takesName, later: true},
		{word: "vulnerable", takes: takesName, later: true},
	} {
		m[v.word] = v
	}
	return m
}()

// stepKeys are all the keys that a step can have.
var stepKeys = func() []string {
	keys := slices.Sorted(maps.Keys(verbs))
	return append(keys, "at", "owner", "source", "stacks", "duration", "magnitude", "by", "after", "to", "purge")
}()

// readScript reads the steps. A step that is wrong does not hide what is wrong with
// the others.
func (s *scenario) readScript(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		s.fail(n, `"script" must be a list of steps, not %s`, catalog.Describe(n))
		return
	}
	last := wheel.Time(math.MinInt64)
	for _, v := range list.Values {
		fields, ok := s.fieldsOf("a step", v, stepKeys)
		if !ok {
			continue
		}
		st := step{node: v, owner: firstOwner, source: firstSource}
		if at := fields["at"]; at == nil {
			s.fail(v, `the step has no "at": when is it, in ms from the start?`)
		} else if ms, ok := s.intOf("at", at.Value, 0, lastInstant); ok {
			st.at = wheel.Time(ms)
			if st.at < last {
				s.fail(at.Value, "the step at %d stands behind one at %d", st.at, last)
			}
			last = max(last, st.at)
		}
		if s.readVerb(&st, fields) {
			s.readOptions(&st, fields)
		}
		s.steps = append(s.steps, st)
	}
}

// readVerb finds out what the step does, and reports whether the engine can do it.
func (s *scenario) readVerb(st *step, fields fieldMap) bool {
	var found []string
	for _, w := range slices.Sorted(maps.Keys(verbs)) {
		if fields[w] != nil {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 0:
		s.fail(st.node, "the step does nothing: want one of %s", strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
		return false
	case 1:
	default:
		s.fail(st.node, "%s in one step: write a step for each", strings.Join(found, " and "))
		return false
	}
	st.verb = verbs[found[0]]
	n := fields[found[0]].Value
	if st.verb.later {
		s.fail(fields[found[0]].Key, "step %q is not supported yet", found[0])
		return false
	}
	switch st.verb.takes {
	case takesTrue:
		if b, ok := n.(*ast.BoolNode); !ok || !b.Value {
			s.fail(n, "%q can only be true, not %s", found[0], catalog.Describe(n))
		}
	case takesName:
		st.name, _ = s.nameOf(found[0], n)
	case takesBuff:
		id, ok := s.nameOf(found[0], n)
		switch {
		case ok && !s.buffs[id]:
			s.fail(n, `there is no %q in "buffs"`, short(id))
		case ok && s.catalog != nil:
			st.spec = s.catalog.Spec(id)
		}
	}
	return true
}

// readOptions reads what else the step says.
func (s *scenario) readOptions(st *step, fields fieldMap) {
	v := st.verb
	if v.needs != "" && fields[v.needs] == nil {
		s.fail(st.node, "%q needs %q", v.word, v.needs)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		n := fields[key].Value
		switch {
		case key == "at" || key == v.word:
			continue
		case key != "owner" && !slices.Contains(v.options, key):
			s.fail(fields[key].Key, "%q says nothing in a step of %q", key, v.word)
			continue
		}
		switch key {
		case "owner":
			st.owner, _ = s.nameOf(key, n)
		case "source":
			st.source, _ = s.nameOf(key, n)
		case "stacks":
			st.stacks = s.stacksOf(v, n)
		case "magnitude":
			st.magnitude, _ = s.intOf(key, n, math.MinInt64, math.MaxInt64)
		case "duration":
			st.duration = buff.For(s.spanOf(key, n))
		case "by", "after":
			st.by = s.spanOf(key, n)
		}
	}
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

// String returns the step as a message names it.
func (st *step) String() string { return fmt.Sprintf("%s at %d", st.verb.word, st.at) }
