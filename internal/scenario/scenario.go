package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/misspelt"
	"github.com/goccy/go-yaml/ast"
)

// Scenario consists of definitions, a script of steps, and the expected log.
type Scenario struct {
	ID, Name string
	Listed   bool          // the file holds a list of scenarios
	Catalog  *buff.Catalog // nil if the definitions have errors
	Want     []string      // the expected log; nil if there is none

	// NeedsFrames is set if a fault is that "frame" or "seen: true" is missing.
	NeedsFrames bool

	// Faults are the errors in the scenario. A scenario with faults cannot be played.
	Faults definition.Errors

	file    string
	text    []byte
	node    ast.Node
	defines []*ast.MappingValueNode // fields with definitions: "buffs", "attributes" and others
	tags    []string                // tags that the script names
	buffs   map[string]bool         // IDs of all definitions, including those with errors
	steps   []step
	seen    bool          // the scenario fixes the frames: each step ends one
	frame   time.Duration // if not 0, a frame also ends at each multiple of it
	life    bool          // deaths and revivals are in the log
	load    Loader
	loaded  bool // the definitions are those of the field "load"
}

// Loader returns the definitions at a path, which the field "load" of a scenario contains. The
// catalog also knows the given tags.
type Loader func(path string, tags []string) (*buff.Catalog, error)

// Parse reads the text of a file, which is one scenario or a list of scenarios. The error is about
// the file as a whole. Errors in one scenario are in Scenario.Faults. A path in the field "load" is
// relative to the folder of the file.
func Parse(file string, text []byte) ([]*Scenario, error) {
	return ParseWith(file, text, func(path string, tags []string) (*buff.Catalog, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		return definition.Loader{Tags: tags}.Load(path)
	})
}

// ParseWith is like Parse, but gets the definitions of the field "load" from the given Loader.
func ParseWith(file string, text []byte, load Loader) ([]*Scenario, error) {
	root, err := definition.Tree(file, text)
	if err != nil {
		return nil, err
	}
	if _, empty := root.(*ast.NullNode); empty {
		return nil, definition.ErrorAt(file, text, root, "the file is empty: want a scenario, or a list of them")
	}
	list, listed := root.(*ast.SequenceNode)
	if !listed {
		s := parseScenario(file, text, root, false, load)
		if s.ID == "" {
			s.ID = filepath.Base(file)
		}
		return []*Scenario{s}, nil
	}
	if len(list.Values) == 0 {
		return nil, definition.ErrorAt(file, text, root, "the list has no scenario")
	}
	var all []*Scenario
	for i, n := range list.Values {
		s := parseScenario(file, text, n, true, load)
		if s.ID == "" {
			s.ID = fmt.Sprintf("%s#%d", filepath.Base(file), i+1)
		}
		all = append(all, s)
	}
	return all, nil
}

// scenarioKeys contains the keys of a scenario, and the functions that read their values.
var scenarioKeys = map[string]func(*Scenario, ast.Node){
	"id":     func(s *Scenario, n ast.Node) { s.ID, _ = s.textOf("id", n) },
	"name":   func(s *Scenario, n ast.Node) { s.Name, _ = s.textOf("name", n) },
	"source": func(s *Scenario, n ast.Node) { s.textOf("source", n) },
	"note":   func(s *Scenario, n ast.Node) { s.textOf("note", n) },
	"seen":   func(s *Scenario, n ast.Node) { s.seen = s.boolOf("seen", n) || s.frame > 0 },
	"frame":  (*Scenario).readFrame,
	"life":   func(s *Scenario, n ast.Node) { s.life = s.boolOf("life", n) },
	"want":   (*Scenario).readWant,
	"buffs":  nil,                          // readCatalog reads all fields with definitions, before the script
	"load":   func(*Scenario, ast.Node) {}, // readCatalog reads it
	"script": (*Scenario).readScript,

	"attributes": nil, "curves": nil, "slots": nil, "dr": nil, "dead": nil, "templates": nil,
	"tags": nil, "groups": nil, "handlers": nil, "acts": nil, "icons": nil,
}

// readFrame reads the length of a frame.
func (s *Scenario) readFrame(n ast.Node) {
	text, _ := definition.Text(n)
	span, err := time.ParseDuration(text)
	if err != nil || span%MinFrame != 0 || span < MinFrame || span > LongestFrame {
		s.fail(n, `"frame" must be a span of whole milliseconds from %v to %v, such as 500ms, not %s`, MinFrame, LongestFrame, definition.Describe(n))
		return
	}
	s.seen, s.frame = true, span
}

func parseScenario(file string, text []byte, node ast.Node, listed bool, load Loader) *Scenario {
	s := &Scenario{file: file, text: text, node: node, Listed: listed, buffs: map[string]bool{}, load: load}
	fields, ok := s.fieldsOf("a scenario", node, slices.Sorted(maps.Keys(scenarioKeys)))
	if !ok {
		return s
	}
	s.readCatalog(fields)
	for _, key := range slices.Sorted(maps.Keys(scenarioKeys)) {
		if read := scenarioKeys[key]; read != nil && fields[key] != nil {
			read(s, fields[key].Value)
		}
	}
	if fields["script"] == nil {
		s.fail(node, `the "script" is missing`)
	}
	s.wantFrames(fields["buffs"])
	if last := max(s.LastStep(), s.lastWanted()); s.frame > 0 && int64(last) > MaxEvents*s.frame.Milliseconds() {
		s.fail(fields["frame"].Value, `with "frame: %v" the script has more than %d frames: make them longer, or the script shorter`, s.frame, MaxEvents)
	}
	for i := range s.steps {
		if st := &s.steps[i]; st.verb != nil && st.verb.frames && !s.seen {
			s.NeedsFrames = true
			s.fail(st.node, "%q: it is the frames that decide when an aura looks who is near: say \"frame: 500ms\", the length of a frame", st.verb.word)
		}
	}
	slices.SortStableFunc(s.Faults, func(a, b *definition.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return s
}

// wantFrames reports an error for each definition that makes the log depend on the length of
// frames, if the scenario has neither "frame" nor "seen: true", which fix the frames. Of the definitions of
// the field "load", only those that the script applies are checked.
func (s *Scenario) wantFrames(buffs *ast.MappingValueNode) {
	if s.seen || s.Catalog == nil {
		return
	}
	if buffs != nil {
		list, _ := definition.Fields(buffs.Value)
		for _, f := range list {
			id, _ := definition.Text(f.Key)
			at := f.Key.(ast.Node)
			words, _ := definition.Fields(f.Value)
			for _, w := range words {
				if key, _ := definition.Text(w.Key); key == "catchup" {
					at = w.Key
				}
			}
			s.wantFramesFor(id, f.Key, at)
		}
	}
	checked := map[string]bool{}
	for i := range s.steps {
		if st := &s.steps[i]; s.loaded && st.verb == verbs["apply"] && !checked[st.name] {
			checked[st.name] = true
			s.wantFramesFor(st.name, st.node, st.node)
		}
	}
}

// wantFramesFor is wantFrames for one definition. The nodes are the positions of errors about the
// definition and about its field "catchup".
func (s *Scenario) wantFramesFor(id string, at, catchup ast.Node) {
	spec := s.Catalog.Spec(id)
	if spec != nil && reachesOut(&spec.On) {
		s.NeedsFrames = true
		s.fail(at, "%q: an action for another owner comes at the end of a frame: say \"frame: 500ms\", the length of a frame", id)
	}
	if spec != nil && spec.Catchup != define.CatchupAll {
		s.NeedsFrames = true
		s.fail(catchup, "%q: \"catchup\" is about the pulses of one frame: say \"seen: true\", so that each step ends a frame, or \"frame: 500ms\"", id)
	}
}

// reachesOut reports whether a hook has an action for another owner. Such an action is executed at
// the end of a frame. Actions of on.act and on.death do not count, because usually a step causes
// them.
func reachesOut(h *define.Hooks) bool {
	lists := append(slices.Collect(maps.Values(h.Remove)), h.Apply, h.Refresh, h.Pulse, h.Exec, h.Overflow, h.RemoveAny)
	return slices.ContainsFunc(lists, func(list []define.Action) bool {
		return slices.ContainsFunc(list, func(a define.Action) bool { return a.To != define.ToOwner })
	})
}

// Title returns the ID and the name of the scenario.
func (s *Scenario) Title() string { return strings.TrimSpace(s.ID + " " + s.Name) }

// Errorf returns an error with the position of the scenario.
func (s *Scenario) Errorf(format string, args ...any) error {
	return s.errorAt(s.node, format, args...)
}

func (s *Scenario) errorAt(n ast.Node, format string, args ...any) *definition.Error {
	return definition.ErrorAt(s.file, s.text, n, fmt.Sprintf(format, args...))
}

func (s *Scenario) fail(n ast.Node, format string, args ...any) {
	s.Faults = append(s.Faults, s.errorAt(n, format, args...))
}

// readCatalog reads the definitions. A scenario may have none.
func (s *Scenario) readCatalog(fields fieldMap) {
	for _, key := range slices.Sorted(maps.Keys(scenarioKeys)) {
		if scenarioKeys[key] == nil && fields[key] != nil {
			s.defines = append(s.defines, fields[key])
		}
	}
	if f := fields["buffs"]; f != nil {
		list, _ := definition.Fields(f.Value)
		for _, f := range list {
			if id, ok := definition.Text(f.Key); ok {
				s.buffs[id] = true
			}
		}
	}
	s.tags = saidTags(fields["script"])
	if f := fields["load"]; f != nil {
		s.loadCatalog(f)
		return
	}
	c, err := definition.ParseFields(s.file, s.text, s.tags, s.defines...)
	if err != nil {
		s.Faults = append(s.Faults, err.(definition.Errors)...)
	}
	s.Catalog = c
}

// loadCatalog reads the definitions from the files that the field "load" names.
func (s *Scenario) loadCatalog(f *ast.MappingValueNode) {
	s.loaded = true
	if len(s.defines) > 0 {
		s.fail(s.defines[0].Key, "%s: with \"load\", all definitions are in the files that it names", definition.Describe(s.defines[0].Key))
	}
	path, ok := s.textOf("load", f.Value)
	if !ok {
		return
	}
	c, err := s.load(path, s.tags)
	if err != nil {
		s.fail(f.Value, "\"load\": %v", firstOf(err))
		return
	}
	s.Catalog = c
	for spec := range c.All() {
		s.buffs[spec.ID] = true
	}
}

// firstOf returns the first error of a list, as one line that also says how many there are.
func firstOf(err error) string {
	var list definition.Errors
	if !errors.As(err, &list) {
		return err.Error()
	}
	text, _, _ := strings.Cut(list[0].Error(), "\n")
	if len(list) > 1 {
		text += fmt.Sprintf(" (the first of %d errors)", len(list))
	}
	return text
}

// Warnings returns the warnings about the definitions of a scenario without faults. There are none
// about the files that it loads.
func (s *Scenario) Warnings(o definition.CheckOptions) definition.Errors {
	if s.loaded {
		return nil
	}
	_, warnings, err := definition.CheckFields(o, s.file, s.text, s.tags, s.defines...)
	if err != nil {
		panic("scenario: Warnings of a scenario with faults: " + err.Error())
	}
	return warnings
}

// Is reports whether a text is a scenario or a list of scenarios, and not a file of definitions. A
// list is treated as scenarios, and so is a map with the key "script".
func Is(file string, text []byte) bool {
	root, err := definition.Tree(file, text)
	if err != nil {
		return false
	}
	if _, listed := root.(*ast.SequenceNode); listed {
		return true
	}
	fields, _ := definition.Fields(root)
	return slices.ContainsFunc(fields, func(f *ast.MappingValueNode) bool {
		key, _ := definition.Text(f.Key)
		return key == "script"
	})
}

// saidTags returns the tags and schools that the steps and their queries name. The catalog must
// know them even if no definition has them, because such a tag may be below a tag of a definition,
// and then also has the effects of that tag.
func saidTags(script *ast.MappingValueNode) (tags []string) {
	if script == nil {
		return nil
	}
	list, _ := script.Value.(*ast.SequenceNode)
	if list == nil {
		return nil
	}
	for _, step := range list.Values {
		fields, _ := definition.Fields(step)
		for _, f := range fields {
			query, _ := definition.Fields(f.Value)
			for _, f := range slices.Concat(query, []*ast.MappingValueNode{f}) {
				key, _ := definition.Text(f.Key)
				name, ok := definition.Text(f.Value)
				if ok && slices.Contains(tagKeys, key) && !slices.Contains(tags, name) {
					tags = append(tags, name)
				}
			}
		}
	}
	return tags
}

// tagKeys are the keys of steps and queries whose values are tags.
var tagKeys = []string{"immune", "school", "tag", "untag", "vulnerable"}

func (s *Scenario) readWant(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		s.fail(n, `"want" must be a list of lines, not %s`, definition.Describe(n))
		return
	}
	s.Want = []string{}
	for _, v := range list.Values {
		line, _ := s.textOf("want", v)
		s.Want = append(s.Want, line)
	}
}

// short truncates text for an error message.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// didYouMean returns a hint with the known name that is most similar to name, or "" if no name is
// similar.
func didYouMean(name string, known []string) string {
	if near := misspelt.Near(name, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// fieldMap contains the fields of a map in a file, by their keys.
type fieldMap map[string]*ast.MappingValueNode

// fieldsOf returns the fields of n, and reports whether n is a map. It reports unknown and repeated
// keys as errors.
func (s *Scenario) fieldsOf(what string, n ast.Node, known []string) (fieldMap, bool) {
	list, ok := definition.Fields(n)
	if !ok {
		s.fail(n, "want %s, a map with the keys %s, not %s", what, strings.Join(known, ", "), definition.Describe(n))
		return nil, false
	}
	fields := fieldMap{}
	for _, f := range list {
		key := f.Key.GetToken().Value
		switch {
		case !slices.Contains(known, key):
			hint := didYouMean(key, known)
			if now := definition.FormerSteps[key]; slices.Contains(known, now) {
				hint = fmt.Sprintf(": it is now %q: bufftick validate -fix rewrites files", now)
			}
			if hint == "" {
				hint = ": want " + strings.Join(known, ", ")
			}
			s.fail(f.Key, "unknown key %s in %s%s", definition.Describe(f.Key), what, hint)
		case fields[key] != nil:
			s.fail(f.Key, "%s is repeated", definition.Describe(f.Key))
		default:
			fields[key] = f
		}
	}
	return fields, true
}

// textOf returns the text in n, without the line feed at the end of a block, and reports whether n
// is a text.
func (s *Scenario) textOf(key string, n ast.Node) (string, bool) {
	if text, ok := definition.Text(n); ok {
		return strings.TrimSuffix(text, "\n"), true
	}
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		s.fail(n, "%q must be text: put %s in quotes", key, definition.Describe(n))
	default:
		s.fail(n, "%q must be text, not %s", key, definition.Describe(n))
	}
	return "", false
}

func (s *Scenario) boolOf(key string, n ast.Node) bool {
	if b, ok := n.(*ast.BoolNode); ok {
		return b.Value
	}
	s.fail(n, "%q must be true or false, not %s", key, definition.Describe(n))
	return false
}

// intOf returns the whole number in n, and reports whether n is a whole number from low to high.
func (s *Scenario) intOf(key string, n ast.Node, low, high int64) (int64, bool) {
	text := n.GetToken().Value
	i, err := strconv.ParseInt(text, 10, 64)
	if _, ok := n.(*ast.IntegerNode); !ok || err != nil {
		s.fail(n, "%q must be a whole number, not %s", key, definition.Describe(n))
		return 0, false
	}
	if i < low || i > high {
		s.fail(n, "%q must be from %d to %d, not %d", key, low, high, i)
		return 0, false
	}
	return i, true
}
