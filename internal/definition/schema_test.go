package definition

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

// TestSchema checks that the committed schema is the one that the structs and the documentation
// give. With -rewrite it writes that schema.
func TestSchema(t *testing.T) {
	s := generate(t)
	text, err := json.MarshalIndent(s, "", "  ")
	require.NoError(t, err)
	text = append(text, '\n')
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile("bufftick.schema.json", text, 0o644))
		return
	}
	require.Equal(t, string(text), Schema(), "run go test ./internal/definition -run TestSchema -rewrite")
}

func generate(t *testing.T) *jsonschema.Schema {
	t.Helper()
	types := formatTypes()
	s, err := jsonschema.For[fileFormat](&jsonschema.ForOptions{TypeSchemas: types})
	require.NoError(t, err)
	delete(types, reflect.TypeFor[actionFormat]())
	action, err := jsonschema.For[actionFormat](&jsonschema.ForOptions{TypeSchemas: types})
	require.NoError(t, err)
	action.DependencyStrings = map[string][]string{"reason": {"remove"}}
	for _, verb := range append(slices.Clone(verbs), "one_of") {
		action.OneOf = append(action.OneOf, requires(verb))
	}

	s.Schema = "http://json-schema.org/draft-07/schema#"
	s.Title = "bufftick: definitions of buffs"
	number := numberSchema(t, types)
	buffs, templates := s.Properties["buffs"], s.Properties["templates"]
	buffs.PropertyNames = &jsonschema.Schema{Pattern: `^\S+$`}
	templates.PropertyNames = buffs.PropertyNames
	spec := buffs.AdditionalProperties
	spec.Required = nil
	templates.AdditionalProperties = &jsonschema.Schema{Ref: "#/definitions/buff"}
	buffs.AdditionalProperties = &jsonschema.Schema{AllOf: []*jsonschema.Schema{
		templates.AdditionalProperties, anyOf(requires("duration"), requires("extends")),
	}}
	s.Definitions = map[string]*jsonschema.Schema{"buff": spec, "action": action, "number": anyOf(&jsonschema.Schema{Type: "number"}, number)}
	spec.Properties["immunity"].MinProperties = jsonschema.Ptr(1)
	spec.Properties["params"].PropertyNames = &jsonschema.Schema{MinLength: jsonschema.Ptr(1)}

	d := describer{t: t, lines: documented(t)}
	d.describe("", spec)
	for _, path := range d.lines.unused() {
		require.Fail(t, "a line of the documentation describes no field", path)
	}
	d.describe("file", s)
	d.describe("action", action)
	d.describe("number", number)
	return s
}

func requires(field string) *jsonschema.Schema {
	return &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{field: {}}, Required: []string{field}}
}

// numberSchema is a map that gives the source of a number, with the other fields that each source
// allows.
func numberSchema(t *testing.T, types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	t.Helper()
	number, err := jsonschema.For[numberFormat](&jsonschema.ForOptions{TypeSchemas: types})
	require.NoError(t, err)
	for _, from := range origins {
		names := &jsonschema.Schema{Enum: []any{from}}
		for _, name := range allowedWith[from] {
			names.Enum = append(names.Enum, name)
		}
		number.OneOf = append(number.OneOf, &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{from: {}}, Required: []string{from}, PropertyNames: names})
	}
	return number
}

// describer adds a description to every property, and converts lists.
type describer struct {
	t     *testing.T
	lines docLines
}

func (d *describer) describe(path string, s *jsonschema.Schema) {
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Types, s.Type = nil, "array"
	}
	for name, p := range s.Properties {
		at := join(path, name)
		if at == "file.buffs" {
			continue // done already
		}
		line, ok := d.lines.use(at)
		require.NotEqual(d.t, ok, p.Description != "", "%s: wants one description, in doc.go or in the tag", at)
		if ok {
			p.Description = line
		}
		d.describe(at, p)
	}
	if s.Items != nil {
		d.describe(path+"[]", s.Items)
	}
	for _, one := range s.AnyOf {
		if one.Properties != nil && (path == "slot" || path == "dr") {
			d.describe(path, one)
		}
	}
	if entries := s.AdditionalProperties; entries != nil && entries.Properties != nil {
		d.describe(path+".NAME", entries)
	}
}

// formatMaps has a definition with an unknown field for each map of the format, to compare with
// the schema.
var formatMaps = map[string]string{
	"stack":               "stack: {zzzzzzzz: 1}",
	"stack.thresholds[]":  "stack: {thresholds: [{zzzzzzzz: 1}]}",
	"group":               "group: {zzzzzzzz: 1}",
	"slot":                "slot: {zzzzzzzz: 1}",
	"per_source":          "per_source: {zzzzzzzz: 1}",
	"require":             "require: {zzzzzzzz: 1}",
	"require.apply":       "require: {apply: {zzzzzzzz: 1}}",
	"require.ongoing":     "require: {ongoing: {zzzzzzzz: 1}}",
	"require.remove":      "require: {remove: {zzzzzzzz: 1}}",
	"immunity":            "immunity: {zzzzzzzz: 1}",
	"dr":                  "dr: {zzzzzzzz: 1}",
	"dispel":              "dispel: {zzzzzzzz: 1}",
	"charges":             "charges: {zzzzzzzz: 1}",
	"shield":              "shield: {zzzzzzzz: 1}",
	"aura":                "aura: {zzzzzzzz: 1}",
	"number":              "params: {a: {zzzzzzzz: 1}}",
	"modifiers[]":         "modifiers: [{zzzzzzzz: 1}]",
	"action.change":       "on: {pulse: [{change: {zzzzzzzz: 1}}]}",
	"action.apply":        "on: {pulse: [{apply: {zzzzzzzz: 1}}]}",
	"action.remove":       "on: {pulse: [{remove: {zzzzzzzz: 1}}]}",
	"action.remove.buff":  "on: {pulse: [{remove: {buff: {zzzzzzzz: 1}}}]}",
	"action.extend":       "on: {pulse: [{extend: {zzzzzzzz: 1}}]}",
	"action.extend.buff":  "on: {pulse: [{extend: {by: 1, buff: {zzzzzzzz: 1}}}]}",
	"action.use":          "on: {pulse: [{use: {zzzzzzzz: 1}}]}",
	"action.rate":         "on: {pulse: [{rate: {zzzzzzzz: 1}}]}",
	"action.dispel":       "on: {pulse: [{dispel: {zzzzzzzz: 1}}]}",
	"action.set":          "on: {pulse: [{set: {zzzzzzzz: 1}}]}",
	"action.add":          "on: {pulse: [{add: {zzzzzzzz: 1}}]}",
	"vars.NAME":           "vars: {a: {zzzzzzzz: 1}}",
	"action.to":           "on: {pulse: [{kill: true, to: {zzzzzzzz: 1}}]}",
	"action.if_tags":      "on: {pulse: [{kill: true, if_tags: {zzzzzzzz: 1}}]}",
	"action.damage":       "on: {pulse: [{damage: {zzzzzzzz: 1}}]}",
	"duration":            "duration: {zzzzzzzz: 1}",
	"period":              "period: {zzzzzzzz: 1}",
	"client":              "client: {zzzzzzzz: 1}",
	"save":                "save: {zzzzzzzz: 1}",
	"catchup":             "catchup: {zzzzzzzz: 1}",
	"haste":               "haste: {zzzzzzzz: 1}",
	"save.offline_pulses": "save: {offline_pulses: {zzzzzzzz: 1}}",
	"on":                  "on: {zzzzzzzz: 1}",
	"on.remove":           "on: {remove: {zzzzzzzz: 1}}",
	"on.when":             "on: {when: {zzzzzzzz: 1}}",
	"on.act.NAME":         "on: {act: {a: {zzzzzzzz: 1}}}",
	"action":              "on: {pulse: [{zzzzzzzz: 1}]}",

	"file.attributes.NAME":           "attributes: {a: {zzzzzzzz: 1}}",
	"file.attributes.NAME.aggregate": "attributes: {a: {aggregate: {zzzzzzzz: 1}}}",
	"file.slots.NAME":                "slots: {a: {zzzzzzzz: 1}}",
	"file.dr.NAME":                   "dr: {a: {zzzzzzzz: 1}}",
}

// inFile returns a whole file with the text in it, as in formatMaps.
func inFile(path, text string) string {
	switch {
	case strings.HasPrefix(path, "file."):
		return "{" + text + "}"
	case strings.HasPrefix(text, "duration: "):
		return "buffs: {a: {" + text + "}}"
	}
	return "buffs: {a: {duration: 1s, " + text + "}}"
}

var wanted = regexp.MustCompile(`^unknown (field|reason) "zzzzzzzz": want ([^;]*)`)

// TestSchemaHasTheFields checks that the schema has exactly the fields that the loader knows.
func TestSchemaHasTheFields(t *testing.T) {
	root := parsed(t)
	spec := root.Definitions["buff"]
	require.ElementsMatch(t, keys(sections), keys(root.Properties))
	require.ElementsMatch(t, keys(specFields.read), keys(spec.Properties))
	found := map[string][]string{}
	collect("", spec, found)
	collect("action", root.Definitions["action"], found)
	collect("number", root.Definitions["number"], found)
	for name, s := range root.Properties {
		if name != "buffs" && name != "templates" {
			collect("file."+name, s, found)
		}
	}
	require.ElementsMatch(t, keys(formatMaps), keys(found))
	for path, text := range formatMaps {
		text = inFile(path, text)
		_, err := Parse("x", []byte(text))
		var match []string
		for _, e := range err.(Errors) {
			if m := wanted.FindStringSubmatch(e.Text); m != nil {
				match = m
			}
		}
		require.NotNil(t, match, "%s: %v", path, err)
		known := strings.Split(strings.ReplaceAll(match[2], " or ", ", "), ", ")
		require.ElementsMatch(t, known, found[path], path)
		require.Error(t, validate(t, text), path)
	}
}

// collect finds the maps of fields, by path.
func collect(path string, s *jsonschema.Schema, found map[string][]string) {
	if s.Properties != nil && path != "" {
		found[path] = keys(s.Properties)
	}
	for name, p := range s.Properties {
		collect(join(path, name), p, found)
	}
	for _, p := range s.AnyOf {
		collect(path, p, found)
	}
	if s.Items != nil {
		collect(path+"[]", s.Items, found)
	}
	if entries := s.AdditionalProperties; entries != nil && path != "" {
		collect(path+".NAME", entries, found)
	}
}

func keys[V any](m map[string]V) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	return list
}

// TestSchemaHasTheWords checks that the words of each choice in the schema are exactly those that
// the loader lists in the error for another word.
func TestSchemaHasTheWords(t *testing.T) {
	root := parsed(t)
	found := map[string][]string{}
	choices("", root.Definitions["buff"], found)
	choices("action", root.Definitions["action"], found)
	choices("number", root.Definitions["number"], found)
	for name, s := range root.Properties {
		if name != "buffs" {
			choices("file."+name, s, found)
		}
	}
	require.Greater(t, len(found), 30)
	for path, words := range found {
		_, err := Parse("x", []byte(definitionWith(path, "zzzzzzzz")))
		_, list, ok := strings.Cut(complaint(t, err, path), "want ")
		require.True(t, ok, "%s: %v", path, err)
		switch path {
		case "duration", "shield.pool", "stack.limit", "stack.expire", "stack.thresholds[].consume": // numbers and spans, too
			for _, w := range words {
				require.Contains(t, list, w, path)
			}
		default:
			require.ElementsMatch(t, strings.Split(strings.ReplaceAll(list, " or ", ", "), ", "), words, path)
		}
		require.Error(t, validate(t, definitionWith(path, "zzzzzzzz")), path)
		for _, w := range words {
			require.NoError(t, validate(t, definitionWith(path, w)), "%s %s", path, w)
			_, err := Parse("x", []byte(definitionWith(path, w)))
			require.NotContains(t, complaint(t, err, path), "want ", "%s %s", path, w)
		}
	}
}

// choices finds the words of every field that is a choice.
func choices(path string, s *jsonschema.Schema, found map[string][]string) {
	for _, w := range s.Enum {
		if w, ok := w.(string); ok {
			found[path] = append(found[path], w)
		}
	}
	if entries := s.AdditionalProperties; entries != nil && path != "" {
		choices(path+".NAME", entries, found)
	}
	for _, p := range s.AnyOf {
		choices(path, p, found)
	}
	for name, p := range s.Properties {
		choices(join(path, name), p, found)
	}
	if s.Items != nil {
		choices(path+"[]", s.Items, found)
	}
}

// definitionWith returns a text in which the field has the value, with the other fields that it
// requires.
func definitionWith(path, value string) string {
	required := map[string]string{
		"action": "remove: a", "action.rate": "buff: a, value: 1", "action.extend": "buff: a, by: 1", "action.use": "buff: a", "action.remove": "buff: a", "number": "attr: x", "modifiers[]": "attr: x, value: 1", "per_source": "limit: 1", "group": "name: g", "slot": "class: s, limit: 1",
		"dr": "group: g, steps: [0.5], reset: 1s", "charges": "n: 1", "haste": "attr: x", "on.act.NAME": "do: []", "stack.thresholds[]": "at: 1",
		"file.slots.NAME": "limit: 1", "file.dr.NAME": "steps: [0.5], reset: 1s",
	}
	inner, outer := path, ""
	text := value
	for inner != "" {
		outer, inner = parentAndName(inner)
		text = inner + ": " + text
		if need := required[outer]; need != "" {
			if inner == "buff" {
				need = strings.TrimPrefix(need, "buff: a")
			}
			text = strings.TrimPrefix(need+", "+text, ", ")
		}
		inner = outer
		switch {
		case outer == "":
		case outer == "file":
			return "{" + text + "}"
		case outer == "action":
			if strings.Count(path, ".") > 1 { // a field of the value of an action
				_, text, _ = strings.Cut(text, "remove: a, ")
			}
			text, inner = "on: {pulse: [{"+text+"}]}", ""
		case outer == "number":
			text, inner = "params: {a: {"+text+"}}", ""
		case outer == "on.act.NAME":
			text, inner = "on: {act: {a: {"+text+"}}}", ""
		case strings.HasSuffix(outer, ".NAME"):
			section := strings.TrimSuffix(strings.TrimPrefix(outer, "file."), ".NAME")
			return "{" + section + ": {a: {" + text + "}}}"
		case strings.HasSuffix(outer, "[]"):
			text, inner = "[{"+text+"}]", strings.TrimSuffix(outer, "[]")
		default:
			text = "{" + text + "}"
		}
	}
	if path == "duration" {
		return "{attributes: {x: {}}, buffs: {a: {" + text + "}}}"
	}
	return "{attributes: {x: {}}, buffs: {a: {duration: 1s, " + text + "}}}"
}

func parentAndName(path string) (parent, name string) {
	i := strings.LastIndex(path, ".")
	return path[:max(i, 0)], path[i+1:]
}

// complaint returns the error about the field, or "".
func complaint(t *testing.T, err error, path string) string {
	if err == nil {
		return ""
	}
	field := strings.NewReplacer("[]", "[0]", "action", "on.pulse[0]", "NAME", "a", "number", "params.a", "file.", "").Replace(path)
	for _, e := range err.(Errors) {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// resolved is the committed schema, ready to validate.
var resolved = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(Schema()), &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
})

func parsed(t *testing.T) *jsonschema.Schema {
	t.Helper()
	r, err := resolved()
	require.NoError(t, err)
	return r.Schema()
}

func validate(t *testing.T, text string) error {
	t.Helper()
	r, err := resolved()
	require.NoError(t, err)
	return r.Validate(value(t, text))
}

// value returns a text as an editor reads it.
func value(t *testing.T, text string) any {
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(text), &v), text)
	return numbers(v)
}

// numbers converts texts to numbers that the parser reads as texts, such as 1e3.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil && strings.Trim(v, numeral) == "" {
			return f
		}
	}
	return v
}

// TestSchemaAcceptsValidFiles checks that the schema accepts everything that the loader accepts:
// the definitions of the examples, and all valid files of the tests.
func TestSchemaAcceptsValidFiles(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{"../../examples/*/buffs/*.yaml", "testdata/lint/*/*.yaml", "testdata/errors/*/*.yaml", "testdata/errors/*/*.json"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			texts[name] = string(text)
		}
	}
	scripts, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for i, part := range strings.Split(string(text), "\nparse\n") {
			input, _, _ := strings.Cut(part, "\n----")
			texts[fmt.Sprint(name, " #", i)] = input
		}
	}
	taken := 0
	for name, text := range texts {
		if _, err := Parse(name, []byte(text)); err != nil {
			continue
		}
		taken++
		require.NoError(t, validate(t, text), "%s:\n%s", name, text)
	}
	require.Greater(t, taken, 45)
}
