package inspect

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/internal/recovered"
)

// foreign wraps a function of the game. This package calls it on goroutines without a recover,
// and watching a game must not crash it.
//
// A panic is an error of that call. A function that ends its goroutine cannot be prevented
// from doing so, and is not called again: otherwise it would end one goroutine after the
// other.
type foreign struct {
	name string // its name in Options

	gone   atomic.Bool
	failed atomic.Uint64 // failed calls

	mu   sync.Mutex
	last string // description of the last failure
}

// call calls do, which calls the function.
func (f *foreign) call(do func()) (err error) {
	if f.gone.Load() {
		return errors.New(f.report())
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		f.failed.Add(1)
		f.gone.Store(true) // even the panic's text comes from the game
		if v == nil {
			f.note("ended its goroutine and is not called again")
			return
		}
		f.note("panicked: " + recovered.Text(v))
		f.gone.Store(false)
		err = errors.New(f.report())
	}()
	do()
	returned = true
	return nil
}

func (f *foreign) note(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = line(text)
}

// report describes the last failed call.
func (f *foreign) report() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.name + " " + f.last
}

// faultJSON is a failing function of the game.
type faultJSON struct {
	What string `json:"what"`
	N    string `json:"n"`
	Last string `json:"last"`
}

// faults returns the functions that have failed.
func (in *Inspector) faults() (out []faultJSON) {
	for _, f := range []*foreign{&in.naming, &in.searching, &in.doing, &in.loading, &in.alarming} {
		if n := f.failed.Load(); n > 0 {
			f.mu.Lock()
			out = append(out, faultJSON{f.name, strconv.FormatUint(n, 10), f.last})
			f.mu.Unlock()
		}
	}
	return out
}

// alarm returns Options.Alarm in displayable form.
func (in *Inspector) alarm() (text string) {
	if in.opts.Alarm == nil {
		return ""
	}
	_ = in.alarming.call(func() { text = in.opts.Alarm() }) // a failure is reported by faults
	return line(text)
}
