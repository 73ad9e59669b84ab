package main

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/preview"
)

// previewOf matches a command of docs/buffs.md that draws a picture.
var previewOf = regexp.MustCompile(`(?m)^bufftick (preview .*-svg (\S+))$`)

// TestPreviewPage checks that the pictures of docs/buffs.md are the output of the commands on this
// page. With -rewrite it writes the pictures.
func TestPreviewPage(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/buffs.md")
	require.NoError(t, err)
	kept, err := filepath.Glob("docs/preview/*")
	require.NoError(t, err)
	commands := previewOf.FindAllSubmatch(page, -1)
	require.NotEmpty(t, commands)
	require.Len(t, commands, len(kept), "a picture for each command, and no other")
	for _, c := range commands {
		args, picture := strings.Fields(string(c[1])), string(c[2])
		for i := range args {
			if args[i] == picture {
				args[i] = "-"
			}
		}
		stdout, stderr, code := tool(args...)
		require.Zero(t, code, stderr)
		require.Empty(t, stderr)
		wellFormed(t, stdout)
		if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
			require.NoError(t, os.WriteFile(picture, []byte(stdout), 0o644))
		}
		want, err := os.ReadFile(picture)
		require.NoError(t, err)
		require.Equal(t, string(want), stdout, "%s: go test ./cmd/bufftick -run TestPreviewPage -rewrite", picture)

		require.Contains(t, string(page), "]("+strings.TrimPrefix(picture, "docs/")+")")
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err != nil {
			require.ErrorIs(t, err, io.EOF)
			return
		}
	}
}

// TestPreview_SameEventsAsRun checks that a preview shows the same events as a run of the same
// script on the engine.
func TestPreview_SameEventsAsRun(t *testing.T) {
	t.Chdir("../../examples/scenarios")
	for _, line := range []string{
		"venom -f venom.yaml -apply-at 0:spider,4s:spider",
		"rot -f rot.yaml -apply-at 0,9s -haste 1.3@13s",
		"bleed -f bleed.yaml -apply-at 0,1500ms,3sx2",
		"hex -f curse.yaml -also doom@3s",
		"frost -f frost.yaml -apply-at 0:mage,1500msx2:mage,3sx2:mage,4500ms:mage,7s:mage",
		"regen -f regen.yaml -tag state.banished@5s-8s -pause 10s-14s -extend 2s@16s",
	} {
		args := strings.Fields(line)
		ran, stderr, code := tool("run", args[2])
		require.Zero(t, code, stderr)
		plain, stderr, code := tool(append([]string{"preview"}, args...)...)
		require.Zero(t, code, stderr)
		listed, _, code := tool(append([]string{"preview", "-events"}, args...)...)
		require.Zero(t, code)
		require.Equal(t, plain+"\n"+ran, listed, line)
	}
}

// TestExampleScenarios checks the logs of the scenarios in examples/scenarios.
func TestExampleScenarios(t *testing.T) {
	files, err := filepath.Glob("../../examples/scenarios/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	stdout, stderr, code := tool(append([]string{"run", "-check"}, files...)...)
	require.Zero(t, code, stdout+stderr)
}

// TestPreviewSVG checks that a picture is written to its file, and that nothing is printed.
func TestPreviewSVG(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("b.yaml", []byte("buffs:\n  b: {duration: 5s, period: 1s, tail: partial, stack: {by: target, limit: 3}}\n"), 0o600))
	const line = "preview b -f b.yaml -apply-at 0,2500ms -pause 3s-4s -svg "
	stdout, stderr, code := tool(strings.Fields(line + "b.svg")...)
	require.Zero(t, code, stderr)
	require.Empty(t, stdout+stderr)
	first, err := os.ReadFile("b.svg")
	require.NoError(t, err)
	wellFormed(t, string(first))
	for _, colour := range []string{"#a9bfe0", "#44689e", "#1f2933"} {
		require.Contains(t, string(first), colour)
	}
	again, _, _ := tool(strings.Fields(line + "-")...)
	require.Equal(t, string(first), again, "the same script gives the same bytes")
}

// TestPreviewFullOutput checks that a write error is reported, for text and for a picture.
func TestPreviewFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("b.yaml", []byte("buffs:\n  b: {duration: 5s}\n"), 0o600))
	for _, line := range []string{"preview b -f b.yaml", "preview b -f b.yaml -svg -"} {
		var errs bytes.Buffer
		room := full(5)
		require.Equal(t, 1, run(strings.Fields(line), &room, &errs))
		require.Equal(t, "bufftick: no space left\n", errs.String())
	}
}

// FuzzPreviewFlags checks that any value of a flag causes an error or gives a script that can be
// run and drawn.
func FuzzPreviewFlags(f *testing.F) {
	for _, v := range []string{"0", "4sx2:b=5", "4s=5x2:b", "1.3@5s", "-2s@3s", "x2@6s", "3s-5s", "state@3s-5s", "b@4s", "dmg=35", "1e9@1s", "@", "-", "1s-1s"} {
		f.Add(v)
	}
	defs, err := definition.Parse("fuzz.yaml", []byte(`
buffs:
  a: {duration: 4s, period: 1s, haste: rescale, stack: {by: source, limit: 3, timers: each}, require: {ongoing: {none: [state]}}}
  b: {duration: infinite, on: {apply: [{apply: a}]}}
`))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, v string) {
		slip := "%!" // marks an error in a format string; the messages quote v
		if strings.Contains(v, "%") {
			slip = "(MISSING)"
		}
		for flag := range 8 {
			c := &previewCmd{ID: "a", Width: 80, ApplyAt: []string{"0"}, Until: "10s"}
			values := []*[]string{&c.ApplyAt, &c.Also, &c.Haste, &c.Extend, &c.Dispel, &c.Pause, &c.Tag, &c.Param}[flag]
			*values = []string{v}
			script, err := c.script()
			if err != nil {
				require.NotContains(t, err.Error(), slip)
				continue
			}
			line, err := preview.Run(defs, script)
			if err != nil {
				require.NotContains(t, err.Error(), slip)
				continue
			}
			require.True(t, utf8.ValidString(line.Text(80)))
			wellFormed(t, string(line.Picture().SVG()))
		}
	})
}
