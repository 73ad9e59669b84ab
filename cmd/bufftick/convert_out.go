package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/bufftick/bufftick/internal/definition"
)

// target is an output file and the input files that are merged into it.
type target struct {
	name   string // "" for the standard output
	format definition.Format
	files  []converted
}

// made is the name and text of an output file.
type made struct{ name, text string }

// plan decides which input files go into which output files.
func (c *convertCmd) plan(files []converted) ([]target, error) {
	to := map[string]definition.Format{"yaml": definition.YAML, "json": definition.JSON, "csv": definition.CSV}[c.To]
	as, known := definition.FormatOf(c.Out)
	switch {
	case c.Out == "":
		if to == 0 {
			to = otherThan(files...)
		}
		return []target{{"", to, files}}, nil
	case isFolder(c.Out):
		return c.each(files, to)
	case !known:
		return nil, usageError{fmt.Errorf("bufftick: -o %s: want a folder, or a name that ends in .yaml, .yml, .json or .csv", c.Out)}
	case to != 0 && to != as:
		return nil, usageError{fmt.Errorf("bufftick: -to %s, but -o names a file of %v", c.To, as)}
	}
	return []target{{c.Out, as, files}}, nil
}

// each plans one output file for each input, in the output folder.
func (c *convertCmd) each(files []converted, to definition.Format) (plan []target, err error) {
	from := map[string]string{}
	for _, f := range files {
		as := to
		if as == 0 {
			as = otherThan(f)
		}
		base := filepath.Base(f.name)
		name := filepath.ToSlash(filepath.Join(c.Out, strings.TrimSuffix(base, filepath.Ext(base))+"."+strings.ToLower(as.String())))
		if other := from[name]; other != "" {
			return nil, usageError{fmt.Errorf("bufftick: %s and %s would both be %s", other, f.name, name)}
		}
		from[name] = f.name
		plan = append(plan, target{name, as, []converted{f}})
	}
	return plan, nil
}

// otherThan returns the default output format: YAML if all files are CSV, and otherwise CSV.
func otherThan(files ...converted) definition.Format {
	if slices.ContainsFunc(files, func(f converted) bool { return f.format != definition.CSV }) {
		return definition.CSV
	}
	return definition.YAML
}

// isFolder reports whether a path is a folder. If the path does not exist, isFolder reports whether
// the path looks like that of a folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || err != nil && (strings.HasSuffix(name, "/") || filepath.Ext(name) == "")
}

// maxLost is the maximum number of lost comments that the method "make" prints.
const maxLost = 20

// make returns an output file. If the file is a table and some fields do not fit into a table,
// "make" also returns a second file with these fields. On the standard output there is no second
// file, so "make" leaves these fields out and returns false as its second result.
func (t target) make(stderr io.Writer) (list []made, whole bool, err error) {
	root, lost := joined(t.files)
	var rest []*ast.MappingValueNode
	if t.format == definition.CSV {
		root, rest = parted(root)
	}
	var text string
	if len(rest) == 0 || defines(root) { // without this condition, the table could be empty
		if text, err = definition.Write(node(root), t.format); err != nil {
			return nil, false, fmt.Errorf("%s: %w", t.files[0].name, err)
		}
		list = append(list, made{t.name, text})
	}
	if len(lost) > 0 {
		fmt.Fprintf(stderr, "bufftick: comments are not converted: %d lost\n", len(lost))
		for _, c := range lost[:min(len(lost), maxLost)] {
			fmt.Fprintf(stderr, "    %s:%d: %s\n", c.file, c.line, short(c.text))
		}
		if more := len(lost) - maxLost; more > 0 {
			fmt.Fprintf(stderr, "    and %d more\n", more)
		}
	}
	switch {
	case len(rest) == 0:
		return list, true, nil
	case t.name == "":
		fmt.Fprintf(stderr, "bufftick: left out, because a table cannot hold them: %s; with -o they go to a file next to the table\n", names(rest))
		return list, false, nil
	}
	beside := strings.TrimSuffix(strings.TrimSuffix(t.name, filepath.Ext(t.name)), ".rest") + ".rest.yaml"
	if text, err = definition.Write(node(append(rest, field("buffs", node(nil)))), definition.YAML); err != nil {
		return nil, false, fmt.Errorf("%s: %w", t.files[0].name, err)
	}
	fmt.Fprintf(stderr, "bufftick: written to %s, because a table cannot hold them: %s\n", beside, names(rest))
	return append(list, made{beside, text}), true, nil
}

// joined returns the merged fields and the comments of all files.
func joined(files []converted) (root []*ast.MappingValueNode, comments []comment) {
	if len(files) == 1 {
		return files[0].root, files[0].comments
	}
	at := map[string]int{}
	for _, file := range files {
		comments = append(comments, file.comments...)
		for _, f := range file.root {
			name, _ := definition.Text(f.Key)
			i, again := at[name]
			if !again {
				at[name] = len(root)
				root = append(root, f)
				continue
			}
			if v := together(root[i].Value, f.Value); v != nil {
				root[i] = field(name, v)
			}
		}
	}
	return root, comments
}

// together merges two maps or two lists. For any other values, such as two versions, it returns
// nil, and the caller keeps the first value.
func together(a, b ast.Node) ast.Node {
	fa, isMap := definition.Fields(a)
	fb, isMapToo := definition.Fields(b)
	if isMap && isMapToo {
		return node(append(slices.Clone(fa), fb...))
	}
	sa, isList := a.(*ast.SequenceNode)
	sb, isListToo := b.(*ast.SequenceNode)
	if isList && isListToo {
		all := ast.Sequence(sa.Start, true)
		all.Values = append(append(all.Values, sa.Values...), sb.Values...)
		return all
	}
	return nil
}

// defines reports whether the fields contain a definition.
func defines(root []*ast.MappingValueNode) bool {
	for _, f := range root {
		if list, ok := definition.Fields(f.Value); ok && len(list) > 0 {
			return true
		}
	}
	return false
}

// parted splits the fields into those that fit into a table and those that do not.
func parted(root []*ast.MappingValueNode) (table, rest []*ast.MappingValueNode) {
	for _, f := range root {
		switch name, _ := definition.Text(f.Key); name {
		case "buffs", "version":
			table = append(table, f)
		default:
			rest = append(rest, f)
		}
	}
	return table, rest
}

func node(fields []*ast.MappingValueNode) ast.Node {
	return ast.Mapping(token.New("{", "{", &token.Position{Line: 1, Column: 1}), true, fields...)
}

func field(name string, value ast.Node) *ast.MappingValueNode {
	p := &token.Position{Line: 1, Column: 1}
	return ast.MappingValue(token.New(":", ":", p), ast.String(token.String(name, name, p)), value)
}

func names(fields []*ast.MappingValueNode) string {
	var list []string
	for _, f := range fields {
		name, _ := definition.Text(f.Key)
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// store writes the files. If any of the files already exists, "store" writes none of them, unless
// -force is set.
func (c *convertCmd) store(list []made, stdout io.Writer) error {
	for _, m := range list {
		if _, err := os.Lstat(m.name); m.name != "" && !c.Force && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists; use -force to overwrite it", m.name)
		}
	}
	for _, m := range list {
		if m.name == "" {
			if _, err := io.WriteString(stdout, m.text); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(m.name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(m.name, []byte(m.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
