package store

import (
	"encoding/binary"
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// window holds the ids of the last executed commands, to detect repetitions.
type window struct {
	ring []CommandID
	// index of the next id; once the ring is full, the oldest id is at this index
	next int
	done map[CommandID]uint64 // by id: the frame of the cut that contains the command
}

func (w *window) init(size int, ids []CommandID) {
	w.ring, w.done = make([]CommandID, 0, min(size, 1024)), map[CommandID]uint64{}
	for _, id := range ids {
		w.add(id, 0, size)
	}
}

func (w *window) add(id CommandID, frame uint64, size int) {
	if size == 0 {
		return
	}
	w.done[id] = frame
	if len(w.ring) < size {
		w.ring = append(w.ring, id)
		return
	}
	delete(w.done, w.ring[w.next])
	w.ring[w.next] = id
	w.next = (w.next + 1) % size
}

// all returns the ids, oldest first.
func (w *window) all() []CommandID {
	return append(append([]CommandID(nil), w.ring[w.next:]...), w.ring[:w.next]...)
}

// Owner.Data starts with the number of the owner's area, or with parkedOwner, which takes at most
// areaRoom bytes. The game's bytes follow.
const (
	parkedOwner = 1 << 32
	areaRoom    = binary.MaxVarintLen32
)

func appendData(dst []byte, prefix uint64, data []byte) []byte {
	return append(binary.AppendUvarint(dst, prefix), data...)
}

// SplitData splits Owner.Data into the number of the area and the game's own bytes, and reports
// whether the owner is parked. The blob of a parked owner contains its area. SplitData returns
// [ErrDamaged] if the data was not written by a Saver.
func SplitData(data []byte) (area uint32, parked bool, game []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > parkedOwner {
		return 0, false, nil, damaged("", "the data does not start with an area number")
	}
	return uint32(n), n == parkedOwner, data[size:], nil
}

// Head.State holds the accepted commands that wait for a busy owner. It starts with a version
// byte. Each command follows as its length and the binary form of buff.Command. In version 2, the
// pending effects come before the commands. Version 1 is used if there are no pending effects.
const stateVersion = 2

// appendState appends the contents of Head.State.
func (v *Saver) appendState(list []buff.Command) (_ []byte, unkept int) {
	v.effects.sweep()
	if len(v.effects.list) == 0 {
		return appendWaiting([]byte{1}, list, v.engine.Catalog())
	}
	return appendWaiting(v.effects.append([]byte{stateVersion}), list, v.engine.Catalog())
}

// appendWaiting appends waiting commands. It skips and counts the commands that cannot be encoded.
func appendWaiting(dst []byte, list []buff.Command, c *buff.Catalog) (_ []byte, unkept int) {
	for k := range list {
		cmd := &list[k]
		b, err := cmd.AppendBinary(nil, c)
		if _, by := cmd.Number(); err != nil || by {
			unkept++
			continue
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(b))), b...)
	}
	return dst, unkept
}

// parseState decodes the pending effects, and calls f for each waiting command, with an error if
// the command cannot be decoded.
func (v *Saver) parseState(b []byte, f func(buff.Command, error)) {
	if len(b) == 0 {
		return
	}
	version := b[0]
	if b = b[1:]; version < 1 || version > stateVersion {
		f(buff.Command{}, fmt.Errorf("%w: the state has version %d, this library supports %d", ErrFuture, version, stateVersion))
		return
	}
	if version > 1 {
		rest, err := v.effects.decode(b)
		if err != nil {
			f(buff.Command{}, err)
			return
		}
		b = rest
	}
	for c := v.engine.Catalog(); len(b) > 0; {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			f(buff.Command{}, damaged("the state", "truncated command"))
			return
		}
		var cmd buff.Command
		err := cmd.UnmarshalBinary(b[size:size+int(n)], c)
		f(cmd, err)
		b = b[size+int(n):]
	}
}
