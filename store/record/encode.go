package record

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/wire"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/wheel"
)

// AppendHead appends the record of a head. [Reader.Head] decodes it.
func AppendHead(dst []byte, h *store.Head) []byte {
	dst, start := begin(dst, kindHead)
	dst = wire.AppendText(dst, h.Zone)
	dst = wire.AppendUint(wire.AppendUint(dst, h.Epoch), h.Frame)
	m := h.Clocks.Moment
	dst = wire.AppendInt(wire.AppendInt(wire.AppendInt(dst, int64(m.Now)), m.Wall), m.Uptime)
	dst = wire.AppendUint(dst, uint64(len(h.Clocks.Areas)))
	for _, z := range h.Clocks.Areas {
		dst = wire.AppendUint(dst, uint64(z.Number))
		dst = wire.AppendUint(wire.AppendUint(dst, uint64(z.Rate.Num)), uint64(z.Rate.Den))
		dst = append(dst, flag(z.Paused))
	}
	dst = wire.AppendUint(dst, uint64(h.Window))
	dst = wire.AppendUint(dst, uint64(len(h.Older)))
	for _, id := range h.Older {
		dst = wire.AppendUint(dst, uint64(id))
	}
	return seal(wire.AppendBytes(wire.AppendBytes(dst, h.State), h.Data), start)
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

func readHead(record []byte) (h store.Head, err error) {
	r, err := unseal(record, kindHead)
	if err != nil {
		return h, err
	}
	h.Zone = string(r.bytes(store.MaxName, "zone name"))
	h.Epoch, h.Frame = r.uint(), r.uint()
	h.Clocks.Moment = buff.Moment{Now: wheel.Time(r.int()), Wall: r.int(), Uptime: r.int()}
	if n := r.count(maxListed, 4, "areas"); n > 0 {
		h.Clocks.Areas = make([]store.AreaClock, n)
	}
	for k := range h.Clocks.Areas {
		h.Clocks.Areas[k] = r.areaClock()
		if k > 0 && r.err == nil && h.Clocks.Areas[k].Number <= h.Clocks.Areas[k-1].Number {
			r.fail("areas are not in order")
		}
	}
	h.Window = int(r.upTo(store.MaxWindow, "the window"))
	if n := r.count(maxListed, 1, "older owners"); n > 0 {
		h.Older = make([]buff.OwnerID, n)
	}
	for k := range h.Older {
		h.Older[k] = buff.OwnerID(r.uint())
		if k > 0 && r.err == nil && h.Older[k] <= h.Older[k-1] {
			r.fail("older owners are not in order")
		}
	}
	h.State, h.Data = r.bytes(store.MaxBytes, "state"), r.bytes(store.MaxBytes, "data")
	if r.err == nil && (store.CheckName(h.Zone) != nil || h.Epoch == 0 || h.Frame == 0) {
		r.fail("invalid zone %q, epoch %d or frame %d", h.Zone, h.Epoch, h.Frame)
	}
	return h, r.end()
}

func (r *reader) areaClock() store.AreaClock {
	const most = 1<<32 - 1
	z := store.AreaClock{Number: uint32(r.upTo(most, "an area"))}
	z.Rate = buff.Ratio{Num: uint32(r.upTo(most, "rate")), Den: uint32(r.upTo(most, "rate"))}
	z.Paused = r.upTo(1, "paused") == 1
	return z
}

// AppendOwner appends the record of an owner whose state is from the given frame. [Reader.Owner]
// decodes it.
func AppendOwner(dst []byte, frame uint64, o *store.Owner) []byte {
	dst, start := begin(dst, kindOwner)
	dst = wire.AppendUint(wire.AppendUint(dst, uint64(o.ID)), frame)
	return seal(wire.AppendBytes(wire.AppendBytes(dst, o.Blob), o.Data), start)
}

func readOwner(record []byte) (o store.Owner, err error) {
	r, err := unseal(record, kindOwner)
	if err != nil {
		return o, err
	}
	o.ID, o.Frame = buff.OwnerID(r.uint()), r.uint()
	o.Blob, o.Data = r.bytes(store.MaxBytes, "blob"), r.bytes(store.MaxBytes, "data")
	return o, r.end()
}

// ReadOwner decodes a record of [AppendOwner] for an owner in transit, which is in no cut. It
// returns [store.ErrDamaged] or [store.ErrFuture] on failure.
func ReadOwner(id buff.OwnerID, record []byte) (store.Owner, error) {
	o, err := readOwner(record)
	if err == nil && o.ID != id {
		err = damaged("", "it belongs to owner %d", o.ID)
	}
	return o, At(err, "", fmt.Sprintf("moving owner %d", id))
}

// AppendCommands appends the record of the commands executed up to a frame. [Reader.Commands]
// decodes it.
func AppendCommands(dst []byte, frame uint64, ids []store.CommandID) []byte {
	dst, start := begin(dst, kindCommands)
	dst = wire.AppendUint(wire.AppendUint(dst, frame), uint64(len(ids)))
	for k := range ids {
		dst = append(dst, ids[k][:]...)
	}
	return seal(dst, start)
}

func readCommands(record []byte) (frame uint64, ids []store.CommandID, err error) {
	r, err := unseal(record, kindCommands)
	if err != nil {
		return 0, nil, err
	}
	frame = r.uint()
	ids = make([]store.CommandID, r.count(store.MaxWindow, len(store.CommandID{}), "commands"))
	for k := range ids {
		copy(ids[k][:], r.take(len(ids[k])))
	}
	return frame, ids, r.end()
}

// Sum summarizes the records of a cut. It detects missing, stale and extra records, which the
// checksum of each record cannot detect.
type Sum struct {
	Owners   uint64 // number of owners
	Commands uint64 // number of ids in all command records
	Total    uint64 // sum of the checksums of these records
}

// AppendSum appends the record of a sum. [ReadSum] decodes it.
func AppendSum(dst []byte, s Sum) []byte {
	dst, start := begin(dst, kindSum)
	dst = wire.AppendUint(wire.AppendUint(dst, s.Owners), s.Commands)
	return seal(binary.BigEndian.AppendUint64(dst, s.Total), start)
}

// ReadSum decodes a record of [AppendSum]. It returns [store.ErrDamaged] or [store.ErrFuture] on
// failure.
func ReadSum(record []byte) (s Sum, err error) {
	r, err := unseal(record, kindSum)
	if err != nil {
		return s, err
	}
	s.Owners, s.Commands = r.uint(), r.uint()
	if r.err == nil && len(r.rest) < 8 {
		r.fail("the sum has %d bytes, want 8", len(r.rest))
	}
	if r.err == nil {
		s.Total = binary.BigEndian.Uint64(r.take(8))
	}
	return s, r.end()
}

// AppendMark appends a record that consists of a number and a name, such as the epoch of a zone.
// [ReadMark] decodes it.
func AppendMark(dst []byte, n uint64, name string) []byte {
	dst, start := begin(dst, kindMark)
	return seal(wire.AppendText(wire.AppendUint(dst, n), name), start)
}

// ReadMark decodes a record of [AppendMark]. It returns [store.ErrDamaged] or [store.ErrFuture] on
// failure.
func ReadMark(record []byte) (n uint64, name string, err error) {
	r, err := unseal(record, kindMark)
	if err != nil {
		return 0, "", err
	}
	n, name = r.uint(), string(r.bytes(store.MaxName, "a name"))
	return n, name, r.end()
}

// CountCommands returns the number of ids in a record of [AppendCommands]. It returns
// [store.ErrDamaged] or [store.ErrFuture] on failure.
func CountCommands(record []byte) (uint64, error) {
	_, ids, err := readCommands(record)
	return uint64(len(ids)), err
}
