package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/bufftick/bufftick/engine/view"
)

// scene is an engine with owner 1, which has the buffs of a case, owner 2, which may act on them,
// and owner 3, which steals.
type scene struct {
	*engine.Engine
	cat *buff.Catalog
	h   buff.Handle // handle of its first buff

	timeout buff.TimeoutHandle
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

// verbCase is one command that is tested in each lane. If the command is executed at 1,000 ms, it
// has the same events in all lanes.
type verbCase struct {
	name string // name of the constructor
	// buffs of owner 1 from 0 on; the definition "later" exists, but is not applied
	carries []buff.Spec
	before  func(x *scene)
	cmd     func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command
	byOwner bool // it names an owner, not a handle
	many    bool // it is for more than one owner
	notOwn  bool // no handler of owner 1 can issue it
	want    []string

	waitsForNobody bool // it does not wait for busy owners
}

// newScene returns the scene of a case, at time 0.
func newScene(tb testing.TB, c *verbCase, o engine.Options) *scene {
	tb.Helper()
	o.Catalog = statsOf(tb, c.carries...)
	o.Handlers = engine.Handlers{"ring": func(*engine.Context, buff.Event) {}}
	e, err := engine.New(o)
	require.NoError(tb, err)
	x := &scene{Engine: e, cat: o.Catalog}
	spawn(tb, e, 1, 2, 3)
	for i, s := range c.carries {
		if s.ID == "later" {
			continue
		}
		r := e.AddBuff(1, buff.Application{Spec: o.Catalog.Spec(s.ID), Source: 2, Magnitude: 70})
		h := r.Handle
		require.NoError(tb, r.Failure)
		if i == 0 {
			x.h = h
		}
	}
	if c.before != nil {
		c.before(x)
	}
	return x
}

// commandEvents appends the events of a frame that belong to the command, without those of the
// start of the scene and of the timeouts that issue the command.
func commandEvents(out []string, f *engine.Frame) []string {
	for e := range f.Events() {
		if e.At > 0 && (e.Kind != buff.TimedOut || e.Name != "") {
			out = append(out, line(e))
		}
	}
	return out
}

// ways are the lanes, with the three ways of using the Inbox.
var ways = []string{"loop", "handler", "handler of another", "inbox", "ask", "run"}

// story returns the events after the instant 0 if the command is issued at 1,000 ms in the given
// lane. It must be called in a bubble.
func (c *verbCase) story(t *testing.T, way string, m mode, rec io.Writer) (x *scene, out []string) {
	t.Helper()
	o := engine.Options{Trace: engine.Trace{Record: rec}}
	m.set(&o)
	x = newScene(t, c, o)
	defer shut(t, x.Engine)
	by, answer := buff.OwnerID(1), make(chan buff.Result, 1)
	switch cmd := c.cmd(x, 1, x.h); way {
	case "inbox":
		require.NoError(t, x.Inbox().Do(cmd))
	case "ask":
		go func() {
			r, err := x.Inbox().Ask(t.Context(), cmd)
			r.Failure = errors.Join(r.Failure, err)
			answer <- r
		}()
		synctest.Wait()
	case "run":
		go func() {
			var r buff.Result
			err := x.Inbox().Run(t.Context(), func(e *engine.Engine) { r = e.Do(cmd) })
			r.Failure = errors.Join(r.Failure, err)
			answer <- r
		}()
		synctest.Wait()
	case "handler of another":
		by = 2
		fallthrough
	case "handler":
		_, err := x.AddTimeout(by, time.Second, func(ctx *engine.Context) { ctx.Do(cmd) })
		require.NoError(t, err)
	}
	out = commandEvents(out, x.Tick(time.Second))
	switch way {
	case "loop":
		answer <- x.Do(c.cmd(x, 1, x.h))
		fallthrough
	case "ask", "run":
		r := <-answer
		require.NoError(t, r.Failure)
		require.False(t, r.Queued)
	}
	out = commandEvents(out, x.Tick(9*time.Second))
	require.Zero(t, x.Stats().Undelivered)
	return x, out
}

// TestVerbs_Complete checks that there is a case for every constructor of package buff.
func TestVerbs_Complete(t *testing.T) {
	files, err := os.ReadDir("../buff")
	require.NoError(t, err)
	var made, cases []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "../buff/"+f.Name(), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Name.IsExported() && fn.Type.Results.NumFields() == 1 && words(fn.Type.Results.List[0].Type) == "Command" {
				made = append(made, fn.Name.Name)
			}
		}
	}
	for i := range verbCases {
		cases = append(cases, verbCases[i].name)
	}
	cases = append(cases, "AddTimeoutFunc") // tested by TestDoFunction
	require.ElementsMatch(t, made, cases)
}

// TestVerbs checks that each command has the same events in each lane, and in a replay of a
// recording.
func TestVerbs(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		t.Run(c.name, func(t *testing.T) {
			for _, way := range ways {
				if c.notOwn && way == "handler" {
					continue
				}
				for _, m := range []mode{modes[0], modes[3]} {
					synctest.Test(t, func(t *testing.T) {
						var rec bytes.Buffer
						x, out := c.story(t, way, m, &rec)
						require.Equal(t, c.want, out, "%s, %s", way, m.name)
						require.Equal(t, c.want, c.again(t, x, m, &rec), "%s, %s, replayed", way, m.name)
					})
				}
			}
		})
	}
}

// again replays the recording of a scene.
func (c *verbCase) again(t *testing.T, x *scene, m mode, rec io.Reader) (out []string) {
	t.Helper()
	o := engine.Options{Catalog: x.cat, Handlers: engine.Handlers{"ring": func(*engine.Context, buff.Event) {}}}
	m.set(&o)
	_, err := replay.Run(rec, o, replay.Game{
		Timeout: func(int, buff.OwnerID) func(*engine.Context) {
			return func(ctx *engine.Context) { ctx.Do(c.cmd(x, 1, x.h)) }
		},
		Frame: func(f *engine.Frame) { out = commandEvents(out, f) },
	})
	require.NoError(t, err)
	return out
}

// TestVerbs_NoTarget checks that the loop, and callers that wait for the Result, get an error
// for a stale handle or an unknown owner, and that it is counted in the other lanes.
func TestVerbs_NoTarget(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		if c.many {
			continue // such a command always finds owners
		}
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newScene(t, c, engine.Options{Synchronous: true})
				defer shut(t, x.Engine)
				of, want := buff.OwnerID(99), engine.ErrUnknownOwner
				if !c.byOwner {
					want = buff.ErrStale
				}
				handles := []buff.Handle{1<<60 | x.h}
				if !c.byOwner {
					stale := add(t, x.Engine, 3, x.cat.Spec(c.carries[0].ID))
					require.NoError(t, x.Remove(stale).Failure)
					handles = append(handles, stale)
				}
				for n, h := range handles {
					cmd := c.cmd(x, of, h)
					require.ErrorIs(t, x.Do(cmd).Failure, want)
					require.NoError(t, x.Inbox().Do(cmd))
					_, err := x.AddTimeout(2, 0, func(ctx *engine.Context) { ctx.Do(cmd) })
					require.NoError(t, err)
					answer := make(chan error)
					go func() {
						r, err := x.Inbox().Ask(t.Context(), cmd)
						answer <- errors.Join(r.Failure, err)
					}()
					synctest.Wait()
					x.Tick(time.Millisecond)
					require.ErrorIs(t, <-answer, want)
					require.EqualValues(t, 3*(n+1), x.Stats().Undelivered)
				}
			})
		})
	}
}

// TestVerbsRefused checks that a full Inbox accepts no command, and that no lane does after Close.
func TestVerbsRefused(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		x := newScene(t, c, engine.Options{Synchronous: true, Limits: engine.Limits{Inbox: 1}})
		cmd := c.cmd(x, 1, x.h)
		require.NoError(t, x.Inbox().Do(cmd))
		require.ErrorIs(t, x.Inbox().Do(cmd), engine.ErrInboxFull, c.name)
		_, err := x.Inbox().Ask(t.Context(), cmd)
		require.ErrorIs(t, err, engine.ErrInboxFull, c.name)
		x.Tick(0)
		require.NoError(t, x.Inbox().Do(cmd))
		shut(t, x.Engine)
		require.ErrorIs(t, x.Do(cmd).Failure, engine.ErrClosed, c.name)
		require.ErrorIs(t, x.Inbox().Do(cmd), engine.ErrClosed, c.name)
		_, err = x.Inbox().Ask(t.Context(), cmd)
		require.ErrorIs(t, err, engine.ErrClosed, c.name)
	}
}

// TestVerbsBusy checks that a command for a busy owner waits, and has the time of its call.
func TestVerbsBusy(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		if c.notOwn {
			continue // it starts with a paused owner, which is never busy
		}
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newScene(t, c, engine.Options{Workers: 2, Budget: brief})
				gate := make(chan struct{})
				_, err := x.AddTimeout(1, 500*time.Millisecond, func(*engine.Context) { <-gate })
				require.NoError(t, err)
				out := commandEvents(nil, x.Tick(time.Second))
				require.True(t, x.Busy(1))
				r := x.Do(c.cmd(x, 1, x.h))
				if c.many || c.waitsForNobody {
					require.Contains(t, []buff.Result{{}, {Kind: buff.Done}}, r, "nothing of it waits, or nothing is done yet")
				} else {
					require.Equal(t, buff.Result{Queued: true}, r)
				}
				close(gate)
				synctest.Wait()
				// a stolen buff is given to the thief at the end of this frame, also at 1,000 ms
				out = commandEvents(out, x.Tick(0))
				out = commandEvents(out, x.Tick(9*time.Second))
				require.Equal(t, c.want, out)
				require.Zero(t, x.Stats().Undelivered)
				shut(t, x.Engine)
			})
		})
	}
}

// TestVerbsFromHandler checks that a handler that calls the Engine panics, and so does a use of a
// Context after its handler has returned.
func TestVerbsFromHandler(t *testing.T) {
	for i := range verbCases {
		c := &verbCases[i]
		var said any
		x := newScene(t, c, engine.Options{Workers: 1, Budget: patient, OnFault: func(f view.Fault) { said = f.Value }})
		var kept *engine.Context
		_, err := x.AddTimeout(2, 0, func(ctx *engine.Context) {
			kept = ctx
			x.Do(c.cmd(x, 1, x.h))
		})
		require.NoError(t, err)
		x.Tick(time.Millisecond)
		require.Equal(t, "engine: Do called from a handler or during a Tick; use the Context or the Inbox", said)
		require.PanicsWithValue(t, "engine: a Context was used after its handler had returned",
			func() { kept.Do(c.cmd(x, 1, x.h)) }, c.name)
		shut(t, x.Engine)
	}
}

// TestDoFunction checks that a timeout with a function works as a command in every lane.
func TestDoFunction(t *testing.T) {
	x := newScene(t, &verbCase{carries: []buff.Spec{poison}}, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	var rung []string
	ring := func(who string) func(*engine.Context) {
		return func(c *engine.Context) { rung = append(rung, fmt.Sprint(who, " ", c.Now())) }
	}
	require.NotZero(t, x.Do(buff.AddTimeoutFunc(2, time.Second, ring("loop"))).Timeout)
	require.NoError(t, x.Inbox().Do(buff.AddTimeoutFunc(2, time.Second, ring("inbox"))))
	x.Do(buff.AddTimeoutFunc(2, time.Second, func(c *engine.Context) { c.Do(buff.AddTimeoutFunc(2, time.Second, ring("handler"))) }))
	x.Tick(500 * time.Millisecond)
	x.Tick(9 * time.Second)
	require.Equal(t, []string{"loop 00:00:01.000", "inbox 00:00:01.500", "handler 00:00:02.000"}, rung)
	for _, wrong := range []any{func() {}, "ring", (func(*engine.Context))(nil)} {
		require.Panics(t, func() { x.Do(buff.AddTimeoutFunc(2, 0, wrong)) })
		require.Panics(t, func() { _ = x.Inbox().Do(buff.AddTimeoutFunc(2, 0, wrong)) })
	}
}

// TestForeignTags checks that a tag that cannot belong to the engine's catalog panics in each
// lane, and that the tag 0 is an error.
func TestForeignTags(t *testing.T) {
	c := &verbCase{carries: []buff.Spec{{ID: "p", Kind: define.Infinite, Tags: []string{"fire"}}}}
	x := newScene(t, c, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	in := x.Inbox()
	for word, lanes := range map[string]struct {
		loop    func(tag buff.Tag) error
		inbox   func(tag buff.Tag) error
		handler func(c *engine.Context, tag buff.Tag)
	}{
		"tag": {
			func(tag buff.Tag) error { return x.Do(buff.AddTag(1, tag)).Failure },
			func(tag buff.Tag) error { return in.Do(buff.AddTag(1, tag)) },
			func(c *engine.Context, tag buff.Tag) { c.Do(buff.AddTag(1, tag)) },
		},
		"untag": {
			func(tag buff.Tag) error { return x.Do(buff.DropTag(1, tag)).Failure },
			func(tag buff.Tag) error { return in.Do(buff.DropTag(1, tag)) },
			func(c *engine.Context, tag buff.Tag) { c.Do(buff.DropTag(1, tag)) },
		},
		"immune": {
			func(tag buff.Tag) error { return x.Do(buff.Immunize(1, tag, true)).Failure },
			func(tag buff.Tag) error { return in.Do(buff.Immunize(1, tag, true)) },
			func(c *engine.Context, tag buff.Tag) { c.Do(buff.Immunize(1, tag, true)) },
		},
		"vulnerable": {
			func(tag buff.Tag) error { return x.Do(buff.DropImmunity(1, tag)).Failure },
			func(tag buff.Tag) error { return in.Do(buff.DropImmunity(1, tag)) },
			func(c *engine.Context, tag buff.Tag) { c.Do(buff.DropImmunity(1, tag)) },
		},
	} {
		sentence := fmt.Sprintf("engine: Do: buff: the catalog has no such name: %s with the tag number 2", word)
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
	require.False(t, must(x.HasTag(1, x.tag("fire"))))
}
