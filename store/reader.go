package store

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// Reader puts a cut together of the records that a store has, and finds what is wrong with them.
// Its methods are called in their order here. The errors match [ErrDamaged] or [ErrFuture].
//
// The bytes of the cut are those of the records, which must stay as they are.
type Reader struct {
	zone string
	cut  Cut
	sum  Sum
}

// NewReader begins the cut of a zone.
func NewReader(zone string) *Reader { return &Reader{zone: zone} }

// Head reads the record of [AppendHead].
func (r *Reader) Head(record []byte) error {
	h, err := readHead(record)
	if err == nil && h.Zone != r.zone {
		err = damaged("", "it is of zone %q", h.Zone)
	}
	if err != nil {
		return At(err, "", "the head")
	}
	r.cut.Head = h
	return nil
}

// Owner reads the record of [AppendOwner] that is there for an owner. The ids rise.
func (r *Reader) Owner(id buff.OwnerID, record []byte) error {
	o, err := readOwner(record)
	switch n := len(r.cut.Owners); {
	case err != nil:
	case o.ID != id:
		err = damaged("", "it is of owner %d", o.ID)
	case n > 0 && r.cut.Owners[n-1].ID >= id:
		err = damaged("", "it comes after owner %d", r.cut.Owners[n-1].ID)
	case o.Frame > r.cut.Frame:
		err = damaged("", "it is of frame %d, the cut of %d", o.Frame, r.cut.Frame)
	}
	if err != nil {
		return At(err, "", fmt.Sprintf("owner %d", id))
	}
	_, o.Older = slices.BinarySearch(r.cut.Older, id)
	r.cut.Owners = append(r.cut.Owners, o)
	r.sum.Owners++
	r.sum.Total += uint64(Check(record))
	return nil
}

// Commands reads the record of [AppendCommands] that is there for a frame. The frames rise.
func (r *Reader) Commands(frame uint64, record []byte) error {
	f, ids, err := readCommands(record)
	switch {
	case err != nil:
	case f != frame || f > r.cut.Frame:
		err = damaged("", "it is of frame %d, the cut of %d", f, r.cut.Frame)
	}
	if err != nil {
		return At(err, "", fmt.Sprintf("commands up to frame %d", frame))
	}
	r.cut.Commands = append(r.cut.Commands, ids...)
	r.sum.Commands += uint64(len(ids))
	r.sum.Total += uint64(Check(record))
	return nil
}

// Cut returns the cut if its records come to that sum.
func (r *Reader) Cut(want Sum) (*Cut, error) {
	if r.sum != want {
		return nil, damaged("the sum", "%d owners, %d commands, sum %x are there; %d, %d and %x should be",
			r.sum.Owners, r.sum.Commands, r.sum.Total, want.Owners, want.Commands, want.Total)
	}
	if n := len(r.cut.Commands) - r.cut.Window; n > 0 {
		r.cut.Commands = r.cut.Commands[n:]
	}
	return &r.cut, nil
}

// Frame returns that of the head, or 0 before there is one.
func (r *Reader) Frame() uint64 { return r.cut.Frame }
