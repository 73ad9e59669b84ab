package engine_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// TestWatch_Busiest_Spans checks that the time of turns is summed over spans of five seconds of
// engine time. Before the first span is over, the ranking shows the current span, and afterwards
// the last complete span.
func TestWatch_Busiest_Spans(t *testing.T) {
	const a, b = 1, 2
	type ranking = []view.Ranked
	engine.Busiest(func(took func(id buff.OwnerID, d time.Duration, now int64) ranking) {
		require.Equal(t, ranking{{Owner: 1, N: 3}}, took(a, 3, 0))
		require.Equal(t, ranking{{Owner: 2, N: 4}, {Owner: 1, N: 3}}, took(b, 4, 4998))
		require.Equal(t, ranking{{Owner: 1, N: 5}, {Owner: 2, N: 4}}, took(a, 2, 4999), "the last instant of it")
		over := ranking{{Owner: 1, N: 5}, {Owner: 2, N: 4}}
		require.Equal(t, over, took(b, 7, 5000), "the first one of the next")
		require.Equal(t, over, took(b, 1, 9999))
		require.Equal(t, ranking{{Owner: 2, N: 8}}, took(a, 1, 10_000), "nothing is left of the span before")
		require.Equal(t, ranking{{Owner: 1, N: 1}}, took(a, 1, 30_000), "spans without a turn are none")
	})
}

// TestWatch_Busiest_StoppedClock checks that with a stopped clock a turn counts as one nanosecond,
// so that its owner is ranked.
func TestWatch_Busiest_StoppedClock(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1, 2)
	add(t, e, 2, cat.Spec("beat"))
	defer e.Watch().Open(func() time.Duration { return 7 })()
	for range 3 {
		e.Tick(time.Second)
	}
	require.Equal(t, []view.Ranked{{Owner: 2, N: 3}}, engine.Ask(e).Busiest)
}

// TestWatch_Follow_OnlyPulses checks that events of a followed owner are kept even if its turn has
// only pulses, one or many, and whichever other owners are followed, and that events of other
// owners are counted.
func TestWatch_Follow_OnlyPulses(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second})
	for _, m := range modes {
		o := engine.Options{Catalog: cat}
		m.set(&o)
		e := open(t, o)
		for id := range buff.OwnerID(70) {
			spawn(t, e, id)
			add(t, e, id, cat.Spec("beat"))
		}
		e.Tick(0)
		w := e.Watch()
		defer w.Open(nil)()
		followed := []buff.OwnerID{7, 64, 69}
		for _, id := range followed {
			leave, err := w.Follow(id, nil)
			require.NoError(t, err)
			defer leave()
		}
		e.Tick(0)
		e.Tick(time.Second)
		e.Tick(3 * time.Second)
		v := viewOf(t, e, 0)
		for _, id := range followed {
			pulses := 0
			for _, ev := range v.Owners[id].Events {
				if ev.Kind == buff.Pulsed {
					pulses++
				}
			}
			require.Equal(t, 4, pulses, "%v of %v", id, m)
			require.EqualValues(t, 4, v.Owners[id].Pulses)
		}
		require.Len(t, v.Owners, 3)
	}
}

// TestWatch_Most_OwnersWithoutBuffs checks that owners without buffs are not ranked.
func TestWatch_Most_OwnersWithoutBuffs(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "long", Duration: time.Hour})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1, 2, 3)
	add(t, e, 2, cat.Spec("long"))
	e.Tick(0)
	defer e.Watch().Open(nil)()
	v := engine.Ask(e)
	for v.Swept < 1 {
		require.Less(t, v.Frame, uint64(10))
		v = engine.Ask(e)
	}
	require.Equal(t, []view.Ranked{{Owner: 2, N: 1}}, v.Most)
}

// TestFrame_ListsKeepNoOwners checks that the reused lists of a frame refer to no owner and no
// event of the previous frame, so that these can be garbage collected.
func TestFrame_ListsKeepNoOwners(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 10 * time.Second, Period: time.Second},
		buff.Spec{ID: "shout", Kind: define.Instant, On: define.Hooks{Exec: call("shout")}},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{"shout": func(*engine.Context, buff.Event) {}}})
	for id := range buff.OwnerID(20) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("beat"))
	}
	require.Equal(t, 20, e.Tick(time.Second).Len()-20)
	require.Equal(t, 4, engine.Remembered(e), "the frame has what they brought, in pieces of the chunks of 4, 8 and so on")
	require.Zero(t, e.Tick(time.Millisecond).Len())
	require.Zero(t, engine.Remembered(e))
	for id := range buff.OwnerID(20) { // the handler schedules a turn
		add(t, e, id, cat.Spec("shout"))
	}
	require.Equal(t, 20, e.Tick(0).Len())
	e.Tick(0)
	require.Zero(t, engine.Remembered(e))
}

// TestReplay_BusyOwner checks that a recording has the number of the first frame with a busy
// owner, because a replay cannot repeat the events of that owner at the same time. The error of a
// replay mentions that frame only for such a recording.
func TestReplay_BusyOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec bytes.Buffer
		e := open(t, engine.Options{Workers: 1, Budget: brief, Trace: engine.Trace{Record: &rec}})
		spawn(t, e, 1)
		e.Tick(time.Millisecond)
		gate := make(chan struct{})
		_, err := e.AddTimeout(1, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		e.Tick(time.Millisecond)
		e.Tick(time.Millisecond)
		close(gate)
		synctest.Wait()
		require.Equal(t, 1, e.Tick(time.Millisecond).Len())
		require.NoError(t, e.Close(t.Context()))
		game := replay.Game{Timeout: func(int, buff.OwnerID) func(*engine.Context) { return func(*engine.Context) {} }}
		done, err := replay.Run(&rec, engine.Options{Synchronous: true}, game)
		require.ErrorIs(t, err, replay.ErrDiffers)
		require.ErrorContains(t, err, "frame 2, ")
		require.ErrorContains(t, err, "an owner was busy from frame 2 on")
		require.EqualValues(t, 2, done.Busy)
	})
}

// TestReplay_ForgedInbox checks that recorded Inbox commands are validated like all others.
// Commands with an unknown kind of call, and commands that are cut off, give errors that name the
// frame. The valid commands before them are executed.
func TestReplay_ForgedInbox(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant}, buff.Spec{ID: "mark", Kind: define.Instant})
	o := engine.Options{Catalog: cat, Synchronous: true}
	var rec bytes.Buffer
	recording := o
	recording.Trace.Record = &rec
	e := open(t, recording)
	spawn(t, e, 1)
	cmds := [][]byte{}
	for _, id := range []string{"hit", "mark"} {
		cmd := buff.Apply(1, buff.Application{Spec: cat.Spec(id)})
		require.NoError(t, e.Inbox().Do(cmd))
		binary, err := cmd.AppendBinary(nil, cat)
		require.NoError(t, err)
		cmds = append(cmds, recordedCommand(binary))
	}
	require.Equal(t, 2, e.Tick(time.Second).Len())
	require.NoError(t, e.Close(t.Context()))

	blocks := blocksOf(rec.Bytes())
	at := bytes.Index(blocks[1], cmds[1])
	require.Positive(t, at)
	for forged, want := range map[byte]string{98: "frame 1: the inbox had the number 49", cmds[1][0]: ""} {
		other := [][]byte{blocks[0], bytes.Clone(blocks[1])}
		other[1][at] = forged
		if want == "" { // the length of the command is one more than the number of bytes
			want = " bytes, of "
			other[1][at+1] += 2 // plus one, in the encoding of signed numbers
		}
		done, err := replay.Run(bytes.NewReader(sealed(other)), o, replay.Game{})
		require.ErrorIs(t, err, replay.ErrRecording)
		require.ErrorContains(t, err, want)
		require.Zero(t, done.Frames)
	}
}

// TestWatch_Lateness_RandomSample checks that events are sampled at random, so that a pattern
// cannot hide the late ones: if every k-th event of a frame is late, about one in k is reported as
// late.
func TestWatch_Lateness_RandomSample(t *testing.T) {
	for _, k := range []int{2, 4, 8} {
		_, sum := engine.Lateness(func(pass func(ms int64, times int)) {
			for range 40_000 / k {
				pass(0, k-1)
				pass(1, 1)
			}
		})
		require.InEpsilon(t, 40_000/k, sum.Milliseconds(), 0.3, "each %d.", k)
	}
}
