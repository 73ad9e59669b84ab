package definition

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// source is the text of one file, kept for the messages.
type source struct {
	name  string
	index int // its place among the files of the catalog
	text  string

	// The line that was asked for last, and where it begins: errors come in the order of
	// the lines, and many may stand in one long line.
	at, offset int
	last       int // of excerpt
	runes      []rune

	lost map[position]bool // of a table: where something is wrong that was reported
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

// newSource keeps a plain text.
func newSource(name, text string) *source { return &source{name: name, text: text, at: 1} }

// line returns a line of the text, and reports whether there is one. It looks at what is
// between that line and the last one that was asked for, or before it, if it goes back.
func (s *source) line(n int) (string, bool) {
	if n < s.at {
		s.at, s.offset = 1, 0
	}
	for n > s.at {
		i := strings.IndexByte(s.text[s.offset:], '\n')
		if i < 0 {
			return "", false
		}
		s.at, s.offset = s.at+1, s.offset+i+1
	}
	line, _, _ := strings.Cut(s.text[s.offset:], "\n")
	return line, n == s.at
}

// isUTF16 reports whether a text is what a spreadsheet saves as "Unicode": it begins with the mark of
// UTF-16, or each of its first two letters has a zero byte at its side.
func isUTF16(text string) bool {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return true
	}
	return len(text) >= 4 && (text[0] == 0) == (text[2] == 0) && (text[1] == 0) == (text[3] == 0) && (text[0] == 0) != (text[1] == 0)
}

// unreadable returns the first place in a plain text that is no text, and what it
// is; "" if all is well. The parser would carry such bytes on into names.
func unreadable(text string) (position, string) {
	if isUTF16(text) {
		return position{1, 1}, "UTF-16: save the file as UTF-8"
	}
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

// untab returns a plain text in flow style, as JSON is, with its tabs replaced by as
// many spaces, but for those in quotes: the lexer refuses some of them. A block style
// text stays as it is, since there a tab may be a mistake.
func untab(text string) string {
	begin := strings.TrimLeft(text, " \t\n")
	if !strings.Contains(text, "\t") || !strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "[") {
		return text
	}
	out := []byte(text)
	last := byte('\n') // the last byte that is no space: a quote after ',' begins a text
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '\t':
			out[i] = ' '
			continue
		case c == ' ':
			continue
		case (c == '"' || c == '\'') && strings.IndexByte("{[,:\n", last) >= 0:
			i += quoted(text[i:]) - 1
		case c == '#' && (i == 0 || strings.IndexByte(" \n", out[i-1]) >= 0):
			i += len(text[i:]) - len(strings.TrimLeftFunc(text[i:], func(r rune) bool { return r != '\n' })) - 1
			continue
		}
		last = out[i]
	}
	return string(out)
}

// quoted returns the length of the quoted text at the beginning of s.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			return i + 1
		case '\\':
			if s[0] == '"' {
				i++
			}
		}
	}
	return len(s)
}

// straighten puts the columns of tokens right that stand behind a tab in their line:
// the lexer counts these short. It looks for each in the rest of its line.
func straighten(tokens token.Tokens, text string) {
	if !strings.Contains(text, "\t") {
		return
	}
	lines := strings.Split(text, "\n")
	line, rest, column := 0, "", 1
	for _, t := range tokens {
		if n := t.Position.Line; n != line {
			if n < 1 || n > len(lines) {
				continue
			}
			line, rest, column = n, lines[n-1], 1
			if !strings.Contains(rest, "\t") {
				rest = ""
			}
		}
		word, _, _ := strings.Cut(strings.TrimSpace(t.Origin), "\n")
		i := strings.Index(rest, word)
		if word == "" || i < 0 {
			continue
		}
		column += utf8.RuneCountInString(rest[:i])
		t.Position.Column = column
		column += utf8.RuneCountInString(word)
		rest = rest[i+len(word):]
	}
}

// excerpt returns the line at p with its number and a line with a caret beneath.
// Of a long line it shows the part around the caret.
func (s *source) excerpt(p position) string {
	const whole, before, after = 120, 60, 60
	if p.line < 1 {
		return ""
	}
	if s.last != p.line {
		text, ok := s.line(p.line)
		if !ok {
			return ""
		}
		s.last, s.runes = p.line, []rune(text)
	}
	line := s.runes
	caret := min(max(p.column-1, 0), len(line))
	head, tail := "", ""
	if len(line) > whole && caret+after < len(line) {
		line, tail = line[:caret+after], "…"
	}
	if cut := caret - before; len(line) > whole && cut > 0 {
		line, head, caret = line[cut:], "…", before
	}
	shown := head + string(line) + tail
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
	return fmt.Sprintf("%4d | %s\n     | %s^", p.line, strings.Map(harmless, shown), pad.String())
}

// harmless replaces a control character, which a terminal might obey.
func harmless(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return utf8.RuneError
	}
	return r
}

// wide reports whether a terminal gives r two columns: the ideographs, kana,
// Hangul, full-width forms and the pictures.
func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
}
