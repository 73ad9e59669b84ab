package game

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// status writes a line about the state of the game once a second. On a terminal the line stays
// below all other output, and each line overwrites the previous one. On any other output, each line
// is a new line.
type status struct {
	to       io.Writer
	terminal bool
	line     string // the last line that was written
	next     time.Time
	since    time.Time // when the last line was written
	events   int       // total number of events when the last line was written
	recent   times     // frame times since the last line was written
}

func newStatus(to io.Writer) *status {
	now := time.Now()
	return &status{to: to, terminal: isTerminal(to), since: now, next: now.Add(time.Second)}
}

// isTerminal reports whether the output is a terminal or another character device.
func isTerminal(to io.Writer) bool {
	f, ok := to.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// coloured reports whether the output should have colours. This is the case if the output is a
// terminal that supports colours and the user has not turned colours off (no-color.org).
func coloured(to io.Writer) bool {
	return isTerminal(to) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// show counts a frame, and writes the line if a second has passed.
func (s *status) show(l *loop, took time.Duration) {
	s.recent.add(took)
	now := time.Now()
	if now.Before(s.next) {
		return
	}
	events := l.totals.total()
	perSecond := float64(events-s.events) / now.Sub(s.since).Seconds()
	s.line = fmt.Sprintf("%v  frame p99 %s, %d late  %s  %d players fell  %.0f events/s  %d buffs",
		l.now, millis(s.recent.quantile(99)), l.late, l.fights(), l.totals.deaths, perSecond, l.totals.alive())
	s.events, s.since, s.next = events, now, now.Add(time.Second)
	s.recent = times{}
	if !s.terminal {
		fmt.Fprintln(s.to, s.line)
		return
	}
	s.draw()
}

// draw overwrites the line. The code ?7l turns off wrapping, so that the terminal cuts off a long
// line. A wrapped line could not be overwritten.
func (s *status) draw() {
	if s.terminal && s.line != "" {
		fmt.Fprintf(s.to, "\r\x1b[?7l%s\x1b[K\x1b[?7h", s.line)
	}
}

// clear removes the line before other output.
func (s *status) clear() {
	if s.terminal && s.line != "" {
		fmt.Fprint(s.to, "\r\x1b[K")
	}
}

// above writes lines to the given output, and then draws the status line again, below these lines.
// The given output may differ from the output of the status line.
func (s *status) above(to io.Writer, lines ...string) {
	s.clear()
	_, _ = io.WriteString(to, strings.Join(lines, "\n")+"\n") // if the output fails, the summary reports it
	s.draw()
}

// fights describes the state of the bosses.
func (w *world) fights() string {
	up, weakest := 0, 1.
	for i := range w.raids {
		if r := &w.raids[i]; r.fights && !r.fell {
			up++
			weakest = min(weakest, r.health/r.most)
		}
	}
	text := fmt.Sprintf("%d/%d bosses up, %d killed", up, len(w.raids), w.totals.felled)
	if up > 0 {
		text += fmt.Sprintf(", weakest %.0f %%", 100*weakest)
	}
	return text
}
