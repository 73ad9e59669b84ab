package engine

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Names of the game's callbacks other than handlers, as used in [view.Fault].Call.
const (
	callMembers = "Members"   // Options.Members
	callRecord  = "Record"    // a call of the method Write of Options.Trace.Record
	callTrace   = "SlowTrace" // a call of Options.Trace.Writer, or of a method of its result
	callClock   = "Clock"     // the function passed to Watch.Open as its clock
	callLook    = "Look"      // the function passed to Watch.Follow
	callRun     = "Run"       // the function passed to Inbox.Run
	callMarshal = "Marshal"   // the function passed to snapshot.Of
	callFormula = "Formula"   // a define.Formula of the game
)

// faultInterval is the shortest game time between two calls of Options.OnFault for the same site.
// A site is one handler of one definition, or one callback.
const faultInterval = time.Second

// site identifies a source of faults.
type site struct {
	call    string
	lineage int // lineage of the definition
	handler define.HandlerID
	code    uintptr // address of the function of a timeout
	exit    bool    // the function ended its goroutine and did not panic
}

// siteOf returns the site of a handler.
func siteOf(c *rules.Call, exit bool) site {
	s := site{handler: c.Handler, exit: exit}
	if c.Event.Spec != nil {
		s.lineage = c.Event.Spec.Lineage()
	}
	if c.Do != nil {
		s.code = reflect.ValueOf(c.Do).Pointer()
	}
	return s
}

// siteState limits the calls of Options.OnFault for one site.
type siteState struct {
	until      wheel.Time // faults before this time are suppressed
	suppressed uint64
}

// faults limits the calls of Options.OnFault. Without a limit, a handler that fails at every pulse
// of every owner would take up all the time. There is an entry for each site that has failed.
type faults struct {
	mu    sync.Mutex
	sites map[site]siteState
}

// shouldReport reports whether to call Options.OnFault for a fault at the given instant, and how
// many faults were suppressed since the last call.
func (f *faults) shouldReport(at site, now wheel.Time) (suppressed uint64, tells bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, known := f.sites[at]
	if known && now < t.until {
		t.suppressed++
		f.sites[at] = t
		return 0, false
	}
	if f.sites == nil {
		f.sites = make(map[site]siteState)
	}
	f.sites[at] = siteState{until: now.After(faultInterval)}
	return t.suppressed, true
}

// fault counts a fault and calls Options.OnFault, which may itself panic. It must be called in the
// deferred function that has recovered from the fault's panic.
func (e *Engine) fault(f *view.Fault, at site) {
	e.failures.Add(1)
	if e.opts.OnFault == nil {
		return
	}
	suppressed, tells := e.faults.shouldReport(at, wheel.Time(e.seen.Load()))
	if !tells {
		return
	}
	f.Suppressed = suppressed
	if !at.exit {
		f.Stack = debug.Stack()
	}
	defer func() { _ = recover() }()
	e.opts.OnFault(*f)
}

// errExit takes the place of the panic value if a function has ended its goroutine instead of
// panicking.
var errExit = errors.New("it ended its goroutine")

// callGame calls a callback other than a handler. It returns the value of the callback's panic, or
// nil if the callback has returned. If the callback ends the goroutine, callGame does not return.
// If `loop` is set, the caller is the loop. In that case, Options.OnFault must not call the Engine,
// because a Tick may be in progress.
func (e *Engine) callGame(call string, loop bool, of *buff.Event, do func()) (panicked any) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if panicked = v; v == nil {
			panicked = errExit
		}
		e.reportPanic(call, loop, of, v)
	}()
	do()
	returned = true
	return nil
}

// reportPanic counts and reports the fault of a callback other than a handler: a panic with the
// value v or, if v is nil, the end of its goroutine. reportPanic must be called in the deferred
// function that has recovered.
func (e *Engine) reportPanic(call string, loop bool, of *buff.Event, v any) {
	f := view.Fault{Call: call, Value: v}
	at := site{call: call, exit: v == nil}
	if of != nil {
		f.Event = *of
	}
	if f.Event.Spec != nil {
		at.lineage = f.Event.Spec.Lineage()
	}
	if loop {
		// These two callbacks run before endTick, so endExclusive must call endTick.
		e.exited = e.exited || at.exit && (call == callRun || call == callMembers)
		before := e.inCallback
		e.inCallback = "Options.OnFault"
		defer func() { e.inCallback = before }()
	}
	e.fault(&f, at)
}

// read reads a watcher's clock; ok is false if the clock has panicked.
func (e *Engine) read(clock *func() time.Duration, loop bool) (at time.Duration, ok bool) {
	failed := e.callGame(callClock, loop, nil, func() { at = (*clock)() })
	return at, failed == nil
}

// sink wraps a writer of the game. A panic in the writer becomes an error of Write.
type sink struct {
	engine *Engine
	call   string
	w      io.Writer
}

func (s *sink) Write(p []byte) (n int, err error) {
	if v := s.engine.callGame(s.call, true, nil, func() { n, err = s.w.Write(p) }); v != nil {
		return 0, panicked(s.call, v)
	}
	switch {
	case err != nil:
		return 0, err // 0, because after an error the stream ends anyway
	case n != len(p):
		return 0, io.ErrShortWrite // also if n is larger, which package io forbids
	}
	return n, nil
}

// panicked returns the error for a callback that has panicked.
func panicked(call string, v any) error {
	return fmt.Errorf("%s panicked: %s", call, recovered.Text(v))
}
