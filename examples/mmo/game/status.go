package game

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// status writes how the game goes, once a second: on a terminal always on the same
// line.
type status struct {
	to       io.Writer
	terminal bool
	next     time.Time
	since    time.Time
	events   int // of the game when it was last shown
}

func newStatus(to io.Writer) *status {
	f, ok := to.(*os.File)
	now := time.Now()
	return &status{to: to, terminal: ok && term.IsTerminal(int(f.Fd())), since: now, next: now.Add(time.Second)}
}

func (s *status) show(l *loop) {
	now := time.Now()
	if now.Before(s.next) {
		return
	}
	events := l.totals.total()
	line := fmt.Sprintf("%v  %.0f events/s  %d buffs  %d deaths  frame p99 %s  late %d",
		l.now, float64(events-s.events)/now.Sub(s.since).Seconds(), l.totals.alive(), l.totals.deaths,
		millis(l.frame.ValueAtQuantile(99)), l.late)
	s.events, s.since, s.next = events, now, now.Add(time.Second)
	if s.terminal {
		fmt.Fprintf(s.to, "\r%s\x1b[K", line) // and erase what is left of a longer one
	} else {
		fmt.Fprintln(s.to, line)
	}
}

// clear takes the line away, for what is printed next.
func (s *status) clear() {
	if s.terminal {
		fmt.Fprint(s.to, "\r\x1b[K")
	}
}
