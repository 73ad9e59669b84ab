package definition

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a table, in addition to the limits of every file.
const (
	maxColumns = 500
	maxPath    = 8       // words, separated by dots, of one column name
	maxCell    = 10_000  // characters of one cell
	maxCells   = 200_000 // non-empty cells of a table
	maxFlow    = 120_000 // elements, brackets, commas and colons in all cells together
)

// cell is one cell of a table.
type cell struct {
	text    string
	at      position // position of the first character of the text
	quoted  bool
	doubled []position // positions, in the text, of quotes that are doubled in the file
}

// tableScan splits the plain text of a table into rows of cells.
type tableScan struct {
	rest  string
	by    byte // delimiter
	at    position
	cells []cell // cells of the last row
}

// next returns the next non-empty row, or no cells after the last row. The cells are valid until
// the next call. If the text is not a valid table, next returns the position and the description of
// the error.
func (s *tableScan) next() (row []cell, p position, what string) {
	for s.rest != "" {
		s.cells = s.cells[:0]
		blank := true
		for end := s.by; end == s.by; {
			var c cell
			if c, end, what = s.cell(); what != "" {
				return nil, c.at, what
			}
			if len(s.cells) == maxColumns {
				return nil, c.at, fmt.Sprintf("more than %d columns", maxColumns)
			}
			s.cells = append(s.cells, c)
			blank = blank && strings.TrimSpace(c.text) == ""
		}
		if !blank {
			return s.cells, position{}, ""
		}
	}
	return nil, position{}, ""
}

// skip advances by n bytes.
func (s *tableScan) skip(n int) {
	s.at = s.at.over(s.rest[:n])
	s.rest = s.rest[n:]
}

// over returns the position after a text that starts at p.
func (p position) over(text string) position {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.line += strings.Count(text, "\n")
		p.column, text = 1, text[i+1:]
	}
	p.column += utf8.RuneCountInString(text)
	return p
}

// cell reads one cell. It also returns the byte after the cell, which is the delimiter, a line
// feed, or 0 at the end of the text.
func (s *tableScan) cell() (c cell, end byte, what string) {
	if strings.HasPrefix(s.rest, `"`) {
		c, what = s.quoted()
	} else {
		n := 0
		for n < len(s.rest) && s.rest[n] != s.by && s.rest[n] != '\n' {
			n++
		}
		c = cell{text: s.rest[:n], at: s.at}
		s.skip(n)
	}
	switch {
	case what != "":
		return c, 0, what
	case utf8.RuneCountInString(c.text) > maxCell:
		return c, 0, fmt.Sprintf("more than %d characters in one cell", maxCell)
	case s.rest == "":
		return c, 0, ""
	}
	end = s.rest[0]
	s.skip(1)
	return c, end, ""
}

// quoted reads a cell in quotes. A quote within the cell is written twice.
func (s *tableScan) quoted() (c cell, what string) {
	open := s.at
	s.skip(1)
	c = cell{at: s.at, quoted: true}
	var text strings.Builder
	inside := start // current position in the text of the cell
	for {
		n := strings.IndexByte(s.rest, '"')
		if n < 0 {
			return cell{at: open}, "this quote is never closed"
		}
		text.WriteString(s.rest[:n])
		inside = inside.over(s.rest[:n])
		s.skip(n + 1)
		if !strings.HasPrefix(s.rest, `"`) {
			break
		}
		s.skip(1)
		c.doubled = append(c.doubled, inside)
		text.WriteByte('"')
		inside.column++
	}
	c.text = text.String()
	blanks := " \t"
	if s.by == '\t' {
		blanks = " "
	}
	behind := strings.TrimLeft(s.rest, blanks)
	if behind != "" && behind[0] != s.by && behind[0] != '\n' {
		return cell{at: s.at}, `text after the closing quote: write a quote within quotes as ""`
	}
	s.skip(len(s.rest) - len(behind))
	return c, ""
}

// place converts a position in the cell's text to a position in the file.
func (c *cell) place(p position) position {
	first := sort.Search(len(c.doubled), func(i int) bool { return c.doubled[i].line >= p.line })
	twice := sort.Search(len(c.doubled)-first, func(i int) bool {
		d := c.doubled[first+i]
		return d.line > p.line || d.column >= p.column
	})
	if p.line == 1 {
		return position{c.at.line, c.at.column + p.column - 1 + twice}
	}
	return position{c.at.line + p.line - 1, p.column + twice}
}

// part is a part of a cell, without surrounding white space.
type part struct {
	cell *cell
	text string
	at   position // position of the part in the text of the cell
}

// whole returns the whole contents of a cell.
func (c *cell) whole() part { return part{c, c.text, start}.trim() }

func (p part) trim() part {
	begin := strings.TrimLeftFunc(p.text, unicode.IsSpace)
	p.at = p.at.over(p.text[:len(p.text)-len(begin)])
	p.text = strings.TrimRightFunc(begin, unicode.IsSpace)
	return p
}

// place converts a position in the part to a position in the file.
func (p part) place(q position) position {
	if q.line == 1 {
		return p.cell.place(position{p.at.line, p.at.column + q.column - 1})
	}
	return p.cell.place(position{p.at.line + q.line - 1, q.column})
}

// begin returns the position of the part in the file.
func (p part) begin() position { return p.place(start) }

// elements splits the part at semicolons outside of brackets and quotes.
func (p part) elements() (list []part) {
	rest, at := p.text, p.at
	for {
		n := lengthOf(rest)
		list = append(list, part{p.cell, rest[:n], at}.trim())
		if n == len(rest) {
			return list
		}
		at = at.over(rest[:n+1])
		rest = rest[n+1:]
	}
}

// lengthOf returns the length of the first element of s. Quotes and brackets are only special at
// the start of the element and inside brackets.
func lengthOf(s string) int {
	i := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	depth := 0
	for begin := i; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			if i == begin || depth > 0 && strings.IndexByte("{[,: ", s[i-1]) >= 0 {
				i += quoted(s[i:]) - 1
			}
		case c == '[' || c == '{':
			if i == begin || depth > 0 {
				depth++
			}
		case c == ']' || c == '}':
			depth = max(depth-1, 0)
		case c == ';' && depth == 0:
			return i
		}
	}
	return len(s)
}
