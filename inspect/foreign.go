package inspect

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/internal/recovered"
)

// foreign wraps a function of the game, such as Options.Name. This package calls such functions
// on goroutines where a panic would end the process, and the page must not crash the game.
//
// If the function panics, call returns an error. If the function calls runtime.Goexit, the
// goroutine ends, which cannot be prevented. The function is then not called again, because it
// would end every goroutine that calls it.
type foreign struct {
	name string // name of the field in Options

	gone   atomic.Bool
	failed atomic.Uint64 // number of failed calls

	mu   sync.Mutex
	last string // description of the last failure
}

// call runs do(), which calls the game's function, and returns an error if the function panics.
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
		// Formatting the game's panic value may end the goroutine. If it does not, f.gone is reset
		// below.
		f.gone.Store(true)
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

// faultJSON describes a function of the game that has failed.
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

// alarm returns the result of Options.Alarm in displayable form.
func (in *Inspector) alarm() (text string) {
	if in.opts.Alarm == nil {
		return ""
	}
	_ = in.alarming.call(func() { text = in.opts.Alarm() }) // in.faults reports a failure
	return line(text)
}
