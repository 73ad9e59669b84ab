package recovered_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
)

func TestText(t *testing.T) {
	for _, p := range recoveredtest.Panics {
		func() {
			defer func() { require.Equal(t, p.Said, recovered.Text(recover()), p.Name) }()
			panic(p.With)
		}()
	}
	var none *recoveredtest.Bomb
	require.Equal(t, "a *recoveredtest.Bomb, whose text panics", recovered.Text(none))
	require.Equal(t, "7", recovered.Text(7))
}

// name has a String method and is no error. If fmt called the method, fmt would recover its panic
// and print a text of its own.
type name struct{ of *string }

func (n name) String() string { return *n.of }

func TestTextOfStringer(t *testing.T) {
	poison := "poison"
	require.Equal(t, "poison", recovered.Text(name{&poison}))
	require.Contains(t, recovered.Text(name{}), "PANIC=String method: ")
}

func Example() {
	defer func() { fmt.Println("the handler panicked:", recovered.Text(recover())) }()
	panic(errors.New("no such player"))
	// Output: the handler panicked: no such player
}
