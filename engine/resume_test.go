package engine_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
)

// TestResume checks that Resume returns the engine in its recorded state, including handles, and
// that it continues in the same way. A recording that was cut off by a crash gives the state after
// its last complete frame.
func TestResume(t *testing.T) {
	var recording bytes.Buffer
	cat := catalogOf(t, robbery...)
	o := engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{Record: &recording}, Handlers: engine.Handlers{"rob": func(c *engine.Context, e buff.Event) {
		c.Do(buff.Steal(2, 1, buff.Query{Spec: cat.Spec("coin")}, 0))
	}}}
	e := open(t, o)
	spawn(t, e, 1, 2)
	h := add(t, e, 2, cat.Spec("coin"))
	add(t, e, 1, cat.Spec("rage"))
	e.Tick(320 * time.Millisecond)
	whole := recording.Len()
	e.AddBuff(2, buff.Application{Spec: cat.Spec("greed")})
	e.Tick(10 * time.Millisecond)

	o.Trace.Record = nil
	_, done, err := replay.Resume(bytes.NewReader(recording.Bytes()[:10]), o, replay.Game{})
	require.ErrorIs(t, err, replay.ErrRecording)
	require.Zero(t, done.Frames)
	cut, done, err := replay.Resume(bytes.NewReader(recording.Bytes()[:recording.Len()-3]), o, replay.Game{})
	require.ErrorIs(t, err, replay.ErrRecording)
	require.Equal(t, 1, done.Frames)
	require.NoError(t, cut.Close(t.Context()))
	damaged := bytes.Clone(recording.Bytes())
	damaged[whole+3] ^= 1
	none, _, err := replay.Resume(bytes.NewReader(damaged), o, replay.Game{})
	require.ErrorIs(t, err, replay.ErrRecording)
	require.Nil(t, none)

	e2, done, err := replay.Resume(bytes.NewReader(recording.Bytes()), o, replay.Game{})
	require.NoError(t, err)
	require.Equal(t, 2, done.Frames)
	t.Cleanup(func() { shut(t, e2) })
	for _, x := range []*engine.Engine{e, e2} {
		require.NoError(t, x.Inbox().AddBuff(1, buff.Application{Spec: cat.Spec("itch")}), "it takes what is posted again")
	}
	for range 20 {
		require.Equal(t, lines(e.Tick(50*time.Millisecond)), lines(e2.Tick(50*time.Millisecond)))
	}
	b, ok := reply(e.Find(h))
	b2, ok2 := reply(e2.Find(h))
	require.Equal(t, ok, ok2)
	require.Equal(t, b.Stacks, b2.Stacks)
}
