package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bufftick/bufftick/bench/load"
)

// WritePage writes README.md and the charts into the folder.
func (r *Report) WritePage(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	charts := map[string]*chart{}
	for _, c := range r.charts() {
		charts[c.file] = c
		if err := c.write(dir); err != nil {
			return err
		}
	}
	w := &writer{charts: charts}
	r.page(w)
	return os.WriteFile(filepath.Join(dir, pageFile), []byte(w.String()), 0o644)
}

// writer writes Markdown.
type writer struct {
	strings.Builder
	charts map[string]*chart
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// chart shows one, if it was drawn.
func (w *writer) chart(file string) {
	if c := w.charts[file]; c != nil {
		w.line("![%s](%s)\n", c.title, file)
	}
}

// table writes the head of one.
func (w *writer) table(columns ...string) {
	w.row(columns...)
	rule := make([]string, len(columns))
	for i := range rule {
		rule[i] = "---"
		if i > 0 {
			rule[i] = "---:"
		}
	}
	w.row(rule...)
}

func (w *writer) row(cells ...string) { w.line("| %s |", strings.Join(cells, " | ")) }

func (r *Report) page(w *writer) {
	m := r.Machine
	w.line("# Report\n")
	w.line("Written by `%s`; nothing on this page is typed. ± is half of the 95 %% interval of the mean.\n", m.Command)
	w.line("Beside it: [run.json](run.json) has every sample, [bench.txt](bench.txt) the same for benchstat, and [ticks.csv](ticks.csv) the frames over the time, of profile F each and of the others some in a row, with the median and the longest of them.\n")
	if r.InParts {
		w.line("It was measured in parts, one after the other; that was the last.\n")
	}
	w.table("", "")
	w.row("machine", fmt.Sprintf("%s, %d processors, %s", m.CPU, m.Processors, m.Memory))
	w.row("system", m.OS+"/"+m.Arch)
	w.row("Go", m.Go)
	w.row("commit", "`"+m.Commit+"`")
	if len(r.Others) > 0 {
		w.row("older parts of", strings.Join(r.Others, ", "))
	}
	w.row("date", m.Date)
	w.row("seed", fmt.Sprint(r.Seed))
	w.line("")
	if r.Quick {
		w.line("This is a quick run: the spans are short, and the ± accordingly wide.\n")
	}
	r.profilesPart(w)
	r.hourPart(w)
	r.memoryPart(w)
	r.scalePart(w)
	r.rivalsPart(w)
	r.wheelPart(w)
	r.peersPart(w)
	r.cutsPart(w)
	r.stepsPart(w)
	w.line("%s", notShown)
}

func (r *Report) profilesPart(w *writer) {
	if len(r.Profiles) == 0 {
		return
	}
	w.line("## Profiles\n")
	w.line("What each simulates is said in the [documentation of the command](../doc.go). A frame is 50 ms of the game, its calls and its Tick; time is virtual, as fast as it goes.\n")
	w.table("profile", "players", "buffs", "game", "took", "calls", "events", "a call", "Tick, an event", "p50", "p99", "p99.9", "max", "of 50 ms")
	for _, p := range r.Profiles {
		part := "–"
		if p.P50 > 0 && p.Letter != "F" {
			part = fmt.Sprintf("%.1f %%", 100*float64(p.P50)/5e7)
		}
		w.row("**"+p.Letter+"** "+p.Name, count(p.Players), count(p.Buffs), span(p.Simulated), span(p.Wall.Round(time.Second/10)), count(p.Calls), count(p.Events),
			spread(p.Call), spread(p.Tick), within(float64(p.P50), p.PartP50), within(float64(p.P99), p.PartP99), single(float64(p.P999)), single(float64(p.Max)), part)
	}
	w.line("")
	w.table("profile", "calls/s", "events/s", "loop CPU an event", "all CPU in Tick an event", "workers", "processors busy in Tick", "late p50", "late p99", "late max", "backlog", "heap", "B a buff", "allocs an operation", "GC", "digest")
	for _, p := range r.Profiles {
		w.row("**"+p.Letter+"** "+p.Name, count(int64(p.CallsPerSecond)), count(int64(p.EventsPerSecond)), within(p.LoopCPU, p.PartLoop), within(p.TickCPU, p.PartAll), fmt.Sprint(p.Workers), fmt.Sprintf("%.0f %%", 100*p.Utilisation),
			fmt.Sprintf("%d ms", p.Late50), fmt.Sprintf("%d ms", p.Late99), fmt.Sprintf("%d ms", p.LateMax), count(p.Backlog), bytes(p.Heap), fmt.Sprintf("%.0f", p.BytesPer),
			fmt.Sprintf("%.3f", p.Allocs), fmt.Sprintf("%.1f %%", 100*p.GCShare), digest(p))
	}
	w.line("\nLateness is in the game's time: from when something was due to the frame that brought it; below 50 ms it is as early as frames allow. Calls/s and events/s are while calls and Ticks run, not while the books are kept. Allocations include those of the books. F has no calls and no players: it is the wheel alone. The digest is of all events in their order, and does not depend on the number of workers; it is missing where time is what is tested. The ± of a run is that of its ten parts; p99.9 and max have none, for each of them is a few frames, and on a shared machine those in which it did something else. K's step is its budget: a Tick waits up to 10 ms for those who sleep.\n")
	w.line("### What had to hold\n")
	w.line("Of every pulse and every end the books knew the millisecond before the engine did.\n")
	w.table("profile", "pulses seen", "ends seen", "casts across", "lost", "early", "late", "doubled", "otherwise wrong")
	for _, p := range r.Profiles {
		f := p.Faults
		w.row("**"+p.Letter+"** "+p.Name, count(p.Pulses), count(p.Ends), count(p.CrossCasts), count(f.Lost), count(f.Early), count(f.Late), count(f.Doubled), count(f.Wrong))
	}
	w.line("")
	for _, p := range r.Profiles {
		for _, c := range p.Checks {
			w.line("- %s **%s**: %s", map[bool]string{true: "ok", false: "**FAILED**"}[c.OK], p.Letter, c.What)
		}
	}
	w.line("")
	w.table("profile", "figure", "value")
	for _, p := range r.Profiles {
		for _, f := range p.Figures {
			w.row("**"+p.Letter+"** "+p.Name, f.Name, value(f))
		}
	}
	w.line("")
	w.chart(cdfFile)
	w.chart(raidsFile)
	w.chart(dayFile)
}

// within is a figure of a whole run, in ns, with the ± of those of its parts.
func within(whole float64, parts load.Spread) string {
	if whole == 0 || parts.PlusMinus == 0 {
		return single(whole)
	}
	return fmt.Sprintf("%s ± %.0f %%", nanos(whole), 100*parts.PlusMinus/parts.Mean)
}

func digest(p *load.Result) string {
	if p.Digest == "" {
		return "–"
	}
	return "`" + p.Digest[:8] + "`"
}

// span writes a duration without the zeros behind.
func span(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-len(zero)+1]
		}
	}
	return s
}

func (r *Report) hourPart(w *writer) {
	if w.charts[hourFile] != nil {
		w.line("## The borders of the hour and the minutes\n")
		w.chart(hourFile)
	}
}

func (r *Report) memoryPart(w *writer) {
	if w.charts[soakFile] != nil || w.charts[cancelFile] != nil {
		w.line("## Memory\n")
		w.chart(soakFile)
		w.chart(cancelFile)
	}
}
