package catalog

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is the text of one file, kept for the messages.
type source struct {
	name  string
	index int // its place among the files of the catalog
	lines []string
}

// position is a place in a source, both counted from 1, in characters.
type position struct{ line, column int }

// start is the position of what has none of its own.
var start = position{1, 1}

// plain returns text as the parser wants it: no byte order mark, lines that end in
// a line feed. Neither changes the line or column of anything.
func plain(text []byte) string {
	s := strings.TrimPrefix(string(text), "\ufeff")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}

// newSource cuts a plain text into lines.
func newSource(name, text string) *source {
	return &source{name: name, lines: strings.Split(text, "\n")}
}

// unreadable returns the first place in a plain text that is no text, and what it
// is; "" if all is well. The parser would carry such bytes on into names.
func unreadable(text string) (position, string) {
	line, column := 1, 0
	for i, r := range text {
		column++
		switch {
		case r == '\n':
			line, column = line+1, 0
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return position{line, column}, "not UTF-8: save the file as UTF-8"
		case r == '\t':
		case unicode.IsControl(r), r == '\ufeff':
			return position{line, column}, fmt.Sprintf("the control character %U is not text", r)
		}
	}
	return position{}, ""
}

// untab returns a plain text in flow style, as JSON is, with the tabs in front of
// each line replaced by as many spaces: the parser loses count of the columns after
// a tab. A block style text stays as it is, since there the parser refuses tabs.
func untab(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "{") && !strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "[") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		rest := strings.TrimLeft(l, " \t")
		lines[i] = strings.Repeat(" ", len(l)-len(rest)) + rest
	}
	return strings.Join(lines, "\n")
}

// excerpt returns the line at p with its number and a line with a caret beneath.
// Of a long line it shows the part around the caret.
func (s *source) excerpt(p position) string {
	const whole, before, after = 120, 60, 60
	if p.line < 1 || p.line > len(s.lines) {
		return ""
	}
	line := []rune(s.lines[p.line-1])
	caret := min(max(p.column-1, 0), len(line))
	head, tail := "", ""
	if len(line) > whole && caret+after < len(line) {
		line, tail = line[:caret+after], "…"
	}
	if cut := caret - before; len(line) > whole && cut > 0 {
		line, head, caret = line[cut:], "…", before
	}
	for i, r := range line {
		if r != '\t' && unicode.IsControl(r) {
			line[i] = utf8.RuneError // a terminal might obey it
		}
	}
	var pad strings.Builder
	for _, r := range head + string(line[:caret]) {
		switch {
		case r == '\t':
			pad.WriteByte('\t')
		case wide(r):
			pad.WriteString("  ")
		default:
			pad.WriteByte(' ')
		}
	}
	return fmt.Sprintf("%4d | %s%s%s\n     | %s^", p.line, head, string(line), tail, pad.String())
}

// wide reports whether a terminal gives r two columns: the ideographs, kana,
// Hangul, full-width forms and the pictures.
func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
}
