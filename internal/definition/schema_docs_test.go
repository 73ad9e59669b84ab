package definition

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docLines are the tables of fields in the documentation of the package, as texts by the path of
// the field.
type docLines map[string]*docLine

type docLine struct {
	rows []docRow
	used bool
}

// docRow is a value of a field and its meaning.
type docRow struct{ value, text string }

// use returns the text about a field, and reports whether there is one.
func (l docLines) use(path string) (string, bool) {
	line := l[path]
	if line == nil {
		return "", false
	}
	line.used = true
	return line.String(), true
}

func (l docLines) unused() (paths []string) {
	for path, line := range l {
		if !line.used {
			paths = append(paths, path)
		}
	}
	return paths
}

// String returns one row as a sentence, and several rows as lines of "value: text".
func (l *docLine) String() string {
	var lines []string
	for _, r := range l.rows {
		switch {
		case slices.Contains([]string{"", "see below", "text"}, r.value):
			lines = append(lines, r.text)
		case len(l.rows) == 1:
			lines = append(lines, r.text+" ("+r.value+")")
		default:
			lines = append(lines, r.value+": "+r.text)
		}
	}
	return strings.Join(lines, "\n")
}

var (
	heading  = regexp.MustCompile(`^// # (The fields|[a-z_, ]+:)`)
	mapLine  = regexp.MustCompile(`^([a-z_]+)$`)
	nameLine = regexp.MustCompile(`^((?:  )?)([a-z_]+)(?: +|$)`)
)

// documented reads the tables. Names start in the first column, or in the third below the name of
// their map; values start in the 17th column, or after a longer name; texts start in the 43rd
// column, except those of "on", which has no values: they start in the 17th.
func documented(t *testing.T) docLines {
	t.Helper()
	src, err := os.ReadFile("../../buff/catalog/doc.go")
	require.NoError(t, err)
	lines := docLines{}
	section, parent := "", ""
	var line *docLine
	for s := range strings.Lines(string(src)) {
		s = strings.TrimRight(s, "\n")
		if strings.HasPrefix(s, "// # ") {
			section, parent, line = heading.FindString(s), "", nil
			if s == "// # stack: repeated applications" || s == "// # on: actions" {
				parent, _, _ = strings.Cut(strings.TrimPrefix(section, "// # "), ":")
			}
			continue
		}
		row, ok := strings.CutPrefix(s, "//\t")
		if !ok || section == "" || strings.HasPrefix(row, "call: ") {
			line = nil
			if strings.HasPrefix(row, "call: ") {
				section = "" // the actions have their texts in the structs
			}
			continue
		}
		if mapLine.MatchString(row) {
			parent, line = row, nil
			continue
		}
		if m := nameLine.FindStringSubmatch(row); m != nil {
			line = &docLine{}
			lines[join(parent, m[2])] = line
			row = strings.Repeat(" ", len(m[1])+len(m[2])) + row[len(m[1])+len(m[2]):]
		}
		if line != nil {
			line.add(row, parent == "on")
		}
	}
	for _, path := range []string{"stack.by", "group.rule", "save.offline_pulses", "on.remove", "name"} {
		require.Contains(t, slices.Collect(maps.Keys(lines)), path)
	}
	return lines
}

// add adds a row of the table, without the name.
func (l *docLine) add(row string, noValues bool) {
	const values = 42
	value, text := row, ""
	if len(row) > values {
		value, text = row[:values], row[values:]
	}
	if noValues {
		value, text = "", row
	}
	value, text = strings.TrimSpace(value), strings.TrimSpace(text)
	if value == "" && len(l.rows) > 0 {
		last := &l.rows[len(l.rows)-1]
		last.text += " " + text
		return
	}
	l.rows = append(l.rows, docRow{value, text})
}
