package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README marks its program and what the program prints, each with a comment
// on a line of its own, directly followed by the fenced block:
//
//	<!-- program: engine/example_test.go Example -->
//	<!-- output: engine/example_test.go Example -->
//
// The program is a whole one, which a reader can paste and run. The body of its
// main is the body of that Example without the Output comment, every other
// function, type, constant and variable that it declares is declared alike in the
// Example's file, and its output is the Example's.
const (
	exampleFile   = "engine/example_test.go"
	exampleFunc   = "Example"
	programMarker = "<!-- program: " + exampleFile + " " + exampleFunc + " -->"
	outputMarker  = "<!-- output: " + exampleFile + " " + exampleFunc + " -->"
)

func TestReadmeIsTheExample(t *testing.T) {
	readme, err := os.ReadFile(inRoot("README.md"))
	require.NoError(t, err)
	example, err := os.ReadFile(inRoot(filepath.FromSlash(exampleFile)))
	require.NoError(t, err)
	for _, f := range readmeDiffers(string(readme), example) {
		t.Error(f)
	}
}

func TestReadmeIsFilledIn(t *testing.T) {
	readme, err := os.ReadFile(inRoot("README.md"))
	require.NoError(t, err)
	for _, f := range placeholders(string(readme)) {
		t.Error(f)
	}
}

// placeholder matches a line that keeps the place of what was to be written.
var placeholder = regexp.MustCompile(`^[^#\p{L}]*\p{Lu}[\p{Lu}\d_-]+[^\p{L}]*$`)

// placeholders finds the lines that are a single upper-case word, fenced or not. A
// heading may be one.
func placeholders(readme string) []string {
	var out []string
	for i, line := range strings.Split(readme, "\n") {
		if line = strings.TrimSpace(line); placeholder.MatchString(line) {
			out = append(out, fmt.Sprintf("README.md:%d: the line is only %q: was something to be written here?", i+1, line))
		}
	}
	return out
}

// TestReadmeRuns runs the README's program as a reader would, imports and all.
func TestReadmeRuns(t *testing.T) {
	readme, err := os.ReadFile(inRoot("README.md"))
	require.NoError(t, err)
	program, err := fenced(string(readme), programMarker)
	require.NoError(t, err)
	want, err := fenced(string(readme), outputMarker)
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	require.Equal(t, trimLines(want), trimLines(string(got)))
}

// fenced returns what is in the fenced block that follows the marker.
func fenced(readme, marker string) (string, error) {
	lines := strings.Split(strings.ReplaceAll(readme, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != marker {
			continue
		}
		if strings.Contains(strings.Join(lines[i+1:], "\n"), marker) {
			return "", fmt.Errorf("README.md: more than one line %s", marker)
		}
		if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "```") {
			return "", fmt.Errorf("README.md:%d: no fenced block directly after the marker", i+1)
		}
		for end := i + 2; end < len(lines); end++ {
			if lines[end] == "```" {
				return strings.Join(lines[i+2:end], "\n") + "\n", nil
			}
		}
		return "", fmt.Errorf("README.md:%d: the fenced block does not end", i+2)
	}
	return "", fmt.Errorf("README.md: no line %s", marker)
}

// readmeDiffers compares the README's program and output with the Example in the
// given file.
func readmeDiffers(readme string, example []byte) []string {
	program, err := fenced(readme, programMarker)
	if err != nil {
		return []string{err.Error()}
	}
	output, err := fenced(readme, outputMarker)
	if err != nil {
		return []string{err.Error()}
	}
	ours, err := readPieces([]byte(program))
	if err != nil {
		return []string{"the README's program: " + err.Error()}
	}
	theirs, err := readPieces(example)
	if err != nil {
		return []string{exampleFile + ": " + err.Error()}
	}
	if ours["main"] == "" || theirs[exampleFunc] == "" || theirs[exampleOutput] == "" {
		return []string{fmt.Sprintf("want a main in the README's program, and in %s a %s with an Output comment", exampleFile, exampleFunc)}
	}

	var out []string
	compare := func(what, got, want string) {
		if got != want {
			out = append(out, fmt.Sprintf("the README's %s differs from %s\n--- README\n%s\n--- %s\n%s", what, exampleFile, got, exampleFile, want))
		}
	}
	compare("main", ours["main"], theirs[exampleFunc])
	compare("output", trimLines(output), theirs[exampleOutput])
	for name, text := range ours {
		if name != "main" {
			compare(name, text, theirs[name])
		}
	}
	return out
}

// exampleOutput is the key of the Output comment among the pieces of a file.
const exampleOutput = "// Output:"

// readPieces takes a Go file apart: the body of main and of the Example under the
// function's name, the text of every other declaration but the imports under its
// own first line, and the Example's output.
func readPieces(src []byte) (map[string]string, error) {
	src, err := format.Source(src)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	text := func(from, to token.Pos) string {
		return string(src[fset.Position(from).Offset:fset.Position(to).Offset])
	}
	pieces := map[string]string{}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			continue
		}
		if !ok || fn.Recv != nil || fn.Name.Name != "main" && fn.Name.Name != exampleFunc {
			whole := text(d.Pos(), d.End())
			first, _, _ := strings.Cut(whole, "\n")
			pieces[first] = whole
			continue
		}
		end := fn.Body.Rbrace
		if c := outputComment(f, fn); c != nil {
			end = c.Pos()
			_, output, _ := strings.Cut(c.Text(), ":")
			pieces[exampleOutput] = trimLines(strings.TrimPrefix(output, " "))
		}
		pieces[fn.Name.Name] = trimLines(text(fn.Body.Lbrace+1, end))
	}
	return pieces, nil
}

// trimLines drops the spaces at the ends of lines, and the empty lines at both ends of the text.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// TestLinks: what a Markdown file links to in this repository is there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(inRoot(path))
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(inRoot(filepath.Join(filepath.Dir(path), m[1])))
			require.NoError(t, err, "%s links to what is not there", path)
		}
		return nil
	}))
}
