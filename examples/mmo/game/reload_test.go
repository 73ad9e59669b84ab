package game

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/catalog/watch"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// folder contains the game's definitions.
const folder = "../buffs"

// eleven is a folder with eleven errors.
const eleven = "../../../internal/definition/testdata/errors/eleven"

// fill replaces all files in the folder "dir" by copies of the files in another folder.
func fill(t *testing.T, dir, from string) {
	t.Helper()
	old, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range old {
		require.NoError(t, os.Remove(filepath.Join(dir, f.Name())))
	}
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
}

// change replaces a part of a file. The parameter "old" is the part, and "text" is its replacement.
func change(t *testing.T, file, old, text string) {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(src), old)
	// Write a new file and rename it, because the watcher may read the file during a write.
	require.NoError(t, os.WriteFile(file+".new", []byte(strings.Replace(string(src), old, text, 1)), 0o644))
	require.NoError(t, os.Rename(file+".new", file))
}

// TestReload_DuringGame checks that all errors in a folder are reported, that the game then
// continues with its old definitions, and that changes take effect when the folder is valid again.
// The test waits for the game's messages, however long they take.
func TestReload_DuringGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, dir, folder)
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var summary strings.Builder
	ended := make(chan int, 1) // a game that ends early closes its output
	go func() {
		defer write.Close()
		ended <- Run(ctx, strings.Fields("-players 60 -bosses 2 -duration 1000h -speed 1 -buffs "+dir), Console{Out: &summary, Err: write})
	}()
	said, reader := "", bufio.NewReader(read)
	await := func(text string) {
		for !strings.Contains(said, text) {
			line, err := reader.ReadString('\n')
			require.NoError(t, err)
			said += line
		}
	}
	await("events/s") // the game is running, and the watcher is also running
	said = ""
	fill(t, dir, eleven)
	_, err := catalog.Load(dir)
	var errs catalog.Errors
	require.ErrorAs(t, err, &errs)
	require.Len(t, errs, 11)
	await(": reload failed, definitions unchanged:\n" + err.Error())

	fill(t, dir, folder)
	change(t, filepath.Join(dir, "harm.yaml"), venomLine, venomLine+"    note: it is new\n")
	await("definitions reloaded: changed venom")
	stop()
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	require.Zero(t, <-ended)
	require.Contains(t, summary.String(), "\ndigest of the first ")
}

// venomLine is the first line of the definition of venom.
const venomLine = "  venom:\n"

// TestReload_RunningBuffsUnchanged checks that buffs that are active during a reload keep their
// handles and ends in every frame, and that all pulses are right.
func TestReload_RunningBuffsUnchanged(t *testing.T) {
	for _, x := range []struct{ old, new string }{
		{venomLine, venomLine + "    note: it is new\n"},
		{"    period: 3s\n", "    period: 2s\n"},
	} {
		touchesNothing(t, x.old, x.new)
	}
}

func touchesNothing(t *testing.T, old, text string) {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, folder)
	s, err := parseFlags(strings.Fields("-players 120 -bosses 3 -duration 40s -seed 5 -speed max -sync -buffs " + dir))
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	l := newLoop(w, newStatus(io.Discard), io.Discard)
	defer func() { require.NoError(t, w.eng.Close(context.Background())) }()
	frame := func() {
		l.act()
		l.see(l.eng.Tick(l.at(l.played+1) - l.at(l.played)))
		l.played++
		require.NoError(t, l.err)
	}
	for range 200 {
		frame()
	}
	before := l.carried()
	require.Greater(t, len(before), 1000)
	change(t, filepath.Join(dir, "harm.yaml"), old, text)
	next, err := catalog.Reload(l.eng.Catalog(), dir)
	require.NoError(t, err)
	report, err := l.exchange(watch.Change{Catalog: next})
	require.NoError(t, err)
	require.Regexp(t, `changed venom, \d+ live: keep`, report.String())
	require.Equal(t, before, l.carried())
	l.see(l.eng.Tick(0))
	require.Equal(t, before, l.carried(), "nor does the next frame touch what is not due")
	for range 400 {
		frame()
	}
	l.summary() // closes the books
	require.NoError(t, l.pulses.check())
}

// carried returns the ends of all buffs of all players.
func (w *world) carried() map[buff.Handle]int64 {
	ends := map[buff.Handle]int64{}
	add := func(id buff.OwnerID) {
		buffs, err := w.eng.Buffs(id)
		if errors.Is(err, engine.ErrBusy) { // a player who is away has no buffs
			panic(err)
		}
		for b := range buffs.All() {
			ends[b.Handle] = int64(b.End)
		}
	}
	for i := range w.players {
		add(w.players[i].id)
	}
	for i := range w.raids {
		add(w.raids[i].boss)
	}
	return ends
}

// TestReloader checks that the loop uses the definitions that the Reload button loads, even after
// another reload, and that each caller of the reloader gets its own result.
func TestReloader(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, folder)
	s, err := parseFlags(strings.Fields("-players 10 -duration 40s -speed max -sync -buffs " + dir))
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.eng.Close(context.Background())) }()
	l := newLoop(w, newStatus(io.Discard), io.Discard)
	ask := func() outcome {
		done := make(chan outcome)
		go func() {
			report, err := l.reloader()()
			r, _ := report.(view.ReloadReport)
			done <- outcome{r, err}
		}()
		for { // run the part of the loop that reloads the definitions
			select {
			case r := <-done:
				return r
			default:
				l.reload()
			}
		}
	}
	first := l.eng.Catalog()
	change(t, filepath.Join(dir, "harm.yaml"), venomLine, venomLine+"    note: it is new\n")
	r := ask()
	require.NoError(t, r.err)
	require.Contains(t, r.report.String(), "changed venom")

	change(t, filepath.Join(dir, "harm.yaml"), "it is new", "it is newer")
	late, err := catalog.Reload(first, dir)
	require.NoError(t, err)
	report, err := l.exchange(watch.Change{Catalog: late})
	require.NoError(t, err)
	require.Contains(t, report.String(), "changed venom")
	require.Equal(t, "it is newer", l.eng.Catalog().Spec("venom").Note)

	fill(t, dir, eleven)
	var errs catalog.Errors
	require.ErrorAs(t, ask().err, &errs)
	require.Len(t, errs, 11)

	close(l.over) // the method "play" also closes the channel at its end
	_, err = l.reloader()()
	require.ErrorIs(t, err, engine.ErrClosed)
	l.buffs = ""
	require.Nil(t, l.reloader(), "there is nothing to load")
}

// TestReloadRefused checks that a catalog is refused if some definitions that the game uses are
// missing, and that the game then keeps its definitions.
func TestReloadRefused(t *testing.T) {
	s := newScene(t)
	l := newLoop(s.world, newStatus(io.Discard), io.Discard)
	old := l.eng.Catalog()
	next, err := old.Next(buff.Spec{ID: "venom", Duration: time.Second})
	require.NoError(t, err)
	_, err = l.exchange(watch.Change{Catalog: next})
	require.ErrorContains(t, err, `the game uses ["strike" "meteor"`)
	require.Same(t, old, l.eng.Catalog())
}

// TestBuffsFolder checks that an unreadable folder ends the game before it starts.
func TestBuffsFolder(t *testing.T) {
	for _, speed := range []string{"max", "1"} {
		_, stderr, status := play(t, t.Context(), "-buffs "+filepath.Join(t.TempDir(), "none")+" -speed "+speed)
		require.Equal(t, 1, status)
		require.Contains(t, stderr, "no such file or folder")
	}
}
