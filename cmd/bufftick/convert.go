package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/bufftick/bufftick/internal/definition"
)

// convertCmd is "bufftick convert".
type convertCmd struct {
	Paths []string
	Out   string
	To    string
	Force bool
}

func (c *convertCmd) flags(f *flags) {
	f.StringVar(&c.Out, "o", "", "`PATH` to write: a file, or a folder for one file each. Default: one file to the standard output.")
	f.StringVar(&c.To, "to", "", "`FORMAT`: yaml, json or csv. Default: the extension of -o, else csv, and yaml for CSV files.")
	f.BoolVar(&c.Force, "force", false, "Overwrite existing files.")
}

func (*convertCmd) help() string {
	return `A CSV file has a row for each definition and a column for each field, for a spreadsheet.
Other parts of a catalog, such as attributes or curves, go to a YAML file next to it.
Comments are lost; their number is printed. To check the definitions, use validate.

Examples:

    bufftick convert buffs/harm.yaml > harm.csv
    bufftick convert harm.csv -o harm.yaml
    bufftick convert buffs -to csv -o tables/
    bufftick convert buffs -o all.json

The exit code is 1 if a file cannot be read or written, or if the standard output does not
contain everything; 2 if the command line is wrong; otherwise 0.`
}

// run converts the files. It reads all of them before it writes any.
func (c *convertCmd) run(args []string, stdout, stderr io.Writer) error {
	c.Paths = args
	if !slices.Contains([]string{"", "yaml", "json", "csv"}, c.To) {
		return usageError{fmt.Errorf("bufftick: -to must be yaml, json or csv, not %q", c.To)}
	}
	files, err := c.read(stderr)
	if err != nil {
		return err
	}
	plan, err := c.plan(files)
	if err != nil {
		return err
	}
	var list []made
	whole := true
	for _, t := range plan {
		texts, ok, err := t.make(stderr)
		if err != nil {
			return fmt.Errorf("bufftick: %w", err)
		}
		list, whole = append(list, texts...), whole && ok
	}
	if err := c.store(list, stdout); err != nil {
		return fmt.Errorf("bufftick: %w", err)
	}
	if !whole {
		return errFailed
	}
	return nil
}

// read reads all input files. It reports the errors of all files, not only those of the first.
func (c *convertCmd) read(stderr io.Writer) (files []converted, err error) {
	texts, err := definition.Files(c.Paths...)
	failed := err != nil
	if failed {
		fmt.Fprintln(stderr, err)
	}
	for _, t := range texts {
		f, err := readConverted(t.Name, t.Text)
		if err != nil {
			fmt.Fprintln(stderr, err)
			failed = true
			continue
		}
		files = append(files, f)
	}
	if failed {
		return nil, errFailed
	}
	return files, nil
}

// converted is an input file.
type converted struct {
	name     string
	format   definition.Format
	root     []*ast.MappingValueNode
	comments []comment
}

func readConverted(name string, src []byte) (converted, error) {
	root, err := definition.Tree(name, src)
	if err != nil {
		return converted{}, err
	}
	fields, ok := definition.Fields(root)
	if !ok {
		return converted{}, definition.ErrorAt(name, src, root, `want a map with "buffs:", not `+definition.Describe(root))
	}
	format, _ := definition.FormatOf(name)
	return converted{name, format, fields, comments(name, src, format)}, nil
}

// comment is a comment of an input file. Comments are lost in the conversion.
type comment struct {
	file string
	line int
	text string
}

// comments returns the comments of a file in order.
func comments(name string, src []byte, f definition.Format) (list []comment) {
	if f == definition.CSV {
		n := 0
		for line := range strings.Lines(string(src)) {
			if n++; strings.HasPrefix(line, "##") && !strings.HasPrefix(line, "##var") {
				list = append(list, comment{name, n, strings.TrimSpace(line)})
			}
		}
		return list
	}
	for _, t := range lexer.Tokenize(string(src)) {
		if t.Type == token.CommentType && !strings.Contains(t.Value, "yaml-language-server:") {
			list = append(list, comment{name, t.Position.Line, "#" + strings.TrimRight(t.Value, " \r\n")})
		}
	}
	return list
}
