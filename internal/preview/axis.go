package preview

import (
	"strconv"
	"strings"
)

// The list `scales` has the spans, in ms, that one unit of an axis may represent. The list `round`
// has the intervals, in ms, that are allowed between two labels.
var (
	scales = spans(
		[]int64{1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 250, 300, 400, 500, 600, 800},
		[]int64{1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30},
		[]int64{1, 2, 3, 4, 6, 12},
		[]int64{1, 2, 5, 10, 20, 50, 100},
	)
	round = spans(
		[]int64{1, 2, 5, 10, 20, 50, 100, 200, 500},
		[]int64{1, 2, 3, 5, 10, 15, 20, 30},
		[]int64{1, 2, 3, 6, 12},
		[]int64{1, 2, 5, 10, 20, 50, 100},
	)
)

// spans returns a list of spans in ms. The arguments are numbers of milliseconds; numbers of
// seconds, which are also used as numbers of minutes; numbers of hours; and numbers of days.
func spans(ms, sixty, hours, days []int64) []int64 {
	out := ms
	for _, u := range []struct {
		unit  int64
		times []int64
	}{{second, sixty}, {minute, sixty}, {hour, hours}, {day, days}} {
		for _, n := range u.times {
			out = append(out, n*u.unit)
		}
	}
	return out
}

const (
	second int64 = 1000
	minute       = 60 * second
	hour         = 60 * minute
	day          = 24 * hour
)

// scaleFor returns the smallest scale at which n units cover the given time.
func scaleFor(ms int64, n int) int64 {
	for _, s := range scales {
		if (ms+s-1)/s <= int64(n) {
			return s
		}
	}
	return scales[len(scales)-1]
}

// labelled returns the distance between labels in ms. It is the smallest interval in the list
// `round` that is a multiple of the given unit and leaves enough space for all labels up to the
// end. If that list has no such interval, the distance is taken from the list `scales`. The
// function `room` returns the width of an instant's label, in ms.
func labelled(unit, end int64, room func(ms int64) int64) int64 {
	for _, from := range [][]int64{round, scales} {
		for _, s := range from {
			if s%unit == 0 && room(s) <= s && room(end/s*s) <= s && room((end/s-1)*s) <= s {
				return s
			}
		}
	}
	return scales[len(scales)-1]
}

// span formats ms in the shortest form: "0s", "1.5s", "1m30s", "2h".
func span(ms int64) string {
	if ms < 0 {
		return "-" + span(-ms)
	}
	var b strings.Builder
	for _, u := range []struct {
		ms   int64
		name string
	}{{day, "d"}, {hour, "h"}, {minute, "m"}} {
		if n := ms / u.ms; n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + u.name)
			ms %= u.ms
		}
	}
	switch {
	case ms == 0 && b.Len() > 0:
	case ms > 0 && ms < second && b.Len() == 0:
		b.WriteString(strconv.FormatInt(ms, 10) + "ms")
	default:
		b.WriteString(strconv.FormatFloat(float64(ms)/float64(second), 'f', -1, 64) + "s")
	}
	return b.String()
}
