package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
	"github.com/stretchr/testify/require"
)

// ends are the ways in which a function of the game may fail to return. Goexit is only tested
// where it does not end the loop.
var ends = recoveredtest.Ends("")

// trial is a game of two owners in which a function that the game provides fails.
type trial struct {
	t    *testing.T
	o    engine.Options
	e    *engine.Engine
	end  func()
	said string

	mu     sync.Mutex
	faults []view.Fault
	fails  bool // from the third second on
}

// fail ends the current call in the way of the trial, from the third second on.
func (x *trial) fail() {
	x.mu.Lock()
	fails := x.fails
	x.mu.Unlock()
	if fails {
		x.end()
	}
}

// handed lists everything that a game provides to a running engine, by the name of the option
// field, or of the method that takes it.
var handed = []struct {
	name   string
	call   string                // value of Fault.Call
	worker bool                  // it is called on a worker, where it may also end its goroutine
	hand   func(x *trial)        // sets it in the options
	start  func(x *trial)        // passes it to the engine
	frame  func(x *trial)        // triggers a call of it, after each Tick
	events []string              // events of owner 1 in the second of the failure; nil if none
	closed func(x *trial) string // the error of Close
}{
	{
		name: "Options.Handlers", worker: true,
		hand:   func(x *trial) { x.o.Handlers = engine.Handlers{"h": func(*engine.Context, buff.Event) { x.fail() }} },
		start:  func(x *trial) { add(x.t, x.e, 1, x.e.Catalog().Spec("call")) },
		events: []string{"1: 3000 pulse call x1", "1: 3000 error call why=WHY"},
	},
	{
		name: "Options.QuickHandlers",
		hand: func(x *trial) {
			x.o.Handlers, x.o.QuickHandlers = nil, engine.Handlers{"h": func(*engine.Context, buff.Event) { x.fail() }}
		},
		start:  func(x *trial) { add(x.t, x.e, 1, x.e.Catalog().Spec("call")) },
		events: []string{"1: 3000 pulse call x1", "1: 3000 error call why=WHY"},
	},
	{
		name: "Engine.AddTimeout", worker: true,
		start:  func(x *trial) { x.timeout(x.e.AddTimeout(1, 3*time.Second, func(*engine.Context) { x.fail() })) },
		events: []string{"1: 3000 timeout", "1: 3000 error WHY"},
	},
	{
		name: "Inbox.AddTimeout", worker: true,
		start: func(x *trial) {
			require.NoError(x.t, x.e.Inbox().AddTimeout(1, 3*time.Second, func(*engine.Context) { x.fail() }))
			x.e.Tick(0)
		},
		events: []string{"1: 3000 timeout", "1: 3000 error WHY"},
	},
	{
		name: "Context.AddTimeout", worker: true,
		start: func(x *trial) {
			x.timeout(x.e.AddTimeout(1, time.Second, func(c *engine.Context) {
				c.AddTimeout(1, 2*time.Second, func(*engine.Context) { x.fail() })
			}))
		},
		events: []string{"1: 3000 timeout", "1: 3000 error WHY"},
	},
	{
		name: "Options.Members", call: "Members",
		hand: func(x *trial) {
			x.o.Members = func(_ engine.AuraQuery, found func(buff.OwnerID)) { found(1); x.fail() }
		},
		start:  func(x *trial) { add(x.t, x.e, 1, x.e.Catalog().Spec("beacon")) },
		events: []string{"1: 3000 error beacon why=panic"},
	},
	{
		name: "Options.Trace.Record", call: "Record",
		hand: func(x *trial) {
			x.o.Trace.Record = writerFunc(func(p []byte) (int, error) { x.fail(); return len(p), nil })
		},
		closed: func(x *trial) string { return "engine: recording: Record " + x.said },
	},
	{
		name: "Options.Trace.Writer", call: "SlowTrace",
		hand:   func(x *trial) { x.slow(func() io.WriteCloser { x.fail(); return nil }) },
		frame:  func(x *trial) { x.e.Watch().Frame(time.Second) },
		closed: func(x *trial) string { return "engine: trace: SlowTrace " + x.said },
	},
	{
		name: "Options.Trace.Writer, its Write", call: "SlowTrace",
		hand:   func(x *trial) { x.slow(func() io.WriteCloser { return &sinks{write: x.fail} }) },
		frame:  func(x *trial) { x.e.Watch().Frame(time.Second) },
		closed: func(x *trial) string { return "engine: trace: SlowTrace " + x.said },
	},
	{
		name: "Options.Trace.Writer, its Close", call: "SlowTrace",
		hand:   func(x *trial) { x.slow(func() io.WriteCloser { return &sinks{close: x.fail} }) },
		frame:  func(x *trial) { x.e.Watch().Frame(time.Second) },
		closed: func(x *trial) string { return "engine: trace: SlowTrace " + x.said },
	},
	{
		name: "Options.OnFault", worker: true,
		hand: func(x *trial) {
			x.o.Handlers = engine.Handlers{"h": func(*engine.Context, buff.Event) { x.fail() }}
			tell := x.o.OnFault
			x.o.OnFault = func(f view.Fault) { tell(f); x.end() }
		},
		start:  func(x *trial) { add(x.t, x.e, 1, x.e.Catalog().Spec("call")) },
		events: []string{"1: 3000 pulse call x1", "1: 3000 error call why=WHY"},
	},
	{
		name: "Watch.Open", call: "Clock", // on the loop, and on the workers
		start: func(x *trial) {
			leave := x.e.Watch().Open(func() time.Duration { x.fail(); return time.Second })
			x.t.Cleanup(leave)
		},
	},
	{
		name: "Watch.Follow", call: "Look",
		start: func(x *trial) {
			leave, err := x.e.Watch().Follow(1, func(any) any { x.fail(); return nil })
			require.NoError(x.t, err)
			x.t.Cleanup(leave)
			x.t.Cleanup(x.e.Watch().Open(nil))
		},
		frame: func(x *trial) { engine.Asked(x.e) },
	},
}

// notCalled lists what a game provides and the running engine never calls, with the reason.
var notCalled = map[string]string{
	"Options.Catalog":      "of package buff",
	"Options.Trace.Flight": "of package runtime/trace",
	"Options.Epoch":        "of package time",
	"Engine.Spawn":         "the data of an owner is kept and given back",
	"Engine.Restore":       "the same",
	"Engine.Readmit":       "the same",
	"Engine.Close":         "a context is asked, and the functions are called, on the goroutine of the caller, who has it, between two Ticks; a fault is the caller's",
	"Watch.Next":           "the same",
	"Inbox.Ask":            "the same",
	"Inbox.Run":            "a fault of the caller, who is told: see TestRunFails",
	"Watch.Owners":         "the same",
	"Watch.Specs":          "the same",
	"Watch.Holders":        "the same",
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// sinks is a trace writer that calls functions.
type sinks struct{ write, close func() }

func (s *sinks) Write(p []byte) (int, error) {
	if s.write != nil {
		s.write()
	}
	return len(p), nil
}

func (s *sinks) Close() error {
	if s.close != nil {
		s.close()
	}
	return nil
}

func (x *trial) timeout(_ buff.TimeoutHandle, err error) { require.NoError(x.t, err) }

// slow makes every frame slow, so that it is traced.
func (x *trial) slow(where func() io.WriteCloser) {
	x.o.Trace.Flight = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
	require.NoError(x.t, x.o.Trace.Flight.Start())
	x.t.Cleanup(x.o.Trace.Flight.Stop)
	x.o.Trace.SlowFrame, x.o.Trace.Every = time.Millisecond, 1
	x.o.Trace.Writer = func(*engine.Frame) io.WriteCloser { return where() }
}

// TestP24_P25_Handed checks that the engine continues whatever fails of the functions that the
// game provides, and however it fails: another owner has its pulses, the fault is counted and
// reported, and no operation of the engine is left half done.
func TestP24_P25_Handed(t *testing.T) {
	for i := range handed {
		h := &handed[i]
		for _, end := range ends {
			for _, m := range modes[:4] {
				if end.Name == "Goexit" && (!h.worker || m.workers == 0) {
					// it would end the loop, as Options.Synchronous and Watch.Follow document
					continue
				}
				t.Run(h.name+"/"+end.Name+"/"+m.name, func(t *testing.T) {
					x := &trial{t: t, end: end.Do, said: end.Said}
					m.set(&x.o)
					x.o.Catalog = catalogOf(t,
						buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second},
						buff.Spec{ID: "call", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("h")}},
						buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()}, buff.Spec{ID: "light", Kind: define.Infinite})
					x.o.Members = func(engine.AuraQuery, func(buff.OwnerID)) {}
					x.o.Handlers = engine.Handlers{"h": func(*engine.Context, buff.Event) {}}
					x.o.OnFault = func(f view.Fault) {
						x.mu.Lock()
						defer x.mu.Unlock()
						x.faults = append(x.faults, f)
					}
					if h.hand != nil {
						h.hand(x)
					}
					var err error
					x.e, err = engine.New(x.o)
					require.NoError(t, err)
					x.play(h.start, h.frame, func(of []string) {
						why := "panic"
						if end.Name == "Goexit" {
							why = "goexit"
						}
						want := []string{}
						for _, line := range h.events {
							want = append(want, strings.ReplaceAll(line, "WHY", why))
						}
						slices.Sort(of)
						slices.Sort(want)
						require.Equal(t, want, of)
					})
					require.NotEmpty(t, x.faults)
					require.Equal(t, h.call, x.faults[0].Call)
					require.Equal(t, end.Name != "Goexit", x.faults[0].Value != nil)
					require.Equal(t, end.Name != "Goexit", len(x.faults[0].Stack) > 0)
					require.GreaterOrEqual(t, x.e.Stats().Faults, uint64(len(x.faults)))
					require.Empty(t, engine.CheckCrossIndex(x.e))
					err = x.e.Close(context.Background())
					if h.closed != nil {
						require.EqualError(t, err, h.closed(x))
					} else {
						require.NoError(t, err)
					}
					require.Zero(t, engine.Escaped(x.e))
				})
			}
		}
	}
}

// play passes five seconds. The function under test starts to fail in the third.
func (x *trial) play(start, frame func(x *trial), third func(of []string)) {
	spawn(x.t, x.e, 1, 2)
	add(x.t, x.e, 2, x.e.Catalog().Spec("beat"))
	if start != nil {
		start(x)
	}
	for n := range 5 {
		x.mu.Lock()
		x.fails = n == 2
		x.mu.Unlock()
		f := x.e.Tick(time.Second)
		var first, second []string
		for _, line := range lines(f) {
			switch {
			case strings.HasPrefix(line, "2:"):
				second = append(second, line)
			default:
				first = append(first, line)
			}
		}
		require.Len(x.t, at(f, 2, buff.Pulsed, x.e.Catalog().Spec("beat")), 1, "second %d: %q", n, second)
		if frame != nil {
			frame(x)
		}
		if n == 2 {
			if first == nil {
				first = []string{}
			}
			third(first)
		}
	}
}

// TestMembersFails checks that a search of an aura finds no members if Options.Members fails, not
// even the owners that were members before or that Members had already reported. The next search
// works as before.
func TestMembersFails(t *testing.T) {
	aura := beacon()
	aura.Linger = 0
	cat := catalogOf(t, buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: aura}, buff.Spec{ID: "light", Kind: define.Infinite})
	fails := false
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Members: func(_ engine.AuraQuery, found func(buff.OwnerID)) {
		found(1)
		if fails {
			panic("nobody knows")
		}
		found(2)
	}})
	spawn(t, e, 1, 2)
	add(t, e, 1, cat.Spec("beacon"))
	require.Equal(t, []string{"1: 0 apply beacon x1", "1: 0 apply light x1", "2: 0 apply light x1"}, lines(e.Tick(0)))
	fails = true
	require.Equal(t, []string{"1: 500 error beacon why=panic", "1: 500 remove light why=out_of_aura", "2: 500 remove light why=out_of_aura"}, lines(e.Tick(aura.Interval)))
	fails = false
	require.Equal(t, []string{"1: 1000 apply light x1", "2: 1000 apply light x1"}, lines(e.Tick(aura.Interval)))
}

// TestRecordShort checks that a writer that accepts fewer bytes than it was given, without an
// error, counts as failed.
func TestRecordShort(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 1 << 20} {
		e, err := engine.New(engine.Options{Synchronous: true, Trace: engine.Trace{Record: writerFunc(func([]byte) (int, error) { return n, nil })}})
		require.NoError(t, err)
		e.Tick(time.Second)
		require.ErrorIs(t, e.Close(t.Context()), io.ErrShortWrite)
	}
}

// TestP24_HandedAll checks that everything that a game can provide is in one of the two tables.
func TestP24_HandedAll(t *testing.T) {
	has := map[string]bool{}
	for _, h := range handed {
		has[h.name] = true
	}
	for name := range notCalled {
		has[name] = true
	}
	for _, c := range replayed {
		has[c.name] = true
	}
	seen := map[string]bool{}
	for _, v := range []any{engine.Options{}, replay.Game{}} {
		typ := reflect.TypeOf(v)
		for _, f := range reflect.VisibleFields(typ) {
			switch {
			case f.Type == reflect.TypeOf(engine.Trace{}):
				for _, x := range reflect.VisibleFields(f.Type) {
					if foreign(x.Type) {
						seen[typ.Name()+"."+f.Name+"."+x.Name] = true
					}
				}
			case foreign(f.Type):
				seen[typ.Name()+"."+f.Name] = true
			}
		}
	}
	for name, v := range map[string]any{"Engine": &engine.Engine{}, "Context": &engine.Context{}, "Inbox": &engine.Inbox{}, "Watch": (&engine.Engine{}).Watch()} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			for k := 1; k < m.Type.NumIn(); k++ {
				if foreign(m.Type.In(k)) {
					seen[name+"."+m.Name] = true
				}
			}
		}
	}
	for name := range seen {
		require.True(t, has[name], "%s has no row in the table of what a game hands in", name)
	}
	for _, name := range []string{"Options.Handlers", "Options.Members", "Engine.AddTimeout", "Watch.Open", "Game.Data"} {
		require.True(t, seen[name], name)
	}
}

// foreign reports whether a value of a type can contain code of the game.
func foreign(typ reflect.Type) bool {
	switch typ.Kind() {
	case reflect.Func, reflect.Interface:
		return true
	case reflect.Map, reflect.Slice:
		return foreign(typ.Elem())
	}
	return false
}

// replayed lists what a game provides for a replay.
var replayed = []struct {
	name string
	hand func(g *replay.Game, end func())
}{
	{"Game.Data", func(g *replay.Game, end func()) { g.Data = func(buff.OwnerID) any { end(); return nil } }},
	{"Game.Timeout", func(g *replay.Game, end func()) {
		g.Timeout = func(int, buff.OwnerID) func(*engine.Context) { end(); return nil }
	}},
	{"Game.Catalog", func(g *replay.Game, end func()) {
		g.Catalog = func(int, *buff.Catalog) *buff.Catalog { end(); return nil }
	}},
	{"Game.Inbox", func(g *replay.Game, end func()) { g.Inbox = func(*engine.Inbox) { end() } }},
	{"Game.Frame", func(g *replay.Game, end func()) { g.Frame = func(*engine.Frame) { end() } }},
}

// TestP24_ReplayHanded checks that a failing function of a replay.Game ends the replay with an
// error.
func TestP24_ReplayHanded(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second})
	var recording bytes.Buffer
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{Record: &recording}})
	require.NoError(t, err)
	spawn(t, e, 1)
	_, err = e.AddTimeout(1, time.Second, func(*engine.Context) {})
	require.NoError(t, err)
	next, err := cat.Rebuild(buff.Definitions{Specs: []buff.Spec{{ID: "beat", Kind: define.Infinite, Period: time.Minute}}})
	require.NoError(t, err)
	_, err = e.Reload(next)
	require.NoError(t, err)
	e.Tick(time.Second)
	require.NoError(t, e.Close(t.Context()))

	for _, end := range ends[:4] {
		for _, c := range replayed {
			game := replay.Game{
				Timeout: func(int, buff.OwnerID) func(*engine.Context) { return func(*engine.Context) {} },
				Catalog: func(_ int, before *buff.Catalog) *buff.Catalog { return before },
			}
			c.hand(&game, end.Do)
			data := recording.Bytes()
			if c.name == "Game.Frame" {
				data = plain(t, cat)
			}
			_, err := replay.Run(bytes.NewReader(data), engine.Options{Catalog: cat, Synchronous: true}, game)
			require.EqualError(t, err, "replay: "+c.name+" "+end.Said)
		}
		_, err := replay.Run(readerFunc(func([]byte) (int, error) { end.Do(); return 0, nil }), engine.Options{Catalog: cat}, replay.Game{})
		require.ErrorIs(t, err, replay.ErrRecording)
		require.ErrorContains(t, err, "Read "+end.Said)
	}
	for _, n := range []int{-1, 1 << 20} {
		asked := 0
		_, err := replay.Run(readerFunc(func(p []byte) (int, error) { asked = len(p); return n, nil }), engine.Options{Catalog: cat}, replay.Game{})
		require.ErrorIs(t, err, replay.ErrRecording)
		require.ErrorContains(t, err, fmt.Sprintf("Read of %d bytes returned %d", asked, n))
	}
}

// plain returns a recording of one Tick.
func plain(t *testing.T, cat *buff.Catalog) []byte {
	var out bytes.Buffer
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{Record: &out}})
	require.NoError(t, err)
	e.Tick(time.Second)
	require.NoError(t, e.Close(t.Context()))
	return out.Bytes()
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
