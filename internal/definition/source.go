package definition

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// source is the text of one file, kept for error messages.
type source struct {
	name  string
	index int // index among the files of the catalog
	text  string

	// The `at` field is the number of the line that the method [source.line] returned last, and
	// `offset` is the index in the text where that line starts. They make the method fast, because
	// most errors are reported in line order. The `runes` field has the characters of the line that
	// was last quoted in an error, and `last` is the number of that line, so that a long line with
	// many errors is decoded only once.
	at, offset int
	last       int
	runes      []rune

	// Positions of values with an error that has been reported; only for tables.
	poisoned map[position]bool
}

// position is a line and a column of a source. Both count from 1. Columns count characters.
type position struct{ line, column int }

// start is the first position of a source. It is also used for errors that have no position.
var start = position{1, 1}

// plain returns text in the form that the parser expects, which has no byte order mark and ends
// lines with line feeds. Positions stay the same.
func plain(text []byte) string {
	s := strings.TrimPrefix(string(text), "\ufeff")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}

// newSource returns a source for a text in the form that the function `plain` returns.
func newSource(name, text string) *source { return &source{name: name, text: text, at: 1} }

// line returns line n of the text, and reports whether it exists. The cost is proportional to the
// distance from the line that was returned last, or from the start of the text if n is before that
// line.
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

// isUTF16 reports whether a text is in UTF-16, which spreadsheets call "Unicode". Such a text
// starts with a byte order mark, or has a zero byte next to each of its first two letters.
func isUTF16(text string) bool {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return true
	}
	return len(text) >= 4 && (text[0] == 0) == (text[2] == 0) && (text[1] == 0) == (text[3] == 0) && (text[0] == 0) != (text[1] == 0)
}

// unreadable returns the position and a description of the first invalid character in a plain
// text. The description is "" if the text is valid. The check is needed because the parser accepts
// invalid bytes in names.
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

// untab replaces tabs outside of quotes with spaces, if the text is in flow style, such as JSON.
// Tabs are valid there, but the lexer rejects some of them. In a text in block style, untab keeps
// the tabs, because they may be mistakes that must be reported.
func untab(text string) string {
	begin := strings.TrimLeft(text, " \t\n")
	if !strings.Contains(text, "\t") || !strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "[") {
		return text
	}
	out := []byte(text)
	last := byte('\n') // last byte that is not white space; it decides whether a quote starts a quoted text
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

// quoted returns the length of the quoted text at the start of s.
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

// fixColumns corrects the columns of tokens that follow a tab on the same line, because the lexer
// counts them wrongly. It searches the rest of the line for the text of each token.
func fixColumns(tokens token.Tokens, text string) {
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

// excerpt returns the line at p with its number, followed by a line with a caret below the
// position. If the line is long, excerpt shows only the part around the caret.
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

// harmless returns r or, if r is a control character, a replacement, because a terminal might
// interpret control characters.
func harmless(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return utf8.RuneError
	}
	return r
}

// wide reports whether r occupies two columns in a terminal: ideographs, kana, Hangul,
// full-width forms and emoji.
func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
}
