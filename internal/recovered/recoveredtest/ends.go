package recoveredtest

import (
	"errors"
	"runtime"
)

// Bomb is a value that panics when it is asked for its text, with a value that does so too.
type Bomb struct{}

// Error panics.
func (Bomb) Error() string { panic(Bomb{}) }

// String panics.
func (Bomb) String() string { panic(Bomb{}) }

// Panic is a value to panic with.
type Panic struct {
	Name string
	With any
	Said string // what is said of it
}

// Panics are the kinds of values to panic with.
var Panics = []Panic{
	{"text", "no", "no"},
	{"error", errors.New("lost"), "lost"},
	{"nil", nil, "panic called with nil argument"},
	{"bomb", Bomb{}, "a recoveredtest.Bomb, whose text panics"},
}

// End is a way in which a function does not return.
type End struct {
	Name string
	Do   func()
	Said string // what is said of it
}

// Ends returns those of Panics, of which is said that they panicked, and at last runtime.Goexit, of
// which goexit is said.
func Ends(goexit string) []End {
	var out []End
	for _, p := range Panics {
		out = append(out, End{p.Name, func() { panic(p.With) }, "panicked: " + p.Said})
	}
	return append(out, End{"Goexit", runtime.Goexit, goexit})
}
