package tidy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chapter is what a page of the guide has to be run: each block of Go, with the block behind
// it that says what it prints. A test prints nothing.
type chapter struct{ program, output string }

// chapters finds them in the text of a page.
func chapters(page string) ([]chapter, error) {
	var out []chapter
	language, body := "", &strings.Builder{}
	for line := range strings.Lines(page) {
		fence, is := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case is && language == "" && fence == "":
			return nil, fmt.Errorf("a block that does not say what it is")
		case is && language == "":
			language = fence
			body.Reset()
		case !is && language != "":
			body.WriteString(line)
		case is && language == "go":
			out, language = append(out, chapter{program: body.String()}), ""
		case is && language == "text" && len(out) > 0 && out[len(out)-1].output == "":
			out[len(out)-1].output, language = body.String(), ""
		case is:
			return nil, fmt.Errorf("a block of %s, which nothing runs or compares", language)
		}
	}
	if language != "" {
		return nil, fmt.Errorf("a block does not end")
	}
	return out, nil
}

// TestGuide runs each program of the guide as a reader would, and compares what it prints.
func TestGuide(t *testing.T) {
	pages, err := filepath.Glob(inRoot("docs/guide/[0-9]*.md"))
	require.NoError(t, err)
	require.Len(t, pages, 12)
	contents, err := os.ReadFile(inRoot("docs/guide/README.md"))
	require.NoError(t, err)
	for _, page := range pages {
		require.Contains(t, string(contents), "]("+filepath.Base(page)+")")
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			all, err := chapters(string(text))
			require.NoError(t, err)
			require.NotEmpty(t, all)
			for _, c := range all {
				require.Empty(t, c.fault(t))
			}
		})
	}
}

// fault runs the program, or the test, and says how it differs from the page.
func (c chapter) fault(t *testing.T) string {
	file, args := "main.go", []string{"run"}
	isTest := !strings.HasPrefix(c.program, "package main\n")
	if isTest {
		file, args = "page_test.go", []string{"test"}
	}
	file = filepath.Join(t.TempDir(), file)
	require.NoError(t, os.WriteFile(file, []byte(c.program), 0o600))
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", append(args, file)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	switch err := cmd.Run(); {
	case err != nil:
		return fmt.Sprintf("%v: %s%s", err, &stdout, &stderr)
	case !isTest && stdout.String() != c.output:
		return fmt.Sprintf("it prints\n%s\nand the page says\n%s", &stdout, c.output)
	}
	return ""
}

// TestGuideSees: what is wrong with a page is seen.
func TestGuideSees(t *testing.T) {
	for page, want := range map[string]string{
		"```\nx\n```\n":                "does not say",
		"```yaml\nx\n```\n":            "block of yaml",
		"```text\nx\n```\n":            "block of text",
		"```go\nx\n":                   "does not end",
		"```go\n```\n```text\n```\n\n": "",
	} {
		_, err := chapters(page)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want, page)
	}
	hello := "package main\n\nfunc main() { print() }\n"
	require.Contains(t, chapter{hello, "hello\n"}.fault(t), "the page says\nhello")
	require.Contains(t, chapter{"package main\n\nfunc main() { missing() }\n", ""}.fault(t), "undefined: missing")
	failing := "package p_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Fatal(\"planted\") }\n"
	require.Contains(t, chapter{failing, ""}.fault(t), "planted")
}
