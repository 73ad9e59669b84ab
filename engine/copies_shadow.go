package engine

import "encoding/binary"

// shadow is the last complete state of an owner that may get busy: where it was, how much was lost,
// how long its blob is, the blob, and the game's data. It is one piece of memory, for most owners
// are in no cache, and each further piece would be one more wait. Empty: there is none that is
// younger than the last copy.
type shadow []byte

const shadowHead = 4 + 4 + 4

// keepShadow keeps the state of an owner that a worker begins with. The lock is held. The copy is made
// where the worker has made the one before, and then moved at one go: to write it byte by byte into
// memory that is in no cache takes twice as long.
func (c *Copies) keepShadow(by *shard, o *owner) {
	o.shadow.drop()
	x, b := c.make(o, c.momentAt(o.toldAt), by.room(c), false)
	if x.Err != nil {
		return
	}
	var head [shadowHead]byte
	binary.LittleEndian.PutUint32(head[:], x.Zone)
	binary.LittleEndian.PutUint32(head[4:], uint32(x.Lost))
	binary.LittleEndian.PutUint32(head[8:], uint32(len(x.Blob)))
	o.shadow = append(append(o.shadow, head[:]...), b...)
}

// drop says that there is a younger state.
func (s *shadow) drop() { *s = (*s)[:0] }

// of returns the state as a copy of its owner, which is good until the next one, if there is one.
func (s shadow) of(o *owner) (x Copy, ok bool) {
	if len(s) == 0 {
		return x, false
	}
	b := s[shadowHead:]
	n := binary.LittleEndian.Uint32(s[8:])
	return Copy{
		Owner: o.id, Zone: binary.LittleEndian.Uint32(s), Lost: int(binary.LittleEndian.Uint32(s[4:])),
		Blob: b[:n:n], Data: b[n:len(b):len(b)],
	}, true
}
