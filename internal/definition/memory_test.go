package definition

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// maxMemory is the memory that the loader may use, for any input.
const maxMemory = 64 << 20

// heap returns the bytes in use after a garbage collection.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// memory loads as Load does, and returns the most memory that was in use after a step: when a file
// has been split into a tree, when its definitions have been read, and when all have been checked.
func memory(t *testing.T, files fs.FS, paths ...string) uint64 {
	t.Helper()
	before, peak := heap(), uint64(0)
	step := func(alive ...any) {
		if now := heap(); now > before {
			peak = max(peak, now-before)
		}
		runtime.KeepAlive(alive)
	}
	l := newLoader()
	for _, path := range paths {
		for _, m := range l.expand(files, path) {
			name := m.name
			text, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			if isTable(name) { // row by row, without a tree of the whole table
				l.parse(name, text)
				step(l)
				continue
			}
			root, ok := l.tree(name, text)
			step(l, root)
			if ok && root != nil {
				l.root(l.sources[len(l.sources)-1], root)
				step(l, root)
			}
		}
	}
	c, err := l.catalog(nil)
	step(l, c, err)
	return peak
}

// TestMemory checks texts that need as much memory as possible for their size, at the limit of
// signs.
func TestMemory(t *testing.T) {
	if !long.On() {
		t.Skip("20 large files: -long")
	}
	texts := map[string]string{}
	for _, h := range hostile {
		texts[h.name] = h.text
	}
	for name, part := range map[string][3]string{
		"list":    {"", "- a\n", ""},
		"flow":    {"[", "a,", "]"},
		"braces":  {"[", "{a: {}},", "]"},
		"lists":   {"[", "[a],", "]"},
		"quotes":  {"[", `"",`, "]"},
		"keys":    {"", "a: b\n", ""},
		"lines":   {"a: ", "a\n", ""},
		"actions": {"buffs: {a: {duration: instant, on: {exec: [", "{kill: true},", "]}}}"},
		"changes": {"{attributes: {h: {}}, buffs: {a: {duration: instant, on: {exec: [", "{change: {attr: h, by: {formula: level}}},", "]}}}}"},
		"values":  {"{attributes: {h: {}}, buffs: {a: {duration: 1s, modifiers: [", "{attr: h, value: 1},", "]}}}"},
		"wrong":   {"buffs: {a: {duration: 1s, links: [", "b,", "]}}"},
		"heirs":   {"{templates: {t: {duration: 1s, tags: [" + strings.Repeat("a, ", 10_000) + "]}}, buffs: {", "a: {extends: t},", "}}"},
		"tags":    {"buffs: {a: {duration: 1s, tags: [", "a.b.c,", "]}}"},
	} {
		n := maxSigns - countSigns(part[0]) - countSigns(part[2])
		texts[name] = part[0] + strings.Repeat(part[1], n/countSigns(part[1])) + part[2]
	}
	for name, text := range texts {
		n := memory(t, fstest.MapFS{"a.yaml": {Data: []byte(text)}}, "a.yaml")
		t.Logf("%-16s %8d bytes %6.1f MiB", name, len(text), float64(n)/(1<<20))
		require.Less(t, n, uint64(maxMemory), name)
	}
}

// TestMemoryOfAll checks the largest allowed number of files of the largest allowed size.
func TestMemoryOfAll(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"definitions": {"buffs/a.yaml": {Data: many(MaxDefinitions)}},
		"comments":    folder(MaxTotalSize/MaxFileSize, strings.Repeat("# nothing is here but words\n", MaxFileSize/28)),
		"texts":       folder(MaxTotalSize/MaxFileSize, "buffs: {a%d: {duration: 1s, name: "+strings.Repeat("x", MaxFileSize-100)+"}}"),
		"game":        game(5000),
		"everything":  everything(),
	} {
		if !long.On() && name != "everything" {
			continue
		}
		n := memory(t, files, "buffs")
		t.Logf("%-16s %6.1f MiB", name, float64(n)/(1<<20))
		require.Less(t, n, uint64(maxMemory), name)
	}
}

// folder returns n files with the text, in which %d is replaced by the number of the file.
func folder(n int, text string) fstest.MapFS {
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("buffs/%03d.yaml", i)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "%d", fmt.Sprint(i)))}
	}
	return files
}

// everything returns the largest allowed number of definitions, in the largest allowed number of
// bytes.
func everything() fstest.MapFS {
	files := folder(MaxTotalSize/MaxFileSize-1, strings.Repeat("# nothing is here but words\n", (MaxFileSize-20)/28)+"curves: {a%d: [1]}")
	files["buffs/a.yaml"] = &fstest.MapFile{Data: many(MaxDefinitions)}
	return files
}
