package definition

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// endless is a folder with one file that never ends, and that reports the given size.
type endless struct {
	text string // the text that it repeats
	size int64
	read int64 // number of bytes that were read
}

func (e *endless) Open(string) (fs.File, error) { return e, nil }
func (e *endless) Stat() (fs.FileInfo, error)   { return e, nil }
func (e *endless) Close() error                 { return nil }
func (e *endless) Name() string                 { return "big.yaml" }
func (e *endless) Size() int64                  { return e.size }
func (e *endless) Mode() fs.FileMode            { return 0o444 }
func (e *endless) ModTime() time.Time           { return time.Time{} }
func (e *endless) IsDir() bool                  { return false }
func (e *endless) Sys() any                     { return nil }
func (e *endless) Read(b []byte) (n int, err error) {
	if e.read >= e.size {
		return 0, io.EOF
	}
	for n < len(b) && e.read+int64(n) < e.size {
		n += copy(b[n:], e.text[(e.read+int64(n))%int64(len(e.text)):])
	}
	e.read += int64(n)
	return n, nil
}

// TestGigabyte checks that a file of a gigabyte is only read up to the size limit of a file.
func TestGigabyte(t *testing.T) {
	file := &endless{text: "buffs: {a: {duration: 1s}}\n", size: 1 << 30}
	_, err := LoadFS(file, "big.yaml")
	require.Equal(t, "1048577 bytes: a file may have at most 1048576", firstError(t, err).Text)
	require.LessOrEqual(t, file.read, int64(MaxFileSize+bytesAhead))
}

// bytesAhead is the number of bytes that a reader may have read ahead.
const bytesAhead = 1 << 20

const signsText = "more than 100000 lines, brackets, commas, colons and quotes in one file: split it"

// hostile are the worst possible files, each with the first error of it.
var hostile = []struct{ name, text, want string }{
	{"gigabyte", strings.Repeat("a", MaxFileSize+1), "1048577 bytes: a file may have at most 1048576"},
	{"alias bomb", bomb(), "anchors (&) and aliases (*) are not supported: write the value out, or put a text in quotes"},
	{"brackets", strings.Repeat("[", 1_000_000), signsText},
	{"braces", strings.Repeat("{", 1_000_000), signsText},
	{"less brackets", strings.Repeat("[", 99_000), "nested more than 32 deep"},
	{"closed brackets", "buffs: [" + strings.Repeat("[],", 300_000) + "]", signsText},
	{"dashes", strings.Repeat("- ", 500_000), signsText},
	{"less dashes", strings.Repeat("- ", 99_000), "nested more than 32 deep"},
	{"colons", strings.Repeat(":", 1_000_000), signsText},
	{"quotes", strings.Repeat(`"`, 1_000_000), signsText},
	{"less quotes", strings.Repeat(`"`, 99_000), ""},
	{"newlines", strings.Repeat("\n", 1_000_000), signsText},
	{"anchors", strings.Repeat("&a ", 99_000), "anchors (&) and aliases (*) are not supported: write the value out, or put a text in quotes"},
	{"comments", strings.Repeat("#\n", 49_000), `the file is empty: want "buffs:" and definitions`},
	{"one line", "buffs: {a: {name: " + strings.Repeat("x", 1_000_000) + "}}", "missing: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h"},
	{"unknown fields", "buffs: {a: {duration: 1s, " + strings.Repeat("zz: 1, ", 9_000) + "}}", `unknown field "zz"`},
	{"unknown IDs", "buffs: {a: {duration: 1s, stack: {by: source}, on: {overflow: [" + strings.Repeat("{apply: nobody}, ", 20_000) + "]}}}", `no definition "nobody"`},
	{"tags", "buffs: {a: {duration: 1s, tags: [" + strings.Repeat("a.b.c.d, ", 99_000) + "]}}", `"a.b.c.d" is in the list already`},
	{"thresholds", "buffs: {a: {duration: 1s, stack: {thresholds: [" + strings.Repeat("{}, ", 33_000) + "]}}}", "missing"},
	{"params", "buffs: {a: {duration: 1s, params: {" + manyParams(9000) + "}}}", "9000 are more than 64"},
	{"formulas", "buffs: {a: {duration: instant, params: {" + manyFormulas(9000) + "}}}", "9000 are more than 64"},
	{"long formulas", "buffs: {a: {duration: 1s, modifiers: [" + strings.Repeat("{attr: a, value: {formula: 1"+strings.Repeat("+level", 99)+"}}, ", 1600) + "]}}", "1600 are more than 64"},
	{"brackets in a formula", "buffs: {a: {duration: 1s, params: {a: {formula: \"" + strings.Repeat("(", 70_000) + "\"}}}}", "70000 characters: a formula may have at most 1000"},
	{"curve", "curves: {a: [" + strings.Repeat("1,", 49_000) + "]}", "49000 points: want 1 to 1024"},
	{"names", "tags: [" + strings.Repeat("a.b.c.d.e.f.g.h, ", 49_000) + "]", `"a.b.c.d.e.f.g.h" is in the list already`},
	{"inherited", "{templates: {t: {duration: instant, on: {exec: [" + strings.Repeat("{kill: true}, ", 9_000) + "]}}}, buffs: {" + manyHeirs(9000) + "}}", `the definitions of this catalog inherit more than 50000 values in total`},
	{"escapes", "buffs: {a: {name: \"" + strings.Repeat(`\u0001`, 170_000) + "\"}}", "missing: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h"},
}

// bomb returns a text in which each line contains the previous line nine times.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [lol]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 8), i-1)
	}
	return b.String()
}

func manyHeirs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "d%d: {extends: t}, ", i)
	}
	return b.String()
}

func manyParams(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%d: {const: 1}, ", i)
	}
	return b.String()
}

func manyFormulas(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%d: {formula: 1}, ", i)
	}
	return b.String()
}

// TestP42_ErrorsAreNotDefaults checks that text which is not a definition is an error with a position.
func TestP42_ErrorsAreNotDefaults(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			_, err := Parse("big.yaml", []byte(h.text))
			e := firstError(t, err)
			if h.want != "" {
				require.Equal(t, h.want, e.Text)
			}
			require.Less(t, len(e.Error()), 1000)
		})
	}
}

// BenchmarkHostile measures how long it takes to refuse each file. None may take a second.
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile {
		b.Run(h.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := Parse("big.yaml", []byte(h.text))
				require.Error(b, err)
			}
		})
	}
}
