package game

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// TestMain ignores the goroutines that the imported package ants starts.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// play runs the program with the flags in the given line, and returns the output and the exit
// status.
func play(t *testing.T, ctx context.Context, line string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = Run(ctx, strings.Fields(line), Console{Out: &out, Err: &err})
	return out.String(), err.String(), status
}

var digestLine = regexp.MustCompile(`\ndigest: ([0-9a-f]{64})\n$`)

// digestOf plays a whole game and returns its digest.
func digestOf(t *testing.T, line string) string {
	t.Helper()
	_, digest := playedOf(t, line)
	return digest
}

// playedOf returns the story and the digest of a whole game.
func playedOf(t *testing.T, line string) (story, digest string) {
	t.Helper()
	stdout, stderr, status := play(t, t.Context(), line)
	require.Zero(t, status, "%s: %s", line, stderr)
	s, err := parseFlags(strings.Fields(line))
	require.NoError(t, err)
	require.Contains(t, stdout, fmt.Sprintf("\nframes    %d played, ", s.duration*time.Duration(s.rate)/time.Second), line)
	require.NotContains(t, stdout, "stuck")
	found := digestLine.FindStringSubmatch(stdout)
	require.NotNil(t, found, "%s: the summary does not end in a digest:\n%s", line, stdout)
	story, _, _ = strings.Cut(stdout, "\ngame ")
	return story, found[1]
}

// minute returns the flags for a game of a minute with a few hundred players. Without -long, it
// returns the flags for a shorter game with fewer players.
func minute() string {
	if !long.On() {
		return "-speed max -players 60 -bosses 2 -duration 15s "
	}
	return "-speed max -players 300 -duration 60s "
}

// TestDigest checks that the digest depends on the seed, and not on the number of workers.
func TestDigest(t *testing.T) {
	first, want := playedOf(t, minute()+"-seed 7 -sync")
	require.Contains(t, first, " appears with ")
	for _, how := range []string{"-workers 1", "-workers 2", "-workers 8", "-workers 0", "-sync"} {
		story, digest := playedOf(t, minute()+"-seed 7 "+how)
		require.Equal(t, want, digest, how)
		require.Equal(t, first, story, how)
	}
	require.NotEqual(t, want, digestOf(t, minute()+"-seed 8"))
}

// TestDigestInRealTime checks that the digest does not depend on the speed of the game. In a bubble
// of synctest, the game waits for the time of each frame without delaying the test.
func TestDigestInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const game = "-players 60 -bosses 2 -duration 700ms "
		want := digestOf(t, game+"-speed max")
		for _, speed := range []string{"1", "3", "0.5"} {
			start := time.Now()
			require.Equal(t, want, digestOf(t, game+"-speed "+speed), speed)
			// The last frame starts one frame before the end.
			switch took := time.Since(start); speed {
			case "1":
				require.Equal(t, 650*time.Millisecond, took)
			case "0.5":
				require.Equal(t, 1300*time.Millisecond, took)
			}
		}
	})
}

// TestOddRate checks that the game takes the right game time even if a frame is not a whole number
// of milliseconds.
func TestOddRate(t *testing.T) {
	stdout, _, status := play(t, t.Context(), "-speed max -players 10 -rate 30 -duration 10s")
	require.Zero(t, status)
	require.Contains(t, stdout, "\ntime      10s played in ")
	require.Contains(t, stdout, "\nframes    300 played, 0 late\n")
}

func TestInterrupt(t *testing.T) {
	t.Run("before the first frame", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		stdout, stderr, status := play(t, ctx, "-players 10")
		require.Zero(t, status)
		require.Empty(t, stderr)
		require.Contains(t, stdout, "\nframes    0 played")
		require.True(t, strings.HasPrefix(stdout, "game "), "nothing happened: %s", stdout)
		require.Regexp(t, `\ndigest of the first 0 of 1200 frames: [0-9a-f]{64}\n$`, stdout)
	})
	t.Run("on the way", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second+time.Millisecond)
			defer cancel()
			stdout, stderr, status := play(t, ctx, "-players 10")
			require.Zero(t, status)
			require.Contains(t, stdout, "\nframes    41 played, 0 late\n")
			require.Regexp(t, `\ndigest of the first 41 of 1200 frames: [0-9a-f]{64}\n$`, stdout)
			require.Len(t, strings.Split(strings.TrimSpace(stderr), "\n"), 2, "a status line each second: %s", stderr)
		})
	})
}

// TestStop checks that a failed check ends the game with an error in any frame, including the last.
func TestStop(t *testing.T) {
	for _, frame := range []int{1, 7, 20} {
		s, err := parseFlags([]string{"-players", "100", "-speed", "max", "-duration", "1s"})
		require.NoError(t, err)
		w, err := newWorld(s)
		require.NoError(t, err)
		refused := errors.New("refused")
		var out bytes.Buffer
		l := newLoop(w, newStatus(t.Output()), &out)
		w.trace = func(buff.Event) {
			if l.played+1 == frame {
				w.expect(refused)
			}
		}
		err = l.game(t.Context(), &out)
		require.ErrorIs(t, err, refused)
		require.EqualError(t, err, fmt.Sprintf("at %v: refused", w.now))
		require.Contains(t, out.String(), fmt.Sprintf("\nframes    %d played, ", frame))
		require.NotContains(t, out.String(), "digest")
		require.ErrorIs(t, w.eng.Spawn(1, nil), engine.ErrClosed)
	}
}

// full is a writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullOutput(t *testing.T) {
	for _, line := range []string{"-help", "-players 10 -duration 1s -speed max"} {
		var stderr bytes.Buffer
		require.Equal(t, 1, Run(t.Context(), strings.Fields(line), Console{Out: full{}, Err: &stderr}), line)
		require.Equal(t, "mmo: no space left\n", stderr.String(), line)
	}
}

func TestBadFlags(t *testing.T) {
	for line, want := range map[string]string{
		"-nosuch":              "flag provided but not defined: -nosuch; -help lists the flags",
		"-players":             "flag needs an argument: -players; -help lists the flags",
		"-players x":           `invalid value "x" for flag -players: parse error; -help lists the flags`,
		"-players 0":           "-players must be from 1 to 500000, not 0",
		"-players 1000000":     "-players must be from 1 to 500000, not 1000000",
		"-bosses -1":           "-bosses must be from 0 to 50000, not -1",
		"-bosses 3 -players 2": "-bosses must be at most -players, 2: every boss needs a raid",
		"-rate 0":              "-rate must be from 1 to 1000, not 0",
		"-workers -2":          "-workers must be from 0 to 1024, not -2",
		"-duration 0s":         "-duration must be above 0 and at most 1000h0m0s, not 0s",
		"-duration 30":         `invalid value "30" for flag -duration: parse error; -help lists the flags`,
		"-duration 2000h":      "-duration must be above 0 and at most 1000h0m0s, not 2000h0m0s",
		"-speed fast":          `invalid value "fast" for flag -speed: want max, or a number from 0.01 to 1000; -help lists the flags`,
		"-speed 0":             `invalid value "0" for flag -speed: want max, or a number from 0.01 to 1000; -help lists the flags`,
		"-speed NaN":           `invalid value "NaN" for flag -speed: want max, or a number from 0.01 to 1000; -help lists the flags`,
		"-seed -1":             `invalid value "-1" for flag -seed: parse error; -help lists the flags`,
		"-profile heap":        `-profile must be cpu, mem or trace, not "heap"`,
		"-sync game":           `unexpected argument "game"; -help lists the flags`,
	} {
		stdout, stderr, status := play(t, t.Context(), line)
		require.Equal(t, "mmo: "+want+"\n", stderr, line)
		require.Equal(t, 1, status, line)
		require.Empty(t, stdout, line)
	}
}

func TestHelp(t *testing.T) {
	stdout, stderr, status := play(t, t.Context(), "-help")
	require.Zero(t, status)
	require.Empty(t, stderr)
	for _, flag := range []string{
		"-players number", "-bosses number", "-rate number", "-duration duration", "-speed factor", "-seed seed",
		"-workers number", "-sync", "-profile kind",
	} {
		require.Contains(t, stdout, "\n  "+flag+"\n")
	}
}
