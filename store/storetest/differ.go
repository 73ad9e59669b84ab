package storetest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/store"
)

// Differ returns nil if the two cuts are equal, and otherwise the first difference. Empty and
// nil lists are equal.
func Differ(got, want *store.Cut) error {
	g, w := got.Head, want.Head
	switch {
	case g.Zone != w.Zone || g.Epoch != w.Epoch || g.Frame != w.Frame || g.Window != w.Window:
		return fmt.Errorf("zone %q, epoch %d, frame %d, window %d; want %q, %d, %d, %d",
			g.Zone, g.Epoch, g.Frame, g.Window, w.Zone, w.Epoch, w.Frame, w.Window)
	case g.Clocks.Moment != w.Clocks.Moment || !slices.Equal(g.Clocks.Areas, w.Clocks.Areas):
		return fmt.Errorf("zone %q at frame %d: clocks %+v, want %+v", w.Zone, w.Frame, g.Clocks, w.Clocks)
	case !slices.Equal(g.Older, w.Older):
		return fmt.Errorf("zone %q at frame %d: older owners %d, want %d", w.Zone, w.Frame, g.Older, w.Older)
	case !bytes.Equal(g.State, w.State) || !bytes.Equal(g.Data, w.Data):
		return fmt.Errorf("zone %q at frame %d: state %q and data %q, want %q and %q", w.Zone, w.Frame, g.State, g.Data, w.State, w.Data)
	case !slices.Equal(got.Commands, want.Commands):
		return fmt.Errorf("zone %q at frame %d: commands %x, want %x", w.Zone, w.Frame, got.Commands, want.Commands)
	case len(got.Owners) != len(want.Owners):
		return fmt.Errorf("zone %q at frame %d: %d owners, want %d", w.Zone, w.Frame, len(got.Owners), len(want.Owners))
	}
	for k := range want.Owners {
		a, b := &got.Owners[k], &want.Owners[k]
		if a.ID != b.ID || a.Frame != b.Frame || a.Older != b.Older || !bytes.Equal(a.Blob, b.Blob) || !bytes.Equal(a.Data, b.Data) {
			return fmt.Errorf("zone %q at frame %d: owner %+v, want %+v", w.Zone, w.Frame, *a, *b)
		}
	}
	return nil
}
