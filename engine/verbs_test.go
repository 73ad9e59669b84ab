package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// scene is an engine with owner 1, who carries what a verb is about, owner 2, who may
// act on it, and owner 3, who steals.
type scene struct {
	*engine.Engine
	cat *buff.Catalog
	h   buff.Handle // of the first of its buffs
}

func (x *scene) tag(name string) buff.Tag {
	tag, ok := x.cat.Tag(name)
	if !ok {
		panic("no definition has the tag " + name)
	}
	return tag
}

func (x *scene) attr(name string) stat.Attr { return attrOf(x.cat, name) }

func (x *scene) act(name string) buff.Act {
	act, ok := x.cat.Act(name)
	if !ok {
		panic("no definition speaks of the act " + name)
	}
	return act
}

// verbCase is one verb in each of the lanes: done at 1,000 ms, it leads to the same
// events whoever does it.
type verbCase struct {
	name    string
	carries []buff.Spec // by owner 1 from 0 on; "later" is known, and not carried
	before  func(x *scene)
	loop    func(x *scene, of buff.OwnerID, h buff.Handle) buff.Result
	handler func(x *scene, c *engine.Context, of buff.OwnerID, h buff.Handle)
	inbox   func(x *scene, in *engine.Inbox, of buff.OwnerID, h buff.Handle) error
	byOwner bool // it names an owner, not a handle
	notOwn  bool // no handler of owner 1 can do it
	onlyOwn bool // no handler of another can
	want    []string
}

// newScene returns the scene of a case, at 0.
func newScene(tb testing.TB, c *verbCase, o engine.Options) *scene {
	tb.Helper()
	o.Catalog = statsOf(tb, c.carries...)
	e, err := engine.New(o)
	require.NoError(tb, err)
	x := &scene{Engine: e, cat: o.Catalog}
	spawn(tb, e, 1, 2, 3)
	for i, s := range c.carries {
		if s.ID == "later" {
			continue
		}
		h, r := e.AddBuff(1, buff.Application{Spec: o.Catalog.Spec(s.ID), Source: 2, Magnitude: 70})
		require.NoError(tb, r.Err)
		if i == 0 {
			x.h = h
		}
	}
	if c.before != nil {
		c.before(x)
	}
	return x
}

// story returns what happens after the instant 0 when the verb is done at 1,000 ms in
// that lane.
func (c *verbCase) story(t *testing.T, lane string, m mode) []string {
	t.Helper()
	var o engine.Options
	m.set(&o)
	x := newScene(t, c, o)
	defer shut(t, x.Engine)
	by := buff.OwnerID(1)
	switch lane {
	case "inbox":
		require.NoError(t, c.inbox(x, x.Inbox(), 1, x.h))
	case "handler of another":
		by = 2
		fallthrough
	case "handler":
		_, err := x.AddTimeout(by, time.Second, func(ctx *engine.Context) { c.handler(x, ctx, 1, x.h) })
		require.NoError(t, err)
	}
	var out []string
	take := func(f *engine.Frame) {
		for e := range f.Events() {
			if e.At > 0 && e.Kind != buff.TimedOut {
				out = append(out, line(e))
			}
		}
	}
	take(x.Tick(time.Second))
	if lane == "loop" {
		r := c.loop(x, 1, x.h)
		require.NoError(t, r.Err)
		require.False(t, r.Queued)
	}
	take(x.Tick(9 * time.Second))
	require.Zero(t, x.Stats().Undelivered)
	return out
}

// TestVerbs: each verb leads to the same in each lane.
func TestVerbs(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		t.Run(c.name, func(t *testing.T) {
			for _, lane := range []string{"loop", "handler", "handler of another", "inbox"} {
				if c.notOwn && lane == "handler" || c.onlyOwn && lane == "handler of another" {
					continue
				}
				for _, m := range []mode{{"synchronous", 0, 1}, {"2 workers", 2, 1}} {
					require.Equal(t, c.want, c.story(t, lane, m), "%s, %s", lane, m.name)
				}
			}
		})
	}
}

// TestVerbsFindNothing: the loop is told that a handle is stale or an owner unknown; in
// the other lanes it is counted.
func TestVerbsFindNothing(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		t.Run(c.name, func(t *testing.T) {
			x := newScene(t, c, engine.Options{Synchronous: true})
			defer shut(t, x.Engine)
			of, want := buff.OwnerID(99), engine.ErrUnknownOwner
			if !c.byOwner {
				want = buff.ErrStale
			}
			handles := []buff.Handle{1<<60 | x.h}
			if !c.byOwner {
				stale := add(t, x.Engine, 3, x.cat.Spec(c.carries[0].ID))
				require.NoError(t, x.Remove(stale).Err)
				handles = append(handles, stale)
			}
			for n, h := range handles {
				require.ErrorIs(t, c.loop(x, of, h).Err, want)
				require.NoError(t, c.inbox(x, x.Inbox(), of, h))
				each := 1
				if !c.onlyOwn {
					each++
					_, err := x.AddTimeout(2, 0, func(ctx *engine.Context) { c.handler(x, ctx, of, h) })
					require.NoError(t, err)
				}
				x.Tick(time.Millisecond)
				require.EqualValues(t, each*(n+1), x.Stats().Undelivered)
			}
		})
	}
}

// TestVerbsClosed: after Close each lane says so.
func TestVerbsClosed(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		x := newScene(t, c, engine.Options{Synchronous: true})
		shut(t, x.Engine)
		require.ErrorIs(t, c.loop(x, 1, x.h).Err, engine.ErrClosed, c.name)
		require.ErrorIs(t, c.inbox(x, x.Inbox(), 1, x.h), engine.ErrClosed, c.name)
	}
}

// TestVerbsBusy: what is asked of a busy owner waits, and is done at its time.
func TestVerbsBusy(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		if c.notOwn {
			continue // it starts from an owner who is paused, and therefore never busy
		}
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newScene(t, c, engine.Options{Workers: 2, Budget: brief})
				gate := make(chan struct{})
				_, err := x.AddTimeout(1, 500*time.Millisecond, func(*engine.Context) { <-gate })
				require.NoError(t, err)
				var out []string
				take := func(f *engine.Frame) {
					for e := range f.Events() {
						if e.At > 0 && e.Kind != buff.TimedOut {
							out = append(out, line(e))
						}
					}
				}
				take(x.Tick(time.Second))
				require.True(t, x.Busy(1))
				r := c.loop(x, 1, x.h)
				if errors.Is(r.Err, engine.ErrBusy) {
					r = buff.Result{Queued: true} // it must have an answer: see TestAbsorbAnswers
					require.NoError(t, c.inbox(x, x.Inbox(), 1, x.h))
					x.Tick(0)
				}
				require.Equal(t, buff.Result{Queued: true}, r)
				close(gate)
				synctest.Wait()
				take(x.Tick(0)) // what is stolen changes hands at the end of this frame, at 1,000 ms too
				take(x.Tick(9 * time.Second))
				require.Equal(t, c.want, out)
				require.Zero(t, x.Stats().Undelivered)
				shut(t, x.Engine)
			})
		})
	}
}

// TestVerbsFromHandler: a handler that uses the Engine's verb panics, and so does the
// Context's after the handler.
func TestVerbsFromHandler(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		var said any
		x := newScene(t, c, engine.Options{Workers: 1, Budget: patient, OnFault: func(f engine.Fault) { said = f.Value }})
		var kept *engine.Context
		_, err := x.AddTimeout(2, 0, func(ctx *engine.Context) {
			kept = ctx
			c.loop(x, 1, x.h)
		})
		require.NoError(t, err)
		x.Tick(time.Millisecond)
		require.Equal(t, "engine: "+c.name+" called from a handler; use the Context", said)
		require.PanicsWithValue(t, "engine: a Context was used after its handler had returned",
			func() { c.handler(x, kept, 1, x.h) }, c.name)
		shut(t, x.Engine)
	}
}

// TestForeignTags: a tag that cannot be one of the engine's catalog is a programmer's
// error in each lane; the tag 0 is an operating one.
func TestForeignTags(t *testing.T) {
	c := &verbCase{carries: []buff.Spec{{ID: "p", Kind: buff.Infinite, Tags: []string{"fire"}}}}
	x := newScene(t, c, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	in := x.Inbox()
	for name, lanes := range map[string]struct {
		loop    func(tag buff.Tag) error
		inbox   func(tag buff.Tag) error
		handler func(c *engine.Context, tag buff.Tag)
	}{
		"AddTag": {
			func(tag buff.Tag) error { return x.AddTag(1, tag).Err },
			func(tag buff.Tag) error { return in.AddTag(1, tag) },
			func(c *engine.Context, tag buff.Tag) { c.AddTag(1, tag) },
		},
		"DropTag": {
			func(tag buff.Tag) error { return x.DropTag(1, tag).Err },
			func(tag buff.Tag) error { return in.DropTag(1, tag) },
			func(c *engine.Context, tag buff.Tag) { c.DropTag(1, tag) },
		},
		"Immunize": {
			func(tag buff.Tag) error { return x.Immunize(1, tag, true).Err },
			func(tag buff.Tag) error { return in.Immunize(1, tag, true) },
			func(c *engine.Context, tag buff.Tag) { c.Immunize(1, tag, true) },
		},
		"Expose": {
			func(tag buff.Tag) error { return x.Expose(1, tag).Err },
			func(tag buff.Tag) error { return in.Expose(1, tag) },
			func(c *engine.Context, tag buff.Tag) { c.Expose(1, tag) },
		},
	} {
		sentence := fmt.Sprintf("engine: %s with a tag that is not of this engine's catalog", name)
		require.PanicsWithValue(t, sentence, func() { _ = lanes.loop(2) })
		require.PanicsWithValue(t, sentence, func() { _ = lanes.inbox(2) })
		require.ErrorIs(t, lanes.loop(0), buff.ErrTag)
		before := x.Stats().Undelivered
		require.NoError(t, lanes.inbox(0))
		x.Tick(0)
		require.Equal(t, before+1, x.Stats().Undelivered)
		called := false
		_, err := x.AddTimeout(1, 0, func(c *engine.Context) {
			called = true
			require.PanicsWithValue(t, sentence, func() { lanes.handler(c, 2) })
			lanes.handler(c, 0)
		})
		require.NoError(t, err)
		x.Tick(time.Millisecond)
		require.True(t, called)
	}
	require.False(t, x.HasTag(1, x.tag("fire")))
}
