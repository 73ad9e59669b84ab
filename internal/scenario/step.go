package scenario

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/wheel"
)

// lastInstant is the latest time of a step, in ms: ten years.
const lastInstant = 10 * 365 * 24 * 3600 * 1000

// firstOwner and firstSource are the default owner and source of a step.
const (
	firstOwner  = "p1"
	firstSource = "a"
)

// step is one entry of a script: a verb with its value and options. Most steps are commands; the
// `line` field then has the command in the text form that buff.ParseCommand reads.
type step struct {
	node  ast.Node
	verb  *stepWord
	at    wheel.Time
	owner string
	name  string // the value of the verb, if it is a text
	to    string // another owner, from the option "to" or "target"
	from  string // the source that the step names
	line  string
	shown []shown // the names that a "show" step prints
}

// stepWord is a verb of steps.
type stepWord struct {
	word    string
	takes   string   // the value of the verb, for the help
	options []string // keys of the options
	frames  bool     // the effect depends on the length of frames
	to      bool     // the option "to" is an owner

	// The function `do` executes a verb that is not a command. For a command, `do` is nil, and
	// buff.ParseCommand reads the step.
	do func(*play, *step) error
}

var verbs = func() map[string]*stepWord {
	m := map[string]*stepWord{}
	for _, v := range []*stepWord{
		{word: "tick", takes: "true", do: func(*play, *step) error { return nil }},
		{word: "show", takes: "NAMES", do: (*play).show},
		{word: "save", takes: "true", do: (*play).save},
		{word: "load", takes: "true", do: (*play).load},
		{word: "near", takes: "NAME", frames: true, do: (*play).enterAuras},
		{word: "far", takes: "NAME", frames: true, do: (*play).leaveAuras},

		{word: "apply", takes: "BUFF", options: []string{"source", "stacks", "duration", "magnitude", "level", "key", "scale", "params"}},
		{word: "remove", takes: "BUFF", options: []string{"stacks", "why"}},
		{word: "kill", takes: "true", options: []string{"source"}},
		{word: "revive", takes: "true"},
		{word: "source_gone", takes: "NAME"},
		{word: "timeout", takes: "NAME", options: []string{"after"}},

		{word: "extend", takes: "BUFF", options: []string{"by", "at_most"}},
		{word: "compensate", takes: "QUERY", options: []string{"by"}},
		{word: "set_remaining", takes: "BUFF", options: []string{"to"}},
		{word: "set_period", takes: "BUFF", options: []string{"to"}},
		{word: "pause", takes: "true"},
		{word: "resume", takes: "true"},
		{word: "rate", takes: "RATIO"},
		{word: "pause_buff", takes: "BUFF"},
		{word: "resume_buff", takes: "BUFF"},
		{word: "rate_buff", takes: "BUFF", options: []string{"to"}},
		{word: "area", takes: "N"},
		{word: "pause_area", takes: "N"},
		{word: "resume_area", takes: "N"},
		{word: "rate_area", takes: "N", options: []string{"to"}},

		{word: "inhibit", takes: "BUFF"},
		{word: "release", takes: "BUFF"},
		{word: "tag", takes: "NAME"},
		{word: "untag", takes: "NAME"},
		{word: "immune", takes: "NAME", options: []string{"purge"}},
		{word: "vulnerable", takes: "NAME"},

		{word: "dispel", takes: "QUERY", options: []string{"stacks", "target"}},
		{word: "steal", takes: "QUERY", options: []string{"to", "at_most", "stacks"}, to: true},
		{word: "interrupt", takes: "NAME"},
		{word: "consume", takes: "NAME"},
		{word: "happened", takes: "NAME", options: []string{"target", "amount"}},
		{word: "use", takes: "BUFF", options: []string{"charges"}},
		{word: "absorb", takes: "N", options: []string{"school"}},

		{word: "base", takes: "ATTRIBUTE", options: []string{"to"}},
		{word: "change", takes: "ATTRIBUTE", options: []string{"by"}},
		{word: "damage", takes: "ATTRIBUTE", options: []string{"by", "school", "source"}},
	} {
		m[v.word] = v
	}
	return m
}()

// verbWords are the words of all verbs, sorted.
var verbWords = slices.Sorted(maps.Keys(verbs))

// stepKeys are all the keys that a step can have.
var stepKeys = func() []string {
	options := map[string]bool{"at": true, "owner": true}
	for _, v := range verbs {
		for _, key := range v.options {
			options[key] = true
		}
	}
	return append(slices.Clone(verbWords), slices.Sorted(maps.Keys(options))...)
}()

// queryKeys returns the keys of the verb's query. compensate has no grade, as in the text form.
func (v *stepWord) queryKeys() []string {
	keys := []string{"buff", "grade", "most", "newest", "polarity", "source", "tag", "type"}
	if v.word == "compensate" {
		return slices.DeleteFunc(keys, func(key string) bool { return key == "grade" })
	}
	return keys
}

// StepHelp lists the verbs of steps with their options, one per line.
func StepHelp() string {
	var b strings.Builder
	for _, word := range verbWords {
		v := verbs[word]
		fmt.Fprintf(&b, "    %s\n", strings.Join(append([]string{v.word + ": " + v.takes}, slices.Sorted(slices.Values(v.options))...), ", "))
	}
	return b.String()
}

// readScript reads the steps. An error in one step does not hide errors in the others.
func (s *Scenario) readScript(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		s.fail(n, `"script" must be a list of steps, not %s`, definition.Describe(n))
		return
	}
	last := wheel.Time(math.MinInt64)
	for _, v := range list.Values {
		before := len(s.Faults)
		fields, ok := s.fieldsOf("a step", v, stepKeys)
		if !ok {
			continue
		}
		misspelt := len(s.Faults) > before
		st := step{node: v, owner: firstOwner}
		if at := fields["at"]; at == nil {
			s.fail(v, `the step has no "at": write its time from the start, in ms or as in 5s`)
		} else if ms, ok := s.instantOf(at.Value); ok {
			st.at = ms
			if st.at < last {
				s.fail(at.Value, "the step at %d follows one at %d: put them in the order of time", st.at, last)
			}
			last = max(last, st.at)
		}
		if st.verb = s.verbOf(v, fields, misspelt); st.verb != nil {
			s.readStep(&st, fields)
		}
		s.steps = append(s.steps, st)
	}
}

// instantOf returns the time of a step: whole milliseconds, or a span.
func (s *Scenario) instantOf(n ast.Node) (wheel.Time, bool) {
	if _, isInt := n.(*ast.IntegerNode); isInt {
		ms, ok := s.intOf("at", n, 0, lastInstant)
		return wheel.Time(ms), ok
	}
	text, isText := definition.Text(n)
	span, err := time.ParseDuration(text)
	switch {
	case !isText || err != nil:
		s.fail(n, `"at" must be whole milliseconds, or a span such as 5s or 1500ms, not %s`, definition.Describe(n))
	case span%time.Millisecond != 0:
		s.fail(n, `"at" must be whole milliseconds, not %v`, span)
	case span < 0 || span.Milliseconds() > lastInstant:
		s.fail(n, `"at" must be from 0 to %v, not %v`, lastInstant*time.Millisecond, span)
	default:
		return wheel.Time(span.Milliseconds()), true
	}
	return 0, false
}

// shown is an attribute or a tag that a step prints.
type shown struct {
	name string
	attr stat.Attr // 0 if `name` is a tag
	tag  buff.Tag
}

// shownOf reads the names listed in a step that prints attributes and tags.
func (s *Scenario) shownOf(n ast.Node) (list []shown) {
	nodes := []ast.Node{n}
	if l, ok := n.(*ast.SequenceNode); ok {
		if nodes = l.Values; len(nodes) == 0 {
			s.fail(n, `"show" is empty: name attributes or tags`)
		}
	}
	for _, n := range nodes {
		name, ok := s.textOf("show", n)
		if !ok || s.Catalog == nil {
			continue
		}
		to := shown{name: name}
		if to.attr, ok = s.Catalog.Attr(name); !ok {
			to.tag, ok = s.Catalog.Tag(name)
		}
		if !ok {
			s.fail(n, `"show": %q is neither an attribute nor a tag%s`, short(name), didYouMean(name, s.showable()))
		}
		list = append(list, to)
	}
	return list
}

// showable returns the names of all attributes and tags.
func (s *Scenario) showable() (names []string) {
	if schema := s.Catalog.Attributes(); schema != nil {
		for _, a := range schema.All() {
			names = append(names, a.Name)
		}
	}
	for t := buff.Tag(1); s.Catalog.TagName(t) != ""; t++ {
		names = append(names, s.Catalog.TagName(t))
	}
	return names
}

// verbOf returns the verb of a step. If the step has no verb or several, verbOf returns nil and
// reports an error. If `misspelt` is set, the step has an unknown key, which may be the verb, so a
// missing verb is not reported.
func (s *Scenario) verbOf(node ast.Node, fields fieldMap, misspelt bool) *stepWord {
	found := slices.DeleteFunc(slices.Clone(verbWords), func(w string) bool { return fields[w] == nil })
	switch len(found) {
	case 0:
		if misspelt {
			return nil
		}
		s.fail(node, "the step does nothing: want one of %s", strings.Join(verbWords, ", "))
	case 1:
		return verbs[found[0]]
	default:
		s.fail(node, "%s in one step: write a step for each", strings.Join(found, " and "))
	}
	return nil
}

// part is one part of the line of a step. It is an option or, if `key` is empty, the value of the
// verb.
type part struct {
	key, text string
	node      ast.Node
}

// readStep reads the value of the verb and the options.
func (s *Scenario) readStep(st *step, fields fieldMap) {
	before := len(s.Faults)
	parts := s.valueOf(st, fields[st.verb.word].Value)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		n := fields[key].Value
		switch {
		case key == "at" || key == st.verb.word:
			continue
		case key == "params":
			parts = append(parts, s.paramsOf(n)...)
			continue
		}
		text := s.partOf(key, n)
		switch {
		case key == "owner":
			st.owner = text
		case key == "source":
			st.from = text
		case key == "target" || key == "to" && st.verb.to:
			st.to = text
		case key == "stacks" && text == "0":
			s.fail(n, `"stacks" must not be 0: leave it out for what the definition says`)
		}
		if st.verb.do != nil && key != "owner" {
			s.fail(n, "%q has no effect in a step of %q: leave it out", key, st.verb.word)
		}
		parts = append(parts, part{key, text, n})
	}
	if fields["owner"] == nil {
		parts = append(parts, part{"owner", firstOwner, st.node})
	}
	if st.verb == verbs["apply"] && fields["source"] == nil {
		parts = append(parts, part{"source", firstSource, st.node})
	}
	if st.verb.do != nil {
		return
	}
	st.line = lineOf(st.verb, parts)
	s.check(st, slices.DeleteFunc(parts, func(p part) bool { return p.text == "" }), len(s.Faults) > before)
}

// valueOf reads the value of the verb. It returns one part, or several for a query.
func (s *Scenario) valueOf(st *step, n ast.Node) (parts []part) {
	word := st.verb.word
	list, isMap := definition.Fields(n)
	switch {
	case st.verb.takes == "true":
		if b, ok := n.(*ast.BoolNode); !ok || !b.Value {
			s.fail(n, "%q must be true, not %s", word, definition.Describe(n))
		}
		return nil
	case st.verb.takes == "NAMES":
		st.shown = s.shownOf(n)
		return nil
	case st.verb.takes != "QUERY" || !isMap:
		st.name = s.partOf(word, n)
		if id := st.name; id != "" && (st.verb.takes == "BUFF" || st.verb.takes == "QUERY") && !s.buffs[id] && (s.Catalog != nil || !s.loaded) {
			s.fail(n, `there is no %q in "buffs"%s`, short(id), didYouMean(id, slices.Sorted(maps.Keys(s.buffs))))
		}
		return []part{{"", st.name, n}}
	}
	keys := st.verb.queryKeys()
	s.fieldsOf("the query of "+strconv.Quote(word), n, keys)
	for _, f := range list {
		if key := f.Key.GetToken().Value; slices.Contains(keys, key) {
			parts = append(parts, part{key, s.partOf(key, f.Value), f.Value})
		}
	}
	return parts
}

// paramsOf reads the parameters of an application.
func (s *Scenario) paramsOf(n ast.Node) (parts []part) {
	list, ok := definition.Fields(n)
	if !ok {
		s.fail(n, `"params" must be a map from names to numbers, not %s`, definition.Describe(n))
	}
	for _, f := range list {
		p := part{"param." + f.Key.GetToken().Value, s.partOf(f.Key.GetToken().Value, f.Value), f.Value}
		if slices.ContainsFunc(parts, func(other part) bool { return other.key == p.key }) {
			s.fail(f.Key, "%s is repeated", definition.Describe(f.Key))
			continue
		}
		parts = append(parts, p)
	}
	return parts
}

// partOf returns a text, or a number or boolean as it is written in the file.
func (s *Scenario) partOf(key string, n ast.Node) string {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value
	}
	text, ok := s.textOf(key, n)
	if ok && text == "" {
		s.fail(n, "%q must not be empty", key)
	}
	return text
}

// lineOf returns a verb and its parts as a line that buff.ParseCommand reads.
func lineOf(v *stepWord, parts []part) string {
	line := v.word
	for _, p := range parts {
		switch {
		case p.key == "":
			line += " " + strconv.Quote(p.text)
		default:
			line += " " + strconv.Quote(p.key) + "=" + strconv.Quote(p.text)
		}
	}
	return line
}

// check parses the line of a step in the same way as when the step is executed, and reports its
// errors. After an error in an option, check removes the option and parses the line again, to find
// further errors. Then it reports only errors of options, because the verb may need the option that
// was removed. The parameter `again` is true if an option has already been removed.
func (s *Scenario) check(st *step, parts []part, again bool) {
	names := buff.Names{
		Catalog: s.Catalog,
		Owner:   func(string) (buff.OwnerID, error) { return 1, nil },
		Buff:    func(buff.OwnerID, string) (buff.Handle, error) { return 1, nil },
	}
	for ; ; again = true {
		_, err := buff.ParseCommand(lineOf(st.verb, parts), names)
		wrong := (*buff.TextError)(nil)
		if !errors.As(err, &wrong) || again && wrong.Key == "" {
			return
		}
		at := slices.IndexFunc(parts, func(p part) bool { return p.key == wrong.Key })
		node := st.node
		if at >= 0 {
			node = parts[at].node
		}
		if !s.allowsUnknown(st, wrong) {
			s.fail(node, "%v", wrong)
		}
		if at < 0 || wrong.Key == "" {
			return
		}
		parts = slices.Delete(slices.Clone(parts), at, at+1)
	}
}

// allowsUnknown reports whether an unknown name is allowed. If the definitions have errors, names
// are not checked. Unknown acts are allowed, because they have no effect.
func (s *Scenario) allowsUnknown(st *step, wrong *buff.TextError) bool {
	if !errors.Is(wrong, buff.ErrName) {
		return false
	}
	switch st.verb.word {
	case "interrupt", "consume", "happened":
		return true
	}
	return s.Catalog == nil
}

// String returns a description of the step for messages.
func (st *step) String() string { return fmt.Sprintf("%s at %d", st.verb.word, st.at) }
