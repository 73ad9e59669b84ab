package game

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/examples/arena/buffs"
	"github.com/bufftick/bufftick/internal/long"
)

// TestMain ignores the goroutines that the imported package ants starts.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func newWorld(t *testing.T, o Options) *World {
	t.Helper()
	o.Budget = -1 // so that no handler is late on a busy machine
	w, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close(context.Background())) })
	return w
}

// TestDigest checks that the digest depends on the seed, and not on the number of workers.
func TestDigest(t *testing.T) {
	frames := long.Pick(120, 400)
	play := func(seed uint64, workers int) uint64 {
		w := newWorld(t, Options{Seed: seed, Workers: workers})
		for range frames {
			w.Step()
		}
		require.NoError(t, w.Err())
		return w.Digest()
	}
	want := play(7, 1)
	require.Equal(t, want, play(7, 2))
	require.Equal(t, want, play(7, 8))
	require.NotEqual(t, want, play(8, 1))
}

// TestGame plays a few minutes. It checks that heroes fall and revive, that the King falls and
// returns, and that at some time the King has more than forty buffs.
func TestGame(t *testing.T) {
	if !long.On() {
		t.Skip("minutes of game: -long")
	}
	w := newWorld(t, Options{Seed: 1})
	kinds, kings, most := map[FactKind]int{}, 0, 0
	for k := range 20 * 150 {
		w.Step()
		for _, f := range w.Facts() {
			kinds[f.Kind]++
			if f.Kind == Rose && f.Target == w.King(0).ID {
				kings++
			}
		}
		if k%100 == 0 {
			n, buffs := 0, must(w.Engine().Buffs(w.King(0).ID))
			for range buffs.All() {
				n++
			}
			most = max(most, n)
		}
	}
	require.NoError(t, w.Err())
	require.Greater(t, most, 40)
	require.Positive(t, kings)
	for k := Struck; k <= Shook; k++ {
		require.Positive(t, kinds[k], "fact %d", k)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestRules checks the rules of the abilities with transcripts. The ten heroes only obey the
// commands of a transcript.
func TestRules(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t, Options{Heroes: 10})
		w.arenas[0].doomed, w.arenas[0].quaked = 1<<40, 1<<40 // the King does not act
		for _, u := range w.arenas[0].heroes {
			u.Taken = true
			w.Play(u, true)
			u.X, u.Y = 10+3*float64(u.ID), 5
		}
		w.Step()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			w.script(t, d, &out)
			require.NoError(t, w.Err())
			return out.String()
		})
	})
}

// script executes one command of a transcript.
func (w *World) script(t *testing.T, d *datadriven.TestData, out *strings.Builder) {
	unit := func(key string) *Unit {
		var id int
		d.ScanArgs(t, key, &id)
		return w.Unit(buff.OwnerID(id))
	}
	switch d.Cmd {
	case "place":
		u := unit("who")
		d.ScanArgs(t, "x", &u.X)
		d.ScanArgs(t, "y", &u.Y)
	case "cast":
		u, what := unit("who"), ""
		if d.HasArg("at") {
			u.Target = unit("at").ID
		}
		d.ScanArgs(t, "what", &what)
		for k, s := range Skills {
			if s.ID == what {
				fmt.Fprintln(out, refusalWords[w.Cast(u, Ability(k))])
			}
		}
		u.Target = 0 // without a target, the hero makes no basic attacks
	case "wait":
		var text string
		d.ScanArgs(t, "for", &text)
		for range must(time.ParseDuration(text)) / Frame {
			w.Step()
		}
	case "walk":
		u := unit("who")
		var x, y float64
		d.ScanArgs(t, "x", &x)
		d.ScanArgs(t, "y", &y)
		w.Go(u, x, y)
	case "pause", "resume":
		w.Pause(0, d.Cmd == "pause")
	case "show":
		w.describe(unit("who"), out)
	default:
		d.Fatalf(t, "no such command: %s", d.Cmd)
	}
}

var refusalWords = map[Refusal]string{Done: "done", NotReady: "not ready", NotNow: "not now", NoTarget: "no target", TooFar: "too far", Immune: "immune", NothingToDo: "nothing to do"}

// describe writes the state and the buffs of a hero.
func (w *World) describe(u *Unit, out *strings.Builder) {
	fmt.Fprintf(out, "%v: health %.0f at %.1f,%.1f", w.Now(), u.Health, u.X, u.Y)
	if u.Dead {
		out.WriteString(", dead")
	}
	out.WriteByte('\n')
	buffs := must(w.Engine().Buffs(u.ID))
	for b := range buffs.All() {
		if is(b.Spec, w.life) || is(b.Spec, w.meal) {
			continue
		}
		fmt.Fprintf(out, "  %s x%d", b.Spec.ID, b.Stacks)
		if d := b.Left(w.Now()); d < time.Hour {
			fmt.Fprintf(out, " %v", d)
		}
		if b.Shield > 0 {
			fmt.Fprintf(out, " shield %d", b.Shield)
		}
		if b.Paused {
			out.WriteString(" paused")
		}
		out.WriteByte('\n')
	}
}

// TestWorld_Take checks that each player gets a hero on the side with fewer players, until all
// heroes are taken. It also checks that a bot plays a hero that a player has given back.
func TestWorld_Take(t *testing.T) {
	w := newWorld(t, Options{Heroes: 10})
	var taken []*Unit
	for k := range 10 {
		u := w.Take(0)
		require.NotNil(t, u)
		require.True(t, u.Played)
		require.Equal(t, Side(k%2), u.Side)
		taken = append(taken, u)
	}
	require.Nil(t, w.Take(0))
	w.Free(taken[3])
	require.False(t, taken[3].Played)
	require.Same(t, taken[3], w.Take(0))
}

// TestReload checks that new definitions take effect during the game, and that definitions that
// the game cannot use are refused.
func TestReload(t *testing.T) {
	w := newWorld(t, Options{Heroes: 10})
	w.Step()
	next := must(catalog.Loader{Previous: w.Engine().Catalog()}.LoadFS(buffs.Files, "."))
	_, err := w.Reload(next)
	require.NoError(t, err)
	bare := must(catalog.Parse("x.yaml", []byte("buffs: {venom: {duration: 1s}}")))
	_, err = w.Reload(bare)
	require.ErrorContains(t, err, "renew")
	w.Step()
	require.NoError(t, w.Err())
}

func TestOptions(t *testing.T) {
	for _, n := range []int{-1, 9, MaxHeroes + 1} {
		_, err := New(Options{Heroes: n})
		require.ErrorContains(t, err, "heroes")
	}
	_, err := New(Options{Buffs: "no/such/folder"})
	require.Error(t, err)
	w := newWorld(t, Options{Heroes: 450})
	require.Equal(t, 3, w.Arenas())
	w.Step()
	for k := range w.Arenas() {
		require.Equal(t, k, w.King(k).Arena)
		require.Len(t, w.Near(nil, k, 45, 30, 1000), 151)
	}
}

// TestPause checks that remaining times, health and positions do not change while the arena is
// paused. A paused aura finds no members, but previous members keep the aura's buff for the linger
// time, which is also paused.
func TestPause(t *testing.T) {
	w := newWorld(t, Options{Seed: 4})
	for range 300 {
		w.Step()
	}
	look := func() string {
		var out strings.Builder
		for k := range w.units {
			w.describe(&w.units[k], &out)
		}
		text := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d+`).ReplaceAllString(out.String(), "")
		return strings.ReplaceAll(text, "courage x1 500ms", "courage x1")
	}
	w.Pause(0, true)
	want := look()
	for range 100 {
		w.Step()
	}
	require.Equal(t, want, look())
}
