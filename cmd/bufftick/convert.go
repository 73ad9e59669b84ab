package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/bufftick/bufftick/internal/definition"
)

// convertCmd is "bufftick convert".
type convertCmd struct {
	Paths []string `arg:"" name:"path" help:"Files and folders of definitions."`

	Out   string `name:"o" placeholder:"PATH" help:"File to write, or a folder in which each file gets one of its own. If not given, all go to the standard output as one."`
	To    string `enum:",yaml,json,csv" default:"" placeholder:"FORMAT" help:"yaml, json or csv. If not given, what the name after -o says, else csv, and for tables yaml."`
	Force bool   `help:"Write over files that exist."`
}

// Help is the part of --help behind the flags.
func (*convertCmd) Help() string {
	return `A table has a row for each definition and a column for each field, for a spreadsheet.
What has no place in it, such as attributes or curves, stays in a file of YAML beside it,
which is named. Comments are lost, and it is said how many. The definitions themselves
are not checked: see validate.

Examples:

    bufftick convert buffs/harm.yaml > harm.csv
    bufftick convert harm.csv -o harm.yaml
    bufftick convert buffs -to csv -o tables/
    bufftick convert buffs -o all.json

The exit code is 1 if a file cannot be read or written, or if the standard output has
not all of it; 2 if the command line is wrong; otherwise 0.`
}

// Run reads all the files before it writes the first.
func (c *convertCmd) Run(stdout output, stderr messages) error {
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

// read reads all the files, and says what is wrong with all of them.
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

// converted is one file that was read.
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

// comment is one that a converted file does not have.
type comment struct {
	file string
	line int
	text string
}

// comments returns the comments of a file, in their order.
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
