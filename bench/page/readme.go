package page

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufftick/bufftick/bench/rival"
)

// A generated part of a page is between two marker lines. The first marker has the name of the
// part:
//
//	<!-- report: first -->
//	<!-- end -->
const (
	partBegins = "<!-- report: "
	partEnds   = "<!-- end -->"
)

// readmeParts has the functions that write the generated parts of pages, by the name of the part.
// The parameter "dir" is the link from the page to the report's folder.
var readmeParts = map[string]func(r *Report, w *writer, dir string){
	"first":  func(r *Report, w *writer, _ string) { r.readmeFirst(w) },
	"tables": (*Report).readmeTables,
	"rivals": func(r *Report, w *writer, _ string) { r.readmeRivals(w) },
	"charts": (*Report).readmeCharts,
}

// WriteReadme rewrites the marked parts of a file. The folder "dir" contains the report. The rest
// of the file does not change. If the file does not exist, WriteReadme does nothing.
func (r *Report) WriteReadme(file, dir string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	link, err := fromFile(file, dir)
	if err != nil {
		return err
	}
	filled, err := r.FillReadme(string(text), link)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if filled == string(text) {
		return nil
	}
	return os.WriteFile(file, []byte(filled), 0o644)
}

// fromFile returns the path "dir" as a link relative to the folder of the file.
func fromFile(file, dir string) (string, error) {
	file, err := filepath.Abs(file) // Rel cannot resolve .. at the start of a relative path
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	link, err := filepath.Rel(filepath.Dir(file), dir)
	return filepath.ToSlash(link), err
}

// FillReadme returns the text of a page after generating its marked parts from the report. Links to
// charts start with "dir".
func (r *Report) FillReadme(text, dir string) (string, error) {
	w := &writer{charts: map[string]*chart{}}
	for _, c := range r.charts() {
		w.charts[c.file] = c
	}
	in := ""
	for line := range strings.Lines(text) {
		word := strings.TrimSpace(line)
		name, begins := strings.CutPrefix(word, partBegins)
		switch {
		case begins && in != "":
			return "", fmt.Errorf("part %s has no line %s", in, partEnds)
		case begins:
			in = strings.TrimSuffix(name, " -->")
			if readmeParts[in] == nil {
				return "", fmt.Errorf("unknown report part %q", in)
			}
			w.WriteString(line)
			readmeParts[in](r, w, dir)
		case in == "":
			w.WriteString(line)
		case word == partEnds:
			in = ""
			w.WriteString(line)
		}
	}
	if in != "" {
		return "", fmt.Errorf("part %s has no line %s", in, partEnds)
	}
	return w.String(), nil
}

// readmeSize is the number of players in the first sentence of the README's generated part.
const readmeSize = 100_000

func (r *Report) readmeFirst(w *writer) {
	w.fill(fmt.Sprintf("One run of `go -C bench run . report` on %s, %d processors:", r.Machine.CPU, r.Machine.Processors))
	for _, s := range r.byWorkers(0) {
		if s.Players == readmeSize {
			w.line("- %s players with %s live buffs at 20 Hz: **%s** of each 50 ms frame, %s events", count(s.Players), count(s.Buffs), about(s.CPU.Mean*float64(dueInFrame(&s))), count(dueInFrame(&s)))
			w.line("- memory per buff, including its share of the player: **%.0f bytes**", s.Bytes)
		}
	}
	for _, c := range r.Calls {
		if c.Buffs == readmeSize {
			w.line("- with %s live buffs, a new one costs **%s**, a refresh %s, a removal %s", count(c.Buffs), about(c.New.Mean), about(c.Refresh.Mean), about(c.Remove.Mean))
		}
	}
}

// about formats nanoseconds with two significant digits.
func about(ns float64) string { return lean(twoDigits(ns)) }

// dueInFrame returns the average number of events per Tick.
func dueInFrame(s *rival.Scaled) int { return int(s.Frame.Mean/s.Wall.Mean + 0.5) }

// fill writes text wrapped at 88 columns.
func (w *writer) fill(text string) {
	const most = 88
	n := 0
	for i, word := range strings.Fields(text) {
		switch long := len([]rune(word)); {
		case i == 0:
			n = long
		case n+1+long > most:
			w.WriteString("\n")
			n = long
		default:
			w.WriteString(" ")
			n += 1 + long
		}
		w.WriteString(word)
	}
	w.WriteString("\n")
}

func (r *Report) readmeTables(w *writer, dir string) {
	m := r.Machine
	w.fill(fmt.Sprintf("%s, %d processors, %s, %s. Times are processor time; ± is half of the 95 %% confidence interval of the mean. Compare ratios within one run: absolute times drift by a third from hour to hour. [The report](%s) has all tables.", m.CPU, m.Processors, m.Go, m.Date, path.Join(dir, pageFile)))
	if loop := r.byWorkers(0); len(loop) > 0 {
		w.line("")
		w.table("players", "buffs", "events per Tick", "per event, on the loop", fmt.Sprintf("with ants, %d workers", m.Processors), "Tick, on the loop", "B/buff, players included")
		for _, s := range loop {
			pooled := "–"
			for _, p := range r.byWorkers(m.Processors) {
				if p.Players == s.Players {
					pooled = spread(p.CPU)
				}
			}
			w.row(count(s.Players), count(s.Buffs), count(dueInFrame(&s)), spread(s.CPU), pooled, nanos(s.CPU.Mean*float64(dueInFrame(&s))), fmt.Sprintf("%.0f", s.Bytes))
		}
	}
	if len(r.Calls) > 0 {
		w.line("")
		r.callsTable(w)
	}
}

// readmeRivals writes the costs of the rivals at their largest size.
func (r *Report) readmeRivals(w *writer) {
	largest := map[string]rival.Duel{}
	for _, d := range r.Duels {
		if d.Buffs >= largest[d.Load].Buffs {
			largest[d.Load] = d
		}
	}
	fight, city := largest[rival.Fight.Name], largest[rival.City.Name]
	if len(fight.Rows) == 0 || len(city.Rows) == 0 {
		return
	}
	w.table("time relative to the engine", fmt.Sprintf("a fight, %s buffs", count(fight.Buffs)), fmt.Sprintf("a city, %s buffs", count(city.Buffs)))
	for i, row := range fight.Rows {
		if row.Name != rival.Engine && i < len(city.Rows) {
			w.row(rivalWords[row.Name], ratio(row.Against), ratio(city.Rows[i].Against))
		}
	}
}

// rivalWords maps the names of rivals to descriptions.
var rivalWords = map[string]string{
	"ants":  "the engine with handlers on a pool",
	"scan":  "a scan of all buffs in each frame",
	"lists": "one list for each of 43,200 frames",
	"heap":  "`container/heap` of all deadlines",
}

func (r *Report) readmeCharts(w *writer, dir string) {
	for _, file := range []string{hourFile, scaleFile} {
		if c := w.charts[file]; c != nil {
			w.line("![%s](%s)", c.title, path.Join(dir, file))
		}
	}
}
