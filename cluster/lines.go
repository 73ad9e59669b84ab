package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// lines limits repeated log lines. Lines are similar if they are about the same zone and have the
// same text before the first colon. At most five similar lines a minute are reported. If more lines
// were suppressed, a summary with the last of them and their number follows.
type lines struct {
	of map[lineKey]*line
}

type lineKey struct{ zone, start string }

type line struct {
	since      policy.Time
	reported   int
	suppressed int
	last       string // text of the last suppressed line
}

const (
	mostLines = 5
	eachLines = time.Minute
	mostKinds = 4096 // maximum number of groups of similar lines that are tracked
)

// admit records a line and returns the lines to report. If similar lines were suppressed in the
// previous minute, the first line is a summary of them. The new line follows, unless there were too
// many similar lines.
func (l *lines) admit(zone, what string, now policy.Time) (report []string) {
	start, _, _ := strings.Cut(what, ":")
	key := lineKey{zone, start}
	x := l.of[key]
	if x == nil || now-x.since >= eachLines {
		if x != nil && x.suppressed > 0 {
			report = append(report, x.summary())
		}
		if l.of == nil || len(l.of) >= mostKinds {
			l.of = map[lineKey]*line{}
		}
		x = &line{since: now}
		l.of[key] = x
	}
	if x.reported++; x.reported > mostLines {
		x.suppressed, x.last = x.suppressed+1, what
		return report
	}
	return append(report, what)
}

func (x *line) summary() string {
	return fmt.Sprintf("%s (and %d more such lines within %v)", x.last, x.suppressed-1, eachLines)
}

// over removes the entries older than a minute and returns their summaries.
func (l *lines) over(now policy.Time) (report map[string][]string) {
	for key, x := range l.of {
		if now-x.since < eachLines {
			continue
		}
		delete(l.of, key)
		if x.suppressed > 0 {
			if report == nil {
				report = map[string][]string{}
			}
			report[key.zone] = append(report[key.zone], x.summary())
		}
	}
	return report
}
