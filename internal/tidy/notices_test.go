package tidy

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write NOTICES.txt")

// TestNotices checks that NOTICES.txt has the licences of the modules that a program links if it
// imports a package of this repository. -rewrite writes the file.
func TestNotices(t *testing.T) {
	linkedBy := map[string][]string{} // modules of this repository, by module
	dirs := map[string]string{}
	for _, dir := range libraries {
		cmd := exec.CommandContext(t.Context(), "go", "-C", dir, "list", "-deps", "-f",
			`{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}`, "./...")
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			path, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
			by := "bufftick/" + dir
			if dir == "." {
				by = "bufftick"
			}
			if path == "" || under(path, module) || slices.Contains(linkedBy[path], by) {
				continue
			}
			linkedBy[path] = append(linkedBy[path], by)
			if dirs[path] == "" {
				dirs[path] = folder
			}
		}
	}
	require.Contains(t, linkedBy, "github.com/panjf2000/ants/v2")

	owners := map[string][]string{} // modules, by the text of their licence
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		for _, text := range licences(t, dirs[path]) {
			owners[text] = append(owners[text], path)
		}
	}
	var b strings.Builder
	b.WriteString(noticesHead)
	for _, path := range slices.Sorted(maps.Keys(linkedBy)) {
		fmt.Fprintf(&b, "%s: linked by %s\n", path, strings.Join(linkedBy[path], ", "))
	}
	texts := slices.SortedFunc(maps.Keys(owners), func(x, y string) int { return strings.Compare(owners[x][0], owners[y][0]) })
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}
	const file = "NOTICES.txt"
	if *rewrite {
		require.NoError(t, os.WriteFile(inRoot(file), []byte(b.String()), 0o644))
	}
	have, err := os.ReadFile(inRoot(file))
	require.NoError(t, err)
	require.Equal(t, string(have), b.String(), "go test ./internal/tidy -run TestNotices -rewrite writes %s", file)
}

const noticesHead = `Notices of the libraries that bufftick links

The modules of this repository have the licence in LICENSE. A program that imports one of them also
links the modules below, and contains their licences, which this file repeats. The runtime and
the standard library of Go have the licence of golang.org/x/sync. The page of bufftick studio
contains CodeMirror: cmd/bufftick/studio/web/page/codemirror.LICENSES.txt.

`

// licences returns the texts of the licence and the notice in a folder.
func licences(t *testing.T, dir string) (texts []string) {
	t.Helper()
	for _, pattern := range []string{"LICENSE*", "NOTICE*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, file := range files {
			part, err := os.ReadFile(file)
			require.NoError(t, err)
			var lines []string
			for line := range strings.Lines(strings.ReplaceAll(string(part), "\r", "")) {
				lines = append(lines, strings.TrimRight(line, " \t\n"))
			}
			text := strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
			if terms, rest, found := strings.Cut(text, "END OF TERMS AND CONDITIONS\n"); found && strings.HasPrefix(strings.TrimSpace(rest), "APPENDIX") {
				text = terms // how to apply the licence, with the copyright line of a template
			}
			texts = append(texts, text)
		}
	}
	require.NotEmpty(t, texts, "%s has no licence", dir)
	return texts
}

// TestLicences checks that the clients, which games copy, name their licence.
func TestLicences(t *testing.T) {
	want, err := os.ReadFile(inRoot("LICENSE"))
	require.NoError(t, err)
	for _, dir := range []string{"replicate/js", "replicate/csharp"} {
		have, err := os.ReadFile(inRoot(dir + "/LICENSE"))
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), dir)
	}
	var clients []string
	for _, pattern := range []string{"csharp/*.cs", "js/client.*", "js/predict.*"} {
		files, err := filepath.Glob(inRoot("replicate/" + pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		clients = append(clients, files...)
	}
	for _, file := range clients {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !strings.HasPrefix(string(text), "// SPDX-License-Identifier: MIT\n") {
			t.Errorf("%s does not start with its licence", file)
		}
	}
}
