package record

import (
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/store"
)

// advice holds the advice that is appended to errors that name a file.
var advice = []struct {
	of   error
	text string
}{
	{store.ErrLocked, "stop that process first"},
	{store.ErrForeign, "nothing has been changed: check the path"},
	{store.ErrFuture, "nothing has been changed: update this program"},
	{store.ErrReadOnly, "make the file and its directory writable"},
}

// At adds a file to a [store.DamageError] that has none, and puts the given place in front of its
// Place field. To any other error, At adds the file and, for some errors, advice. If "file" is
// empty, At returns any other error unchanged.
func At(err error, file, place string) error {
	damage, ok := errors.AsType[*store.DamageError](err)
	if !ok {
		return atFile(err, file)
	}
	d := *damage
	if d.File == "" {
		d.File = file
	}
	if d.Place != "" && place != "" {
		place += ": "
	}
	d.Place = place + d.Place
	return &d
}

func atFile(err error, file string) error {
	if err == nil || file == "" {
		return err
	}
	for _, known := range advice {
		if errors.Is(err, known.of) {
			return fmt.Errorf("%s: %w; %s", file, err, known.text)
		}
	}
	return fmt.Errorf("%s: %w", file, err)
}
