package definition

import (
	"cmp"
	"fmt"
	"slices"
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

// Change is one edit of [Fix].
type Change struct {
	Line, Column int // counted from 1, in characters
	Old, New     string
}

// Fix rewrites the former words in a text with definitions or scenarios. Comments, order and line
// ends stay as they are. It returns the new text and the changes, in the order of the text. The
// error is that of [Tree]. A text without former words is returned unchanged.
func Fix(name string, src []byte) ([]byte, []Change, error) {
	root, err := Tree(name, src)
	if err != nil {
		return nil, nil, err
	}
	f := fixer{text: string(src), starts: lineStarts(src)}
	if list, ok := root.(*ast.SequenceNode); ok {
		for _, n := range list.Values {
			f.file(n)
		}
	} else {
		f.file(root)
	}
	out, changes := f.apply()
	if _, err := Tree(name, out); err != nil {
		return nil, nil, fmt.Errorf("%s: the fixed text cannot be read: %w", name, err)
	}
	return out, changes, nil
}

// fixer collects the edits of one text.
type fixer struct {
	text   string
	starts []int // byte offset of each line
	edits  []edit
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
	change   Change
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
		entries, _ := Fields(s.Value)
		path, isTable := map[string]string{"buffs": "", "slots": "slot", "dr": "dr"}[keyOf(s)]
		for _, e := range entries {
			if isTable {
				f.visit(path, e.Value)
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
		for _, v := range list.Values {
			f.visit(path, v)
		}
		return
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
		f.edits = append(f.edits, edit{from, from + len(old), now, Change{p.line, p.column, old, now}})
	}
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
func (f *fixer) apply() (out []byte, changes []Change) {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	done := 0
	for _, e := range f.edits {
		out = append(append(out, f.text[done:e.from]...), e.with...)
		done = e.to
		changes = append(changes, e.change)
	}
	return append(out, f.text[done:]...), changes
}
