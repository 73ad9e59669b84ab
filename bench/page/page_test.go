package page

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/bench/cuts"
	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/bench/rival"
)

// sample returns a report with all parts and made-up numbers.
func sample() *Report {
	r := &Report{Seed: 1}
	r.Machine.Processors, r.Machine.CPU, r.Machine.Command = 2, "a machine", "go -C bench run . report"
	for _, e := range load.Profiles {
		p := &load.Result{
			Letter: e.Letter, Name: e.Name, Players: 4000, Buffs: 88_000, Simulated: time.Hour, P50: 1200, P99: 2500, P999: 3000, Max: 3500,
			Samples: []load.Sample{{Call: 900, Tick: 400}, {Call: 910, Tick: 420}}, Digest: "0123456789abcdef",
		}
		for i := range int64(40) {
			p.Rows = append(p.Rows, load.Row{At: (i - 20) * 10_000, Frames: 1, Median: 1000 + i, Max: 2000 + i})
		}
		for _, share := range []float64{0, 0.5, 0.99, 0.999, 1} {
			p.CDF = append(p.CDF, load.Quantile{Share: share, Ns: 1000 + int64(share*2000)})
		}
		p.Series = map[string][]load.XY{"heap": {{X: 1, Y: 2}, {X: 2, Y: 2}}, "heap of the wheel": {{X: 10, Y: 11}, {X: 100, Y: 11}}}
		p.Figures = []load.Figure{{Name: "frame at the hour, against the median", Value: 1.5, Unit: "×"}}
		r.Profiles = append(r.Profiles, p)
	}
	for _, n := range []int{1000, 10_000, 100_000} {
		for _, w := range []int{0, 1, 2} {
			r.Scale = append(r.Scale, rival.Scaled{Players: n, Buffs: 10 * n, Workers: w, Wall: load.Spread{Mean: 300, PlusMinus: 10}, Frame: load.Spread{Mean: float64(n) * 10}, CPUs: []float64{310, 330}, Access: load.Spread{Mean: float64(n) / 1000}, CPU: load.Spread{Mean: 320}, Samples: []float64{299, 301}})
		}
		for _, l := range []string{"fight", "city"} {
			d := rival.Duel{Load: l, Buffs: n}
			for _, name := range []string{"engine", "scan"} {
				d.Rows = append(d.Rows, rival.Row{Name: name, CPU: load.Spread{Mean: 500}, Samples: []float64{500}, Ratios: []float64{1}})
			}
			r.Duels = append(r.Duels, d)
		}
	}
	r.Calls = []rival.Called{{Buffs: 100_000, New: load.Spread{Mean: 1111}, Refresh: load.Spread{Mean: 990}, Remove: load.Spread{Mean: 532}}}
	r.Kept = []rival.Kept{{Timers: 1000, Name: "wheel", Add: load.Spread{Mean: 20}}}
	r.Peers = []Turns{{"add", 1000, "timer", []TurnsRow{{"wheel", []float64{20, 30}}, {"otter", []float64{40, 60}}}}}
	for _, world := range cuts.Worlds {
		for k, w := range cuts.Ways {
			f := cuts.Frames{World: world, Way: w.Name, Owners: 4000, Buffs: 40_000, P50: []float64{1e6, 1e6}, P99: []float64{2e6, 3e6}, Max: []float64{4e6, 4e6}, CPU: []float64{1, 1}, Bytes: 1e6}
			for n := range int64(50) {
				f.Least = append(f.Least, 1e6+n*1e4+int64(k)*1e5)
			}
			r.Cuts = append(r.Cuts, f)
		}
	}
	r.Opens = []cuts.Opened{{Owners: 100, Buffs: 1000, Bytes: 1 << 16, Took: []float64{1e6, 2e6}}, {Owners: 1000, Buffs: 10_000, Bytes: 1 << 19, Took: []float64{1e7, 2e7}}}
	r.MeasuredCuts(gauge.Machine{CPU: "another", Processors: 4, Command: "report --parts cuts", Busy: "load 3.0"}, r.Cuts, r.Opens)
	r.Probes = []rival.Probe{{"engine/game": 3, rival.PoolStep: 4}, {"engine/game": 3.1, rival.PoolStep: 4}}
	return r
}

// files returns the contents of the files in the folder dir, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

// TestReport checks that run.json alone determines the page and the charts, byte for byte.
func TestReport(t *testing.T) {
	first, again := t.TempDir(), t.TempDir()
	require.NoError(t, sample().WriteData(first))
	require.NoError(t, sample().WritePage(first))
	r, err := Read(filepath.Join(first, "run.json"))
	require.NoError(t, err)
	require.NoError(t, r.WriteData(again))
	require.NoError(t, r.WritePage(again))
	one := files(t, first)
	require.Equal(t, one, files(t, again))
	require.Len(t, one, 4+13) // the four data files and the charts
	for _, name := range []string{scaleFile, workersFile, hourFile, raidsFile, cdfFile, dayFile, soakFile, cancelFile, rivalFile("fight"), rivalFile("city"), cutsFile("raids"), cutsFile("crowd"), opensFile} {
		require.Contains(t, one[name], "</svg>", name)
		require.Contains(t, one["README.md"], "]("+name+")", name)
	}
	require.Contains(t, one["bench.txt"], "BenchmarkStep/engine/game-2 1 3.1000 times-the-heap")
	require.Contains(t, one["bench.txt"], "BenchmarkProfile/B-raids/event-2 1 420.00 ns/op")
	require.Contains(t, one["bench.txt"], "BenchmarkPeer/add/size=1000/by=otter-2 1 60.00 ns/timer 2.0000 times-ours")
	require.Contains(t, one["README.md"], "| otter | 50.0 ns ± 254 % | 2.00 ± 0.00 |")
	require.Contains(t, one["bench.txt"], "BenchmarkCuts/world=raids/way=a-cut-each-250-ms-4 1 1000000 p50-ns 3000000 p99-ns 4000000 max-ns")
	require.Contains(t, one["README.md"], "| raids | a cut each second | 1.00 ms ± 0 % |")
	require.Contains(t, one["README.md"], "Measured separately with `report --parts cuts`: another, 4 processors")
	require.Contains(t, one["README.md"], "; load 3.0.\n")
	require.Contains(t, one["README.md"], "## Limitations")
	require.Contains(t, one["ticks.csv"], "F,-200000,1,1000,2000,0,0,0\n")
}

// TestMeasuredCuts checks that the machine that measured the cuts is recorded only if another
// machine measured the rest of the report.
func TestMeasuredCuts(t *testing.T) {
	r := New(1, false)
	r.MeasuredCuts(r.Machine, nil, nil)
	require.Nil(t, r.CutsBy)
	by := r.Machine
	by.Commit = "older"
	r.MeasuredCuts(by, nil, nil)
	require.Equal(t, &by, r.CutsBy)
}

// TestCommittedReport checks that the committed page, its charts and the generated parts of the
// docs match the committed run.json.
func TestCommittedReport(t *testing.T) {
	report, root := filepath.Join("..", "report"), filepath.Join("..", "..")
	r, err := Read(filepath.Join(report, "run.json"))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, r.WritePage(dir))
	const again = "go -C bench run . report -from report/run.json regenerates it"
	for name, want := range files(t, dir) {
		if filepath.Ext(name) == ".svg" && runtime.GOARCH != "amd64" {
			continue // other architectures use fused multiply-add, which rounds once
		}
		got, err := os.ReadFile(filepath.Join(report, name))
		require.NoError(t, err)
		require.True(t, want == string(got), "bench/report/%s does not match bench/report/run.json: %s", name, again)
	}
	all := ""
	for name, link := range map[string]string{"README.md": "bench/report", "docs/performance.md": "../bench/report"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		want, err := r.FillReadme(string(text), link)
		require.NoError(t, err)
		require.True(t, want == string(text), "the numbers in %s do not match bench/report/run.json: %s", name, again)
		all += string(text)
	}
	for part := range readmeParts {
		require.Contains(t, all, partBegins+part+" -->")
	}
}

// TestReadme checks that only the marked parts are rewritten.
func TestReadme(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bench"), 0o700))
	t.Chdir(filepath.Join(dir, "bench"))
	file := filepath.Join("..", "README.md")
	require.NoError(t, sample().WriteReadme(file, "report")) // the file does not exist yet
	require.NoFileExists(t, file)
	text := "# A\n\n<!-- report: first -->\nold\n<!-- end -->\nB\n<!-- report: charts -->\n<!-- end -->\n<!-- end -->\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, sample().WriteReadme(file, "report"))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(got), "# A\n\n<!-- report: first -->\nOne run of `go -C bench run . report` on a machine, 2 processors:\n- 100,000 players with 1,000,000 live buffs at 20 Hz: **1.1 ms** of each 50 ms frame, 3,333 events\n- memory per buff, including its share of the player: **0 bytes**\n- with 100,000 live buffs, a new one costs **1.1 µs**, a refresh 990 ns, a removal 530 ns\n<!-- end -->\nB\n<!-- report: charts -->\n![")
	require.Contains(t, string(got), "](bench/report/"+hourFile+")\n")
	require.Equal(t, 3, strings.Count(string(got), partEnds)) // the unmatched end line is kept
	twice, err := sample().FillReadme(string(got), "bench/report")
	require.NoError(t, err)
	require.Equal(t, string(got), twice)
	for _, bad := range []string{"<!-- report: first -->\n", "<!-- report: first -->\n<!-- report: charts -->\n<!-- end -->\n", "<!-- report: nothing -->\n<!-- end -->\n"} {
		_, err := sample().FillReadme(bad, "report")
		require.Error(t, err, bad)
	}
}

// TestNumbers checks the formats of numbers.
func TestNumbers(t *testing.T) {
	require.Equal(t, "1,234,567", count(1234567))
	require.Equal(t, "-1,000", count(-1000))
	require.Equal(t, "999", count(999))
	require.Equal(t, "1.23 µs", nanos(1234))
	require.Equal(t, "12.3 ms", nanos(12.34e6))
	require.Equal(t, "-2.50 MB", bytes(-2_500_000))
	require.Equal(t, "24h", span(24*time.Hour))
	require.Equal(t, "1m30s", span(90*time.Second))
	require.Equal(t, "10m", span(10*time.Minute))
}
