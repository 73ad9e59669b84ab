package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/stretchr/testify/require"
)

// recorded plays a plan and returns the recording and the frames.
func recorded(t *testing.T, p plan, o engine.Options) (rec []byte, frames []string) {
	t.Helper()
	var b bytes.Buffer
	o.Trace.Record = &b
	s := newSim(t, p, o)
	s.run(whole)
	s.finish()
	return b.Bytes(), s.frames
}

// playBack replays a recording in a new world of the same plan.
func playBack(t *testing.T, p plan, rec []byte, o engine.Options) (replay.Progress, []string, error) {
	t.Helper()
	o.Budget = patient // the machine may be busy, but no owner is
	s := &sim{tb: t, plan: p, events: map[buff.OwnerID][]string{}}
	specs := simSpecs
	if p.shared {
		specs = append(append([]buff.Spec{}, specs...), sharedSpecs...)
		o.Members = near
	}
	o.Catalog = catalogOf(t, specs...)
	if p.stats {
		o.Catalog = statsOf(t, append(append([]buff.Spec{}, specs...), statSpecs...)...)
	}
	s.catalog = o.Catalog
	o.Handlers = engine.Handlers{"act": s.act}
	for spec := range o.Catalog.All() {
		s.specs = append(s.specs, spec)
	}
	if len(s.first) == 0 {
		s.first = firstOf(t, p)
	}
	done, err := replay.Run(bytes.NewReader(rec), o, replay.Game{
		Data:    func(id buff.OwnerID) any { return s.player(id) },
		Timeout: func(int, buff.OwnerID) func(*engine.Context) { return s.ring },
		Frame: func(f *engine.Frame) {
			for e := range f.Events() {
				s.frames = append(s.frames, fmt.Sprintf("%d: %s %v src=%d mag=%d seq=%d seen=%d", e.Owner, e, e.Handle, e.Source, e.Magnitude, e.Seq, e.Seen))
			}
			s.frames = append(s.frames, fmt.Sprintf("frame %d at %d", f.Number, f.Now))
		},
	})
	return done, s.frames, err
}

// firstOf returns the handles that the handlers of a plan use.
func firstOf(t *testing.T, p plan) []buff.Handle {
	t.Helper()
	s := newSim(t, p, engine.Options{Synchronous: true})
	s.finish()
	return s.first
}

// TestP45_Replay checks that a replay has the same events and the same digest as the recorded run,
// with any number of workers.
func TestP45_Replay(t *testing.T) {
	for seed := range uint64(4) {
		p := plan{seed: seed, owners: 30, steps: 25, outbox: true, inbox: true, churn: true, shared: seed%2 == 1, stats: seed >= 2}
		o := engine.Options{Workers: 2, Budget: patient, Seed: seed, Limits: engine.Limits{Tick: 500}}
		rec, want := recorded(t, p, o)
		digest := uint64(0)
		for _, workers := range []int{0, 1, 8} {
			done, frames, err := playBack(t, p, rec, engine.Options{Synchronous: workers == 0, Workers: workers})
			require.NoError(t, err)
			require.True(t, digest == 0 || digest == done.Digest)
			digest = done.Digest
			require.Zero(t, done.Busy)
			require.GreaterOrEqual(t, done.Frames, p.steps)
			seen := []string{}
			for _, line := range want {
				// without the final state of the owners
				if strings.Contains(line, " seen=") || strings.HasPrefix(line, "frame ") {
					seen = append(seen, line)
				}
			}
			// Close makes another Tick if work was left
			require.GreaterOrEqual(t, len(frames), len(seen))
			requireSame(t, seen, frames[:len(seen)], p, " workers ", workers)
		}
		require.Less(t, len(rec), 40*len(want), "it is compact")
	}
}

// TestP45_WithoutRecording checks that recording makes no difference to the events. While an
// engine is recorded, applications and removals use the general path of commands, and otherwise a
// shorter path.
func TestP45_WithoutRecording(t *testing.T) {
	for seed := range uint64(8) {
		p := plan{seed: seed, owners: 30, steps: 25, outbox: true, inbox: true, churn: true, shared: seed%2 == 1, stats: seed%4 >= 2}
		o := engine.Options{Synchronous: true, Seed: seed}
		_, want := recorded(t, p, o)
		s := newSim(t, p, o)
		s.run(whole)
		requireSame(t, want, s.finish().frames, p)
	}
}

// TestReplayDiffers checks that ErrDiffers names the first frame that differs.
func TestReplayDiffers(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: 3 * time.Second, Period: time.Second, On: define.Hooks{Pulse: call("hurt")}}, buff.Spec{ID: "hit", Kind: define.Instant})
	game := func(rule int) engine.Handlers {
		n := 0
		return engine.Handlers{"hurt": func(c *engine.Context, _ buff.Event) {
			if n++; n == rule {
				c.AddBuff(c.Owner(), buff.Application{Spec: cat.Spec("hit")})
			}
		}}
	}
	var b bytes.Buffer
	e, err := engine.New(engine.Options{Catalog: cat, Handlers: game(2), Synchronous: true, Trace: engine.Trace{Record: &b}})
	require.NoError(t, err)
	spawn(t, e, 7)
	add(t, e, 7, cat.Spec("venom"))
	for range 8 {
		e.Tick(500 * time.Millisecond)
	}
	shut(t, e)
	o := engine.Options{Catalog: cat, Handlers: game(2), Synchronous: true}
	done, err := replay.Run(bytes.NewReader(b.Bytes()), o, replay.Game{})
	require.NoError(t, err)
	require.Equal(t, 8, done.Frames)
	require.EqualValues(t, 4000, done.Now)

	o.Handlers = game(3)
	done, err = replay.Run(bytes.NewReader(b.Bytes()), o, replay.Game{})
	require.ErrorIs(t, err, replay.ErrDiffers)
	require.ErrorContains(t, err, "frame 4, up to 00:00:02.000, of 1 events: digest ")
	require.Equal(t, 4, done.Frames)

	for _, other := range []buff.Spec{
		{ID: "venom", Duration: 3 * time.Second, Period: 999 * time.Millisecond, On: define.Hooks{Pulse: call("hurt")}},
		{ID: "venom", Duration: 3 * time.Second, Period: time.Second, On: define.Hooks{Pulse: call("hurt")}, Tags: []string{"poison"}},
	} {
		o.Catalog = catalogOf(t, other, buff.Spec{ID: "hit", Kind: define.Instant})
		_, err = replay.Run(bytes.NewReader(b.Bytes()), o, replay.Game{})
		require.ErrorIs(t, err, replay.ErrRecording)
		require.ErrorContains(t, err, "another catalog")
	}
}

// TestReplayDamage checks that a truncated recording is replayed up to its last complete block,
// and that each flipped bit is detected.
func TestReplayDamage(t *testing.T) {
	var b bytes.Buffer
	o := engine.Options{Synchronous: true, Trace: engine.Trace{Record: &b}}
	e, err := engine.New(o)
	require.NoError(t, err)
	spawn(t, e, 1)
	ends := map[int]int{} // by length of the recording: number of frames
	for i := range 5 {
		require.NoError(t, e.Do(buff.SetArea(1, uint32(i))).Failure)
		e.Tick(time.Second)
		ends[b.Len()] = i + 1
	}
	shut(t, e)
	whole := b.Bytes()
	o.Trace.Record = nil
	frames := 0
	for n := range whole {
		done, err := replay.Run(bytes.NewReader(whole[:n]), o, replay.Game{})
		if k, ok := ends[n]; ok {
			frames = k
			require.NoError(t, err, "a block was whole")
		} else if n == 0 || frames > 0 || done.Frames > 0 {
			require.True(t, err != nil, "cut at %d", n)
		}
		require.Equal(t, frames, done.Frames, "cut at %d", n)
		if err != nil {
			require.ErrorIs(t, err, replay.ErrRecording)
		}
	}
	for bit := range 8 * len(whole) {
		bad := bytes.Clone(whole)
		bad[bit/8] ^= 1 << (bit % 8)
		_, err := replay.Run(bytes.NewReader(bad), o, replay.Game{})
		require.ErrorIs(t, err, replay.ErrRecording, "bit %d", bit)
	}
}

// TestReplayRefuses checks that an error says which function of Game is missing.
func TestReplayRefuses(t *testing.T) {
	var b bytes.Buffer
	ring := engine.Handlers{"ring": func(*engine.Context, buff.Event) {}}
	e, err := engine.New(engine.Options{Synchronous: true, Trace: engine.Trace{Record: &b}, Handlers: ring})
	require.NoError(t, err)
	spawn(t, e, 1)
	e.Tick(time.Second)
	err = e.Do(buff.AddTimeout(1, time.Second, "ring")).Failure
	require.NoError(t, err)
	e.Tick(time.Second)
	require.NoError(t, e.Inbox().AddTimeout(1, time.Second, func(*engine.Context) {}))
	e.Tick(time.Second)
	shut(t, e)
	done, err := replay.Run(bytes.NewReader(b.Bytes()), engine.Options{Synchronous: true}, replay.Game{})
	require.ErrorIs(t, err, replay.ErrRecording)
	require.ErrorContains(t, err, `frame 2: engine: unknown handler: "ring"`)
	require.Equal(t, 1, done.Frames)
	_, err = replay.Run(bytes.NewReader(b.Bytes()), engine.Options{Synchronous: true, Handlers: ring}, replay.Game{})
	require.ErrorContains(t, err, "frame 3 has a timeout with a function, and Game.Timeout is nil")
	_, err = replay.Run(bytes.NewReader(nil), engine.Options{}, replay.Game{})
	require.ErrorIs(t, err, replay.ErrRecording)
	_, err = replay.Run(bytes.NewReader(b.Bytes()), engine.Options{Workers: -1}, replay.Game{})
	require.ErrorContains(t, err, "Options.Workers")
}

// brokenDisk is a writer that fails after a number of writes.
type brokenDisk struct{ left int }

var errDisk = errors.New("no space left")

func (d *brokenDisk) Write(p []byte) (int, error) {
	if d.left--; d.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// TestRecordFails checks that after a failed write the recording ends, the game continues, and
// Close returns the error.
func TestRecordFails(t *testing.T) {
	for left := range 4 {
		disk := &brokenDisk{left: left}
		e, err := engine.New(engine.Options{Synchronous: true, Trace: engine.Trace{Record: disk}})
		require.NoError(t, err)
		spawn(t, e, 1)
		for range 5 {
			e.Tick(time.Second)
		}
		require.EqualValues(t, 5000, e.Now())
		require.ErrorIs(t, e.Close(t.Context()), errDisk)
		require.Equal(t, -1, disk.left, "after the first error nothing more is written")
	}
}

// TestReplayClosed checks that calls that an engine refuses because it is closing are not
// replayed.
func TestReplayClosed(t *testing.T) {
	var b bytes.Buffer
	e, release, _ := hanging(t, engine.Options{Trace: engine.Trace{Record: &b}})
	trap := e.Catalog().Spec("trap")
	e.AddBuff(7, buff.Application{Spec: trap})
	for len(e.Tick(time.Millisecond).Stuck) == 0 {
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Close(gone), context.Canceled, "a handler has not come back")
	r := e.AddBuff(8, buff.Application{Spec: trap})
	require.ErrorIs(t, r.Failure, engine.ErrClosed)
	release()
	shut(t, e)
	o := engine.Options{Catalog: e.Catalog(), Handlers: engine.Handlers{"hang": func(*engine.Context, buff.Event) {}}, Synchronous: true}
	_, err := replay.Run(bytes.NewReader(b.Bytes()), o, replay.Game{})
	require.NoError(t, err)
}

// TestReplayInbox checks that commands that handlers post to the Inbox are in the recording, and
// are executed once.
func TestReplayInbox(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant}, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("post")}})
	var in *engine.Inbox
	o := engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{"post": func(*engine.Context, buff.Event) {
		_ = in.AddBuff(1, buff.Application{Spec: cat.Spec("hit"), Params: []buff.Arg{{Caller: "x", Value: 1.5}}})
	}}}
	var b bytes.Buffer
	o.Trace.Record = &b
	e, err := engine.New(o)
	require.NoError(t, err)
	in = e.Inbox()
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("beat"))
	for range 5 {
		e.Tick(time.Second)
	}
	events := e.Stats().Events
	shut(t, e)
	require.EqualValues(t, 11, events)
	done, err := replay.Run(bytes.NewReader(b.Bytes()), o, replay.Game{Inbox: func(i *engine.Inbox) { in = i }})
	require.NoError(t, err)
	require.Equal(t, 5, done.Frames)
}
