package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Err is matched by everything that is wrong with a recording.
var Err = errors.New("replay: bad recording")

// Code writes values into bytes or reads them from there; which of the two, the same code
// does both, so that they cannot differ. The zero Code writes. After the first thing that is wrong
// it reads zeros.
type Code struct {
	Reading bool   // takes from Data; otherwise appends to it
	Data    []byte // what was written, or what is left to read
	Err     error  // the first one
}

// MostBytes bounds a string, a list and a blob of a recording, and a block.
const MostBytes = 1 << 26

// Failf notes what is wrong, and ends the reading.
func (c *Code) Failf(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf("%w: %s", Err, fmt.Sprintf(format, args...))
	}
	c.Data = nil
}

// Number codes one number.
func Number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Code, v *T) {
	if !c.Reading {
		c.Data = binary.AppendVarint(c.Data, int64(*v))
		return
	}
	n, size := binary.Varint(c.Data)
	if *v = T(n); size <= 0 || int64(*v) != n {
		c.Failf("a number is cut off or out of its range")
		return
	}
	c.Data = c.Data[size:]
}

// Bytes codes a string or a blob.
func Bytes[T ~string | ~[]byte](c *Code, v *T) {
	n := len(*v)
	Number(c, &n)
	if !c.Reading {
		c.Data = append(c.Data, *v...)
		return
	}
	if n < 0 || n > min(MostBytes, len(c.Data)) {
		c.Failf("%d bytes, of %d", n, len(c.Data))
		return
	}
	*v = T(append([]byte(nil), c.Data[:n]...))
	c.Data = c.Data[n:]
}
