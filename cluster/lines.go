package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// lines limits repeated log lines: of lines of one zone with the same start, five a minute are
// reported, followed by the number of the others.
type lines struct {
	of map[lineKey]*line
}

type lineKey struct{ zone, begins string }

type line struct {
	since policy.Time
	said  int
	more  int
	last  string
}

const (
	mostLines = 5
	eachLines = time.Minute
	mostKinds = 4096 // maximum number of starts that are tracked
)

// admit records a line and returns the lines to report: none, or the line, possibly preceded by a
// summary of the previous minute.
func (l *lines) admit(zone, what string, now policy.Time) (say []string) {
	begins, _, _ := strings.Cut(what, ":")
	key := lineKey{zone, begins}
	x := l.of[key]
	if x == nil || now-x.since >= eachLines {
		if x != nil && x.more > 0 {
			say = append(say, x.again())
		}
		if l.of == nil || len(l.of) >= mostKinds {
			l.of = map[lineKey]*line{}
		}
		x = &line{since: now}
		l.of[key] = x
	}
	if x.said++; x.said > mostLines {
		x.more, x.last = x.more+1, what
		return say
	}
	return append(say, what)
}

func (x *line) again() string {
	return fmt.Sprintf("%s (and %d lines more that begin so, within %v)", x.last, x.more-1, eachLines)
}

// over removes the entries older than a minute and returns their summaries.
func (l *lines) over(now policy.Time) (say map[string][]string) {
	for key, x := range l.of {
		if now-x.since < eachLines {
			continue
		}
		delete(l.of, key)
		if x.more > 0 {
			if say == nil {
				say = map[string][]string{}
			}
			say[key.zone] = append(say[key.zone], x.again())
		}
	}
	return say
}
