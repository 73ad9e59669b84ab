package definition

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// formerWords has the words of earlier versions of the format and the present ones, by field. Load
// refuses a former word and names the present one; [Fix] replaces it.
var formerWords = map[string]map[string]string{
	"group.rule":     {"equalOrHigher": "equal_or_higher", "sameSourceOnly": "same_source_only"},
	"save.mode":      {"ifRemaining": "if_remaining"},
	"slot.evict":     {"lowest-priority": "lowest_priority", "soonest-to-end": "soonest_to_end"},
	"stack.level":    {"higherWins": "higher_wins"},
	"stack.overflow": {"replace-oldest": "replace_oldest"},
	"stack.refresh":  {"residual-tick": "residual_tick"},
}

// isFormerWord reports whether a word is from an earlier version of the format. If so, it adds an
// error.
func (d *definition) isFormerWord(field string, p position, word string) bool {
	now, is := formerWords[kindOfField(field)][word]
	if is {
		d.fail(field, p, "%s is now %s: bufftick validate -fix rewrites files", quote(word), now)
	}
	return is
}

// kindOfField returns the path of a field without the names that the author of a file has chosen
// and without indexes, such as "slot.evict" for "slots.debuff.evict".
func kindOfField(field string) string {
	if rest, ok := strings.CutPrefix(field, "slots."); ok {
		return "slot" + rest[strings.LastIndexByte(rest, '.'):]
	}
	return field
}

// formerField is a field of an earlier version of the format.
type formerField struct {
	now string // what to write instead
	// fix makes the edits for one definition. The path has the field and the fields that contain it.
	fix func(f *fixer, def ast.Node, path []*ast.MappingValueNode) bool
}

// formerFields has the fields of earlier versions of the format, by their paths. As with
// formerWords, Load refuses them and [Fix] rewrites them.
var formerFields map[string]formerField

func init() { // the functions use tables that use formerFields
	formerFields = map[string]formerField{
		"on_zone":              {"on_area", (*fixer).onZone},
		"stack.refresh_pct":    {"stack: {refresh_share: 0.3}", (*fixer).refreshShare},
		"stack.overflow_apply": {"on: {overflow: [{apply: ID}]}", (*fixer).overflowApply},
	}
}

// FormerSteps has the keys of steps of earlier versions of scenarios, and the present ones.
var FormerSteps = map[string]string{
	"zone": "area", "pause_zone": "pause_area", "resume_zone": "resume_area", "rate_zone": "rate_area",
}

// formerParts has the fields that were numbers of parts, and are shares from 0 to 1 now.
var formerParts = map[string]int{"chance": 1000, "dispel.resist": 1000, "shield.share": 100}

// isParts reports whether a value is a number of parts. A 1 can be both, and counts as a share.
func isParts(n ast.Node) bool {
	_, isInt := n.(*ast.IntegerNode)
	v, why := realOf(n)
	return isInt && why == "" && v > 1
}

// toShare rewrites a number of parts as a share.
func (f *fixer) toShare(n ast.Node, parts int) {
	v, why := realOf(n)
	if _, isInt := n.(*ast.IntegerNode); isInt && why == "" && v > 0 {
		f.replace(n, n.GetToken().Value, strconv.FormatFloat(v/float64(parts), 'f', -1, 64))
	}
}

// refreshShare renames stack.refresh_pct.
func (f *fixer) refreshShare(_ ast.Node, path []*ast.MappingValueNode) bool {
	v, why := realOf(path[1].Value)
	key, value := f.offset(at(path[1].Key)), f.offset(at(path[1].Value))
	if why != "" {
		return false
	}
	if f.text[key] == '"' || f.text[key] == '\'' {
		key++
	}
	f.edit(key, key+len("refresh_pct"), "refresh_share")
	f.edit(value, value+len(path[1].Value.GetToken().Value), strconv.FormatFloat(v/100, 'f', -1, 64))
	return true
}

// Change is one change of [Fix], with its position at the time of the change.
type Change struct {
	Line, Column int // counted from 1, in characters
	Old, New     string
}

// Fix rewrites the former words and fields in a text with definitions or scenarios. Comments, order
// and line ends stay as they are. It returns the new text and the changes. The error is that of
// [Tree]. A text without former words is returned unchanged. In a table, Fix rewrites only words.
func Fix(name string, src []byte) (out []byte, changes []Change, err error) {
	for out = src; ; { // one pass rewrites at most one field of each definition
		root, err := Tree(name, out)
		if err != nil && len(changes) > 0 {
			return nil, nil, fmt.Errorf("%s: the fixed text cannot be read: %w", name, err)
		}
		if err != nil {
			return nil, nil, err
		}
		f := fixer{text: string(out), starts: lineStarts(out), table: isTable(name)}
		if list, ok := root.(*ast.SequenceNode); ok {
			for _, n := range list.Values {
				f.file(n)
			}
		} else {
			f.file(root)
		}
		if len(f.edits) == 0 {
			return out, changes, nil
		}
		out = f.apply()
		changes = append(changes, f.changes...)
	}
}

// fixer collects the edits of one pass.
type fixer struct {
	text    string
	starts  []int // byte offset of each line
	table   bool
	edits   []edit
	changes []Change
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
}

// lineStarts returns the byte offsets of the lines of a text. Lines end as in the function plain.
func lineStarts(src []byte) []int {
	starts := []int{len(src) - len(strings.TrimPrefix(string(src), "\ufeff"))}
	for i, c := range src {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// file visits the definitions and tables of one file or scenario.
func (f *fixer) file(n ast.Node) {
	sections, _ := Fields(n)
	for _, s := range sections {
		if keyOf(s) == "script" {
			f.steps(s.Value)
			continue
		}
		entries, _ := Fields(s.Value)
		path, isTable := map[string]string{"buffs": "", "templates": "", "slots": "slot", "dr": "dr"}[keyOf(s)]
		for _, e := range entries {
			if isTable {
				f.visit(path, e.Value)
			}
			if isTable && path == "" && !f.table {
				f.definition(e.Value)
			}
		}
	}
}

// steps rewrites the former keys of the steps of a scenario.
func (f *fixer) steps(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return
	}
	for _, step := range list.Values {
		fields, _ := Fields(step)
		for _, v := range fields {
			if now, is := FormerSteps[keyOf(v)]; is {
				f.replace(v.Key, keyOf(v), now)
			}
		}
	}
}

// visit visits a value and the values in it.
func (f *fixer) visit(path string, n ast.Node) {
	if fields, ok := Fields(n); ok {
		for _, v := range fields {
			f.visit(join(path, keyOf(v)), v.Value)
		}
		return
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		if path == "dr.steps" && slices.ContainsFunc(list.Values, isParts) {
			for _, v := range list.Values {
				f.toShare(v, 100)
			}
		}
		for _, v := range list.Values {
			f.visit(path, v)
		}
		return
	}
	if parts := formerParts[path]; parts > 0 && isParts(n) {
		f.toShare(n, parts)
	}
	if word, ok := Text(n); ok {
		if now, is := formerWords[path][word]; is {
			f.replace(n, word, now)
		}
	}
}

// replace replaces a word where it is written, with or without quotes.
func (f *fixer) replace(n ast.Node, old, now string) {
	p := at(n)
	from := f.offset(p)
	for from < len(f.text) && strings.IndexByte("\"'", f.text[from]) >= 0 {
		from++
	}
	if strings.HasPrefix(f.text[from:], old) { // otherwise it is written with escapes: Load reports it
		f.edit(from, from+len(old), now)
		f.changes = append(f.changes, Change{p.line, p.column, old, now})
	}
}

// definition rewrites the first former field of a definition.
func (f *fixer) definition(def ast.Node) {
	for _, name := range slices.Sorted(maps.Keys(formerFields)) {
		var path []*ast.MappingValueNode
		n := def
		for word := range strings.SplitSeq(name, ".") {
			field := fieldOf(n, word)
			if field == nil {
				path = nil
				break
			}
			path, n = append(path, field), field.Value
		}
		before := len(f.edits)
		if path == nil {
			continue
		}
		if !formerFields[name].fix(f, def, path) {
			f.edits = f.edits[:before]
			continue
		}
		p := at(path[len(path)-1].Key)
		f.changes = append(f.changes, Change{p.line, p.column, name, formerFields[name].now})
		return
	}
}

// onZone renames on_zone to on_area.
func (f *fixer) onZone(def ast.Node, path []*ast.MappingValueNode) bool {
	from := f.offset(at(path[0].Key))
	if i := strings.Index(f.text[from:], "on_zone"); i == 0 || i == 1 { // 1: in quotes
		f.edit(from+i, from+i+len("on_zone"), "on_area")
		return fieldOf(def, "on_area") == nil
	}
	return false
}

// overflowApply moves stack.overflow_apply to on.overflow.
func (f *fixer) overflowApply(def ast.Node, path []*ast.MappingValueNode) bool {
	list, ok := path[1].Value.(*ast.SequenceNode)
	if !ok {
		return false
	}
	var actions []string
	for _, n := range list.Values {
		id, ok := Text(n)
		if !ok {
			return false
		}
		actions = append(actions, `{"apply": `+inJSON(id)+`}`)
	}
	return f.remove(path[0].Value, path[1]) && f.hook(def, path[0], "overflow", actions)
}

// offset returns the byte offset of a position.
func (f *fixer) offset(p position) int {
	i := f.starts[min(p.line, len(f.starts))-1]
	for range p.column - 1 {
		for i++; i < len(f.text) && f.text[i]&0xC0 == 0x80; i++ { // the rest of a character
		}
	}
	return min(i, len(f.text))
}

// apply returns the text with all edits.
func (f *fixer) apply() (out []byte) {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	done := 0
	for _, e := range f.edits {
		out = append(append(out, f.text[done:e.from]...), e.with...)
		done = e.to
	}
	return append(out, f.text[done:]...)
}
