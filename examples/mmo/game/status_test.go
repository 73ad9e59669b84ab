package game

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// watched is a world of ten players with a line of the state that goes to b, as if that was a
// terminal of so many columns; 0: it is none.
func watched(t *testing.T, b io.Writer, columns int) *loop {
	t.Helper()
	s, err := parseFlags([]string{"-players", "10", "-duration", "3s"})
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.eng.Close(context.Background())) })
	status := newStatus(b)
	require.Nil(t, status.width, "a buffer is no terminal")
	if columns > 0 {
		status.width = func() int { return columns }
	}
	return newLoop(w, status, b)
}

// A terminal has one line that is written over, and what is told comes above it.
func TestStatusLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := watched(t, &b, 200)
		l.play(t.Context())
		state := func(at, weakest string) string {
			return `\r` + at + `  frame p99 0\.00 ms, 0 late  1/1 bosses up, 0 fell, weakest ` + weakest + ` %  0 players fell  \d+ events/s  \d+ buffs\x1b\[K`
		}
		first, second := state("00:00:01.050", "99"), state("00:00:02.050", "97")
		require.Regexp(t, `^00:00:00\.000  raid 1  Old Ironhide comes, with 7500 health, and finds 10 players\n`+first+second+`\r\x1b\[K$`, b.String())
		b.Reset()
		l.status.above(&b, "one", "two")
		require.Regexp(t, `^\r\x1b\[Kone\ntwo\n`+second+`$`, b.String())
	})
}

// A line that is longer than the terminal is wide would go on below, and stay there.
func TestStatusLineFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, columns := range []int{1, 24} {
			var b bytes.Buffer
			l := watched(t, &b, columns)
			time.Sleep(time.Second)
			l.status.show(l, 0)
			require.Equal(t, "\r"+"00:00:00.000  frame p99 0.00 ms"[:columns-1]+"\x1b[K", b.String())
		}
	})
}

// A long frame is in the line of its second, and in none after it.
func TestStatusOfTheLastSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := watched(t, &b, 0)
		for _, took := range []time.Duration{400 * time.Millisecond, time.Millisecond, 2 * time.Millisecond} {
			l.status.show(l, took)
			time.Sleep(time.Second)
			l.status.show(l, took)
			_, line, _ := strings.Cut(b.String(), "  ")
			b.Reset()
			p99, _, _ := strings.Cut(line, ".") // the histogram knows three digits
			require.Equal(t, fmt.Sprintf("frame p99 %d", took.Milliseconds()), p99)
		}
	})
}

// A terminal has colours unless its user, or it, wants none.
func TestColoured(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal to be had: ", err)
	}
	defer tty.Close()
	pipe, end, err := os.Pipe()
	require.NoError(t, err)
	defer pipe.Close()
	defer end.Close()
	for _, x := range []struct {
		to            io.Writer
		noColor, term string
		want          bool
	}{
		{tty, "", "xterm-256color", true},
		{tty, "1", "xterm-256color", false},
		{tty, "", "dumb", false},
		{end, "", "xterm-256color", false},
		{io.Discard, "", "xterm-256color", false},
	} {
		t.Setenv("NO_COLOR", x.noColor)
		t.Setenv("TERM", x.term)
		require.Equal(t, x.want, coloured(x.to), "%T NO_COLOR=%s TERM=%s", x.to, x.noColor, x.term)
	}
	require.NotNil(t, newStatus(tty).width)
	require.Equal(t, 80, newStatus(tty).width(), "it does not say how wide it is")
}
