package tidy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pages returns the Markdown files of the root, .github and docs.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CHANGELOG.md"}
	for _, dir := range []string{".github", "docs"} {
		require.NoError(t, filepath.WalkDir(inRoot(dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".md" {
				path, err = filepath.Rel(root, path)
				out = append(out, path)
			}
			return err
		}))
	}
	return out
}

// TestLinks checks that the relative links of Markdown files lead to existing files and headings.
func TestLinks(t *testing.T) {
	code := regexp.MustCompile("(?ms)^```.*?^```$")
	link := regexp.MustCompile(`(?:\]\(|src=")([^):"#]*)(?:#([^)]*))?(?:\)|")`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(inRoot(path))
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			file := path
			if m[1] != "" {
				file = filepath.Join(filepath.Dir(path), m[1])
			}
			target, err := os.ReadFile(inRoot(file))
			if m[2] == "" || filepath.Ext(file) != ".md" {
				_, err = os.Stat(inRoot(file))
			}
			require.NoError(t, err, "broken link in %s", path)
			if m[2] != "" && filepath.Ext(file) == ".md" && !anchors(string(target))[m[2]] {
				t.Errorf("%s: no heading #%s in %s", path, m[2], file)
			}
		}
		return nil
	}))
}

// TestMentions checks that the pages mentioned in Go files, scripts and other sources exist.
func TestMentions(t *testing.T) {
	mention := regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(".go .js .ts .py .yml .yaml", filepath.Ext(path)) || filepath.Ext(path) == "" {
			return err
		}
		text, err := os.ReadFile(inRoot(path))
		require.NoError(t, err)
		for _, page := range mention.FindAllString(string(text), -1) {
			if _, err := os.Stat(inRoot(page)); err != nil {
				t.Errorf("%s mentions %s, which does not exist", path, page)
			}
		}
		return nil
	}))
}

// anchors returns the anchors that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllStringSubmatch(page, -1) {
		out[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}

var (
	goCommand   = regexp.MustCompile(`\bgo (?:-C (\S+) )?(?:run|test|build)((?: -\S+(?: '[^']*')?)*) (\./[\w./-]*|\.)`)
	shellScript = regexp.MustCompile(`\bbash (\.ci/\w+)`)
	toolCommand = regexp.MustCompile(`(?:^|` + "`" + `)bufftick ([a-z]+)\b`)
	inlineCode  = regexp.MustCompile("`[^`\n]+`")
)

// TestCommands checks that the commands in pages name packages, scripts and subcommands that exist.
// .ci/readme runs the commands of the README.
func TestCommands(t *testing.T) {
	source, err := os.ReadFile(inRoot("cmd/bufftick/command.go"))
	require.NoError(t, err)
	seen := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(inRoot(page))
		require.NoError(t, err)
		for _, command := range commands(string(text)) {
			for _, m := range goCommand.FindAllStringSubmatch(command, -1) {
				seen++
				if m[1] == "" && m[3] == "." {
					continue // the reader's module
				}
				dir := strings.TrimSuffix(filepath.Join(m[1], m[3]), "/...")
				if files, _ := filepath.Glob(inRoot(filepath.Join(dir, "*.go"))); len(files) == 0 && !strings.HasSuffix(m[3], "...") && !strings.HasSuffix(m[3], ".go") {
					t.Errorf("%s: %s: no package %s", page, command, dir)
				}
			}
			for _, m := range shellScript.FindAllStringSubmatch(command, -1) {
				seen++
				if _, err := os.Stat(inRoot(m[1])); err != nil {
					t.Errorf("%s: %s: no such script", page, command)
				}
			}
			for _, m := range toolCommand.FindAllStringSubmatch(command, -1) {
				seen++
				if !strings.Contains(string(source), `{"`+m[1]+`", `) {
					t.Errorf("%s: %s: no such command", page, command)
				}
			}
		}
	}
	require.Greater(t, seen, 50, "commands in pages")
}

// commands returns the lines of the blocks fenced as sh, and all code within lines of text.
func commands(page string) []string {
	var out []string
	fence := ""
	for line := range strings.Lines(page) {
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "```") && fence == "":
			fence = trimmed
		case strings.HasPrefix(trimmed, "```"):
			fence = ""
		case fence == "":
			out = append(out, inlineCode.FindAllString(line, -1)...)
		case fence == "```sh":
			out = append(out, trimmed)
		}
	}
	return out
}
