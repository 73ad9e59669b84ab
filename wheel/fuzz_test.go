package wheel

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// FuzzModel turns its arguments into calls. The first two choose the shape and the start, and the
// bytes make the choices of a session. The structure is checked after every call.
//
//	go test ./wheel -run - -fuzz FuzzModel -fuzzminimizetime 1s
func FuzzModel(f *testing.F) {
	f.Add(byte(0), byte(0), []byte{})
	// Three timers at and around now + 12 h, then long jumps.
	f.Add(byte(0), byte(1), []byte("\x00\x06\x03\x00\x02\x03\x00\x06\x03\x00\x03\x03\x00\x06\x03\x00\x01\x03\x1f\x0c\x0b\x1f\x0c\x0b"))
	// Late timers only.
	f.Add(byte(1), byte(11), []byte("\x00\x00\x00\x00\x00\x03\x00\x00\x02\x01\x1f\x00\x01\x1f\x00"))
	for i := range 24 {
		// From a seeded generator: sessions long enough to reach every case.
		rng := rand.NewPCG(uint64(i), 1)
		data := make([]byte, 0, 512)
		for len(data) < cap(data) {
			data = binary.LittleEndian.AppendUint64(data, rng.Uint64())
		}
		f.Add(byte(i), byte(i), data)
	}
	f.Fuzz(func(t *testing.T, faces, start byte, data []byte) {
		sh, at := shapes[int(faces)%len(shapes)], starts[int(start)%len(starts)]
		if err := runBytes(sh, at, data, nil); err != nil {
			var calls []string
			_ = runBytes(sh, at, data, &calls) // again, recording the calls
			t.Fatalf("faces %v, start %d: %v after\n%s", sh, at, err, last(calls, 40))
		}
	})
}

func runBytes(sh shape, start Time, data []byte, calls *[]string) error {
	d := &dice{data: data[:min(len(data), 4096)]}
	s := newSession(sh, start, 60)
	s.calls = calls
	for len(d.data) > 0 {
		if err := s.step(d); err != nil {
			return err
		}
	}
	return s.finish()
}
