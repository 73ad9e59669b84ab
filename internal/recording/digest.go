package recording

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Digest is a hash of all frames of a run so far. The probability that two different runs have the
// same Digest is 2^-64.
type Digest uint64

// NewDigest returns the initial Digest.
func NewDigest() Digest { return 0x9e3779b97f4a7c15 }

// Add adds a number.
func (d *Digest) Add(v uint64) {
	*d = Digest(bits.RotateLeft64(uint64(*d)^v*0x9fb21c651e98df25, 29) * 0xd6e8feb86659fd93)
}

// Text adds a string.
func (d *Digest) Text(s string) {
	d.Add(uint64(len(s)))
	for chunk := range slices.Chunk([]byte(s), 8) {
		var b [8]byte
		copy(b[:], chunk)
		d.Add(binary.LittleEndian.Uint64(b[:]))
	}
}

// Frame adds the fields of a frame other than its events. The caller then adds each event.
func (d *Digest) Frame(number uint64, now wheel.Time, behind, lost time.Duration, events int) {
	for _, v := range [...]uint64{number, uint64(now), uint64(behind), uint64(lost), uint64(events)} {
		d.Add(v)
	}
}

// Event adds an event with all its fields.
func (d *Digest) Event(e *buff.Event) {
	spec := uint64(math.MaxUint64)
	if e.Spec != nil {
		spec = uint64(e.Spec.Index())
	}
	for _, v := range []wheel.Time{e.At, e.Seen, e.End, e.Next} {
		d.Add(uint64(v))
	}
	for _, v := range []int64{e.Elapsed, e.Period, e.Offline, e.Magnitude} {
		d.Add(uint64(v))
	}
	d.Add(uint64(e.Owner))
	d.Add(uint64(e.Source))
	d.Add(uint64(e.Handle))
	d.Add(spec)
	d.Add(uint64(uint32(e.Stacks))<<32 | uint64(uint32(e.Count)))
	d.Add(uint64(max(e.Attr, 1) - 1))
	d.Add(math.Float64bits(e.Delta))
	d.Add(math.Float64bits(e.Value))
	d.Add(uint64(e.School)<<32 | uint64(uint16(e.Level))<<16 | uint64(e.Kind)<<8 | uint64(e.Why))
	if e.Name != "" {
		d.Text(e.Name)
	}
	if e.Target != 0 {
		d.Add(uint64(e.Target))
	}
}
