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
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// lastInstant is where a script must end: ten years, in ms.
const lastInstant = 10 * 365 * 24 * 3600 * 1000

// firstOwner and firstSource are who is meant where a step does not say.
const (
	firstOwner  = "p1"
	firstSource = "a"
)

// step is one line of a script. Each verb reads the fields that it names.
type step struct {
	node  ast.Node
	verb  *verb
	at    wheel.Time
	owner string

	app    buff.Application // without its Source
	source string
	name   string      // of a verb that takes a name
	query  *buff.Query // of one that takes a query; nil: it has an ID, which is in app
	from   string      // the query's source
	tag    string      // the query's tag
	to     string      // an owner: of "to" and of "target"
	by     time.Duration
	atMost time.Duration
	rate   buff.Ratio
	amount int64
	attr   stat.Attr
	value  float64
	n      int
	purge  bool
}

// verb is what a step can do.
type verb struct {
	word    string
	takes   value
	options []string
	tags    bool   // the name is a tag
	frames  bool   // what comes of it depends on the frames
	needs   string // one of the options that must be there
	to, by  value  // what the options "to" and "by" are
	do      func(*play, *step) error
}

// value is what stands behind a verb or an option.
type value uint8

const (
	takesTrue value = iota
	takesBuff
	takesName
	takesQuery // of the buffs that are meant: an ID, or a map
	takesRate
	takesAmount
	takesSpan
	takesAttr
	takesNumber
)

var verbs = func() map[string]*verb {
	m := map[string]*verb{}
	for _, v := range []*verb{
		{word: "tick", do: func(*play, *step) error { return nil }},
		{
			word: "apply", takes: takesBuff, do: (*play).apply,
			options: []string{"source", "stacks", "duration", "magnitude", "level", "key", "scale", "params"},
		},
		{word: "remove", takes: takesBuff, do: (*play).remove},
		{word: "kill", do: (*play).kill},
		{word: "revive", do: (*play).revive},
		{word: "source_gone", takes: takesName, do: (*play).sourceGone},
		{word: "timeout", takes: takesName, options: []string{"after"}, needs: "after", do: (*play).timeout},

		{word: "extend", takes: takesBuff, options: []string{"by", "at_most"}, needs: "by", by: takesSpan, do: (*play).extend},
		{word: "compensate", takes: takesQuery, options: []string{"by"}, needs: "by", by: takesSpan, do: (*play).compensate},
		{word: "set_remaining", takes: takesBuff, options: []string{"to"}, needs: "to", to: takesSpan, do: (*play).setRemaining},
		{word: "set_period", takes: takesBuff, options: []string{"to"}, needs: "to", to: takesSpan, do: (*play).setPeriod},
		{word: "pause", do: (*play).pause},
		{word: "resume", do: (*play).resume},
		{word: "rate", takes: takesRate, do: (*play).setRate},
		{word: "pause_buff", takes: takesBuff, do: (*play).pauseBuff},
		{word: "resume_buff", takes: takesBuff, do: (*play).resumeBuff},
		{word: "rate_buff", takes: takesBuff, options: []string{"to"}, needs: "to", to: takesRate, do: (*play).setBuffRate},
		{word: "zone", takes: takesAmount, do: (*play).setZone},
		{word: "pause_zone", takes: takesAmount, do: (*play).pauseZone},
		{word: "resume_zone", takes: takesAmount, do: (*play).resumeZone},
		{word: "rate_zone", takes: takesAmount, options: []string{"to"}, needs: "to", to: takesRate, do: (*play).setZoneRate},
		{word: "near", takes: takesName, frames: true, do: (*play).goNear},
		{word: "far", takes: takesName, frames: true, do: (*play).goFar},

		{word: "inhibit", takes: takesBuff, do: (*play).inhibit},
		{word: "release", takes: takesBuff, do: (*play).release},
		{word: "tag", takes: takesName, tags: true, do: (*play).addTag},
		{word: "untag", takes: takesName, tags: true, do: (*play).dropTag},
		{word: "immune", takes: takesName, tags: true, options: []string{"purge"}, do: (*play).immunize},
		{word: "vulnerable", takes: takesName, tags: true, do: (*play).expose},

		{word: "dispel", takes: takesQuery, options: []string{"stacks"}, do: (*play).dispel},
		{word: "steal", takes: takesQuery, options: []string{"to", "at_most"}, needs: "to", to: takesName, do: (*play).steal},
		{word: "interrupt", takes: takesName, do: (*play).interrupt},
		{word: "consume", takes: takesName, do: (*play).consume},
		{word: "happened", takes: takesName, options: []string{"target", "amount"}, do: (*play).happened},
		{word: "use", takes: takesBuff, options: []string{"charges"}, do: (*play).use},
		{word: "absorb", takes: takesAmount, options: []string{"school"}, do: (*play).absorb},

		{word: "base", takes: takesAttr, options: []string{"to"}, needs: "to", to: takesNumber, do: (*play).setBase},
		{word: "change", takes: takesAttr, options: []string{"by"}, needs: "by", by: takesNumber, do: (*play).change},
		{word: "damage", takes: takesAttr, options: []string{"by", "school"}, needs: "by", by: takesNumber, do: (*play).damage},

		{word: "save", do: (*play).save},
		{word: "load", do: (*play).load},
	} {
		m[v.word] = v
	}
	return m
}()

// stepKeys are all the keys that a step can have.
var stepKeys = func() []string {
	options := map[string]bool{"at": true, "owner": true}
	for _, v := range verbs {
		for _, key := range v.options {
			options[key] = true
		}
	}
	return append(slices.Sorted(maps.Keys(verbs)), slices.Sorted(maps.Keys(options))...)
}()

// words are what stands behind a verb, as the help says it.
var words = map[value]string{
	takesTrue: "true", takesBuff: "BUFF", takesName: "NAME", takesQuery: "QUERY", takesRate: "RATIO", takesAmount: "N", takesAttr: "ATTRIBUTE",
}

// stepHelp lists the steps that there are, a line each.
func stepHelp() string {
	var b strings.Builder
	for _, word := range slices.Sorted(maps.Keys(verbs)) {
		v := verbs[word]
		fmt.Fprintf(&b, "    %s\n", strings.Join(append([]string{v.word + ": " + words[v.takes]}, slices.Sorted(slices.Values(v.options))...), ", "))
	}
	return b.String()
}

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

// readVerb finds out what the step does, and reports whether it could.
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
	s.readValue(st, st.verb.takes, found[0], fields[found[0]].Value)
	return true
}

// readOptions reads what else the step says.
func (s *scenario) readOptions(st *step, fields fieldMap) {
	v := st.verb
	if v.needs != "" && fields[v.needs] == nil {
		s.fail(st.node, "%q needs %q", v.word, v.needs)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch n := fields[key].Value; {
		case key == "at" || key == v.word:
		case key != "owner" && !slices.Contains(v.options, key):
			s.fail(fields[key].Key, "%q says nothing in a step of %q", key, v.word)
		case key == "to":
			s.readValue(st, v.to, key, n)
		case key == "by":
			s.readValue(st, v.by, key, n)
		case key == "stacks" && st.query != nil:
			s.fail(fields[key].Key, `"stacks" says nothing with a query: it has "most"`)
		default:
			options[key](s, st, n)
		}
	}
}

// String returns the step as a message names it.
func (st *step) String() string { return fmt.Sprintf("%s at %d", st.verb.word, st.at) }
