package inspect

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/internal/recovered"
)

// foreign is one function of the game. It may do what it likes: this package calls it on
// goroutines on which nobody recovers, and a game must not end because somebody looks at it.
//
// A panic is an error of that call. A function that ends its goroutine cannot be stopped from
// that, and is not called again: it would end one goroutine after the other.
type foreign struct {
	what string // what it is in Options

	gone   atomic.Bool
	failed atomic.Uint64 // calls that have not returned

	mu   sync.Mutex
	last string // what was said of the last of them
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
		f.gone.Store(true) // also the text of what it has panicked with is the game's
		if v == nil {
			f.note("ended its goroutine, and is not called again")
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

// report says how the last call that has failed did so.
func (f *foreign) report() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.what + " " + f.last
}

// faultJSON tells the page of a function of the game that fails.
type faultJSON struct {
	What string `json:"what"`
	N    string `json:"n"`
	Last string `json:"last"`
}

// faults returns those that have failed.
func (in *Inspector) faults() (out []faultJSON) {
	for _, f := range []*foreign{&in.naming, &in.searching, &in.doing, &in.loading, &in.alarming} {
		if n := f.failed.Load(); n > 0 {
			f.mu.Lock()
			out = append(out, faultJSON{f.what, strconv.FormatUint(n, 10), f.last})
			f.mu.Unlock()
		}
	}
	return out
}

// alarm returns what else is wrong with the game, as it may be shown.
func (in *Inspector) alarm() (text string) {
	if in.opts.Alarm == nil {
		return ""
	}
	_ = in.alarming.call(func() { text = in.opts.Alarm() }) // that it fails is among the faults
	return line(text)
}
