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

	"github.com/bufftick/bufftick/internal/long"
)

// chapter is a block of Go on a page of the guide, and the block after it, which shows what the
// program prints. A test prints nothing.
type chapter struct{ program, output string }

// chapters parses the blocks of a page.
func chapters(page string) ([]chapter, error) {
	var out []chapter
	language, body := "", &strings.Builder{}
	for line := range strings.Lines(page) {
		fence, is := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case is && language == "" && fence == "":
			return nil, fmt.Errorf("a block without a language")
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
			return nil, fmt.Errorf("a block of %s, which is neither run nor compared", language)
		}
	}
	if language != "" {
		return nil, fmt.Errorf("a block does not end")
	}
	return out, nil
}

// TestGuide runs each program of the guide and compares its output with the page.
func TestGuide(t *testing.T) {
	if !long.On() {
		t.Skip("builds twelve programs: -long")
	}
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

// fault runs the program or test and describes how the output differs from the page; "" if it does not.
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
		return fmt.Sprintf("the program prints\n%s\nthe page says\n%s", &stdout, c.output)
	}
	return ""
}
