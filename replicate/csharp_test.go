package replicate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/needs"
)

// TestCSharp compiles the C# client with mono's compiler and runs its checks.
func TestCSharp(t *testing.T) {
	needs.Program(t, "mcs", "mono-mcs")
	needs.Program(t, "mono", "mono-runtime")
	dir := t.TempDir()
	library, program := filepath.Join(dir, "Bufftick.dll"), filepath.Join(dir, "Check.exe")
	sources, err := filepath.Glob("csharp/*.cs")
	require.NoError(t, err)
	// With -doc, a public member without documentation causes a warning.
	compile(t, library, append(sources, "-target:library", "-doc:"+filepath.Join(dir, "Bufftick.xml"))...)
	compile(t, program, "-r:"+library, "testdata/csharp/Check.cs")
	check := func(t *testing.T, args ...string) {
		out, err := exec.CommandContext(t.Context(), "mono", append([]string{program}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Log(strings.TrimSpace(string(out)))
	}

	vectors, histories := filepath.Join(dir, "vectors.json"), filepath.Join(dir, "histories.json")
	var line bytes.Buffer
	indented, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	require.NoError(t, json.Compact(&line, indented))
	require.NoError(t, os.WriteFile(vectors, line.Bytes(), 0o600))
	writeHistories(t, histories, long.Times(20))

	t.Run("vectors", func(t *testing.T) { check(t, "vectors", vectors) })
	// The same histories as in TestJavaScript.
	t.Run("histories", func(t *testing.T) { check(t, "vectors", histories) })
	t.Run("fuzz", func(t *testing.T) {
		check(t, "fuzz", vectors, strconv.Itoa(long.Times(20_000)), strconv.FormatUint(long.Seed(), 10))
	})
	t.Run("allocations", func(t *testing.T) { check(t, "allocations", vectors, "100000") })
	t.Run("collisions", func(t *testing.T) { check(t, "collisions") })
	// The programs on the page, compiled with the members of the game engines that they use.
	t.Run("page", func(t *testing.T) {
		page, err := os.ReadFile("csharp/README.md")
		require.NoError(t, err)
		unity, godot, _ := strings.Cut(string(page), "## Godot")
		for engine, text := range map[string]string{"Unity": unity, "Godot": godot} {
			args := []string{"-target:library", "-r:" + library, "testdata/csharp/" + engine + ".cs"}
			for k, block := range regexp.MustCompile("(?s)```csharp\n(.*?)```").FindAllStringSubmatch(text, -1) {
				args = append(args, filepath.Join(dir, fmt.Sprint(engine, k, ".cs")))
				require.NoError(t, os.WriteFile(args[len(args)-1], []byte(block[1]), 0o600))
			}
			require.Greater(t, len(args), 3, "no program for %s", engine)
			compile(t, filepath.Join(dir, engine+".dll"), args...)
		}
	})
}

// compile compiles C# 7.0, which all supported versions of Unity accept. It refuses warnings and
// checks arithmetic overflows.
func compile(t *testing.T, out string, args ...string) {
	t.Helper()
	args = append([]string{"-langversion:7", "-checked", "-warn:4", "-warnaserror", "-out:" + out}, args...)
	text, err := exec.CommandContext(t.Context(), "mcs", args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
}
