package definition

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on a table, beside those on every file.
const (
	maxColumns = 500
	maxPath    = 8       // words of a name at the head of a column
	maxCell    = 10_000  // characters of one cell
	maxCells   = 200_000 // cells of one table in which there is something
	maxFlow    = 120_000 // elements of its lists, and brackets, commas and colons
)

// cell is one cell of a table.
type cell struct {
	text    string
	at      position // of the first character of the text
	quoted  bool
	doubled []position // the quotes within the text that the file has twice; places in the text
}

// tableScan cuts a plain text into the rows of a table.
type tableScan struct {
	rest  string
	by    byte // between two cells: one of delimiters
	at    position
	cells []cell // of the last row
}

// next cuts off the next row in which there is something; it has no cells behind the
// last. The cells are overwritten by the next call. If the text goes on in a way that
// is no table, it says where and what.
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

// skip goes on over n bytes.
func (s *tableScan) skip(n int) {
	s.at = s.at.over(s.rest[:n])
	s.rest = s.rest[n:]
}

// over returns the place behind a text that begins at p.
func (p position) over(text string) position {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.line += strings.Count(text, "\n")
		p.column, text = 1, text[i+1:]
	}
	p.column += utf8.RuneCountInString(text)
	return p
}

// cell cuts off one cell and what ends it: the delimiter, a line end, or 0 for the end of the
// text.
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

// quoted cuts off a cell in quotes. In it a quote stands twice.
func (s *tableScan) quoted() (c cell, what string) {
	open := s.at
	s.skip(1)
	c = cell{at: s.at, quoted: true}
	var text strings.Builder
	inside := start // the place in the text of the cell
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
		return cell{at: s.at}, `text behind the closing quote: within quotes write a quote twice ("")`
	}
	s.skip(len(s.rest) - len(behind))
	return c, ""
}

// place returns where in the file the place p of the cell's text is.
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

// part is a piece of a cell, without the white space around it.
type part struct {
	cell *cell
	text string
	at   position // in the text of the cell
}

// whole returns all that stands in a cell.
func (c *cell) whole() part { return part{c, c.text, start}.trim() }

func (p part) trim() part {
	begin := strings.TrimLeftFunc(p.text, unicode.IsSpace)
	p.at = p.at.over(p.text[:len(p.text)-len(begin)])
	p.text = strings.TrimRightFunc(begin, unicode.IsSpace)
	return p
}

// place returns where in the file the place q of the part is.
func (p part) place(q position) position {
	if q.line == 1 {
		return p.cell.place(position{p.at.line, p.at.column + q.column - 1})
	}
	return p.cell.place(position{p.at.line + q.line - 1, q.column})
}

// begin returns where in the file the part begins.
func (p part) begin() position { return p.place(start) }

// elements cuts the part at its semicolons, but for those in brackets or quotes.
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

// lengthOf returns the length of the first element of s. Brackets and quotes mean
// something only at its beginning and within brackets.
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
