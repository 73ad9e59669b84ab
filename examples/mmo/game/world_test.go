package game

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// playLog plays a game at full speed and returns the world and its log.
func playLog(t *testing.T, flags ...string) (*world, []buff.Event) {
	t.Helper()
	s, err := parseFlags(append([]string{"-speed", "max", "-sync"}, flags...))
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.eng.Close(context.Background())) })
	var log []buff.Event
	w.trace = func(e buff.Event) { log = append(log, e) }
	newLoop(w, newStatus(t.Output()), io.Discard).play(t.Context())
	require.NoError(t, w.err)
	return w, log
}

// TestFight runs the transcript in testdata/fight.txt, which has one command:
//
//	fight FLAGS...    plays a game with these flags; players=2 means -players 2
//	                  without=(refresh,pulse) omits events of these kinds
//
// The result is the log: the time, the owner, the source and the event.
func TestFight(t *testing.T) {
	datadriven.RunTest(t, "testdata/fight.txt", func(t *testing.T, d *datadriven.TestData) string {
		require.Equal(t, "fight", d.Cmd)
		var flags, without []string
		for _, a := range d.CmdArgs {
			if a.Key == "without" {
				without = a.Vals
				continue
			}
			flags = append(flags, "-"+a.Key+"="+a.Vals[0])
		}
		_, log := playLog(t, flags...)
		var b strings.Builder
		for _, e := range log {
			if slices.Contains(without, e.Kind.String()) {
				continue
			}
			_, what, _ := strings.Cut(e.String(), " ")
			fmt.Fprintf(&b, "%v %-8s %s", e.At, name(e.Owner), what)
			if e.Source != 0 && e.Source != e.Owner {
				fmt.Fprintf(&b, " (by %s)", name(e.Source))
			}
			b.WriteByte('\n')
		}
		return b.String()
	})
}

func name(id buff.OwnerID) string {
	if id >= firstBoss {
		return fmt.Sprintf("boss %d", id-firstBoss+1)
	}
	return fmt.Sprintf("player %d", id)
}

// TestGame_UsesAllFeatures checks that the game uses all features of the engine, in realistic
// proportions.
func TestGame_UsesAllFeatures(t *testing.T) {
	w, log := playLog(t, "-players", "200", "-duration", "90s")
	ty := &w.totals
	for kind := buff.Applied; kind < buff.Faulted; kind++ {
		require.NotZero(t, ty.events[kind], kind)
	}
	require.Zero(t, ty.events[buff.Faulted])
	require.NotZero(t, ty.deaths)
	require.NotZero(t, ty.felled)
	require.LessOrEqual(t, ty.latest, w.at(1).Milliseconds(), "later than one frame")

	reasons := map[reason.Reason]bool{}
	seen := map[*buff.Spec]bool{}
	partial := false
	for _, e := range log {
		reasons[e.Why] = true
		seen[e.Spec] = true
		partial = partial || e.Period > 0
	}
	for _, why := range []reason.Reason{
		reason.Expired, reason.Dispelled, reason.Overflowed, reason.Consumed, reason.Broken, reason.Death, reason.SourceGone,
		reason.Unload, reason.Limit, reason.OutOfAura,
	} {
		require.True(t, reasons[why], "nothing ends or is denied for the reason %v", why)
	}
	// The bots cast all buffs in these files. The other files are examples for readers, and the
	// bots cast only some of their buffs.
	var files []string
	for _, name := range []string{"boss", "control", "death", "harm", "help", "lasting", "raid", "sheet"} {
		files = append(files, folder+"/"+name+".yaml")
	}
	played, err := catalog.Load(files...)
	require.NoError(t, err)
	for spec := range played.All() {
		require.True(t, seen[w.catalog.Spec(spec.ID)], "%s never happens", spec)
	}
	for _, id := range []string{
		"bone_wall", "deep_chill", "fresh", "iron_will", "quarry", "rain_totem", "soft_rain", "spark", "static", "statue", "war_song",
	} {
		require.True(t, seen[w.catalog.Spec(id)], "%s never happens", id)
	}
	require.True(t, partial, "no pulse of part of a period")
}

func TestMix(t *testing.T) {
	w, _ := playLog(t, "-players", "200", "-duration", "20s")
	require.InDelta(t, 62, w.totals.share(buff.Applied), 5)
	require.InDelta(t, 27, w.totals.share(buff.Refreshed), 5)
	require.InDelta(t, 11, w.totals.share(buff.Stacked), 3)
}

// TestPulses checks that the check of pulses accepts the log of a game, and that it detects events
// that are missing from or added to the log.
func TestPulses(t *testing.T) {
	w, log := playLog(t, "-players", "100", "-duration", "20s")
	books := func(log []buff.Event) error {
		p := newPulses()
		for _, e := range log {
			p.add(e)
		}
		p.close(w.now)
		require.NotZero(t, p.run)
		return p.check()
	}
	require.NoError(t, books(log))
	for _, least := range []int{0, len(log) / 2} {
		at := least + slices.IndexFunc(log[least:], func(e buff.Event) bool { return e.Kind == buff.Pulsed })
		require.Error(t, books(slices.Delete(slices.Clone(log), at, at+1)), "one is missing")
		require.Error(t, books(slices.Insert(slices.Clone(log), at, log[at])), "one is too many")
	}
}
