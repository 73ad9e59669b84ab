package game

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/bufftick/bufftick/buff"
)

// digest is a hash of all events, in order.
type digest struct {
	hash hash.Hash
	line []byte
}

func newDigest() digest { return digest{hash: sha256.New()} }

func (d *digest) add(e buff.Event) {
	spec := -1
	if e.Spec != nil {
		spec = e.Spec.Lineage() - 1
	}
	le, b := binary.LittleEndian, d.line[:0]
	b = le.AppendUint64(b, uint64(e.At))
	b = le.AppendUint64(b, uint64(e.End))
	b = le.AppendUint64(b, uint64(e.Owner))
	b = le.AppendUint64(b, uint64(e.Source))
	b = le.AppendUint64(b, uint64(e.Magnitude))
	b = le.AppendUint64(b, math.Float64bits(e.Value))
	b = le.AppendUint32(b, uint32(spec))
	b = le.AppendUint32(b, uint32(e.Stacks))
	d.line = append(b, byte(e.Kind), byte(e.Why))
	d.hash.Write(d.line)
}

// number adds a number to the hash.
func (d *digest) number(n int64) {
	d.line = binary.LittleEndian.AppendUint64(d.line[:0], uint64(n))
	d.hash.Write(d.line)
}

func (d *digest) String() string { return hex.EncodeToString(d.hash.Sum(nil)) }
