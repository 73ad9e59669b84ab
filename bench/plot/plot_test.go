package main

import (
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocs: the plots and tables in docs are those of the measurements in docs.
func TestDocs(t *testing.T) {
	dir := filepath.Join("..", "..", "docs")
	files, err := render(dir)
	require.NoError(t, err)
	require.Len(t, files, 3)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.True(t, want == string(got), "docs/%s is not up to date: go -C bench run ./plot", name)
		if filepath.Ext(name) == ".svg" {
			require.NoError(t, wellFormed(want))
		}
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

const output = `# how
cpu: a fast one
commit: abc
not: a key of ours
BenchmarkFire/timers=100/by=wheel-2   	 1	 900 ns/op	 9.00 ns/firing	 0 B/op
BenchmarkFire/timers=100/by=wheel-2   	 1	 700 ns/op	 7.00 ns/firing	 0 B/op
BenchmarkFire/timers=100/by=wheel-2   	 1	 800 ns/op	 8.00 ns/firing	 0 B/op
BenchmarkFire/timers=10/by=wheel-2    	 1	 800 ns/op	 80.0 ns/firing	 0 B/op
BenchmarkFire/timers=10/by=heap-2     	 1	 100 ns/op	 10.0 ns/firing	 0 B/op
BenchmarkPlain-16 	 1	 100 ns/op
BenchmarkBorder/by=lists/at=-50ms 	 1	 30 ns/op
BenchmarkBorder/by=lists/at=-100ms 	 1	 20 ns/op
PASS
`

func TestResults(t *testing.T) {
	r, err := parseResults(output)
	require.NoError(t, err)
	require.Equal(t, "a fast one", r.config["cpu"])
	require.Equal(t, []point{{10, 80}, {100, 8}}, r.points("Fire", "timers", "ns/firing", "by", "wheel"), "medians, in order")
	require.Equal(t, []point{{-100, 20}, {-50, 30}}, r.points("Border", "at", "ns/op", "by", "lists"))
	v, ok := r.value("Fire/by=heap", "ns/op", "timers", "10")
	require.True(t, ok)
	require.Equal(t, 100.0, v)
	_, ok = r.value("Plain", "ns/op")
	require.True(t, ok)
	_, ok = r.value("Fire", "ns/op", "by", "tree")
	require.False(t, ok)

	for text, want := range map[string]string{
		"":                        "no benchmark",
		"BenchmarkX 1 ":           "2 fields",
		"BenchmarkX 1 fast ns/op": "invalid syntax",
	} {
		_, err := parseResults(text)
		require.ErrorContains(t, err, want)
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct{ lowest, highest, min, max float64 }{
		{61, 480, 50, 500},
		{200, 1000, 200, 1000},
		{7, 11_900_000, 5, 20_000_000},
	} {
		a := axis{log: true}
		a.fit([]line{{"", []point{{0, c.lowest}, {0, c.highest}}}}, func(p point) float64 { return p.y })
		require.InDelta(t, math.Log10(c.min), a.min, 1e-9)
		require.InDelta(t, math.Log10(c.max), a.max, 1e-9)
	}
	for v, want := range map[float64]string{1: "10 ns", 3: "1 µs", 5: "100 µs", 6.301029996: "2 ms", 9: "1 s"} {
		require.Equal(t, want, duration(v))
	}
	require.Equal(t, "10⁷", power(7))
	require.Equal(t, "20", power(math.Log10(20)))
}

func TestChartNeedsLines(t *testing.T) {
	c := &chart{x: axis{tick: plain}, y: axis{tick: plain}}
	c.add("nothing", nil)
	_, err := c.svg()
	require.ErrorContains(t, err, `"nothing" was not measured`)
}

func TestTable(t *testing.T) {
	r, err := parseResults(strings.ReplaceAll(output, "timers=100/", "timers=1000000/"))
	require.NoError(t, err)
	runs := map[string]*results{"f": r}
	got, err := table{"ns/firing", []source{{"f", "Fire", []row{{"wheel", "ours"}}}}}.markdown(runs)
	require.NoError(t, err)
	require.Contains(t, got, "| ours | – | – | 8.00 | – | 1.0 |\n")
	_, err = table{"ns/firing", []source{{"f", "Fire", []row{{"tree", "theirs"}}}}}.markdown(runs)
	require.ErrorContains(t, err, "Fire of theirs was not measured")

	for v, want := range map[float64]string{5.126: "5.13", 51.26: "51.3", 512.6: "513", 999.5: "1,000", 51_260: "51,260"} {
		require.Equal(t, want, figure(v, true))
	}
}

func TestPage(t *testing.T) {
	runs := map[string]*results{benchFile: {config: map[string]string{"cpu": "c", "machine": "m", "go": "g", "commit": "h", "date": "d"}}}
	got, err := fillPage("a\n<!-- table: machine -->\nold\n<!-- end -->\nb\n", runs)
	require.NoError(t, err)
	require.Equal(t, "a\n<!-- table: machine -->\n\nc, m; g; commit h, d.\n\n<!-- end -->\nb\n", got)
	again, err := fillPage(got, runs)
	require.NoError(t, err)
	require.Equal(t, got, again)
	_, err = fillPage("<!-- table: machine -->\n", runs)
	require.ErrorContains(t, err, "has no end")
	_, err = fillPage("<!-- table: chair -->\n<!-- end -->", runs)
	require.ErrorContains(t, err, `no table is called "chair"`)
}

// TestTargets: a bound is met at the bound itself, and a ratio is within one run.
func TestTargets(t *testing.T) {
	dir := filepath.Join("..", "..", "docs")
	runs := map[string]*results{}
	for _, name := range []string{benchFile, peersFile} {
		r, err := readResults(filepath.Join(dir, name))
		require.NoError(t, err)
		runs[name] = r
	}
	for i, l := range runs[benchFile].lines {
		if l.matches("WheelAdd", "timers", "1000000", "by", "wheel") {
			runs[benchFile].lines[i].values["ns/timer"] = 16
		}
		if l.matches("WheelAfterFunc", "timers", "1000000") {
			runs[benchFile].lines[i].values["ns/timer"] = 16*20 - 1
		}
		if l.matches("WheelRemove", "timers", "1000000", "by", "wheel") {
			runs[benchFile].lines[i].values["ns/timer"] = 100.1
		}
	}
	got, err := targetTable(runs)
	require.NoError(t, err)
	require.Contains(t, got, "| Add | at most 16 ns | 16.0 ns | reached |\n")
	require.Contains(t, got, "| Add against time.AfterFunc | at least 20 × | 19.9 × | **missed** |\n")
	require.Contains(t, got, "| Remove | at most 100 ns | 100 ns | **missed** |\n")

	delete(runs[peersFile].lines[0].values, "ns/timer")
	runs[peersFile].lines = runs[peersFile].lines[:1]
	_, err = targetTable(runs)
	require.ErrorContains(t, err, "was not measured")
}
