package game

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/term"
)

// status writes how the game goes, once a second: on a terminal a line that stays below all that
// is told, anywhere else one more line each time.
type status struct {
	to     io.Writer
	width  func() int // of the terminal in columns; nil: it is none
	line   string     // that stands there
	next   time.Time
	since  time.Time
	events int                     // of the game when it was last shown
	recent *hdrhistogram.Histogram // ns: the frames since then
}

func newStatus(to io.Writer) *status {
	now := time.Now()
	s := &status{to: to, since: now, next: now.Add(time.Second), recent: hdrhistogram.New(1, longest, 3)}
	if f := terminal(to); f != nil {
		s.width = func() int {
			if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
				return columns
			}
			return 80
		}
	}
	return s
}

// terminal returns what is written to, if it is a terminal, and nil otherwise.
func terminal(to io.Writer) *os.File {
	if f, ok := to.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// coloured reports whether lines there are to have colours: on a terminal that knows them, unless its
// user wants none (no-color.org).
func coloured(to io.Writer) bool {
	return terminal(to) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// show takes in a frame, and writes the line when it is time.
func (s *status) show(l *loop, took time.Duration) {
	record(s.recent, took)
	now := time.Now()
	if now.Before(s.next) {
		return
	}
	events := l.totals.total()
	perSecond := float64(events-s.events) / now.Sub(s.since).Seconds()
	s.line = fmt.Sprintf("%v  frame p99 %s, %d late  %s  %d players fell  %.0f events/s  %d buffs",
		l.now, millis(s.recent.ValueAtQuantile(99)), l.late, l.fights(), l.totals.deaths, perSecond, l.totals.alive())
	s.events, s.since, s.next = events, now, now.Add(time.Second)
	s.recent.Reset()
	if s.width == nil {
		fmt.Fprintln(s.to, s.line)
		return
	}
	s.draw()
}

// draw writes the line over itself, as much as there is room for: a longer one would go on below, and
// stay. It is of plain ASCII.
func (s *status) draw() {
	if s.width != nil && s.line != "" {
		fmt.Fprintf(s.to, "\r%s\x1b[K", s.line[:min(len(s.line), max(0, s.width()-1))])
	}
}

// clear takes the line away, for what is printed next.
func (s *status) clear() {
	if s.width != nil && s.line != "" {
		fmt.Fprint(s.to, "\r\x1b[K")
	}
}

// above writes lines to where else they belong, above the line of the state.
func (s *status) above(to io.Writer, lines ...string) {
	s.clear()
	_, _ = io.WriteString(to, strings.Join(lines, "\n")+"\n") // what cannot be written, the summary finds too
	s.draw()
}

// fights says how it goes for the bosses.
func (w *world) fights() string {
	up, weakest := 0, 1.
	for i := range w.raids {
		if r := &w.raids[i]; r.fights && !r.fell {
			up++
			weakest = min(weakest, r.health/r.most)
		}
	}
	text := fmt.Sprintf("%d/%d bosses up, %d fell", up, len(w.raids), w.totals.felled)
	if up > 0 {
		text += fmt.Sprintf(", weakest %.0f %%", 100*weakest)
	}
	return text
}
