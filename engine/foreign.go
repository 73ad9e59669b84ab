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
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/wheel"
)

// What the game hands in besides handlers, as [view.Fault].Call names it.
const (
	callMembers = "Members"   // Options.Members
	callRecord  = "Record"    // Options.Trace.Record, its Write
	callTrace   = "SlowTrace" // Options.Trace.Writer, and Write and Close of what it returns
	callClock   = "Clock"     // that of Watch.Open
	callLook    = "Look"      // that of Watch.Follow
	callRun     = "Run"       // that of Inbox.Run
	callMarshal = "Marshal"   // that of Engine.Copies
	callFormula = "Formula"   // a define.Formula of the game
)

// faultInterval is the span of game time in which Options.OnFault is told once of each site:
// of one handler of one definition, or of one function of the game.
const faultInterval = time.Second

// site is where faults come from.
type site struct {
	call    string
	lineage int // of the definition
	handler buff.HandlerID
	code    uintptr // of the function of a timeout
	exit    bool
}

// siteOf returns that of a handler.
func siteOf(c *buff.Call, exit bool) site {
	s := site{handler: c.Handler, exit: exit}
	if c.Event.Spec != nil {
		s.lineage = c.Event.Spec.Lineage()
	}
	if c.Do != nil {
		s.code = reflect.ValueOf(c.Do).Pointer()
	}
	return s
}

// told is what is known of the faults of a site.
type told struct {
	until      wheel.Time // no other is told before
	suppressed uint64
}

// faults keeps those who watch for faults from being told of all of them: what fails at every
// pulse of every owner would else take all the time there is. There are as many sites as there
// are handlers in definitions, and functions in the program.
type faults struct {
	mu    sync.Mutex
	sites map[site]told
}

// tells reports whether a fault is told at an instant, and how many were not.
func (f *faults) tells(at site, now wheel.Time) (suppressed uint64, tells bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, known := f.sites[at]
	if known && now < t.until {
		t.suppressed++
		f.sites[at] = t
		return 0, false
	}
	if f.sites == nil {
		f.sites = make(map[site]told)
	}
	f.sites[at] = told{until: now.After(faultInterval)}
	return t.suppressed, true
}

// fault counts a fault and tells Options.OnFault, which may fail in turn. It is called in the
// deferred function that has recovered.
func (e *Engine) fault(f *view.Fault, at site) {
	e.failures.Add(1)
	if e.opts.OnFault == nil {
		return
	}
	suppressed, tells := e.faults.tells(at, wheel.Time(e.seen.Load()))
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

// errExit stands for the value of a panic where there was none.
var errExit = errors.New("it ended its goroutine")

// foreign calls something that the game has handed in, but for handlers. It returns what
// that has panicked with, nil if it has returned. One that ends the goroutine cannot be stopped
// from that; foreign then does not return. On the loop, Options.OnFault may not call the Engine:
// it may be in the midst of a Tick.
func (e *Engine) foreign(call string, loop bool, of *buff.Event, do func()) (panicked any) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if panicked = v; v == nil {
			panicked = errExit
		}
		e.fell(call, loop, of, v)
	}()
	do()
	returned = true
	return nil
}

// fell counts and tells what something that the game has handed in, but for handlers, has panicked with; nil: it ends
// its goroutine. It is called in the deferred function that has recovered.
func (e *Engine) fell(call string, loop bool, of *buff.Event, v any) {
	f := view.Fault{Call: call, Value: v}
	at := site{call: call, exit: v == nil}
	if of != nil {
		f.Event = *of
	}
	if f.Event.Spec != nil {
		at.lineage = f.Event.Spec.Lineage()
	}
	if loop {
		e.exited = e.exited || at.exit && (call == callRun || call == callMembers) // what Tick calls before its end
		before := e.asking
		e.asking = "Options.OnFault"
		defer func() { e.asking = before }()
	}
	e.fault(&f, at)
}

// read reads the clock of those who watch.
func (e *Engine) read(clock *func() time.Duration, loop bool) (at time.Duration, ok bool) {
	failed := e.foreign(callClock, loop, nil, func() { at = (*clock)() })
	return at, failed == nil
}

// sink is a writer of the game, of which a panic is an error.
type sink struct {
	engine *Engine
	call   string
	w      io.Writer
}

func (s *sink) Write(p []byte) (n int, err error) {
	if v := s.engine.foreign(s.call, true, nil, func() { n, err = s.w.Write(p) }); v != nil {
		return 0, panicked(s.call, v)
	}
	switch {
	case err != nil:
		return 0, err // and nothing more is written: how much it was nobody asks
	case n != len(p):
		return 0, io.ErrShortWrite // whatever n is: package io asks for an error then
	}
	return n, nil
}

// panicked is the error of one who has panicked.
func panicked(call string, v any) error {
	return fmt.Errorf("%s panicked: %s", call, recovered.Text(v))
}
