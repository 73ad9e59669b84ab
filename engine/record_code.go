package engine

import (
	"encoding/binary"
	"fmt"
)

// coder writes values into bytes or reads them from there; which of the two, the same code
// does both, so that they cannot differ.
type coder struct {
	mode mode
	data []byte
	err  error
}

type mode uint8

const (
	writing mode = iota // appends to data
	reading             // takes from data
)

// maxBytes bounds a string, a list and a blob of a recording.
const maxBytes = 1 << 26

func (c *coder) failf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrRecording, fmt.Sprintf(format, args...))
	}
	c.data = nil
}

// number codes one number.
func number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, v *T) {
	if c.mode == writing {
		c.data = binary.AppendVarint(c.data, int64(*v))
		return
	}
	n, size := binary.Varint(c.data)
	if *v = T(n); size <= 0 || int64(*v) != n {
		c.failf("a number is cut off or out of its range")
		return
	}
	c.data = c.data[size:]
}

// bytes codes a string or a blob.
func bytes[T ~string | ~[]byte](c *coder, v *T) {
	n := len(*v)
	number(c, &n)
	if c.mode == writing {
		c.data = append(c.data, *v...)
		return
	}
	if n < 0 || n > min(maxBytes, len(c.data)) {
		c.failf("%d bytes, of %d", n, len(c.data))
		return
	}
	*v = T(append([]byte(nil), c.data[:n]...))
	c.data = c.data[n:]
}
