package recoveredtest

import (
	"errors"
	"runtime"
)

// Bomb is a value with Error and String methods that panic, again with a Bomb.
type Bomb struct{}

// Error panics.
func (Bomb) Error() string { panic(Bomb{}) }

// String panics.
func (Bomb) String() string { panic(Bomb{}) }

// Panic is a value to panic with.
type Panic struct {
	Name string
	With any
	Said string // its expected text
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
	Said string // the expected text
}

// Ends returns an End for each element of Panics, and an End for runtime.Goexit, which has `goexit`
// as its expected text.
func Ends(goexit string) []End {
	var out []End
	for _, p := range Panics {
		out = append(out, End{p.Name, func() { panic(p.With) }, "panicked: " + p.Said})
	}
	return append(out, End{"Goexit", runtime.Goexit, goexit})
}
