package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// lines bounds how often a line is said: of those that begin the same, of one zone, five in a minute, and then how many more there were.
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
	mostKinds = 4096 // of lines that are remembered
)

// admit takes in a line, and returns what is said: nothing, the line, or before it how often others of its kind were not said.
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

// over forgets the lines whose minute is over, and returns what is said of those that were not said.
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
