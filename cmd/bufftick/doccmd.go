package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/definition"
)

// docCmd is "bufftick doc".
type docCmd struct {
	Paths []string `arg:"" name:"path" help:"Folders and files of definitions: all that belong to one catalog."`

	Title string `default:"Buffs" placeholder:"TEXT" help:"Heading of the page. If not given, Buffs."`
}

// Help is the part of --help behind the flags.
func (*docCmd) Help() string {
	return `The page has a table of all buffs, and for each a section that tells its rules in
words, with links to what it applies and to what applies it.

Example:

    bufftick doc buffs > BUFFS.md
    bufftick doc -title "What hurts" buffs/harm.yaml

The exit code is 1 if the definitions do not load.`
}

// Run prints the page, or what is wrong with the definitions.
func (c *docCmd) Run(stdout output, stderr messages) error {
	cat, err := definition.Load(c.Paths...)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return errFailed
	}
	return writePage(stdout, c.Title, cat)
}

// page writes the Markdown page of a catalog.
type page struct {
	*bufio.Writer
	appliedBy map[string][]string // by the ID of what is applied, in the order of the definitions
}

func writePage(to io.Writer, title string, cat *buff.Catalog) error {
	p := &page{bufio.NewWriter(to), map[string][]string{}}
	for s := range cat.All() {
		for _, id := range applies(s) {
			if by := p.appliedBy[id]; !slices.Contains(by, s.ID) {
				p.appliedBy[id] = append(by, s.ID)
			}
		}
	}
	fmt.Fprintf(p, "# %s\n\n%s.", plainText(title), counted(cat.Len(), "definition"))
	if h := cat.Handlers(); len(h) > 0 {
		fmt.Fprintf(p, " Go handlers: %s.", codes(h))
	}
	p.attributes(cat)
	p.WriteString("\n\n| ID | Name | Lives | Pulses | Tags |\n|---|---|---|---|---|\n")
	for s := range cat.All() {
		every := ""
		if s.Period > 0 || s.PeriodBy != nil {
			every = beat(s)
		}
		fmt.Fprintf(p, "| %s | %s | %s | %s | %s |\n", link(s.ID), plainText(s.Name), lives(s), every, codes(s.Tags))
	}
	for s := range cat.All() {
		p.section(s)
	}
	return p.Flush()
}

// attributes writes the numbers that every owner has.
func (p *page) attributes(cat *buff.Catalog) {
	if cat.Attributes() == nil {
		return
	}
	p.WriteString("\n\n| Attribute | Base | Min | Max |\n|---|---|---|---|")
	limit := func(l stat.Limit) string {
		if l == (stat.Limit{}) {
			return ""
		}
		return plainText(l.String())
	}
	for _, a := range cat.Attributes().All() {
		fmt.Fprintf(p, "\n| %s | %s | %s | %s |", code(a.Name), plainNumber(a.Base), limit(a.Min), limit(a.Max))
	}
}

// section writes all about one definition.
func (p *page) section(s *buff.Spec) {
	fmt.Fprintf(p, "\n<a id=\"%s\"></a>\n\n## %s", anchor(s.ID), plainText(s.ID))
	if s.Name != "" {
		fmt.Fprintf(p, ": %s", plainText(s.Name))
	}
	p.WriteString("\n\n")
	if s.Note != "" {
		fmt.Fprintf(p, "%s\n\n", plainText(s.Note))
	}
	for _, line := range told(s) {
		fmt.Fprintf(p, "- %s\n", line)
	}
	if by := p.appliedBy[s.ID]; len(by) > 0 {
		fmt.Fprintf(p, "- Applied by %s.\n", links(by))
	}
}

// applies returns the IDs of what a definition applies, in the order of its fields.
func applies(s *buff.Spec) (ids []string) {
	for _, h := range hooks(s) {
		for _, a := range h.actions {
			if a.Do == define.DoApply {
				ids = append(ids, a.Name)
			}
		}
	}
	ids = append(ids, s.Stack.OverflowApply...)
	for _, t := range s.Stack.Thresholds {
		if t.Apply != "" {
			ids = append(ids, t.Apply)
		}
	}
	ids = append(ids, s.Links...)
	if s.Aura.Apply != "" {
		ids = append(ids, s.Aura.Apply)
	}
	return ids
}

// anchor is the name of a section. A heading's own would depend on who shows the page.
func anchor(id string) string {
	var b strings.Builder
	b.WriteString("buff-")
	for _, r := range id {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-", r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "~%x~", r) // no ID has it, or it stands there as ~7e~
	}
	return b.String()
}

// link is a definition's ID that leads to its section.
func link(id string) string { return fmt.Sprintf("[%s](#%s)", plainText(id), anchor(id)) }

func links(ids []string) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = link(id)
	}
	return listed(list)
}

// codes are names that the game gives a meaning: tags, handlers, acts.
func codes(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = code(n)
	}
	return strings.Join(list, ", ")
}

func code(name string) string {
	if strings.ContainsAny(name, "`|") { // in a table the second would end the cell
		return plainText(name)
	}
	return "`" + name + "`"
}

// plainText is a text from a file, in which nothing is a sign of Markdown or HTML.
func plainText(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '\\', '`', '*', '_', '[', ']', '#', '|', '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// listed joins words to "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
