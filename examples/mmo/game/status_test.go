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

// watched returns the loop of a game with ten players. The status is written to b, which is treated
// as a terminal if the parameter "terminal" is true.
func watched(t *testing.T, b io.Writer, terminal bool) *loop {
	t.Helper()
	s, err := parseFlags([]string{"-players", "10", "-duration", "3s"})
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.eng.Close(context.Background())) })
	status := newStatus(b)
	require.False(t, status.terminal, "a buffer is not a terminal")
	status.terminal = terminal
	return newLoop(w, status, b)
}

// TestStatus_Terminal checks that the status line is overwritten, and that other output is written
// above it.
func TestStatus_Terminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := watched(t, &b, true)
		l.play(t.Context())
		state := func(at, weakest string) string {
			return `\r\x1b\[\?7l` + at + `  frame p99 0\.00 ms, 0 late  1/1 bosses up, 0 killed, weakest ` + weakest + ` %  0 players fell  \d+ events/s  \d+ buffs\x1b\[K\x1b\[\?7h`
		}
		first, second := state("00:00:01.050", "99"), state("00:00:02.050", "97")
		require.Regexp(t, `^00:00:00\.000  raid 1  Old Ironhide appears with 7500 health; 10 players fight it\n`+first+second+`\r\x1b\[K$`, b.String())
		b.Reset()
		l.status.above(&b, "one", "two")
		require.Regexp(t, `^\r\x1b\[Kone\ntwo\n`+second+`$`, b.String())
	})
}

// TestStatus_LastSecond checks that a long frame is counted only in the second in which it ran.
func TestStatus_LastSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := watched(t, &b, false)
		for _, took := range []time.Duration{400 * time.Millisecond, time.Millisecond, 2 * time.Millisecond} {
			l.status.show(l, took)
			time.Sleep(time.Second)
			l.status.show(l, took)
			_, line, _ := strings.Cut(b.String(), "  ")
			b.Reset()
			var p99 float64
			_, err := fmt.Sscanf(line, "frame p99 %f ms", &p99)
			require.NoError(t, err)
			require.InEpsilon(t, float64(took)/1e6, p99, 1./64)
		}
	})
}

func TestStatus_Coloured(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal: ", err)
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
	require.True(t, newStatus(tty).terminal)
}
