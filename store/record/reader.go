package record

import (
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// Reader assembles a cut from the records of a store and detects damage. Call Head first, then
// Owner for each owner, Commands for each record of commands, and Cut. Errors match
// [store.ErrDamaged] or [store.ErrFuture].
//
// The cut refers to the bytes of the records, which must not change.
type Reader struct {
	zone string
	cut  store.Cut
	sum  Sum
}

// NewReader returns a Reader for the cut of a zone.
func NewReader(zone string) *Reader { return &Reader{zone: zone} }

// Head decodes the record of [AppendHead].
func (r *Reader) Head(record []byte) error {
	h, err := readHead(record)
	if err == nil && h.Zone != r.zone {
		err = damaged("", "it belongs to zone %q", h.Zone)
	}
	if err != nil {
		return At(err, "", "the head")
	}
	r.cut.Head = h
	return nil
}

// Owner decodes the record that [AppendOwner] has made for the owner with the given id. The ids
// must ascend from call to call.
func (r *Reader) Owner(id buff.OwnerID, record []byte) error {
	o, err := readOwner(record)
	switch n := len(r.cut.Owners); {
	case err != nil:
	case o.ID != id:
		err = damaged("", "it belongs to owner %d", o.ID)
	case n > 0 && r.cut.Owners[n-1].ID >= id:
		err = damaged("", "it follows owner %d", r.cut.Owners[n-1].ID)
	case o.Frame > r.cut.Frame:
		err = damaged("", "it is from frame %d, the cut from frame %d", o.Frame, r.cut.Frame)
	}
	if err != nil {
		return At(err, "", fmt.Sprintf("owner %d", id))
	}
	_, o.Older = slices.BinarySearch(r.cut.Older, id)
	r.cut.Owners = append(r.cut.Owners, o)
	r.sum.Owners++
	r.sum.Total += uint64(Checksum(record))
	return nil
}

// Commands decodes the record that [AppendCommands] has made for the given frame. The frames must
// ascend from call to call.
func (r *Reader) Commands(frame uint64, record []byte) error {
	f, ids, err := readCommands(record)
	switch {
	case err != nil:
	case f != frame || f > r.cut.Frame:
		err = damaged("", "it is from frame %d, the cut from frame %d", f, r.cut.Frame)
	}
	if err != nil {
		return At(err, "", fmt.Sprintf("commands up to frame %d", frame))
	}
	r.cut.Commands = append(r.cut.Commands, ids...)
	r.sum.Commands += uint64(len(ids))
	r.sum.Total += uint64(Checksum(record))
	return nil
}

// Cut returns the cut if the Sum of its records equals the wanted Sum, and otherwise a
// [DamageError].
func (r *Reader) Cut(want Sum) (*store.Cut, error) {
	if r.sum != want {
		return nil, damaged("the sum", "got %d owners, %d commands, sum %x; want %d, %d and %x",
			r.sum.Owners, r.sum.Commands, r.sum.Total, want.Owners, want.Commands, want.Total)
	}
	if n := len(r.cut.Commands) - r.cut.Window; n > 0 {
		r.cut.Commands = r.cut.Commands[n:]
	}
	return &r.cut, nil
}

// Frame returns the frame of the head, or 0 before Head was called.
func (r *Reader) Frame() uint64 { return r.cut.Frame }
