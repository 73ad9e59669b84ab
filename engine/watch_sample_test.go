package engine_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/bufftick/bufftick/engine/view"
)

// TestWatch_Turns_Sample checks the sampling of turns. The first eight turns of a frame are
// measured, then eight that count for two turns each, and so on up to 64. Together they count for
// about all turns. The next frame starts again.
func TestWatch_Turns_Sample(t *testing.T) {
	const turns = 20_000
	frames := engine.SampledTurns([]int{5, 8, turns, 3, turns})
	ones := func(n int) (out []uint32) {
		for range n {
			out = append(out, 1)
		}
		return out
	}
	require.Equal(t, [][]uint32{ones(5), ones(8), ones(3)}, [][]uint32{frames[0], frames[1], frames[3]})
	for _, weights := range [][]uint32{frames[2], frames[4]} {
		sum := 0
		for k, w := range weights {
			require.EqualValues(t, min(1<<(k/8), 64), w, "the %d. that is taken", k+1)
			sum += int(w)
		}
		require.InEpsilon(t, turns, sum, 0.1) // the random numbers are the same in each run
	}
}

// TestWatch_Lateness_Classes checks that each class starts after its bound, and that the last
// class has no upper bound.
func TestWatch_Lateness_Classes(t *testing.T) {
	want := [len(view.LateBounds) + 1]uint64{}
	var sum time.Duration
	classes, total := engine.Lateness(func(pass func(ms int64, times int)) {
		for k, bound := range view.LateBounds {
			ms := bound.Milliseconds()
			pass(ms, 1)
			pass(ms+1, 2)
			want[k]++
			want[k+1] += 2
			sum += 3*bound + 2*time.Millisecond
		}
	})
	require.Equal(t, want, classes)
	require.Equal(t, sum, total)
}

// TestWatch_Lateness_Weights checks that the samples count for all events, however many there are,
// and that the result is exact if all events are equal.
func TestWatch_Lateness_Weights(t *testing.T) {
	for n := range 700 {
		classes, sum := engine.Lateness(func(pass func(ms int64, times int)) { pass(3_600_000, n) })
		want := [len(view.LateBounds) + 1]uint64{len(view.LateBounds): uint64(n)}
		require.Equal(t, want, classes)
		require.Equal(t, time.Duration(n)*time.Hour, sum)
	}
}

// TestCrossIndex_OnlySourceLoss checks that the cross-owner index works if the only rule of the
// catalog that needs it is the loss of a source.
func TestCrossIndex_OnlySourceLoss(t *testing.T) {
	for _, fate := range []define.Fate{define.FateRemove, define.FateAdopt} {
		inModes(t, func(t *testing.T, m mode) {
			o := engine.Options{Catalog: catalogOf(t, buff.Spec{ID: "curse", Kind: define.Infinite, OnSourceGone: fate})}
			m.set(&o)
			e := open(t, o)
			spawn(t, e, 1)
			_, err := e.AddTimeout(1, time.Second, func(c *engine.Context) {
				c.AddBuff(1, buff.Application{Spec: o.Catalog.Spec("curse"), Source: 7})
			})
			require.NoError(t, err)
			require.Equal(t, []string{"1: 1000 timeout", "1: 1000 apply curse x1"}, m.pass(e, time.Second))
			require.NoError(t, e.Do(buff.LoseSource(7)).Failure)
			want := []string{"1: 1000 remove curse why=source_gone"}
			if fate == define.FateAdopt {
				want = nil
			}
			require.Equal(t, want, append(m.pass(e, 0), m.pass(e, time.Second)...))
		})
	}
}

// TestReplayBlockLimit checks that a block of 64 MB is accepted, and that a block with one more
// byte is refused before it is read.
func TestReplayBlockLimit(t *testing.T) {
	var rec bytes.Buffer
	e, err := engine.New(engine.Options{Synchronous: true, Trace: engine.Trace{Record: &rec}})
	require.NoError(t, err)
	shut(t, e)
	for n, want := range map[uint64]string{1 << 26: "unexpected EOF", 1<<26 + 1: "a block of 67108865 bytes, above the limit of 67108864"} {
		cut := binary.AppendUvarint(bytes.Clone(rec.Bytes()), n)
		_, err := replay.Run(bytes.NewReader(cut), engine.Options{Synchronous: true}, replay.Game{})
		require.ErrorIs(t, err, replay.ErrRecording)
		require.ErrorContains(t, err, want)
	}
}
